"""Seconds of the tri-class machine by several programs, with a linear kernel.

Features are scaled so that the Gram matrix has a mean diagonal of 1: interior-point
solvers fail in the units of the data.
"""

import numpy as np

from widemargin.objectives.tri_class import MinLoss, RelaxedMinLoss
from widemargin.solvers.cccp import tri_class_cccp
from widemargin.solvers.hinge_machine import GramMachine
from widemargin.solvers.majorize import majorize_minimize
from widemargin_bench.draws import timed
from widemargin_bench.protocols import tri_class_fits as fits
from widemargin_bench.protocols.tri_class_printed import printed_cccp
from widemargin_bench.protocols.tri_class_sdp import solve_relaxation

PARAMETERS = {"C": 10.0, "C_u": 1.0, "epsilon": 0.01, "kappa": 0.01, "D": 2.0}
MAX_ORDER = 81  # of the semidefinite matrix; larger ones take minutes to days
MAX_MULTIPLIERS = 1000  # of the printed program


def by_relaxation(draw, _):
    """The semidefinite program; nothing where it would take too long."""
    if draw.n_labeled + 3 * draw.n_unlabeled + 1 > MAX_ORDER:
        return {}
    machine, optimum = _machine(draw, 1e-6), []
    seconds = timed(
        lambda: optimum.append(solve_relaxation(machine.gram, draw.signs, PARAMETERS))
    )
    given = fits.pose(machine, draw.signs, PARAMETERS, None).given[0]
    of_labels = machine.solve(given, 0.0).objective
    return {"fit_seconds": seconds, "objective": optimum[0] / of_labels}


def by_printed_program(draw, _):
    """Algorithm 1 with its programs as printed; nothing where it would take long."""
    if draw.n_labeled + 4 * draw.n_unlabeled > MAX_MULTIPLIERS:
        return {}

    def solve(machine):
        given = fits.pose(machine, draw.signs, PARAMETERS, None)
        start = machine.scores(given.solve_given().solution[:, 0])
        return printed_cccp(machine.gram, draw.signs, PARAMETERS, start)

    return _measure(draw, solve)


def by_reduced_program(draw, _):
    """Algorithm 1 in reduced form, no step taken back, as in the printed program."""

    def solve(machine):
        loss = RelaxedMinLoss(*(PARAMETERS[name] for name in ("epsilon", "kappa", "D")))
        problem = fits.pose(machine, draw.signs, PARAMETERS, loss)
        start = problem.solve_given().solution
        return tri_class_cccp(problem, start, restore=False).solution

    return _measure(draw, solve)


def by_min_loss(draw, _):
    """The min loss itself, from the SVM."""

    def solve(machine):
        problem = _min_problem(draw, machine)
        return majorize_minimize(problem, problem.solve_given().solution).solution

    return _measure(draw, solve)


def _machine(draw, tol=1e-3):
    gram = draw.X @ draw.X.T
    return GramMachine(gram * (len(gram) / np.trace(gram)), tol)


def _min_problem(draw, machine):
    loss = MinLoss(PARAMETERS["epsilon"])
    return fits.pose(machine, draw.signs, PARAMETERS, loss)


def _measure(draw, solve):
    """Seconds of a fit from nothing, and Eq. (4) over the optimum of the labels."""
    fits.warm_up()
    machine, solutions = _machine(draw), []
    seconds = timed(lambda: solutions.append(solve(machine)))
    problem = _min_problem(draw, machine)
    scores = problem.scores(solutions[0])
    value = problem.value(solutions[0], scores, problem.branches(scores))
    of_labels = problem.solve_given().objective
    return {"fit_seconds": seconds, "objective": value / of_labels}
