import numpy as np
import pytest


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def X(rng):
    """Thirty samples of three features."""
    return rng.normal(size=(30, 3))


@pytest.fixture
def X_new(rng, X):
    """Seven more samples like those of X."""
    return rng.normal(size=(7, 3))
