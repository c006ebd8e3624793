"""Training in the primal as Melacci and Belkin do it: class by class, stopped early.

The estimators solve all classes together and hold out labels of their own for the
validation check. The paper stops each class by itself, and looks at rows that it does
not train on. Such rows are given here as ones without an edge in the graph: their
coefficients stay zero, and their scores come with those of the others.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from widemargin.graphs import graph_laplacian
from widemargin.kernels import scores_in_blocks
from widemargin.labels import decide, sign_coding
from widemargin.linalg.expansions import KernelExpansion
from widemargin.objectives.laplacian import ManifoldObjective
from widemargin.objectives.losses import Hinge, SquaredHinge
from widemargin.solvers.box_dual import box_dual
from widemargin.solvers.early_stopping import (
    MixedCheck,
    StabilityCheck,
    ValidationCheck,
    check_interval,
)
from widemargin.solvers.newton import newton
from widemargin.solvers.pcg import pcg
from widemargin.solvers.reduced_newton import reduced_newton
from widemargin_bench.draws import timed


@dataclass(frozen=True)
class Trained:
    """A function over the rows of a split's geometry."""

    split: object
    coefficients: np.ndarray

    @property
    def transduction_(self):
        """Classes of the training rows."""
        n_train, n_rows = len(self.split.y), len(self.coefficients)
        gram = self.split.geometry.gram[:n_train, :n_rows]
        return decide(gram @ self.coefficients)

    def predict(self, X):
        """Classes of new rows."""
        geometry = self.split.geometry
        points = geometry.rows[: len(self.coefficients)]
        return decide(scores_in_blocks(geometry.kernel, X, points, self.coefficients))


def build_objective(split, gammas, *, watched=False, loss=SquaredHinge):
    """Eq. (7) without the bias, on the paper's own scale of the two weights.

    `watched` says whether the rows that are looked at while training are among those
    that get scores.
    """
    geometry, n_train = split.geometry, len(split.y)
    n_rows = len(geometry.gram) if watched else n_train
    adjacency = sparse.csr_matrix(geometry.adjacency, copy=True)
    adjacency.resize(n_rows, n_rows)
    labeled = np.flatnonzero(split.labeled)
    ambient, intrinsic = gammas
    return ManifoldObjective(
        KernelExpansion(np.ascontiguousarray(geometry.gram[:n_rows, :n_rows])),
        graph_laplacian(adjacency, power=split.row["power"]),
        labeled,
        sign_coding(split.y[labeled], split.n_classes),
        np.ones(len(labeled)),
        loss(),
        ambient=ambient,
        intrinsic=intrinsic,
    )


def train(split, objective, solve):
    """Errors, seconds and iterations; `solve` gives coefficients and counts."""
    found = []
    seconds = timed(lambda: found.extend(solve(objective)))
    coefficients, counts = found
    return split.score(Trained(split, coefficients)) | {
        "iterations": float(np.mean(counts)),
        "train_seconds": seconds,
        "fit_seconds": split.geometry.seconds + seconds,
    }


def solve_by_newton(objective):
    """Eq. (11): a linear system for each step and class."""
    result = newton(objective)
    return result.solution, result.history["steps"]


def solve_by_reduction(objective):
    """The same minimum with one factorization for all steps and classes."""
    problem = objective.reduced()
    result = reduced_newton(problem)
    return problem.coordinates(result.solution), result.history["steps"]


def solve_by_dual(objective):
    """Eqs. (5) and (6): the hinge loss, for which `objective` must have been built."""
    problem = objective.reduced()
    result = box_dual(problem)
    return problem.coordinates(result.solution), result.history["steps"]


def solve_by_pcg(split, make_check):
    """Algorithm 1 for one class after the other, each stopped by its own check."""

    def solve(objective):
        solutions, counts = [], []
        for column in range(objective.targets.shape[1]):
            alone = replace(objective, targets=objective.targets[:, [column]])
            result = pcg(alone, check=make_check(split, column))
            solutions.append(result.solution)
            counts.append(result.n_iter)
        return np.hstack(solutions), counts

    return solve


def stability_check(split, _):
    """Algorithm 2: decisions on U."""
    n_train = len(split.y)
    unlabeled = np.flatnonzero(~split.labeled)
    return StabilityCheck(unlabeled, decide, check_interval(n_train))


def validation_check(split, column):
    """Algorithm 3: the error on V of one class against the others."""
    n_train = len(split.y)
    rows = n_train + np.arange(len(split.y_valid))
    signs = sign_coding(split.y_valid, split.n_classes)[:, column]
    codes = (signs > 0).astype(np.intp)
    return ValidationCheck(rows, codes, decide, check_interval(n_train))


def mixed_check(split, column):
    """Both at the same look."""
    return MixedCheck(stability_check(split, column), validation_check(split, column))


def dual_objective(split, gammas):
    """The problem with the hinge loss instead of its square."""
    return build_objective(split, gammas, loss=Hinge)
