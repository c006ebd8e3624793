"""How Laplacian models are found: solvers as values, and the average over graphs."""

from dataclasses import dataclass, replace

import numpy as np

from widemargin.averaging import Average, average_scores, family_prior
from widemargin.calibration import Calibration
from widemargin.checks import check_choice, check_number
from widemargin.defaults import GRAPH_SCARCITY, GRAPH_SHARES, NEWTON_LIMITS
from widemargin.objectives.laplacian import (
    GraphModel,
    ManifoldObjective,
    given_graph,
    share_graph,
)
from widemargin.objectives.losses import Hinge
from widemargin.sample import Sample
from widemargin.solvers.box_dual import box_dual
from widemargin.solvers.newton import reduced_newton
from widemargin.solvers.pcg import (
    MixedCheck,
    StabilityCheck,
    ValidationCheck,
    check_interval,
    pcg,
)
from widemargin.solvers.result import SolveResult, Status
from widemargin.values import Value


class LaplacianSolver(Value):
    """What solves the problems of Laplacian models; a family of parameters."""

    takes_auto = True
    history_names = {}  # titles of what it records, for plots


@dataclass(frozen=True)
class Newton(LaplacianSolver, shorthand="newton"):
    """Newton's method on the labels: exact, with one factorization for all classes.

    Examples
    --------
    >>> from widemargin import LaplacianSVC
    >>> from widemargin.solvers.laplacian import Newton
    >>> LaplacianSVC(solver=Newton())  # the same as solver="newton"
    LaplacianSVC(solver=Newton())
    """

    history_names = {"criterion": "labels that switched"}


@dataclass(frozen=True)
class Dual(LaplacianSolver, shorthand="dual"):
    """The dual of the hinge loss, which takes the place of the squared hinge.

    Parameters
    ----------
    max_iter : int, default=1000
        Largest number of iterations for each class.
    tol : float, default=1e-9
        Largest duality gap, relative to the objective.

    Examples
    --------
    >>> from widemargin.solvers.laplacian import Dual
    >>> Dual(tol=1e-6)
    Dual(max_iter=1000, tol=1e-06)
    """

    max_iter: int = 1000
    tol: float = 1e-9

    def __post_init__(self):
        """Raise unless the fields are valid."""
        check_number(self, "max_iter", low=1, integer=True)
        check_number(self, "tol", low=0)


@dataclass(frozen=True)
class Pcg(LaplacianSolver, shorthand="pcg"):
    """Preconditioned conjugate gradient, for many rows.

    Parameters
    ----------
    max_iter : int, default=1000
        Largest number of iterations.
    tol : float, default=1e-6
        Norm of the gradient, relative to that at zero, at which it has converged.
    early_stopping : {"stability", "validation", "mixed"} or None, default="stability"
        When to stop early: when the decisions on the unlabeled rows no longer change,
        when the accuracy on labels held out for it no longer rises, when both hold, or
        never.
    validation_fraction : float, default=0.2
        Share of the labels of each class that "validation" and "mixed" hold out.
    warm_start : bool, default=False
        Whether it starts from the solution of the last `fit`.

    Examples
    --------
    >>> from widemargin.solvers.laplacian import Pcg
    >>> Pcg(early_stopping=None).tol
    1e-06
    """

    max_iter: int = 1000
    tol: float = 1e-6
    early_stopping: str | None = "stability"
    validation_fraction: float = 0.2
    warm_start: bool = False

    def __post_init__(self):
        """Raise unless the fields are valid."""
        check_number(self, "max_iter", low=1, integer=True)
        check_number(self, "tol", low=0)
        choices = ("stability", "validation", "mixed", None)
        check_choice(self, "early_stopping", choices)
        check_number(self, "validation_fraction", low=0, strict=True, high=1)
        check_choice(self, "warm_start", (True, False))

    @property
    def history_names(self):
        """Titles of what it records, for plots."""
        names = {"criterion": "relative gradient norm"}
        if self.early_stopping == "validation":
            names["decision_change"] = "share of held-out labels\nnewly right"
        return names

    def plan_stopping(self, sample, rng):
        """The sample to train on, less held-out labels, and the check or None."""
        if self.early_stopping is None:
            return sample, None
        interval, unlabeled = check_interval(sample.n_rows), sample.unlabeled_idx
        watched = unlabeled if len(unlabeled) else np.arange(sample.n_rows)
        stability = StabilityCheck(watched, interval)
        if self.early_stopping == "stability":
            return sample, stability
        held_out = hold_out_labels(sample.codes, self.validation_fraction, rng)
        held_idx, held_codes = sample.label_idx[held_out], sample.codes[held_out]
        validation = ValidationCheck(held_idx, held_codes, interval)
        sample = sample.with_labels(~held_out)
        if self.early_stopping == "validation":
            return sample, validation
        return sample, MixedCheck(stability, validation)


def hold_out_labels(codes, fraction, rng):
    """Mask of a random share of each class's labels, never the last one of a class."""
    held_out = np.zeros(len(codes), dtype=bool)
    for code in np.unique(codes):
        members = rng.permutation(np.flatnonzero(codes == code))
        n_held = min(int(np.ceil(fraction * len(members))), len(members) - 1)
        held_out[members[:n_held]] = True
    if not held_out.any():
        raise ValueError(
            "early_stopping with a validation check holds out labels, but every class "
            "has one label only; use early_stopping='stability'."
        )
    return held_out


def choose_solver(n_rows, n_columns, n_labels, *, low_rank):
    """Newton's method where its factorizations are cheap, PCG elsewhere."""
    limits = NEWTON_LIMITS
    most = min(limits.rows + limits.rows_per_column * n_columns, limits.max_rows)
    is_small = low_rank or n_rows <= most
    return Newton() if is_small and n_labels <= limits.labels else Pcg()


@dataclass(frozen=True)
class Training:
    """What a Laplacian model learns from."""

    objective: ManifoldObjective  # on all rows, with the labels to train on
    holdout: ManifoldObjective  # the one on which labels are held out; often the same
    sample: Sample  # of the labels of `holdout`
    solver: LaplacianSolver
    check: object  # when `Pcg` stops early, or None
    by_labels: bool  # whether held-out labels choose the weight of the graph
    powers: dict[int, float]  # of the graph Laplacian, with prior weights


@dataclass(frozen=True)
class Learned:
    """A Laplacian model."""

    models: list[GraphModel]  # those that were averaged
    average: Average  # their weights, by held-out labels
    calibration: Calibration  # of the average
    graph: ManifoldObjective  # that of the largest share and most probable power
    result: SolveResult  # its solution has the coordinates of the average
    last: np.ndarray  # coordinates of the last model, from which another fit may start


def learn(training, *, problem=None, start=None, callback=None):
    """Fit models of all graph shares and powers, and average by held-out labels.

    Every model predicts each label from the others, in closed form. A label that is the
    only one of its class is not held out. `problem` is that of the given weights, if
    factorized already; `start` and `callback` are for `Pcg`.
    """
    if training.by_labels:
        # PCG has no problem for a mixture of both kernels; an intercept inside the
        # graph term is not the same with and without the graph.
        intercept = training.holdout.intercept
        is_inside = intercept is not None and intercept.inside
        mixes = not isinstance(training.solver, Pcg) and not is_inside
        shares = GRAPH_SHARES if mixes else (0.0, 1.0)
        family = share_graph(training.holdout, training.powers, shares)
    else:
        family = given_graph(training.holdout, problem)
    # On the labels this is cheap with any solver, and gives the leave-one-out scores.
    exact = [reduced_newton(model.problem) for model in family.models]
    average, calibration = average_family(family.models, exact, training.sample)
    results = solve_family(family, exact, training, start, callback)
    result = combine_results(results, average)
    if any(one.status is Status.INTERRUPTED for one in exact):
        result = replace(result, status=Status.INTERRUPTED)
    graph = family.graph_objective(training.objective)
    last = results[-1].solution
    return Learned(family.models, average, calibration, graph, result, last)


def models_prior(models, sample, *, scarcity=GRAPH_SCARCITY):
    """Prior weights: shares are families of powers, larger ones for scarce labels."""
    shares = np.array([model.share for model in models])
    prior = family_prior(shares, [model.prior for model in models])
    return prior * np.exp(scarcity * sample.scarcity * (shares - 1.0))


def average_family(models, results, sample, *, scarcity=GRAPH_SCARCITY):
    """Average and calibration by leave-one-out scores of each model's solution."""
    pairs = zip(models, results, strict=True)
    held_out = np.array([m.problem.leave_one_out(r.solution) for m, r in pairs])
    held_out = sample.mask_single(held_out)
    prior = models_prior(models, sample, scarcity=scarcity)
    return average_scores(held_out, sample.codes, prior, sample.label_weights)


def solve_family(family, exact, training, start=None, callback=None):
    """Coordinates of every model; `exact` are the minima by Newton's method."""
    solver, problems = training.solver, [model.problem for model in family.models]
    if isinstance(solver, Pcg):
        return _solve_by_pcg(family, training, start, callback)
    if isinstance(solver, Dual):
        problems = [replace(problem, loss=Hinge()) for problem in problems]
        options = {"max_iter": solver.max_iter, "tol": solver.tol}
        exact = [box_dual(problem, **options) for problem in problems]
    return [_in_coordinates(*pair) for pair in zip(problems, exact, strict=True)]


def _solve_by_pcg(family, training, start, callback):
    """Each model by PCG; the one without the graph exactly if labels are few."""
    objective, solver = training.objective, training.solver
    options = {"max_iter": solver.max_iter, "tol": solver.tol}
    options |= {"check": training.check, "callback": callback}
    results = []
    if len(family.models) > 1:
        # The shares are 0 and 1 with PCG: this is the model of share 0.
        plain = replace(objective, intrinsic=0.0)
        if len(plain.label_idx) > NEWTON_LIMITS.labels:
            results.append(pcg(plain, **options))
        else:
            problem = plain.reduced()
            results.append(_in_coordinates(problem, reduced_newton(problem)))
        if results[0].status is Status.INTERRUPTED:
            return results  # the average is that of the models found so far
    results.append(pcg(family.graph_objective(objective), start, **options))
    return results


def _in_coordinates(problem, result):
    """A result on the labels as coordinates of the function."""
    return replace(result, solution=problem.coordinates(result.solution))


def combine_results(results, average):
    """The average function, with status and history of the last, or a failed, model."""
    last = next((r for r in results if not r.status.is_success), results[-1])
    solution = average.combine([result.solution for result in results])
    objective = float(average.combine([result.objective for result in results]))
    return replace(last, solution=solution, objective=objective)
