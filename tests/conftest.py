import gc
import signal

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


@pytest.fixture
def interruptible():
    """Python's own handler of Ctrl-C, which a job in the background does not have.

    Without garbage collection: Hypothesis has a callback there, in which an interrupt
    would be lost.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.disable()
    yield
    gc.enable()
    signal.signal(signal.SIGINT, before)
