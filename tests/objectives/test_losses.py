import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from widemargin.objectives.losses import Hinge, Squared, SquaredHinge

TARGETS = np.array([1.0, 1.0, 1.0, -1.0, -1.0])
SCORES = np.array([2.0, 1.0, -1.0, -0.5, -3.0])


def test_values():
    assert_allclose(SquaredHinge().value(TARGETS, SCORES), [0, 0, 4, 0.25, 0])
    assert_allclose(Hinge().value(TARGETS, SCORES), [0, 0, 2, 0.5, 0])
    assert_allclose(Squared().value(TARGETS, SCORES), [1, 0, 4, 0.25, 4])


def test_exactly_on_the_margin_is_not_active():
    assert_array_equal(
        SquaredHinge().active(TARGETS, SCORES), [False, False, True, True, False]
    )
    assert Squared().active(TARGETS, SCORES).all()
