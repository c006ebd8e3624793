import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.pipeline import make_pipeline

from widemargin import LaplacianSVC
from widemargin.model_files import load, save
from widemargin.tables import (
    TableError,
    columns_of,
    examine_columns,
    features_of,
    make_features,
    make_preparation,
    text_columns_of,
)


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


def test_features_are_filled_scaled_and_encoded(frame):
    columns = examine_columns(frame)
    features = make_preparation(columns).fit_transform(make_features(frame, columns))
    assert features.shape == (40, 2 + 3)
    assert_allclose(features[:, :2].mean(axis=0), 0, atol=1e-12)
    assert_allclose(features[:, :2].std(axis=0), 1)
    assert_array_equal(features[:, 2:].sum(axis=1), np.ones(40))
    assert_array_equal(features[:, 2], frame["color"].isna())  # "(missing)" is first


def test_a_fitted_model_knows_what_it_needs(frame, tmp_path):
    columns = examine_columns(frame)
    X = make_features(frame, columns)
    y = np.where(np.arange(40) < 20, frame["is_new"], -1)
    model = make_pipeline(make_preparation(columns), LaplacianSVC()).fit(X, y)
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
    assert_array_equal(X_other["color"], ["7"] * 5)
    assert len(loaded.predict(X_other)) == 5


def test_text_in_place_of_numbers_is_refused(frame):
    columns = examine_columns(frame)
    with pytest.raises(
        TableError, match="'width' must hold numbers, got 'wide' in row 1"
    ):
        make_features(frame.assign(width="wide"), columns)


def test_infinity_is_refused(frame):
    columns = examine_columns(frame)
    frame.loc[3, "width"] = -np.inf
    with pytest.raises(
        TableError, match="must hold finite numbers, got '-inf' in row 4"
    ):
        make_features(frame, columns)
