"""Similarities between samples: frozen values with a formula."""

from widemargin.kernels.ard import ArdRbf
from widemargin.kernels.base import Kernel, scores_in_blocks
from widemargin.kernels.cosine import Cosine
from widemargin.kernels.custom import Custom, read_kernel
from widemargin.kernels.laplacian import Laplacian
from widemargin.kernels.linear import Linear
from widemargin.kernels.nystrom import Landmarks, Nystrom, NystromMap, choose_landmarks
from widemargin.kernels.polynomial import Polynomial
from widemargin.kernels.precomputed import Precomputed
from widemargin.kernels.rbf import Rbf
from widemargin.kernels.width import select_gamma

KERNELS = Kernel.shorthands()

__all__ = [
    "KERNELS",
    "ArdRbf",
    "Cosine",
    "Custom",
    "Kernel",
    "Landmarks",
    "Laplacian",
    "Linear",
    "Nystrom",
    "NystromMap",
    "Polynomial",
    "Precomputed",
    "Rbf",
    "choose_landmarks",
    "read_kernel",
    "scores_in_blocks",
    "select_gamma",
]
