from dataclasses import replace

import numpy as np
import pytest
from machines import make_objective
from numpy.testing import assert_allclose

from widemargin.labels import decide
from widemargin.objectives.graph_family import share_graph
from widemargin.objectives.losses import Squared
from widemargin.solvers.graph_average import average_over_graph, blend
from widemargin.solvers.result import SolveResult, Status


@pytest.fixture
def problems(rng):
    return share_graph(make_objective(rng, n_classes=2, loss=Squared())).problems


def test_weights_follow_the_leave_one_out_losses(problems):
    """Weights and losses recomputed label by label."""
    codes = decide(problems[0].targets)
    average = average_over_graph(problems, codes)
    own = problems[0].weights
    n = own.sum() / (own**2).sum()  # that many labels of the same weight
    for problem, result, loss in zip(
        problems, average.results, average.losses, strict=True
    ):
        scores = problem.leave_one_out(result.solution)[:, 0]
        expected = sum(
            n * w * min(max(0.0, 1 - t * f), 2.0) ** 2
            for w, t, f in zip(
                problem.weights, problem.targets[:, 0], scores, strict=True
            )
        )
        assert_allclose(loss, expected)
    unnormalized = np.exp(-average.losses / 2)
    assert_allclose(average.weights, unnormalized / unnormalized.sum())


def test_only_label_of_its_class_is_not_counted(rng):
    """Three classes with one label each: nothing to go by, equal weights."""
    objective = make_objective(rng, n_labels=3)
    average = average_over_graph(share_graph(objective).problems, np.arange(3))
    assert_allclose(average.losses, 0.0)
    assert_allclose(average.weights, 1 / 3)


def test_average_of_leave_one_out_scores(problems):
    average = average_over_graph(problems, decide(problems[0].targets))
    expected = sum(
        w * problem.leave_one_out(result.solution)
        for w, problem, result in zip(
            average.weights, problems, average.results, strict=True
        )
    )
    assert_allclose(average.leave_one_out, expected)


def test_blend_is_the_mean_and_tells_of_a_failure():
    good = SolveResult(np.array([1.0, 3.0]), 2.0, Status.CONVERGED, 4)
    bad = replace(good, solution=np.array([5.0, 7.0]), status=Status.MAX_ITER, n_iter=9)
    mixed = blend([bad, good], [0.25, 0.75])
    assert_allclose(mixed.solution, [2.0, 4.0])
    assert mixed.status is Status.MAX_ITER
    assert mixed.n_iter == 9
    assert blend([good, good], [0.5, 0.5]).status is Status.CONVERGED
