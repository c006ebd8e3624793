import inspect

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from widemargin import RidgeAverageClassifier
from widemargin.datasets import hide_labels
from widemargin.kernels import Rbf
from widemargin.model_selection import WidthWeights, select_width, weigh_widths


@pytest.fixture
def stripes(rng):
    """Rows of a square, and targets with so many stripes along one side."""
    X = rng.uniform(size=(300, 2))
    return X, lambda n_stripes: (n_stripes * X[:, 0]).astype(int) % 2


def test_finer_classes_prefer_narrower_kernels(stripes):
    X, classes = stripes
    found = [select_width(X, hide_labels(classes(k), 200, rng=0)) for k in (2, 4, 6)]
    assert found[0] < found[1] < found[2]


def test_the_width_that_the_labels_prefer_counts_most(stripes):
    """A very narrow kernel knows nothing of its neighbors, a very wide one no turns."""
    X, classes = stripes
    y = hide_labels(classes(4), 200, rng=0)
    found = weigh_widths(X, y, gamma=20.0, widths=(1e-4, 1.0, 1e4))
    assert found.weights.argmax() == 1
    assert_allclose(found.gamma, 20.0, rtol=0.01)
    assert_allclose(found.weights.sum(), 1.0)


@pytest.mark.parametrize("gamma", ["scale", "median", 3.0])
def test_it_is_what_the_supervised_machine_prefers(stripes, gamma):
    X, classes = stripes
    y = hide_labels(classes(3), 40, rng=0)
    model = RidgeAverageClassifier(kernel=Rbf(gamma), random_state=0).fit(X, y)
    assert select_width(X, y, gamma=gamma, random_state=0) == model.gamma_
    assert isinstance(select_width(X, y), float)
    assert_allclose(select_width(sparse.csr_array(X), y), select_width(X, y))


@pytest.mark.parametrize("function", [select_width, weigh_widths])
def test_defaults_are_those_of_the_machine(function):
    own = inspect.signature(function).parameters
    assert own["gamma"].default == "scale"  # what "auto" stands for there
    for name in ("widths", "random_state"):
        assert own[name].default == getattr(RidgeAverageClassifier(), name)


def test_order_and_names_do_not_matter(stripes, rng):
    X, classes = stripes
    y = hide_labels(classes(3), 60, rng=0)
    order = rng.permutation(len(y))
    names = np.array(["no", "yes", None], dtype=object)[y]
    expected = weigh_widths(X, y)
    for found in (weigh_widths(X[order], y[order]), weigh_widths(X, names)):
        assert_allclose(found.gamma, expected.gamma)
        assert_allclose(found.weights, expected.weights, atol=1e-9)


def test_widths_scale_with_the_features(stripes):
    X, classes = stripes
    y = hide_labels(classes(3), 60, rng=0)
    assert_allclose(select_width(10 * X, y), select_width(X, y) / 100)


def test_spread_is_that_of_the_weights():
    widths = np.array([1 / 64, 1 / 16, 1 / 4, 1.0, 4.0])
    nothing = WidthWeights(1.0, widths, np.full(5, 0.2))
    assert_allclose(nothing.spread, 4 ** np.sqrt(2))  # 7.1
    assert WidthWeights(1.0, widths, np.eye(5)[2]).spread == 1.0


def test_labels_narrow_the_spread_down(stripes):
    X, classes = stripes
    few, many = (weigh_widths(X, hide_labels(classes(4), n, rng=0)) for n in (4, 200))
    assert 7.2 > few.spread > many.spread >= 1.0


def test_labels_that_say_nothing_leave_the_middle():
    """One label of each class: nothing can be left out, all widths weigh the same."""
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, -1])
    found = weigh_widths(X, y, gamma=2.0, widths=(0.5, 1.0, 2.0))
    assert_allclose(found.weights, 1 / 3)
    assert_allclose(found.gamma, 2.0)


@pytest.mark.parametrize("widths", [(), (1.0, -1.0), "wide"])
def test_wrong_widths_are_named(stripes, widths):
    X, classes = stripes
    with pytest.raises(ValueError, match=r"widths of .* must be a sequence of numbers"):
        select_width(X, classes(2), widths=widths)
