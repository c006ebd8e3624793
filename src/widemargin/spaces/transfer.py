"""Transfer functions: from the eigenvalues of a spectrum to a prior covariance.

A transfer function is a frozen value whose call maps eigenvalues, (m,), to variances,
(m,), which are not negative. A new one needs nothing but its formula.
"""

from dataclasses import dataclass

import numpy as np

from widemargin.checks import check_number
from widemargin.values import Value


class Transfer(Value):
    """Variance of each eigenvector under the prior; a family of values."""


@dataclass(frozen=True)
class Resolvent(Transfer, shorthand="resolvent"):
    r"""The variance :math:`(\epsilon / (\epsilon + \lambda))^p`, for a graph.

    Attributes
    ----------
    epsilon : float
        Eigenvalue at which smoothness begins to count.
    power : float
        How steeply it counts.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.spaces.transfer import Resolvent
    >>> Resolvent(epsilon=0.1, power=2)(np.array([0.0, 0.1]))
    array([1.  , 0.25])
    """

    epsilon: float = 0.1
    power: float = 1.0

    def __post_init__(self):
        """Raise unless both are positive."""
        check_number(self, "epsilon", low=0, strict=True)
        check_number(self, "power", low=0, strict=True)

    def __call__(self, values):
        """Variances for eigenvalues of a graph Laplacian."""
        return (self.epsilon / (self.epsilon + np.maximum(values, 0.0))) ** self.power


@dataclass(frozen=True)
class Power(Transfer, shorthand="power"):
    r"""The variance :math:`(\mu / \mu_1)^q`, for a kernel.

    Attributes
    ----------
    power : float
        With 1 the kernel itself; larger ones rely on its leading directions.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.spaces.transfer import Power
    >>> Power(2)(np.array([4.0, 2.0]))
    array([1.  , 0.25])
    """

    power: float = 1.0

    def __post_init__(self):
        """Raise unless the power is positive."""
        check_number(self, "power", low=0, strict=True)

    def __call__(self, values):
        """Variances for eigenvalues of a kernel matrix."""
        values = np.maximum(values, 0.0)
        return (values / max(values.max(initial=0.0), 1e-300)) ** self.power
