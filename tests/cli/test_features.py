import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

from widemargin import LaplacianSVC, TableEncoder
from widemargin.cli.features import (
    columns_of,
    features_of,
    make_features,
    text_columns_of,
)
from widemargin.model_files import load, save
from widemargin.tables.columns import Column, Kind
from widemargin.tables.errors import TableError


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "width": rng.normal(3, 2, 40),
            "color": rng.choice(["red", "blue"], 40),
            "is_new": rng.random(40) > 0.5,
            "name": [f"name {i}" for i in range(40)],
        }
    )
    frame.loc[::6, "width"] = np.nan
    frame.loc[::5, "color"] = None
    return frame


def test_columns_that_a_fitted_model_needs(frame, tmp_path):
    y = np.where(np.arange(40) < 20, frame["is_new"], -1)
    model = make_pipeline(TableEncoder(), LaplacianSVC()).fit(frame, y)
    save(model, tmp_path / "model.wm")
    loaded = load(tmp_path / "model.wm")
    assert [column.name for column in columns_of(loaded)] == [
        "width",
        "color",
        "is_new",
    ]
    assert text_columns_of(loaded) == {"color"}
    other = frame.iloc[:5].astype({"width": str}).assign(color=7)
    X_other = features_of(other.replace("nan", None), loaded)
    assert len(loaded.predict(X_other)) == 5


def test_whole_numbers_as_names_do_not_depend_on_gaps():
    columns = [Column("size", Kind.CATEGORIES)]
    whole = make_features(pd.DataFrame({"size": [1, 2]}), columns)
    gap = make_features(pd.DataFrame({"size": [1, 2, None]}), columns)
    half = make_features(pd.DataFrame({"size": [1, 2, 2.5]}), columns)
    assert whole["size"].tolist() == gap["size"].tolist()[:2] == ["1", "2"]
    assert half["size"].tolist() == ["1", "2", "2.5"]


@pytest.fixture
def notes():
    return pd.DataFrame(
        {
            "text": ["tea cup", "red wine"] * 10,
            "size": range(20),
            "color": ["u", "v"] * 10,
        }
    )


@pytest.mark.parametrize(
    ("step", "columns", "expected"),
    [
        (TfidfVectorizer(), "text", {"text"}),
        (OneHotEncoder(), [2], {"color"}),
        (OneHotEncoder(), slice("color", "color"), {"color"}),
        (OneHotEncoder(), [False, False, True], {"color"}),
        (
            make_pipeline(
                SimpleImputer(strategy="most_frequent"), OneHotEncoder(), TruncatedSVD()
            ),
            ["color"],
            {"color"},
        ),
        (OrdinalEncoder(), ["size", "color"], {"color"}),
    ],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore::widemargin.checks.DataWarning")
def test_columns_of_any_transformer(step, columns, expected, notes, tmp_path):
    """Columns that a model does not use are not asked for."""
    steps = ColumnTransformer([("step", step, columns)])
    model = make_pipeline(steps, LaplacianSVC(intrinsic_reg=0))
    save(model.fit(notes, [0, 1] * 10), tmp_path / "model.wm")
    loaded = load(tmp_path / "model.wm")
    assert text_columns_of(loaded) == expected
    used = [column.name for column in columns_of(loaded)]
    labels = loaded.predict(features_of(notes[used], loaded))
    assert_array_equal(labels, model.predict(notes))


def test_encoders_without_a_transformer(notes):
    model = make_pipeline(OneHotEncoder(), LaplacianSVC(intrinsic_reg=0))
    model.fit(notes[["color"]], [0, 1] * 10)
    assert text_columns_of(model) == {"color"}
    assert len(model.predict(features_of(notes, model))) == 20


def test_models_of_texts(notes):
    model = make_pipeline(TfidfVectorizer(), LaplacianSVC(intrinsic_reg=0))
    model.fit(notes["text"], [0, 1] * 10)
    notes.loc[3, "text"] = None
    texts = features_of(notes[["text"]], model)
    assert texts == ["tea cup", "red wine", "tea cup", "", *notes["text"][4:]]
    with pytest.raises(TableError, match="must have one column, of texts"):
        features_of(notes, model)


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ({}, "got 1: 'a'. Add those that are missing."),
        ({"b": 1.0, "id": "x"}, "got 3: leave out 'id' (not numeric)."),
        (
            {"b": 1.0, "c": 2.0},
            "got 3: leave out those that are not features (the first is 'a', the last "
            "is 'c').",
        ),
        (
            {"b": 1.0, "c": 2.0, "d": 2.0},
            "got 4: leave out those that are not features (the first 2 are 'a', 'b', "
            "the last 2 are 'c', 'd').",
        ),
    ],
)
def test_columns_of_a_model_without_names_are_too_many_or_too_few(extra, message):
    """Such as one that was fitted to an array."""
    X = np.arange(20.0).reshape(10, 2)
    model = LaplacianSVC().fit(X, [0, 1] * 5)
    with pytest.raises(TableError) as error:
        features_of(pd.DataFrame({"a": [1.0, 2.0]}).assign(**extra), model)
    assert str(error.value).endswith(message)
