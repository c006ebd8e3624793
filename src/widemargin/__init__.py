"""Semi-supervised max-margin and regularized-kernel learning for scikit-learn."""

from widemargin._version import __version__
from widemargin.estimators import (
    LabelSearchClassifier,
    LaplacianRLSC,
    LaplacianSVC,
    MaxMarginClustering,
    SelfLabelingGPC,
    SelfLabelingSVC,
    TransductiveSVC,
    TriClassSVC,
    UniversumSVC,
)
from widemargin.model_files import ModelFileError, load, save
from widemargin.model_selection import SemiSupervisedSplit

__all__ = [
    "LabelSearchClassifier",
    "LaplacianRLSC",
    "LaplacianSVC",
    "MaxMarginClustering",
    "ModelFileError",
    "SelfLabelingGPC",
    "SelfLabelingSVC",
    "SemiSupervisedSplit",
    "TransductiveSVC",
    "TriClassSVC",
    "UniversumSVC",
    "__version__",
    "load",
    "save",
]
