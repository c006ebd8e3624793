"""What a file that holds a `FewLabelClassifier` must fulfil."""

import dataclasses

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import SelfTrainingClassifier

from widemargin import FewLabelClassifier, LaplacianSVC, MaxMarginClustering
from widemargin.estimators._estimator import Estimator
from widemargin.estimators.interaction import Suspects
from widemargin.model_files import ModelFileError, load, save
from widemargin.model_files.files import to_bytes

pytestmark = pytest.mark.skipif(
    not issubclass(FewLabelClassifier, Estimator),
    reason="FewLabelClassifier does not declare its state yet",
)


@pytest.fixture
def mixture(two_classes):
    """A small mixture of a supervised model and another one."""
    return FewLabelClassifier(["laplacian"], random_state=0).fit(*two_classes)


def check_refused(model, path, message):
    """Neither saved nor, if written all the same, loaded."""
    with pytest.raises(ModelFileError, match=message):
        save(model, path)
    assert not path.exists()
    path.write_bytes(to_bytes(model))
    with pytest.raises(ModelFileError, match=message):
        load(path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("weights_", np.array([0.5, 0.25, 0.25])),
        ("weights_", np.array([0.5, 0.4])),
        ("weights_", np.array([1.5, -0.5])),
        ("weights_", np.array([np.nan, 1.0])),
        ("weights_", np.array([np.inf, 0.0])),
        ("weights_", np.array([1, 0])),
        ("weights_", [0.5, 0.5]),
        ("names_", ["supervised"]),
        ("names_", ["supervised", 1]),
        ("names_", ("supervised", "laplacian")),
        ("models_", []),
        ("classes_", np.zeros((2, 1))),
        ("classes_", np.array([0])),
        ("n_features_in_", 2.5),
        ("report_", "good"),
    ],
)
def test_mixtures_that_do_not_fit_are_refused(name, value, mixture, path):
    setattr(mixture, name, value)
    check_refused(mixture, path, f"{name} of FewLabelClassifier")


@pytest.mark.parametrize(
    "change",
    [
        {"error": "small"},
        {"n_labeled": 2.5},
        {"helps": 1},
        {"messages": "none"},
        {"messages": (1,)},
        {"label_next": np.zeros(2)},
        {"label_next": np.zeros((2, 2), dtype=int)},
        {"check_rows": np.zeros(2)},
        {"suspect_labels": ()},
        {"candidates": ()},
        {"candidates": ("a", "b")},
    ],
    ids=repr,
)
def test_reports_that_do_not_fit_are_refused(change, mixture, path):
    mixture.report_ = dataclasses.replace(mixture.report_, **change)
    check_refused(mixture, path, f"{next(iter(change))} of FewLabelReport")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rows", np.zeros(2)),
        ("rows", np.zeros(3, dtype=int)),
        ("probabilities", np.array([0.1, np.nan])),
        ("suggested", np.zeros((2, 2), dtype=int)),
    ],
)
def test_suspects_that_do_not_fit_are_refused(name, value, mixture, path):
    suspects = Suspects(np.arange(2), np.full(2, 0.1), np.arange(2))
    wrong = dataclasses.replace(suspects, **{name: value})
    mixture.report_ = dataclasses.replace(mixture.report_, suspect_labels=wrong)
    check_refused(mixture, path, f"{name} of Suspects")


@pytest.mark.parametrize("change", [{"name": 3}, {"weight": "all"}, {"n_rows": 0.5}])
def test_lines_of_reports_that_do_not_fit_are_refused(change, mixture, path):
    first, second = mixture.report_.candidates
    lines = first, dataclasses.replace(second, **change)
    mixture.report_ = dataclasses.replace(mixture.report_, candidates=lines)
    check_refused(mixture, path, f"{next(iter(change))} of CandidateReport")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_features_in_", 2),
        ("classes_", np.array([0, 2])),
        ("classes_", np.array([-1, 0])),
        ("classes_", np.array([1, 0])),
        ("classes_", np.array([0, 0])),
        ("classes_", np.array([0.0, 1.0])),
        ("classes_", np.array(["a", "b"])),
        ("function_", None),
    ],
)
@pytest.mark.parametrize("place", [0, 1])
def test_models_of_a_mixture_are_checked(name, value, place, mixture, path):
    setattr(mixture.models_[place], name, value)
    blamed = "points" if name == "n_features_in_" else name
    check_refused(mixture, path, f"{blamed} of")


def test_mixtures_of_mixtures_are_refused(mixture, two_classes, path):
    mixture.models_[1] = FewLabelClassifier(["laplacian"]).fit(*two_classes)
    check_refused(mixture, path, "models_ of FewLabelClassifier")


def test_a_clustering_in_a_mixture_is_refused(mixture, two_classes, path):
    clustering = MaxMarginClustering(2, search="steepest", random_state=0)
    mixture.models_[1] = clustering.fit(two_classes[0])
    check_refused(mixture, path, "models_ of FewLabelClassifier")


@pytest.mark.parametrize(
    ("own", "name"),
    [
        (SelfTrainingClassifier(LogisticRegression()), "SelfTrainingClassifier"),
        (make_pipeline(StandardScaler(), LaplacianSVC()), "Pipeline"),
    ],
    ids=["foreign", "pipeline"],
)
def test_candidates_of_others_are_named(own, name, two_classes, path):
    candidates = {"fine": LaplacianSVC(intrinsic_reg=0.01), "odd one": own}
    model = FewLabelClassifier(candidates).fit(*two_classes)
    with pytest.raises(ModelFileError, match=rf"{name} at .*odd one"):
        save(model, path)
    assert not path.exists()
