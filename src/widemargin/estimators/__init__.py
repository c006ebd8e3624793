"""The scikit-learn face of the library."""

from widemargin.estimators.label_search_classifier import LabelSearchClassifier
from widemargin.estimators.laplacian_rlsc import LaplacianRLSC
from widemargin.estimators.laplacian_svc import LaplacianSVC
from widemargin.estimators.margin_clustering import MaxMarginClustering

__all__ = [
    "LabelSearchClassifier",
    "LaplacianRLSC",
    "LaplacianSVC",
    "MaxMarginClustering",
]
