import warnings
from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from widemargin import FewLabelClassifier, LaplacianSVC, TableEncoder
from widemargin.checks import DataWarning
from widemargin.defaults import COPY_CHANCE, NAMED_COPY_CHANCE
from widemargin.tables.errors import TableError
from widemargin.tables.targets import _may_be_chance, find_copies, read_target


def read(values, dtype=None, **options):
    return read_target(pd.Series(values, name="y", dtype=dtype), **options)[1]


@pytest.mark.parametrize(
    ("values", "dtype", "classes"),
    [
        (["b", None, "a", "b"], object, ["a", "b"]),
        ([1.0, None, 0.0, 1.0], float, [0, 1]),
        ([1, -1, 0, 1], int, [0, 1]),
        ([True, None, False, True], object, [False, True]),
        (["b", None, "a", "b"], "category", ["a", "b"]),
        ([1, None, 0, 1], "Int64", [0, 1]),
        ([1, None, 0, 1], "float32", [0, 1]),
        ([1, None, 0, 1], "Float64", [0, 1]),
    ],
)
def test_empty_cells_are_unlabeled(values, dtype, classes):
    labels = read(values, dtype)
    assert labels.classes.tolist() == classes
    assert [type(name) for name in labels.classes.tolist()] == [type(classes[0])] * 2
    assert labels.labeled.tolist() == [True, False, True, True]


def test_numbers_beside_text_can_be_names():
    values = ["1", "2", "two", None]
    with pytest.raises(TableError, match="'y' mixes numbers and text"):
        read(values, object)
    assert read(values, object, as_names=True).classes.tolist() == ["1", "2", "two"]
    with pytest.raises(TableError, match="'y' mixes text and the number True"):
        read([True, True, True, "no", None], object)


def test_measured_numbers_are_no_classes():
    with pytest.raises(TableError, match=r"'y' holds measured numbers such as 0.5"):
        read([0.5, 1.0, None])
    assert read([0.5, 1.0, None], as_names=True).classes.tolist() == ["0.5", "1.0"]


def test_many_amounts_are_no_classes():
    values = [f"${i},200" for i in range(1, 40)] * 2
    with pytest.raises(TableError, match=r"39 different amounts such as '\$1,200'"):
        read(values, object)
    assert len(read(values, object, as_names=True).classes) == 39
    assert len(read(["5 %", "10 %"] * 20, object).classes) == 2
    assert len(read([f"A{i}" for i in range(40)] * 2, object).classes) == 40


def test_one_thing_marks_a_row_without_a_label():
    with pytest.raises(TableError, match="'y' holds empty cells and -1, which both"):
        read([1.0, -1.0, None])
    with pytest.raises(TableError, match="add --categorical 'y' if -1 is one"):
        read([1, -1, 1])


def test_long_numbers_beside_empty_cells_are_refused():
    """As floats some of them would be the same."""
    with pytest.raises(TableError, match="add --categorical 'y'"):
        read([1e16, 1e16 + 2, None])
    assert read([10**16, 10**16 + 1]).classes.tolist() == [10**16, 10**16 + 1]


@pytest.mark.parametrize("value", [date(2024, 1, 5), b"name", ["a", "b"]])
def test_what_can_be_no_class_is_refused(value):
    with pytest.raises(TableError, match=r"'y' holds values such as .* not classes"):
        read([value, "other", None], object)


def iris_table(n_labeled, rng):
    """Rows of iris as a table, and labels of some of them."""
    iris = load_iris(as_frame=True)
    labels = iris.target_names[iris.target].astype(object)
    labels[rng.permutation(150)[n_labeled:]] = None
    return iris.data, iris.target, labels


def copies_in(frame, labels):
    return find_copies(frame, labels, pd.notna(labels))


def test_a_copy_under_other_names_is_found(rng):
    frame, codes, labels = iris_table(30, rng)
    assert copies_in(frame, labels) == ()
    copied = frame.assign(kind=codes.map({0: "S", 1: "Ve", 2: "Vi"}), code=codes + 7)
    assert copies_in(copied, labels) == (("kind", False), ("code", False))
    copied.loc[int(np.flatnonzero(pd.notna(labels))[3]), "kind"] = None
    assert copies_in(copied, labels) == (("code", False),)
    # More values than classes: it says more than the class.
    finer = frame.assign(code=codes * 100 + np.arange(150) % 2)
    assert copies_in(finer, labels) == ()


def test_few_labels_are_not_enough_for_other_names_by_chance(rng):
    frame, codes, labels = iris_table(12, rng)
    assert copies_in(frame.assign(code=codes), labels) == ()
    # The same names, or the same empty cells, are.
    names = load_iris().target_names[codes]
    assert copies_in(frame.assign(z=names), labels) == (("z", True),)
    blank = codes.where(pd.notna(labels))
    assert copies_in(frame.assign(code=blank), labels) == (("code", False),)
    # Two names agree with so few labels more often by chance than three.
    answer = np.where(codes > 0, "yes", "no")
    partly = np.where(pd.notna(labels), answer, None)
    assert copies_in(frame.assign(z=answer), partly) == ()


@pytest.mark.parametrize("names", [("blue", "red"), ("no", "yes"), (0, 1)])
def test_few_labels_are_not_enough_for_the_same_names_by_chance(names, rng):
    """Random cells and labels of the same names, whatever these are."""
    names = np.array(names, dtype=object)
    labeled = np.arange(30) < 3
    for _ in range(300):
        y, frame = rng.choice(names, 30), pd.DataFrame({"x": rng.choice(names, 30)})
        assert find_copies(frame, y, labeled) == ()


@pytest.mark.parametrize(
    ("n_classes", "n_other", "n_same", "n_named"),
    [(2, 24, 23, 13), (3, 18, 16, 9), (10, 18, 10, 7)],
)
def test_labels_that_show_a_copy(n_classes, n_other, n_same, n_named):
    """The fewest labels of equal classes, as the comment of COPY_CHANCE has them."""

    def fewest(is_same, chance):
        n_labels = 2
        while _may_be_chance(
            [len(part) for part in np.array_split(range(n_labels), n_classes)],
            n_labels,
            is_same,
            chance,
        ):
            n_labels += 1
        return n_labels

    assert fewest(False, COPY_CHANCE) == n_other
    assert fewest(True, COPY_CHANCE) == n_same
    assert fewest(True, NAMED_COPY_CHANCE) == n_named


def test_clean_tables_have_no_copy_by_chance():
    """Columns cut into as many values as there are classes: the hardest clean ones."""
    rng, n_found, n_draws = np.random.default_rng(0), 0, 0
    for load in (load_wine, load_breast_cancer):
        X, y = load(return_X_y=True)
        n_classes = y.max() + 1
        cuts = np.quantile(X, np.arange(1, n_classes) / n_classes, axis=0)
        frame = pd.DataFrame((cuts[:, None] < X).sum(axis=0)).rename(columns=str)
        for n_labeled in (10, 20, 30, 50):
            for _ in range(5):
                labeled = np.zeros(len(y), dtype=bool)
                labeled[rng.permutation(len(y))[:n_labeled]] = True
                n_found += bool(find_copies(frame, y, labeled))
                n_draws += 1
    assert n_found <= 0.02 * n_draws


@pytest.mark.parametrize(
    "model", [FewLabelClassifier(random_state=0), LaplacianSVC(), TableEncoder()]
)
def test_a_copy_is_named_in_python_once(model, rng):
    frame, codes, labels = iris_table(40, rng)
    y = np.where(pd.notna(labels), codes, -1)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        model.fit(frame, y)
    with pytest.warns(DataWarning, match=r"drop\(columns=\['code'\]\)") as seen:
        model.fit(frame.assign(code=codes + 1), y)
    assert len([each for each in seen if each.category is DataWarning]) == 1


@pytest.mark.parametrize(
    ("columns", "is_mixed"),
    [(range(5), False), (range(5), True), (list("abcde"), True), ("pairs", False)],
)
def test_the_columns_to_drop_have_the_names_of_the_table(columns, is_mixed, rng):
    frame, codes, labels = iris_table(40, rng)
    table = frame.assign(code=codes + 1)
    if is_mixed:  # columns that the encoder leaves out come first
        table.insert(0, "same", "x")
        columns = ["same", *columns] if isinstance(columns, list) else range(6)
    if isinstance(columns, str):
        columns = pd.MultiIndex.from_product([["iris"], range(5)])
    table.columns = columns
    y = np.where(pd.notna(labels), codes, -1)
    with pytest.warns(DataWarning) as seen:
        FewLabelClassifier(random_state=0).fit(table, y)
    message = str(next(each for each in seen if each.category is DataWarning).message)
    advice = message.partition("pass ")[2].rstrip(".")
    rest = eval(advice, {"X": table})
    assert rest.columns.tolist() == table.columns.tolist()[:-1]


@pytest.mark.parametrize("model", [LaplacianSVC(), FewLabelClassifier(random_state=0)])
@pytest.mark.usefixtures("no_pyarrow")
def test_tables_of_polars_need_no_pyarrow(model, rng):
    frame, codes, labels = iris_table(40, rng)
    table = pl.DataFrame({name: frame[name].to_numpy() for name in frame})
    y = np.where(pd.notna(labels), codes, -1)
    found = model.fit(table, y).predict(table)
    assert np.mean(found == codes) > 0.8
    copied = table.with_columns(code=pl.Series(codes.to_numpy() + 1))
    with pytest.warns(DataWarning, match="'code'") as seen:
        model.fit(copied, y)
    message = str(next(each for each in seen if each.category is DataWarning).message)
    rest = eval(message.partition("pass ")[2].rstrip("."), {"X": copied})
    assert rest.columns == table.columns


def test_a_copy_among_mixed_columns_is_named(rng):
    frame, codes, labels = iris_table(40, rng)
    mixed = frame.assign(kind=codes.map({0: "S", 1: "Ve", 2: "Vi"}))
    with pytest.warns(DataWarning, match="'kind'") as seen:
        FewLabelClassifier(random_state=0).fit(mixed, labels)
    assert len([each for each in seen if each.category is DataWarning]) == 1


def test_one_number_among_names_may_mark_unlabeled_rows():
    values = pd.Series(["0"] * 90 + ["a", "b"] * 5, name="team", dtype=object)
    with pytest.raises(TableError) as raised:
        read_target(values)
    assert "mixes text and the number 0, which is in 90 of its 100" in str(raised.value)
    assert "add --missing '0'" in str(raised.value)
    with pytest.raises(TableError, match="--missing 'a'"):
        read_target(pd.Series(["0", "1"] * 45 + ["a"] * 10, name="team", dtype=object))


@pytest.mark.parametrize("values", [[f"${i}.50" for i in range(40)], np.arange(40) / 7])
def test_numbers_that_are_too_many_for_classes_are_not_advised_as_names(values):
    with pytest.raises(TableError, match=r"low and high\.$"):
        read_target(pd.Series(values, name="team"))
    with pytest.raises(TableError, match="add --categorical 'team' to take them as"):
        read_target(pd.Series(list(values) * 3, name="team"))
