"""Small problems with branches, and what they cost, computed the slow way."""

from dataclasses import dataclass, field, replace

import numpy as np
from label_reference import rbf_gram
from piece_reference import loss as loss_of_pieces

from widemargin.objectives.pieces import labeled_hinges
from widemargin.solvers.hinge import BranchProblem, Smo
from widemargin.solvers.result import Status
from widemargin.spaces import GramSpace

N_SAMPLES, N_LABELED = 60, 6


def two_clouds(seed, distance=0.7):
    """Overlapping classes and some samples between them: rows and signs."""
    rng = np.random.default_rng(seed)
    signs = np.where(np.arange(N_SAMPLES) % 2, 1.0, -1.0)
    X = rng.normal(size=(N_SAMPLES, 2))
    X[:, 0] += distance * signs
    X[30:40] *= 0.3
    return X, signs


def make_problem(
    loss, *, seed=0, cost=0.1, intercept=None, signs=None, space=None, solver=None
):
    """Six labels; `signs` may hold several columns of them."""
    X, own = two_clouds(seed)
    signs = own[:, None] if signs is None else signs
    labeled, n_columns = np.arange(N_LABELED), signs.shape[1]
    given = tuple(
        labeled_hinges(labeled, s[:N_LABELED], np.ones(N_LABELED), N_SAMPLES)
        for s in signs.T
    )
    rows = np.arange(N_LABELED, N_SAMPLES)
    return BranchProblem(
        GramSpace(rbf_gram(X)) if space is None else space,
        Smo(1e-8) if solver is None else solver,
        given,
        loss,
        rows,
        np.full(len(rows), cost),
        (intercept,) * n_columns,
    )


def labels_alone(problem):
    """The start that the estimators use."""
    return problem.solve_given().solution


def exact_objective(problem, solution, loss):
    """Norm, labels and `loss(k, f)` of the other rows, by matrices and loops."""
    total = 0.0
    for k, given in enumerate(problem.given):
        a, b = solution[:-1, k], solution[-1, k]
        f = problem.space.gram @ a + b
        total += a @ problem.space.gram @ a / 2 + loss_of_pieces(given, f)
        for i, cost in zip(problem.rows, problem.costs, strict=True):
            total += cost * loss(f[i])
    return total


@dataclass
class Watched:
    """A solver that counts its problems and spoils the answers from one of them on."""

    solver: object
    first_bad: int = 10**9
    spoil: object = None  # result -> result
    n_solved: int = field(default=0)

    def solve(self, *problem):
        self.n_solved += 1
        result = self.solver.solve(*problem)
        return self.spoil(result) if self.n_solved >= self.first_bad else result


def interrupted(result):
    """As if a key had been pressed: something that counts as unfinished."""
    return replace(result, status=Status.INTERRUPTED)


def worsened(result):
    """Far from the minimum."""
    return replace(result, solution=2.0 * result.solution, scores=2.0 * result.scores)
