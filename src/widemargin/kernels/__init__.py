"""Similarities between samples: frozen values with a formula."""

from widemargin.kernels.base import Kernel, scores_in_blocks
from widemargin.kernels.custom import Custom, read_kernel
from widemargin.kernels.laplacian import Laplacian
from widemargin.kernels.linear import Cosine, Linear
from widemargin.kernels.nystrom import Landmarks, Nystrom, NystromMap, choose_landmarks
from widemargin.kernels.polynomial import Polynomial
from widemargin.kernels.precomputed import Precomputed
from widemargin.kernels.rbf import ArdRbf, Rbf
from widemargin.kernels.width import select_gamma

__all__ = [
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
