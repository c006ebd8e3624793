import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score

from widemargin.labelling.choice import (
    Parameters,
    choose_parameters,
    nearest_neighbors,
)


@pytest.fixture
def points(rng):
    """Two blobs of twenty rows."""
    return np.repeat([[0.0, 0.0], [9.0, 0.0]], 20, axis=0) + rng.normal(size=(40, 2))


@pytest.fixture
def neighbors(points):
    return nearest_neighbors(points, "euclidean")


@pytest.fixture
def labelings(rng):
    """Right, right up to two rows, across, and by chance."""
    right = np.repeat([0, 1], 20)
    nearly = right.copy()
    nearly[[0, 30]] = 1, 0
    return [nearly, right, np.tile([0, 1], 20), rng.integers(2, size=40)]


def choose(labelings, neighbors, n_clusters=2, n_spectral=0):
    """The choice; so many labelings at the end are from the spectrum."""
    n_searched = len(labelings) - n_spectral
    sources = ["search"] * n_searched + ["spectrum"] * n_spectral
    listed = [Parameters(1, None, 0.1 * i, one) for i, one in enumerate(sources)]
    return choose_parameters(listed, labelings, neighbors, n_clusters)


def test_agreement_counts_neighbors_in_the_same_cluster(labelings, neighbors):
    choice = choose(labelings, neighbors)
    for codes, agreement in zip(labelings, choice.agreement, strict=True):
        pairs = [codes[i] == codes[j] for i in range(40) for j in neighbors[i]]
        assert_allclose(agreement, np.mean(pairs))
    assert choice.agreement[1] == 1.0


def test_stability_is_the_mean_agreement_with_other_trials(labelings, neighbors):
    choice = choose(labelings, neighbors)
    for a, stability in enumerate(choice.stability):
        others = [adjusted_rand_score(labelings[a], c) for c in labelings]
        del others[a]
        assert_allclose(stability, np.mean(others))


def test_best_is_the_largest_sum_of_both(labelings, neighbors):
    choice = choose(labelings, neighbors)
    assert choice.best == (choice.agreement + choice.stability).argmax() == 1
    assert len(choice.parameters) == len(choice.labelings) == 4
    assert choice.is_sound.all()
    assert choice.chosen is choice.parameters[1]


def test_names_of_clusters_do_not_matter(labelings, neighbors):
    swapped = [1 - labelings[0], *labelings[1:]]
    one, other = choose(labelings, neighbors), choose(swapped, neighbors)
    assert_allclose(one.stability, other.stability)
    assert_allclose(one.agreement, other.agreement)


def test_a_tiny_cluster_is_suspect(neighbors):
    """All neighbors agree, all trials agree, and still it is none."""
    lonely = np.where(np.arange(40) == 7, 1, 0)
    across = np.tile([0, 1], 20)
    choice = choose([lonely, lonely, lonely, across], neighbors)
    assert_array_equal(choice.is_sound, [False, False, False, True])
    assert choice.best == 3
    assert choice.agreement[0] + choice.stability[0] > (
        choice.agreement[3] + choice.stability[3]
    )


@pytest.mark.parametrize(("smallest", "is_sound"), [(5, True), (4, False)])
def test_a_quarter_of_the_mean_size_is_enough(neighbors, smallest, is_sound):
    codes = (np.arange(40) < smallest).astype(int)
    other = np.repeat([0, 1], 20)
    assert choose([codes, other], neighbors).is_sound[0] == is_sound


def test_an_empty_cluster_is_suspect(neighbors):
    codes = np.repeat([0, 1], 20)
    thirds = np.arange(40) % 3
    choice = choose([codes, thirds], neighbors, n_clusters=3)
    assert_array_equal(choice.is_sound, [False, True])


def test_if_all_are_suspect_none_is(neighbors):
    codes = np.where(np.arange(40) == 7, 1, 0)
    choice = choose([codes, np.roll(codes, 3)], neighbors)
    assert choice.is_sound.all()


def test_a_single_trial_is_the_best(labelings, neighbors):
    choice = choose(labelings[:1], neighbors)
    assert choice.best == 0
    assert_array_equal(choice.stability, [0.0])


def test_stability_compares_trials_of_the_same_source_only(labelings, neighbors):
    right, nearly, across, chance = labelings[1], *labelings[:1], *labelings[2:]
    choice = choose([right, right, across, chance], neighbors, n_spectral=2)
    assert_allclose(choice.stability[:2], 1.0)
    assert_allclose(choice.stability[2:], adjusted_rand_score(across, chance))
    choice = choose([right, nearly, nearly], neighbors, n_spectral=1)
    assert_allclose(choice.stability[:2], adjusted_rand_score(right, nearly))
    assert choice.stability[2] == 0.0


def test_spectrum_must_be_clearly_better(labelings, neighbors):
    right = np.repeat([0, 1], 20)
    assert choose([right] * 4, neighbors, n_spectral=2).best == 0
    worse = right.copy()
    worse[0] = 1
    searched = choose([worse] * 2 + [right] * 2, neighbors, n_spectral=2)
    assert searched.agreement[2] - searched.agreement[0] < 0.05
    assert searched.best == 0
    across = labelings[2]
    assert choose([across] * 2 + [right] * 2, neighbors, n_spectral=2).best == 2


def test_suspect_clusters_of_the_search_are_taken_before_those_of_the_spectrum(
    neighbors,
):
    """If all of the search are suspect they count; the spectrum must be sound."""
    lonely = np.where(np.arange(40) == 7, 1, 0)
    across = np.tile([0, 1], 20)
    choice = choose([across * lonely, lonely, lonely], neighbors, n_spectral=2)
    assert_array_equal(choice.is_sound, [True, False, False])
    assert choice.best == 0
    choice = choose([lonely, lonely, across], neighbors, n_spectral=1)
    assert_array_equal(choice.is_sound, [True, True, True])


def test_nearest_neighbors_leave_the_row_itself_out(points, neighbors):
    assert neighbors.shape == (40, 7)
    distances = np.linalg.norm(points[:, None] - points, axis=-1)
    np.fill_diagonal(distances, np.inf)
    assert_array_equal(neighbors, distances.argsort(axis=1)[:, :7])
    np.fill_diagonal(distances, 0.0)
    assert_array_equal(nearest_neighbors(distances, "precomputed"), neighbors)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_nearest_neighbors_of_few_rows(points, n):
    neighbors = nearest_neighbors(points[:n], "euclidean")
    assert neighbors.shape == (n, max(1, n - 1))
    assert ((neighbors >= 0) & (neighbors < n)).all()
