"""The types that a model file may hold; everything else is refused by name."""

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import (
    CountVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
)

from widemargin import estimators, kernels
from widemargin.estimators._path_average import PathAverage
from widemargin.estimators.few_label_report import CandidateReport, FewLabelReport
from widemargin.model_files.sparse_rows import SparseRows
from widemargin.model_files.terms import Terms
from widemargin.solvers.graph_average import GraphAverage
from widemargin.solvers.result import SolveResult
from widemargin.spaces.posterior import DenseExplanation, LowRankExplanation, Posterior


def qualified(cls):
    """Module and name of a class, as a model file writes them."""
    return f"{cls.__module__}.{cls.__name__}"


def _by_name(classes):
    return {qualified(cls): cls for cls in classes}


MACHINES = _by_name(getattr(estimators, name) for name in estimators.__all__)

# Those that a FewLabelClassifier may weigh; not another one of its kind.
CANDIDATES = {
    name: cls
    for name, cls in MACHINES.items()
    if cls not in (estimators.FewLabelClassifier, estimators.MaxMarginClustering)
}

PREPARERS = _by_name(
    [
        ColumnTransformer,
        CountVectorizer,
        MaxAbsScaler,
        MinMaxScaler,
        MissingIndicator,
        Normalizer,
        OneHotEncoder,
        OrdinalEncoder,
        PCA,
        Pipeline,
        RobustScaler,
        SimpleImputer,
        StandardScaler,
        TfidfTransformer,
        TfidfVectorizer,
        TruncatedSVD,
    ]
)

# A kernel that calls a user's function, and one that keeps all samples, are not here.
KERNELS = _by_name(
    [
        kernels.ArdRbf,
        kernels.Cosine,
        kernels.Laplacian,
        kernels.Linear,
        kernels.Polynomial,
        kernels.Precomputed,
        kernels.Rbf,
    ]
)

VALUES = KERNELS | _by_name(
    [
        CandidateReport,
        DenseExplanation,
        FewLabelReport,
        GraphAverage,
        LowRankExplanation,
        PathAverage,
        Posterior,
        SolveResult,
        SparseRows,
        Terms,
    ]
)

OBJECTS = MACHINES | PREPARERS | VALUES

SCALARS = _by_name(
    np.dtype(code).type
    for code in ("?", *"bhilq", *"BHILQ", "e", "f", "d", "U")  # no long doubles
)

KEYS = _by_name([str, int, float]) | {
    name: cls for name, cls in SCALARS.items() if cls is not np.bool_
}

TYPES = KEYS | SCALARS | _by_name([bool])  # that a parameter such as dtype may name

# What skops is told to build, all of which was checked before.
TRUSTED = sorted({*OBJECTS, *TYPES, "numpy.dtype", "numpy.ndarray"})
