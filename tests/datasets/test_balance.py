import numpy as np
from numpy.testing import assert_array_equal

from widemargin.datasets._balance import balanced_labels


def test_balanced_labels_give_the_rest_to_the_first_classes():
    labels = balanced_labels(11, 4, np.random.default_rng(0))
    assert_array_equal(np.bincount(labels), [3, 3, 3, 2])
