import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

from widemargin import LaplacianSVC, MaxMarginClustering  # noqa: E402
from widemargin.datasets import hide_labels, make_two_moons  # noqa: E402
from widemargin.graphs import KnnGraph  # noqa: E402
from widemargin.kernels import Rbf  # noqa: E402


@pytest.fixture(autouse=True)
def close_figures():
    """No window, and no figure left open."""
    import matplotlib.pyplot as plt

    matplotlib.use("Agg")
    yield
    plt.close("all")


@pytest.fixture
def ax():
    import matplotlib.pyplot as plt

    return plt.subplots()[1]


@pytest.fixture(scope="session")
def moons():
    """Rows, their classes, and labels of which six are known."""
    X, y = make_two_moons(120, noise=0.08, random_state=0)
    return X, y, hide_labels(y, 6, rng=3)


@pytest.fixture(scope="session")
def moons_model(moons):
    X, _, y_partial = moons
    return LaplacianSVC(gamma=4.0, laplacian_power=1).fit(X, y_partial)


@pytest.fixture(scope="session")
def blobs():
    """Sixty rows of five features in three classes with names, nine of them known."""
    rng = np.random.default_rng(0)
    names = np.array(["ape", "bee", "cat"], dtype=object)
    codes = np.repeat(np.arange(3), 20)
    X = rng.normal(size=(60, 5)) + 4.0 * np.eye(5)[codes]
    y_partial = np.full(60, None, dtype=object)
    known = np.arange(0, 60, 7)
    y_partial[known] = names[codes][known]
    return X, names[codes], y_partial


@pytest.fixture(scope="session")
def blobs_model(blobs):
    X, _, y_partial = blobs
    return LaplacianSVC().fit(X, y_partial)


@pytest.fixture(scope="session")
def clusterer(blobs):
    return MaxMarginClustering(
        3,
        kernel=Rbf("scale"),
        ambient_reg=0.01,
        graph=KnnGraph(power=1),
        random_state=0,
    ).fit(blobs[0])


@pytest.fixture(scope="session")
def alphabet():
    """Rows of 26 classes in the plane, three known of each."""
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(26), 6)
    centers = 4.0 * np.stack(np.divmod(np.arange(26), 6), axis=1)
    X = centers[codes] + rng.normal(scale=0.4, size=(156, 2))
    names = np.array(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))[codes]
    y_partial = names.astype(object)
    y_partial[np.arange(156) % 2 == 1] = None
    return X, names, y_partial
