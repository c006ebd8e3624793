"""What all kernels share, and their evaluation in a buffer of bounded size."""

from dataclasses import replace

import numpy as np

from widemargin.checks import check_number_or
from widemargin.kernels.width import WIDTHS, count_varying, select_gamma
from widemargin.linalg.rows import BUFFER_BYTES, row_blocks
from widemargin.values import Value

_DIAGONAL_ROWS = 64  # rows whose Gram matrix is formed at a time for its diagonal


class Kernel(Value):
    """A similarity of rows; each formula is a frozen dataclass below it.

    A subclass gives ``kernel(X, Z=None)``, the Gram matrix between the rows of X and
    of Z (of X and X if Z is not given), in the floating type of X.
    """

    pairwise = False  # whether the rows are those of a Gram matrix
    has_unit_diagonal = False  # whether k(x, x) is one for every row
    sees_offsets = True  # whether values change if all rows are shifted

    def fit_width(self, X, rng, *, auto="scale"):
        """The kernel with a number for its width; "auto" stands for the rule `auto`."""
        return self

    def points(self, X, rows):
        """What must be kept of X to evaluate the kernel against these rows later."""
        return X[rows]

    def geometry(self, X):
        """What nearest neighbors are looked for in: data and metric."""
        return X, "euclidean"

    def diagonal(self, X):
        """Value of each row with itself, (n_samples,), without a Gram matrix."""
        if self.has_unit_diagonal:
            return np.ones(X.shape[0], dtype=X.dtype)
        # Small Gram matrices: 64 kernel values per row instead of n.
        starts = range(0, X.shape[0], _DIAGONAL_ROWS)
        blocks = [slice(i, i + _DIAGONAL_ROWS) for i in starts]
        return np.concatenate([np.diagonal(self(X[block])) for block in blocks])


class WidthKernel(Kernel):
    """A kernel with a width `gamma`: a number, or the name of a rule for it."""

    def __post_init__(self):
        check_number_or(self, "gamma", WIDTHS, low=0, strict=True)

    def fit_width(self, X, rng, *, auto="scale"):
        """The kernel with a number for `gamma`; see :func:`select_gamma`."""
        if not isinstance(self.gamma, str):
            return self
        rule = auto if self.gamma == "auto" else self.gamma
        gamma = select_gamma(rule, X, rng)
        return replace(self, gamma=self.own_width(gamma, count_varying(X)))

    def own_width(self, gamma, n_varying):
        """The width for one of squared distances, and so many features that vary."""
        return gamma

    @property
    def width(self):
        """The number `gamma`; ValueError if it is still the name of a rule."""
        if isinstance(self.gamma, str):
            raise ValueError(
                f"{self!r} has no width yet: set gamma to a number, or call "
                "fit_width(X, rng) on training rows."
            )
        return self.gamma


def scores_in_blocks(
    kernel, X, points, coef, buffer_bytes=BUFFER_BYTES, *, constant=0.0
):
    """The sums kernel(X, points) @ coef + constant, (n_samples, k), in the type of X.

    `points` is what ``kernel.points`` gave. No piece of the kernel matrix that is held
    at a time is larger than `buffer_bytes`.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.kernels import Linear, scores_in_blocks
    >>> X, coef = np.eye(3), np.ones((2, 1))
    >>> scores_in_blocks(Linear(), X, X[:2], coef).ravel().tolist()
    [1.0, 1.0, 0.0]
    """
    scores = np.empty((X.shape[0], coef.shape[1]), dtype=X.dtype)
    blocks = row_blocks(X.shape[0], len(coef), coef.dtype.itemsize, buffer_bytes)
    for block in blocks:
        scores[block] = kernel(X[block], points) @ coef + constant
    return scores
