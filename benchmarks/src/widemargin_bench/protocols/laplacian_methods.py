"""Columns of the tables of Melacci and Belkin's paper."""

from functools import cache, partial

import numpy as np

from widemargin.estimators import LaplacianRLSC, LaplacianSVC
from widemargin_bench.benchmark import Method
from widemargin_bench.protocols.laplacian_courses import (
    course_of_errors,
    course_of_norms,
)
from widemargin_bench.protocols.laplacian_training import (
    build_objective,
    dual_objective,
    mixed_check,
    solve_by_dual,
    solve_by_newton,
    solve_by_pcg,
    solve_by_reduction,
    stability_check,
    train,
    validation_check,
)

BY_VALIDATION_ROWS = "parameters that the paper tuned"


def tuned_by_paper(name, measure, kind="paper"):
    """A method with the parameters that the paper selected."""
    return Method(name, measure, kind, knows=BY_VALIDATION_ROWS)


def machine(split, estimator, method, **options):
    """An estimator with the paper's parameters, converted to its scale."""
    settings = split.row
    ambient, intrinsic = settings["gammas"][method]
    return estimator(
        **settings["kernel"],
        ambient_reg=ambient / settings["labels"],
        intrinsic_reg=intrinsic / settings["labels"],
        n_neighbors=settings["neighbors"],
        graph_weights=settings["graph_weights"],
        laplacian_power=settings["power"],
        fit_intercept=False,
        **options,
    )


def supervised(estimator, name, solver):
    """A machine of the paper that sees the labeled rows only."""

    def measure(split, _):
        _compile_dual()
        model = machine(split, estimator, name, solver=solver)
        return split.measure(model, supervised=True)

    return tuned_by_paper(name, measure, "baseline")


def with_graph(estimator, name, solver, kind="paper"):
    """A machine of the paper, by its estimator."""

    def measure(split, _):
        _compile_dual()
        model = machine(split, estimator, name, solver=solver)
        found = split.measure(model)
        if solver != "newton":
            return found
        return found | {"steps": float(np.mean(model.result_.history["steps"]))}

    return tuned_by_paper(name, measure, kind)


def default(estimator):
    """The estimator as it comes."""

    def measure(split, _):
        return split.measure(estimator(random_state=0))

    return Method(estimator.__name__, measure, "ours")


def all_classes_together(split, _):
    """The estimator's PCG: one run for all classes, stopped by their joint decision."""
    model = machine(split, LaplacianSVC, "PCG, stability", solver="pcg")
    return split.measure(model) | {"iterations": float(model.n_iter_)}


def by_newton(split, _):
    """The optimum, as in the paper."""
    objective = build_objective(split, split.row["gammas"]["LapSVM Newton"])
    return train(split, objective, solve_by_newton)


def by_reduced_newton(split, _):
    """The optimum, as in our estimators."""
    objective = build_objective(split, split.row["gammas"]["LapSVM Newton"])
    return train(split, objective, solve_by_reduction)


def by_dual(split, _):
    """The original two steps."""
    _compile_dual()
    objective = dual_objective(split, split.row["gammas"]["LapSVM dual"])
    return train(split, objective, solve_by_dual)


def by_pcg(name, make_check):
    """Conjugate gradient with a check of the paper."""

    def measure(split, _):
        objective = build_objective(split, split.row["gammas"][name], watched=True)
        return train(split, objective, solve_by_pcg(split, make_check))

    return tuned_by_paper(name, measure)


@cache
def _compile_dual():
    """Once in a process, so that no time contains it."""
    LaplacianSVC(solver="dual").fit([[0.0], [1.0], [2.0]], [0, 1, 1])


def training_only(measure):
    """The time of training as that of the fit."""

    def measure_training(split, _):
        found = measure(split, _)
        return found | {"fit_seconds": found["train_seconds"]}

    return measure_training


def along_pcg(course):
    """A course of PCG with the weights that were found for Newton's method."""

    def measure(split, _):
        return course(split, split.row["gammas"]["LapSVM Newton"], split.row["n_iter"])

    return measure


def all_courses(split, _):
    """Errors and norms, without a second copy of a large kernel matrix."""
    norms = along_pcg(partial(course_of_norms, watched=True))
    return norms(split, _) | along_pcg(course_of_errors)(split, _)


SUPERVISED = (
    supervised(LaplacianSVC, "SVM", "dual"),
    supervised(LaplacianRLSC, "RLSC", "newton"),
)
OURS = (default(LaplacianSVC), default(LaplacianRLSC))
EARLY_STOPPED = (
    by_pcg("PCG, stability", stability_check),
    by_pcg("PCG, validation", validation_check),
    by_pcg("PCG, mixed", mixed_check),
)
ALL_AT_ONCE = tuned_by_paper("LaplacianSVC, PCG", all_classes_together, "ours")
