import numpy as np
import pytest
from clusterings import FIXED
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

from widemargin.estimators.margin_clustering import MaxMarginClustering


def test_choice_has_one_entry_a_cell(blobs):
    X, _ = blobs
    model = MaxMarginClustering(3, random_state=0).fit(X)
    choice = model.choice_
    assert len(choice.cells) == len(set(choice.cells)) == 2 * 12
    for entries in (
        choice.agreement,
        choice.stability,
        choice.is_sound,
        choice.labelings,
    ):
        assert len(entries) == 24
    assert choice.is_sound[choice.best]
    assert_array_equal(choice.labelings[choice.best], model.labels_)
    cell = choice.cells[choice.best]
    assert (cell.kernel, cell.ambient_reg) == (model.kernel_, model.ambient_reg_)
    assert cell.power == model.laplacian_power_


@pytest.mark.parametrize(
    ("options", "n_cells"),
    [
        ({"gamma": 0.5}, 4),
        ({"gamma": "median", "laplacian_power": 2}, 2),
        ({"ambient_reg": 0.01}, 6),
        ({"ambient_reg": 0.01, "laplacian_power": 1}, 3),
        ({"intrinsic_reg": 0}, 6),
        ({"kernel": "linear"}, 4),
        ({"kernel": "linear", "intrinsic_reg": 0}, 2),
    ],
)
def test_what_is_given_is_not_chosen(blobs, options, n_cells):
    X, _ = blobs
    model = MaxMarginClustering(3, random_state=0, **options).fit(X)
    searched = [cell for cell in model.choice_.cells if cell.source == "search"]
    assert len(searched) == n_cells
    assert len(model.choice_.cells) == 2 * n_cells
    for cell in model.choice_.cells:
        assert options.get("ambient_reg", cell.ambient_reg) == cell.ambient_reg
        assert options.get("laplacian_power", cell.power) == cell.power


@pytest.mark.parametrize(
    ("options", "init"),
    [({"balance": "equal"}, None), ({"search": "tabu"}, None), ({}, [0, 1, 2] * 30)],
)
def test_spectrum_is_tried_only_where_nothing_else_is_asked_for(blobs, options, init):
    X, _ = blobs
    model = MaxMarginClustering(3, random_state=0, **options).fit(X, init=init)
    assert [cell.source for cell in model.choice_.cells] == 12 * ["search"]


def test_spectrum_finds_sizes_that_differ_much():
    """Where the search, which evens them out, does not."""
    centers = [[0, 0], [9, 0], [0, 9]]
    X, y = make_blobs([120, 25, 15], centers=centers, random_state=0)
    model = MaxMarginClustering(3, random_state=0).fit(X)
    assert model.choice_.cells[model.choice_.best].source == "spectrum"
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
    options = {"gamma": "scale", "ambient_reg": 0.01, "intrinsic_reg": 0}
    assert MaxMarginClustering(3, **options).fit(X).choice_ is None


def test_chosen_parameters_find_the_same_again(blobs):
    X, _ = blobs
    chosen = MaxMarginClustering(3, random_state=0).fit(X)
    again = MaxMarginClustering(
        3,
        gamma=chosen.kernel_.gamma,
        ambient_reg=chosen.ambient_reg_,
        laplacian_power=chosen.laplacian_power_,
        random_state=0,
    ).fit(X)
    assert adjusted_rand_score(again.labels_, chosen.labels_) == 1.0
    assert_allclose(again.objective_, chosen.objective_, rtol=1e-6)


def test_spectrum_that_does_not_converge_is_no_error():
    """Single precision and hardly any regularization."""
    for seed in range(20):
        X = np.random.default_rng(seed).normal(size=(60, 3)).astype(np.float32)
        model = MaxMarginClustering(
            3, ambient_reg=1e-7, intrinsic_reg=0, random_state=0
        ).fit(X)
        assert_array_equal(np.unique(model.labels_), [0, 1, 2])


def test_many_samples_of_a_precomputed_kernel_are_chosen_on_a_part(blobs, small_limits):
    X, y = blobs
    gram = rbf_kernel(X, gamma=0.3)
    model = MaxMarginClustering(
        3, kernel="precomputed", n_landmarks=None, random_state=0
    ).fit(gram)
    assert adjusted_rand_score(y, model.labels_) > 0.95
