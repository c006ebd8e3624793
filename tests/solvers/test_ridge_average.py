import numpy as np
import pytest
from numpy.testing import assert_allclose

from widemargin.kernels import Linear, Rbf
from widemargin.labels import sign_coding
from widemargin.solvers.ridge_average import average_ridges
from widemargin.solvers.temperature import fit_slope, log_probabilities

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
    """Scores of each label by a machine that is fitted without it."""
    scale, scores = centered_scale(gram, weights), []
    for i in range(len(gram)):
        kept = np.arange(len(gram)) != i
        coefficients, intercept = solve_ridge(
            gram[np.ix_(kept, kept)], targets[kept], weights[kept], penalty, scale
        )
        scores.append(gram[i, kept] @ coefficients + intercept)
    return np.array(scores)


@pytest.mark.parametrize("kernel", [Rbf(0.3), Linear()], ids=["rbf", "linear"])
def test_leave_one_out_equals_refitting(points, codes, n_classes, weights, kernel):
    """The closed form is a machine that did not see the label."""
    gram, targets = kernel(points), sign_coding(codes, n_classes)
    for penalty in PENALTIES:
        average = average_ridges([gram], codes, n_classes, weights, [penalty])
        slow = leave_each_out(gram, targets, weights, penalty)
        slope = fit_slope(slow, codes, weights)
        assert_allclose(average.leave_one_out, slope * slow, atol=1e-8)


def test_function_solves_the_optimality_conditions(points, codes, n_classes, weights):
    """Coefficients over the kernel as it is equal those of the plain linear system."""
    gram, targets = Rbf(0.3)(points), sign_coding(codes, n_classes)
    average = average_ridges([gram], codes, n_classes, weights, [0.1])
    slow, constant = solve_ridge(
        gram, targets, weights, 0.1, centered_scale(gram, weights)
    )
    slope = fit_slope(leave_each_out(gram, targets, weights, 0.1), codes, weights)
    assert_allclose(average.dual_coef[0], slope * slow, atol=1e-8)
    assert_allclose(average.intercept, slope * constant, atol=1e-8)


def test_weights_fall_with_the_loss_of_labels_left_out(
    points, codes, n_classes, weights
):
    """Each machine weighs exp(-loss), and functions are averaged in this proportion."""
    grams = [Rbf(g)(points) for g in (0.05, 1.0)]
    average = average_ridges(grams, codes, n_classes, weights, PENALTIES)
    odds = np.exp(-average.losses)
    assert_allclose(average.weights, odds / odds.sum())
    alone = [
        average_ridges([gram], codes, n_classes, weights, [penalty])
        for gram in grams
        for penalty in PENALTIES
    ]
    shares = average.weights.ravel()
    mean = sum(s * a.leave_one_out for s, a in zip(shares, alone, strict=True))
    assert_allclose(average.leave_one_out, mean)
    constant = sum(s * a.intercept for s, a in zip(shares, alone, strict=True))
    assert_allclose(average.intercept, constant)


def test_loss_is_that_of_calibrated_probabilities(points, codes, n_classes):
    """Minus the log probability of each label, summed."""
    weights = np.full(18, 1 / 18)
    average = average_ridges([Rbf(0.3)(points)], codes, n_classes, weights, [0.1])
    logs = log_probabilities(average.leave_one_out, 1.0)
    assert_allclose(average.losses, -logs[np.arange(18), codes].sum())


def test_a_weight_of_two_is_a_repeated_label(points, codes, n_classes):
    """As far as the function of one machine goes; both copies are left out together."""
    gram, weights = Rbf(0.3)(points), np.ones(18)
    weights[3] = 2
    once = average_ridges([gram], codes, n_classes, weights / 19, [0.1])
    rows = np.append(np.arange(18), 3)
    twice = average_ridges(
        [gram[np.ix_(rows, rows)]], codes[rows], n_classes, np.full(19, 1 / 19), [0.1]
    )
    merged = twice.dual_coef[0, :18].copy()
    merged[3] += twice.dual_coef[0, 18]
    ratio = once.dual_coef[0] / merged  # slopes differ: copies know each other
    assert_allclose(ratio, ratio[0, 0])


def test_labels_alone_in_their_class_are_not_counted(points):
    """If all are, every machine weighs the same."""
    average = average_ridges(
        [Rbf(0.3)(points[:3])], np.arange(3), 3, np.full(3, 1 / 3), PENALTIES
    )
    assert_allclose(average.losses, 0)
    assert_allclose(average.weights, 0.5)


def test_points_that_are_all_the_same_leave_the_mean(codes, n_classes):
    average = average_ridges(
        [np.ones((18, 18))], codes, n_classes, np.full(18, 1 / 18), [0.1]
    )
    scores = np.ones((1, 18)) @ average.dual_coef[0] + average.intercept
    mean = sign_coding(codes, n_classes).mean(axis=0)
    assert_allclose(scores[0] / np.linalg.norm(scores), mean / np.linalg.norm(mean))
    assert np.isfinite(average.leave_one_out).all()
