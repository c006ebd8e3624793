import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import beta
from sklearn.datasets import make_blobs

from widemargin import LabelSearchClassifier, SelfLabelingGPC, TransductiveSVC
from widemargin.datasets import hide_labels
from widemargin.model_selection import select_balance

COUNTS = st.lists(st.integers(1, 300), min_size=2, max_size=12)


@pytest.mark.filterwarnings("ignore:y is 0 in most")  # of some of these counts
@given(counts=COUNTS, concentration=st.floats(0, 1e3), n_unlabeled=st.integers(0, 5))
def test_formula(counts, concentration, n_unlabeled):
    """The posterior mean, which adds up to one; unlabeled rows do not count."""
    y = np.repeat(np.arange(len(counts)), counts)
    y = np.concatenate([y, np.full(n_unlabeled, -1)])
    found = select_balance(y, concentration=concentration)
    assert list(found) == list(range(len(counts)))
    assert abs(sum(found.values()) - 1.0) < 1e-9
    total = sum(counts) + len(counts) * concentration
    for code, count in enumerate(counts):
        assert_allclose(found[code], (count + concentration) / total)


@given(counts=COUNTS, concentration=st.floats(0, 10), interval=st.floats(0.01, 0.99))
def test_intervals_hold_their_probability(counts, concentration, interval):
    y = np.repeat(np.arange(len(counts)), counts)
    balance, intervals = select_balance(
        y, concentration=concentration, interval=interval
    )
    assert balance == select_balance(y, concentration=concentration)
    total = sum(counts) + len(counts) * concentration
    for code, (low, high) in intervals.items():
        a = counts[code] + concentration
        inside = beta.cdf([low, high], a, total - a)
        assert_allclose(inside, [(1 - interval) / 2, (1 + interval) / 2], atol=1e-6)
        assert 0.0 <= low < high <= 1.0


def test_few_labels_say_little():
    """The figures in the docstring."""
    _, intervals = select_balance([0, 1] * 10, interval=0.9)
    assert_allclose(intervals[0], (0.33, 0.67), atol=0.005)
    _, more = select_balance([0, 1] * 1000, interval=0.9)
    assert np.ptp(more[0]) < 0.2 * np.ptp(intervals[0])


def test_no_prior_and_a_strong_one():
    y = [0, 0, 0, 1]
    assert select_balance(y, concentration=0) == {0: 0.75, 1: 0.25}
    assert_allclose(select_balance(y, concentration=1e9)[0], 0.5)


NAMES = {
    "integers": lambda y: y,
    "numpy integers": lambda y: y.astype(np.int8),
    "floats": lambda y: np.where(y < 0, np.nan, y),
    "names": lambda y: np.array(["cat", "dog", None], dtype=object)[y],
    "booleans": lambda y: np.array([False, True, None], dtype=object)[y],
    "nullable": lambda y: pd.Series(y, dtype="Int64").mask(y < 0),
    "categories": lambda y: pd.Categorical(np.array(["cat", "dog", None])[y]),
}


@pytest.mark.parametrize(
    "estimator", [LabelSearchClassifier, TransductiveSVC, SelfLabelingGPC]
)
@pytest.mark.parametrize("kind", NAMES)
def test_ready_for_the_estimators(kind, estimator):
    """Keys are the class names; fractions pass the check of their sum."""
    X, y = make_blobs([20, 40], centers=[[0, 0], [6, 6]], random_state=0)
    y_partial = NAMES[kind](hide_labels(y, 9, rng=0))
    balance = select_balance(y_partial)
    model = estimator(balance=balance, random_state=0).fit(X, y_partial)
    assert set(balance) == set(model.classes_.tolist())


def test_numpy_and_python_names_are_the_same_keys():
    balance = select_balance(np.array(["a", "b", "b"]))
    assert balance[np.str_("b")] == balance["b"] == 0.6
    balance = select_balance(np.array([0, 3, 3]))
    assert balance[np.int64(3)] == balance[3] == 0.6


def test_rows_known_to_be_irrelevant_do_not_count():
    y = ["a", "b", "other", "other", None, "b"]
    assert select_balance(y, irrelevant_label="other") == {"a": 0.4, "b": 0.6}


@pytest.mark.parametrize("concentration", [-1.0, np.nan, np.inf, "one", True, None])
def test_wrong_concentration(concentration):
    with pytest.raises(
        ValueError, match=r"concentration of select_balance must be a n"
    ):
        select_balance([0, 1], concentration=concentration)


@pytest.mark.parametrize("interval", [0, 1, 95, np.nan, "wide", True])
def test_wrong_interval(interval):
    match = rf"interval of select_balance must be .* between 0 and 1, got {interval!r}"
    with pytest.raises(ValueError, match=match.replace("(", r"\(").replace(")", r"\)")):
        select_balance([0, 1], interval=interval)


def test_one_class_is_too_few():
    with pytest.raises(ValueError, match="at least two labeled classes, got 1"):
        select_balance([1, 1, -1])
