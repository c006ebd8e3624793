"""Semi-supervised max-margin and regularized-kernel learning for scikit-learn."""

from importlib import import_module

from widemargin._version import __version__

# What is imported when it is first used, so that the command line starts at once.
_HOMES = {
    "Annealing": "widemargin.solvers.self_labeling",
    "Balance": "widemargin.objectives.class_sizes",
    "FewLabelClassifier": "widemargin.estimators",
    "InSample": "widemargin.solvers.relabeling",
    "InformativeVectors": "widemargin.solvers.informative_vectors",
    "LabelSearchClassifier": "widemargin.estimators",
    "LaplacianRLSC": "widemargin.estimators",
    "LaplacianSVC": "widemargin.estimators",
    "LeaveOneOut": "widemargin.solvers.relabeling",
    "LeaveOneOutDensity": "widemargin.solvers.evidence",
    "LowDensityClassifier": "widemargin.estimators",
    "MarginalLikelihood": "widemargin.solvers.evidence",
    "MaxMarginClustering": "widemargin.estimators",
    "ModelFileError": "widemargin.model_files",
    "SelfLabelingGPC": "widemargin.estimators",
    "SelfLabelingSVC": "widemargin.estimators",
    "SemiSupervisedSplit": "widemargin.model_selection",
    "SpectralClassifier": "widemargin.estimators",
    "TableEncoder": "widemargin.estimators.table_encoder",
    "TransductiveSVC": "widemargin.estimators",
    "TriClassSVC": "widemargin.estimators",
    "UniversumSVC": "widemargin.estimators",
    "label": "widemargin.studio",
    "load": "widemargin.model_files",
    "save": "widemargin.model_files",
    "suggest_rows": "widemargin.estimators.spectral_classifier",
}

_MODULES = (
    "datasets",
    "estimators",
    "graphs",
    "kernels",
    "labels",
    "model_files",
    "model_selection",
    "parameters",
    "plots",
)

__all__ = [*_HOMES, "__version__"]


def __getattr__(name):
    if name in _MODULES:
        return import_module(f"widemargin.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__, *_MODULES})
