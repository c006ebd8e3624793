import numpy as np
import pytest
from numpy.testing import assert_array_equal

from widemargin.linalg.random import as_generator


def test_generator_is_used_as_it_is(rng):
    assert as_generator(rng) is rng


def test_integer_seeds_the_default_generator():
    expected = np.random.default_rng(7).random(5)
    assert_array_equal(as_generator(7).random(5), expected)
    assert_array_equal(as_generator(np.int64(7)).random(5), expected)


def test_none_is_fresh_every_time():
    assert as_generator(None).random() != as_generator(None).random()


def test_random_state_seeds_a_generator_and_moves_on():
    """The same state gives the same stream; asking twice gives two streams."""
    first, again = np.random.RandomState(0), np.random.RandomState(0)
    draw = as_generator(first).random(5)
    assert_array_equal(as_generator(again).random(5), draw)
    assert not np.array_equal(as_generator(first).random(5), draw)


@pytest.mark.parametrize("random_state", ["seed", -1, 1.5, np.random])
def test_other_values_are_refused_by_name(random_state):
    with pytest.raises(ValueError, match="rng must be None, an integer >= 0"):
        as_generator(random_state, "rng")
