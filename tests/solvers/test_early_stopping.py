import numpy as np
import pytest

from widemargin.labels import decide
from widemargin.solvers.early_stopping import (
    MixedCheck,
    StabilityCheck,
    ValidationCheck,
    check_interval,
)


def one_column(*signs):
    return np.array(signs, dtype=float)[:, None]


@pytest.mark.parametrize(
    ("n_samples", "interval"), [(362, 10), (1040, 16), (1410, 19), (11902, 55), (9, 10)]
)
def test_interval_is_half_the_root_but_at_least_ten(n_samples, interval):
    assert check_interval(n_samples) == interval


def test_stability_counts_each_changed_decision_once():
    """One of 100 decisions is 1 % (stop), two are 2 % (go on)."""
    check = StabilityCheck(np.arange(100), decide, interval=10)
    before = check.look(np.ones((100, 1)))
    for n_changed, stops in [(1, True), (2, False)]:
        scores = np.ones((100, 1))
        scores[:n_changed] = -1
        stop, change = check.compare(before, check.look(scores))
        assert stop is stops
        assert change == n_changed / 100


def test_stability_looks_at_its_rows_only():
    check = StabilityCheck(np.array([0, 1]), decide, interval=10)
    before = check.look(one_column(1, 1, 1))
    assert check.compare(before, check.look(one_column(1, 1, -1))) == (True, 0.0)


def test_stability_of_several_classes_is_of_the_joint_decision():
    """Scores may move as they like while the largest stays the largest."""
    check = StabilityCheck(np.arange(2), decide, interval=10)
    before = check.look(np.array([[1.0, 0, 0], [0, 1.0, 0]]))
    now = check.look(np.array([[0.2, -1, -1], [-5, -1, -2.0]]))
    assert check.compare(before, now) == (True, 0.0)


@pytest.mark.parametrize(("before", "now", "stops"), [(3, 3, True), (3, 4, False)])
def test_validation_asks_for_one_more_correct_sample(before, now, stops):
    check = ValidationCheck(np.arange(5), np.ones(5, dtype=int), decide, interval=10)
    seen = [check.look(one_column(*[1] * n, *[-1] * (5 - n))) for n in (before, now)]
    assert seen == [before, now]
    assert check.compare(*seen)[0] is stops


def test_mixed_needs_both():
    stability = StabilityCheck(np.arange(2), decide, interval=10)
    validation = ValidationCheck(np.array([2]), np.array([1]), decide, interval=10)
    check = MixedCheck(stability, validation)
    before = check.look(one_column(1, 1, -1))
    assert not check.compare(before, check.look(one_column(1, 1, 1)))[0]
    assert not check.compare(before, check.look(one_column(1, -1, -1)))[0]
    assert check.compare(before, check.look(one_column(1, 1, -1)))[0]
