r"""Laplacian models seen from their labels alone.

At any minimum the coordinates are :math:`c = -\gamma_A^{-1} A^{-1} B_L^\top g`, where g
is the gradient of the loss at the labels and A the deformed norm. What remains is a
small kernel problem with the Gram matrix S of the *deformed* kernel on labeled rows.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import cho_solve

from widemargin.linalg.cholesky import jittered_cholesky, without_negative_part


@dataclass(frozen=True)
class ReducedObjective:
    r"""Loss and norm as functions of g, (n_labeled, n_columns), and an intercept.

    .. math:: \tfrac12 \Big( \sum_i w_i\, \ell(t_i, f_i) + g^\top S g + \tau b^2 \Big),
              \qquad f = -S g + b\, q .

    The `offset` q is how a unit intercept shows in the labeled scores once the other
    coordinates have adapted to it. Its price :math:`\tau` is its own penalty or, inside
    the graph term, what the graph charges, which is zero where :math:`L 1 = 0`.
    """

    response: np.ndarray  # S, symmetric positive semi-definite
    offset: np.ndarray  # q, (n_labeled,); zero without an intercept
    offset_penalty: float  # tau
    basis: np.ndarray  # minus the coordinates of the function for each unit vector g
    offset_basis: np.ndarray  # the same for a unit intercept
    targets: np.ndarray
    weights: np.ndarray
    loss: object
    intercept: bool

    @classmethod
    def build(cls, objective, deformed):
        """Reduce a `ManifoldObjective`, given its factorized norm."""
        rows, ambient = objective.label_idx, objective.ambient
        # A^-1 B_L' / gamma_A, (n_coordinates, n_labeled): one solve serves all classes,
        # all active sets and, by `rescaled`, all weights of the same ratio.
        basis = deformed.solve_rows(rows) / ambient
        response = deformed.scores_at(rows, basis)
        # Symmetric and positive semi-definite but for rounding.
        response = without_negative_part(0.5 * (response + response.T))
        offset, penalty, offset_basis = _offset(objective, deformed)
        of_labels = objective.targets, objective.weights, objective.loss
        has_intercept = objective.intercept is not None
        own = response, offset, penalty, basis, offset_basis
        return cls(*own, *of_labels, has_intercept)

    def rescaled(self, factor):
        """The same problem with both penalty weights multiplied by `factor`."""
        # The deformed norm and q depend on the ratio of both weights only.
        penalty, response = self.offset_penalty * factor, self.response / factor
        basis = self.basis / factor
        return replace(self, response=response, basis=basis, offset_penalty=penalty)

    def scores(self, g, intercept):
        """Scores of the labeled rows, (n_labeled, n_columns)."""
        return self.offset[:, None] * intercept - self.response @ g

    def value(self, g, intercept, scores=None):
        """Objective of each column, (n_columns,), given the scores if known."""
        scores = self.scores(g, intercept) if scores is None else scores
        loss = self.weights @ self.loss.value(self.targets, scores)
        return 0.5 * (loss + self.norm(g, intercept, g, intercept, scores))

    def norm(self, g, intercept, h, other, scores=None):
        """Bilinear form g'Sh + tau b b' of each column, given the scores of h."""
        scores = self.scores(h, other) if scores is None else scores
        # f = -S h + b q, hence S h is the offset less the scores: no second product.
        inner = np.einsum("ij,ij->j", g, self.offset[:, None] * other - scores)
        return inner + self.offset_penalty * intercept * other

    def newton_points(self, active, columns, g, intercept):
        """Minimum of the quadratic of some columns; the others stay as they are.

        Columns with the same `active` labels share a factorization.
        """
        g, intercept = g.copy(), intercept.copy()
        for pattern, positions in column_groups(active[:, columns]):
            members = columns[positions]
            solve = self.stationary(pattern)
            g[:, members], intercept[members] = solve(self.targets[:, members])
        return g, intercept

    def stationary(self, active):
        """Maps targets to the minimum if exactly the `active` labels had a square."""
        E = np.flatnonzero(active)
        # At the minimum g_E = W_E (f_E - t_E), and g is zero elsewhere. Since f = b q -
        # S g, this is G g_E = b q_E - t_E; the equation of b is q_E'g_E + tau b = 0.
        G = self.response[np.ix_(E, E)] + np.diag(1.0 / self.weights[E])
        factor, _ = jittered_cholesky(G)
        q = self.offset[E]
        tilt = cho_solve(factor, q) if self.intercept else q  # G^-1 q
        schur = self.offset_penalty + q @ tilt  # of b, after g_E is eliminated

        def solve(targets):
            g = np.zeros(targets.shape)
            g[E] = -cho_solve(factor, targets[E])
            intercept = np.zeros(targets.shape[1])
            # Zero if b has no price and no active label depends on it: any b will do.
            if self.intercept and schur > 0:
                intercept = -(q @ g[E]) / schur
                g[E] += np.outer(tilt, intercept)
            return g, intercept

        return solve

    def mixed(self, other, share):
        """The problem whose function is a sum, `share` of its kernel being `other`'s.

        The norms of both parts are weighed by the inverse of their shares.
        """
        response = (1 - share) * self.response + share * other.response
        basis = (1 - share) * self.basis + share * other.basis
        return replace(self, response=response, basis=basis)

    def leave_one_out(self, solution):
        """Scores of labels without themselves, exact if no other changes `active`."""
        g = solution[:-1]
        scores = self.scores(g, solution[-1])
        active = self.loss.active(self.targets, scores)
        held_out = scores.copy()
        for pattern, members in column_groups(active):
            E = np.flatnonzero(pattern)
            # g is linear in the targets of E: this is -dg/dt, (n_labeled, n_active).
            inverse = -self.stationary(pattern)(np.eye(len(g))[:, E])[0]
            price = np.diagonal(inverse[E])[:, None]
            rest = np.ix_(E, members)
            # Without label i its gradient g_i is zero. Shifting its target by delta
            # until g_i - price_i delta = 0 gives the same equations: the shifted target
            # is then its score, t_i + g_i / price_i. Labels that are not active stay as
            # they are: leaving them out changes nothing.
            held_out[rest] = self.targets[rest] + g[rest] / price
        return held_out

    def coordinates(self, solution):
        """Coordinates, in the objective's functions, of a solution as above."""
        g, intercept = solution[:-1], solution[-1]
        c = -(self.basis @ g) - np.outer(self.offset_basis, intercept)
        return np.vstack([c, intercept]) if self.intercept else c


def column_groups(active):
    """Columns of a mask that are equal: pairs of a column and its positions."""
    patterns, group = np.unique(active, axis=1, return_inverse=True)
    for index, pattern in enumerate(patterns.T):
        yield pattern, np.flatnonzero(group.ravel() == index)


def _offset(objective, deformed):
    """How an intercept shows in the labels, its price, and its coordinates."""
    rows, space = objective.label_idx, objective.space
    silent = np.zeros(space.n_coordinates)
    if objective.intercept is None:
        return np.zeros(len(rows)), 0.0, silent
    if not objective.intercept.inside:
        return np.ones(len(rows)), objective.intercept.penalty, silent
    ones = np.ones((space.n_rows, 1))
    pull = objective.laplacian @ ones  # zero for a Laplacian that is not normalized
    adapted = deformed.solve(deformed.ratio * pull)  # coordinates, (m, 1)
    offset = 1.0 - deformed.scores_at(rows, adapted[:, 0])
    # What is left of a unit constant after the other coordinates have adapted; rounding
    # may make its price negative.
    kept = ones - space.scores(adapted)
    return offset, max(0.0, objective.intrinsic * np.vdot(pull, kept)), adapted[:, 0]
