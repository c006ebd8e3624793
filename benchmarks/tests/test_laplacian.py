"""Tables of the paper on Laplacian SVMs: declarations, figures, splits and training."""

import os
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from widemargin import LaplacianSVC
from widemargin.solvers.pcg import pcg
from widemargin_bench.catalog import SOURCES, read_published
from widemargin_bench.tables.laplacian import (
    ALTERNATE,
    BENCHMARKS,
    EQUALIZED,
    GROWING_ROWS,
    LARGE_ROWS,
    MOONS,
    SMALL_ROWS,
    paper_model,
)
from widemargin_bench.tables.laplacian_training import (
    ERROR_COURSES,
    NORM_COURSES,
    Trained,
    build_objective,
    course_of_errors,
    course_of_norms,
    draw_split,
    draw_watched_split,
    level_of_newton,
    mixed_check,
    solve_by_newton,
    solve_by_pcg,
    solve_by_reduction,
    stability_check,
    train,
    validation_check,
)

BY_NAME = {benchmark.name: benchmark for benchmark in BENCHMARKS}
N_FIGURES = {
    "laplacian-accuracy": 6 * (5 * 3 + 1),
    "laplacian-early-stopping": 6 * (4 * 3 + 5 + 2 * 3 + 1),
    "laplacian-large": (5 * 3 + 1 + 2 + 3 * 6) + (2 * 3 + 3 * 6),
    "laplacian-newton-weights": 6 * (4 * 4 + 2 * 3),
    "laplacian-large-newton-weights": 3 * 6,
}
SPOT_VALUES = {
    "laplacian-accuracy": [
        (("g50c", "RLSC", "unlabeled_error"), 10.43, 5.26),
        (("coil20(b)", "LapRLSC", "unlabeled_error"), 8.067, 2.05),
        (("pcmac", "LapSVM dual", "error"), 11.05, 2.94),
        (("uspst(b)", "SVM", "unlabeled_error"), 17, 2.74),
        (("coil20", "SVM", "validation_error"), 31.46, 7.79),
        (("uspst", "LapSVM Newton", "error"), 15.38, 3.55),
        (("uspst", "LapSVM Newton", "steps"), 4.26, 0.76),
    ],
    "laplacian-early-stopping": [
        (("g50c", "PCG, stability", "unlabeled_error"), 6.13, 1.46),
        (("coil20(b)", "PCG, validation", "train_seconds"), 0.097, 0.026),
        (("pcmac", "PCG, mixed", "iterations"), 91.83, 32.24),
        (("uspst(b)", "LapSVM Newton", "train_seconds"), 1.4727, 0.2033),
        (("coil20", "PCG, mixed", "error"), 12.87, 2.2),
        (("uspst", "PCG, validation", "iterations"), 42.91, 9.38),
        (("coil20(b)", "PCG, validation", "line_search"), 1, 0),
        (("pcmac", "PCG, mixed", "line_search"), 3.7, 3.09),
    ],
    "laplacian-large-newton-weights": [
        (("mnist3vs8", "PCG, stability", "unlabeled_error"), 3.16, 0.15),
        (("mnist3vs8", "PCG, validation", "train_seconds"), 207.986, 35.33),
        (("mnist3vs8", "PCG, mixed", "iterations"), 183.33, 31.75),
    ],
    "laplacian-newton-weights": [
        (("uspst(b)", "PCG, validation", "line_search"), 6.83, 3.44),
        (("uspst(b)", "PCG, stability", "unlabeled_error"), 11.07, 2.27),
        (("coil20(b)", "PCG, validation", "train_seconds"), 0.095, 0.018),
        (("pcmac", "PCG, mixed", "iterations"), 39.58, 5.48),
        (("uspst", "LapSVM Newton", "error"), 15.38, 3.55),
    ],
    "laplacian-large": [
        (("mnist3vs8", "LapSVM Newton", "train_seconds"), 2824.174, 105.07),
        (("mnist3vs8", "PCG, stability", "error"), 1.93, 0.2),
        (("facemit", "RLSC", "error"), 34.61, 3.96),
        (("facemit", "PCG, mixed", "unlabeled_error"), 29.97, 2.51),
        (("mnist3vs8", "PCG, stability", "line_search"), 5.58, 2.79),
    ],
}
TABLE_3 = {  # dual, Newton, PCG with the best check
    "g50c": (0.155, 0.134, "validation", 0.043),
    "coil20(b)": (0.311, 0.367, "validation", 0.097),
    "pcmac": (14.82, 15.756, "validation", 1.967),
    "uspst(b)": (1.196, 1.4727, "stability", 0.300),
    "coil20": (6.321, 7.26, "mixed", 3.487),
    "uspst": (12.25, 17.74, "validation", 2.032),
}
needs_data = pytest.mark.skipif(
    not os.environ.get("WIDEMARGIN_DATA"),
    reason="needs the benchmark data: set WIDEMARGIN_DATA to their folder",
)


@pytest.fixture
def moons():
    return draw_watched_split(MOONS, 0)


def gammas(split, method="LapSVM Newton"):
    return split.row["gammas"][method]


def test_names_are_unique_and_of_this_paper():
    assert len(BY_NAME) == len(BENCHMARKS) == 9
    assert all(name.startswith("laplacian-") for name in BY_NAME)
    assert {b.paper.name for b in BENCHMARKS} == {"Melacci and Belkin 2011"}


def test_rows_need_known_sets():
    for benchmark in BENCHMARKS:
        for row in benchmark.rows:
            assert set(row.needs) <= set(SOURCES), row.name
            assert bool(row.needs) == (row is not MOONS), row.name


@pytest.mark.parametrize("name", N_FIGURES)
def test_published_figures_have_a_place_in_the_table(name):
    figures, benchmark = read_published(name), BY_NAME[name]
    assert len(figures) == N_FIGURES[name]
    rows, _, metrics = zip(*figures, strict=True)
    own = {row.name for row in benchmark.rows}  # with rows that we prepared otherwise
    assert set(rows) == own - {ALTERNATE, EQUALIZED}
    assert set(metrics) <= {metric.name for metric in benchmark.metrics}
    kinds = "paper", "baseline"
    ran = {method.name for method in benchmark.methods if method.kind in kinds}
    assert ran <= {method for _, method, _ in figures}


@pytest.mark.parametrize("name", SPOT_VALUES)
def test_published_spot_values(name):
    figures = read_published(name)
    for key, value, sd in SPOT_VALUES[name]:
        assert (figures[key].value, figures[key].sd) == (value, sd), key


def test_supervised_models_of_the_large_sets_have_more_draws():
    benchmark = BY_NAME["laplacian-large"]
    draws = {m.name: m.limit(benchmark.runs) for m in benchmark.methods}
    assert {name for name, n in draws.items() if n == 16} == {"SVM", "RLSC"}
    assert {n for name, n in draws.items() if name not in ("SVM", "RLSC")} == {3}
    assert benchmark.paper_runs == 3


@pytest.mark.parametrize("name", TABLE_3)
def test_table_3_repeats_table_6(name):
    figures = read_published("laplacian-early-stopping")
    dual, newton, check, pcg_seconds = TABLE_3[name]

    def seconds(method):
        return figures[name, method, "train_seconds"].value

    assert_allclose(seconds("LapSVM dual"), dual, atol=5e-4)
    assert seconds("LapSVM Newton") == newton
    assert seconds(f"PCG, {check}") == pcg_seconds


def test_tables_4_and_7_agree_on_newton():
    first = read_published("laplacian-accuracy")
    second = read_published("laplacian-early-stopping")
    for row in SMALL_ROWS:
        for metric in ("unlabeled_error", "validation_error", "error"):
            key = row.name, "LapSVM Newton", metric
            assert first[key] == second[key]


def test_draws_repeat(moons):
    again, other = draw_watched_split(MOONS, 0), draw_watched_split(MOONS, 1)
    assert_array_equal(moons.X, again.X)
    assert_array_equal(moons.y_valid, again.y_valid)
    assert not np.array_equal(moons.X, other.X)


def test_moons_have_the_size_that_they_say(moons):
    assert len(moons.y) == len(moons.y_test) == MOONS["size"]
    assert len(moons.y_valid) == 50
    assert sorted(moons.y[moons.labeled]) == [0, 1]


@needs_data
@pytest.mark.parametrize("row", SMALL_ROWS, ids=lambda row: row.name)
def test_splits_of_stored_sets(row):
    split, again, other = draw_split(row, 1), draw_split(row, 1), draw_split(row, 2)
    assert_array_equal(split.y, again.y)
    assert (split.X != again.X).sum() == 0
    assert split.y.shape != other.y.shape or (split.X != other.X).sum() > 0
    n_classes = {"coil20": 20, "uspst": 10}.get(row.name, 2)
    assert len(np.unique(split.y[split.labeled])) == split.n_classes == n_classes
    assert len(np.unique(split.y_valid)) == n_classes
    assert split.n_labeled == len(split.y_valid) == row["labels"]
    share = len(split.y_test) / (len(split.y) + len(split.y_valid) + len(split.y_test))
    assert_allclose(share, 0.25, atol=0.01)


@needs_data
def test_sizes_of_mnist_are_those_of_table_2():
    split = draw_split(LARGE_ROWS[0], 0)
    n_unlabeled = int((~split.labeled).sum())
    sizes = split.n_labeled, n_unlabeled, len(split.y_valid), len(split.y_test)
    assert sizes == (80, 11822, 80, 1984)
    assert_allclose(np.linalg.norm(split.X[:9], axis=1), 1.0, rtol=1e-5)


@needs_data
@pytest.mark.slow
def test_growing_rows_are_of_their_size():
    first, other = draw_split(GROWING_ROWS[1], 0), draw_split(GROWING_ROWS[1], 1)
    assert len(first.y) == len(other.y) == GROWING_ROWS[1].x == 1000
    assert (first.n_labeled, len(first.y_valid), len(first.y_test)) == (80, 80, 1984)
    assert not np.array_equal(first.X, other.X)


@needs_data
def test_four_splits_test_every_row_once():
    rows = np.concatenate([draw_split(SMALL_ROWS[0], run).X_test for run in range(4)])
    assert len(np.unique(rows, axis=0)) == len(rows) == 550


def test_macro_error_is_the_mean_over_classes(moons):
    macro = replace(moons, row=LARGE_ROWS[1])
    guess, y = np.zeros(10, dtype=int), np.array([0] * 8 + [1] * 2)
    assert moons.error(guess, y) == 20.0
    assert macro.error(guess, y) == 50.0


def test_newton_ways_agree_with_the_estimator(moons):
    objective = build_objective(moons, gammas(moons))
    published, _ = solve_by_newton(objective)
    reduced, _ = solve_by_reduction(objective)
    model = paper_model(moons, LaplacianSVC, "LapSVM Newton", solver="newton")
    model.fit(moons.X, moons.y_partial)
    scores = moons.geometry.gram[:200, :200] @ published
    assert_allclose(published, reduced, atol=1e-6 * np.abs(reduced).max())
    assert_allclose(scores[:, 0], model.decision_function(moons.X), atol=1e-6)


def test_watched_rows_do_not_change_training(moons):
    """Rows without an edge keep coefficients of zero."""
    n_train = len(moons.y)
    alone = pcg(build_objective(moons, gammas(moons)), max_iter=12)
    watched = pcg(build_objective(moons, gammas(moons), watched=True), max_iter=12)
    assert len(watched.solution) == n_train + 50 + 200
    assert not watched.solution[n_train:].any()
    assert_allclose(watched.solution[:n_train], alone.solution, atol=1e-9)


@pytest.mark.parametrize("check", [stability_check, validation_check, mixed_check])
def test_checks_stop_at_a_look(moons, check):
    objective = build_objective(moons, gammas(moons), watched=True)
    found = train(moons, objective, solve_by_pcg(moons, check))
    assert found["iterations"] % 10 == 0
    assert 20 <= found["iterations"] <= 200
    assert 1 <= found["line_search"] <= 3  # two labels
    assert 0 < found["train_seconds"] < found["fit_seconds"]


def test_validation_check_looks_at_the_validation_rows(moons):
    check = validation_check(moons, 0)
    scores = np.zeros((450, 1))
    scores[200:250, 0] = np.where(moons.y_valid == 1, 1.0, -1.0)
    assert check.look(scores) == 50


def test_course_of_errors_ends_with_the_errors_of_the_solution(moons):
    n_iter = 15
    course = course_of_errors(moons, gammas(moons), n_iter)
    result = pcg(build_objective(moons, gammas(moons)), max_iter=n_iter, tol=0.0)
    errors = moons.score(Trained(moons, result.solution))
    assert {len(course[name]) for name in ERROR_COURSES} == {n_iter + 1}
    assert course["labeled_course"][0] == 50.0
    assert course["labeled_course"][-1] == 0.0
    assert_allclose(
        course["unlabeled_course"][-1], errors["unlabeled_error"], rtol=1e-3
    )
    assert_allclose(course["test_course"][-1], errors["error"], rtol=1e-3)
    assert_allclose(course["validation_course"][-1], errors["validation_error"])


def test_course_of_norms_falls_from_one(moons):
    course = course_of_norms(moons, gammas(moons), 25)
    for name in NORM_COURSES:
        assert len(course[name]) == 26
        assert course[name][0] == 1.0
        assert course[name][-1] < 0.5
    assert (np.diff(course["objective"]) <= 0).all()


def test_mixed_product_is_the_criterion_of_the_solver(moons):
    course = course_of_norms(moons, gammas(moons), 10)
    result = pcg(build_objective(moons, gammas(moons)), max_iter=10, tol=0.0)
    assert_allclose(course["mixed_product"], result.history["criterion"], rtol=1e-3)


def test_courses_end_at_the_level_of_newton(moons):
    level = level_of_newton(moons, gammas(moons), 300)
    course = course_of_errors(moons, gammas(moons), 300)
    for name in ERROR_COURSES:
        assert len(set(level[name])) == 1
        assert level[name][-1] == course[name][-1]


@pytest.mark.parametrize("name", BY_NAME)
def test_cheapest_cell_is_finite(name):
    """On moons in place of the sets, so that no data are needed."""
    benchmark = BY_NAME[name]
    split = benchmark.draw(MOONS, 0)
    for method in benchmark.methods[:2]:
        metrics = method.measure(split, None)
        assert metrics["fit_seconds"] > 0
        wanted = {metric.name for metric in benchmark.metrics[:1]}
        assert wanted <= set(metrics)
        for value in metrics.values():
            assert np.isfinite(value).all()


@needs_data
def test_accuracy_of_a_split_is_what_the_estimators_give():
    """Newton and PCG to the end find the same function on the first split of g50c."""
    split = draw_split(SMALL_ROWS[0], 0)
    method = BY_NAME["laplacian-accuracy"].method("LapSVM Newton")
    other = BY_NAME["laplacian-early-stopping"].method("LapSVM Newton")
    metrics, found = method.measure(split, None), other.measure(split, None)
    assert metrics["steps"] == found["iterations"] == 1.0
    for name in ("unlabeled_error", "validation_error", "error"):
        assert metrics[name] == found[name]
    assert 3 < metrics["unlabeled_error"] < 12
