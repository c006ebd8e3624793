r"""The Laplacian machines seen from their labels alone.

At any minimum the coordinates are :math:`c = -\gamma_A^{-1} A^{-1} B_L^\top g`, where g
is the gradient of the loss at the labels and A the deformed norm, which knows neither
classes nor losses nor labels' values. What remains is a small kernel machine with the
Gram matrix S of the *deformed* kernel on the labeled samples.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from widemargin.linalg.products import column_dots


@dataclass(frozen=True)
class ReducedObjective:
    r"""Loss and norm as functions of g, (n_labeled, n_columns), and an intercept.

    .. math:: \tfrac12 \Big( \sum_i w_i\, \ell(t_i, f_i) + g^\top S g + \tau b^2 \Big),
              \qquad f = -S g + b\, q .

    Attributes
    ----------
    response : ndarray of shape (n_labeled, n_labeled)
        S, symmetric positive semi-definite.
    offset : ndarray of shape (n_labeled,)
        q, how a unit intercept shows in the labeled scores once the other
        coordinates have adapted to it; zero without an intercept.
    offset_penalty : float
        :math:`\tau`: what the graph charges for a unit intercept; zero for a
        Laplacian with :math:`L 1 = 0`.
    basis : ndarray of shape (n_coordinates, n_labeled)
        Coordinates of the function for each unit vector g, with the sign changed.
    offset_basis : ndarray of shape (n_coordinates,)
        The same for a unit intercept.
    """

    response: np.ndarray
    offset: np.ndarray
    offset_penalty: float
    basis: np.ndarray
    offset_basis: np.ndarray
    targets: np.ndarray
    weights: np.ndarray
    loss: object
    intercept: bool

    @classmethod
    def build(cls, objective, deformed):
        """Reduce a `ManifoldObjective`, given its factorized norm."""
        rows, ambient = objective.rows, objective.ambient
        basis = deformed.solve_rows(rows) / ambient
        response = deformed.scores_at(rows, basis)
        response = 0.5 * (response + response.T)
        offset, penalty = np.zeros(len(rows)), 0.0
        offset_basis = np.zeros(len(basis))
        if objective.intercept:
            ones = np.ones((objective.expansion.n_samples, 1))
            pull = objective.laplacian @ ones
            adapted = deformed.solve(deformed.ratio * pull)  # coordinates, (m, 1)
            offset_basis = adapted[:, 0]
            offset = 1.0 - deformed.scores_at(rows, offset_basis)
            kept = ones - objective.expansion.scores(adapted)
            penalty = max(0.0, objective.intrinsic * np.vdot(pull, kept))
        return cls(
            response,
            offset,
            penalty,
            basis,
            offset_basis,
            objective.targets,
            objective.weights,
            objective.loss,
            objective.intercept,
        )

    def rescaled(self, factor):
        """The same problem with both penalty weights multiplied by `factor`."""
        return replace(
            self,
            response=self.response / factor,
            basis=self.basis / factor,
            offset_penalty=self.offset_penalty * factor,
        )

    def scores(self, g, intercept):
        """Scores of the labeled samples, (n_labeled, n_columns)."""
        return self.offset[:, None] * intercept - self.response @ g

    def value(self, g, intercept):
        """Objective of each column, (n_columns,)."""
        loss = self.weights @ self.loss.value(self.targets, self.scores(g, intercept))
        return 0.5 * (loss + self.norm(g, intercept, g, intercept))

    def norm(self, g, intercept, h, other):
        """Bilinear form g'Sh + tau b b' of each column, (n_columns,)."""
        inner = column_dots(g, self.response @ h)
        return inner + self.offset_penalty * intercept * other

    def stationary(self, active):
        """Minimum if exactly the `active` labels (a mask) carried a squared loss.

        Returns
        -------
        solve : callable
            Maps targets (n_labeled, k) to g (n_labeled, k) and intercepts (k,).
        """
        E = np.flatnonzero(active)
        G = self.response[np.ix_(E, E)] + np.diag(1.0 / self.weights[E])
        factor = cho_factor(G, lower=True, check_finite=False)
        q = self.offset[E]
        tilt = cho_solve(factor, q) if self.intercept else q  # G^-1 q
        schur = self.offset_penalty + q @ tilt

        def solve(targets):
            g = np.zeros(targets.shape)
            g[E] = -cho_solve(factor, targets[E])
            intercept = np.zeros(targets.shape[1])
            if self.intercept and schur > 0:
                intercept = -(q @ g[E]) / schur
                g[E] += np.outer(tilt, intercept)
            return g, intercept

        return solve

    def leave_one_out(self):
        """Scores each label would get without itself, for the squared loss; exact.

        Returns
        -------
        scores : ndarray of shape (n_labeled, n_columns)
        """
        n = len(self.weights)
        solve = self.stationary(np.ones(n, dtype=bool))
        g, _ = solve(self.targets)
        inverse_diagonal = -np.diagonal(solve(np.eye(n))[0])
        return self.targets + g / inverse_diagonal[:, None]

    def coordinates(self, g, intercept):
        """Coordinates of the function in the objective's space."""
        c = -(self.basis @ g) - np.outer(self.offset_basis, intercept)
        return np.vstack([c, intercept]) if self.intercept else c
