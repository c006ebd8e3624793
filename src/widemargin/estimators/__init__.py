"""The scikit-learn face of the library."""

from widemargin.estimators.laplacian_rlsc import LaplacianRLSC
from widemargin.estimators.laplacian_svc import LaplacianSVC

__all__ = ["LaplacianRLSC", "LaplacianSVC"]
