"""Extreme values: refused with a message, or the result on centered, scaled rows.

`tools/hostile.py` runs the whole grid of inputs and models, of which this is a part.
"""

import re

import hostile
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone

from widemargin import (
    FewLabelClassifier,
    LabelSearchClassifier,
    LaplacianRLSC,
    LaplacianSVC,
    LowDensityClassifier,
    MaxMarginClustering,
    SelfLabelingGPC,
    SelfLabelingSVC,
    SpectralClassifier,
    TransductiveSVC,
    TriClassSVC,
    UniversumSVC,
    load,
    save,
)
from widemargin.checks import DataWarning
from widemargin.graphs import knn_adjacency
from widemargin.kernels import ArdRbf, Laplacian, Rbf
from widemargin.linalg.rows import content_keys, near_origin, squared_distances
from widemargin.solvers.hinge import Smo
from widemargin.spaces.choose import allowed_memory, check_gram_memory

MODELS = [
    FewLabelClassifier(random_state=0),
    LabelSearchClassifier(random_state=0),
    LaplacianRLSC(random_state=0),
    LaplacianSVC(random_state=0),
    LaplacianSVC(landmarks=15, random_state=0),
    LowDensityClassifier(random_state=0),
    MaxMarginClustering(2, n_restarts=1, random_state=0),
    SelfLabelingGPC(random_state=0),
    SelfLabelingSVC(random_state=0),
    SpectralClassifier(random_state=0),
    TransductiveSVC(random_state=0),
    TriClassSVC(random_state=0),
    UniversumSVC(random_state=0),
]
of_all_models = pytest.mark.parametrize(
    "model", MODELS, ids=lambda model: re.sub(r"\(random.*", "", repr(model))
)
FORMATS = [np.asarray, sparse.csr_matrix, sparse.csr_array]


@pytest.fixture
def overlapping():
    """Two classes that overlap, in multiples of 2^-10: no offset up to 2^40 rounds."""
    rng = np.random.default_rng(3)
    codes = np.arange(40) % 2
    X = rng.normal(size=(40, 3)) + 1.5 * codes[:, None]
    return np.round(1024 * X) / 1024, np.where(np.arange(40) < 16, codes, -1)


def predictions(model, X, y, X_new=None):
    """Scores and classes of a fitted copy of a model."""
    model = clone(model).fit(X, y)
    X_new = X if X_new is None else X_new
    return np.asarray(model.decision_function(X_new)), model.predict(X_new)


def tolerance(model, scores):
    """Of scores; solvers of the hinge loss end with violations of a thousandth."""
    is_hinge = hasattr(model, "C")
    return (2e-3 if is_hinge else 1e-5) * np.abs(scores).max()


def solved_well(model):
    """The same model; in `TriClassSVC` the tolerance shows in the models' weights.

    That of the folds is ten times as large.
    """
    if not isinstance(model, TriClassSVC):
        return model
    return clone(model).set_params(solver=Smo(1e-5))


# Part of the grid


@pytest.mark.parametrize("part", range(4))
def test_hostile_inputs_are_refused_or_learned(part):
    wrong = {}
    for case in hostile.cases(every=131)[part::4]:
        outcome = hostile.run(case)
        if not outcome.is_good:
            wrong[case] = outcome
    assert not wrong


@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
def test_more_hostile_inputs_are_refused_or_learned(part):
    listed = hostile.cases(every=7)[part::8]
    wrong = {
        case: outcome for case in listed if not (outcome := hostile.run(case)).is_good
    }
    assert not wrong


def test_grid_has_thousands_of_fits_of_every_estimator():
    assert len(hostile.cases()) >= 4000
    assert {type(m) for m in hostile.models().values()} == {type(m) for m in MODELS}


def test_grid_finds_what_is_wrong(monkeypatch):
    """A model at chance, one that raises another error, one that never ends."""

    class Broken(LaplacianSVC):
        def fit(self, X, y, sample_weight=None):
            if self.ambient_reg == 1:
                raise IndexError("inner")
            while self.ambient_reg == 2:
                pass
            return super().fit(X, np.where(y >= 0, 1 - y, y))

    monkeypatch.setattr(hostile, "CPU_LIMIT", 0.2)
    kinds = []
    for reg in (0.001, 1, 2):
        broken = {"broken": Broken(ambient_reg=reg)}
        monkeypatch.setattr(hostile, "models", lambda broken=broken: broken)
        kinds.append(hostile.run(("plain-float64", "broken")).kind)
    assert kinds == ["inaccurate", "other error", "too long"]


# Invariances


@of_all_models
@pytest.mark.parametrize("offset", [2.0**10, 2.0**31, -(2.0**38)])
def test_an_offset_changes_nothing(overlapping, model, offset):
    X, y = overlapping
    model = solved_well(model)
    scores, classes = predictions(model, X, y)
    other_scores, other_classes = predictions(model, X + offset, y)
    assert_array_equal(other_classes, classes)
    assert_allclose(other_scores, scores, rtol=1e-4, atol=tolerance(model, scores))


@of_all_models
@pytest.mark.parametrize("value", [1.0, 1e5, 1.7e9, 1e12])
def test_a_constant_column_changes_nothing(overlapping, model, value):
    X, y = overlapping
    model = solved_well(model)
    scores, classes = predictions(model, X, y)
    wider = np.c_[X, np.full(len(X), value)]
    other_scores, other_classes = predictions(model, wider, y)
    assert_array_equal(other_classes, classes)
    assert_allclose(other_scores, scores, rtol=1e-4, atol=tolerance(model, scores))


@of_all_models
@pytest.mark.parametrize("exponent", [-400, -60, 3, 60, 400])
def test_powers_of_two_change_no_bit(overlapping, model, exponent):
    """For a Gaussian kernel whose width is taken from the rows."""
    X, y = overlapping
    expected, found = (
        predictions(model, rows, y) for rows in (X, np.ldexp(X, exponent))
    )
    if isinstance(
        model, FewLabelClassifier | SpectralClassifier | LowDensityClassifier
    ):
        assert_allclose(found[0], expected[0], rtol=1e-9)  # has linear components also
    else:
        assert_array_equal(found[0], expected[0])
    assert_array_equal(found[1], expected[1])


@of_all_models
@pytest.mark.parametrize("to_format", FORMATS[1:])
def test_sparse_rows_with_an_offset(overlapping, model, to_format):
    X, y = overlapping
    classes = predictions(model, to_format(X), y)[1]
    assert_array_equal(predictions(model, to_format(X + 2.0**30), y)[1], classes)


@of_all_models
def test_rows_in_blocks_with_an_offset(overlapping, model):
    X, y = overlapping
    if model.get_params().get("landmarks") == "auto":
        model = clone(model).set_params(landmarks=15)

    def fit(X):
        blocks = [X[:11], X[11:]]
        return clone(model).fit(blocks, y).predict(blocks)

    assert_array_equal(fit(X + 2.0**30), fit(X))


def test_a_saved_model_predicts_rows_with_an_offset(overlapping, tmp_path):
    X, y = overlapping
    for model in (LaplacianSVC(), SpectralClassifier(), TransductiveSVC()):
        fitted = clone(model).fit(X + 1e9, y)
        save(fitted, tmp_path / "model.wm")
        loaded = load(tmp_path / "model.wm")
        expected = fitted.predict_proba(X[:5] + 1e9)
        assert_allclose(loaded.predict_proba(X[:5] + 1e9), expected)


# Distances


@pytest.mark.parametrize("to_format", FORMATS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_kernels_and_graphs_of_rows_far_from_the_origin(rng, to_format, dtype):
    X = np.round(64 * rng.normal(size=(30, 20))) / 64  # so that no offset rounds
    Z, offset = X[:9], 2.0 ** (16 if dtype == np.float32 else 40)
    far, far_Z = (to_format((x + offset).astype(dtype)) for x in (X, Z))
    for kernel in (Rbf(0.05), ArdRbf(np.linspace(0, 0.1, 20)), Laplacian(0.05)):
        assert_allclose(kernel(far), kernel(X), rtol=1e-5)
        assert_allclose(kernel(far, far_Z), kernel(X, Z), rtol=1e-5)
        assert_allclose(kernel(far, far_Z[:1]), kernel(X, Z[:1]), rtol=1e-5)
    expected = knn_adjacency(X, 4, "binary")
    assert (knn_adjacency(far, 4, "binary") != expected).nnz == 0


@pytest.mark.parametrize("to_format", FORMATS[1:])
def test_sparse_rows_stay_sparse(rng, to_format):
    """Full columns are shifted; a column with a zero keeps its pattern."""
    X = rng.normal(size=(30, 6)) * (rng.random((30, 6)) < 0.3)
    far = to_format(np.c_[X, np.full(30, 1e8) + rng.normal(size=30)])
    before = far.copy()
    shifted, other = near_origin(far)
    assert other is None
    assert sparse.issparse(shifted)
    assert shifted.nnz == far.nnz
    assert_array_equal(shifted.toarray()[:, :6], X)
    assert np.abs(shifted.toarray()[:, 6]).max() < 10
    assert (far != before).nnz == 0
    squared = ((far.toarray()[:, None] - far.toarray()) ** 2).sum(axis=2)
    assert_allclose(squared_distances(far), squared, atol=1e-6)


def test_rows_near_the_origin_are_not_copied(X):
    for x in (X, X + 2.0, sparse.csr_matrix(X)):
        assert near_origin(x)[0] is x
        assert near_origin(x, x[:5])[0] is x


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("exponent", [-40, 40])
def test_squared_distances_keep_their_bits(X, dtype, exponent):
    X = X.astype(dtype)
    expected = squared_distances(X, X[:4], 0.7)
    scaled = np.ldexp(X, exponent)
    found = squared_distances(scaled, scaled[:4], np.ldexp(0.7, -2 * exponent))
    assert_array_equal(found, expected)


def test_order_of_rows_in_single_precision_has_all_digits(rng):
    X = np.float32(1e6) + rng.permutation(1000).astype(np.float32)[:, None]
    assert_array_equal(np.argsort(content_keys(X)), np.argsort(X[:, 0]))


# What is refused


@of_all_models
@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_squares_out_of_range_are_refused_with_the_value(overlapping, model, scale):
    X, y = overlapping
    with pytest.raises(ValueError, match=r"too (small|large) for float64; rescale X"):
        clone(model).fit(X * scale, y)


def test_columns_that_vary_too_little_beside_a_constant_one_are_refused(overlapping):
    X, y = overlapping
    with pytest.raises(
        ValueError, match=r"vary by at most .*e-200, and squares are too"
    ):
        LaplacianSVC().fit(np.c_[X * 1e-200, np.ones(40)], y)


def test_huge_rows_to_predict_are_refused(overlapping):
    X, y = overlapping
    model = LaplacianSVC().fit(X, y)
    with pytest.raises(
        ValueError, match=r"up to .*e\+200, whose squares are too large"
    ):
        model.predict(X * 1e200)
    assert np.isfinite(model.predict_proba(X * 1e100)).all()


@pytest.mark.parametrize("offset", [1.7e9, 1e12])
def test_an_offset_that_single_precision_cannot_hold_is_told(overlapping, offset):
    X, y = overlapping
    with pytest.warns(DataWarning, match=r"equal rows.* rounding in float32 .*offset"):
        LaplacianSVC().fit((X + offset).astype(np.float32), y)


@pytest.mark.parametrize("kernel", ["linear", "poly", "cosine"])
def test_inner_products_far_from_the_origin_are_refused(overlapping, kernel):
    X, y = overlapping
    for model in (LaplacianSVC(kernel=kernel), SelfLabelingSVC(kernel=kernel)):
        with pytest.raises(
            ValueError, match=r"must not be far from the origin.*Standard"
        ):
            clone(model).fit(X + 1e8, y)
    with pytest.raises(ValueError, match=r"is nearly constant.*StandardScaler"):
        LaplacianSVC(kernel=kernel).fit(X + 1e4, y)


@pytest.mark.parametrize("model", [TransductiveSVC, TriClassSVC, SelfLabelingSVC])
@pytest.mark.parametrize("scale", [1e-20, 1e20])
def test_linear_kernels_without_a_unit_for_costs_are_refused(overlapping, model, scale):
    X, y = overlapping
    with pytest.raises(ValueError, match=r"the unit of costs such as C, got .*rescale"):
        model(kernel="linear").fit(X * scale, y)


def test_two_columns_of_one_name_are_refused(overlapping):
    X, y = overlapping
    frame = pd.DataFrame(X, columns=["age", "sex", "age"])
    with pytest.raises(ValueError, match="more than one column 'age'"):
        LaplacianSVC().fit(frame, y)


@pytest.mark.parametrize("to_y", [list, lambda y: pd.Series(y, dtype=object)])
def test_tuples_as_labels_are_refused(overlapping, to_y):
    X, y = overlapping
    y = [("a", code) if code >= 0 else None for code in y.tolist()]
    with pytest.raises(ValueError, match=r"y holds \('a', 0\) \(tuple\)"):
        LaplacianSVC().fit(X, to_y(y))


# Weights


@of_all_models
@pytest.mark.parametrize("weight", [1e-320, 1e-300, 1e300])
def test_only_ratios_of_weights_matter(overlapping, model, weight):
    if isinstance(model, MaxMarginClustering):
        pytest.skip("has no weights")
    X, y = overlapping
    expected = clone(model).fit(X, y).predict_proba(X)
    found = clone(model).fit(X, y, sample_weight=np.full(40, weight)).predict_proba(X)
    assert_array_equal(found, expected)


@pytest.mark.parametrize("weight", [1e-300, 1e-20, 1e20, 1e300])
def test_weights_that_rounding_would_hide_are_refused(overlapping, weight):
    X, y = overlapping
    weights = np.where(y == 1, weight, 1.0)
    for model in (TransductiveSVC(), UniversumSVC(), SelfLabelingSVC()):
        with pytest.raises(ValueError, match="set the weights of rows to leave out"):
            clone(model).fit(X, y, sample_weight=weights)


def test_labels_of_weight_zero_are_no_labels(overlapping):
    X, y = overlapping
    with pytest.raises(
        ValueError,
        match=r"two labeled classes.* weight zero or of no class are left out",
    ):
        LaplacianSVC().fit(X, y, sample_weight=np.where(y >= 0, 0.0, 1.0))


# Memory


def test_limits_of_containers_and_processes_count(tmp_path):
    without = allowed_memory(tmp_path)
    (tmp_path / "memory.max").write_text("max\n")
    assert allowed_memory(tmp_path) == without
    (tmp_path / "memory.max").write_text("1048576\n")
    assert allowed_memory(tmp_path) == 2**20
    installed = allowed_memory(tmp_path)
    with pytest.raises(MemoryError, match="has 0 GiB for this process; set landmarks"):
        check_gram_memory(1000, 8, "Model", "landmarks=None", installed=installed)


def test_limit_of_the_process_counts(tmp_path):
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (2**36, hard))
    try:
        assert allowed_memory(tmp_path) <= 2**36
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
