"""The kernel functions that a fitted function is written over: all of them."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class FullBasis:
    """Every sample is a basis point and coordinates are coefficients.

    The exact twin of `NystromMap`.
    """

    n_samples: int

    @property
    def rows(self):
        """Samples whose kernel functions span the space."""
        return np.arange(self.n_samples)

    def coefficients(self, c):
        """Coefficients of these kernel functions for coordinates c."""
        return c
