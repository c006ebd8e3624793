"""Objective and error of the tri-class machine after each of its steps."""

import numpy as np

from widemargin.objectives.tri_class import MinLoss
from widemargin_bench.draws import percent_wrong, timed
from widemargin_bench.protocols import tri_class_fits as fits

N_STEPS = 10  # that the paper draws
PARAMETERS = {"C": 10.0, "C_u": 1.0, "epsilon": 0.01, "kappa": 0.01, "D": 2.0}


def restored(task, **options):
    """Algorithm 1 with its restoring step."""
    return fits.relaxed(task, PARAMETERS, restore=True, **options)


def not_restored(task, **options):
    """Algorithm 1 without its restoring step."""
    return fits.relaxed(task, PARAMETERS, restore=False, **options)


def min_from_svm(task, **options):
    """The min loss itself, from the SVM."""
    return fits.minimized(task, PARAMETERS, task.supervised(PARAMETERS), **options)


def min_from_universum(task, **options):
    """The min loss itself, from the U-SVM."""
    return fits.minimized(task, PARAMETERS, task.universum(PARAMETERS), **options)


def follow(run, start=fits.Task.supervised):
    """What a method measures: the state after 0, 1, ... steps, and seconds of a fit.

    ``run(task, max_iter=...)`` solves from a start; a run that ends before the last
    step stays where it is.
    """

    def measure(draw, _):
        fits.warm_up()
        task = fits.Task(draw)
        seconds = timed(lambda: run(fits.Task(draw)))
        states = [start(task, PARAMETERS)]
        for n_steps in range(1, N_STEPS + 1):
            states.append(run(task, max_iter=n_steps).solution)
        errors = [_error(task, state) for state in states]
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


def _error(task, solution):
    draw = task.draw
    guess = task.function(PARAMETERS, solution).predict(draw.X_test)
    return percent_wrong(guess, draw.y_test)


def _objective(task, solution):
    """Eq. (4) with lambda = 1 / C, the scale of the paper."""
    problem = task.pose(PARAMETERS, MinLoss(PARAMETERS["epsilon"]))
    scores = problem.scores(solution)
    value = problem.value(solution, scores, problem.branches(scores))
    return value / PARAMETERS["C"]
