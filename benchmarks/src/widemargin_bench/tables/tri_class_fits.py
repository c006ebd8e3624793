"""Draws of the tri-class paper, and its methods fitted with given parameters.

Some unlabeled rows belong to neither class. Parameters have the paper's letters: C and
C_u are the costs of one labeled and one unlabeled row, D is the reach, delta over the
number of features is the width of the Gaussian kernel.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from widemargin import LaplacianSVC, TransductiveSVC, TriClassSVC
from widemargin.objectives.pieces import (
    EpsilonInsensitive,
    MinLoss,
    Ramp,
    RelaxedMinLoss,
    SymmetricHinge,
    labeled_hinges,
)
from widemargin.parameters import Linear, ProximalNewton, Rbf, Relaxed, Smo
from widemargin.solvers.cccp import tri_class_cccp
from widemargin.solvers.hinge import BranchProblem, majorize_minimize
from widemargin.spaces import FeatureSpace, GramSpace
from widemargin_bench.draws import PartlyLabeled, percent_wrong, timed
from widemargin_bench.generators import make_irrelevant_gaussians
from widemargin_bench.ss_elm import SemiSupervisedELM
from widemargin_bench.stored_sets import load_set
from widemargin_bench.tables.tri_class_programs import printed_cccp, solve_relaxation

DIGITS = (8, 5)  # class 0 and class 1; all others are irrelevant
IRRELEVANT = 2  # in y
RAISE = (0.01, 0.1, 1.0)  # of C_u, one after the other
N_STEPS = 10  # that the paper draws
FIXED = {"C": 10.0, "C_u": 1.0, "epsilon": 0.01, "kappa": 0.01, "D": 2.0}
MAX_ORDER = 111  # of the semidefinite matrix; the next size takes 13 GB
MAX_MULTIPLIERS = 1000  # of the printed program


@dataclass(frozen=True)
class Mixture(PartlyLabeled):
    """Labeled rows, a mixture of unlabeled ones, and test rows.

    Attributes
    ----------
    is_linear : bool
        Whether the kernel is linear, or else Gaussian.
    """

    is_linear: bool = True

    @classmethod
    def join(cls, labeled, unlabeled, test, *, is_linear):
        """From pairs of rows and classes, the labeled ones first."""
        y = np.append(labeled[1], unlabeled[1])
        is_labeled = np.arange(len(y)) < len(labeled[1])
        return cls(
            np.vstack([labeled[0], unlabeled[0]]),
            y,
            is_labeled,
            *test,
            scored=~is_labeled & (y != IRRELEVANT),
            is_linear=is_linear,
        )

    @property
    def n_labeled(self):
        """Number of labeled rows, the first ones."""
        return int(self.labeled.sum())

    @property
    def n_unlabeled(self):
        """Number of rows without a label."""
        return len(self.y) - self.n_labeled

    @property
    def signs(self):
        """Labels as -1 and +1."""
        return 2.0 * self.y[self.labeled] - 1.0

    def score(self, model):
        """Errors, and the accuracy on test rows, in %."""
        scores = super().score(model)
        return scores | {"accuracy": 100.0 - scores["error"]}


def draw_gaussians(variant, n_labeled, tau, seed, *, n_unlabeled=500, n_test=500):
    """Synthetic rows of Sec. 5.1; a share tau of the unlabeled ones is relevant."""
    rng = np.random.default_rng(seed)

    def make(n_rows, irrelevant):
        return make_irrelevant_gaussians(
            n_rows, irrelevant_fraction=irrelevant, variant=variant, random_state=rng
        )

    labeled, unlabeled = make(n_labeled, 0.0), make(n_unlabeled, 1.0 - tau)
    return Mixture.join(labeled, unlabeled, make(n_test, 0.0), is_linear=True)


def draw_digits(name, n_unlabeled, tau, seed, *, is_validation=False):
    """Five labels of each digit, the same for all mixtures of a seed.

    Test rows are those of the test part, of validation draws up to 1,000 of those that
    are left in the training part.
    """
    digits, n_train = _digits(name)
    rng = np.random.default_rng([seed, int(is_validation)])
    train, n_relevant = digits[:n_train], round(tau * n_unlabeled)
    of_class = [rng.permutation(np.flatnonzero(train == d)) for d in DIGITS[::-1]]
    labeled = np.concatenate([rows[:5] for rows in of_class])
    rest = rng.permutation(np.concatenate([rows[5:] for rows in of_class]))
    others = rng.permutation(np.flatnonzero(~np.isin(train, DIGITS)))
    unlabeled = np.append(rest[:n_relevant], others[: n_unlabeled - n_relevant])
    test = n_train + np.flatnonzero(np.isin(digits[n_train:], DIGITS))
    if is_validation:
        test = rest[n_relevant:][:1000]
    parts = (_pixels(name, rows) for rows in (labeled, unlabeled, test))
    return Mixture.join(*parts, is_linear=False)


@lru_cache(1)
def _load(name):
    return load_set(name)


def _digits(name):
    """All digits, and the number of rows for training."""
    data = _load(name)
    return data.target, int(data.train_size)


def _pixels(name, rows):
    """Pixels in [-1, 1], and classes."""
    data = _load(name)
    X, digits = data.data[rows], data.target[rows]
    y = np.where(digits == DIGITS[0], 0, np.where(digits == DIGITS[1], 1, IRRELEVANT))
    return X if name == "usps" else 2.0 * X - 1.0, y


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
        kernel = _gaussian(Z, p)
        if Z is not self.draw.X_test:
            return kernel(Z, self.draw.X)
        return self.keep(("test", p["delta"]), lambda: kernel(Z, self.draw.X))

    def space(self, p, *, is_balanced=False):
        """The functions, centered on the unlabeled rows for a fixed mean score."""
        draw = self.draw

        def make():
            if is_balanced:
                weights = np.where(draw.labeled, 0.0, 1.0 / draw.n_unlabeled)
                return self.space(p).centered(weights)
            if draw.is_linear:
                return FeatureSpace(draw.X)
            return GramSpace(self.values(draw.X, p))

        return self.keep(("space", p.get("delta"), is_balanced), make)

    @property
    def solver(self):
        """What solves the convex problems."""
        return ProximalNewton(1e-3) if self.draw.is_linear else Smo()

    def problem(self, p, loss, *, is_balanced=False):
        """The problem with that loss on the unlabeled rows."""
        space, signs = self.space(p, is_balanced=is_balanced), self.draw.signs
        intercept = signs.mean() if is_balanced else None
        return make_problem(space, self.solver, signs, p, loss, intercept)

    def supervised(self, p, *, is_balanced=False):
        """The SVM of the labels alone, as a solution in that space."""

        def make():
            space = self.space(p, is_balanced=is_balanced)
            given = self.problem(p, None).given[0]
            return self.solver.solve(space, given).solution[:, None]

        return self.keep(("svm", p["C"], p.get("delta"), is_balanced), make)

    def universum(self, p):
        """The U-SVM, a convex problem."""

        def make():
            problem = self.problem(p, EpsilonInsensitive(p["epsilon"]))
            start = self.supervised(p)
            _, bounds, _ = problem.touch(start, problem.scores(start))
            return problem.solve(0, bounds[0], start[:, 0]).solution[:, None]

        key = "u-svm", p["C"], p["C_u"], p["epsilon"], p.get("delta")
        return self.keep(key, make)

    def function(self, p, solution, *, is_balanced=False):
        """The function that a solution stands for."""
        space = self.space(p, is_balanced=is_balanced)
        return Function(self, p, *space.from_dual(solution))


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


def _gaussian(X, p):
    """The kernel whose width is delta over the number of features."""
    return Rbf(p["delta"] / X.shape[1])


def make_problem(space, solver, signs, p, loss, intercept=None):
    """The problem of a space whose first rows are labeled."""
    n_labeled, n = len(signs), space.n_rows
    costs = np.full(n_labeled, float(p["C"]))
    return BranchProblem(
        space,
        solver,
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
    problem, start = task.problem(p, Ramp(p["kappa"])), task.supervised(p)
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
        kernel=Linear() if task.draw.is_linear else _gaussian(task.draw.X, p),
        ambient_reg=p["ambient"],
        intrinsic_reg=p["intrinsic"],
    )
    return _fit(task, model)


def ss_elm(task, p):
    """Random sigmoids with a ridge penalty, and the graph of all rows."""
    return _fit(task, SemiSupervisedELM(p["C"], p["smoothing"]))


def paper(task, p):
    """Algorithm 1 in reduced form, with its restoring step."""
    return task.function(p, relaxed(task, p, restore=True).solution)


def paper_not_restored(task, p):
    """Algorithm 1 in reduced form, without its restoring step."""
    return task.function(p, relaxed(task, p, restore=False).solution)


def relaxed(task, p, **options):
    """How Algorithm 1 ends."""
    problem = task.problem(p, RelaxedMinLoss(p["epsilon"], p["kappa"], p["D"]))
    return tri_class_cccp(problem, task.supervised(p), **options)


def min_from_universum(task, p):
    """The min loss itself, from the U-SVM with the same parameters."""
    return task.function(p, minimized(task, p, task.universum(p)).solution)


def min_from_svm(task, p):
    """The min loss itself, from the SVM."""
    return task.function(p, minimized(task, p, task.supervised(p)).solution)


def minimized(task, p, start, **options):
    """How the minimization of the min loss ends."""
    return majorize_minimize(task.problem(p, MinLoss(p["epsilon"])), start, **options)


def min_raised(task, p):
    """The min loss from the SVM, its weight raised step by step."""
    return _raised(task, p, MinLoss(p["epsilon"]))


def min_balanced(task, p):
    """The same with balance."""
    return _raised(task, p, MinLoss(p["epsilon"]), is_balanced=True)


def tri_class_default(task, _):
    """TriClassSVC by default; linear kernel where the data are made for it."""
    return _fit(task, TriClassSVC(kernel=_kernel_name(task), random_state=0))


def tri_class_paper_mode(task, _):
    """The same with the paper's algorithm, not restored."""
    kernel, method = _kernel_name(task), Relaxed(restore=False)
    return _fit(task, TriClassSVC(kernel=kernel, method=method, random_state=0))


def transductive_default(task, _):
    """TransductiveSVC with default settings."""
    return _fit(task, TransductiveSVC(kernel=_kernel_name(task), random_state=0))


def _raised(task, p, loss, *, is_balanced=False):
    problem = task.problem(p, loss, is_balanced=is_balanced)
    solution = task.supervised(p, is_balanced=is_balanced)
    for factor in RAISE:
        weighted = replace(problem, costs=factor * problem.costs)
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
    """Compile, or load, the loops of both solvers."""
    draw = draw_gaussians(1, 6, 0.5, 0, n_unlabeled=10, n_test=2)
    p = {"C": 1.0, "C_u": 0.1, "epsilon": 0.1}
    min_from_svm(Task(draw), p)
    space = GramSpace(draw.X @ draw.X.T)
    problem = make_problem(space, Smo(), draw.signs, p, MinLoss(0.1))
    majorize_minimize(problem, problem.solve_given().solution)


def follow(run, start=Task.supervised):
    """A method that records the state after 0, 1, ... steps, and seconds of a fit.

    ``run(task, FIXED, max_iter=...)`` solves from a start; a run that ends before the
    last step stays where it is.
    """

    def measure(draw, _):
        warm_up()
        task = Task(draw)
        seconds = timed(lambda: run(Task(draw), FIXED))
        states = [start(task, FIXED)]
        for n_steps in range(1, N_STEPS + 1):
            states.append(run(task, FIXED, max_iter=n_steps).solution)
        errors = [_test_error(task, state) for state in states]
        objectives = [_objective(task, state) for state in states]
        return {
            "error": errors[-1],
            "objective": objectives[-1],
            "rises": int(np.sum(np.diff(objectives) > 1e-3 * objectives[0])),
            "error_course": errors,
            "objective_course": objectives,
            "fit_seconds": seconds,
        }

    return measure


def _test_error(task, solution):
    draw = task.draw
    guess = task.function(FIXED, solution).predict(draw.X_test)
    return percent_wrong(guess, draw.y_test)


def _objective(task, solution):
    """Eq. (4) with lambda = 1 / C, the scale of the paper."""
    problem = task.problem(FIXED, MinLoss(FIXED["epsilon"]))
    return _value(problem, solution) / FIXED["C"]


def _value(problem, solution):
    """Objective of a solution with the smallest of the losses of each row."""
    scores = problem.scores(solution)
    return problem.touch(solution, scores)[2]


def time_relaxation(draw, _):
    """Seconds of the semidefinite program; nothing where it would take too long."""
    if draw.n_labeled + 3 * draw.n_unlabeled + 1 > MAX_ORDER:
        return {}
    space, solver, optimum = _scaled_space(draw), Smo(tol=1e-6), []
    seconds = timed(
        lambda: optimum.append(solve_relaxation(space.gram, draw.signs, FIXED))
    )
    given = make_problem(space, solver, draw.signs, FIXED, None).given[0]
    of_labels = solver.solve(space, given, 0.0).objective
    return {"fit_seconds": seconds, "objective": optimum[0] / of_labels}


def time_printed_program(draw, _):
    """Seconds of Algorithm 1 as printed; nothing where it would take too long."""
    if draw.n_labeled + 4 * draw.n_unlabeled > MAX_MULTIPLIERS:
        return {}

    def solve(space):
        given = make_problem(space, Smo(), draw.signs, FIXED, None)
        start = space.dual_scores(given.solve_given().solution[:, 0])
        loss = RelaxedMinLoss(FIXED["epsilon"], FIXED["kappa"], FIXED["D"])
        return printed_cccp(space.gram, draw.signs, FIXED, start, loss.decisions)

    return _measure_time(draw, solve)


def time_reduced_program(draw, _):
    """Seconds of Algorithm 1 in reduced form, without restoring, as in print."""

    def solve(space):
        loss = RelaxedMinLoss(FIXED["epsilon"], FIXED["kappa"], FIXED["D"])
        problem = make_problem(space, Smo(), draw.signs, FIXED, loss)
        start = problem.solve_given().solution
        return tri_class_cccp(problem, start, restore=False).solution

    return _measure_time(draw, solve)


def time_min_loss(draw, _):
    """Seconds of the min loss itself, from the SVM."""

    def solve(space):
        problem = _min_problem(draw, space)
        return majorize_minimize(problem, problem.solve_given().solution).solution

    return _measure_time(draw, solve)


def _scaled_space(draw):
    """A linear kernel whose Gram matrix has a mean diagonal of 1.

    Interior-point solvers fail in the units of the data.
    """
    gram = draw.X @ draw.X.T
    return GramSpace(gram * (len(gram) / np.trace(gram)))


def _min_problem(draw, space):
    return make_problem(space, Smo(), draw.signs, FIXED, MinLoss(FIXED["epsilon"]))


def _measure_time(draw, solve):
    """Seconds of a fit from nothing, and Eq. (4) over the optimum of the labels."""
    warm_up()
    space, solutions = _scaled_space(draw), []
    seconds = timed(lambda: solutions.append(solve(space)))
    problem = _min_problem(draw, space)
    of_labels = problem.solve_given().objective
    return {
        "fit_seconds": seconds,
        "objective": _value(problem, solutions[0]) / of_labels,
    }
