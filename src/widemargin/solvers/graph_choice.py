"""How much the graph deserves to be trusted, asked of the labels."""

from dataclasses import dataclass

import numpy as np

from widemargin.labels import decide


@dataclass(frozen=True)
class GraphChoice:
    """The graph weight that was chosen, and the evidence.

    Attributes
    ----------
    index : int
        Position of the chosen candidate.
    errors : ndarray of shape (n_candidates,)
        Leave-one-out error of each candidate.
    losses : ndarray of shape (n_candidates,)
        Leave-one-out squared loss of each.
    """

    index: int
    errors: np.ndarray
    losses: np.ndarray


def choose_graph(problems, codes):
    """Compare machines with different graph weights by leaving labels out."""
    errors, losses = [], []
    for problem in problems:
        scores = problem.leave_one_out()
        wrong = decide(scores) != codes
        errors.append(problem.weights @ wrong)
        losses.append(problem.weights @ ((problem.targets - scores) ** 2).mean(axis=1))
    errors, losses = np.array(errors), np.array(losses)
    return GraphChoice(int(np.lexsort((losses, errors))[0]), errors, losses)
