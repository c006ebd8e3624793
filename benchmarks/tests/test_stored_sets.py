import os

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from widemargin_bench.generators import make_g50c, make_ringnorm, make_waveform
from widemargin_bench.stored_sets import list_sets, load_set

CELLS = np.array([[0, 2], [4, 6], [8, 10]], dtype=np.uint8)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with one scaled, one plain and one sparse set."""
    monkeypatch.delenv("WIDEMARGIN_DATA", raising=False)
    np.savez(
        tmp_path / "scaled.npz",
        X=CELLS,
        y=np.array([-1, 1, -1]),
        y3=np.array([3, 1, 2]),
        scale=0.1,
        offset=-1.0,
        train_size=2,
        shape=np.array([1, 2]),
        splits_labeled=np.array([[0, 1], [1, 2]]),
    )
    np.savez(tmp_path / "plain.npz", X=CELLS / 4, y=np.array([7, 3, 5]))
    csr = sparse.csr_matrix(CELLS / 4)
    np.savez(
        tmp_path / "words.npz",
        X_data=csr.data,
        X_indices=csr.indices,
        X_indptr=csr.indptr,
        X_shape=csr.shape,
        y=np.array([1, -1, 1]),
    )
    return tmp_path


@pytest.fixture
def published():
    """Folder of the real data, where the environment names one."""
    folder = os.environ.get("WIDEMARGIN_DATA")
    if not folder:
        pytest.skip("needs the benchmark data: set WIDEMARGIN_DATA to their folder")
    return folder


def test_names_are_the_archives_in_the_folder(folder):
    (folder / "README.md").write_text("not an archive")
    assert list_sets(folder) == ["plain", "scaled", "words"]


def test_environment_variable_names_the_folder(folder, monkeypatch):
    monkeypatch.setenv("WIDEMARGIN_DATA", str(folder))
    assert list_sets() == ["plain", "scaled", "words"]
    assert load_set("plain").data.shape == (3, 2)


def test_argument_wins_over_environment_variable(folder, monkeypatch, tmp_path):
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("WIDEMARGIN_DATA", str(tmp_path / "empty"))
    assert list_sets() == []
    assert list_sets(str(folder)) == ["plain", "scaled", "words"]


def test_integers_become_the_published_values(folder):
    data = load_set("scaled", folder=folder).data
    assert data.dtype == np.float64
    assert_allclose(data, [[-1, -0.8], [-0.6, -0.4], [-0.2, 0]], atol=1e-15)


def test_values_without_scale_are_passed_on(folder):
    assert_array_equal(load_set("plain", folder=folder).data, CELLS / 4)


def test_sparse_sets_stay_sparse(folder):
    data = load_set("words", folder=folder).data
    assert sparse.issparse(data)
    assert data.format == "csr"
    assert data.nnz == 5
    assert_array_equal(data.toarray(), CELLS / 4)


@pytest.mark.parametrize("name", ["scaled", "plain", "words"])
def test_single_precision(folder, name):
    single = load_set(name, folder=folder, dtype=np.float32).data
    double = load_set(name, folder=folder).data
    assert single.dtype == np.float32
    assert abs(single - double).max() < 1e-7


def test_signs_become_zero_and_one(folder):
    scaled = load_set("scaled", folder=folder)
    assert_array_equal(scaled.target, [0, 1, 0])
    assert_array_equal(load_set("words", folder=folder).target, [1, 0, 1])
    assert scaled.target.dtype.kind == "i"


def test_other_classes_are_as_published(folder):
    assert_array_equal(load_set("plain", folder=folder).target, [7, 3, 5])


def test_further_fields(folder):
    scaled = load_set("scaled", folder=folder)
    assert_array_equal(scaled.target3, [3, 1, 2])
    assert_array_equal(scaled.splits_labeled, [[0, 1], [1, 2]])
    assert type(scaled.train_size) is int
    assert scaled.train_size == 2
    assert scaled.shape == (1, 2)
    assert set(load_set("plain", folder=folder)) == {"data", "target"}


def test_without_a_folder_the_message_says_what_to_set(monkeypatch):
    monkeypatch.delenv("WIDEMARGIN_DATA", raising=False)
    for call in (list_sets, lambda: load_set("g50c")):
        with pytest.raises(FileNotFoundError, match=r"WIDEMARGIN_DATA .* g50c, iono"):
            call()


def test_empty_environment_variable_is_no_folder(monkeypatch):
    monkeypatch.setenv("WIDEMARGIN_DATA", "")
    with pytest.raises(FileNotFoundError, match=r"pass folder=\.\.\. or set"):
        list_sets()


def test_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no folder '.*nowhere' .*WIDEMARGIN"):
        list_sets(tmp_path / "nowhere")


def test_missing_set_lists_the_names_that_exist(folder):
    with pytest.raises(FileNotFoundError, match=r"'coil' .* plain, scaled, words;"):
        load_set("coil", folder=folder)


def test_empty_folder_says_so(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"holds no \.npz archive"):
        load_set("g50c", folder=tmp_path)


def test_names_cannot_leave_the_folder(folder):
    inner = folder / "inner"
    inner.mkdir()
    with pytest.raises(FileNotFoundError, match=r"no set '\.\./plain'"):
        load_set("../plain", folder=inner)


def test_pickled_objects_are_refused(folder):
    np.savez(folder / "pickled.npz", X=CELLS, y=np.array([{}, {}, {}], dtype=object))
    with pytest.raises(ValueError, match="allow_pickle=False"):
        load_set("pickled", folder=folder)


@pytest.mark.parametrize("field", ["X", "y", "X_data"])
def test_other_archives_are_refused_with_their_fields(folder, field):
    np.savez(folder / "odd.npz", **{field: np.arange(3)})
    with pytest.raises(ValueError, match=f"no archive of a set.* fields are {field}"):
        load_set("odd", folder=folder)


@pytest.mark.parametrize("dtype", [np.int64, np.float16])
def test_other_types_are_refused(folder, dtype):
    with pytest.raises(ValueError, match="must be float64 or float32"):
        load_set("plain", folder=folder, dtype=dtype)


@pytest.mark.parametrize(
    ("name", "n_samples", "n_features", "class_sizes"),
    [
        ("coil20", 1440, 1024, [0] + [72] * 20),
        ("g50c", 550, 50, [275, 275]),
        ("ionosphere", 351, 34, [126, 225]),
        ("pcmac", 1946, 7511, [961, 985]),
        ("splice", 3175, 60, [1527, 1648]),
        ("thyroid", 215, 5, [150, 65]),
    ],
)
def test_published_sizes(published, name, n_samples, n_features, class_sizes):
    benchmark = load_set(name, folder=published)
    assert benchmark.data.shape == (n_samples, n_features)
    assert_array_equal(np.bincount(benchmark.target), class_sizes)


def test_published_pixels_are_scaled(published):
    usps = load_set("usps", folder=published, dtype=np.float32)
    assert (usps.data.min(), usps.data.max()) == (-1, 1)
    assert usps.train_size == 7291
    assert usps.shape == (16, 16)


def test_published_waveform_has_the_classes_of_the_generator(published):
    file = load_set("waveform", folder=published)
    X, y = make_waveform(20_000, random_state=0)
    assert_array_equal(file.target, file.target3 == 1)
    for label in range(3):
        ours, theirs = X[y == label], file.data[file.target3 == label]
        assert_allclose(ours.mean(axis=0), theirs.mean(axis=0), atol=0.2)
        assert_allclose(np.cov(ours.T), np.cov(theirs.T), atol=0.35)


def test_published_ringnorm_is_the_standardized_generator(published):
    file = load_set("ringnorm", folder=published)
    X, y = make_ringnorm(20_000, random_state=0)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    for label in range(2):
        ours, theirs = X[y == label], file.data[file.target == label]
        assert_allclose(ours.mean(), theirs.mean(), atol=0.01)
        assert_allclose(ours.std(axis=0), theirs.std(axis=0), atol=0.05)


def test_published_g50c_has_the_means_of_the_generator(published):
    file = load_set("g50c", folder=published)
    X, y = make_g50c(20_000, random_state=0)
    for label in range(2):
        ours, theirs = X[y == label].mean(axis=0), file.data[file.target == label]
        assert_allclose(ours, theirs.mean(axis=0), atol=0.23)  # 3.7 standard errors
        assert_allclose(ours.mean(), theirs.mean(), atol=0.03)
