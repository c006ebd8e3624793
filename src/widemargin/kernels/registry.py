"""From what a user writes to a kernel."""

from widemargin.kernels.base import Kernel
from widemargin.kernels.custom import Custom


def read_kernel(kernel, who="kernel"):
    """The kernel that is meant by a value, a shorthand or a function.

    Parameters
    ----------
    kernel : Kernel, str or callable
        A value such as ``Rbf(0.5)``, the shorthand of one, or a function
        ``kernel(X, Z) -> (n_x, n_z)``.
    who : str
        The parameter, for the message.

    Examples
    --------
    >>> read_kernel("rbf")
    Rbf(gamma='auto')
    """
    if callable(kernel) and not isinstance(kernel, Kernel):
        return Custom(kernel)
    return Kernel.read(kernel, who)
