"""Fits on rows that are read block by block."""

from functools import reduce
from operator import add

import numpy as np
import pandas as pd
import pytest
from block_problems import (
    COLUMNS,
    N_GATHERED,
    N_ROWS,
    accuracy,
    make_problem,
    use_few_rows,
)
from numpy.testing import assert_allclose, assert_array_equal
from pyarrow.parquet import ParquetFile
from scipy import sparse
from sklearn.base import clone
from sklearn.decomposition import PCA, IncrementalPCA, TruncatedSVD
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer, StandardScaler

import widemargin
from widemargin import FewLabelClassifier, TableEncoder
from widemargin.blocks import ArrayBlocks, Block, Blocks, ParquetBlocks, gather_rows
from widemargin.estimators import few_label_classifier
from widemargin.graphs.anchors import Anchors
from widemargin.progress import is_watched, watch
from widemargin.spaces import bases


class ListBlocks(Blocks):
    """Blocks that are in memory, as a backend of another package may have them."""

    def __init__(self, parts, n_features=20):
        self.parts, self.n_features = parts, n_features
        self.n_rows = sum(X.shape[0] for X, _ in parts)
        self.dtype = np.dtype(np.float64)

    def __iter__(self):
        start = 0
        for place, (X, y) in enumerate(self.parts):
            yield Block(X, y, start, f"block {place} of X")
            start += X.shape[0]


@pytest.fixture
def problem():
    return make_problem()


@pytest.fixture
def few_rows(monkeypatch):
    use_few_rows(monkeypatch)


@pytest.fixture
def folder(problem, tmp_path):
    X, y, partial = problem
    for place, start in enumerate(range(0, N_ROWS, 600)):
        rows = slice(start, start + 600)
        frame = pd.DataFrame(X[rows], columns=COLUMNS)
        frame["y"], frame["truth"] = partial[rows], y[rows]
        frame.to_parquet(tmp_path / f"part-{place}.parquet", row_group_size=250)
    (tmp_path / "_hidden.parquet").write_text("not a table")
    return tmp_path


def fit(blocks, candidates=("spectral",), **options):
    return FewLabelClassifier(candidates, random_state=0, **options).fit(blocks)


def test_few_rows_give_the_model_of_rows_in_memory(problem):
    X, _, partial = problem
    found = fit(ArrayBlocks(X, partial, block_rows=400), "auto")
    whole = FewLabelClassifier(random_state=0).fit(X, partial)
    assert_array_equal(found.predict_proba(X), whole.predict_proba(X))
    assert found.row_idx_ is None
    assert_array_equal(found.transduction_, whole.transduction_)


def test_all_rows_count_by_anchors(problem, few_rows):
    X, y, partial = problem
    model = fit(ArrayBlocks(X, partial, block_rows=400), "auto")
    assert accuracy(model, X, y) > 0.95
    some = FewLabelClassifier(random_state=0)
    some.fit(X[model.row_idx_], partial[model.row_idx_])
    assert accuracy(model, X, y) > accuracy(some, X, y)
    assert len(model.row_idx_) <= N_GATHERED + 30
    assert len(model.transduction_) == len(model.row_idx_)
    assert f"all {N_ROWS:,} rows count" in str(model.report_)


def test_all_rows_of_a_list_count_by_anchors(problem, few_rows, monkeypatch):
    X, y, partial = problem
    model = FewLabelClassifier(["spectral"], random_state=0)
    model.fit(np.array_split(X, 4), partial)
    other = clone(model).fit(np.array_split(X, 3), partial)
    assert_allclose(model.predict_proba(X), other.predict_proba(X), atol=1e-6)
    assert len(model.transduction_) == N_ROWS
    assert f"all {N_ROWS:,} rows count in the graph" in str(model.report_)
    assert "rows that were kept" not in str(model.report_)
    monkeypatch.setattr(few_label_classifier, "join_anchors", lambda *_: None)
    some = clone(model).fit(np.array_split(X, 4), partial)
    assert accuracy(model, X, y) > max(accuracy(some, X, y), 0.95)


def test_an_update_of_a_list_keeps_the_anchors(problem, few_rows, monkeypatch):
    """Unless weights leave out other rows; the result is that of a new fit."""
    X, y, partial = problem
    parts, more = np.array_split(X, 4), partial.copy()
    more[:20] = y[:20]
    joined, n_joined = few_label_classifier.join_anchors, []
    monkeypatch.setattr(
        few_label_classifier,
        "join_anchors",
        lambda *arguments: n_joined.append(1) or joined(*arguments),
    )
    model = FewLabelClassifier(["spectral"], random_state=0).fit(parts, partial)
    model.update(more)
    assert len(n_joined) == 1
    again = clone(model).fit(parts, more)
    assert_allclose(model.predict_proba(X), again.predict_proba(X), atol=1e-8)
    weights = np.where(np.arange(N_ROWS) < 1200, 1.0, 0.0)
    model.update(more, sample_weight=weights)
    again.fit(parts, more, sample_weight=weights)
    assert_allclose(model.predict_proba(X), again.predict_proba(X), atol=1e-8)
    assert "all 1,200 rows count" in str(model.report_)


def test_weights_of_rows_in_a_list_count(problem, few_rows):
    """Rows of weight zero are left out, also of the graph of anchors."""
    X, _, partial = problem
    weights = np.where(np.arange(N_ROWS) < 1200, 1.0, 0.0)
    assert (np.unique(partial[:1200]) == np.unique(partial)).all()
    found = FewLabelClassifier(["spectral"], random_state=0)
    found.fit(np.array_split(X, 4), partial, sample_weight=weights)
    part = clone(found).fit([X[:700], X[700:1200]], partial[:1200])
    assert_allclose(found.predict_proba(X), part.predict_proba(X), atol=1e-6)


def test_sparse_rows_of_a_list_have_no_anchors(problem, few_rows):
    X, _, partial = problem
    blocks = [sparse.csr_matrix(part) for part in np.array_split(X, 4)]
    model = FewLabelClassifier(random_state=0).fit(blocks, partial)
    assert model.report_.candidates[1].n_rows == N_GATHERED


@pytest.mark.parametrize("block_rows", [7, 1499])
def test_blocks_of_any_size_give_the_same_model(problem, few_rows, block_rows):
    X, _, partial = problem
    whole = fit(ArrayBlocks(X, partial)).predict_proba(X)
    found = fit(ArrayBlocks(X, partial, block_rows=block_rows))
    assert_allclose(found.predict_proba(X), whole, atol=1e-6)


def test_memory_maps_and_parquet_give_the_same_model(
    problem, few_rows, folder, tmp_path_factory
):
    X, _, partial = problem
    whole = fit(ArrayBlocks(X, partial))
    path = tmp_path_factory.mktemp("arrays") / "X.npy"
    np.save(path, X)
    probabilities = whole.predict_proba(X)
    found = fit(ArrayBlocks(path, partial, block_rows=500))
    assert_allclose(found.predict_proba(X), probabilities, atol=1e-6)
    blocks = ParquetBlocks(folder, target="y", columns=COLUMNS, block_rows=200)
    assert len(blocks) == N_ROWS
    assert blocks.dtype == np.float32
    found = fit(blocks)
    frame = pd.DataFrame(X, columns=COLUMNS)
    assert_allclose(found.predict_proba(frame), probabilities, atol=1e-6)
    assert_array_equal(found.feature_names_in_, COLUMNS)


def test_columns_may_be_of_different_types(problem, few_rows, tmp_path):
    X, _, partial = problem
    frame = pd.DataFrame(X, columns=COLUMNS)
    frame["x0"], frame["x1"] = frame["x0"] > 0, frame["x1"].astype("Float64")
    frame["x2"] = (10 * frame["x2"]).astype("int16")
    parts = [(frame[:700], partial[:700]), (frame[700:], partial[700:])]
    plain = frame.to_numpy(dtype=np.float64)
    found = fit(ListBlocks(parts)).predict_proba(plain)
    expected = fit(ArrayBlocks(plain, partial)).predict_proba(plain)
    assert_allclose(found, expected, atol=1e-6)
    frame.assign(y=partial).to_parquet(tmp_path / "rows.parquet")
    blocks = ParquetBlocks(tmp_path, target="y")
    assert_allclose(fit(blocks).predict_proba(frame), expected, atol=1e-6)
    frame.loc[900, "x1"] = pd.NA
    with pytest.raises(ValueError, match="block 1 of X holds NaN"):
        fit(ListBlocks([parts[0], (frame[700:], partial[700:])]))


def test_empty_blocks_change_nothing(problem, few_rows):
    X, _, partial = problem
    parts = [(X[:0], partial[:0]), (X[:700], partial[:700]), (X[700:], partial[700:])]
    found = fit(ListBlocks([*parts, (X[:0], partial[:0])])).predict_proba(X)
    assert_allclose(found, fit(ListBlocks(parts[1:])).predict_proba(X), atol=1e-6)


def test_functions_have_the_scale_of_all_rows(problem, few_rows, monkeypatch):
    X, _, partial = problem
    made, fit_basis = [], bases.AnchorBasis.fit.__func__

    def keep(cls, *args):
        made.append(fit_basis(cls, *args))
        return made[-1]

    monkeypatch.setattr(bases.AnchorBasis, "fit", classmethod(keep))
    fit(ArrayBlocks(X, partial))
    basis = made[0]
    of_all = basis.anchors.weights(X) @ basis.anchor_vectors
    assert_allclose(basis.mean_squares, (of_all**2).mean(axis=0), rtol=1e-5)
    coordinates = np.eye(of_all.shape[1])[:, :3]
    function = basis.to_function(None, coordinates, None)
    assert_allclose(function(X), of_all[:, :3], atol=1e-9)


def test_suggestions_and_suspects_are_positions_in_all_blocks(problem, few_rows):
    X, _, partial = problem
    wrong = np.flatnonzero(partial >= 0)[3]
    partial[wrong] = 1 - partial[wrong]
    model = fit(ArrayBlocks(X, partial, block_rows=400))
    suggested = model.suggest(5).rows
    assert (partial[suggested] < 0).all()
    assert_array_equal(model.report_.label_next[:1], model.suggest(10).rows[:1])
    assert wrong in model.report_.suspect_labels.rows
    explained = model.explain(X[:3])
    assert_array_equal(partial[explained.rows], explained.labels)


def test_files_hold_models_of_blocks(problem, few_rows, tmp_path):
    X, _, partial = problem
    model = fit(ArrayBlocks(X, partial))
    widemargin.save(model, tmp_path / "model.wm")
    loaded = widemargin.load(tmp_path / "model.wm")
    assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


def test_transformers_learn_from_all_blocks(problem, few_rows):
    X, y, partial = problem
    spread = X * np.logspace(-3, 3, 20)
    scaled = ArrayBlocks(spread, partial, block_rows=400).transformed(StandardScaler())
    expected = StandardScaler().fit(spread)
    assert_allclose(scaled.transformer.scale_, expected.scale_, rtol=1e-6)
    model = fit(scaled)
    assert accuracy(model, expected.transform(spread), y) > 0.95
    again = ArrayBlocks(spread, partial).transformed(expected)
    assert again.transformer is expected
    reduced = scaled.transformed(IncrementalPCA(6))
    assert reduced.n_features == 6
    exact = PCA(6).fit(expected.transform(spread)).explained_variance_
    assert_allclose(reduced.transformer.explained_variance_, exact, rtol=0.1)


def test_blocks_smaller_than_the_number_of_components_are_joined(problem):
    X, _, partial = problem
    blocks = ArrayBlocks(X[:202], partial[:202], block_rows=4)
    found = blocks.transformed(IncrementalPCA(8)).transformer
    assert found.n_samples_seen_ == 202


def test_a_transformer_needs_batches(problem):
    X, _, partial = problem
    with pytest.raises(TypeError, match=r"QuantileTransformer .* no partial_fit"):
        ArrayBlocks(X, partial).transformed(QuantileTransformer())


def test_tables_are_encoded_after_an_encoder_has_seen_some_rows(folder, few_rows):
    frame = pd.read_parquet(folder / "part-0.parquet").drop(columns=["y", "truth"])
    blocks = ParquetBlocks(folder, target="y", columns=list(frame))
    model = fit(blocks.transformed(TableEncoder().fit(frame)))
    assert model.n_features_in_ == 20


def test_sparse_rows_are_refused_with_a_way_out(problem, few_rows, folder):
    X, _, partial = problem
    with pytest.raises(ValueError, match=r"X of ArrayBlocks is sparse.*TruncatedSVD"):
        ArrayBlocks(sparse.csr_matrix(X), partial)
    with pytest.raises(ValueError, match=r"block 0 of X is sparse.*TruncatedSVD"):
        fit(ListBlocks([(sparse.csr_array(X), partial)]))
    rng = np.random.default_rng(0)
    words = np.array(["red", "blue", "fast", "slow", "car", "was", "sold"])
    for path in folder.glob("part-*"):
        frame = pd.read_parquet(path).drop(columns="truth")
        frame["text"] = [" ".join(rng.choice(words, 6)) for _ in range(len(frame))]
        frame.to_parquet(path)
    frame, blocks = frame.drop(columns="y"), ParquetBlocks(folder, target="y")
    encoder = TableEncoder(text=["text"]).fit(frame)
    with pytest.raises(ValueError, match=r"X after TableEncoder is sparse"):
        blocks.transformed(encoder)
    pipeline = make_pipeline(encoder, TruncatedSVD(10)).fit(frame)
    assert fit(blocks.transformed(pipeline)).n_features_in_ == 10


def test_labels_are_thinned_whatever_the_blocks_are(problem):
    X, y, _ = problem
    y = y.copy()
    y[:2] = 7  # a rare class

    def gather(block_rows):
        blocks = ArrayBlocks(X, y, block_rows=block_rows)
        return gather_rows(blocks, np.random.default_rng(0), n_drawn=50)

    found, other = gather(200), gather(1500)
    assert_array_equal(found.idx, other.idx)
    assert_array_equal(found.y, other.y)
    known = found.y >= 0
    assert known.sum() == 50
    assert (found.y == 7).sum() == 2
    assert_array_equal(found.y[known], y[found.idx[known]])
    assert_array_equal(found.rows, X[found.idx])
    assert found.n_labels == N_ROWS


class SpyBlocks(ArrayBlocks):
    """Blocks that are added up by halves, as on a cluster, and keep what is found."""

    def total(self, function, shared, say=None):
        parts = [function(block, shared) for block in self]
        while len(parts) > 1:
            parts = [reduce(add, parts[i : i + 2]) for i in range(0, len(parts), 2)]
        self.found = parts[0]
        return self.found


@pytest.mark.filterwarnings("ignore:y has too many classes")
@pytest.mark.parametrize("n_classes", [2, 20, 400])
def test_surveys_of_any_order_keep_few_labels_and_the_same(problem, n_classes):
    X, _, _ = problem
    y = np.sort(np.random.default_rng(0).integers(n_classes, size=N_ROWS))

    def gather(kind, block_rows):
        blocks = kind(X, y, block_rows=block_rows)
        return blocks, gather_rows(blocks, np.random.default_rng(0), n_drawn=50)

    _, expected = gather(ArrayBlocks, N_ROWS)  # of all labels at once
    for block_rows in (7, 40, 400):
        blocks, found = gather(SpyBlocks, block_rows)
        assert len(blocks.found.labeled) == 50
        assert sum(map(len, blocks.found.drawn)) == 50
        _, in_turn = gather(ArrayBlocks, block_rows)
        for each in (found, in_turn):
            assert_array_equal(each.idx, expected.idx)
            assert_array_equal(each.y, expected.y)
            assert_array_equal(each.rows, X[expected.idx])


@pytest.mark.parametrize("names", [["b", "a"], [True, False], [3.0, 5.0]])
def test_labels_may_be_of_any_type(problem, few_rows, names):
    X, _, partial = problem
    y = np.array([None if code < 0 else names[code] for code in partial], dtype=object)
    model = fit(ArrayBlocks(X, y, block_rows=300))
    assert sorted(model.classes_.tolist()) == sorted(names)


def spoil(problem, place, change):
    """Blocks of which one was changed."""
    X, _, partial = problem
    parts = [(X[i : i + 500], partial[i : i + 500]) for i in (0, 500, 1000)]
    parts[place] = change(*parts[place])
    return ListBlocks(parts)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y: (np.where(X > 1, np.nan, X), y), "block 1 of X holds NaN"),
        (lambda X, y: (X[:, :19], y), r"block 1 .* in 20 columns.*\(500, 19\)"),
        (lambda X, y: (X.astype(str), y), "block 1 .* must hold numbers"),
        (lambda X, y: (X, y[1:]), "block 1 .* 500 rows, but its part of y 499"),
        (lambda X, y: (X, np.array(["a"] * 500)), "mixes labels of different types"),
    ],
)
def test_a_bad_block_is_named_before_rows_are_joined(
    problem, few_rows, monkeypatch, change, message
):
    monkeypatch.setattr("widemargin.blocks.find_anchors", None)  # would fail
    with pytest.raises(ValueError, match=message):
        fit(spoil(problem, 1, change))


def test_labels_must_be_in_some_block(problem, few_rows):
    X, _, partial = problem
    with pytest.raises(ValueError, match="no label in any of 3 blocks"):
        fit(ArrayBlocks(X, np.full(len(X), -1), block_rows=500))
    with pytest.raises(ValueError, match="at least two labeled classes"):
        fit(ArrayBlocks(X, np.where(partial == 0, 0, -1), block_rows=500))
    with pytest.raises(ValueError, match="no label in any"):
        fit(ArrayBlocks(X, block_rows=500))


def test_bad_arguments(problem, tmp_path):
    X, _, partial = problem
    with pytest.raises(ValueError, match="have the labels with them"):
        FewLabelClassifier().fit(ArrayBlocks(X, partial), partial)
    with pytest.raises(ValueError, match="for each of 1,500 rows, got 3"):
        ArrayBlocks(X, partial[:3])
    with pytest.raises(ValueError, match="must be an array of rows"):
        ArrayBlocks(X[:, 0])
    with pytest.raises(ValueError, match="must hold numbers, got object"):
        ArrayBlocks(X.astype(object), partial)
    with pytest.raises(ValueError, match="at least one row"):
        fit(ArrayBlocks(X[:0], partial[:0]))
    with pytest.raises(ValueError, match=r"no files that end in \.parquet"):
        ParquetBlocks(tmp_path)
    with pytest.raises(ValueError, match="no file or folder"):
        ParquetBlocks(tmp_path / "missing")
    (tmp_path / "a.parquet").write_text("text")
    with pytest.raises(ValueError, match=r"a\.parquet is not a Parquet file"):
        ParquetBlocks(tmp_path)


def test_a_data_frame_is_read_in_slices(problem, few_rows):
    X, _, partial = problem
    frame = pd.DataFrame(X, columns=COLUMNS)
    found = fit(ArrayBlocks(frame, partial, block_rows=400))
    assert_array_equal(found.feature_names_in_, COLUMNS)
    expected = fit(ArrayBlocks(X, partial)).predict_proba(X)
    assert_allclose(found.predict_proba(frame), expected, atol=1e-6)
    assert ArrayBlocks(frame.set_axis(range(20), axis=1)).feature_names is None
    with pytest.raises(ValueError, match=r"must hold numbers, got (str|object)"):
        ArrayBlocks(frame.assign(x3="a"), partial)


@pytest.mark.parametrize("block_rows", [0, -5, 2.5, "all"])
def test_block_rows_is_a_number(problem, folder, block_rows):
    message = f"block_rows must be a number from 1 on, got {block_rows!r}"
    with pytest.raises(ValueError, match=message):
        ArrayBlocks(problem[0], block_rows=block_rows)
    with pytest.raises(ValueError, match=message):
        ParquetBlocks(folder, block_rows=block_rows)


def test_update_needs_all_rows(problem, few_rows):
    X, _, partial = problem
    model = fit(ArrayBlocks(X, partial))
    with pytest.raises(ValueError, match="call fit again with blocks"):
        model.update(partial)
    model.fit(X[:200], partial[:200]).update(partial[:200])


def test_files_of_a_folder_must_fit_each_other(folder):
    with pytest.raises(ValueError, match=r"part-0.parquet has no column 'label'"):
        ParquetBlocks(folder, target="label")
    frame = pd.read_parquet(folder / "part-1.parquet")
    frame.assign(x3=frame["x3"].astype(str)).to_parquet(folder / "part-1.parquet")
    with pytest.raises(ValueError, match=r"'x3' is .*string in .*part-1"):
        ParquetBlocks(folder, target="y")
    frame.drop(columns="x3").to_parquet(folder / "part-1.parquet")
    with pytest.raises(ValueError, match=r"part-1\.parquet has no column 'x3'"):
        ParquetBlocks(folder, target="y")


@pytest.mark.parametrize("place", [0, 2])
@pytest.mark.parametrize("names", [["b", "a"], [3, 5]])
def test_a_file_may_have_no_label(problem, few_rows, tmp_path, place, names):
    X, _, partial = problem
    y = np.array([None if code < 0 else names[code] for code in partial], dtype=object)
    y[place * 500 : (place + 1) * 500] = None
    frame = pd.DataFrame(X, columns=COLUMNS).assign(y=pd.Series(y, dtype=object))
    for i in range(3):
        part = frame[i * 500 : (i + 1) * 500]
        part.to_parquet(tmp_path / f"part-{i}.parquet")
    empty = ParquetFile(tmp_path / f"part-{place}.parquet").schema_arrow.field("y")
    assert str(empty.type) == "null"
    found = fit(ParquetBlocks(tmp_path, target="y"))
    expected = fit(ArrayBlocks(X, y)).predict_proba(X)
    assert_allclose(found.predict_proba(frame[COLUMNS]), expected, atol=1e-6)


def test_a_feature_without_values_in_a_file_is_named_as_missing(folder):
    frame = pd.read_parquet(folder / "part-0.parquet")
    frame.assign(x3=None).to_parquet(folder / "part-0.parquet")
    blocks = ParquetBlocks(folder, target="y", columns=COLUMNS)
    assert blocks.dtype == np.float32
    with pytest.raises(ValueError, match=r"part-0.* holds NaN"):
        fit(blocks)
    frame.assign(x3="a").to_parquet(folder / "part-1.parquet")
    with pytest.raises(ValueError, match=r"'x3' is float in .*part-2.*string in .*-1"):
        ParquetBlocks(folder, target="y")


def test_columns_of_text_are_refused_before_anything_is_read(folder):
    for path in folder.glob("part-*"):
        frame = pd.read_parquet(path)
        frame.assign(x3="a").to_parquet(path)
    with pytest.raises(ValueError, match=r"Column 'x3' .* TableEncoder"):
        fit(ParquetBlocks(folder, target="y"))


def test_progress_names_the_rows(problem, few_rows, capsys, monkeypatch):
    X, _, partial = problem
    monkeypatch.setattr("widemargin.progress._LINE_SECONDS", -1.0)
    fit(ArrayBlocks(X, partial, block_rows=500), verbose=True)
    printed = capsys.readouterr().out
    assert "reading 1,500 rows" in printed
    assert "500 of 1,500 rows, about" in printed
    assert "joining 1,500 rows to 500 anchors" in printed


def test_searches_in_blocks_are_no_stages_of_the_fit(problem, few_rows, monkeypatch):
    X, _, partial = problem
    in_blocks, count = [], Anchors.count

    def keep(anchors, some):
        in_blocks.append(is_watched())
        return count(anchors, some)

    monkeypatch.setattr(Anchors, "count", keep)
    with watch(lambda state: None):
        fit(ArrayBlocks(X, partial, block_rows=500))
        assert is_watched()
    assert in_blocks == [False] * 3
