import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from widemargin.solvers.active_learning import (
    find_medoids,
    plan_suggestions,
    posterior_root,
    rank_suspects,
    suggest_by_variance,
)


def posterior(prior, known, noise):
    """By plain linear algebra over all rows."""
    system = prior[np.ix_(known, known)] + noise * np.eye(len(known))
    return prior - prior[:, known] @ np.linalg.solve(system, prior[known])


def test_root_is_that_of_the_posterior_covariance(rng):
    features, known = rng.normal(size=(12, 5)), [1, 4, 7]
    root = posterior_root(features, known, 0.3)
    expected = posterior(features @ features.T, known, 0.3)
    assert_allclose(root @ root.T, expected, atol=1e-12)


def test_each_choice_lowers_the_weighted_variance_the_most(rng):
    """Of two models; a drawn row is taken as it is."""
    weights, shares, noise = rng.uniform(size=15), [0.7, 0.3], 0.2
    features = [rng.normal(size=(15, rank)) for rank in (3, 6)]
    priors, known = [f @ f.T for f in features], [2]
    roots = [posterior_root(f, known, noise) for f in features]
    draws = [-1, -1, 11, -1]
    found = suggest_by_variance(
        roots, shares, weights, np.arange(15) != 2, draws, noise
    )
    for drawn, row in zip(draws, found, strict=True):
        losses = np.full(15, np.inf)
        for j in np.setdiff1d(np.arange(15), known):
            losses[j] = sum(
                share * weights @ posterior(prior, [*known, j], noise).diagonal()
                for share, prior in zip(shares, priors, strict=True)
            )
        assert row == (np.argmin(losses) if drawn < 0 else drawn)
        known.append(int(row))


def test_medoids_are_in_clusters_without_a_label(rng):
    centers = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])
    X = np.repeat(centers, [10, 20, 5], axis=0) + 0.1 * rng.normal(size=(35, 2))
    first, second, third = find_medoids(X, np.zeros(0, dtype=int), 3, seed=0)
    assert second < 10 <= first < 30 <= third
    members = X[10:30]
    nearest = np.linalg.norm(members - members.mean(axis=0), axis=1).argmin()
    assert first == 10 + nearest
    assert_array_equal(find_medoids(X, np.array([12, 13]), 3, seed=0), [second, third])


def test_every_fifth_label_is_a_check_after_the_medoids():
    n_first, is_check = plan_suggestions(0, 10, False)
    assert (n_first, len(is_check)) == (10, 0)
    n_first, is_check = plan_suggestions(7, 10, True)
    assert n_first == 3
    assert_array_equal(np.flatnonzero(is_check), [4])  # the fifteenth label
    singles = [plan_suggestions(k, 1, True)[1][0] for k in range(10, 20)]
    assert_array_equal(singles, plan_suggestions(10, 10, True)[1])


def test_suspects_are_contradicted_and_ranked():
    held_out = np.array([[0.9, 0.1], [0.2, 0.8], [np.nan] * 2, [0.4, 0.6], [0.5, 0.5]])
    held_out = np.vstack([held_out, [0.1, 0.9]])
    suspects, own, best = rank_suspects(held_out, np.array([0, 0, 1, 0, 1, 0]))
    assert_array_equal(suspects, [5, 1])  # the fourth label is nearly as probable
    assert_allclose(own, [0.1, 0.2])
    assert_array_equal(best, [1, 1])
