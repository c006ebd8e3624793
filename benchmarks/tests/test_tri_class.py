"""Table and figures of the tri-class paper: declarations, draws, choice, programs."""

import os
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from widemargin.objectives.pieces import RelaxedMinLoss
from widemargin.parameters import Smo
from widemargin.spaces import GramSpace
from widemargin_bench.catalog import SOURCES, read_published
from widemargin_bench.tables import tri_class as protocol
from widemargin_bench.tables import tri_class_fits as fits
from widemargin_bench.tables.tri_class import (
    BENCHMARKS,
    COURSE,
    DIGITS,
    SYNTHETIC,
    TIME,
)
from widemargin_bench.tables.tri_class_fits import IRRELEVANT, draw_gaussians

GENERATED = (COURSE, SYNTHETIC, TIME)
PARAMETERS = fits.FIXED


@pytest.fixture(scope="module")
def small():
    """A draw that takes no time: 12 labels, 20 unlabeled rows."""
    return draw_gaussians(1, 12, 0.5, 0, n_unlabeled=20, n_test=40)


@pytest.fixture
def stored():
    """Skip where the digits are not there."""
    if not os.environ.get("WIDEMARGIN_DATA"):
        pytest.skip("needs the benchmark data: set WIDEMARGIN_DATA to their folder")


def test_names_and_rows_are_those_of_the_paper():
    names = [benchmark.name for benchmark in BENCHMARKS]
    assert names == [
        "tri-course", "tri-synthetic", "tri-sensitivity", "tri-time", "tri-digits",
    ]  # fmt: skip
    assert [len(b.rows) for b in BENCHMARKS] == [4, 24, 58, 15, 12]
    assert {row.group for row in TIME.rows} == {"L = 20", "L = 200"}
    assert len({row.group for row in SYNTHETIC.rows}) == 6


def test_only_digits_need_stored_sets_which_are_known():
    assert not any(row.needs for benchmark in GENERATED for row in benchmark.rows)
    needed = {name for row in DIGITS.rows for name in row.needs}
    assert needed == {"usps", "mnist"}
    assert needed <= set(SOURCES)


def test_only_the_figures_of_table_4_are_printed():
    assert not any(read_published(benchmark.name) for benchmark in GENERATED)
    figures = read_published("tri-digits")
    methods = {method for _, method, _ in figures}
    assert methods == {"SVM", "S3VM", "U-SVM", "LapSVM", "SS-ELM", "3C-SVM"}
    assert methods <= {m.name for m in DIGITS.methods}
    cells = {(row.name, m, "accuracy") for row in DIGITS.rows for m in methods}
    assert set(figures) == cells
    assert all(figure.sd is not None for figure in figures.values())


@pytest.mark.parametrize(
    ("row", "method", "value", "sd"),
    [
        ("USPS, U = 100, tau = 0.1", "3C-SVM", 89.3, 2.6),
        ("USPS, U = 100, tau = 0.5", "U-SVM", 88.2, 3.0),
        ("USPS, U = 1000, tau = 0.5", "S3VM", 76.8, 18.7),
        ("USPS, U = 1000, tau = 0.9", "SS-ELM", 86.1, 3.4),
        ("MNIST, U = 100, tau = 0.9", "LapSVM", 65.9, 11.5),
        ("MNIST, U = 1000, tau = 0.1", "SVM", 68.7, 13.5),
        ("MNIST, U = 1000, tau = 0.9", "3C-SVM", 73.5, 8.3),
    ],
)
def test_printed_figures(row, method, value, sd):
    figure = read_published("tri-digits")[row, method, "accuracy"]
    assert (figure.value, figure.sd) == (value, sd)


def test_the_printed_svm_knows_no_unlabeled_rows_and_3c_svm_is_always_best():
    figures = {key[:2]: f.value for key, f in read_published("tri-digits").items()}
    for row in (row.name for row in DIGITS.rows):
        assert figures[row, "SVM"] == (85.6 if row.startswith("USPS") else 68.7)
        best = max(value for (name, _), value in figures.items() if name == row)
        assert figures[row, "3C-SVM"] == best


@pytest.mark.parametrize("benchmark", GENERATED, ids=lambda b: b.name)
def test_draws_repeat_and_hold_each_class(benchmark):
    row = benchmark.rows[0]
    one, same, other = (benchmark.draw(row, run) for run in (1, 1, 2))
    assert_array_equal(one.X, same.X)
    assert_array_equal(one.y, same.y)
    assert not np.array_equal(one.X, other.X)
    assert one.n_labeled == row["labels"]
    assert set(one.y[one.labeled]) == {0, 1}
    assert set(one.y_partial[~one.labeled]) == {-1}


def test_share_of_relevant_rows():
    row = SYNTHETIC.row("set 2, tau = 0.9, L = 20")
    draw = SYNTHETIC.draw(row, 0)
    free = draw.y[~draw.labeled]
    assert len(free) == 500
    assert np.sum(free != IRRELEVANT) == draw.scored.sum() == 450
    assert len(draw.y_test) == 500
    assert set(draw.y_test) == {0, 1}


def test_draws_for_validation_are_others():
    row = SYNTHETIC.rows[0]
    own = protocol.gaussians(row, 0)
    assert not np.allclose(own.X, protocol.gaussians(row, 0, is_validation=True).X)


@pytest.mark.parametrize("row", [DIGITS.rows[1], DIGITS.rows[3]], ids=lambda r: r.name)
def test_digits(stored, row):
    one, same, other = (DIGITS.draw(row, run) for run in (1, 1, 2))
    assert_array_equal(one.X, same.X)
    assert not np.array_equal(one.X, other.X)
    assert_array_equal(np.bincount(one.y[one.labeled]), [5, 5])
    n_relevant = round(row["tau"] * row["unlabeled"])
    assert (one.n_unlabeled, one.scored.sum()) == (row["unlabeled"], n_relevant)
    assert (one.X.min(), one.X.max()) == (-1, 1)
    assert_array_equal(np.bincount(one.y_test), [166, 160])  # 8s and 5s
    watched = protocol.digits(row, 1, is_validation=True)
    assert not np.array_equal(watched.X, one.X)
    seen = {x.tobytes() for x in np.vstack([watched.X, one.X_test])}
    assert not any(x.tobytes() in seen for x in watched.X_test)


def test_a_cell_of_digits(stored):
    row, svm = DIGITS.rows[0], DIGITS.method("SVM")
    found = svm.measure(DIGITS.draw(row, 0), {"C": 10.0, "delta": 0.25})
    assert 60 < found["accuracy"] < 100
    assert found["accuracy"] == 100 - found["error"]
    assert found["fit_seconds"] > 0


@pytest.mark.parametrize("method", SYNTHETIC.methods, ids=lambda m: m.name)
def test_every_method_of_the_synthetic_sets_is_better_than_chance(method):
    draw = draw_gaussians(1, 30, 0.5, 3, n_unlabeled=20, n_test=400)
    p = PARAMETERS | {"C": 1.0, "C_u": 0.1, "start": "svm", "ambient": 1.0}
    found = method.measure(draw, p | {"intrinsic": 1e-3})
    assert found["error"] < 45
    assert found["fit_seconds"] > 0


def test_a_shared_task_gives_what_a_fresh_one_gives(small):
    task, p = fits.Task(replace(small, is_linear=False)), PARAMETERS | {"start": "zero"}
    for delta in (0.01, 0.1):
        for name in ("S3VM", "U-SVM", "min loss from U-SVM", "min loss, balanced"):
            fit, own = protocol.TUNED[name].fit, p | {"delta": delta}
            fresh = fits.Task(task.draw)
            guesses = [fit(t, own).predict(small.X_test) for t in (task, fresh)]
            assert_array_equal(*guesses)


def test_balance_fixes_the_mean_score(small):
    task, p = fits.Task(small), PARAMETERS
    function = fits.min_balanced(task, p)
    scores = small.X @ function.coordinates + function.intercepts
    assert_allclose(scores[~small.labeled].mean(), small.signs.mean(), atol=1e-8)


class _Guess:
    """A function that is wrong on as many rows as it is told."""

    def __init__(self, n_wrong):
        self.n_wrong = n_wrong

    def predict(self, X):
        return np.arange(len(X)) < self.n_wrong


def test_lowest_searches_grids_one_by_one_and_takes_the_first_of_equals(small):
    draw = replace(small, y_test=np.zeros(len(small.y_test), dtype=bool))
    tried = []

    def fit(task, p):
        tried.append((p["a"], p["b"]))
        return _Guess({1: 9, 2: 3, 3: 3}[p["a"]] + 4 * abs(p["b"] - 5))

    grids = [{"a": (1, 2, 3)}, {"b": (4, 5, 6)}]
    found = protocol.lowest(fit, [fits.Task(draw)], {"a": 0, "b": 4}, grids)
    assert found == {"a": 2, "b": 5}
    assert tried == [(1, 4), (2, 4), (3, 4), (2, 5), (2, 6)]  # (2, 4) is known


def test_choice_covers_all_methods_and_stays_in_the_grids(small):
    names = ["U-SVM", "3C-SVM, not restored", "TriClassSVC", "SVC"]
    found = protocol.tune(names, [fits.Task(small)], protocol.GAUSSIAN_GRIDS)
    assert list(found) == names
    assert found["SVC"] is None
    assert found["U-SVM"]["C_u"] in (0.1, 1.0, 10.0)
    assert found["3C-SVM, not restored"]["D"] in (1.0, 2.0, 5.0)
    assert all(
        p["C"] in protocol.GAUSSIAN_GRIDS.of_svm["C"] for p in list(found.values())[:3]
    )


def test_a_quick_choice_searches_costs_alone():
    quick = protocol.DIGIT_GRIDS.quick()
    assert quick.n_draws == 1
    assert quick.grids["costs"] == protocol.DIGIT_GRIDS.grids["costs"]
    assert not {"width", "D", "epsilon", "kappa"} & set(quick.grids)


@pytest.mark.parametrize(
    ("chosen", "neighbors"),
    [(0.0625, (0.0625, 0.125)), (0.5, (0.25, 0.5, 1.0)), (4.0, (2.0, 4.0))],
)
def test_widths_near_that_of_the_svm(chosen, neighbors):
    grid = protocol.DIGIT_GRIDS.grids["width"]
    assert protocol._near({"delta": chosen}, grid) == {"delta": neighbors}


def test_courses_start_alike_and_the_min_loss_never_rises(small):
    found = {m.name: m.measure(small, None) for m in COURSE.methods}
    assert all(len(f["objective_course"]) == fits.N_STEPS + 1 for f in found.values())
    starts = [f["objective_course"][0] for f in found.values()]
    assert_allclose(starts[:3], starts[0])
    assert starts[3] != starts[0]  # from the U-SVM
    for name in ("min loss from SVM", "min loss from U-SVM"):
        objectives = found[name]["objective_course"]
        assert np.all(np.diff(objectives) <= 1e-9 * objectives[0])
        assert found[name]["rises"] == 0
    assert np.isfinite([f["error"] for f in found.values()]).all()


def test_ends_of_courses_are_those_of_the_fits(small):
    found = COURSE.method("3C-SVM").measure(small, None)
    expected = fits.paper(fits.Task(small), fits.FIXED)
    error = 100 * np.mean(expected.predict(small.X_test) != small.y_test)
    assert found["error"] == found["error_course"][-1] == pytest.approx(error)


def test_growth_of_the_library_needs_no_other_solver(small):
    for name in ("CCCP, reduced program", "min loss"):
        found = TIME.method(name).measure(small, None)
        assert found["fit_seconds"] > 0
        assert found["objective"] >= 1 - 1e-6  # the loss of other rows comes on top


def test_the_semidefinite_program_learns_nothing_from_unlabeled_rows():
    pytest.importorskip("clarabel")
    draw = draw_gaussians(1, 10, 0.5, 0, n_unlabeled=4, n_test=2)
    found = TIME.method("SDP").measure(draw, None)
    assert_allclose(found["objective"], 1.0, rtol=1e-3)


def test_the_printed_program_is_the_reduced_one(small):
    """One step of each from the SVM gives the same scores."""
    pytest.importorskip("clarabel")
    from widemargin_bench.tables.tri_class_programs import PrintedProgram

    gram, p, n = small.X @ small.X.T / 480, PARAMETERS, small.n_labeled
    space, loss = GramSpace(gram), RelaxedMinLoss(0.01, 0.01, 2.0)
    problem = fits.make_problem(space, Smo(tol=1e-7), small.signs, p, loss)
    start = problem.solve_given().solution[:, 0]
    f = space.dual_scores(start)[n:]
    sides = np.where(np.abs(f) > p["kappa"], np.sign(f), 0)
    pieces = problem.given[0] + loss.pieces(
        sides, problem.rows, problem.costs, len(gram)
    )
    found = problem.solver.solve(space, pieces, None, start)
    reduced = space.dual_scores(found.solution)
    mu = p["C_u"] * np.append(f < p["kappa"], -f < p["kappa"])
    found = PrintedProgram(gram, small.signs, p).solve(mu)
    assert_allclose(gram @ found[:-1] + found[-1], reduced, atol=1e-4)


def test_both_programs_end_with_the_same_objective(small):
    pytest.importorskip("clarabel")
    ends = [
        TIME.method(f"CCCP, {name} program").measure(small, None)["objective"]
        for name in ("printed", "reduced")
    ]
    assert_allclose(*ends, rtol=1e-2)


def test_slow_programs_are_left_out_where_they_would_take_long():
    draw = TIME.draw(TIME.row("L = 20, U = 500"), 0)
    assert TIME.method("SDP").measure(draw, None) == {}
    assert TIME.method("CCCP, printed program").measure(draw, None) == {}
    largest = TIME.draw(TIME.row("L = 20, U = 30"), 0)
    order = largest.n_labeled + 3 * largest.n_unlabeled + 1
    assert order == fits.MAX_ORDER  # the largest that is measured


def test_large_semidefinite_programs_are_measured_once():
    sizes = {
        name: [row.x for row in TIME.rows if name in row.methods]
        for name in protocol.PROGRAMS
    }
    assert list(sizes.values()) == [[5, 10, 20], [30]]
    assert TIME.method(protocol.PROGRAMS[1]).most_runs == 1
    assert protocol.PROGRAMS[1] not in TIME.quick.methods


def test_sensitivity_has_the_grids_of_the_paper():
    """Section 5.3: 9 pairs of costs, 5 widths, 4 D, 7 epsilon and 4 kappa."""
    for name in protocol.SENSITIVE_SETS:
        n_rows = {
            key: len(protocol.sensitive_rows(name, *key))
            for key in (("C", "C_u"), *((key,) for key in protocol.SENSITIVE))
        }
        assert list(n_rows.values()) == [9, 5, 4, 7, 4]
        for parameter, value in protocol.STATED[name].items():
            grid = protocol.SENSITIVE_COSTS | protocol.SENSITIVE
            assert value in grid[parameter]
