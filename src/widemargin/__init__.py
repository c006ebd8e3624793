"""Semi-supervised max-margin and regularized-kernel learning for scikit-learn."""

from importlib import import_module
from typing import TYPE_CHECKING

from widemargin._version import __version__

if TYPE_CHECKING:  # type checkers do not call __getattr__
    from widemargin.estimators import FewLabelClassifier as FewLabelClassifier
    from widemargin.estimators import LabelSearchClassifier as LabelSearchClassifier
    from widemargin.estimators import LaplacianRLSC as LaplacianRLSC
    from widemargin.estimators import LaplacianSVC as LaplacianSVC
    from widemargin.estimators import LowDensityClassifier as LowDensityClassifier
    from widemargin.estimators import MaxMarginClustering as MaxMarginClustering
    from widemargin.estimators import SelfLabelingGPC as SelfLabelingGPC
    from widemargin.estimators import SelfLabelingSVC as SelfLabelingSVC
    from widemargin.estimators import SpectralClassifier as SpectralClassifier
    from widemargin.estimators import TransductiveSVC as TransductiveSVC
    from widemargin.estimators import TriClassSVC as TriClassSVC
    from widemargin.estimators import UniversumSVC as UniversumSVC
    from widemargin.estimators.spectral_classifier import suggest_rows as suggest_rows
    from widemargin.estimators.table_encoder import TableEncoder as TableEncoder
    from widemargin.model_files import ModelFileError as ModelFileError
    from widemargin.model_files import condense as condense
    from widemargin.model_files import file_size as file_size
    from widemargin.model_files import load as load
    from widemargin.model_files import save as save
    from widemargin.model_selection import SemiSupervisedSplit as SemiSupervisedSplit
    from widemargin.objectives.class_sizes import Balance as Balance
    from widemargin.solvers.evidence import LabelEvidence as LabelEvidence
    from widemargin.solvers.evidence import LeaveOneOutDensity as LeaveOneOutDensity
    from widemargin.solvers.evidence import MarginalLikelihood as MarginalLikelihood
    from widemargin.solvers.informative_vectors import (
        InformativeVectors as InformativeVectors,
    )
    from widemargin.solvers.relabeling import InSample as InSample
    from widemargin.solvers.relabeling import LeaveOneOut as LeaveOneOut
    from widemargin.solvers.self_labeling import Annealing as Annealing
    from widemargin.studio import label as label

# What is imported when it is first used, so that the command line starts at once.
_HOMES = {
    "Annealing": "widemargin.solvers.self_labeling",
    "Balance": "widemargin.objectives.class_sizes",
    "FewLabelClassifier": "widemargin.estimators",
    "InSample": "widemargin.solvers.relabeling",
    "InformativeVectors": "widemargin.solvers.informative_vectors",
    "LabelEvidence": "widemargin.solvers.evidence",
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
    "condense": "widemargin.model_files",
    "file_size": "widemargin.model_files",
    "label": "widemargin.studio",
    "load": "widemargin.model_files",
    "save": "widemargin.model_files",
    "suggest_rows": "widemargin.estimators.spectral_classifier",
}

_MODULES = (
    "blocks",
    "dask",
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
