import pytest
from sklearn.datasets import load_digits
from studio_pages import Client, start_page

from widemargin.studio.sources import from_arrays


@pytest.fixture
def digits():
    """300 images of four digits as rows, and their names."""
    X, y = load_digits(n_class=4, return_X_y=True)
    names = [["zero", "one", "two", "three"][k] for k in y[:300]]
    return X[:300], names


@pytest.fixture
def source(digits):
    X = digits[0]
    return from_arrays(X, images=X.reshape(-1, 8, 8))


@pytest.fixture
def page(source, tmp_path, monkeypatch):
    """A page for images of digits."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    server = start_page(source, tmp_path / "labels.sqlite")
    yield server
    server.stop()


@pytest.fixture
def client(page):
    return Client(page)
