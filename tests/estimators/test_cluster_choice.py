import numpy as np
import pytest
from label_reference import features_of, label_problem, rbf_gram
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score

from widemargin.estimators._cluster_choice import (
    Cell,
    choose_cell,
    cluster_spectrum,
    nearest_neighbors,
)
from widemargin.smoothers import DenseSmoother, LowRankSmoother
from widemargin.solvers.label_means import settle


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
    cells = [Cell(1, None, 0.1 * i, source) for i, source in enumerate(sources)]
    return choose_cell(cells, labelings, neighbors, n_clusters)


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
    assert len(choice.cells) == len(choice.labelings) == 4
    assert choice.is_sound.all()


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


def test_stability_asks_trials_of_the_same_source_only(labelings, neighbors):
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


@pytest.mark.parametrize("low_rank", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_spectrum_tells_blobs_of_any_size_apart(rng, low_rank, dtype):
    truth = np.repeat([0, 1, 2], [50, 15, 10])
    X = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])[truth]
    X += 0.5 * rng.normal(size=X.shape)
    gram, weights = rbf_gram(X, 3.0), np.full(75, 1 / 75)
    if low_rank:
        smoother = LowRankSmoother(features_of(gram).astype(dtype), weights, 0.1)
    else:
        smoother = DenseSmoother(gram.astype(dtype), weights, 0.1)
    codes = cluster_spectrum(label_problem(smoother, 3), np.arange(75), rng)
    assert adjusted_rand_score(truth, codes) == 1.0
    assert codes.dtype == np.int32


def test_spectrum_settles_within_bounds(rng):
    """Samples are nearest to their own mean; where bounds are broken it stays."""
    smoother = DenseSmoother(
        rbf_gram(rng.normal(size=(60, 2))), np.full(60, 1 / 60), 0.1
    )
    problem, order = label_problem(smoother, 4), np.arange(60)
    codes = cluster_spectrum(problem, order, np.random.default_rng(0))
    assert_array_equal(settle(problem, codes, max_rounds=1), codes)
    tight = label_problem(smoother, 4, lower=15, upper=15)
    broken = cluster_spectrum(tight, order, np.random.default_rng(0))
    assert not tight.is_feasible(broken)


def test_spectrum_does_not_depend_on_the_order_of_rows(rng):
    X, order = rng.normal(size=(50, 2)), rng.permutation(50)
    found = []
    for rows in (np.arange(50), order):
        smoother = DenseSmoother(rbf_gram(X[rows]), np.full(50, 0.02), 1e-2)
        seen = np.argsort(X[rows, 0])
        problem = label_problem(smoother, 4)
        found.append(cluster_spectrum(problem, seen, np.random.default_rng(0)))
    assert_array_equal(found[1], found[0][order])


@pytest.mark.parametrize("n", [3, 4, 5])
def test_spectrum_of_few_rows(rng, n):
    smoother = DenseSmoother(rbf_gram(rng.normal(size=(n, 2))), np.full(n, 1 / n), 0.1)
    codes = cluster_spectrum(label_problem(smoother, 3), np.arange(n), rng)
    assert set(codes) == {0, 1, 2}


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
