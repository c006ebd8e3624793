import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit, softmax
from sklearn.exceptions import DataConversionWarning

from widemargin.checks import DataWarning
from widemargin.labels import (
    both_columns,
    decide,
    has_label,
    hide,
    labeled_mask,
    read_labels,
    refuse_unlabeled,
    sign_coding,
)

NAN = float("nan")

# name -> (function of a list of values, strategy of class names)
INTEGERS = st.integers(0, 100)
WHOLE = st.integers(0, 100).map(float)
BOOLEANS = st.booleans()
NAMES = st.text(st.characters(exclude_categories=["C"]), max_size=5)
CONTAINERS = {
    "list of int": (list, INTEGERS),
    "list of str": (list, NAMES),
    "list of bool": (list, BOOLEANS),
    "int8 array": (lambda y: np.array(y, dtype=np.int8), INTEGERS),
    "int64 array": (lambda y: np.array(y, dtype=np.int64), INTEGERS),
    "uint8 array": (lambda y: np.array(y, dtype=np.uint8), INTEGERS),
    "float32 array": (lambda y: np.array(y, dtype=np.float32), WHOLE),
    "float64 array": (lambda y: np.array(y, dtype=np.float64), WHOLE),
    "bool array": (lambda y: np.array(y, dtype=bool), BOOLEANS),
    "str array": (lambda y: np.array(y, dtype=str), NAMES),
    "object array of int": (lambda y: np.array(y, dtype=object), INTEGERS),
    "object array of str": (lambda y: np.array(y, dtype=object), NAMES),
    "object array of bool": (lambda y: np.array(y, dtype=object), BOOLEANS),
    "int Series": (lambda y: pd.Series(y, dtype="int64"), INTEGERS),
    "float Series": (lambda y: pd.Series(y, dtype="float64"), WHOLE),
    "bool Series": (lambda y: pd.Series(y, dtype="bool"), BOOLEANS),
    "object Series": (lambda y: pd.Series(y, dtype="object"), NAMES),
    "str Series": (pd.Series, NAMES),
    "Int64 Series": (lambda y: pd.Series(y, dtype="Int64"), INTEGERS),
    "UInt8 Series": (lambda y: pd.Series(y, dtype="UInt8"), INTEGERS),
    "Float64 Series": (lambda y: pd.Series(y, dtype="Float64"), WHOLE),
    "boolean Series": (lambda y: pd.Series(y, dtype="boolean"), BOOLEANS),
    "string Series": (lambda y: pd.Series(y, dtype="string"), NAMES),
    "category of str": (lambda y: pd.Series(y, dtype="category"), NAMES),
    "category of int": (lambda y: pd.Series(y, dtype="category"), INTEGERS),
    "polars int": (lambda y: pl.Series(y, dtype=pl.Int64), INTEGERS),
    "polars bool": (lambda y: pl.Series(y, dtype=pl.Boolean), BOOLEANS),
    "polars str": (lambda y: pl.Series(y, dtype=pl.String), NAMES),
    "polars category": (lambda y: pl.Series(y, dtype=pl.Categorical), NAMES),
}


def of_objects(*values):
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


@pytest.mark.parametrize(
    ("y", "classes", "labeled"),
    [
        ([5, -1, 3], [3, 5], [0, 2]),
        (np.array([5, -1, 3], dtype=np.int8), [3, 5], [0, 2]),
        (np.array([5, 0, 3], dtype=np.uint8), [0, 3, 5], [0, 1, 2]),
        (np.array([5.0, NAN, 3.0], dtype=np.float32), [3.0, 5.0], [0, 2]),
        ([5.0, NAN, 3.0], [3.0, 5.0], [0, 2]),
        ([-1.0, NAN, 1.0], [-1.0, 1.0], [0, 2]),
        ([True, False], [False, True], [0, 1]),
        (["b", "a"], ["a", "b"], [0, 1]),
        (["b", None, "a"], ["a", "b"], [0, 2]),
        (["b", NAN, "a"], ["a", "b"], [0, 2]),
        (["b", pd.NA, "a"], ["a", "b"], [0, 2]),
        (["b", pd.NaT, "a"], ["a", "b"], [0, 2]),
        (("b", NAN, "nan"), ["b", "nan"], [0, 2]),
        ([5, None, 3], [3, 5], [0, 2]),
        ([5, 3.0, None], [3.0, 5.0], [0, 1]),
        ([True, None, False], [False, True], [0, 2]),
        (of_objects("b", np.float32("nan"), "a"), ["a", "b"], [0, 2]),
        (of_objects(5, -1, 3), [3, 5], [0, 2]),
        (of_objects(np.int64(5), np.int64(-1), 3), [3, 5], [0, 2]),
        (of_objects(np.int64(5), None, np.int32(3)), [3, 5], [0, 2]),
        (pd.Series([5, -1, 3]), [3, 5], [0, 2]),
        (pd.Series(["b", None, "a"]), ["a", "b"], [0, 2]),
        (pd.Series(["b", None, "a"], dtype="object"), ["a", "b"], [0, 2]),
        (pd.Series(["b", None, "a"], dtype="string"), ["a", "b"], [0, 2]),
        (pd.Series(["b", None, "a"], dtype="category"), ["a", "b"], [0, 2]),
        (pd.Series([5, None, 3], dtype="category"), [3, 5], [0, 2]),
        (pd.Categorical(["b", None, "a"]), ["a", "b"], [0, 2]),
        (pd.Series([5, None, 3], dtype="Int64"), [3, 5], [0, 2]),
        (pd.Series([5, -1, 3], dtype="Int64"), [3, 5], [0, 2]),
        (pd.array([5, None, 3], dtype="Int64"), [3, 5], [0, 2]),
        (pd.Series([True, None, False], dtype="boolean"), [False, True], [0, 2]),
        (pd.Series([5, None, 3], dtype="Float64"), [3.0, 5.0], [0, 2]),
        (pl.Series([5, None, 3]), [3, 5], [0, 2]),
        (pl.Series([5, -1, 3]), [3, 5], [0, 2]),
        (pl.Series([5.0, NAN, None, 3.0]), [3.0, 5.0], [0, 3]),
        (pl.Series(["b", None, "a"]), ["a", "b"], [0, 2]),
        (pl.Series(["b", None, "a"], dtype=pl.Categorical), ["a", "b"], [0, 2]),
        (pl.Series([True, None, False]), [False, True], [0, 2]),
    ],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore:y holds the text 'nan'")
def test_every_way_to_leave_a_label_out(y, classes, labeled):
    """Class names keep their type, whatever container they came in."""
    labels = read_labels(y)
    names = labels.classes.tolist()
    assert names == classes
    assert [type(name) for name in names] == [type(name) for name in classes]
    assert labels.labeled.dtype == bool
    assert labels.labeled_idx.tolist() == labeled
    assert_array_equal(labeled_mask(y), labels.labeled)
    values = list(y)
    assert labels.classes[labels.codes].tolist() == [values[i] for i in labeled]
    assert labels.n_classes == len(classes)
    assert labels.n_labeled == len(labeled)


def test_minus_one_and_plus_one_are_refused_with_the_way_out():
    expected = (
        "y must hold at least two labeled classes, got 1 class ([1]). The value -1 "
        "marks an unlabeled sample; recode -1/+1 targets as (y > 0).astype(int)."
    )
    for y in ([-1, 1, 1], pd.Series([1, -1], dtype="Int64"), of_objects(1, -1)):
        with pytest.raises(ValueError, match=f"^{re.escape(expected)}$"):
            read_labels(y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([2, 2], "got 1 class ([2]). The value -1 marks an unlabeled sample."),
        ([2, -1], "got 1 class ([2]). The value -1 marks an unlabeled sample."),
        ([1, 1], "got 1 class ([1]). The value -1 marks an unlabeled sample."),
        ([-1, -1], "but it has no labels: all 2 values are -1, which marks"),
        (
            ["a", None],
            "got 1 class (['a']). A missing value marks an unlabeled sample.",
        ),
        ([NAN, 2.0], "got 1 class ([2.0]). A missing value marks an unlabeled sample."),
        ([NAN], "but it has no labels: all 1 values are missing, which marks"),
        ([None, None], "but it has no labels: all 2 values are missing, which marks"),
        ([], "got 0 classes ([])."),
    ],
)
def test_fewer_than_two_classes_are_refused(y, message):
    message = f"y must hold at least two labeled classes, {message}"
    with pytest.raises(ValueError, match=re.escape(message)):
        read_labels(y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0.0, 1.0, 0.25], "Unknown label type: continuous. .* such as 0.25;"),
        ([0.0, NAN, 1.5], "Unknown label type: continuous. .* such as 1.5;"),
        ([0.5, None, 1.0], "Unknown label type: continuous. .* such as 0.5;"),
        (pl.Series([0.5, None, 1.0]), "Unknown label type: continuous"),
        ([0.0, 1.0, np.inf], "y contains infinity"),
        ([0.0, 1.0, -np.inf], "y contains infinity"),
        (
            np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]"),
            r"Unknown label type: y has dtype datetime64\[D\]",
        ),
        (["a", 1, "b"], "y mixes labels of different types, got int, str;"),
        (["a", 1, None], "y mixes labels of different types, got int, str;"),
        (of_objects("a", 1.0), "y mixes labels of different types, got float, str;"),
        (of_objects(True, 2), "y mixes labels of different types, got bool, int;"),
        ([5, -1, 3, None], "y holds missing values and the integer -1, which both"),
        (
            pd.Series([5, -1, 3, None], dtype="Int64"),
            "y holds missing values and the integer -1, which both",
        ),
        (pl.Series([5, -1, 3, None]), "y holds missing values and the integer -1"),
    ],
)
def test_values_that_are_no_classes_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        read_labels(y)


def test_no_targets_are_refused():
    with pytest.raises(ValueError, match="requires y to be passed, but the target y"):
        read_labels(None)
    with pytest.raises(ValueError, match="Mark unlabeled samples with -1"):
        labeled_mask(None)


@pytest.mark.parametrize(
    "column",
    [
        np.array([[0], [-1], [1]]),
        [["a"], [None], ["b"]],
        pd.DataFrame({"y": pd.Series([0, None, 1], dtype="Int64")}),
    ],
    ids=["array", "lists", "frame"],
)
def test_column_is_read_with_a_warning(column):
    with pytest.warns(DataConversionWarning, match="column-vector y was passed"):
        labels = read_labels(column)
    assert labels.labeled.tolist() == [True, False, True]


@pytest.mark.parametrize("shape", [(3, 2), (1, 3), ()])
def test_tables_are_refused(shape):
    with pytest.raises(ValueError, match="1d array"):
        read_labels(np.zeros(shape, dtype=int))


def test_float_minus_one_is_a_class_but_looks_like_the_marker():
    with pytest.warns(UserWarning, match=r"-1\.0 is read as a class") as record:
        labels = read_labels(np.array([-1.0, 0.0, 1.0]))
    assert labels.classes.tolist() == [-1.0, 0.0, 1.0]
    assert labels.labeled.all()
    assert len(record) == 1


@pytest.mark.parametrize(
    "y", [[-1.0, 1.0], [-1.0, 0.0, NAN, 1.0], [-2.0, -1.0, 0.0], [0.0, 1.0, 2.0]]
)
def test_other_floats_do_not_warn(y):
    """Two classes, an explicit NaN, or other negative classes leave no doubt."""
    labels = read_labels(y)
    assert labels.labeled.tolist() == [value == value for value in y]


@pytest.mark.parametrize(
    "written",
    [
        "",
        "nan",
        "NaN",
        "None",
        "<NA>",
        "-1",
        "?",
        " Unknown ",
        "N/A",
        "TBD",
        "Unlabeled",
    ],
)
@pytest.mark.parametrize("gap", ["dog", None])
def test_placeholder_is_a_class_but_looks_like_a_marker(written, gap):
    y = np.array(["cat", written, "dog", written, gap], dtype=object)
    with pytest.warns(
        DataWarning, match=r"is read as a class.* None .* rename"
    ) as record:
        labels = read_labels(y)
    assert labels.labeled.tolist() == [value is not None for value in y]
    assert len(record) == 1
    assert repr(written) in str(record[0].message)
    assert record[0].filename == __file__


@pytest.mark.parametrize(
    "y", [["-1", "1"], ["cat", None, "dog"], ["nothing", "some"], ["a", "b", "c"]]
)
def test_other_texts_do_not_warn(y):
    """Two classes or plain names leave no doubt."""
    labels = read_labels(y)
    assert labels.labeled.tolist() == [value is not None for value in y]


@pytest.mark.parametrize("y", [np.arange(100), [f"id {i}" for i in range(31)]])
def test_scattered_labels_look_like_numbers(y):
    with pytest.warns(DataWarning, match="like numbers or identifiers") as record:
        read_labels(y)
    assert len(record) == 1


@pytest.mark.parametrize(
    "y",
    [
        np.arange(10),
        np.arange(26),
        np.tile(np.arange(100), 2),
        np.append(np.repeat(np.arange(50), 2), np.arange(50, 150)),
    ],
    ids=["digits", "letters", "pairs", "half"],
)
def test_many_classes_are_not_scattered_labels(y):
    """Few classes, two labels of each, or half of the labels alone in their class."""
    assert read_labels(y).n_classes == len(np.unique(y))


@pytest.mark.parametrize("n_classes", [27, 30])
def test_single_labels_of_many_classes_are_asked_about(n_classes):
    """With 31 classes, `is_scattered` applies."""
    y = np.append(np.arange(n_classes), np.full(100, -1))
    told = f"{n_classes} different labels in {n_classes} labeled rows; if these are id"
    with pytest.warns(DataWarning, match=told) as record:
        read_labels(y)
    assert len(record) == 1


@pytest.mark.parametrize("y", [[0, -1, 1], [0.0, NAN], ["cat", None], [None, 1]])
def test_unlabeled_samples_are_refused_with_the_way_out(y):
    with pytest.raises(ValueError, match=r"y of it .* 1 unlabeled of .*labeled_scorer"):
        refuse_unlabeled(y, "y of it")


@pytest.mark.parametrize("y", [[0, 1], [-1.0, 1.0], ["-1", "nan"], []])
def test_known_labels_are_not_refused(y):
    refuse_unlabeled(y, "y of it")


@pytest.mark.parametrize("make", [list, np.array, pd.Series, pl.Series])
def test_unused_samples_are_as_if_they_were_not_there(make):
    y = [7, -1, 5, 9, 5]
    used = np.array([True, True, True, False, True])
    labels = read_labels(make(y), used)
    assert labels.classes.tolist() == [5, 7]
    assert labels.labeled.tolist() == [True, False, True, True]
    assert labels.codes.tolist() == [1, 0, 0]


def test_classes_of_unused_samples_do_not_count():
    with pytest.raises(ValueError, match=r"got 1 class \(\[7\]\)"):
        read_labels([7, 5, 7], np.array([True, False, True]))


def test_signs_of_two_and_of_more_classes():
    two = read_labels(["no", "yes", None, "no"])
    assert_array_equal(sign_coding(two.codes, 2), [[-1], [1], [-1]])
    three = read_labels([2, 0, -1, 1])
    expected = [[-1, -1, 1], [1, -1, -1], [-1, 1, -1]]
    assert_array_equal(sign_coding(three.codes, 3), expected)


@given(st.data(), st.integers(2, 6))
def test_deciding_undoes_the_coding(data, n_classes):
    """Also after scaling, since only the largest score counts."""
    codes = np.array(data.draw(st.lists(st.integers(0, n_classes - 1), max_size=20)))
    codes = codes.astype(int)
    signs = sign_coding(codes, n_classes)
    assert signs.shape == (len(codes), 1 if n_classes == 2 else n_classes)
    assert_array_equal(abs(signs), 1)
    assert_array_equal(decide(signs), codes)
    assert_array_equal(decide(0.01 * signs), codes)


def test_both_columns_give_the_probability_of_a_single_score(rng):
    scores = rng.normal(size=(3, 5, 1))
    both = both_columns(scores, factor=0.5)
    assert_allclose(softmax(both, axis=2)[..., 1:], expit(scores))
    assert_array_equal(both_columns(scores), 2 * both)
    assert_array_equal(decide(both_columns(scores[0])), decide(scores[0]))
    assert_array_equal(both_columns(both, factor=0.5), both)  # a column each already


def test_decision_of_two_classes_is_positive_for_the_second():
    assert decide(np.array([[-0.1], [0.0], [0.1]])).tolist() == [0, 0, 1]


def test_decision_of_more_classes_is_the_largest_score():
    scores = np.array([[-3.0, -1.0, -2.0], [0.2, 0.1, 0.0]])
    assert decide(scores).tolist() == [1, 0]


@st.composite
def hiding_cases(draw, names):
    """Values with two classes that stay visible, and two masks of what to hide."""
    classes = draw(st.lists(names, min_size=2, max_size=4, unique=True))
    more = draw(st.lists(st.sampled_from(classes), max_size=8))
    masks = draw(
        st.lists(
            st.tuples(st.booleans(), st.booleans()),
            min_size=len(classes) - 2 + len(more),
            max_size=len(classes) - 2 + len(more),
        )
    )
    rows = [*zip(classes[:2], [(False, False)] * 2, strict=True)]
    rows += zip([*classes[2:], *more], masks, strict=True)
    rows = draw(st.permutations(rows))
    values, masks = zip(*rows, strict=True)
    return list(values), *np.array(masks).T


@pytest.mark.filterwarnings("ignore:y holds the text")
@pytest.mark.parametrize("container", CONTAINERS)
@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_what_is_hidden_is_unlabeled_and_the_rest_survives(container, data):
    """Reading hidden labels gives the mask and the visible class names back."""
    make, names = CONTAINERS[container]
    values, first, second = data.draw(hiding_cases(names))
    y = make(values)
    once = hide(y, first)
    twice = hide(once, second)
    assert list(y) == values  # the input is never written to
    for hidden_y, hidden in [(once, first), (twice, first | second)]:
        assert_array_equal(labeled_mask(hidden_y), ~hidden)
        labels = read_labels(hidden_y)
        kept = [v for v, is_hidden in zip(values, hidden, strict=True) if not is_hidden]
        assert_array_equal(labels.labeled, ~hidden)
        assert labels.classes.tolist() == sorted(set(kept))
        assert labels.classes[labels.codes].tolist() == kept
        assert {type(name) for name in labels.classes.tolist()} == {type(kept[0])}
    assert_array_equal(labeled_mask(once), ~first)  # nor is the first copy


@pytest.mark.parametrize(
    "y",
    [
        [5, -1, 3, 5],
        np.array([5, -1, 3, 5]),
        of_objects(5, -1, 3, 5),
        pd.Series([5, -1, 3, 5]),
        pd.Series([5, -1, 3, 5], dtype="object"),
        pd.Series([5, -1, 3, 5], dtype="Int64"),
        pd.Series([5, -1, 3, 5], dtype="category"),
        pd.Series([5, None, 3, 5], dtype="Int64"),
        pd.Series([5, None, 3, 5], dtype="category"),
        pl.Series([5, -1, 3, 5]),
        pl.Series([5, None, 3, 5]),
    ],
    ids=repr,
)
def test_hiding_uses_the_marker_that_is_there(y):
    """Two markers in one target could not be read again."""
    labels = read_labels(hide(y, [False, False, False, True]))
    assert labels.labeled.tolist() == [True, False, True, False]
    assert labels.classes.tolist() == [3, 5]
    assert type(labels.classes.tolist()[0]) is int


@pytest.mark.parametrize(
    ("y", "dtype", "marked"),
    [
        ([5, 3], np.int64, -1),
        (np.array([5, 3], dtype=np.int8), np.int8, -1),
        (np.array([5, 3], dtype=np.uint8), np.int64, -1),
        (np.array([5, 3], dtype=np.float32), np.float32, None),
        (["a", "b"], object, None),
        ([True, False], object, None),
    ],
)
def test_marker_follows_the_type(y, dtype, marked):
    hidden = hide(y, [True, False])
    assert hidden.dtype == dtype
    assert hidden[0] == marked if dtype != np.float32 else np.isnan(hidden[0])
    assert hidden[1] == y[1]


@pytest.mark.parametrize(
    "dtype", ["int64", "float64", "str", "category", "Int64", "string", "object"]
)
def test_series_stays_one(dtype):
    y = pd.Series(["1", "2", "1"], index=[4, 2, 9], name="kind").astype(dtype)
    hidden = hide(y, [False, False, True])
    assert isinstance(hidden, pd.Series)
    assert hidden.index.tolist() == [4, 2, 9]
    assert hidden.name == "kind"
    if dtype != "object":  # pandas 3 sees that an object column holds strings only
        assert hidden.dtype == y.dtype


def test_hidden_may_be_a_series_of_another_index():
    """Positions count, not index labels."""
    y = pd.Series(["a", "b", "a"], index=[4, 2, 9])
    hidden = hide(y, pd.Series([False, False, True]))
    assert labeled_mask(hidden).tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("y", "label", "found"),
    [
        ([5, -1, 3, 5], 5, [0, 3]),
        ([5, -1, 3, 5], 5.0, [0, 3]),
        ([5, -1, 3, 5], np.int8(5), [0, 3]),
        ([5, -1, 3, 5], 4, []),
        ([5, -1, 3, 5], "5", []),
        ([0, 1, -1], 0, [0]),
        (np.array([5, 0, 3], dtype=np.uint8), 0, [1]),
        ([5.0, NAN, 3.0], 5.0, [0]),
        ([5.0, NAN, 3.0], 5, [0]),
        ([-1.0, NAN, 1.0], -1.0, [0]),
        (np.array([5.0, NAN], dtype=np.float32), 5, [0]),
        (["b", "a", "b"], "b", [0, 2]),
        (["b", "a", "b"], 1, []),
        (np.array(["b", "a", "bb"]), "b", [0]),
        (["b", None, "a"], "a", [2]),
        (["b", NAN, "nan"], "nan", [2]),
        (["b", pd.NA, "a"], "a", [2]),
        (["b", pd.NaT, "a"], "a", [2]),
        ([5, None, 3], 3, [2]),
        (of_objects(5, None, "junk", NAN, pd.NA), "junk", [2]),
        (of_objects(5, None, "junk", NAN, pd.NA), 5, [0]),
        ([True, False], True, [0]),
        (pd.Series([5, -1, 3], index=[7, 8, 9]), 3, [2]),
        (pd.Series(["b", None, "a"]), "a", [2]),
        (pd.Series(["b", None, "a"], dtype="object"), "a", [2]),
        (pd.Series(["b", None, "a"], dtype="string"), "a", [2]),
        (pd.Series(["b", None, "a"], dtype="category"), "a", [2]),
        (pd.Categorical(["b", None, "a"]), "a", [2]),
        (pd.Series([5, None, 3], dtype="Int64"), 3, [2]),
        (pd.Series([5, None, 3], dtype="Float64"), 3, [2]),
        (pd.Series([True, None, False], dtype="boolean"), False, [2]),
        (pl.Series([5, None, 3]), 3, [2]),
        (pl.Series(["b", None, "a"]), "a", [2]),
        ([], 3, []),
    ],
    ids=repr,
)
def test_rows_of_a_label(y, label, found):
    """Missing values are no label, whatever they compare with."""
    mask = has_label(y, label)
    assert mask.dtype == bool
    assert mask.shape == (len(y),)
    assert np.flatnonzero(mask).tolist() == found


@pytest.mark.parametrize("y", [[5, -1, 3], ["b", None], [1.0, NAN]])
def test_no_label_is_no_row(y):
    """None asks for nothing, although it also marks an unlabeled sample."""
    assert has_label(y, None).tolist() == [False] * len(y)


@pytest.mark.parametrize(
    ("y", "label"),
    [
        ([5, -1, 3], -1),
        ([5, -1, 3], np.int64(-1)),
        (pd.Series([5, None, 3], dtype="Int64"), pd.NA),
        ([5.0, NAN], NAN),
        (["b", NAN], np.float32("nan")),
        (["b", None], pd.NaT),
    ],
)
def test_marker_of_unlabeled_samples_is_no_label(y, label):
    message = f"{label!r} marks an unlabeled sample; use another value for a label."
    with pytest.raises(ValueError, match=re.escape(message)):
        has_label(y, label)


def test_label_of_no_targets_is_refused():
    with pytest.raises(ValueError, match="requires y to be passed"):
        has_label(None, "junk")


@pytest.mark.parametrize("label", [("a", 1), frozenset("a"), {"a": 1}, ["a"]])
@pytest.mark.parametrize("container", [list, pd.Series, np.ndarray])
def test_a_class_is_one_name(label, container):
    """NumPy would make a table of tuples; sets are not in any order."""
    values = np.empty(4, dtype=object)
    values[:] = [label, None, "b", "b"]
    if container is list and isinstance(label, list):
        return  # NumPy refuses it itself, and [[1], [2]] is a column
    y = values if container is np.ndarray else container(values)
    with pytest.raises(ValueError, match=r"y holds .*, but a class is one name"):
        read_labels(y)


@pytest.mark.parametrize("gap", [[], [None]])
def test_numbers_of_more_than_64_bits_are_refused(gap):
    with pytest.raises(ValueError, match="use strings as class names"):
        read_labels([2**70, 2**70 + 1, *gap])
    with pytest.raises(ValueError, match="use strings as class names"):
        read_labels([2**64 - 1, -1])


def test_numbers_that_floats_merge_are_refused():
    with pytest.raises(ValueError, match="floats cannot distinguish"):
        read_labels([2**53 + 1, 2.0**53, None])


def test_a_class_that_may_mark_unlabeled_samples_is_asked_about():
    y = np.array(["unassigned"] * 90 + ["a", "b"] * 5)
    with pytest.warns(DataWarning, match="'unassigned' in more than 80%"):
        read_labels(y)


@pytest.mark.parametrize(
    "y",
    [
        ["x"] * 70 + ["a", "b"] * 15,  # not so many
        ["x"] * 90 + ["a"] * 10,  # without it a single class
        ["x"] * 90 + ["a", "b"] * 5 + [None],  # marked otherwise
        [0] * 90 + [1, 2] * 5,
    ],
)
def test_a_large_class_is_no_mark(y):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_labels(y)


def test_zero_among_signs_that_marks_unlabeled_samples_is_asked_about():
    y = np.array([0] * 90 + [1, -1] * 5)
    with pytest.warns(DataWarning, match=r"pass np.where\(y == 0, -1, y > 0\)"):
        read_labels(y)


@pytest.mark.parametrize(
    "y",
    [
        [0] * 5 + [1] * 5 + [-1] * 90,
        [0] * 90 + [1] * 10,
        [0] * 90 + [1] * 9 + [-1],
        [0] * 50 + [1] * 25 + [-1] * 25,
        [0] * 90 + [1, 2] * 4 + [-1, -1],
    ],
)
def test_zero_is_a_class(y):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_labels(np.array(y))
