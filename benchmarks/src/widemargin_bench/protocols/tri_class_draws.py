"""Draws of the tri-class paper: some unlabeled rows belong to neither class."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from widemargin.datasets import load_benchmark, make_irrelevant_gaussians
from widemargin_bench.draws import PartlyLabeled

DIGITS = (8, 5)  # class 0 and class 1; all others are irrelevant
IRRELEVANT = 2  # in y


@dataclass(frozen=True)
class Mixture(PartlyLabeled):
    """Labeled rows, a mixture of unlabeled ones, and test rows.

    Attributes
    ----------
    is_linear : bool
        Whether machines have a linear kernel or a Gaussian one.
    """

    is_linear: bool = True

    @classmethod
    def join(cls, labeled, unlabeled, test, *, is_linear):
        """From pairs of rows and classes, the labeled ones first."""
        y = np.append(labeled[1], unlabeled[1])
        is_labeled = np.arange(len(y)) < len(labeled[1])
        return cls(
            np.vstack([labeled[0], unlabeled[0]]),
            y,
            is_labeled,
            *test,
            scored=~is_labeled & (y != IRRELEVANT),
            is_linear=is_linear,
        )

    @property
    def n_labeled(self):
        """Number of labeled rows, the first ones."""
        return int(self.labeled.sum())

    @property
    def n_unlabeled(self):
        """Number of rows without a label."""
        return len(self.y) - self.n_labeled

    @property
    def signs(self):
        """Labels as -1 and +1."""
        return 2.0 * self.y[self.labeled] - 1.0

    def score(self, model):
        """Errors, and the accuracy on test rows, in %."""
        scores = super().score(model)
        return scores | {"accuracy": 100.0 - scores["error"]}


def draw_gaussians(variant, n_labeled, tau, seed, *, n_unlabeled=500, n_test=500):
    """Synthetic rows of Sec. 5.1; a share tau of the unlabeled ones is relevant."""
    rng = np.random.default_rng(seed)

    def make(n_rows, irrelevant):
        return make_irrelevant_gaussians(
            n_rows, irrelevant_fraction=irrelevant, variant=variant, random_state=rng
        )

    labeled, unlabeled = make(n_labeled, 0.0), make(n_unlabeled, 1.0 - tau)
    return Mixture.join(labeled, unlabeled, make(n_test, 0.0), is_linear=True)


def draw_digits(name, n_unlabeled, tau, seed, *, is_validation=False):
    """Five labels of each digit, the same for all mixtures of a seed.

    Test rows are those of the test part, of validation draws up to 1,000 of those that
    are left in the training part.
    """
    digits, n_train = _digits(name)
    rng = np.random.default_rng([seed, int(is_validation)])
    train, n_relevant = digits[:n_train], round(tau * n_unlabeled)
    of_class = [rng.permutation(np.flatnonzero(train == d)) for d in DIGITS[::-1]]
    labeled = np.concatenate([rows[:5] for rows in of_class])
    rest = rng.permutation(np.concatenate([rows[5:] for rows in of_class]))
    others = rng.permutation(np.flatnonzero(~np.isin(train, DIGITS)))
    unlabeled = np.append(rest[:n_relevant], others[: n_unlabeled - n_relevant])
    test = n_train + np.flatnonzero(np.isin(digits[n_train:], DIGITS))
    if is_validation:
        test = rest[n_relevant:][:1000]
    parts = (_pixels(name, rows) for rows in (labeled, unlabeled, test))
    return Mixture.join(*parts, is_linear=False)


@lru_cache(1)
def _load(name):
    return load_benchmark(name)


def _digits(name):
    """All digits, and the number of rows for training."""
    data = _load(name)
    return data.target, int(data.train_size)


def _pixels(name, rows):
    """Pixels in [-1, 1], and classes."""
    data = _load(name)
    X, digits = data.data[rows], data.target[rows]
    y = np.where(digits == DIGITS[0], 0, np.where(digits == DIGITS[1], 1, IRRELEVANT))
    return X if name == "usps" else 2.0 * X - 1.0, y
