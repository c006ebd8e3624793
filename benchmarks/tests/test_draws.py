import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.cluster import KMeans
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KNeighborsClassifier

from widemargin import LaplacianRLSC
from widemargin_bench.draws import (
    PartlyLabeled,
    Unlabeled,
    draw_labels,
    inferred_classes,
)
from widemargin_bench.methods import classifiers, clusterers


@pytest.fixture
def blobs(rng):
    y = np.repeat([0, 1, 2], 40)
    return 6.0 * np.eye(3)[y] + rng.normal(size=(120, 3)), y


@pytest.fixture
def cut(blobs):
    X, y = blobs
    return PartlyLabeled.cut(X, y, [0, 40, 80, 81], np.arange(1, 30), np.arange(90, 99))


def test_labeled_rows_come_first(blobs, cut):
    X, y = blobs
    assert_array_equal(cut.X[:4], X[[0, 40, 80, 81]])
    assert_array_equal(cut.y_partial[:4], [0, 1, 2, 2])
    assert_array_equal(cut.y_partial[4:], np.full(29, -1))
    assert_array_equal(cut.y[4:], y[1:30])
    assert_array_equal(cut.X_test, X[90:99])
    assert_array_equal(cut.labeled_part[0], X[[0, 40, 80, 81]])


def test_errors_are_those_of_the_model(cut):
    class Constant:
        def fit(self, X, y):
            self.seen = X, y
            return self

        def predict(self, X):
            return np.full(len(X), 2)

    model = Constant()
    found = cut.measure(model)
    assert found["unlabeled_error"] == 100.0  # all of class 0
    assert found["error"] == 0.0  # all of class 2
    assert found["fit_seconds"] >= 0
    assert len(model.seen[1]) == 33
    cut.measure(model, supervised=True)
    assert_array_equal(model.seen[1], [0, 1, 2, 2])
    model.transduction_ = np.zeros(33, dtype=int)
    assert cut.score(model) == {"unlabeled_error": 0.0, "error": 0.0}


def test_rows_left_open_are_predicted(cut):
    """As self-training leaves those that it is not sure of."""

    class Timid:
        transduction_ = np.where(np.arange(33) < 20, 0, -1)

        def predict(self, X):
            return np.full(len(X), 1)

    guess = inferred_classes(Timid(), cut.X, ~cut.labeled)
    assert_array_equal(guess, np.where(np.arange(4, 33) < 20, 0, 1))
    Timid.transduction_ = np.zeros(4)  # of a model that saw the labels alone
    assert_array_equal(inferred_classes(Timid(), cut.X, ~cut.labeled), np.ones(29))


def test_rows_of_no_class_do_not_count(blobs):
    X, y = blobs
    labeled, scored = np.arange(120) % 40 < 5, np.arange(120) % 40 == 20
    draw = PartlyLabeled(X, np.where(scored, y, 99), labeled, scored=scored)
    model = KNeighborsClassifier(1).fit(X[labeled], y[labeled])
    assert draw.score(model) == {"unlabeled_error": 0.0}


@pytest.mark.parametrize("n_labels", [3, 4, 10, 60])
def test_labels_hold_each_class(blobs, n_labels):
    _, y = blobs
    rows = np.arange(5, 115)
    for seed in range(5):
        chosen = draw_labels(y, rows, n_labels, np.random.default_rng(seed))
        assert len(set(chosen)) == n_labels
        assert set(chosen) <= set(rows)
        assert set(y[chosen]) == {0, 1, 2}
        again = draw_labels(y, rows, n_labels, np.random.default_rng(seed))
        assert_array_equal(again, chosen)


def test_clusters_are_compared_with_classes(blobs):
    draw = Unlabeled(*blobs, seed=1)
    assert draw.n_clusters == 3
    assert draw.agreement((draw.y + 1) % 3) == 1.0
    for model in (KMeans(3, random_state=0), GaussianMixture(3, random_state=0)):
        found = draw.measure(model)
        assert found["ari"] > 0.9
        assert found["fit_seconds"] > 0


@pytest.mark.parametrize("peer", classifiers(), ids=lambda peer: peer.name)
def test_peers_classify(cut, peer):
    found = peer.measure(cut, None)
    assert set(found) == {"error", "unlabeled_error", "fit_seconds"}
    assert found["unlabeled_error"] < 20
    assert peer.kind == "peer"


@pytest.mark.filterwarnings("ignore:Graph is not fully connected")
@pytest.mark.parametrize("peer", clusterers(), ids=lambda peer: peer.name)
def test_peers_cluster(blobs, peer):
    found = peer.measure(Unlabeled(*blobs), None)
    assert found["ari"] > 0.9


def test_some_peers_by_name():
    assert [peer.name for peer in classifiers("SVC")] == ["SVC"]
    with pytest.raises(KeyError):
        clusterers("SVC")


def test_our_models_see_all_rows(cut):
    model = LaplacianRLSC(random_state=0)
    cut.measure(model)
    assert len(model.transduction_) == 33
