"""The machines of the tri-class paper, each fitted with given parameters.

Parameters have the paper's letters: C and C_u cost one labeled and one unlabeled row,
D is the reach, delta over the number of features the width of the Gaussian kernel.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from widemargin.estimators import LaplacianSVC, TransductiveSVC, TriClassSVC
from widemargin.kernels import Rbf
from widemargin.objectives.tri_class import (
    EpsilonInsensitive,
    MinLoss,
    Ramp,
    RelaxedMinLoss,
    SymmetricHinge,
    labeled_hinges,
)
from widemargin.solvers.cccp import tri_class_cccp
from widemargin.solvers.hinge_machine import GramMachine, WeightMachine
from widemargin.solvers.majorize import BranchProblem, majorize_minimize
from widemargin_bench.draws import timed
from widemargin_bench.protocols.tri_class_draws import draw_gaussians

RAISE = (0.01, 0.1, 1.0)  # of C_u, one after the other


class Task:
    """A draw, and what several fits to it share.

    Parameters
    ----------
    draw : Mixture
    """

    def __init__(self, draw):
        self.draw, self._kept = draw, {}

    def keep(self, key, make):
        """What `make` returns, made once."""
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]

    def values(self, Z, p):
        """What coordinates of a function apply to: features, or kernel values."""
        if self.draw.is_linear:
            return Z
        kernel = Rbf(p["delta"] / Z.shape[1])
        if Z is not self.draw.X_test:
            return kernel(Z, self.draw.X)
        return self.keep(("test", p["delta"]), lambda: kernel(Z, self.draw.X))

    def machine(self, p, *, is_balanced=False):
        """What solves the convex problems."""
        draw = self.draw

        def make():
            if is_balanced:
                weights = np.where(draw.labeled, 0.0, 1.0 / draw.n_unlabeled)
                return self.machine(p).centered(weights)
            if draw.is_linear:
                return WeightMachine(draw.X, 1e-3)
            return GramMachine(self.values(draw.X, p))

        return self.keep(("machine", p.get("delta"), is_balanced), make)

    def pose(self, p, loss, *, is_balanced=False):
        """The problem with that loss on the unlabeled rows."""
        machine, signs = self.machine(p, is_balanced=is_balanced), self.draw.signs
        return pose(machine, signs, p, loss, signs.mean() if is_balanced else None)

    def supervised(self, p, *, is_balanced=False):
        """The SVM of the labels alone, as a solution of that machine."""

        def make():
            machine = self.machine(p, is_balanced=is_balanced)
            given = self.pose(p, None).given[0]
            return machine.solve(given).solution[:, None]

        return self.keep(("svm", p["C"], p.get("delta"), is_balanced), make)

    def universum(self, p):
        """The U-SVM, a convex problem."""

        def make():
            problem = self.pose(p, EpsilonInsensitive(p["epsilon"]))
            branches = np.zeros(len(problem.rows), dtype=int)
            start = self.supervised(p)[:, 0]
            return problem.solve(0, branches, start).solution[:, None]

        key = "u-svm", p["C"], p["C_u"], p["epsilon"], p.get("delta")
        return self.keep(key, make)

    def function(self, p, solution, *, is_balanced=False):
        """The function that a solution stands for."""
        machine = self.machine(p, is_balanced=is_balanced)
        return Function(self, p, *machine.function(solution))


@dataclass(frozen=True)
class Function:
    """A fitted function; its sign tells the class."""

    task: Task
    p: dict
    coordinates: np.ndarray
    intercepts: np.ndarray

    def predict(self, X):
        """Classes 0 and 1."""
        scores = self.task.values(X, self.p) @ self.coordinates + self.intercepts
        return np.where(scores[:, 0] < 0, 0, 1)


def pose(machine, signs, p, loss, intercept=None):
    """The problem of a machine whose first rows are labeled."""
    n_labeled, n = len(signs), machine.n_samples
    costs = np.full(n_labeled, float(p["C"]))
    return BranchProblem(
        machine,
        (labeled_hinges(np.arange(n_labeled), signs, costs, n),),
        loss,
        np.arange(n_labeled, n),
        np.full(n - n_labeled, p.get("C_u", 0.0)),
        (intercept,),
    )


def svm(task, p):
    """The labels alone."""
    return task.function(p, task.supervised(p))


def s3vm(task, p):
    """Ramp loss and CCCP as in the paper, without balance."""
    problem, start = task.pose(p, Ramp(p["kappa"])), task.supervised(p)
    if p["start"] == "zero":
        start = np.zeros_like(start)
    return task.function(p, majorize_minimize(problem, start).solution)


def s3vm_balanced(task, p):
    """Symmetric hinge, and the mean score of unlabeled rows that of the labels."""
    return _raised(task, p, SymmetricHinge(), is_balanced=True)


def u_svm(task, p):
    """All unlabeled rows are irrelevant."""
    return task.function(p, task.universum(p))


def lap_svm(task, p):
    """The labels and a graph of all rows."""
    model = LaplacianSVC(
        kernel=_kernel_name(task),
        gamma=p.get("delta", 1.0) / task.draw.X.shape[1],
        ambient_reg=p["ambient"],
        intrinsic_reg=p["intrinsic"],
    )
    return _fit(task, model)


def paper(task, p):
    """Algorithm 1 in reduced form, with its restoring step."""
    return task.function(p, relaxed(task, p, restore=True).solution)


def paper_not_restored(task, p):
    """Algorithm 1 in reduced form, without its restoring step."""
    return task.function(p, relaxed(task, p, restore=False).solution)


def relaxed(task, p, **options):
    """How Algorithm 1 ends."""
    problem = task.pose(p, RelaxedMinLoss(p["epsilon"], p["kappa"], p["D"]))
    return tri_class_cccp(problem, task.supervised(p), **options)


def min_from_universum(task, p):
    """The min loss itself, from the U-SVM with the same parameters."""
    return task.function(p, minimized(task, p, task.universum(p)).solution)


def min_from_svm(task, p):
    """The min loss itself, from the SVM."""
    return task.function(p, minimized(task, p, task.supervised(p)).solution)


def minimized(task, p, start, **options):
    """How the minimization of the min loss ends."""
    return majorize_minimize(task.pose(p, MinLoss(p["epsilon"])), start, **options)


def min_raised(task, p):
    """The min loss from the SVM, its weight raised step by step."""
    return _raised(task, p, MinLoss(p["epsilon"]))


def min_balanced(task, p):
    """The same with balance."""
    return _raised(task, p, MinLoss(p["epsilon"]), is_balanced=True)


def tri_class_default(task, _):
    """TriClassSVC as it comes, on data made for a linear kernel with that one."""
    return _fit(task, TriClassSVC(kernel=_kernel_name(task), random_state=0))


def tri_class_paper_mode(task, _):
    """The same with the paper's algorithm, not restored."""
    options = {"method": "paper", "restore": False, "random_state": 0}
    return _fit(task, TriClassSVC(kernel=_kernel_name(task), **options))


def transductive_default(task, _):
    """TransductiveSVC as it comes."""
    return _fit(task, TransductiveSVC(kernel=_kernel_name(task), random_state=0))


def _raised(task, p, loss, *, is_balanced=False):
    problem = task.pose(p, loss, is_balanced=is_balanced)
    solution = task.supervised(p, is_balanced=is_balanced)
    for factor in RAISE:
        weighted = problem.with_costs(factor * problem.costs)
        solution = majorize_minimize(weighted, solution).solution
    return task.function(p, solution, is_balanced=is_balanced)


def _kernel_name(task):
    """The kernel as estimators want it; a linear one has no width."""
    return "linear" if task.draw.is_linear else "rbf"


def _fit(task, model):
    return model.fit(task.draw.X, task.draw.y_partial)


def measured(fit):
    """Errors and seconds of a fit from nothing: what a method measures."""

    def measure(draw, p):
        warm_up()
        fitted = []
        seconds = timed(lambda: fitted.append(fit(Task(draw), p)))
        return draw.score(fitted[0]) | {"fit_seconds": seconds}

    return measure


@lru_cache
def warm_up():
    """Compile, or load, the loops of both kinds of machines."""
    draw = draw_gaussians(1, 6, 0.5, 0, n_unlabeled=10, n_test=2)
    p = {"C": 1.0, "C_u": 0.1, "epsilon": 0.1}
    min_from_svm(Task(draw), p)
    machine = GramMachine(draw.X @ draw.X.T)
    problem = pose(machine, draw.signs, p, MinLoss(0.1))
    majorize_minimize(problem, problem.solve_given().solution)
