"""The scikit-learn face of the library.

`Classifier`, `Fit`, `read_parameter`, `Estimator` and `Method` are for authors of
estimators of their own.
"""

from widemargin.estimators._estimator import Classifier as Classifier
from widemargin.estimators._estimator import Estimator as Estimator
from widemargin.estimators._estimator import Fit as Fit
from widemargin.estimators._estimator import Method as Method
from widemargin.estimators._estimator import read_parameter as read_parameter
from widemargin.estimators.few_label_classifier import FewLabelClassifier
from widemargin.estimators.label_search_classifier import LabelSearchClassifier
from widemargin.estimators.laplacian_rlsc import LaplacianRLSC
from widemargin.estimators.laplacian_svc import LaplacianSVC
from widemargin.estimators.low_density_classifier import LowDensityClassifier
from widemargin.estimators.margin_clustering import MaxMarginClustering
from widemargin.estimators.self_labeling_gpc import SelfLabelingGPC
from widemargin.estimators.self_labeling_svc import SelfLabelingSVC
from widemargin.estimators.spectral_classifier import SpectralClassifier
from widemargin.estimators.transductive_svc import TransductiveSVC
from widemargin.estimators.tri_class_svc import TriClassSVC
from widemargin.estimators.universum_svc import UniversumSVC

__all__ = [
    "FewLabelClassifier",
    "LabelSearchClassifier",
    "LaplacianRLSC",
    "LaplacianSVC",
    "LowDensityClassifier",
    "MaxMarginClustering",
    "SelfLabelingGPC",
    "SelfLabelingSVC",
    "SpectralClassifier",
    "TransductiveSVC",
    "TriClassSVC",
    "UniversumSVC",
]
