import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score

from widemargin.defaults import ClusterDirections
from widemargin.graphs import KnnGraph
from widemargin.kernels import Rbf
from widemargin.labelling import choice as module
from widemargin.labelling.choice import (
    Parameters,
    choose_parameters,
    nearest_neighbors,
    shared_directions,
)
from widemargin.labelling.clusters import ClusterGraph, ClusterModel, ClusterTask
from widemargin.labelling.constraints import read_constraints
from widemargin.rows import Rows
from widemargin.sample import collect_sample
from widemargin.spaces import GramSpace


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


# Directions that trials share


def directions_of(X, order, graph=12, kernel=6):
    adjacency, gram = KnnGraph(5).adjacency(X), Rbf(0.05)(X)
    size = ClusterDirections(graph, kernel)
    return shared_directions(KnnGraph(5), adjacency, gram, order, size), gram


def test_directions_hold_smooth_and_leading_functions(points):
    directions, gram = directions_of(points, np.arange(40))
    assert directions.shape == (40, 18)
    assert_allclose(directions.T @ directions, np.eye(18), atol=1e-12)
    adjacency = KnnGraph(5).adjacency(points)
    laplacian = KnnGraph(5).laplacian_of(adjacency, auto_power=1).to_dense()
    smoothest = np.linalg.eigh(laplacian)[1][:, :12]
    leading = np.linalg.eigh(gram)[1][:, -3:]
    for functions, least in ((smoothest, 1 - 1e-6), (leading, 0.99)):
        inside = directions.T @ functions
        assert (np.einsum("ij,ij->j", inside, inside) > least).all()


def test_shuffled_rows_shuffle_the_directions(points, rng):
    order, shuffled = np.argsort(points[:, 0]), rng.permutation(40)
    one, _ = directions_of(points, order)
    other, _ = directions_of(points[shuffled], np.argsort(points[shuffled, 0]))
    expected = (one @ one.T)[np.ix_(shuffled, shuffled)]
    assert_allclose(other @ other.T, expected, atol=1e-8)


@pytest.mark.parametrize("intrinsic_reg", ["auto", 0])
def test_trials_on_few_rows_have_the_exact_smoothers(points, intrinsic_reg):
    """All functions are directions then."""
    graph = ClusterGraph(KnnGraph(5), intrinsic_reg)
    constraints = read_constraints(None, None, 40, 2, "fit")
    task = ClusterTask(collect_sample(Rows(points), merge="none"), constraints)
    kernels = Rbf(0.1), Rbf(1.0)
    listed = [Parameters(p, kernel, 0.01) for p in (1, 2) for kernel in kernels]
    trials = module._smoothers(listed, task, graph, "test")
    for one, smoother in zip(listed, trials, strict=True):
        exact = ClusterModel(GramSpace(one.kernel(points)), graph, one, 1.0)
        expected = exact.smoother(task) @ np.eye(40)
        assert_allclose(smoother @ np.eye(40), expected, atol=1e-8)
