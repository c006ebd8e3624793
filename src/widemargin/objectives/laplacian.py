"""The Laplacian machines' objective, Eq. (7) of Melacci and Belkin (2011)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from widemargin.linalg.expansions import WithIntercept
from widemargin.linalg.products import column_dots
from widemargin.objectives.reduced import ReducedObjective


@dataclass(frozen=True)
class Intercept:
    """A constant b in the scores.

    Attributes
    ----------
    penalty : float
        Weight of b^2.
    inside : bool
        Whether the graph acts on b, too; then it must have no other penalty.
    """

    penalty: float = 0.0
    inside: bool = True


@dataclass(frozen=True)
class ManifoldObjective:
    r"""Labeled loss, ambient norm and smoothness along the graph.

    For each column f of the scores,

    .. math:: \tfrac12 \Big( \sum_{i \in L} w_i\, \ell(t_i, f_i)
              + \gamma_A \|f\|_K^2 + \gamma_I f^\top L f \Big),

    and columns do not interact. An intercept is part of f in the loss, and in the
    smoothness term or not, as its `Intercept` says.

    Attributes
    ----------
    expansion : KernelExpansion or FeatureExpansion
        The functions f.
    laplacian : operator with ``laplacian @ V``
        L, iterated or not.
    rows : ndarray of shape (n_labeled,)
        Sample of each label; a sample may stand there more than once.
    targets : ndarray of shape (n_labeled, n_columns)
        -1 and +1.
    weights : ndarray of shape (n_labeled,)
    loss : Squared or SquaredHinge
    ambient, intrinsic : float
        :math:`\gamma_A > 0` and :math:`\gamma_I \ge 0`.
    intercept : Intercept or None
    """

    expansion: object
    laplacian: object
    rows: np.ndarray
    targets: np.ndarray
    weights: np.ndarray
    loss: object
    ambient: float
    intrinsic: float
    intercept: Intercept | None = None

    @cached_property
    def space(self):
        """The expansion in which the solvers work, with the intercept if any."""
        if self.intercept is None:
            return self.expansion
        ridge = self.intercept.penalty / self.ambient
        return WithIntercept(self.expansion, ridge, self.intercept.inside)

    def value(self, c, scores, smoothing, columns=slice(None)):
        """Objective of each column, (k,), given the `smoothing` of the scores."""
        loss = self.loss.value(self.targets[:, columns], scores[self.rows])
        return 0.5 * (self.weights @ loss + self.norm(c, scores, c, scores, smoothing))

    def norm(self, c, scores, d, d_scores, d_smoothing):
        """Bilinear form of both penalties for each column, (k,)."""
        ambient = self.ambient * self.space.ambient(c, d, d_scores)
        return ambient + column_dots(self.space.seen_by_graph(c, scores), d_smoothing)

    def smoothing(self, c, scores):
        """Gradient of the intrinsic term by the scores, (n_samples, k)."""
        if self.intrinsic == 0:
            return np.zeros_like(scores)
        smoothed = self.laplacian @ self.space.seen_by_graph(c, scores)
        return smoothed * self.expansion.dtype.type(self.intrinsic)

    def residuals(self, scores, columns=slice(None)):
        """Gradient of the loss term by the labeled scores, (n_labeled, k)."""
        targets, at_labels = self.targets[:, columns], scores[self.rows]
        active = self.loss.active(targets, at_labels)
        return np.where(active, self.weights[:, None] * (at_labels - targets), 0.0)

    def gradient(self, c, scores, smoothing, columns=slice(None)):
        """Preconditioned gradient, Alg. 1: P^-1 times the gradient by c."""
        by_loss = np.zeros_like(smoothing)
        np.add.at(by_loss, self.rows, self.residuals(scores, columns))
        ridge = self.space.penalized(c) * self.expansion.dtype.type(self.ambient)
        return self.space.pull(by_loss, smoothing) + ridge

    def hessian(self, active):
        """Preconditioned Hessian of a column over a Gram matrix, Eq. (11).

        Parameters
        ----------
        active : ndarray of bool, shape (n_labeled,)
            The labels whose loss is a square.

        Returns
        -------
        ndarray of shape (n_samples, n_samples)
            ``W_E K + ambient I + intrinsic L K``; K times it is the Hessian.
        """
        gram = self.expansion.gram.astype(np.float64, copy=False)
        hessian = self._penalty.copy()
        E = self.rows[active]
        np.add.at(hessian, E, self.weights[active][:, None] * gram[E])
        return hessian

    @cached_property
    def _penalty(self):
        """The part of the Hessian that no label changes, for all steps and columns."""
        gram = self.expansion.gram.astype(np.float64, copy=False)
        penalty = self.intrinsic * (self.laplacian @ gram)
        penalty.flat[:: len(gram) + 1] += self.ambient
        return penalty

    def reduced(self, deformed=None):
        """The same minimum in as many unknowns as there are labels.

        Parameters
        ----------
        deformed : DeformedKernel or DeformedFeatures, optional
            A factorization for the same ratio of the weights, to be used again.
        """
        if deformed is None:
            deformed = self.expansion.deformed(
                self.laplacian, self.intrinsic / self.ambient
            )
        return ReducedObjective.build(self, deformed)
