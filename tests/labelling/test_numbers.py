"""How many Gaussians rows consist of, and how a number of clusters follows from it."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs, make_moons

from widemargin.defaults import NUMBER_RULE
from widemargin.labelling import numbers
from widemargin.labelling.numbers import GaussianCount, NumberChoice, count_gaussians

SLOW = pytest.mark.slow
MORE = [(1, 2), (2, 2), (6, 2), (1, 12), (2, 12), (4, 12), (6, 12)]


def count(X, most=8, seed=0):
    """The count with k-means as starts."""
    labelings = {
        k: KMeans(k, n_init=3, random_state=0).fit_predict(X)
        for k in range(2, most + 1)
    }
    rng = np.random.default_rng(seed)
    return count_gaussians(X, labelings, np.arange(len(X)), rng)


@pytest.mark.parametrize(
    ("n_clusters", "n_features"),
    [(4, 2), *(pytest.param(k, d, marks=SLOW) for k, d in MORE)],
)
def test_gaussians_are_counted(n_clusters, n_features):
    rng = np.random.default_rng([n_clusters, n_features])
    angles = 2 * np.pi * np.arange(n_clusters) / n_clusters
    centers = np.zeros((n_clusters, n_features))
    centers[:, :2] = 7 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    X, _ = make_blobs(60 * max(n_clusters, 3), centers=centers, random_state=3)
    found = count(rng.permutation(X))
    assert found.chosen == n_clusters
    assert found.is_replicated
    assert found.gains[0] == 0.0
    assert len(found.gains) == len(found.numbers) == 8


def test_bent_clusters_are_not_replicated():
    """Many Gaussians describe two moons, and halves cut them at different places."""
    X, _ = make_moons(200, noise=0.05, random_state=0)
    found = count(X, 6)
    assert found.chosen > 3
    assert not found.is_replicated


def test_fewer_gaussians_are_preferred_if_as_good():
    """Within one standard error of the largest mean, the first one is taken."""
    rng = np.random.default_rng(0)
    base, noise = rng.normal(size=400), rng.normal(size=400)
    densities = np.array([base - 1.0, base + 0.9 * noise, base + noise, base + 0.5])
    densities[3] = base + noise.mean() + 0.01 * noise
    alone = np.arange(400)
    assert numbers._least_sufficient(densities, alone) == 1
    densities[1] -= 1.0
    assert numbers._least_sufficient(densities, alone) == 2


def test_copies_are_no_further_evidence():
    """Half a standard error of 400 rows is one and a half of 3,600."""
    noise = np.random.default_rng(0).normal(size=400)
    gain = (noise - noise.mean()) / noise.std() + 0.5 / np.sqrt(400)
    densities = np.array([np.zeros(400), gain])
    assert numbers._least_sufficient(densities, np.arange(400)) == 0
    copies, places = np.repeat(densities, 9, axis=1), np.repeat(np.arange(400), 9)
    assert numbers._least_sufficient(copies, places) == 0
    assert numbers._least_sufficient(copies, np.arange(3600)) == 1


def test_few_or_equal_rows_are_not_counted():
    X = np.random.default_rng(0).normal(size=(NUMBER_RULE.rows_per_dim - 1, 2))
    assert count(X, 2) is None
    labelings = {2: np.arange(90) % 2}
    rng = np.random.default_rng(0)
    assert count_gaussians(np.ones((90, 2)), labelings, np.arange(90), rng) is None


def test_replicated_gaussians_outweigh_stability():
    sums = np.array([2, 3, 4]), np.array([0.9, 0.8, 0.7]), np.array([1.0, 0.9, 0.9]), 0
    gains = np.array([0.0, 0.5, 0.7, 1.0])
    replicated = GaussianCount(np.arange(1, 5), gains, 4, 0.95)
    assert NumberChoice(*sums, replicated).chosen == 4
    assert NumberChoice(*sums, replicated).is_gaussian
    cut = GaussianCount(np.arange(1, 5), gains, 4, 0.6)
    assert NumberChoice(*sums, cut).chosen == 2
    assert not NumberChoice(*sums, cut).is_gaussian
    assert NumberChoice(*sums, cut).compared.tolist() == [1, 2, 3, 4]
    assert NumberChoice(*sums).chosen == 2
    assert NumberChoice(*sums).compared.tolist() == [2, 3, 4]
    assert NumberChoice(*sums).second == 3
    assert NumberChoice(*sums, replicated).second is None


def test_replication_of_one_half_with_the_other():
    """Far clusters are always the same; a single cloud is cut anywhere."""
    far, _ = make_blobs(120, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    cloud = np.random.default_rng(0).normal(size=(120, 2))
    rng = np.random.default_rng(1)
    places = np.arange(120)
    assert_allclose(numbers.replicate(far, 3, False, places, rng), 1.0)
    assert numbers.replicate(cloud, 3, False, places, rng) < 0.7


@pytest.mark.slow
@pytest.mark.parametrize("n_copies", [2, 6])
def test_copies_are_no_clusters(n_copies):
    """They are held out together, and are in the same half."""
    far, _ = make_blobs(120, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    found = count(np.repeat(far, n_copies, axis=0))
    assert found.chosen == 3
    assert found.is_replicated
    cloud = np.repeat(np.random.default_rng(0).normal(size=(120, 2)), n_copies, axis=0)
    assert count(cloud).chosen == count(cloud[::n_copies]).chosen


def test_rounded_gaussians_are_counted():
    far, _ = make_blobs(300, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    assert len(np.unique(np.round(far), axis=0)) < 100
    found = count(np.round(far), 5)
    assert found.chosen == 3
    assert found.is_replicated


COUNT = {
    "numbers": np.arange(1, 4),
    "gains": np.array([0.0, 0.5, 0.7]),
    "chosen": 3,
    "replication": 0.9,
}
CHOICE = {
    "numbers": np.arange(2, 4),
    "agreement": np.array([0.9, 0.8]),
    "stability": np.array([0.9, 0.8]),
    "best": 1,
    "gaussians": GaussianCount(**COUNT),
}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("numbers", np.array([1.0, 2.0, 3.0])),
        ("numbers", np.array([1, 3, 2])),
        ("numbers", np.arange(3)),
        ("gains", np.zeros(2)),
        ("gains", np.array([0.0, np.nan, 1.0])),
        ("chosen", 4),
        ("chosen", 0),
        ("replication", np.nan),
    ],
)
def test_a_count_that_does_not_fit_is_refused(name, value):
    GaussianCount(**COUNT).check(2)
    with pytest.raises(ValueError, match=f"{name} of GaussianCount does not fit"):
        GaussianCount(**COUNT | {name: value}).check(2)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("numbers", np.zeros((2, 2), dtype=int)),
        ("numbers", np.zeros(0, dtype=int)),
        ("agreement", np.zeros(3)),
        ("stability", np.zeros(1)),
        ("best", 2),
        ("best", -1),
        ("gaussians", replace(GaussianCount(**COUNT), numbers=np.array([1, 2, 4]))),
    ],
)
def test_a_choice_that_does_not_fit_is_refused(name, value):
    NumberChoice(**CHOICE).check(2)
    with pytest.raises(ValueError, match=f"{name} of NumberChoice does not fit"):
        NumberChoice(**CHOICE | {name: value}).check(2)
