"""Warnings name the line of the user, whichever method they come from."""

import warnings
from functools import partial

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from widemargin import (
    LabelSearchClassifier,
    LaplacianSVC,
    LowDensityClassifier,
    MaxMarginClustering,
    TriClassSVC,
)
from widemargin.datasets import hide_labels, make_two_moons
from widemargin.estimators import low_density_classifier
from widemargin.graphs import KnnGraph
from widemargin.kernels import Rbf
from widemargin.labelling import Shaking
from widemargin.solvers.laplacian import Pcg
from widemargin.solvers.self_training import self_train


class Interrupted(Shaking):
    """A search during which the user presses Ctrl-C."""

    def improve(self, *args, **options):
        raise KeyboardInterrupt


STOPPED = LaplacianSVC(solver=Pcg(max_iter=1, early_stopping=None), intrinsic_reg=0.1)
TORN = LaplacianSVC(intrinsic_reg=0.1)
GRID = {"ambient_reg": [1e-3], "intrinsic_reg": [0.1]}
SEARCHED = LabelSearchClassifier(search=Interrupted(), unlabeled_weight=0.5)
GRAPH = KnnGraph(power=1)
CLUSTERED = MaxMarginClustering(2, kernel=Rbf(0.5), graph=GRAPH, search=Interrupted())


def fit_stopped(X, y):
    clone(STOPPED).fit(X, y)


def fit_stopped_grid(X, y):
    clone(STOPPED).fit_grid(X, y, **GRID)


def update_stopped(X, y):
    model = LowDensityClassifier(random_state=0).fit(X, y)
    with pytest.MonkeyPatch.context() as patch:
        once = partial(self_train, max_iter=1)
        patch.setattr(low_density_classifier, "self_train", once)
        model.update(y)


def fit_interrupted(X, y):
    with pytest.raises(KeyboardInterrupt):
        clone(SEARCHED).fit(X, y)


def fit_interrupted_path(X, y):
    with pytest.raises(KeyboardInterrupt):
        clone(SEARCHED).fit_path(X, y, ambient_reg=[1e-3])


def fit_interrupted_clusters(X, y):
    with pytest.raises(KeyboardInterrupt):
        clone(CLUSTERED).fit(X)


def fit_interrupted_cluster_path(X, y):
    with pytest.raises(KeyboardInterrupt):
        clone(CLUSTERED).fit_path(X, ambient_reg=[0.01])


def fit_torn_graph(X, y):
    clone(TORN).fit(*tear(X, y))


def fit_torn_graph_grid(X, y):
    clone(TORN).fit_grid(*tear(X, y), **GRID)


def fit_without_irrelevant(X, y):
    TriClassSVC(irrelevant_label=7, random_state=0).fit(X, y)


def tear(X, y):
    """Every second row is far from all labels."""
    is_far = np.arange(len(X)) % 2 == 1
    return X + 100.0 * is_far[:, None], np.where(is_far, -1, y)


@pytest.mark.parametrize(
    ("fit", "category", "text"),
    [
        (fit_stopped, ConvergenceWarning, "hit the iteration limit"),
        (fit_stopped_grid, ConvergenceWarning, "hit the iteration limit"),
        (update_stopped, ConvergenceWarning, "hit the iteration limit"),
        (fit_interrupted, ConvergenceWarning, "interrupted"),
        (fit_interrupted_path, ConvergenceWarning, "interrupted"),
        (fit_interrupted_clusters, ConvergenceWarning, "interrupted"),
        (fit_interrupted_cluster_path, ConvergenceWarning, "interrupted"),
        (fit_torn_graph, UserWarning, "2 connected components"),
        (fit_torn_graph_grid, UserWarning, "2 connected components"),
        (fit_without_irrelevant, UserWarning, "found no sample"),
    ],
)
def test_warnings_name_the_line_of_the_user(fit, category, text):
    X, y = make_two_moons(80, noise=0.05, random_state=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit(X, hide_labels(y, 12, rng=0))
    (found,) = (each for each in caught if text in str(each.message))
    assert found.category is category
    first = fit.__code__.co_firstlineno
    assert found.filename == __file__
    assert first < found.lineno <= first + 6
