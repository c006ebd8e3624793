"""Functions over the training rows, which every solver works in.

A space maps coordinates to scores of all rows and back, gives its part on some rows,
its scale, its centered and its graph-penalized version, the smoothers for given
weights, and the function that a fitted model keeps. `choose_space` takes the kind from
the number of rows, the kernel and the user's parameter.
"""

from widemargin.spaces.choose import choose_space
from widemargin.spaces.deformed import Deformed
from widemargin.spaces.features import FeatureSpace, linear_space, nystrom_space
from widemargin.spaces.function import Embedding, Function, FunctionSum
from widemargin.spaces.gram import GramRowSpace, GramSpace
from widemargin.spaces.posterior import Posterior, ProfiledSmoother, VarianceFunction
from widemargin.spaces.smoother import Smoother
from widemargin.spaces.spectrum import Spectrum, graph_spectrum, kernel_spectrum

__all__ = [
    "Deformed",
    "Embedding",
    "FeatureSpace",
    "Function",
    "FunctionSum",
    "GramRowSpace",
    "GramSpace",
    "Posterior",
    "ProfiledSmoother",
    "Smoother",
    "Spectrum",
    "VarianceFunction",
    "choose_space",
    "graph_spectrum",
    "kernel_spectrum",
    "linear_space",
    "nystrom_space",
]
