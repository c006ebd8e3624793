import numpy as np
import pytest
from numpy.testing import assert_allclose

from widemargin.kernels import Linear, Rbf
from widemargin.labels import sign_coding
from widemargin.solvers.ridge import fit_ridges

PENALTIES = (1e-2, 1.0)


@pytest.fixture
def points(rng):
    return rng.normal(size=(18, 3))


@pytest.fixture(params=[2, 4])
def n_classes(request):
    return request.param


@pytest.fixture
def codes(rng, n_classes):
    others = rng.integers(n_classes, size=18 - 2 * n_classes)
    return np.concatenate([np.arange(n_classes).repeat(2), others])


@pytest.fixture(params=["equal", "unequal"])
def weights(request, rng):
    weights = np.ones(18) if request.param == "equal" else rng.uniform(0.5, 2, 18)
    return weights / weights.sum()


def solve_ridge(gram, targets, weights, penalty, scale):
    """Coefficients and intercept from the optimality conditions, kernel not centered.

    The norm is that of the kernel over `scale`.
    """
    n = len(gram)
    system = np.zeros((n + 1, n + 1))
    system[:n, :n] = gram / scale + penalty * np.diag(1.0 / weights)
    system[:n, n] = 1.0
    system[n, :n] = 1.0
    right = np.vstack([targets, np.zeros(targets.shape[1])])
    found = np.linalg.solve(system, right)
    return found[:n] / scale, found[n]


def centered_scale(gram, weights):
    centering = np.eye(len(gram)) - np.outer(np.ones(len(gram)), weights)
    return weights @ np.diag(centering @ gram @ centering.T)


def leave_each_out(gram, targets, weights, penalty):
    """Scores of each label by a model that is fitted without it."""
    scale, scores = centered_scale(gram, weights), []
    for i in range(len(gram)):
        kept = np.arange(len(gram)) != i
        coefficients, intercept = solve_ridge(
            gram[np.ix_(kept, kept)], targets[kept], weights[kept], penalty, scale
        )
        scores.append(gram[i, kept] @ coefficients + intercept)
    return np.array(scores)


@pytest.mark.parametrize("kernel", [Rbf(0.3), Linear()], ids=["rbf", "linear"])
def test_held_out_scores_equal_refitting(points, codes, n_classes, weights, kernel):
    """The closed form is a model that did not see the label."""
    gram, targets = kernel(points), sign_coding(codes, n_classes)
    ridges = fit_ridges(gram, targets, weights, PENALTIES)
    for penalty, ridge in zip(PENALTIES, ridges, strict=True):
        slow = leave_each_out(gram, targets, weights, penalty)
        assert_allclose(ridge.held_out, slow, atol=1e-8)


def test_function_solves_the_optimality_conditions(points, codes, n_classes, weights):
    """Coefficients over the kernel as it is equal those of the plain linear system."""
    gram, targets = Rbf(0.3)(points), sign_coding(codes, n_classes)
    scale = centered_scale(gram, weights)
    for penalty, ridge in zip(
        PENALTIES, fit_ridges(gram, targets, weights, PENALTIES), strict=True
    ):
        slow, constant = solve_ridge(gram, targets, weights, penalty, scale)
        assert_allclose(ridge.coef, slow, atol=1e-8)
        assert_allclose(ridge.intercept, constant, atol=1e-8)


def test_a_weight_of_two_is_a_repeated_label(points, codes, n_classes):
    """As far as the function goes; both copies are held out together."""
    gram, weights = Rbf(0.3)(points), np.ones(18)
    weights[3] = 2
    targets = sign_coding(codes, n_classes)
    (once,) = fit_ridges(gram, targets, weights / 19, [0.1])
    rows = np.append(np.arange(18), 3)
    (twice,) = fit_ridges(
        gram[np.ix_(rows, rows)], targets[rows], np.full(19, 1 / 19), [0.1]
    )
    merged = twice.coef[:18].copy()
    merged[3] += twice.coef[18]
    assert_allclose(once.coef, merged, atol=1e-10)
    assert_allclose(once.intercept, twice.intercept)


def test_points_that_are_all_the_same_leave_the_mean(codes, n_classes):
    targets = sign_coding(codes, n_classes)
    (ridge,) = fit_ridges(np.ones((18, 18)), targets, np.full(18, 1 / 18), [0.1])
    scores = np.ones((1, 18)) @ ridge.coef + ridge.intercept
    assert_allclose(scores[0], targets.mean(axis=0))
    assert np.isfinite(ridge.held_out).all()
