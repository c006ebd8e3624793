"""A user's own function as a kernel, and kernels from what a user writes."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from widemargin.kernels.base import Kernel


@dataclass(frozen=True)
class Custom(Kernel):
    """Any function ``kernel(X, Z) -> (n_x, n_z)`` that is positive semi-definite.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.kernels import Custom
    >>> kernel = Custom(lambda X, Z: 1.0 + X @ Z.T)
    >>> kernel(np.array([[0.0], [2.0]]))
    array([[1., 1.],
           [1., 5.]])
    """

    function: Callable

    storable = False  # a model file runs no code
    sees_offsets = False  # or not: what it does with columns is its own matter

    def __call__(self, X, Z=None):
        """Gram matrix between the rows of X and of Z, shape (n_x, n_z)."""
        Z = X if Z is None else Z
        gram = np.asarray(self.function(X, Z))
        if gram.shape != (X.shape[0], Z.shape[0]):
            raise ValueError(
                f"the kernel function must return shape {(X.shape[0], Z.shape[0])} for "
                f"{X.shape[0]} and {Z.shape[0]} rows, got {gram.shape}."
            )
        if gram.dtype not in (np.float32, np.float64):
            gram = gram.astype(np.float64)
        if not np.isfinite(gram.sum(dtype=np.float64)):  # one pass, no mask
            raise ValueError("the kernel function must return finite numbers.")
        return gram


def read_kernel(kernel, who="kernel"):
    """The kernel of a value, a shorthand or a function; `who` names the parameter.

    Examples
    --------
    >>> from widemargin.kernels import read_kernel
    >>> read_kernel("rbf")
    Rbf(gamma='auto')
    """
    if callable(kernel) and not isinstance(kernel, Kernel):
        return Custom(kernel)
    return Kernel.read(kernel, who)
