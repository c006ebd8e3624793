"""Self-training with least squares, from a given start."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from widemargin.defaults import RELABEL_TOL, SHARE_FLOOR, SHARE_TOLERANCE
from widemargin.solvers.driver import drive
from widemargin.solvers.result import SolveResult, Status

# The step of a shift, over the spread of the scores, and the largest number of steps.
# They set how fast the shares are met, up to the tolerance, but not which shares.
_SHARE_STEP, _SHARE_STEPS = 0.3, 30
_ADAPTED_ROUNDS = 10  # in later ones the shifts stay, so that no label moves forever


@dataclass(frozen=True)
class SelfTraining:
    r"""Squared loss of given and of missing labels over features.

    .. math:: \sum_{i \le l} v_i \|y_i - B^\top z_i\|^2
              + \sum_{i > l} w_i \|y_i - B^\top z_i\|^2 + \lambda \|B\|^2

    over the coefficients B, (n_features, n_classes), and the classes of the rows with
    positive weight `row_weights`, whose codes y are +1 for their class and -1 for the
    others. Each class has its share of these rows, nearly.
    """

    features: np.ndarray  # z, (n, n_features)
    row_weights: np.ndarray  # w, (n,), zero for labeled rows
    label_idx: np.ndarray
    codes: np.ndarray
    label_weights: np.ndarray  # v, (n_labels,)
    shares: np.ndarray  # (n_classes,)

    @classmethod
    def of(cls, features, sample, expected, unlabeled_weight):
        """The labels of a sample have a weight of one in all, as in `loss_weights`.

        Shares are those of the class probabilities that are `expected` of all rows.
        """
        weights = sample.loss_weights(unlabeled_weight)
        weights[sample.label_idx] = 0.0
        shares = weights @ expected / max(weights.sum(), 1e-300)
        own = sample.label_weights / sample.label_weights.sum()
        return cls(features, weights, sample.label_idx, sample.codes, own, shares)

    @cached_property
    def moments(self):
        """Weighted sum of the outer products of the features."""
        of_rows = (self.features.T * self.row_weights.astype(self.features.dtype)) @ (
            self.features
        )
        labeled = self.features[self.label_idx].astype(np.float64)
        return of_rows + (labeled.T * self.label_weights) @ labeled

    def targets(self, classes):
        """Weighted sums of features times codes, (n_features, n_classes)."""
        weights = self.row_weights.astype(self.features.dtype)
        labeled = self.features[self.label_idx].T * self.label_weights
        positive = np.zeros((self.features.shape[1], len(self.shares)))
        for code in range(len(self.shares)):
            members = classes == code
            positive[:, code] = weights[members] @ self.features[members]
            positive[:, code] += labeled[:, self.codes == code].sum(axis=1)
        # Codes are +1 and -1: twice the sum over a class less the sum over all rows.
        return 2.0 * positive - positive.sum(axis=1, keepdims=True)

    def match_shares(self, scores, shifts):
        """Shifts of the scores for which each class has its share of the rows."""
        wanted = np.log(self.shares + SHARE_FLOOR)
        step, free = _SHARE_STEP * float(scores.std()), self.row_weights > 0
        if not free.any():
            return shifts
        weights = self.row_weights[free] / self.row_weights[free].sum()
        scores = scores[free]
        for _ in range(_SHARE_STEPS):
            classes = (scores + shifts).argmax(axis=1)
            found = np.bincount(classes, weights=weights, minlength=len(wanted))
            # In logarithms, so that rare classes are corrected as fast as large ones.
            gaps = wanted - np.log(found + SHARE_FLOOR)
            if np.abs(gaps).max() < SHARE_TOLERANCE:
                break
            shifts = shifts + (step * gaps).astype(scores.dtype)
        return shifts


def self_train(
    problem, start, *, penalty, max_iter=100, tol=RELABEL_TOL, callback=None
):
    """Fit and relabel the unlabeled rows alternately, until few labels change.

    `start` has scores of all rows, (n, n_classes). A row gets the class of its largest
    score plus the shift of that class, by which all classes keep their shares. The
    shifts are adapted in the first rounds. Afterwards no round raises the objective
    less the weighted shifts of the chosen classes, and the rounds end. The solution has
    the coefficients and, in its last row, the shifts. O(n n_features n_classes) for a
    round.
    """
    # It does not depend on the labels: one factorization serves all rounds.
    matrix = problem.moments.copy()
    matrix[np.diag_indices_from(matrix)] += penalty
    factor = cho_factor(matrix, overwrite_a=True)
    features, free = problem.features, problem.row_weights > 0
    shifts = np.zeros(start.shape[1], dtype=features.dtype)
    coef = np.zeros((features.shape[1], start.shape[1]))
    state = {"scores": start.astype(features.dtype), "shifts": shifts, "coef": coef}
    history = {"objective": [], "criterion": []}

    def rounds():
        last = None
        while True:
            if len(history["criterion"]) < _ADAPTED_ROUNDS:
                found = problem.match_shares(state["scores"], state["shifts"])
                state["shifts"] = found
            classes = (state["scores"] + state["shifts"]).argmax(axis=1)
            changed = 1.0
            if last is not None:
                changed = float(np.mean((classes != last)[free])) if free.any() else 0.0
            if last is not None and changed <= tol:
                yield Status.CONVERGED
            last, targets = classes, problem.targets(classes)
            coef = cho_solve(factor, targets)
            state.update(coef=coef, scores=features @ coef.astype(features.dtype))
            # at the minimum over the coefficients, without the constant of the labels
            history["objective"].append(-float(np.vdot(coef, targets)))
            history["criterion"].append(changed)
            yield None

    status, n_iter = drive(rounds(), history, max_iter=max_iter, callback=callback)
    solution = np.vstack([state["coef"], state["shifts"]])
    objective = history["objective"][-1] if history["objective"] else np.inf
    scores = state["scores"] + state["shifts"]
    return SolveResult(solution, objective, status, n_iter, history, scores)
