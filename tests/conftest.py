import gc
import signal
import sys

import numpy as np
import pytest


def pytest_collection_modifyitems(items):
    """Checks of scikit-learn that repeat others on a memory map run with the slow."""
    for item in items:
        if "readonly_memmap" in item.name:
            item.add_marker(pytest.mark.slow)


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


@pytest.fixture
def no_pyarrow(monkeypatch):
    """An interpreter without pyarrow, which is an optional package."""

    class Blocked:
        @staticmethod
        def find_spec(name, path=None, target=None):
            if name.partition(".")[0] == "pyarrow":
                raise ModuleNotFoundError(name)

    for name in [each for each in sys.modules if each.partition(".")[0] == "pyarrow"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Blocked, *sys.meta_path])
