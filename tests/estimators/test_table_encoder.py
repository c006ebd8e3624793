import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from widemargin import (
    FewLabelClassifier,
    LaplacianSVC,
    MaxMarginClustering,
    ModelFileError,
    TableEncoder,
    load,
    save,
)
from widemargin.tables.errors import TableError

N = 120


@parametrize_with_checks([TableEncoder()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 400, N), "D")
    words = ["tea", "cup", "red", "wine", "old", "glass", "table", "chair", "lamp"]
    table = pd.DataFrame(
        {
            "id": np.arange(N),
            "width": rng.normal(3, 2, N),
            "price": [f"${value:,.2f}" for value in rng.uniform(0, 9000, N)],
            "color": rng.choice(["red", "blue"], N),
            "is_new": rng.random(N) > 0.5,
            "sold": days.strftime("%d.%m.%Y"),
            "review": [" ".join(rng.choice(words, 5)) for _ in range(N)],
        }
    )
    table.loc[::6, "width"] = np.nan
    table.loc[::5, "color"] = None
    table.loc[::7, "sold"] = None
    table.loc[::9, "review"] = None
    return table


def dense(X):
    return X.toarray() if sparse.issparse(X) else X


def test_every_column_is_accounted_for(table):
    frame = TableEncoder().fit(table).frame()
    assert frame["column"].tolist() == list(table)
    assert dict(zip(frame["column"], frame["used as"], strict=True)) == {
        "id": "left out",
        "width": "numbers",
        "price": "numbers",
        "color": "categories",
        "is_new": "numbers",
        "sold": "dates",
        "review": "text",
    }
    assert "identifier" in frame["note"][0]


def test_numbers_are_imputed_and_scaled(table):
    X = TableEncoder(drop=["review"]).fit_transform(table)
    known = table["width"].fillna(table["width"].median())
    assert_allclose(X[:, 0], (known - known.mean()) / known.std(ddof=0))
    price = table["price"].str.strip("$").str.replace(",", "").astype(float)
    assert_allclose(X[:, 1], (price - price.mean()) / price.std(ddof=0))


def test_categories_are_one_hot_and_new_ones_are_zero(table):
    encoder = TableEncoder().fit(table[["color"]])
    assert encoder.get_feature_names_out().tolist() == [
        "color_(missing)",
        "color_blue",
        "color_red",
    ]
    X = encoder.transform(table[["color"]])
    assert_array_equal(X.sum(axis=1), 1)
    assert_array_equal(X[:, 0], table["color"].isna())
    assert_array_equal(encoder.transform(pd.DataFrame({"color": ["green"]})), [[0] * 3])


def test_dates_become_days_and_parts(table):
    encoder = TableEncoder().fit(table[["sold"]])
    assert encoder.get_feature_names_out().tolist() == [
        "sold_day",
        "sold_month",
        "sold_weekday",
    ]
    X = encoder.transform(table[["sold"]])
    known = table["sold"].notna()
    day = pd.to_datetime(table["sold"][known], format="%d.%m.%Y").astype("int64")
    assert np.corrcoef(X[known, 0], day)[0, 1] > 1 - 1e-12
    # all parts together vary as much as one number
    assert_allclose(X.var(axis=0).sum(), 1)
    again = pd.to_datetime(table["sold"], format="%d.%m.%Y").to_frame()
    assert_allclose(encoder.transform(again), X)  # real dates, not texts


def test_text_is_tf_idf(table):
    """By hand with scikit-learn; alone, texts have unit length."""
    texts = table["review"].fillna("")
    expected = TfidfVectorizer(sublinear_tf=True, min_df=2).fit_transform(texts)
    found = TableEncoder().fit_transform(table[["review"]])
    assert_allclose(dense(found), dense(expected))


def test_text_counts_as_much_as_all_other_columns(table):
    encoder = TableEncoder().fit(table)
    X = dense(encoder.transform(table))
    is_word = [name.startswith("review_") for name in encoder.get_feature_names_out()]
    filled = table["review"].notna()
    assert_allclose((X[:, is_word] ** 2).sum(axis=1), np.where(filled, 5, 0))


def test_order_of_columns_and_additional_ones_do_not_matter(table):
    encoder = TableEncoder().fit(table)
    other = table[[*reversed(table.columns)]].assign(more=1).drop(columns="id")
    assert_array_equal(dense(encoder.transform(other)), dense(encoder.transform(table)))
    with pytest.raises(TableError, match="X lacks the column 'width'"):
        encoder.transform(table.drop(columns="width"))


def test_tables_of_polars(table):
    encoder = TableEncoder().fit(table)
    assert_allclose(
        dense(encoder.transform(pl.from_pandas(table))), dense(encoder.transform(table))
    )


def test_bad_cells_are_refused_by_name(table):
    encoder = TableEncoder().fit(table)
    for column, value, message in (
        ("width", "wide", "'width' must hold numbers, got 'wide' in row 3"),
        ("width", -np.inf, "must hold finite numbers, got '-inf' in row 3"),
        ("width", 1e200, r"up to 1e\+100, got '1e\+200' in row 3"),
        ("sold", "soon", r"'sold' must hold dates such as 31.01.2024, got 'soon'"),
    ):
        other = table.astype({column: object})
        other.loc[2, column] = value
        with pytest.raises(TableError, match=message):
            encoder.transform(other)


def test_repeated_names_are_refused(table):
    table.columns = ["a", "a", *table.columns[2:]]
    with pytest.raises(TableError, match="more than one column 'a'"):
        TableEncoder().fit(table)


def test_pipelines_files_and_cross_validation(table, tmp_path):
    y = (table["width"].fillna(3) > 3).astype(int).to_numpy()
    model = make_pipeline(TableEncoder(), LaplacianSVC(intrinsic_reg=0)).fit(table, y)
    save(model, tmp_path / "model.wm")
    loaded = load(tmp_path / "model.wm")
    assert_array_equal(loaded.predict_proba(table), model.predict_proba(table))
    assert loaded[0].frame().equals(model[0].frame())
    assert cross_val_score(model, table, y, cv=3).mean() > 0.6


def test_files_with_edited_state_are_refused(table, tmp_path):
    from dataclasses import replace

    encoder = TableEncoder().fit(table)
    model = make_pipeline(encoder, LaplacianSVC(intrinsic_reg=0))
    model.fit(table, np.arange(N) % 2)
    scaling = encoder.features_[0].scaling
    wrong = replace(scaling, scale=np.array([np.nan]))
    encoder.features_[0] = replace(encoder.features_[0], scaling=wrong)
    with pytest.raises(ModelFileError, match="scale of Scaling does not fit"):
        save(model, tmp_path / "model.wm")


def test_the_front_door_takes_tables(table, tmp_path):
    """As if the table were encoded by hand, in files and for new labels as well."""
    wide = table["width"].fillna(3) > 3
    y = np.where(np.arange(N) < 40, np.where(wide, "wide", "narrow"), None)
    model = FewLabelClassifier(["spectral"], random_state=0).fit(table, y)
    X = TableEncoder().fit_transform(table)
    by_hand = clone(model).fit(X, y)
    assert by_hand.encoder_ is None
    assert_array_equal(model.predict_proba(table), by_hand.predict_proba(X))
    assert model.explain(table[:3]).rows.shape == (3, 5)
    save(model, tmp_path / "model.wm")
    loaded = load(tmp_path / "model.wm")
    assert_array_equal(loaded.predict(table[:9]), model.predict(table[:9]))
    y[40:50] = np.where(wide[40:50], "wide", "narrow")
    again = clone(model).fit(table, y).predict_proba(table)
    assert_allclose(model.update(y).predict_proba(table), again, atol=1e-8)


def test_tables_of_numbers_stay_as_they_are(table):
    numbers = table[["width", "is_new"]].fillna(0.0).astype(float)
    y = np.where(np.arange(N) < 40, numbers["width"] > 3, -1)
    model = FewLabelClassifier(random_state=0).fit(numbers, y)
    assert model.encoder_ is None
    assert model.feature_names_in_.tolist() == ["width", "is_new"]


def test_tables_of_numbers_with_missing_cells_are_encoded(table):
    numbers = table[["width", "is_new"]].astype(float)
    numbers.loc[5, "width"] = None
    y = np.where(np.arange(N) < 40, table["width"].fillna(0.0) > 3, -1)
    model = FewLabelClassifier(random_state=0).fit(numbers, y)
    by_hand = make_pipeline(TableEncoder(), FewLabelClassifier(random_state=0))
    expected = by_hand.fit(numbers, y).predict_proba(numbers)
    assert_array_equal(model.predict_proba(numbers), expected)


@pytest.mark.parametrize("dtype", ["float64", "Int64", "Float64", "object", "array"])
def test_missing_values_name_the_way_out(dtype):
    frame = pd.DataFrame({"x": np.arange(8.0), "z": [0.0, 1.0] * 4})
    y = [0, 1] * 2 + [-1] * 4
    is_array = dtype == "array"
    if not is_array:
        frame = frame.astype({"z": dtype})
    broken = frame.copy()
    broken.loc[2, "z"] = pd.NA if dtype == "object" else None
    if is_array:
        frame, broken = frame.to_numpy(), broken.to_numpy()
    where, who = ("1", "SimpleImputer") if is_array else ("'z'", "TableEncoder")
    message = rf"1 missing value, .* column {where}; .*{who}\(\), "
    with pytest.raises(ValueError, match=message + "LaplacianSVC"):
        LaplacianSVC().fit(broken, y)
    with pytest.raises(ValueError, match="was fitted on rows without them"):
        LaplacianSVC().fit(frame, y).predict(broken)
    if dtype == "object":  # a table that is encoded, with its missing cells
        FewLabelClassifier(random_state=0).fit(frame, y).predict(broken)
        return
    advice = "fit FewLabelClassifier on a data frame with missing cells, .* or impute"
    with pytest.raises(ValueError, match=f"without them; {advice}"):
        FewLabelClassifier(random_state=0).fit(frame, y).predict(broken)
    if is_array:
        with pytest.raises(ValueError, match=f"column 1; {advice}"):
            FewLabelClassifier(random_state=0).fit(broken, y)


@pytest.mark.usefixtures("no_pyarrow")
def test_tables_of_polars_without_pyarrow(table):
    encoder = TableEncoder().fit(table)
    cells = table.astype(object).where(table.notna(), None)
    other = pl.DataFrame({name: cells[name].tolist() for name in cells})
    with pytest.raises(ImportError):
        other.to_pandas()
    found = dense(encoder.transform(other))
    assert_allclose(found, dense(encoder.transform(table)))


def test_rows_may_have_the_same_name(table):
    """As those of labeled and unlabeled tables that were joined."""
    twice = pd.concat([table, table])
    found = dense(TableEncoder().fit_transform(twice))
    expected = dense(TableEncoder().fit_transform(twice.reset_index(drop=True)))
    assert_array_equal(found, expected)


def test_marks_that_are_not_of_the_column_are_refused():
    """A comma that is neither decimal nor before three digits is not dropped."""
    encoder = TableEncoder().fit(pd.DataFrame({"x": ["$1.5", "$2,000.25", "$3"]}))
    for cell in ("45,00 €", "2,5"):
        with pytest.raises(TableError, match="must hold numbers"):
            encoder.transform(pd.DataFrame({"x": [cell]}))
    large = pd.DataFrame({"x": ["1.234.567", "999.000", "12"]})
    found = TableEncoder().fit_transform(large)[:, 0]
    expected = np.array([1234567.0, 999000.0, 12.0])
    assert_allclose(found, (expected - expected.mean()) / expected.std())


def test_columns_may_be_named_by_numbers():
    frame = pd.DataFrame({0: [1.0, 2.0, 3.0], 1: [3.0, 1.0, 2.0]})
    assert TableEncoder(drop=[0]).fit_transform(frame).shape == (3, 1)
    assert TableEncoder(drop="0").fit_transform(frame).shape == (3, 1)


def test_description_shows_all_columns():
    """pandas hides columns in the middle of a wide table."""
    names = ["first column of a long name", "second column of a long name"]
    frame = pd.DataFrame({name: ["$1,200", "$80", "$70"] for name in names})
    lines = TableEncoder().fit(frame).describe().splitlines()
    assert lines[0].split() == ["column", "used", "as", "features", "note"]
    assert lines[2].split()[-1] == "1200"


@pytest.mark.parametrize("cells", [["a", "b"], pd.to_datetime(["2024-01-01"] * 2)])
def test_other_estimators_name_the_encoder(cells):
    frame = pd.DataFrame({"x": np.arange(8.0), "color": [*cells] * 4})
    y = [0, 1] * 2 + [-1] * 4
    message = r"'color' cannot be .* make_pipeline\(TableEncoder\(\), LaplacianSVC"
    with pytest.raises(TableError, match=message):
        LaplacianSVC().fit(frame, y)
    make_pipeline(TableEncoder(), LaplacianSVC()).fit(frame, y)
    model = LaplacianSVC().fit(frame.assign(color=0.0), y)
    with pytest.raises(TableError, match="the model was fitted on numbers"):
        model.predict(frame)
    objects = frame.assign(color=0.0).astype(object)  # of numbers
    assert (model.predict(objects) == model.predict(frame.assign(color=0.0))).all()


def test_columns_that_are_left_out_name_the_parameter():
    table = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [1.0, 3.0, 2.0]})
    encoder = TableEncoder(drop=["b"]).fit(table)
    assert encoder.columns_[1].reason == "by drop"
    with pytest.raises(TableError, match=r"lacks .* 'a' .* Did you mean 'A'\?"):
        encoder.transform(table.rename(columns={"a": "A"}))


@pytest.mark.parametrize(
    "estimator",
    [FewLabelClassifier(), LaplacianSVC(), MaxMarginClustering(2)],
    ids=repr,
)
@pytest.mark.parametrize(
    ("X", "where"),
    [
        ([[0.5, "0.0a"], [1.0, 2.0]], "'0.0a' in row 0, column 1"),
        (np.array([["1", "2"], ["3", "x"]]), "'x' in row 1, column 1"),
        (["good phone", "bad phone"], "'good phone' in row 0"),
    ],
)
def test_texts_in_arrays_are_refused_with_the_way_out(estimator, X, where):
    told = f"X of {type(estimator).__name__} must hold numbers, got {where}; pass a"
    with pytest.raises(ValueError, match=told):
        estimator.fit(X, [0, 1])
