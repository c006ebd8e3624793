"""Declarations of estimators that do not derive from `Estimator` yet.

Temporary: as an estimator moves onto the new core it makes these declarations itself,
and its entry here goes. The last one takes the file, and its import, with it.
"""

from widemargin.estimators import (
    FewLabelClassifier,
    LabelSearchClassifier,
    LaplacianRLSC,
    LaplacianSVC,
    MaxMarginClustering,
    RidgeAverageClassifier,
    SelfLabelingGPC,
    SelfLabelingSVC,
    TransductiveSVC,
    TriClassSVC,
    UniversumSVC,
)
from widemargin.estimators._estimator import Estimator, Method
from widemargin.graphs import KnnGraph

_CHANGES = {"criterion": "share of decisions\nthat changed"}
_SEARCH = {"objective": "lowest objective"}
_HINGE = {"objective": "objective", **_CHANGES}


def _declare(cls, *methods, **attributes):
    """Set what the class does not declare itself."""
    has_moved = issubclass(cls, Estimator)
    for name, value in {"methods": methods, **attributes}.items():
        if has_moved and (isinstance(value, property) or name in cls.__dict__):
            continue
        setattr(cls, name, value)


def _laplacian_names(model):
    names = dict(Estimator.history_names)
    if model.solver_ == "newton":
        names["criterion"] = "labels that switched"
    if model.solver_ == "pcg":
        names["criterion"] = "relative gradient norm"
    if model.early_stopping == "validation":
        names["decision_change"] = "share of held-out labels\nnewly right"
    return names


def _graph(model):
    return KnnGraph(model.n_neighbors, model.graph_weights)


_LAPLACIAN = {"history_names": property(_laplacian_names), "graph": property(_graph)}
_PATH = {
    "averaged": "unlabeled_weights_",
    "unlabeled_weights_": property(lambda model: model.average_.unlabeled_weights),
}

_declare(
    FewLabelClassifier,
    Method(
        "auto",
        "weights the others by held-out labels; start here",
        needs_unlabeled=False,
        n_folds=0,
    ),
    averaged="names_",
)
_declare(
    LaplacianSVC,
    Method("laplacian", "decisions that are smooth along the neighbor graph"),
    **_LAPLACIAN,
)
_declare(
    LaplacianRLSC,
    Method("laplacian-rls", "the same with the squared loss"),
    **_LAPLACIAN,
)
_declare(
    LabelSearchClassifier,
    Method("label-search", "searches the missing labels; for classes with gaps"),
    history_names=_SEARCH,
    step_name="start",
    graph=property(_graph),
    **_PATH,
)
_declare(
    MaxMarginClustering,
    Method("margin", "clusters with the widest margin between them", task="cluster"),
    history_names=_SEARCH,
    step_name="start",
    graph=property(_graph),
)
_declare(
    TransductiveSVC,
    Method("transductive", "boundary in a low-density region; for many features"),
    Method(
        "svm",
        "labeled rows only, by a support vector classifier",
        needs_unlabeled=False,
        parameters=(("unlabeled_weight", 0.0),),
    ),
    history_names=_HINGE,
    **_PATH,
)
_declare(
    TriClassSVC,
    Method("tri-class", "for unlabeled rows of which some belong to no class"),
    history_names=_HINGE,
    **_PATH,
)
_declare(UniversumSVC, history_names=_HINGE)
_declare(
    SelfLabelingGPC,
    Method("self-labeling", "Gaussian process with uncertainty estimates"),
    history_names=_CHANGES,
)
_declare(
    SelfLabelingSVC,
    Method("self-labeling-svm", "the same with support vectors"),
    history_names=_CHANGES,
)
_declare(
    RidgeAverageClassifier,
    Method(
        "supervised",
        "labeled rows only, by an average of kernel ridge models",
        needs_unlabeled=False,
    ),
)
