import os
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import ndtr
from sklearn.datasets import make_blobs

from widemargin import SelfLabelingGPC
from widemargin.parameters import Balance
from widemargin_bench.catalog import Figure, read_published
from widemargin_bench.runner import measure_cell
from widemargin_bench.stored_sets import list_sets
from widemargin_bench.tables.self_labeling import (
    BENCHMARKS,
    OTHER_LOSS,
    OTHER_SPARSE_LOSS,
    SETS,
    self_labeling,
)
from widemargin_bench.tables.self_labeling_methods import (
    DigitDraw,
    NullCategoryClassifier,
    SelfLabelingDraw,
    _posterior,
    paper_probability,
)

BY_NAME = {b.name: b for b in BENCHMARKS}
TABLES = {f"self-labeling-table{n}": BY_NAME[f"self-labeling-table{n}"] for n in "234"}
CELLS = [(b.name, m.name) for b in BENCHMARKS for m in b.methods]
TEST_DIGITS = (359, 264, 198, 166, 200, 160, 170, 147, 166, 177)  # of USPS, 2007 rows
N_ROWS = {
    "Ionosphere": 351, "Pima": 766, "Splice": 1000, "Thyroid": 215, "Waveform": 5000,
    "Letter": 1555, "Ringnorm": 1000,
}  # fmt: skip


@pytest.fixture
def data():
    if not os.environ.get("WIDEMARGIN_DATA"):
        pytest.skip("needs the benchmark data: set WIDEMARGIN_DATA to their folder")


def blobs(n_classes):
    """Clusters of classes, three labels each, and a fifth of the rows for a test."""
    X, y = make_blobs(
        100, 5, centers=n_classes, center_box=(-20, 20), random_state=1, shuffle=False
    )
    order = np.argsort(np.arange(100) % (100 // n_classes), kind="stable")
    X, y, n_labels = X[order], y[order], 3 * n_classes
    labeled = np.arange(80) < n_labels
    return X[:80], y[:80], labeled, X[80:], y[80:]


def two_blobs(row, run):
    known = Balance({0: 0.5, 1: 0.5}, tolerance=0.1)
    return SelfLabelingDraw(*blobs(2), known=known, n_landmarks=20)


def ten_blobs(row, run):
    known = Balance({d: 0.1 for d in range(10)})
    return SelfLabelingDraw(*blobs(10), known=known, n_landmarks=50)


def blob_against_rest(row, run):
    X, y, labeled, X_test, y_test = blobs(10)
    return DigitDraw(
        X,
        (y == 3).astype(int),
        labeled,
        X_test,
        (y_test == 3).astype(int),
        known=Balance({0: 0.9, 1: 0.1}),
        n_landmarks=50,
        digit=3,
        digits=y,
    )


TOYS = {
    "self-labeling-table2": two_blobs,
    "self-labeling-table3": two_blobs,
    "self-labeling-table4": blob_against_rest,
    "self-labeling-classes": ten_blobs,
    "self-labeling-probabilities": two_blobs,
}


@pytest.mark.parametrize(("name", "method"), CELLS)
def test_each_method_measures_all_metrics(name, method):
    benchmark = replace(BY_NAME[name], draw=TOYS[name])
    record = measure_cell(
        benchmark, benchmark.rows[0], benchmark.method(method), 0, None
    )
    assert "failure" not in record
    assert record["metrics"].keys() == {m.name for m in benchmark.metrics}
    assert np.isfinite(list(record["metrics"].values())).all()


@pytest.mark.parametrize("name", BY_NAME)
def test_our_models_are_right_on_separated_clusters(name):
    benchmark = replace(BY_NAME[name], draw=TOYS[name])
    ours = [m for m in benchmark.methods if m.kind == "ours"]
    for method in ours:
        metrics = measure_cell(benchmark, benchmark.rows[0], method, 0, None)["metrics"]
        assert metrics.get("error", 0.0) == 0.0
        assert metrics.get("log_loss", 0.0) < 0.3


def test_names_are_unique_and_begin_with_the_paper():
    assert len(BY_NAME) == len(BENCHMARKS) == 5
    assert all(name.startswith("self-labeling-") for name in BY_NAME)


def test_methods_of_the_paper_stand_beside_its_figures():
    for name, benchmark in TABLES.items():
        printed = {method for _, method, _ in read_published(name)}
        run = {m.name for m in benchmark.methods if m.kind in ("paper", "baseline")}
        others = {OTHER_LOSS, OTHER_SPARSE_LOSS}  # compared in the paper's text
        assert run - others <= printed


@pytest.mark.parametrize("name", TABLES)
def test_published_figures_belong_to_rows_and_metrics(name):
    benchmark, figures = TABLES[name], read_published(name)
    rows, _, metrics = (set(part) for part in zip(*figures, strict=True))
    assert rows == {row.name for row in benchmark.rows}
    assert metrics <= {metric.name for metric in benchmark.metrics}


@pytest.mark.parametrize(
    ("name", "methods"),
    [
        ("self-labeling-table2", ("SSuSVR", "SSuGPR", "SSuGPS", "NCNM")),
        ("self-labeling-table3", ("SSuSVR", "SSuGPR", "SSuGPS", "NCNM")),
        ("self-labeling-table4", ("SSuGPS", "NCNM")),
    ],
)
def test_published_errors_are_complete(name, methods):
    errors = {key: f for key, f in read_published(name).items() if key[2] == "error"}
    rows = [row.name for row in TABLES[name].rows]
    other = errors.pop(("Ringnorm", OTHER_SPARSE_LOSS, "error"), None)
    assert (other is not None) == (name == "self-labeling-table2")
    assert errors.keys() == {(row, m, "error") for row in rows for m in methods}
    assert all(0 < f.value < 50 and f.sd is not None for f in errors.values())


@pytest.mark.parametrize(
    ("table", "row", "method", "metric", "value", "sd"),
    [
        (2, "Ionosphere", "SSuGPS", "error", 11.03, 4.92),
        (2, "Thyroid", "SSuSVR", "error", 21.03, 10.78),
        (2, "Waveform", "SSuGPR", "error", 12.82, 1.75),
        (2, "Ringnorm", "NCNM", "error", 17.72, 5.40),
        (2, "Ringnorm", OTHER_SPARSE_LOSS, "error", 5.60, None),
        (3, "r = 0.01", "SSuSVR", "error", 9.77, 2.95),
        (3, "r = 0.05", "SSuGPR", "error", 4.32, 0.80),
        (3, "r = 0.1", "NCNM", "error", 3.36, 0.94),
        (4, "4, r = 0.01", "SSuGPS", "error", 7.23, 5.41),
        (4, "9, r = 0.05", "SSuGPS", "error", 2.59, 0.51),
        (4, "1, r = 0.01", "NCNM", "error", 7.99, 6.48),
        (4, "5, r = 0.05", "NCNM", "error", 7.11, 1.94),
        (4, "0, r = 0.05", "SSuGPS", "fit_seconds", 804, None),
        (4, "1, r = 0.05", "SSuSVR", "fit_seconds", 3610, None),
    ],
)
def test_some_published_figures(table, row, method, metric, value, sd):
    figures = read_published(f"self-labeling-table{table}")
    assert figures[row, method, metric] == Figure(value, sd)


def test_figures_without_spread_are_shares_of_the_digit():
    """A model that predicts "rest" is wrong on every test row of the digit."""
    figures = read_published("self-labeling-table4")
    collapsed = {key[0]: f.value for key, f in figures.items() if f.sd == 0}
    shares = [100 * TEST_DIGITS[int(row.split(",")[0])] / 2007 for row in collapsed]
    assert len(collapsed) == 17
    assert_allclose(list(collapsed.values()), shares, rtol=1e-3)  # as printed


def test_sizes_add_up_to_those_of_the_sets():
    assert {name: sum(sizes[1:]) for name, sizes in SETS.items()} == N_ROWS
    for row in TABLES["self-labeling-table3"].rows:
        assert row["labeled"] + row["unlabeled"] == row["test"] == 607
    labels = [row["labeled"] for row in TABLES["self-labeling-table3"].rows]
    assert labels == [6, 15, 30, 61]


def test_ten_classes_are_judged_as_one_digit():
    draw = blob_against_rest(None, 0)
    truth = draw.all_digits()
    assert_array_equal(truth.y, draw.digits)

    class Confused:
        """Takes 3 for 4, and all else for what it is."""

        transduction_ = np.where(draw.digits == 3, 4, draw.digits)

        def predict(self, X):
            return np.where(blobs(10)[4] == 5, 6, blobs(10)[4])

    scores = draw.score_digit(Confused())
    missed = 100 * np.mean(draw.y[~draw.labeled] == 1)
    assert scores == {"unlabeled_error": pytest.approx(missed), "error": 0.0}


def test_formula_of_the_paper_has_noise_one():
    draw = two_blobs(None, 0)
    X = draw.X_test / 2  # between the clusters, where nothing is sure
    model = SelfLabelingGPC(landmarks=None, random_state=0)
    model.fit(draw.X, draw.y_partial)
    variance = model.predict(X, return_std=True)[1] ** 2
    scores = model.decision_function(X) * np.sqrt(model.noise_ + variance)
    model.set_params(probabilities="calibrated")
    expected = ndtr(scores / np.sqrt(1 + variance))
    assert_allclose(paper_probability(model, X), expected, atol=1e-12)


@pytest.mark.usefixtures("data")
def test_all_data_exist():
    needed = {name for b in BENCHMARKS for row in b.rows for name in row.needs}
    assert needed <= set(list_sets())
    assert all(row.needs for b in BENCHMARKS for row in b.rows)


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize("name", BY_NAME)
def test_draws_are_repeatable_and_hold_each_class(name):
    benchmark = BY_NAME[name]
    for row in benchmark.rows if benchmark.runs > 2 else benchmark.rows[::7]:
        first, again, other = (benchmark.draw(row, run) for run in (1, 1, 0))
        assert_array_equal(first.X, again.X)
        assert_array_equal(first.y_partial, again.y_partial)
        is_same = np.array_equal(first.X[first.labeled], other.X[other.labeled])
        assert not is_same
        assert_array_equal(np.unique(first.y[first.labeled]), np.unique(first.y))


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize("name", ["self-labeling-table2", "self-labeling-table3"])
def test_draws_have_the_printed_sizes_and_balance(name):
    for row in BY_NAME[name].rows:
        draw = BY_NAME[name].draw(row, 0)
        sizes = draw.labeled.sum(), (~draw.labeled).sum(), len(draw.y_test)
        assert sizes == (row["labeled"], row["unlabeled"], row["test"])
        assert abs(draw.y.mean() - 0.5) <= row["kappa"] + 0.02
        assert draw.known.tolerance == row["kappa"]
        if row["standardized"]:
            assert_allclose(draw.X.mean(axis=0), 0, atol=1e-9)


def test_draws_without_a_number_of_landmarks_have_the_exact_process():
    draw = replace(ten_blobs(None, 0), n_landmarks=None)
    method = BY_NAME["self-labeling-classes"].method("GPC, balance of labels")
    assert method.measure(draw, None)["unlabeled_error"] < 5


@pytest.mark.usefixtures("data")
def test_all_digits_see_the_same_labels():
    benchmark = BY_NAME["self-labeling-table4"]
    draws = [benchmark.draw(benchmark.row(f"{d}, r = 0.025"), 0) for d in (0, 9)]
    assert_array_equal(draws[0].labeled, draws[1].labeled)
    assert draws[0].labeled.sum() == 182
    assert len(np.unique(draws[0].digits[draws[0].labeled])) == 10
    for draw, digit in zip(draws, (0, 9), strict=True):
        assert_array_equal(draw.y, draw.digits == digit)
        assert draw.y_test.sum() == TEST_DIGITS[digit]
        assert draw.known.shares[1] == pytest.approx(draw.y.mean())


@pytest.mark.usefixtures("data")
def test_a_cell_gives_the_figure_of_the_first_measurement():
    """The error that this draw had when figures were first compared."""
    benchmark = BY_NAME["self-labeling-table2"]
    method = self_labeling(
        "GPC", "ours", SelfLabelingGPC, balanced=True, hyperparameters="heuristic"
    )
    row = benchmark.row("Thyroid")
    metrics = measure_cell(benchmark, row, method, 0, None)["metrics"]
    assert metrics["error"] == pytest.approx(100 * 8 / 107)


@pytest.fixture
def clusters():
    """Two clusters of thirty rows, two labels each."""
    X, y = make_blobs([30, 30], centers=[[-3, 0], [3, 0]], random_state=0)
    y_partial = np.full(60, -1)
    for c in (0, 1):
        rows = np.flatnonzero(y == c)[:2]
        y_partial[rows] = c
    return X, y, y_partial


def log_evidence(mean, variance, sign, gap):
    """Log-probability of what is known of a sample whose value is Gaussian."""
    sides = [sign] if sign else [-1.0, 1.0]
    spread = np.sqrt(1 + variance)
    return np.log(sum(ndtr((s * mean - gap / 2) / spread) for s in sides))


@pytest.mark.parametrize("sign", [-1.0, 0.0, 1.0])
def test_slopes_match_finite_differences(sign):
    means, variance, step, gap = np.linspace(-2, 2, 7), 1.7, 1e-4, 0.8
    slope, bend = NullCategoryClassifier(gap=gap)._slopes(
        means, np.full(7, variance), np.full(7, sign)
    )
    low, here, high = (
        log_evidence(means + shift, variance, sign, gap) for shift in (-step, 0, step)
    )
    assert_allclose(slope, (high - low) / (2 * step), atol=1e-6)
    assert_allclose(bend, -(high - 2 * here + low) / step**2, atol=1e-6)


def test_posterior_matches_that_of_the_gram_matrix(rng):
    F = rng.normal(size=(12, 5))
    precision, shift = rng.uniform(0.5, 2, size=12), rng.normal(size=12)
    precision[:4] = shift[:4] = 0.0  # left out
    gram, kept = F @ F.T, slice(4, 12)
    inner = gram[kept, kept] + np.diag(1 / precision[kept])
    gain = np.linalg.solve(inner, gram[kept])
    coef, variance = _posterior(F, precision, shift)
    assert_allclose(F @ coef, gain.T @ (shift[kept] / precision[kept]), atol=1e-9)
    assert_allclose(variance, np.diag(gram - gram[:, kept] @ gain), atol=1e-9)


@pytest.mark.parametrize("n_landmarks", [None, 20])
def test_clusters_get_the_class_of_their_labels(clusters, n_landmarks):
    X, y, y_partial = clusters
    model = NullCategoryClassifier(n_landmarks=n_landmarks).fit(X, y_partial)
    assert_array_equal(model.predict(X), y)


def test_exchanged_classes_exchange_predictions(clusters):
    X, _, y_partial = clusters
    exchanged = np.where(y_partial < 0, -1, 1 - y_partial)
    first = NullCategoryClassifier().fit(X, y_partial)
    second = NullCategoryClassifier().fit(X, exchanged)
    assert_allclose(first.coef_, -second.coef_, atol=1e-6)
    assert_array_equal(first.predict(X), 1 - second.predict(X))


def test_rounds_have_ended_by_themselves(clusters):
    X, _, y_partial = clusters
    few = NullCategoryClassifier(max_iter=60).fit(X, y_partial)
    many = NullCategoryClassifier(max_iter=200).fit(X, y_partial)
    assert_array_equal(few.coef_, many.coef_)
