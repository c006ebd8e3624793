"""What happens along the iterations of conjugate gradient."""

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from widemargin.labels import decide
from widemargin.objectives.laplacian import ManifoldObjective
from widemargin.solvers.pcg import pcg
from widemargin_bench.draws import timed
from widemargin_bench.protocols.laplacian_training import (
    Trained,
    build_objective,
    solve_by_reduction,
)

ERROR_COURSES = (
    "unlabeled_course",
    "test_course",
    "validation_course",
    "labeled_course",
)
NORM_COURSES = ("objective", "gradient", "preconditioned_gradient", "mixed_product")


class ErrorWatch:
    """Stands where a check would, looks at every iteration, and never stops."""

    interval = 1

    def __init__(self, split):
        parts = {
            "labeled_course": split.y[split.labeled],
            "unlabeled_course": split.y[~split.labeled],
            "validation_course": split.y_valid,
        }
        if split.watches_test:
            parts["test_course"] = split.y_test
        self.split, self.y = split, np.concatenate(list(parts.values()))
        ends = np.cumsum([0, *map(len, parts.values())])
        slices = [slice(start, stop) for start, stop in pairwise(ends)]
        self.parts = dict(zip(parts, slices, strict=True))
        self.errors = {name: [] for name in self.parts}
        self._note(np.zeros(len(self.y), dtype=int))  # at zero the first class wins

    def look(self, scores):
        """Note the errors; nothing is returned that could be compared."""
        self._note(decide(scores))

    def _note(self, guess):
        for name, part in self.parts.items():
            error = self.split.error(guess[part], self.y[part])
            self.errors[name].append(error)


@dataclass(frozen=True)
class WatchedObjective(ManifoldObjective):
    """An objective that notes how large its gradients are."""

    norms: list = field(default_factory=list)

    def gradient(self, c, scores, smoothing, columns=slice(None)):
        """The preconditioned gradient g; noted are |K g|, |g| and the root of g'K g."""
        g = super().gradient(c, scores, smoothing, columns)
        Kg = self.space.scores(g)
        mixed = np.sqrt(max(np.vdot(g, Kg), 0.0))
        self.norms.append((np.linalg.norm(Kg), np.linalg.norm(g), mixed))
        return g


def course_of_errors(split, gammas, n_iter):
    """Errors on U, V, L and perhaps T after 0, 1, ... `n_iter` iterations."""
    watch = ErrorWatch(split)
    objective = build_objective(split, gammas, watched=True)
    seconds = timed(lambda: pcg(objective, max_iter=n_iter, tol=0.0, check=watch))
    courses = {name: _until(errors, n_iter) for name, errors in watch.errors.items()}
    return courses | {"fit_seconds": split.geometry.seconds + seconds}


def course_of_norms(split, gammas, n_iter, *, watched=False):
    """Objective and norms of the gradient, each relative to its value at zero."""
    plain = build_objective(split, gammas, watched=watched)
    objective = WatchedObjective(**vars(plain))
    found = []
    seconds = timed(lambda: found.append(pcg(objective, max_iter=n_iter + 1, tol=0.0)))
    norms = np.array(objective.norms[1:])  # the first one is for the tolerance
    columns = (found[0].history["objective"], *norms.T)
    courses = {
        name: _until(np.divide(column, column[0]), n_iter)
        for name, column in zip(NORM_COURSES, columns, strict=True)
    }
    return courses | {"fit_seconds": split.geometry.seconds + seconds}


def level_of_newton(split, gammas, n_iter):
    """Errors at the optimum, as courses that do not move."""
    objective = build_objective(split, gammas)
    found = []
    seconds = timed(lambda: found.extend(solve_by_reduction(objective)))
    model = Trained(split, found[0])
    errors = split.score(model)
    on_labels = model.transduction_[split.labeled]
    levels = (
        errors["unlabeled_error"],
        errors["error"],
        errors["validation_error"],
        split.error(on_labels, split.y[split.labeled]),
    )
    courses = {
        name: _until([level], n_iter)
        for name, level in zip(ERROR_COURSES, levels, strict=True)
    }
    return courses | {"fit_seconds": split.geometry.seconds + seconds}


def _until(values, n_iter):
    """Four digits of each value, the last one repeated where a run ended before."""
    kept = [float(f"{value:.4g}") for value in values[: n_iter + 1]]
    return kept + kept[-1:] * (n_iter + 1 - len(kept))
