"""CPMMC against programs written out in full, and against all clusterings."""

from itertools import product

import clarabel
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from widemargin.kernels import Rbf
from widemargin_bench.cutting_planes import (
    CuttingPlaneClustering,
    kernel_features,
    objective,
    solve_given,
)

REG, BALANCE = 0.1, 2.0


def solve_in_full(X, codes, n_clusters):
    """The convex problem with a slack for each row; its value and its weights."""
    (n, d), k = X.shape, n_clusters
    n_weights = k * d
    diagonal = np.concatenate([np.full(n_weights, REG), np.zeros(n)])
    linear = np.concatenate([np.zeros(n_weights), np.full(n, 1.0 / n)])
    lines, bounds = [], []
    for i, r in product(range(n), range(k)):
        line = np.zeros(n_weights + n)
        line[n_weights + i] = -1.0  # -slack <= -1 + s_own - s_r, or <= 0
        if r != codes[i]:
            line[codes[i] * d : (codes[i] + 1) * d] -= X[i]
            line[r * d : (r + 1) * d] += X[i]
        lines.append(line)
        bounds.append(-1.0 if r != codes[i] else 0.0)
    for p, q in product(range(k), range(k)):
        if p != q:
            line = np.zeros(n_weights + n)
            line[p * d : (p + 1) * d] += X.sum(axis=0)
            line[q * d : (q + 1) * d] -= X.sum(axis=0)
            lines.append(line)
            bounds.append(BALANCE)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    solution = clarabel.DefaultSolver(
        sparse.diags_array(diagonal).tocsc(),
        linear,
        sparse.csc_matrix(np.array(lines)),
        np.array(bounds),
        [clarabel.NonnegativeConeT(len(bounds))],
        settings,
    ).solve()
    weights = np.array(solution.x)[:n_weights].reshape(k, d)
    return solution.obj_val, weights


@pytest.fixture
def rows():
    return np.random.default_rng(3).normal(size=(6, 2))


@pytest.mark.parametrize("n_clusters", [2, 3])
def test_cutting_planes_solve_the_convex_problem(rows, n_clusters):
    codes = np.arange(6) % n_clusters
    value, expected = solve_in_full(rows, codes, n_clusters)
    weights = solve_given(rows, codes, n_clusters, REG, BALANCE, 1e-7)
    assert_allclose(weights, expected, atol=1e-3)
    margins = rows @ weights.T + 1.0
    margins[np.arange(6), codes] -= 1.0
    own = (rows @ weights.T)[np.arange(6), codes]
    losses = margins.max(axis=1) - own
    found = 0.5 * REG * np.vdot(weights, weights) + losses.mean()
    assert_allclose(found, value, atol=1e-5)
    sums = (rows @ weights.T).sum(axis=0)
    assert np.ptp(sums) <= BALANCE + 1e-5


@pytest.mark.parametrize("n_clusters", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_no_run_is_below_the_best_of_all_clusterings_where_steps_end(rows, n_clusters):
    """J is the smallest of the convex problems of all clusterings."""
    every = product(range(n_clusters), repeat=len(rows))
    solved = [solve_in_full(rows, np.array(codes), n_clusters) for codes in every]
    value, weights = min(solved, key=lambda pair: pair[0])
    assert_allclose(objective(rows, weights, REG), value, atol=1e-5)
    model = CuttingPlaneClustering(n_clusters, REG, BALANCE, 1e-6)
    assert_allclose(model.fit(rows, weights).objective_, value, atol=1e-4)
    for seed in range(10):
        model = CuttingPlaneClustering(n_clusters, REG, BALANCE, 1e-6, seed).fit(rows)
        assert_allclose(objective(rows, model.weights_, REG), model.objective_)
        assert model.objective_ > value - 1e-5


def test_clusters_far_apart_are_found():
    X, y = make_blobs(60, centers=[[4, 0], [-4, 3], [-4, -3]], random_state=0)
    features = kernel_features(Rbf(0.05)(X))
    assert_allclose(features @ features.T, Rbf(0.05)(X), atol=1e-8)
    runs = [
        CuttingPlaneClustering(3, 0.01, seed=seed).fit(features) for seed in range(5)
    ]
    best = min(runs, key=lambda run: run.objective_)
    assert adjusted_rand_score(y, best.labels_) == 1.0
