"""Semi-supervised max-margin and regularized-kernel learning for scikit-learn."""

from widemargin._version import __version__
from widemargin.estimators import LaplacianRLSC, LaplacianSVC
from widemargin.model_selection import SemiSupervisedSplit

__all__ = ["LaplacianRLSC", "LaplacianSVC", "SemiSupervisedSplit", "__version__"]
