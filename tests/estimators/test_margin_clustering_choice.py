from dataclasses import replace

import numpy as np
import pytest
from clusterings import FIXED, POWER_1
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

from widemargin.estimators.margin_clustering import MaxMarginClustering
from widemargin.graphs import KnnGraph
from widemargin.kernels import Rbf


def test_choice_has_one_entry_per_trial(blobs):
    X, _ = blobs
    model = MaxMarginClustering(3, random_state=0).fit(X)
    choice = model.choice_
    assert len(choice.parameters) == len(set(choice.parameters)) == 2 * 12
    for entries in (
        choice.agreement,
        choice.stability,
        choice.is_sound,
        choice.labelings,
    ):
        assert len(entries) == 24
    assert choice.is_sound[choice.best]
    assert_array_equal(choice.labelings[choice.best], model.labels_)
    assert choice.chosen == model.parameters_
    assert choice.chosen.kernel == model.function_.kernel


@pytest.mark.parametrize(
    ("options", "n_trials"),
    [
        ({"kernel": Rbf(0.5)}, 4),
        ({"kernel": Rbf("median"), "graph": KnnGraph(power=2)}, 2),
        ({"ambient_reg": 0.01}, 6),
        ({"ambient_reg": 0.01, "graph": POWER_1}, 3),
        ({"intrinsic_reg": 0}, 6),
        ({"kernel": "linear"}, 4),
        ({"kernel": "linear", "intrinsic_reg": 0}, 2),
    ],
)
def test_what_is_given_is_not_chosen(blobs, options, n_trials):
    X, _ = blobs
    model = MaxMarginClustering(3, random_state=0, **options).fit(X)
    searched = [one for one in model.choice_.parameters if one.source == "search"]
    assert len(searched) == n_trials
    assert len(model.choice_.parameters) == 2 * n_trials
    for one in model.choice_.parameters:
        assert options.get("ambient_reg", one.ambient_reg) == one.ambient_reg
        if "graph" in options:
            assert one.power == options["graph"].power


@pytest.mark.parametrize(
    ("options", "init"),
    [({"balance": "equal"}, None), ({"search": "tabu"}, None), ({}, [0, 1, 2] * 30)],
)
def test_spectrum_is_tried_only_where_nothing_else_is_asked_for(blobs, options, init):
    X, _ = blobs
    model = MaxMarginClustering(3, random_state=0, **options).fit(X, init=init)
    assert [one.source for one in model.choice_.parameters] == 12 * ["search"]


def test_spectrum_finds_sizes_that_differ_much():
    """Where the search, which evens them out, does not."""
    centers = [[0, 0], [9, 0], [0, 9]]
    X, y = make_blobs([120, 25, 15], centers=centers, random_state=0)
    model = MaxMarginClustering(3, random_state=0).fit(X)
    assert model.choice_.chosen.source == "spectrum"
    assert adjusted_rand_score(y, model.labels_) == 1.0
    searched = MaxMarginClustering(3, search="shaking", random_state=0).fit(X)
    assert adjusted_rand_score(y, searched.labels_) < 0.5


@pytest.mark.parametrize("intrinsic_reg", ["auto", 0.1])
def test_nothing_left_to_choose(blobs, intrinsic_reg):
    X, y = blobs
    model = MaxMarginClustering(3, intrinsic_reg=intrinsic_reg, random_state=0, **FIXED)
    model.fit(X)
    assert model.choice_ is None
    assert adjusted_rand_score(y, model.labels_) == 1.0
    options = {"kernel": Rbf("scale"), "ambient_reg": 0.01, "intrinsic_reg": 0}
    assert MaxMarginClustering(3, **options).fit(X).choice_ is None


def test_chosen_parameters_find_the_same_again(blobs):
    X, _ = blobs
    chosen = MaxMarginClustering(3, random_state=0).fit(X)
    again = MaxMarginClustering(
        3,
        kernel=chosen.parameters_.kernel,
        ambient_reg=chosen.parameters_.ambient_reg,
        graph=replace(chosen.graph_, power=chosen.parameters_.power),
        random_state=0,
    ).fit(X)
    assert adjusted_rand_score(again.labels_, chosen.labels_) == 1.0
    assert_allclose(again.objective_, chosen.objective_, rtol=1e-6)


@pytest.mark.slow
def test_spectrum_that_does_not_converge_is_no_error():
    """Single precision and hardly any regularization."""
    for seed in range(20):
        X = np.random.default_rng(seed).normal(size=(60, 3)).astype(np.float32)
        model = MaxMarginClustering(
            3, ambient_reg=1e-7, intrinsic_reg=0, random_state=0
        ).fit(X)
        assert_array_equal(np.unique(model.labels_), [0, 1, 2])


def test_many_rows_of_a_precomputed_kernel_are_chosen_on_a_part(
    blobs, small_clustering
):
    X, y = blobs
    gram = rbf_kernel(X, gamma=0.3)
    model = small_clustering(
        3, kernel="precomputed", landmarks=None, random_state=0
    ).fit(gram)
    assert adjusted_rand_score(y, model.labels_) > 0.95
