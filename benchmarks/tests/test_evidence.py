"""What scripts share that compare constants."""

from contextlib import nullcontext

import numpy as np
import pytest

from widemargin import averaging
from widemargin_bench.evidence import compare, constant, draw_labels


def test_some_labels_are_wrong_and_every_class_has_one():
    y = np.arange(60) % 3
    y_partial = draw_labels(y, 20, 0, wrong=0.1)
    labeled = y_partial != -1
    assert labeled.sum() == 20
    assert np.sum(y_partial[labeled] != y[labeled]) == 2
    assert set(draw_labels(y, 1, 0)) == {-1, 0, 1, 2}


def test_a_constant_has_another_value_for_a_while():
    before = averaging.LEAST_PROBABILITY
    with constant("LEAST_PROBABILITY", 0.25):
        assert averaging.LEAST_PROBABILITY == 0.25
    assert before == averaging.LEAST_PROBABILITY


@pytest.mark.slow
def test_a_table_has_a_line_for_each_value(capsys):
    changes = {value: nullcontext() for value in (1, 2)}
    sets = [(np.zeros(2), np.zeros(2)), (np.ones(2), np.zeros(2))]
    compare("title", 1, changes, lambda value, X, y, draw: value + X[0], sets, 2)
    title, first, second = capsys.readouterr().out.split("\n")[1:4]
    assert title == "title"
    assert first.split()[:5] == ["*", "1", "1.50", "+0.00", "+-"]
    assert second.split()[:5] == ["2", "2.50", "+1.00", "+-", "0.00"]
