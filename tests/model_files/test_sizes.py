"""How large a file will be, and models without the training rows of their graph."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.tree import DecisionTreeClassifier

from widemargin import (
    FewLabelClassifier,
    LaplacianSVC,
    SpectralClassifier,
    condense,
    file_size,
    load,
    save,
)
from widemargin.datasets import hide_labels
from widemargin.graphs.cells import cell_means
from widemargin.model_files.parts import stored_rows


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X, y, hide_labels(y, 30, rng=0)


@pytest.fixture(scope="module")
def model(digits):
    X, _, partial = digits
    return SpectralClassifier(random_state=0).fit(X, partial)


@pytest.fixture(scope="module")
def front(digits):
    X, _, partial = digits
    return FewLabelClassifier(random_state=0).fit(X, partial)


def test_the_size_of_a_file_is_known_before(model, front, digits, tmp_path):
    X, _, partial = digits
    kernel = make_pipeline(StandardScaler(), LaplacianSVC()).fit(X, partial)
    for one in (model, front, kernel):
        save(one, tmp_path / "model.wm")
        n_bytes = (tmp_path / "model.wm").stat().st_size
        assert file_size(one) == pytest.approx(n_bytes, rel=0.02, abs=1000)


def test_a_condensed_model_holds_no_rows_of_the_graph(model, digits, tmp_path):
    X, y, _ = digits
    small = condense(model, 150)
    kept = next(p for p in small.function_.parts if hasattr(p, "are_means"))
    assert kept.are_means
    assert kept.n_points <= 150
    same = (kept.points[:, None] == X[None, ::20]).all(axis=2)
    assert not same.any()
    assert small.score(X, y) > model.score(X, y) - 0.03
    assert file_size(small) < 0.5 * file_size(model)
    save(small, tmp_path / "small.wm")
    again = load(tmp_path / "small.wm")
    assert_array_equal(again.decision_function(X), small.decision_function(X))
    n_rows = sum(len(rows) for rows in stored_rows(small))
    assert n_rows < len(X)  # labels and landmarks
    # The model itself is as before, and the copy says what it cannot do.
    assert model.function_.n_points == 1797
    with pytest.raises(ValueError, match="call fit"):
        small.suggest(3)


def test_all_parts_of_a_model_are_condensed(front, digits):
    X, y, partial = digits
    small = condense(front, 150)
    assert max(m.function_.n_points for m in small.models_) < 1797
    assert small.score(X, y) > front.score(X, y) - 0.03
    steps = make_pipeline(StandardScaler(), clone(front)).fit(X, partial)
    small = condense(steps, 150)
    assert file_size(small) < file_size(steps)
    assert np.mean(small.predict(X) == steps.predict(X)) > 0.95


def test_models_among_steps_and_candidates_are_condensed(digits):
    """Whatever estimator holds them; those of scikit-learn stay as they are."""
    X, _, partial = digits
    steps = make_pipeline(StandardScaler(), SpectralClassifier(random_state=0))
    tree = SelfTrainingClassifier(DecisionTreeClassifier(random_state=0))
    candidates = {"steps": steps, "tree": tree}
    model = FewLabelClassifier(candidates, random_state=0).fit(X, partial)
    small = condense(model, 150)
    before, after = (
        next(p for p in one.models_[1][-1].function_.parts if hasattr(p, "are_means"))
        for one in (model, small)
    )
    assert (before.are_means, before.n_points) == (False, 1000)
    assert after.are_means
    assert after.n_points <= 150
    assert isinstance(small.models_[2], SelfTrainingClassifier)
    assert np.mean(small.predict(X) == model.predict(X)) > 0.9


def test_what_has_no_rows_of_a_graph_stays(digits):
    X, _, partial = digits
    exact = LaplacianSVC().fit(X[:600], partial[:600])
    assert_array_equal(condense(exact).decision_function(X), exact.decision_function(X))
    few = SpectralClassifier(random_state=0).fit(X[:15], np.r_[0, 1, [-1] * 13])
    assert_allclose(condense(few).decision_function(X), few.decision_function(X))


def test_cells_have_means_of_at_least_five_rows(rng):
    X = np.vstack([rng.normal(size=(300, 3)), 50.0 + np.zeros((1, 3))])
    cells, means = cell_means(X, 40, 5)
    counts = np.bincount(cells)
    assert counts.min() >= 5
    assert len(counts) == len(means) <= 30
    for cell in range(len(means)):
        assert_allclose(means[cell], X[cells == cell].mean(axis=0))
    assert cell_means(X[:15], 40, 5) is None


def test_what_cannot_be_condensed_is_refused(model, digits):
    X, _, partial = digits
    with pytest.raises(ValueError, match="n_points of condense must be"):
        condense(model, 0)
    rows = SpectralClassifier(random_state=0).fit(sparse.csr_matrix(X), partial)
    with pytest.raises(ValueError, match="sparse rows cannot be condensed"):
        condense(rows)
