import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from widemargin.solvers.label_counts import count_labels


def test_labels_of_the_same_weight_count_as_one_each():
    for weight in (1.0, 1000.0):
        assert_array_equal(count_labels(np.full(7, weight)), 1.0)


def test_labels_of_hardly_any_weight_do_not_lend_theirs_to_the_others():
    counts = count_labels(np.array([1.0, 1.0, *np.full(14, 0.01)]))
    assert_allclose(counts[:2], 1.0, atol=0.1)
    assert counts.sum() < 2.5


@given(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=20), st.floats(1e-3, 1e3))
def test_counts_follow_weights_and_are_as_many_as_labels_at_most(weights, scale):
    weights = np.array(weights)
    counts = count_labels(weights)
    assert_allclose(counts * weights[0], counts[0] * weights)
    assert 1.0 - 1e-9 <= counts.sum() <= len(weights) * (1 + 1e-9)
    assert_allclose(count_labels(scale * weights), counts)
