"""Fits and predictions on rows in blocks are those on the joined matrix."""

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import npy_folder
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone

import widemargin
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
)
from widemargin.parameters import Budget, InformativeVectors, KnnGraph, Nystrom, Rbf
from widemargin.rows import find_kind

N_ROWS = 240
CUTS = [0, 60, 60, 75, 200, 240]
SLOW = pytest.mark.slow
MODELS = [
    LaplacianSVC(landmarks=30),
    LaplacianSVC(landmarks=30, kernel=Rbf("median"), intrinsic_reg=0.1),
    LaplacianRLSC(landmarks=Nystrom(30, "kmeans"), kernel="cosine"),
    LaplacianRLSC(landmarks=30, class_weight="balanced"),
    TransductiveSVC(landmarks=30),
    pytest.param(TransductiveSVC(kernel="linear"), marks=SLOW),
    pytest.param(TriClassSVC(landmarks=30, irrelevant_label=7), marks=SLOW),
    UniversumSVC(landmarks=30, irrelevant_label=7),
    LabelSearchClassifier(landmarks=30),
    LabelSearchClassifier(landmarks=30, intrinsic_reg=1e-3),
    SelfLabelingGPC(landmarks=30),
    SelfLabelingGPC(landmarks=InformativeVectors(30)),
    pytest.param(SelfLabelingGPC(landmarks=30, hyperparameters="loo"), marks=SLOW),
    SelfLabelingSVC(landmarks=30),
    LowDensityClassifier(),
    SpectralClassifier(),
    SpectralClassifier(families="labels"),
    FewLabelClassifier(budget=Budget(2, spectral_rows=90, n_rows=90, fold_rows=60)),
]


def name_of(value):
    return repr(value) if hasattr(value, "get_params") else None


def cut(X, cuts=CUTS):
    return [X[a:b] for a, b in pairwise(cuts)]


@pytest.fixture
def data(rng):
    """Three Gaussian classes, 40 labels, 20 irrelevant rows and a few copies."""
    codes = rng.integers(3, size=N_ROWS)
    X = rng.normal(size=(N_ROWS, 4)) + 2.5 * np.eye(3, 4)[codes]
    y = np.full(N_ROWS, -1)
    y[:40], y[220:] = codes[:40], 7
    shuffled = rng.permutation(N_ROWS)
    X, y, codes = X[shuffled], y[shuffled], codes[shuffled]
    copies = np.flatnonzero(y >= 0)[:6]
    X[[3, 70, 210]], y[[3, 70, 210]] = X[copies[:3]], y[copies[:3]]
    return X, y, codes


def without_irrelevant(model, y):
    return (
        y if getattr(model, "irrelevant_label", None) == 7 else np.where(y == 7, -1, y)
    )


def assert_same(found, expected, X, parts, tolerance):
    options = {"rtol": tolerance, "atol": tolerance}
    scores = expected.decision_function(X)
    assert_allclose(found.decision_function(parts), scores, **options)
    assert_allclose(found.predict_proba(parts), expected.predict_proba(X), **options)
    assert_array_equal(found.predict(parts), expected.predict(X))
    for name in ("transduction_", "relevance_"):
        if hasattr(expected, name):
            assert_array_equal(getattr(found, name), getattr(expected, name))


@pytest.mark.parametrize("model", MODELS, ids=name_of)
def test_a_fit_on_blocks_is_that_on_the_joined_matrix(data, model):
    X, y, _ = data
    y, parts, model = without_irrelevant(model, y), cut(X), clone(model)
    model.set_params(random_state=0)
    weights = np.where(np.arange(N_ROWS) % 11 == 5, 0.0, 1.0)  # some are left out
    weights[y >= 0] = 1.0
    whole = clone(model).fit(X, y, sample_weight=weights)
    found = model.fit(parts, y, sample_weight=weights)
    assert found.n_features_in_ == 4
    assert_same(found, whole, X, parts, 1e-6)
    assert_same(found, whole, X, X, 1e-6)  # new rows may come either way


@pytest.mark.parametrize("kind", ["float32", "csr", "memmap", "int"])
@pytest.mark.parametrize(
    "model",
    [
        LaplacianSVC(landmarks=30),
        pytest.param(TransductiveSVC(landmarks=30), marks=SLOW),
        SelfLabelingGPC(landmarks=30),
        SpectralClassifier(),
    ],
    ids=name_of,
)
def test_blocks_may_be_of_any_kind(data, model, kind, tmp_path):
    X, y, _ = data
    y, tolerance = without_irrelevant(model, y), 1e-6
    if kind == "float32":
        X, tolerance = X.astype(np.float32), 1e-2
    elif kind == "csr":
        X = sparse.csr_array(X * (X > 0))
    elif kind == "int":
        X = np.round(10 * X + np.random.default_rng(0).uniform(size=X.shape), 0)
        X = (1000 * X).astype(np.int64) + np.arange(N_ROWS)[
            :, None
        ]  # few equal lengths
    parts = cut(X)
    if kind == "memmap":
        for place, part in enumerate(parts):
            np.save(tmp_path / f"{place}.npy", part)
        files = sorted(tmp_path.glob("*.npy"))
        parts = [np.load(file, mmap_mode="r") for file in files]
    model = clone(model).set_params(random_state=0)
    whole = clone(model).fit(X, y)
    assert_same(model.fit(parts, y), whole, X, parts, tolerance)
    assert model.decision_function(parts).dtype == whole.decision_function(X).dtype


def test_clusters_of_blocks_are_those_of_the_joined_matrix(data):
    X, parts = data[0], cut(data[0])
    model = MaxMarginClustering(3, landmarks=30, n_restarts=1, random_state=0)
    whole = clone(model).fit(X)
    assert_array_equal(model.fit(parts).labels_, whole.labels_)
    assert_array_equal(model.predict(parts), whole.predict(X))
    assert model.parameters_.power == whole.parameters_.power


@pytest.mark.parametrize(
    "model",
    [
        LaplacianSVC(landmarks=30),
        LabelSearchClassifier(landmarks=30),
        FewLabelClassifier(candidates=["laplacian"], budget=Budget(1, 90, 90, 60)),
    ],
    ids=name_of,
)
def test_neither_cuts_nor_the_order_of_rows_matter(data, model, rng):
    X, y, _ = data
    y, model = without_irrelevant(model, y), clone(model).set_params(random_state=0)
    shuffled = rng.permutation(N_ROWS)
    found = clone(model).fit(cut(X[shuffled], [0, 120, 240]), y[shuffled])
    expected = model.fit(cut(X), y)
    assert_allclose(found.predict_proba(X), expected.predict_proba(X), atol=1e-6)
    assert_array_equal(found.transduction_, expected.transduction_[shuffled])


def test_own_graph_grid_and_path(data):
    X, y, _ = data
    y, parts = without_irrelevant(None, y), cut(X)
    adjacency = KnnGraph(6).adjacency(X)
    model = LaplacianSVC(landmarks=30, random_state=0)
    pairs = [
        [clone(model).fit(rows, y, adjacency=adjacency) for rows in (X, parts)],
        [
            clone(model).fit_grid(rows, y, ambient_reg=[0.1], intrinsic_reg=[0.1])[0]
            for rows in (X, parts)
        ],
        [
            LabelSearchClassifier(landmarks=30, random_state=0).fit_path(
                rows, y, ambient_reg=[0.1]
            )[0]
            for rows in (X, parts)
        ],
    ]
    for whole, found in pairs:
        assert_same(found, whole, X, parts, 1e-6)


def test_a_standard_deviation_for_each_row_of_the_blocks(data):
    X, y, _ = data
    model = SelfLabelingGPC(landmarks=30).fit(cut(X), without_irrelevant(None, y))
    _, found = model.predict(cut(X), return_std=True)
    assert_allclose(found, model.predict(X, return_std=True)[1], rtol=1e-10)


# A backend in a file of its own


@pytest.fixture
def folder(data, tmp_path):
    """The rows in files of 60."""
    folder = tmp_path / "rows"
    folder.mkdir()
    for place, part in enumerate(cut(data[0], [0, 60, 120, 180, 240])):
        np.save(folder / f"{place}.npy", part)
    return folder


@pytest.fixture
def matrices(monkeypatch, folder):
    """Numbers of rows of all matrices that are read from files or made of several."""
    sizes = []
    kind = find_kind(folder)  # the collector of doctests imports its module once more
    files = kind.__init__.__globals__["NpyFile"]

    def watched(method):
        def read(self, idx):
            found = method(self, idx)
            sizes.append(len(found))
            return found

        return read

    monkeypatch.setattr(files, "__getitem__", watched(files.__getitem__))
    monkeypatch.setattr(kind, "take", watched(kind.take))
    return sizes


@pytest.mark.parametrize(
    "model",
    [
        LaplacianSVC(landmarks=3),
        LabelSearchClassifier(landmarks=3, intrinsic_reg=1e-3),
        TransductiveSVC(landmarks=3),
        SelfLabelingGPC(landmarks=3),
    ],
    ids=name_of,
)
def test_a_backend_fits_and_predicts_and_never_forms_the_matrix(
    data, folder, matrices, model
):
    X, y, _ = data
    y, model = without_irrelevant(None, y), clone(model).set_params(random_state=0)
    found = clone(model).fit(folder, y)
    assert found.predict(folder).shape == (N_ROWS,)
    assert max(matrices) <= 60  # a file, or twenty rows for each landmark
    assert_same(found, model.fit(X, y), X, folder, 1e-6)


FIT = """
import sys
from pathlib import Path
import numpy as np
from widemargin import LaplacianSVC
y = np.load(sys.argv[2])
model = LaplacianSVC(landmarks=30, random_state=0).fit(Path(sys.argv[1]), y)
assert "npy_folder" in sys.modules
np.save(sys.argv[3], model.predict(Path(sys.argv[1])))
"""


@pytest.mark.slow
def test_an_installed_backend_is_found(data, folder, tmp_path):
    """By the entry point of its package, without an import by the user."""
    X, y, _ = data
    y = without_irrelevant(None, y)
    info = tmp_path / "toy-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[widemargin.plugins]\ntoy = npy_folder\n")
    source = Path(widemargin.__file__).parents[1]
    paths = [source, tmp_path, Path(npy_folder.__file__).parent]
    np.save(tmp_path / "y.npy", y)
    arguments = [folder, tmp_path / "y.npy", tmp_path / "found.npy"]
    done = subprocess.run(
        [sys.executable, "-c", FIT, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    expected = LaplacianSVC(landmarks=30, random_state=0).fit(X, y).predict(X)
    assert_array_equal(np.load(tmp_path / "found.npy"), expected)


# Messages


def test_a_bad_block_is_named_in_fit_and_predict(data):
    X, y, _ = data
    model = LaplacianSVC(landmarks=30)
    bad = X.copy()
    bad[70, 2] = np.nan
    with pytest.raises(ValueError, match="block 2 of X of LaplacianSVC holds NaN"):
        model.fit(cut(bad), y)
    model.fit(cut(X), y)
    with pytest.raises(ValueError, match="block 2 of X of LaplacianSVC holds NaN"):
        model.predict(cut(bad))
    message = "X has 3 features, but LaplacianSVC is expecting 4 features"
    with pytest.raises(ValueError, match=message):
        model.predict(cut(X[:, :3]))


def test_labels_are_as_many_as_rows_of_all_blocks(data):
    X, y, _ = data
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        LaplacianSVC().fit(cut(X), y[:-1])


@pytest.mark.parametrize(
    "model",
    [
        LaplacianSVC(landmarks=None),
        TransductiveSVC(solver="smo"),
        TransductiveSVC(kernel="linear", landmarks=None, solver="newton"),
    ],
    ids=name_of,
)
def test_exact_kernels_are_refused(data, model):
    message = f"{type(model).__name__} got 23. rows in 5 blocks, and exact kernels"
    with pytest.raises(ValueError, match=message):
        model.fit(cut(data[0]), without_irrelevant(None, data[1]))


def test_a_gram_matrix_is_not_given_in_blocks(data):
    X, y, _ = data
    model, gram = LaplacianSVC(kernel="precomputed"), X @ X.T
    message = (
        "X of LaplacianSVC with kernel='precomputed' must be one matrix .* BlockRows"
    )
    with pytest.raises(ValueError, match=message):
        model.fit(cut(gram), y)
    model.fit(gram, y)
    with pytest.raises(ValueError, match=message):
        model.predict(cut(gram))
