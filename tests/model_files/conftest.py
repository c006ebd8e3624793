import numpy as np
import pytest
from plug_in import ToyClassifier, ToyMixture
from sklearn.datasets import make_blobs


@pytest.fixture
def two_classes():
    """Sixty rows around two points, every fifth of them labeled."""
    return _partly_labeled(2)


@pytest.fixture
def three_classes():
    """Sixty rows around three points, every fifth of them labeled."""
    return _partly_labeled(3)


def _partly_labeled(n_classes):
    X, y = make_blobs(60, n_features=3, centers=n_classes, random_state=0)
    return X, np.where(np.arange(60) % 5 == 0, y, -1)


@pytest.fixture
def model(two_classes):
    """A small fitted model."""
    return ToyClassifier().fit(*two_classes)


@pytest.fixture
def mixture(two_classes):
    """A small average of two models."""
    candidates = {"few": ToyClassifier(n_points=12), "all": ToyClassifier("linear")}
    return ToyMixture(candidates).fit(*two_classes)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.wm"
