"""How many rows each class may have."""

import numbers
from dataclasses import dataclass

import numpy as np

from widemargin.checks import check_choice, check_number_or, plain
from widemargin.defaults import SIZE_FACTOR
from widemargin.values import Value


@dataclass(frozen=True)
class Balance(Value):
    """Shares of the classes among the unlabeled rows, and how closely they are kept.

    Parameters
    ----------
    shares : "labeled", "equal", dict or None, default="labeled"
        Estimated from the labels; the same for all classes; your own as
        ``{class: fraction}``; or None if a class may have any size.
    tolerance : float or "auto", default="auto"
        Largest deviation of a share; "auto" allows a factor of 1.5.

    Examples
    --------
    >>> from widemargin.objectives.class_sizes import Balance
    >>> Balance({"cat": 0.3, "dog": 0.7}, tolerance=0.05).tolerance
    0.05
    """

    shares: object = "labeled"
    tolerance: float | str = "auto"

    written = "'labeled', 'equal', None, a dict of fractions or a Balance value"

    def __post_init__(self):
        """Raise unless the fields can be shares and a tolerance."""
        if not isinstance(self.shares, dict):
            names = ("labeled", "equal", None)
            check_choice(self, "shares", names, "or a dict of fractions")
        check_number_or(self, "tolerance", ("auto",), low=0)

    def class_shares(self, names, estimated, who):
        """The share of each class, in the order of the names.

        `estimated` are those of the labels; `who` is the estimator, for the message.
        """
        if self.shares == "equal":
            return np.full(len(names), 1.0 / len(names))
        if not isinstance(self.shares, dict):
            return estimated
        values = [self.shares.get(name, np.nan) for name in names]
        unknown = [name for name in self.shares if name not in names]
        is_valid = not unknown and all(
            isinstance(value, numbers.Real) and value >= 0 for value in values
        )
        if not is_valid or abs(sum(values) - 1.0) > 1e-6:
            given = {plain(key): plain(value) for key, value in self.shares.items()}
            total = f", which add up to {sum(values):g}" if is_valid else ""
            raise ValueError(
                f"balance of {who} must hold a fraction >= 0 for each of the classes "
                f"{names}, adding up to 1, got {given!r}{total}."
            )
        return np.array(values, dtype=np.float64)

    def bounds(self, shares, n_rows):
        """Smallest and largest number of unlabeled rows in each class."""
        if self.shares is None:
            return np.zeros(len(shares), dtype=int), np.full(len(shares), n_rows)
        if self.tolerance == "auto":
            return factor_bounds(shares, n_rows)
        return size_bounds(shares, self.tolerance, n_rows)


def size_bounds(shares, tolerance, n_movable):
    r"""Smallest and largest number of movable rows in each class.

    The sizes n_h with :math:`|n_h / u - b_h| < \varepsilon`, the constraint of Eqs. (7)
    and (10) of Gieseke et al., and always the whole numbers nearest to u b_h, so that a
    tolerance of zero requires these.

    >>> size_bounds(np.array([0.3, 0.7]), 0.1, 20)
    (array([ 5, 13]), array([ 7, 15]))
    """
    exact = nearest_sizes(shares, n_movable)
    inner = 1e-9 * n_movable  # 20 * (0.3 - 0.1) is 4 up to rounding, not above it
    lower = np.floor(n_movable * (shares - tolerance) + inner).astype(int) + 1
    upper = np.ceil(n_movable * (shares + tolerance) - inner).astype(int) - 1
    lower = np.clip(np.minimum(lower, exact), 0, n_movable)
    return lower, np.clip(np.maximum(upper, exact), 0, n_movable)


def factor_bounds(shares, n_movable, factor=SIZE_FACTOR):
    """Bounds of class sizes that may be off their shares by a factor."""
    lower = np.floor(shares * n_movable / factor).astype(int)
    return lower, np.ceil(shares * n_movable * factor).astype(int)


def nearest_sizes(shares, n_movable):
    """Whole numbers that add up to `n_movable`, nearest to shares of it."""
    wanted = shares / shares.sum() * n_movable
    sizes = np.floor(wanted + 1e-9).astype(int)
    missing = n_movable - sizes.sum()
    # Largest remainders first.
    sizes[np.argsort(sizes - wanted, kind="stable")[:missing]] += 1
    return sizes


def repair_sizes(codes, preference, movable, lower, upper):
    """The labels with all bounds kept; rows that lose least preference move, greedily.

    `preference`, (n_classes, n), is how well each class suits each row.

    >>> preference = np.array([[0.9, 0.5, 0.4], [0.0, 0.2, 0.3]])
    >>> bounds = np.array([1, 1]), np.array([2, 2])
    >>> repair_sizes(np.zeros(3, int), preference, np.ones(3, bool), *bounds)
    array([0, 0, 1], dtype=int32)
    """
    codes = codes.astype(np.int32)
    counts = np.bincount(codes, minlength=len(lower))
    while True:
        over, under = np.flatnonzero(counts > upper), np.flatnonzero(counts < lower)
        if not len(over) and not len(under):
            return codes
        givers = over if len(over) else np.flatnonzero(counts > lower)
        takers = under if len(under) else np.flatnonzero(counts < upper)
        movers = np.flatnonzero(movable & np.isin(codes, givers))
        if not len(movers) or not len(takers):
            raise ValueError(
                f"no labeling has class sizes from {lower.tolist()} to "
                f"{upper.tolist()} with the given labels; loosen the balance, or give "
                "fewer labels."
            )
        loss = preference[codes[movers], movers] - preference[np.ix_(takers, movers)]
        # Each class gives and takes only as far as the bound that it breaks, or, if
        # it breaks none, as far as its own bound allows.
        giver_stop = upper if len(over) else lower
        taker_stop = lower if len(under) else upper
        new = takers[loss.argmin(axis=0)]
        for i in np.argsort(loss.min(axis=0), kind="stable"):
            source, sink = codes[movers[i]], new[i]
            if counts[source] > giver_stop[source] and counts[sink] < taker_stop[sink]:
                codes[movers[i]] = sink
                counts[source] -= 1
                counts[sink] += 1
