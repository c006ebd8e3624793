"""What all kernels share."""

from dataclasses import replace

import numpy as np

from widemargin.checks import check_number_or
from widemargin.kernels.width import WIDTHS, select_gamma
from widemargin.values import Value

_DIAGONAL_ROWS = 64  # rows whose Gram matrix is formed at a time for its diagonal


class Kernel(Value):
    """A similarity of rows; each formula is a frozen dataclass below it.

    A subclass gives ``kernel(X, Z=None)``, the Gram matrix between the rows of X and
    of Z (of X and X if Z is not given), in the floating type of X.
    """

    pairwise = False  # whether the rows are those of a Gram matrix

    def fit_width(self, X, rng, *, auto="scale"):
        """The kernel with a number for a width that was left to the data.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n_samples, n_features)
        rng : numpy.random.Generator
            For the sample behind a "median" width.
        auto : str
            The rule that ``gamma="auto"`` stands for.
        """
        return self

    def points(self, X, rows):
        """What must be kept of X to evaluate the kernel against these rows later."""
        return X[rows]

    def geometry(self, X):
        """What nearest neighbors are looked for in: data and metric."""
        return X, "euclidean"

    def diagonal(self, X):
        """Value of each row with itself, shape (n_samples,), without a Gram matrix."""
        starts = range(0, X.shape[0], _DIAGONAL_ROWS)
        blocks = [slice(i, i + _DIAGONAL_ROWS) for i in starts]
        return np.concatenate([np.diagonal(self(X[block])) for block in blocks])


class WidthKernel(Kernel):
    """A kernel with a width `gamma`: a number, or the name of a rule for it."""

    def __post_init__(self):
        """Raise unless the width is positive or the name of a rule."""
        check_number_or(self, "gamma", WIDTHS, low=0, strict=True)

    def fit_width(self, X, rng, *, auto="scale"):
        """The kernel with a number for `gamma`; see :func:`select_gamma`."""
        if not isinstance(self.gamma, str):
            return self
        rule = auto if self.gamma == "auto" else self.gamma
        return replace(self, gamma=select_gamma(rule, X, rng))

    @property
    def width(self):
        """The number `gamma`; ValueError if it is still the name of a rule."""
        if isinstance(self.gamma, str):
            raise ValueError(
                f"{self!r} has no width yet: give gamma a number, or call "
                "fit_width(X, rng) on the rows that it is to be taken from."
            )
        return self.gamma
