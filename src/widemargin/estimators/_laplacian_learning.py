"""How a Laplacian machine finds its function, once it has an objective."""

import math
from dataclasses import replace

import numpy as np

from widemargin.estimators._validation import hold_out_labels
from widemargin.labels import decide
from widemargin.objectives.graph_family import SHARES, given_graph, share_graph
from widemargin.objectives.losses import Hinge
from widemargin.solvers.box_dual import box_dual
from widemargin.solvers.early_stopping import (
    MixedCheck,
    StabilityCheck,
    ValidationCheck,
    check_interval,
)
from widemargin.solvers.graph_average import average_over_graph, blend
from widemargin.solvers.pcg import pcg
from widemargin.solvers.reduced_newton import reduced_newton
from widemargin.solvers.temperature import DEFAULT_SLOPE, fit_slope

# Newton, which is more accurate, up to so many rows and more for each column of scores
_NEWTON_ROWS, _NEWTON_ROWS_A_COLUMN, _NEWTON_MAX_ROWS = 5000, 500, 10_000
_NEWTON_LABELS = 2000  # with more, problems on the labels are no longer small
_PANEL_LABELS = 500
_PANEL_ROWS = 2000  # rows on which labels are left out when there are many more


class LearningMixin:
    """Chooses the solver, asks the labels about the graph, and solves.

    Reads the estimator's parameters and sets `solver_`, `shares_`, `average_`,
    `slope_`, `held_out_proba_`, `start_` and the weights `ambient_reg_` and
    `intrinsic_reg_`.
    """

    def _learn(self, objective, sample, kernel, rng, problem=None, start=None):
        """Find the function: choose a solver, weigh the graph, solve."""
        self.solver_ = self._choose_solver(sample)
        train, check = self._plan_stopping(sample, rng)
        objective = train.label(objective)
        judges, panel = self._build_panel(objective, kernel, train, rng)
        if self._asks_labels:
            mixable = self.solver_ != "pcg" and self.fit_intercept is not True
            family = share_graph(panel, SHARES if mixable else (0.0, 1.0))
        else:
            family = given_graph(panel, problem)
        graph = family.graph_objective(objective)
        self.shares_, self.intrinsic_reg_ = family.shares, graph.intrinsic
        self.ambient_reg_ = graph.ambient / objective.expansion.mean_diagonal()
        self.average_ = average_over_graph(
            family.problems, judges.codes, max_iter=self.max_iter
        )
        self.slope_ = self._calibrate(judges)
        self._keep_held_out(
            self.average_.leave_one_out, self._is_repeated(judges), judges.label_of
        )
        self._say(
            f"{sample.n_samples} distinct samples, {len(train.codes)} labels, solver "
            f"{self.solver_}; shares of the graph {self.shares_} weigh "
            f"{np.round(self.average_.weights, 3).tolist()}"
        )
        if self.solver_ == "pcg":
            start = self._start(graph) if start is None else start
            results = self._solve_by_pcg(objective, graph, check, start)
            self.start_ = results[-1].solution
        else:
            results = self._solve_exactly(family.problems)
            self.start_ = None
        return blend(results, self.average_.weights)

    @property
    def _asks_labels(self):
        """Whether the labels decide how far the graph is trusted."""
        return isinstance(self.intrinsic_reg, str)

    def _choose_solver(self, sample):
        """Newton where its factorizations are cheap, PCG elsewhere."""
        if self.solver != "auto":
            return self.solver
        if len(sample.rows) > _NEWTON_LABELS:
            return "pcg"
        limit = _NEWTON_ROWS + _NEWTON_ROWS_A_COLUMN * sample.signs.shape[1]
        small = sample.n_samples <= min(limit, _NEWTON_MAX_ROWS)
        return "newton" if small or self.n_landmarks is not None else "pcg"

    def _plan_stopping(self, sample, rng):
        """The labels to train on, and the check that stops PCG early."""
        if self.solver_ != "pcg" or self.early_stopping is None:
            return sample, None
        interval = check_interval(sample.n_samples)
        unlabeled = sample.unlabeled_idx
        watched = unlabeled if len(unlabeled) else np.arange(sample.n_samples)
        stability = StabilityCheck(watched, decide, interval)
        if self.early_stopping == "stability":
            return sample, stability
        held_out = hold_out_labels(sample.codes, self.validation_fraction, rng)
        validation = ValidationCheck(
            sample.rows[held_out], sample.codes[held_out], decide, interval
        )
        sample = sample.with_labels(~held_out)
        if self.early_stopping == "validation":
            return sample, validation
        return sample, MixedCheck(stability, validation)

    def _build_panel(self, objective, kernel, sample, rng):
        """The labels that are left out, and the problem: often the whole one."""
        if self.solver_ != "pcg":
            return sample, objective
        judges = sample.thin_labels(_PANEL_LABELS, rng)
        objective = judges.label(objective)
        if self.n_landmarks is not None or sample.n_samples <= _PANEL_ROWS:
            return judges, objective
        kept = judges.thin_rows(_PANEL_ROWS, rng)
        part = judges.with_rows(kept, pairwise=self.kernel == "precomputed")
        panel = replace(
            part.label(objective),
            expansion=objective.expansion.restricted(kept),
            laplacian=self._connect(kernel, part),
        )
        return part, panel

    def _solve_exactly(self, problems):
        """Coordinates of each minimum, which Newton's method has found already."""
        results = self.average_.results
        if self.solver_ == "dual":
            problems = [replace(problem, loss=Hinge()) for problem in problems]
            results = [
                box_dual(problem, max_iter=self.max_iter, tol=self.tol)
                for problem in problems
            ]
        return [
            replace(result, solution=problem.coordinates(result.solution))
            for problem, result in zip(problems, results, strict=True)
        ]

    def _solve_by_pcg(self, objective, graph, check, start):
        """Each machine by PCG; the one without the graph exactly if labels are few."""
        options = {
            "max_iter": self.max_iter,
            "tol": self.tol,
            "check": check,
            "callback": self._progress(every=10),
        }
        results = []
        if len(self.shares_) > 1:
            plain = replace(objective, intrinsic=0.0)
            if len(plain.rows) > _NEWTON_LABELS:
                results.append(pcg(plain, **options))
            else:
                problem = plain.reduced()
                result = reduced_newton(problem, max_iter=self.max_iter)
                coordinates = problem.coordinates(result.solution)
                results.append(replace(result, solution=coordinates))
        results.append(pcg(graph, start, **options))
        return results

    def _start(self, objective):
        """Where PCG starts: at the last solution if asked to, else at zero."""
        start = getattr(self, "start_", None)
        if not self.warm_start or start is None:
            return None
        wanted = (objective.space.n_coordinates, objective.targets.shape[1])
        if start.shape != wanted:
            raise ValueError(
                f"warm_start=True of {type(self).__name__} needs the samples and "
                f"classes of the last fit: its solution has shape {start.shape}, this "
                f"one {wanted}; set warm_start=False."
            )
        return start

    def _calibrate(self, sample):
        """Slope of the probabilities, from labels whose class has another one."""
        repeated = self._is_repeated(sample)
        if not repeated.any():
            return DEFAULT_SLOPE
        weights = sample.weights[repeated]
        return fit_slope(
            self.average_.leave_one_out[repeated],
            sample.codes[repeated],
            weights / weights.sum(),
        )

    @staticmethod
    def _is_repeated(sample):
        """Labels whose class has another one, which knows it when they are left out."""
        return np.bincount(sample.codes)[sample.codes] > 1

    def _shared_problem(self, objective, sample, factorized):
        """The reduced problem, from one with the same ratio of weights if there is."""
        if self._asks_labels or self._choose_solver(sample) == "pcg":
            return None
        ratio = round(math.log(max(objective.intrinsic / objective.ambient, 1e-300)), 9)
        if ratio not in factorized:
            factorized[ratio] = objective, objective.reduced()
        first, problem = factorized[ratio]
        return problem.rescaled(objective.ambient / first.ambient)
