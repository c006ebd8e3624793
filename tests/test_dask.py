"""Fits and predictions with Dask, by a real distributed client."""

import os
import pickle
import signal
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from block_problems import COLUMNS, N_ROWS, accuracy, make_problem, use_few_rows
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from widemargin import FewLabelClassifier, MaxMarginClustering, SpectralClassifier
from widemargin.blocks import ArrayBlocks
from widemargin.dask import DaskFewLabelClassifier, predict, predict_proba
from widemargin.dask import _lean as lean

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")
dask = pytest.importorskip("dask")
delayed = dask.delayed

# What the packages warn of when clusters start and stop is not about this one.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:Port .* is already in use"),
]


@pytest.fixture(scope="module")
def client():
    """A client of workers that are threads of this process."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options = {"processes": False, "dashboard_address": None}
        cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, **options)
        client = distributed.Client(cluster)
        yield client
        client.close()
        cluster.close()


@pytest.fixture
def problem(monkeypatch):
    use_few_rows(monkeypatch)
    return make_problem()


@pytest.fixture
def expected(problem):
    """Probabilities of the same rows by a fit on this machine."""
    X, _, partial = problem
    blocks = ArrayBlocks(X, partial, block_rows=400)
    model = FewLabelClassifier(["spectral"], random_state=0).fit(blocks)
    return model.predict_proba(X)


def make_frame(X, y):
    return pd.DataFrame(X, columns=COLUMNS).assign(y=y)


def fit(X, y):
    return DaskFewLabelClassifier(["spectral"], random_state=0).fit(X, y)


def test_arrays_in_any_chunks_give_the_model_of_one_machine(client, problem, expected):
    X, y, partial = problem
    chunks = (0, 700, 1, 799), (8, 12)
    X_chunks, y_chunks = da.from_array(X, chunks), da.from_array(partial, 500)
    model = fit(X_chunks, y_chunks)
    found = model.predict_proba(X_chunks)
    assert isinstance(found, da.Array)
    assert found.chunks == (chunks[0], (2,))
    assert_allclose(found.compute(), expected, atol=1e-6)
    predicted = model.predict(X_chunks)
    assert predicted.dtype == y.dtype
    assert_array_equal(predicted.compute(), expected.argmax(axis=1))
    assert accuracy(model, X, y) > 0.95  # an array in memory is predicted at once
    assert model.report_.n_labeled == 30


@pytest.mark.slow
def test_data_frames_and_parquet_give_the_model_of_one_machine(
    client, problem, expected, tmp_path
):
    X, _, partial = problem
    frame = make_frame(X, partial)
    for place in range(3):
        part = frame[place * 500 : (place + 1) * 500]
        part.to_parquet(tmp_path / f"part-{place}.parquet")
    for table in (dd.from_pandas(frame, npartitions=4), dd.read_parquet(tmp_path)):
        model = fit(table, "y")
        found = model.predict_proba(table[COLUMNS]).compute()
        assert_allclose(found, expected, atol=1e-6)
        assert_array_equal(model.model_.feature_names_in_, COLUMNS)
    again = fit(table[COLUMNS], table["y"]).predict(table[COLUMNS]).compute()
    assert_array_equal(again, found.argmax(axis=1))
    uneven = dd.from_map(pd.Series, [partial[:10], partial[10:]])
    other = fit(table[COLUMNS], uneven).predict(table[COLUMNS]).compute()
    assert_array_equal(other, again)  # rows and labels are matched by position


def test_score_needs_known_labels(client, problem):
    X, y, partial = problem
    table = dd.from_pandas(make_frame(X, partial), npartitions=3)
    model, rows = fit(table, "y"), table[COLUMNS]
    assert_array_equal(model.feature_names_in_, COLUMNS)
    expected = accuracy(model.model_, pd.DataFrame(X, columns=COLUMNS), y)
    assert model.score(rows, y) == expected
    assert model.score(rows, da.from_array(y, chunks=400)) == expected
    assert model.score(rows, dd.from_pandas(pd.Series(y), npartitions=2)) == expected
    for labels in (partial, table["y"], np.where(partial < 0, np.nan, partial)):
        with pytest.raises(ValueError, match="must hold known labels only, got 1,470"):
            model.score(rows, labels)
    assert not hasattr(fit(da.from_array(X), partial), "feature_names_in_")


def test_columns_of_pandas_types(client, problem, expected):
    X, _, partial = problem
    table = dd.from_pandas(make_frame(X, partial).astype({"x0": "Float64"}), 3)
    model = fit(table.astype({"y": "Int64"}), "y")
    found = model.predict_proba(table[COLUMNS]).compute()
    assert_allclose(found, expected, atol=1e-6)


def test_other_columns_are_refused_before_anything_is_computed(client, problem):
    X, _, partial = problem
    frame = make_frame(X[:200], partial[:200])
    table = dd.from_pandas(frame, npartitions=2)
    model = fit(table, "y")
    with pytest.raises(ValueError, match=r"0 missing and 1 other ones, 'y'; pass"):
        model.predict(table)
    with pytest.raises(ValueError, match=r"1 missing and 0 other ones, 'x0'"):
        model.predict_proba(table[COLUMNS[1:]])
    with pytest.raises(ValueError, match=r"in another order"):
        model.predict(table[COLUMNS[::-1]])
    mixed = frame.assign(x0=np.where(frame["x0"] > 0, "red", "blue"))
    encoded = FewLabelClassifier(random_state=0).fit(mixed[COLUMNS], frame["y"])
    lazy = predict(encoded, dd.from_pandas(mixed, npartitions=2))  # finds its columns
    assert_array_equal(lazy.compute(), encoded.predict(mixed[COLUMNS]))


def fit_aloud(X, y):
    model = DaskFewLabelClassifier(["spectral"], random_state=0, verbose=True)
    return model.fit(X, y)


def test_progress_names_the_rows_on_a_cluster(
    client, problem, expected, capsys, monkeypatch
):
    X, _, partial = problem
    monkeypatch.setattr("widemargin.progress._LINE_SECONDS", -1.0)
    chunks = da.from_array(X, chunks=(500, -1))
    model = fit_aloud(chunks, partial)
    assert capsys.readouterr().out.count("1,000 of 1,500 rows, about") == 2
    assert_allclose(model.predict_proba(X), expected, atol=1e-6)
    spoiled = da.from_array(np.where(X > 1, np.nan, X), chunks=(500, -1))
    with pytest.raises(ValueError, match="of X holds NaN"):
        fit_aloud(spoiled, partial)


def test_progress_names_the_rows_on_this_machine(
    problem, expected, capsys, monkeypatch
):
    X, _, partial = problem
    monkeypatch.setattr("widemargin.progress._LINE_SECONDS", -1.0)
    with dask.config.set(scheduler="threads"):
        model = fit_aloud(da.from_array(X, chunks=(500, -1)), partial)
    assert capsys.readouterr().out.count("1,000 of 1,500 rows, about") == 2
    assert_allclose(model.predict_proba(X), expected, atol=1e-6)


def test_nothing_is_computed_before_it_is_asked_for(client, problem):
    X, _, partial = problem
    model = FewLabelClassifier(random_state=0).fit(X, partial)
    refused = da.from_delayed(delayed(fail)(), shape=(5, 20), dtype=X.dtype)
    lazy = predict(model, refused)
    assert lazy.shape == (5,)
    with pytest.raises(RuntimeError, match="was computed"):
        lazy.compute()


def fail():
    raise RuntimeError("was computed")


MODELS = [
    SpectralClassifier(random_state=0),
    make_pipeline(StandardScaler(), FewLabelClassifier(random_state=0)),
    LogisticRegression(),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_every_fitted_estimator_predicts_chunks(client, problem, model):
    X, _, partial = problem
    known = slice(None) if hasattr(model, "families") else partial >= 0
    model.fit(X[known], partial[known])
    chunks = da.from_array(X, chunks=(600, 5))
    assert_array_equal(predict(model, chunks).compute(), model.predict(X))
    found = predict_proba(model, chunks).compute()
    assert_allclose(found, model.predict_proba(X), rtol=1e-6)


def test_clusters_and_names_are_predicted(client, problem):
    X, _, partial = problem
    chunks = da.from_array(X[:200], chunks=(90, -1))
    groups = MaxMarginClustering(2, n_restarts=1, random_state=0).fit(X[:200])
    assert_array_equal(predict(groups, chunks).compute(), groups.predict(X[:200]))
    names = np.array([None if c < 0 else f"name {c}" for c in partial], dtype=object)
    model = SpectralClassifier(random_state=0).fit(X[:200], names[:200])
    assert_array_equal(predict(model, chunks).compute(), model.predict(X[:200]))
    found = fit(chunks, [float("nan") if n is None else n for n in names[:200]])
    assert_array_equal(found.classes_, ["name 0", "name 1"])


def test_a_task_holds_no_training_rows_that_predictions_do_not_need(problem):
    X, _, partial = problem
    model = FewLabelClassifier(random_state=0).fit(ArrayBlocks(X, partial))
    small = lean(model)
    assert len(pickle.dumps(small)) < 0.5 * len(pickle.dumps(model))
    assert_array_equal(small.predict_proba(X), model.predict_proba(X))


def refuse(X, y, message, kind=ValueError):
    with pytest.raises(kind, match=message):
        fit(X, y)


def test_bad_chunks_are_refused(client, problem, monkeypatch):
    X, _, partial = problem
    monkeypatch.setattr("widemargin.blocks.find_anchors", None)  # would fail
    chunks = da.from_array(X, chunks=(500, -1))
    refuse(chunks[chunks[:, 0] > 0], partial, "compute_chunk_sizes")
    refuse(chunks, da.from_array(partial, 500)[chunks[:, 0] > 0], "compute_chunk_sizes")
    refuse(chunks, partial[:-1], "for each of 1,500 rows, got 1,499")
    refuse(chunks, np.full(N_ROWS, -1), "no label in any of 3 blocks")
    refuse(chunks.astype(object), partial, "must hold numbers, got object")
    refuse(chunks[:, 0], partial, "rows and columns")
    refuse(chunks, da.from_array(np.tile(partial[:, None], 2)), "one axis")
    refuse(chunks, None, "the name of a column")
    refuse(chunks, "y", "the name of a column")
    refuse(X, partial, "use dask.array.from_array", TypeError)
    spoiled = X.copy()
    spoiled[600, 3] = np.nan
    refuse(da.from_array(spoiled, chunks=(500, -1)), partial, "chunk 1 of X holds NaN")
    texts = chunks.map_blocks(spell_out, dtype=chunks.dtype)
    refuse(texts, partial, "chunk 2 of X must hold numbers")


def spell_out(X, block_info=None):
    """Texts in place of numbers, in one chunk."""
    is_last = block_info and block_info[0]["chunk-location"][0] == 2
    return X.astype(str) if is_last else X


def test_bad_data_frames_are_refused(client, problem):
    X, _, partial = problem
    frame = make_frame(X, partial)
    table = dd.from_pandas(frame, npartitions=3)
    refuse(table, "label", "must be a column of X, got 'label'; X has 'x0'")
    refuse(table, None, "y .* must be given")
    refuse(table.assign(x3="a"), "y", "must hold numbers")
    refuse(table[COLUMNS], table[["y"]], "one column")
    refuse(table[COLUMNS], partial[:-1], "for each of 1,500 rows, got 1,499")


def test_without_dask_the_message_names_the_package(monkeypatch, problem):
    X, _, partial = problem
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(ImportError, match=r"pip install 'dask\[array"):
        fit(X, partial)


@pytest.mark.slow
def test_a_killed_worker_costs_time_only(problem, expected):
    """Processes with nannies; one is killed between two tasks of the fit."""
    X, _, partial = problem
    options = {"processes": True, "dashboard_address": None, "threads_per_worker": 1}
    with (
        distributed.LocalCluster(n_workers=2, **options) as cluster,
        distributed.Client(cluster) as client,
    ):
        before = set(client.run(os.getpid).values())
        chunks = da.from_array(X, chunks=(250, -1)).map_blocks(
            kill_once, victim=min(before), dtype=X.dtype, meta=X[:0]
        )
        model = fit(chunks, partial)
        client.wait_for_workers(2, timeout=60)
        assert min(before) not in client.run(os.getpid).values()
        found = model.predict_proba(da.from_array(X, chunks=(250, -1))).compute()
    assert_allclose(found, expected, atol=1e-6)


def kill_once(X, victim):
    """The rows, unless it runs in the process that is to die."""
    if os.getpid() == victim:
        os.kill(victim, signal.SIGKILL)
    return X
