import io

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from widemargin.cli.features import features_of
from widemargin.cli.fitting import tabulate_new
from widemargin.model_files import load
from widemargin.studio.export import export_bytes, labeled_table
from widemargin.studio.session import Session
from widemargin.studio.sources import read_source
from widemargin.studio.store import Store
from widemargin.tables.columns import find_written


@pytest.fixture
def table(tmp_path):
    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "=d"])
    frame["note"] = ["=1+1" if i % 2 else "plain" for i in range(150)]
    frame["species"] = pd.array(
        np.where(np.arange(150) % 30 == 0, y, -9), dtype="Int64"
    )
    frame.loc[frame["species"] == -9, "species"] = pd.NA
    frame.to_csv(tmp_path / "iris.csv", index=False)
    return tmp_path / "iris.csv", y


@pytest.fixture
def session(table, tmp_path):
    path, y = table
    source = read_source(str(path), "species")
    session = Session(source, Store(tmp_path / "l.sqlite"), "ann").start()
    for row in range(5, 150, 20):
        session.act("label", f"b{row}", "ann", rows=[row], label=str(y[row]), why="map")
    session.settle()
    yield session
    session.close()


def test_the_table_has_all_columns_and_more(session, table):
    frame = labeled_table(session)
    given = pd.read_csv(table[0], dtype=str)
    assert list(frame) == [*given, "prediction", "probability", "source"]
    np.testing.assert_array_equal(frame["a"], given["a"])
    assert frame["source"].value_counts()["given"] == 5
    assert frame["source"].value_counts()["labeled"] == 8
    labeled = frame["source"] != "inferred"
    truth = table[1].astype(str)
    assert frame.loc[labeled, "species"].tolist() == truth[labeled].tolist()
    assert frame.loc[~labeled, "species"].isna().all()
    assert np.mean(frame["prediction"] == truth) > 0.8
    assert frame["probability"].between(0, 1).all()


def test_an_export_can_be_labeled_again(session, tmp_path):
    data, ending = export_bytes(session, "table")
    path = tmp_path / f"iris{ending}"
    path.write_bytes(data)
    again = read_source(str(path), "species")
    assert len(again.labels) == 13
    assert again.values.keys() == {"0", "1", "2"}
    np.testing.assert_allclose(again.X, session.source.X)  # without the predictions


def test_cells_are_exported_as_they_stand(tmp_path):
    lines = [f"{'n/a' if i % 3 else '007'},{i}.50,n/a" for i in range(20)]
    (tmp_path / "t.csv").write_text("code,size,label\n" + "\n".join(lines))
    session = Session(
        read_source(str(tmp_path / "t.csv")), Store(tmp_path / "l.sqlite")
    )
    data = export_bytes(session, "table")[0].decode().splitlines()
    assert data[1:3] == ["007,0.50,,,,", "n/a,1.50,,,,"]
    assert session.search("n/a")["rows"] == [i for i in range(20) if i % 3]
    assert session.card(1)["columns"][0] == {"name": "code", "value": "n/a"}
    session.store.close()


def test_formulas_are_guarded(session):
    table = pd.read_csv(io.BytesIO(export_bytes(session, "table")[0]))
    assert "'=d" in table
    assert set(table["note"]) == {"plain", "'=1+1"}


def test_columns_of_the_same_name_are_kept(tmp_path):
    frame = pd.DataFrame({"source": ["x", "y"] * 10, "n": np.arange(20) ** 2})
    frame.to_csv(tmp_path / "t.csv", index=False)
    session = Session(
        read_source(str(tmp_path / "t.csv")), Store(tmp_path / "l.sqlite")
    )
    table = labeled_table(session)
    assert table["source"].tolist() == ["x", "y"] * 10
    added = {"prediction", "probability", "predicted source"}
    table = pd.read_csv(io.BytesIO(export_bytes(session, "table")[0]))
    assert find_written(table) == added  # and they are no features
    session.store.close()


@pytest.mark.slow
def test_the_model_file_predicts_new_tables(session, table, tmp_path):
    session.fit_fully()
    session._wait_for(lambda: session.full["status"] != "running")
    assert session.full["status"] == "done", session.full
    path = tmp_path / "iris.wm"
    path.write_bytes(export_bytes(session, "model")[0])
    model, frame = load(path), pd.read_csv(table[0])
    found = tabulate_new(model, features_of(frame, model))
    assert np.mean(found["label"] == table[1].astype(str)) > 0.8
