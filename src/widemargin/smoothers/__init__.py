"""Labels to fitted values: the linear map f = R y of regularized least squares."""

from widemargin.smoothers.base import Smoother
from widemargin.smoothers.dense import DenseSmoother
from widemargin.smoothers.graph import GraphPenalty, GraphSmoother
from widemargin.smoothers.low_rank import LowRankSmoother
from widemargin.smoothers.spaces import FeatureSpace, KernelSpace, SharedPaths
from widemargin.smoothers.spectral import SpectralPath

__all__ = [
    "DenseSmoother",
    "FeatureSpace",
    "GraphPenalty",
    "GraphSmoother",
    "KernelSpace",
    "LowRankSmoother",
    "SharedPaths",
    "Smoother",
    "SpectralPath",
]
