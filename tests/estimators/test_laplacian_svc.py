import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from widemargin import LaplacianRLSC, LaplacianSVC, load, save
from widemargin.datasets import hide_labels, make_two_moons
from widemargin.defaults import LAPLACIAN_LADDER
from widemargin.graphs import KnnGraph, graph_laplacian, knn_adjacency
from widemargin.kernels import Nystrom, Polynomial, Rbf
from widemargin.objectives.losses import SquaredHinge
from widemargin.rows import Rows
from widemargin.solvers.laplacian import Dual, Newton, Pcg
from widemargin.solvers.result import Status
from widemargin.spaces import Deformed, GramSpace, choose_space
from widemargin.spaces.choose import check_gram_memory
from widemargin.spaces.function import NeighborFunction


@pytest.fixture
def moons():
    """Two moons of 200 samples, four labels each."""
    X, y = make_two_moons(200, noise=0.06, random_state=0)
    return X, y, hide_labels(y, 8, rng=1)


@pytest.fixture
def iris():
    """Three classes, 30 of 150 samples labeled; jitter, so that no distances tie."""
    X, y = load_iris(return_X_y=True)
    X = X + 0.02 * np.random.default_rng(0).standard_normal(X.shape)
    return X, y, hide_labels(y, 30, rng=0)


@pytest.fixture(scope="module")
def digits():
    """Ten classes, 600 samples, 30 labels."""
    X, y = load_digits(return_X_y=True)
    X, y = X[:600] / 16.0, y[:600]
    return X, y, hide_labels(y, 30, rng=0)


def error(model, X, y, y_partial):
    unlabeled = y_partial == -1
    return np.mean(model.predict(X[unlabeled]) != y[unlabeled])


# What it learns


def test_graph_finds_the_moons_where_the_labels_alone_do_not(moons):
    X, y, y_partial = moons
    labeled = y_partial != -1
    svc = SVC(C=10).fit(X[labeled], y[labeled])
    model = LaplacianSVC(kernel=Rbf(4.0), intrinsic_reg=0.05, graph=KnnGraph(power=1))
    model.fit(X, y_partial)
    assert error(model, X, y, y_partial) < 0.02 < 0.1 < error(svc, X, y, y_partial)


@pytest.mark.parametrize("method", [LaplacianSVC, LaplacianRLSC])
def test_defaults_find_two_moons_from_two_labels_each(method):
    """The graph is a pair of curves, for which power 1 is right."""
    errors = []
    for seed in range(6):
        X, y = make_two_moons(300, noise=0.05, random_state=seed)
        y_partial = hide_labels(y, 4, rng=seed)
        model = method().fit(X, y_partial)
        errors.append(error(model, X, y, y_partial))
        assert model.powers_ == (0, 1, 1)
    assert np.mean(errors) < 0.02


def test_powers_are_averaged_in_order_and_given_ones_are_kept(digits):
    X, _, y_partial = digits
    graph = KnnGraph(power=(4, 1))  # far apart: every dimension between needs both
    prior = graph.power_prior(graph.adjacency(X), "auto")
    model = LaplacianSVC(graph=graph).fit(X, y_partial)
    assert list(prior) == [1, 4]
    assert model.shares_ == (0.0, 0.75, 0.75, 1.0, 1.0)
    assert model.powers_ == (0, 1, 4, 1, 4)
    fixed = LaplacianSVC().set_params(graph__power=3).fit(X, y_partial)
    assert fixed.powers_ == (0, 3, 3)
    assert len(LaplacianSVC(solver="pcg").fit(X, y_partial).powers_) == 2
    one = LaplacianSVC(intrinsic_reg=0.05).fit(X, y_partial)
    assert len(one.powers_) == 1


def test_several_powers_survive_cloning_and_saving(moons, tmp_path):
    X, _, y_partial = moons
    model = clone(LaplacianSVC(graph=KnnGraph(power=(1, 2)))).fit(X, y_partial)
    assert model.get_params()["graph__power"] == (1, 2)
    save(model, tmp_path / "model.wm")
    loaded = load(tmp_path / "model.wm")
    assert loaded.graph == model.graph
    assert loaded.powers_ == model.powers_
    assert_array_equal(loaded.decision_function(X), model.decision_function(X))


def test_defaults_at_least_halve_the_error_of_an_svc_on_digits(digits):
    X, y, y_partial = digits
    labeled = y_partial != -1
    svc = SVC(C=10).fit(X[labeled], y[labeled])
    model = LaplacianSVC().fit(X, y_partial)
    assert error(model, X, y, y_partial) < 0.5 * error(svc, X, y, y_partial)
    assert model.average_.weights @ model.shares_ > 0.5


def test_labels_take_trust_away_from_a_misleading_graph(rng):
    """Neighbors that have nothing to do with the samples."""
    X = rng.standard_normal((400, 2))
    y = (X[:, 0] > 0).astype(int)
    adjacency = knn_adjacency(rng.standard_normal((400, 2)))  # of other points
    model = LaplacianSVC().fit(X, hide_labels(y, 40, rng=0), adjacency=adjacency)
    weights = model.average_.weights
    assert weights[0] == weights.max()
    assert weights[-1] < 0.1


@pytest.mark.parametrize("solver", ["newton", "pcg", "dual"])
@pytest.mark.parametrize("landmarks", [None, 100])
def test_all_solvers_learn_the_digits(digits, solver, landmarks):
    X, y, y_partial = digits
    model = LaplacianSVC(solver=solver, landmarks=landmarks, random_state=0)
    model.fit(X, y_partial)
    labeled = y_partial != -1
    svc = SVC(C=10).fit(X[labeled], y[labeled])
    assert error(model, X, y, y_partial) < error(svc, X, y, y_partial)
    assert model.solver_ == LaplacianSVC.value_families["solver"].read(solver, "")


# Special cases


def test_without_a_graph_it_is_a_supervised_model(iris):
    """Unlabeled rows change nothing once the kernel's width is given."""
    X, _, y_partial = iris
    labeled = y_partial != -1
    model = LaplacianSVC(kernel=Rbf(0.5), intrinsic_reg=0.0)
    both = clone(model).fit(X, y_partial).decision_function(X)
    alone = clone(model).fit(X[labeled], y_partial[labeled]).decision_function(X)
    assert_allclose(both, alone, atol=1e-10)


def test_least_squares_without_a_graph_is_kernel_ridge(iris):
    X, _, y_partial = iris
    labeled = np.isin(y_partial, [0, 1])
    n_labeled = labeled.sum()
    model = LaplacianRLSC(
        kernel=Rbf(0.5), ambient_reg=0.02, intrinsic_reg=0.0, fit_intercept=False
    )
    model.fit(X[labeled], y_partial[labeled])
    ridge = KernelRidge(alpha=0.02 * n_labeled, kernel="rbf", gamma=0.5)
    ridge.fit(X[labeled], 2.0 * y_partial[labeled] - 1.0)
    assert_allclose(model.decision_function(X), ridge.predict(X), atol=1e-8)


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.slow
def test_dual_is_scikit_learns_svc_on_the_deformed_kernel(moons, power):
    """With an intercept that a plain Laplacian does not see, as LIBSVM has it."""
    X, _, y_partial = moons
    labeled = y_partial != -1
    ambient, intrinsic = 0.01, 0.03
    model = LaplacianSVC(
        kernel=Rbf(2.0),
        graph=KnnGraph(power=power, normalized=False),
        ambient_reg=ambient,
        intrinsic_reg=intrinsic,
        solver=Dual(tol=1e-10),
        fit_intercept=True,
    ).fit(X, y_partial)
    laplacian = graph_laplacian(
        knn_adjacency(X, 8, "self-tuned"), normalized=False, power=power
    )
    kernel = Deformed(Rbf(2.0), X, laplacian, ratio=intrinsic / ambient)
    # mean hinge + ambient |f|^2 is a sum of hinges + |f|^2 / 2C with this C
    C = 1 / (2 * ambient * labeled.sum())
    svc = SVC(kernel=kernel, C=C, tol=1e-10).fit(X[labeled], y_partial[labeled])
    rng = np.random.default_rng(0)
    new = X + 0.1 * rng.standard_normal(X.shape)
    assert_allclose(model.decision_function(new), svc.decision_function(new), atol=1e-5)


def test_all_rows_as_landmarks_are_the_exact_model(digits):
    X, _, y_partial = digits
    options = {"graph": KnnGraph(power=2), "kernel": Rbf(0.3)}
    exact = LaplacianSVC(**options).fit(X, y_partial)
    nystrom = LaplacianSVC(landmarks=len(X), **options).fit(X, y_partial)
    assert_allclose(nystrom.decision_function(X), exact.decision_function(X), atol=1e-4)
    assert_array_equal(nystrom.transduction_, exact.transduction_)


def test_precomputed_kernel_and_own_graph_are_the_same_model(moons):
    X, _, y_partial = moons
    new = X[:50] + 0.05
    direct = LaplacianSVC(kernel=Rbf(2.0)).fit(X, y_partial)
    given = LaplacianSVC(kernel="precomputed")
    given.fit(
        rbf_kernel(X, gamma=2.0),
        y_partial,
        adjacency=knn_adjacency(X, 8, "self-tuned"),
    )
    assert_allclose(
        given.decision_function(rbf_kernel(new, X, gamma=2.0)),
        direct.decision_function(new),
        atol=1e-6,
    )


def test_precomputed_kernel_finds_neighbors_by_itself(moons):
    """Distances in the feature space of a Gaussian kernel rank as those of X."""
    X, y, y_partial = moons
    gram = rbf_kernel(X, gamma=4.0)
    model = LaplacianSVC(
        kernel="precomputed", intrinsic_reg=0.05, graph=KnnGraph(power=1)
    )
    model.fit(gram, y_partial)
    assert error(model, gram, y, y_partial) < 0.02


# Invariances


@pytest.mark.parametrize("options", [{}, {"landmarks": 40}, {"solver": "pcg"}])
def test_order_of_rows_does_not_matter(iris, rng, options):
    """Not even for the choice of landmarks and of rows to hold out labels on."""
    X, _, y_partial = iris
    order = rng.permutation(len(X))
    model = LaplacianSVC(random_state=0, **options)
    one = clone(model).fit(X, y_partial)
    other = clone(model).fit(X[order], y_partial[order])
    assert_allclose(one.decision_function(X), other.decision_function(X), atol=1e-6)
    assert_array_equal(one.transduction_[order], other.transduction_)


@pytest.mark.parametrize("names", [["a", "b", "c"], [10, 20, 30], [0.0, 1.0, 2.0]])
def test_names_of_classes_do_not_matter(iris, names):
    X, _, y_partial = iris
    renamed = np.array(names, dtype=object)[y_partial]
    renamed[y_partial == -1] = None
    model = LaplacianSVC().fit(X, renamed)
    plain = LaplacianSVC().fit(X, y_partial)
    assert model.classes_.tolist() == names
    assert_array_equal(model.predict(X), np.array(names)[plain.predict(X)])
    assert type(model.predict(X[:1])[0]) is type(model.classes_[0])


@pytest.mark.slow
def test_units_do_not_matter(iris):
    """Neither of the features nor, for a linear kernel, of the kernel."""
    X, _, y_partial = iris
    for kernel in ("rbf", "linear"):
        one = LaplacianSVC(kernel=kernel).fit(X, y_partial)
        other = LaplacianSVC(kernel=kernel).fit(1000 * X, y_partial)
        assert_allclose(
            one.decision_function(X), other.decision_function(1000 * X), rtol=1e-5
        )


def test_copies_are_weights(iris):
    X, _, y_partial = iris
    times = np.where(np.arange(len(X)) % 3 == 0, 3, 1)
    weighted = LaplacianSVC().fit(X, y_partial, sample_weight=times)
    repeated = LaplacianSVC().fit(np.repeat(X, times, axis=0), y_partial.repeat(times))
    assert_allclose(
        weighted.decision_function(X), repeated.decision_function(X), atol=1e-8
    )
    assert_array_equal(repeated.transduction_, weighted.transduction_.repeat(times))


def test_many_copies_of_each_row_do_not_tear_the_graph(moons):
    """Twenty copies: the nearest neighbors of a row would all be itself."""
    X, _, y_partial = moons
    model = LaplacianSVC(kernel=Rbf(2.0))
    once = clone(model).fit(X, y_partial)
    often = clone(model).fit(np.repeat(X, 20, axis=0), y_partial.repeat(20))
    assert_allclose(once.decision_function(X), often.decision_function(X), atol=1e-8)


def test_a_row_with_two_labels_is_allowed(iris):
    X, _, y_partial = iris
    X = np.vstack([X, X[:1], X[:1]])
    y = np.append(y_partial, [1, 2])
    model = LaplacianSVC().fit(X, y)
    assert len(model.transduction_) == len(X)
    assert_array_equal(model.transduction_[-2:], [1, 2])


def test_weight_zero_is_absence(iris):
    X, _, y_partial = iris
    weights = np.ones(len(X))
    weights[::4] = 0
    model = LaplacianSVC().fit(X, y_partial, sample_weight=weights)
    without = LaplacianSVC().fit(X[weights > 0], y_partial[weights > 0])
    assert_allclose(model.decision_function(X), without.decision_function(X))
    assert_array_equal(model.transduction_[weights > 0], without.transduction_)
    assert_array_equal(model.transduction_[::4], model.predict(X[::4]))


def test_refit_is_the_same(digits):
    X, _, y_partial = digits
    model = LaplacianSVC(landmarks=80, random_state=3)
    first = model.fit(X, y_partial).decision_function(X)
    assert_array_equal(model.fit(X, y_partial).decision_function(X), first)


# Types of input


@pytest.mark.parametrize("solver", ["newton", "pcg"])
def test_single_precision_is_kept(digits, solver):
    X, _, y_partial = digits
    double = LaplacianSVC(solver=solver).fit(X, y_partial)
    single = LaplacianSVC(solver=solver).fit(X.astype(np.float32), y_partial)
    assert single.function_.points.dtype == np.float32
    assert single.decision_function(X.astype(np.float32)).dtype == np.float32
    assert single.n_iter_ == double.n_iter_


@pytest.mark.parametrize("solver", ["newton", Pcg(early_stopping=None, tol=1e-3)])
def test_single_precision_agrees(digits, solver):
    """To the end: early stopping leaves rows near the boundary to rounding."""
    X, y, y_partial = digits
    double = LaplacianSVC(solver=solver).fit(X, y_partial)
    single = LaplacianSVC(solver=solver).fit(X.astype(np.float32), y_partial)
    errors = [
        error(m, X.astype(m.function_.points.dtype), y, y_partial)
        for m in (single, double)
    ]
    assert abs(errors[0] - errors[1]) <= 0.001


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "laplacian", "cosine"])
def test_sparse_rows_are_dense_rows(digits, kernel, rng):
    X, _, y_partial = digits
    X = X * rng.uniform(0.9, 1.1, X.shape)  # so that no distances tie; zeros stay
    dense = LaplacianSVC(kernel=kernel).fit(X, y_partial)
    thin = LaplacianSVC(kernel=kernel).fit(sparse.csr_matrix(X), y_partial)
    assert_allclose(
        thin.decision_function(sparse.csr_array(X)),
        dense.decision_function(X),
        atol=1e-6,
    )


def test_data_frames_and_missing_labels(iris):
    X, _, y_partial = iris
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    names = pd.Series(y_partial).map({0: "x", 1: "y", 2: "z"})  # -1 becomes missing
    model = LaplacianSVC().fit(frame, names)
    assert model.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert set(model.predict(frame)) == {"x", "y", "z"}
    nullable = pd.Series(y_partial, dtype="Int64").replace(-1, pd.NA)
    assert_array_equal(
        LaplacianSVC().fit(frame, nullable).transduction_,
        LaplacianSVC().fit(X, y_partial).transduction_,
    )


def test_in_a_pipeline(iris):
    X, y, y_partial = iris
    model = make_pipeline(StandardScaler(), LaplacianSVC()).fit(X, y_partial)
    assert model.score(X, y) > 0.85


# Small and degenerate data


def test_one_label_a_class(moons):
    X, y, _ = moons
    y_partial = hide_labels(y, 2, rng=0)
    model = LaplacianSVC(kernel=Rbf(2.0)).fit(X, y_partial)
    assert model.average_.n_held_out == 0
    assert model.average_.weights[-1] > 0.99  # nothing but the graph can help
    assert np.isfinite(model.predict_proba(X)).all()


def test_no_unlabeled_rows(iris):
    X, y, _ = iris
    for solver in ("newton", "pcg", "dual"):
        assert LaplacianSVC(solver=solver).fit(X, y).score(X, y) > 0.9


def test_two_rows():
    model = LaplacianSVC().fit([[0.0], [1.0]], [0, 1])
    assert_array_equal(model.predict([[0.0], [1.0]]), [0, 1])


def test_constant_features():
    X = np.ones((20, 3))
    y = np.array([0, 1] + [-1] * 18)
    scores = LaplacianSVC().fit(X, y).decision_function(X)
    assert np.isfinite(scores).all()


def test_linear_kernel_of_zeros_says_why_not():
    with pytest.raises(ValueError, match="must have a positive diagonal, got 0"):
        LaplacianSVC(kernel="linear").fit(np.zeros((6, 2)), [0, 1, 0, 1, -1, -1])


def test_components_without_a_label_are_reported(rng):
    """Two far groups, labels in one of them only."""
    X = np.vstack([rng.standard_normal((40, 2)), rng.standard_normal((30, 2)) + 100])
    y = np.full(70, -1)
    y[:10] = (X[:10, 0] > 0).astype(int)
    with pytest.warns(UserWarning, match="2 connected components, and 30 of 70"):
        LaplacianSVC(intrinsic_reg=0.1).fit(X, y)


# Probabilities


def test_probabilities_are_of_the_predicted_class(iris):
    X, _, y_partial = iris
    model = LaplacianSVC().fit(X, y_partial)
    probabilities = model.predict_proba(X)
    assert_allclose(probabilities.sum(axis=1), 1.0)
    assert_array_equal(model.classes_[probabilities.argmax(axis=1)], model.predict(X))
    assert_allclose(np.log(probabilities), model.predict_log_proba(X))


def test_probabilities_are_better_than_certainty_and_than_none(digits):
    X, y, y_partial = digits
    unlabeled = y_partial == -1
    model = LaplacianSVC().fit(X, y_partial)
    logs = model.predict_log_proba(X[unlabeled])
    loss = -logs[np.arange(unlabeled.sum()), y[unlabeled]].mean()
    assert loss < 0.8 < np.log(10)


# Solvers


def test_early_stopped_pcg_is_near_newton_on_the_moons(moons):
    """Checked too often, the stability stop would end far from the solution."""
    X, y, y_partial = moons
    options = {"kernel": Rbf(2.0), "graph": KnnGraph(power=2), "intrinsic_reg": 0.05}
    for seed in range(5):
        y_partial = hide_labels(y, 8, rng=seed)
        exact = LaplacianSVC(**options).fit(X, y_partial)
        early = LaplacianSVC(solver="pcg", **options).fit(X, y_partial)
        difference = np.mean(exact.predict(X) != early.predict(X))
        assert difference <= 0.03
        assert early.result_.status in (Status.STOPPED_EARLY, Status.CONVERGED)


@pytest.mark.parametrize("early_stopping", ["validation", "mixed"])
def test_validation_holds_labels_out(digits, early_stopping):
    X, y, y_partial = digits
    solver = Pcg(early_stopping=early_stopping)
    model = LaplacianSVC(solver=solver, random_state=0).fit(X, y_partial)
    assert model.average_.n_held_out < 30
    assert np.isnan(model.held_out_proba_).any(axis=1).sum() >= 10
    given = y_partial != -1
    assert_array_equal(model.transduction_[given], y[given])


def test_history_of_pcg(digits):
    X, _, y_partial = digits
    result = LaplacianSVC(solver="pcg", intrinsic_reg=0.05).fit(X, y_partial).result_
    history = result.history
    assert np.all(np.diff(history["objective"]) <= 1e-10)
    assert len(history["gradient_norm"]) >= result.n_iter
    assert len(history["decision_change"]) >= 1
    assert history["decision_change"][-1] < 0.015


def test_iteration_limit_warns_once(digits):
    X, _, y_partial = digits
    model = LaplacianSVC(solver=Pcg(max_iter=3), intrinsic_reg=0.05)
    with pytest.warns(ConvergenceWarning, match="after 3 iterations: hit the") as seen:
        model.fit(X, y_partial)
    assert len(seen) == 1


def test_warm_start_saves_iterations(digits):
    X, _, y_partial = digits
    solver = Pcg(early_stopping=None, tol=1e-4, warm_start=True)
    model = LaplacianSVC(solver=solver, intrinsic_reg=0.05)
    cold = model.fit(X, y_partial).n_iter_
    assert model.fit(X, y_partial).n_iter_ < 0.1 * cold
    with pytest.raises(ValueError, match="needs the rows and classes of the last"):
        model.fit(X[:500], y_partial[:500])


@pytest.mark.slow
def test_auto_takes_pcg_for_many_rows_and_newton_for_landmarks(rng):
    X = rng.standard_normal((5600, 2)).astype(np.float32)
    y = hide_labels((X[:, 0] > 0).astype(int), 20, rng=0)
    exact = LaplacianSVC(intrinsic_reg=0.01).fit(X, y)
    assert exact.solver_ == Pcg()
    low_rank = LaplacianSVC(landmarks=50, random_state=0).fit(X, y)
    assert low_rank.solver_ == Newton()
    assert low_rank.function_.points.shape == (50, 2)


@pytest.mark.slow
def test_labels_are_held_out_on_a_part_of_many_rows():
    """PCG on 2,300 rows: weights of the graph as in the exact model, roughly."""
    X, y = make_two_moons(2300, noise=0.1, random_state=0)
    y_partial = hide_labels(y, 30, rng=0)
    model = LaplacianSVC(kernel=Rbf(2.0), random_state=0)
    part = clone(model).set_params(solver="pcg").fit(X, y_partial)
    whole = clone(model).set_params(solver="newton").fit(X, y_partial)
    assert_allclose(part.ambient_reg_, whole.ambient_reg_, rtol=0.5)
    assert_allclose(part.intrinsic_reg_, whole.intrinsic_reg_, rtol=0.5)
    assert np.mean(part.transduction_ != whole.transduction_) < 0.02


def test_grid_is_the_models_fitted_one_by_one(iris):
    X, _, y_partial = iris
    for solver in ("newton", Dual(tol=1e-9)):
        grid = LaplacianSVC(solver=solver).fit_grid(
            X, y_partial, ambient_reg=[1e-3, 1e-2], intrinsic_reg=[0.0, 1e-2, 1e-1]
        )
        assert len(grid) == 6
        for model in grid:
            alone = clone(model).fit(X, y_partial)
            assert_allclose(
                model.decision_function(X), alone.decision_function(X), atol=1e-5
            )
            assert_array_equal(model.transduction_, alone.transduction_)


def test_grid_takes_one_weight_and_auto(iris):
    X, _, y_partial = iris
    grid = LaplacianSVC().fit_grid(
        X, y_partial, ambient_reg=1e-3, intrinsic_reg=[0.0, "auto"]
    )
    for model, alone in zip(
        grid, [LaplacianSVC(intrinsic_reg=0.0), LaplacianSVC()], strict=True
    ):
        assert_allclose(
            model.decision_function(X),
            alone.fit(X, y_partial).decision_function(X),
            atol=1e-8,
        )


@pytest.mark.parametrize(("ambient", "intrinsic"), [([], [0.1]), ([0.1], ())])
def test_grid_of_nothing_is_refused(ambient, intrinsic):
    grid = {"ambient_reg": ambient, "intrinsic_reg": intrinsic}
    message = "fit_grid needs at least one ambient_reg and one intrinsic_reg, got "
    with pytest.raises(ValueError, match=message):
        LaplacianSVC().fit_grid(np.eye(4), [0, 1, -1, -1], **grid)


def test_grid_by_pcg_starts_each_from_the_last(digits):
    X, _, y_partial = digits
    model = LaplacianSVC(solver=Pcg(early_stopping=None, tol=1e-4))
    weights = [0.05, 0.051]
    grid = model.fit_grid(X, y_partial, ambient_reg=[1e-3], intrinsic_reg=weights)
    alone = model.set_params(intrinsic_reg=0.051).fit(X, y_partial)
    assert grid[1].n_iter_ < alone.n_iter_
    assert_allclose(grid[1].decision_function(X), alone.decision_function(X), atol=0.01)


class InterruptingHinge(SquaredHinge):
    """The squared hinge until somebody presses Ctrl-C."""

    def __init__(self, n_left):
        self.n_left = n_left

    def active(self, targets, scores):
        self.n_left -= 1
        if self.n_left == 0:
            raise KeyboardInterrupt
        return super().active(targets, scores)


@pytest.mark.parametrize("options", [{"intrinsic_reg": 0.05}, {}])
@pytest.mark.parametrize("n_left", [3, 40])
def test_interrupt_keeps_a_usable_model(digits, options, n_left):
    """While labels are held out (by Newton's method) or in the middle of PCG."""
    X, _, y_partial = digits
    model = LaplacianSVC(solver="pcg", **options)
    model.loss = InterruptingHinge(n_left)
    with (
        pytest.warns(ConvergenceWarning, match="interrupted; the best result so far"),
        pytest.raises(KeyboardInterrupt),  # a loop around the fit must end
    ):
        model.fit(X, y_partial)
    assert model.predict(X).shape == (600,)
    assert model.result_.status is Status.INTERRUPTED


def test_failed_fit_is_not_a_fit(iris):
    X, _, _ = iris
    model = LaplacianSVC()
    with pytest.raises(ValueError, match="at least two labeled classes"):
        model.fit(X, np.full(len(X), -1))
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_results_print_in_a_few_lines(digits):
    X, _, y_partial = digits
    model = LaplacianSVC().fit(X, y_partial)
    assert len(repr(model.result_)) < 300
    assert len(repr(model.average_)) < 600


def test_verbose_prints_progress(digits, capsys):
    X, _, y_partial = digits
    LaplacianSVC(solver="pcg", verbose=True).fit(X, y_partial)
    printed = capsys.readouterr().out
    assert "LaplacianSVC: 600 distinct rows, 30 labels, solver Pcg(" in printed
    assert "iteration 10: objective" in printed
    LaplacianSVC(solver="pcg").fit(X, y_partial)
    assert capsys.readouterr().out == ""


# Bad input


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel": "gauss"}, "kernel of LaplacianSVC must be one of .* got 'gauss'"),
        ({"ambient_reg": 0}, "ambient_reg of LaplacianSVC must be a number > 0, got 0"),
        ({"intrinsic_reg": -0.1}, "intrinsic_reg of .* must be .* >= 0, got -0.1"),
        ({"intrinsic_reg": "yes"}, "intrinsic_reg of .* must be .* got 'yes'"),
        ({"graph": "ring"}, "graph of LaplacianSVC must be one of 'knn' or a Graph"),
        ({"landmarks": 0}, "landmarks of .* a whole number >= 1 .* got 0"),
        ({"landmarks": "best"}, "landmarks of .* must be 'auto', None, .* got 'best'"),
        ({"solver": "cg"}, "solver of LaplacianSVC must be one of .* got 'cg'"),
        ({"fit_intercept": "yes"}, "fit_intercept of .* must be one of .* got 'yes'"),
        ({"ambient_reg": float("inf")}, "ambient_reg of .* must be .* got inf"),
    ],
)
def test_bad_parameter_is_named_with_its_value(iris, options, message):
    X, _, y_partial = iris
    with pytest.raises(ValueError, match=message):
        LaplacianSVC(**options).fit(X, y_partial)


def test_squared_loss_has_no_dual(iris):
    X, _, y_partial = iris
    with pytest.raises(ValueError, match=r"solver of LaplacianRLSC must be .* loss"):
        LaplacianRLSC(solver="dual").fit(X, y_partial)


def test_bad_weights_are_refused(iris):
    X, _, y_partial = iris
    with pytest.raises(ValueError, match=r"must have shape \(150,\).* got \(3,\)"):
        LaplacianSVC().fit(X, y_partial, sample_weight=[1, 2, 3])
    with pytest.raises(ValueError, match=r"finite, >= 0 and not all zero, got .* -1"):
        LaplacianSVC().fit(X, y_partial, sample_weight=-np.ones(150))


def test_bad_graphs_are_refused(iris):
    X, _, y_partial = iris
    with pytest.raises(ValueError, match=r"adjacency must have shape \(150, 150\)"):
        LaplacianSVC().fit(X, y_partial, adjacency=sparse.eye(3))


def test_precomputed_kernel_must_be_square(iris):
    X, _, y_partial = iris
    with pytest.raises(ValueError, match=r"square Gram matrix .* got shape \(150, 4\)"):
        LaplacianSVC(kernel="precomputed").fit(X, y_partial)


def test_gram_matrix_beyond_memory_names_the_way_out():
    with pytest.raises(MemoryError, match=r"LaplacianSVC .* set landmarks \(1000, say"):
        check_gram_memory(150, 8, "LaplacianSVC", "landmarks=None", installed=100_000)


def test_validation_with_one_label_per_class_is_refused(iris):
    X, y, _ = iris
    y_partial = hide_labels(y, 3, rng=0)
    model = LaplacianSVC(solver=Pcg(early_stopping="validation"))
    with pytest.raises(ValueError, match="every class has one label only"):
        model.fit(X, y_partial)


def test_fit_is_silent_when_all_is_well(digits):
    X, _, y_partial = digits
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LaplacianSVC().fit(X, y_partial)


# More labels, more rows


@pytest.mark.slow
def test_converged_pcg_is_newton_on_more_rows_than_the_holdout(rng):
    """Given weights are used as given, also where labels are held out on a part."""
    X = rng.standard_normal((2300, 2))
    y = hide_labels((X[:, 0] > 0).astype(int), 30, rng=0)
    options = {"ambient_reg": 0.1, "intrinsic_reg": 1e-3, "graph": KnnGraph(power=1)}
    exact = LaplacianSVC(solver="newton", **options).fit(X, y)
    solver = Pcg(early_stopping=None, tol=1e-8)
    pcg = LaplacianSVC(solver=solver, **options).fit(X, y)
    assert pcg.ambient_reg_ == exact.ambient_reg_ == 0.1
    assert_allclose(pcg.decision_function(X), exact.decision_function(X), atol=1e-4)


@pytest.mark.parametrize("landmarks", [None, 40])
@pytest.mark.slow
def test_many_labels_are_solved_without_problems_on_all_of_them(rng, landmarks):
    """2,100 labels: PCG, and a few hundred labels weigh the graph."""
    X = rng.standard_normal((2200, 3))
    y = hide_labels((X[:, 0] + 0.3 * X[:, 1] > 0).astype(int), 2100, rng=0)
    model = LaplacianSVC(landmarks=landmarks, random_state=0).fit(X, y)
    assert model.solver_ == Pcg()
    assert model.average_.n_held_out <= 502
    assert len(model.held_out_proba_) == 2100
    assert model.score(X[y != -1], y[y != -1]) > 0.95


@pytest.mark.slow
def test_own_graph_is_weighed_in_one_piece():
    """The same graph found and given: nearly the same trust in it."""
    X, y = make_two_moons(2300, noise=0.1, random_state=0)
    y_partial = hide_labels(y, 30, rng=0)
    model = LaplacianSVC(kernel=Rbf(4.0), solver="pcg", random_state=0)
    found = clone(model).fit(X, y_partial)
    given = clone(model).fit(X, y_partial, adjacency=knn_adjacency(X, 8, "self-tuned"))
    assert_allclose(given.average_.weights, found.average_.weights, atol=0.25)
    assert np.mean(given.transduction_ != found.transduction_) < 0.02


@pytest.mark.parametrize("kernel", ["linear", "poly", "cosine", "rbf"])
@pytest.mark.parametrize("ambient_reg", [1e-6, 1e-5])
def test_single_precision_and_little_regularization(rng, kernel, ambient_reg):
    """Rounding makes kernel matrices slightly indefinite; that must do no harm."""
    X = rng.standard_normal((60, 3)).astype(np.float32)
    y = hide_labels((X[:, 0] > 0).astype(int), 20, rng=0)
    for intrinsic_reg in ("auto", 0.01):
        model = LaplacianSVC(
            kernel=kernel, ambient_reg=ambient_reg, intrinsic_reg=intrinsic_reg
        )
        assert np.isfinite(model.fit(X, y).decision_function(X)).all()


def test_single_precision_landmarks_keep_their_rank(digits):
    X, _, y_partial = digits
    models = [
        LaplacianSVC(landmarks=Nystrom(500, "uniform"), random_state=0).fit(
            Z, y_partial
        )
        for Z in (X, X.astype(np.float32))
    ]
    shapes = [model.result_.solution.shape for model in models]
    assert shapes[0] == shapes[1]
    assert np.mean(models[0].transduction_ != models[1].transduction_) < 0.01


def test_few_landmarks_use_a_plain_laplacian(digits):
    X, _, y_partial = digits
    options = {"landmarks": 60, "random_state": 0}
    default = LaplacianSVC(**options).fit(X, y_partial)
    plain = LaplacianSVC(graph=KnnGraph(power=1), **options).fit(X, y_partial)
    assert_array_equal(default.decision_function(X), plain.decision_function(X))


def test_labeled_rows_that_the_kernel_does_not_see_are_refused(rng):
    X = np.vstack([np.zeros((2, 3)), rng.standard_normal((20, 3))])
    y = np.array([0, 1] + [-1] * 20)
    with pytest.raises(ValueError, match="the kernel is zero on all labeled rows"):
        LaplacianSVC(kernel="cosine").fit(X + 0.0, np.where(np.arange(22) < 2, y, -1))


def test_class_weights(iris):
    X, _, y_partial = iris
    plain = LaplacianSVC().fit(X, y_partial)
    even = LaplacianSVC(class_weight={0: 2.0, 1: 2.0, 2: 2.0}).fit(X, y_partial)
    assert_allclose(even.decision_function(X), plain.decision_function(X), atol=1e-8)
    heavy = LaplacianSVC(class_weight={0: 1.0, 1: 1.0, 2: 100.0}).fit(X, y_partial)
    assert np.sum(heavy.predict(X) == 2) > np.sum(plain.predict(X) == 2)
    absent = LaplacianSVC(class_weight={0: 1.0, 1: 1.0, 2: 0.0}).fit(X, y_partial)
    assert absent.classes_.tolist() == [0, 1]
    kept = y_partial != 2  # a class of weight zero is left out
    other = LaplacianSVC().fit(X[kept], y_partial[kept])
    assert_allclose(absent.decision_function(X), other.decision_function(X), atol=1e-8)
    options = {"sample_weight": np.full(len(X), 1e300)}
    huge = LaplacianSVC(class_weight={0: 1e20, 1: 1e20, 2: 1e20})
    huge.fit(X, y_partial, **options)
    assert_allclose(huge.decision_function(X), plain.decision_function(X), atol=1e-8)
    with pytest.raises(ValueError, match="class_weight of LaplacianSVC must be"):
        LaplacianSVC(class_weight={0: -1.0, 1: 1.0, 2: 1.0}).fit(X, y_partial)


def test_precomputed_kernel_must_be_symmetric_and_dense(iris):
    X, _, y_partial = iris
    gram = rbf_kernel(X)
    crooked = gram.copy()
    crooked[0, 1] += 1
    model = LaplacianSVC(kernel="precomputed")
    with pytest.raises(ValueError, match="must be symmetric, got entries that differ"):
        model.fit(crooked, y_partial)
    with pytest.raises(TypeError, match="dense data is required"):
        model.fit(sparse.csr_matrix(gram), y_partial)


def test_precomputed_kernel_with_weights_of_zero_and_landmarks(iris):
    X, _, y_partial = iris
    weights = np.ones(len(X))
    weights[::5] = 0
    gram = rbf_kernel(X, gamma=0.5)
    options = {"landmarks": 200, "graph": KnnGraph(power=1)}
    given = LaplacianSVC(kernel="precomputed", **options)
    given.fit(gram, y_partial, sample_weight=weights)
    used = weights > 0
    alone = LaplacianSVC(kernel="precomputed", **options)
    alone.fit(gram[np.ix_(used, used)], y_partial[used])
    assert_allclose(
        given.decision_function(gram), alone.decision_function(gram[:, used]), atol=1e-6
    )


def test_data_frame_with_weights_of_zero_does_not_warn(iris):
    X, _, y_partial = iris
    frame = pd.DataFrame(X, columns=list("abcd"))
    weights = np.ones(len(X))
    weights[:3] = 0
    LaplacianSVC().fit(frame, y_partial, sample_weight=weights)


def test_slope_follows_the_labels(iris):
    """Random labels deserve flat probabilities, clear ones steep ones."""
    X, _, y_partial = iris
    shuffled = y_partial.copy()
    labeled = y_partial != -1
    shuffled[labeled] = np.random.default_rng(0).permutation(y_partial[labeled])
    clear = LaplacianSVC().fit(X, y_partial).calibration_.slope
    flat = LaplacianSVC().fit(X, shuffled).calibration_.slope
    assert flat < 0.5 * clear


def test_grid_leaves_the_estimator_alone_and_shares_factorizations(iris, monkeypatch):
    X, _, y_partial = iris
    ratios = []
    original = GramSpace.deformed

    def count(space, laplacian, ratio):
        ratios.append(ratio)
        return original(space, laplacian, ratio)

    monkeypatch.setattr(GramSpace, "deformed", count)
    model = LaplacianSVC()
    weights = [1e-3, 1e-2, 1e-1]
    model.fit_grid(X, y_partial, ambient_reg=weights, intrinsic_reg=weights)
    assert len(ratios) == 5  # nine pairs, five ratios
    assert not hasattr(model, "classes_")


def test_warm_start_of_the_average(digits):
    X, _, y_partial = digits
    solver = Pcg(early_stopping=None, tol=1e-3, warm_start=True, max_iter=3000)
    model = LaplacianSVC(solver=solver)
    cold = model.fit(X, y_partial).n_iter_
    assert model.fit(X, y_partial).n_iter_ < 0.1 * cold


# Parameters that are values


def test_shorthands_are_values_with_default_fields(moons):
    X, _, y_partial = moons
    short = LaplacianSVC().fit(X, y_partial)
    values = LaplacianSVC(kernel=Rbf(), graph=KnnGraph(), solver=Newton())
    values.fit(X, y_partial)
    assert_array_equal(short.decision_function(X), values.decision_function(X))


def test_fields_of_values_are_parameters(moons):
    X, _, y_partial = moons
    model = LaplacianSVC().set_params(
        kernel__gamma=2.0, graph__n_neighbors=5, solver=Pcg()
    )
    model.set_params(solver__tol=1e-3)
    assert model.kernel == Rbf(2.0)
    assert model.graph == KnnGraph(5)
    assert model.solver == Pcg(tol=1e-3)
    assert model.get_params()["kernel__gamma"] == 2.0
    assert clone(model).fit(X, y_partial).solver_ == Pcg(tol=1e-3)
    assert "KnnGraph(n_neighbors=5" in repr(model)


def test_grid_search_over_a_field(iris):
    X, y, _ = iris
    grid = {"kernel__gamma": [0.01, 0.5], "graph__n_neighbors": [4]}
    model = LaplacianSVC(kernel=Polynomial(degree=2)).set_params(kernel=Rbf())
    search = GridSearchCV(model, grid, cv=3).fit(X, y)
    assert search.best_params_["graph__n_neighbors"] == 4
    assert search.best_estimator_.function_.kernel == Rbf(
        search.best_params_["kernel__gamma"]
    )


def test_linear_kernel_of_few_features_is_the_same_without_a_gram_matrix(iris):
    """Features in place of a Gram matrix, which a precomputed kernel has."""
    X, _, y_partial = iris
    features = LaplacianSVC(kernel="linear").fit(X, y_partial)
    gram = LaplacianSVC(kernel="precomputed").fit(
        X @ X.T, y_partial, adjacency=knn_adjacency(X, 8, "self-tuned")
    )
    assert features.function_.n_points == 3  # the weights of three classes
    assert_allclose(
        features.decision_function(X), gram.decision_function(X @ X.T), atol=1e-6
    )


def test_more_rows_than_the_ladder_have_landmarks(moons, rng):
    kernel, rows = Rbf(2.0), Rows(moons[0])
    options = {"ladder": LAPLACIAN_LADDER, "who": "LaplacianSVC"}
    assert not choose_space(kernel, rows, "auto", rng, **options).low_rank
    options["ladder"] = LAPLACIAN_LADDER._replace(exact_rows=100, n_landmarks=50)
    assert choose_space(kernel, rows, "auto", rng, **options).n_coordinates <= 50


# Many rows: landmarks and smooth functions along the graph


@pytest.fixture
def many(monkeypatch):
    ladder = LAPLACIAN_LADDER._replace(exact_rows=100, n_landmarks=60)
    monkeypatch.setattr("widemargin.estimators._laplacian.LAPLACIAN_LADDER", ladder)


@pytest.mark.parametrize("model", [LaplacianSVC, LaplacianRLSC])
def test_many_rows_follow_the_graph(many, monkeypatch, model):
    """As accurate as the exact model, where landmarks alone are not."""
    X, y = load_digits(return_X_y=True)
    X, new, y, y_new = X[:1200], X[1200:], y[:1200], y[1200:]
    partial = hide_labels(y, 40, rng=0)
    fitted = model(random_state=0).fit(X, partial)
    landmarks = model(landmarks=60, random_state=0).fit(X, partial)
    monkeypatch.undo()
    exact = model(random_state=0).fit(X, partial)
    scores = [np.mean(m.transduction_ == y) for m in (fitted, exact, landmarks)]
    assert scores[0] > scores[1] - 0.02
    assert scores[0] > scores[2] + 0.03
    assert fitted.score(new, y_new) > exact.score(new, y_new) - 0.03
    assert max(fitted.powers_) > 1


def test_scores_of_many_rows_are_those_of_the_fitted_function(many):
    X, y = load_digits(return_X_y=True)
    X, y = X[:600], y[:600]
    partial = hide_labels(y, 40, rng=0)
    model = LaplacianSVC(random_state=0).fit(X, partial)
    kernel, graph = model.function_.parts
    assert kernel.n_points == 60
    assert isinstance(graph, NeighborFunction)
    assert_array_equal(model.predict(X)[partial < 0], model.transduction_[partial < 0])


@pytest.mark.parametrize("solver", ["auto", Pcg(tol=1e-8, early_stopping=None)])
def test_grid_of_many_rows_has_supervised_models(many, solver):
    """Without the graph, unlabeled rows are only landmarks."""
    X, y = load_digits(return_X_y=True)
    X, y = X[:400], hide_labels(y[:400], 40, rng=0)
    model = LaplacianSVC(solver=solver, random_state=0)
    grid = {"ambient_reg": [1e-3, 1e-2], "intrinsic_reg": [0.1, 0, "auto"]}
    for own in model.fit_grid(X, y, **grid):
        alone = clone(own).fit(X, y)
        assert type(own.function_) is type(alone.function_)
        assert_allclose(own.predict_proba(X), alone.predict_proba(X), atol=1e-4)


def test_models_of_many_rows_can_be_saved(many, tmp_path):
    X, y = load_digits(return_X_y=True)
    X, y = X[:400], hide_labels(y[:400], 40, rng=0)
    model = LaplacianSVC(random_state=0).fit(X, y)
    save(model, tmp_path / "model")
    found = load(tmp_path / "model").predict_proba(X)
    assert_allclose(found, model.predict_proba(X), rtol=1e-6, atol=1e-9)


def test_own_graphs_of_many_rows_are_followed(many):
    """Two classes in the same place; the graph joins each of them."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 5)), np.arange(300) % 2
    chains = [np.flatnonzero(y == code) for code in (0, 1)]
    ends = np.concatenate([np.column_stack([c[:-1], c[1:]]) for c in chains])
    graph = sparse.coo_array((np.ones(len(ends)), ends.T), shape=(300, 300))
    partial = hide_labels(y, 20, rng=0)
    model = LaplacianSVC(random_state=0)
    model.fit(X, partial, adjacency=(graph + graph.T).tocsr())
    assert np.mean(model.transduction_ == y) > 0.9
