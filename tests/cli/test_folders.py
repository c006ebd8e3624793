"""Folders of Parquet files, which are read in batches."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from block_problems import COLUMNS, N_GATHERED, N_ROWS, make_problem, use_few_rows
from numpy.testing import assert_array_equal
from sklearn.decomposition import TruncatedSVD

from widemargin import load
from widemargin.cli import folders
from widemargin.cli.outputs import Output


@pytest.fixture
def truth(folder, monkeypatch):
    """A folder with numbers, categories, gaps and an id; the true classes."""
    use_few_rows(monkeypatch)
    monkeypatch.setattr(folders, "BLOCK_ROWS", 200)
    few = partial(folders.gather_rows, n_drawn=N_GATHERED)
    monkeypatch.setattr(folders, "gather_rows", few)
    X, y, known = make_problem()
    frame = pd.DataFrame(X, columns=COLUMNS)
    frame["x1"] = frame["x1"].mask(frame["x1"] > 1.8)  # missing cells
    frame["color"] = np.where(X[:, 0] > 0, "red ", "blue")
    frame["id"] = [f"n{i}" for i in range(N_ROWS)]
    frame["kind"] = pd.array([None if c < 0 else c for c in known], dtype="Int64")
    (folder / "rows").mkdir()
    # The last file has no label: its column of whole numbers is one of floats.
    frame["kind"] = frame["kind"].where(frame.index < 1000)
    for place, start in enumerate(range(0, N_ROWS, 500)):
        part = frame[start : start + 500]
        part.to_parquet(folder / "rows" / f"{place}.parquet", index=False)
    return y


FIT = "fit", "rows", "--target", "kind"


def test_fit_and_predict(done, truth):
    report = done(*FIT).stdout
    assert "rows, 1,500 rows" in report
    assert "unlabeled    1,4" in report
    assert "rows-predictions.parquet" in report
    found = pd.read_parquet("rows-predictions.parquet")
    given = pd.concat([pd.read_parquet(f"rows/{i}.parquet") for i in range(3)])
    assert list(found)[: given.shape[1]] == list(given)
    assert_array_equal(found["id"], given["id"])
    assert found["color"].str.len().eq(4).all()  # cells stay as they stand
    assert (found["label"] == truth).mean() > 0.9
    is_given = given["kind"].notna().to_numpy()
    assert_array_equal(found["source"] == "given", is_given)
    model = load("rows.wm")
    assert model.classes_.dtype.kind == "i"
    assert "all 1,500 rows count" in str(model[-1].report_)
    next_rows = np.flatnonzero(found["review"].fillna("").str.startswith("label"))
    assert_array_equal(next_rows, np.sort(model[-1].report_.label_next))
    assert max(next_rows) > N_GATHERED  # rows that were not examined before
    for row in next_rows:  # the content of the row in the report
        assert f"{row + 1:,}: id: {given['id'].iloc[row]} | x0: " in report

    done("predict", "rows.wm", "rows", "--out", "new.parquet")
    again = pd.read_parquet("new.parquet")
    assert_array_equal(again["label"][~is_given], found["label"][~is_given])
    assert_array_equal(again["probability"][~is_given], found["probability"][~is_given])


@pytest.mark.slow
def test_texts(done, truth):
    rng, start = np.random.default_rng(0), 0
    words = np.array(["fast car", "slow boat", "old tree", "new house", "tall man"])
    for path in sorted(Path("rows").iterdir()):
        frame = pd.read_parquet(path)
        own = truth[start : start + len(frame)]
        texts = np.where(own == 0, "sold today", "kept for later")
        frame["note"] = [f"{' '.join(rng.choice(words, 4))} {t}" for t in texts]
        frame[["x0", "note", "kind"]].to_parquet(path, index=False)
        start += len(frame)
    assert "note" in done(*FIT).stdout
    found = pd.read_parquet("rows-predictions.parquet")
    assert (found["label"] == truth).mean() > 0.9
    assert isinstance(load("rows.wm")[1], TruncatedSVD)
    done("predict", "rows.wm", "rows", "--out", "new.parquet")
    again = pd.read_parquet("new.parquet")
    inferred = found["source"] == "inferred"
    assert_array_equal(again["label"][inferred], found["label"][inferred])
    assert "note" in done("inspect", "rows.wm").stdout


def test_a_file_without_labels_may_come_first(done, truth):
    frame = pd.read_parquet("rows/2.parquet")
    frame.assign(kind=None, x4=None).to_parquet("rows/0.parquet", index=False)
    done(*FIT)
    found = pd.read_parquet("rows-predictions.parquet")
    assert (found["source"][:500] == "inferred").all()
    assert (found["label"][500:] == truth[500:]).mean() > 0.9


@pytest.mark.slow
def test_key_and_json(done, truth):
    words = *FIT, "--id", "id", "--predictions", "some.parquet", "--json"
    outcome = json.loads(done(*words).stdout)
    assert outcome["rows"] == N_ROWS
    assert sum(outcome["inferred"].values()) == outcome["unlabeled"]
    found = pd.read_parquet("some.parquet")
    assert list(found)[:2] == ["id", "label"]
    words = "predict", "rows.wm", "rows", "--out", "new.parquet", "--json"
    outcome = json.loads(done(*words).stdout)
    assert outcome["rows"] == N_ROWS
    assert outcome["predictions"] == "new.parquet"


@pytest.mark.slow
def test_progress(done, truth, monkeypatch):
    monkeypatch.setattr("widemargin.progress._LINE_SECONDS", -1.0)
    written = done(*FIT, "--verbose").stderr
    assert "of 1,500 rows, about" in written


def test_refusals(done, refused, truth):
    assert "--method laplacian cannot" in refused(*FIT, "--method", "laplacian")
    assert "ends in .parquet" in refused(*FIT, "--predictions", "labels.csv")
    assert "of the folder" in refused(*FIT, "--predictions", "rows/new.parquet")
    assert "needs one table" in refused(*FIT, "--folds", 5)
    assert "no column 'none'" in refused("fit", "rows", "--target", "none")
    done(*FIT)
    assert "ends in .parquet" in refused("predict", "rows.wm", "rows")
    assert "exists; add --force" in refused(*FIT)
    frame = pd.read_parquet("rows/1.parquet")
    frame.assign(kind=None).to_parquet("rows/0.parquet")
    for place in (1, 2):
        frame.assign(kind=None).to_parquet(f"rows/{place}.parquet")
    assert "no label in any" in refused(*FIT, "--force")


def test_an_interrupted_table_leaves_nothing(truth, folder):
    def interrupt(cells, start):
        raise KeyboardInterrupt

    output = Output(str(folder / "half.parquet"), force=False)
    with pytest.raises(KeyboardInterrupt):
        folders.write_predictions("rows", output, interrupt, None, lambda: None)
    assert not [path for path in folder.iterdir() if "half" in path.name]
