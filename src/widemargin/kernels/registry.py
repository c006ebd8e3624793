"""From what a user writes to a kernel."""

from widemargin.kernels.cosine import Cosine
from widemargin.kernels.custom import Custom
from widemargin.kernels.laplacian import Laplacian
from widemargin.kernels.linear import Linear
from widemargin.kernels.polynomial import Polynomial
from widemargin.kernels.precomputed import Precomputed
from widemargin.kernels.rbf import Rbf
from widemargin.kernels.width import select_gamma

# name -> function of (gamma, degree, coef0); gamma is a number
_BY_NAME = {
    "rbf": lambda gamma, degree, coef0: Rbf(gamma),
    "linear": lambda gamma, degree, coef0: Linear(),
    "poly": lambda gamma, degree, coef0: Polynomial(gamma, degree, coef0),
    "laplacian": lambda gamma, degree, coef0: Laplacian(gamma),
    "cosine": lambda gamma, degree, coef0: Cosine(),
    "precomputed": lambda gamma, degree, coef0: Precomputed(),
}
_USE_GAMMA = ("rbf", "poly", "laplacian")

KERNELS = tuple(_BY_NAME)


def make_kernel(kernel, X, rng, *, gamma="scale", degree=3, coef0=1.0):
    """The kernel named `kernel`, with its width taken from X where asked for.

    Parameters
    ----------
    kernel : str or callable
        One of `KERNELS`, or a function ``kernel(X, Z) -> (n_x, n_z)``.
    X : ndarray or CSR matrix
        Samples that a width "scale" or "median" is taken from.
    rng : numpy.random.Generator
        For the sample behind "median".
    gamma, degree, coef0
        Parameters of the formulas; see each kernel.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [2.0]])
    >>> make_kernel("rbf", X, np.random.default_rng(0), gamma="scale")
    Rbf(gamma=1.0)
    """
    if callable(kernel):
        return Custom(kernel)
    if kernel not in _BY_NAME:
        raise ValueError(
            f"kernel must be one of {', '.join(KERNELS)} or a function, got {kernel!r}."
        )
    width = select_gamma(gamma, X, rng) if kernel in _USE_GAMMA else None
    return _BY_NAME[kernel](width, degree, coef0)
