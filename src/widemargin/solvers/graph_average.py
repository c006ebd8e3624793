"""How much the graph deserves to be trusted, asked of the labels."""

from dataclasses import dataclass, field, replace

import numpy as np
from scipy.special import softmax

from widemargin.labels import margins
from widemargin.solvers.label_counts import count_labels
from widemargin.solvers.reduced_newton import reduced_newton
from widemargin.solvers.result import SolveResult

_TRUST = 0.5  # how fast the weight of a machine falls with its leave-one-out loss


@dataclass(frozen=True)
class GraphAverage:
    """Machines that use the graph to different degrees, and the weight of each.

    Attributes
    ----------
    weights : ndarray of shape (n_machines,)
        Non-negative, adding up to one.
    losses : ndarray of shape (n_machines,)
        Leave-one-out loss of each machine, the sum over labels; for how many labels
        each counts is up to `count_labels`.
    results : list of SolveResult
        Their solutions.
    leave_one_out : ndarray of shape (n_labeled, n_columns)
        Leave-one-out scores of the average.
    """

    weights: np.ndarray
    losses: np.ndarray
    results: list[SolveResult] = field(repr=False)
    leave_one_out: np.ndarray = field(repr=False)


def average_over_graph(problems, codes, *, max_iter=100):
    r"""Fit every machine, leave out each label, and weigh the machines by the losses.

    With :math:`m_i` the margin by which label i, left out, is on its right side, the
    loss of a machine is :math:`\Lambda = \sum_i \min(\max(0, 1 - m_i), 2)^2` and its
    weight is proportional to :math:`\exp(-\Lambda / 2)`. A label that is the only one
    of its class says nothing when left out and is not counted; if all are, all machines
    weigh the same.

    Parameters
    ----------
    problems : list of ReducedObjective
        The machines, over the same labels.
    codes : ndarray of shape (n_labeled,)
        Classes of the labels.
    max_iter : int
        Newton steps at the most, for each machine.

    Returns
    -------
    GraphAverage
    """
    results = [reduced_newton(problem, max_iter=max_iter) for problem in problems]
    pairs = zip(problems, results, strict=True)
    left_out = [problem.leave_one_out(result.solution) for problem, result in pairs]
    counted = np.bincount(codes)[codes] > 1
    counts = count_labels(problems[0].weights)[counted]
    losses = np.array(
        [
            counts @ np.clip(1.0 - margins(scores, codes)[counted], 0.0, 2.0) ** 2
            for scores in left_out
        ]
    )
    shares = softmax(-_TRUST * losses)
    average = sum(w * scores for w, scores in zip(shares, left_out, strict=True))
    return GraphAverage(shares, losses, results, average)


def blend(results, weights):
    """One result for the weighted mean of several functions in the same coordinates.

    Status and history are those of the last machine, or of the first without success.
    """
    last = next((r for r in results if not r.status.is_success), results[-1])
    pairs = list(zip(weights, results, strict=True))
    return replace(
        last,
        solution=sum(weight * result.solution for weight, result in pairs),
        objective=float(sum(weight * result.objective for weight, result in pairs)),
    )
