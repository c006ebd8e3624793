r"""Cutting-plane maximum-margin clustering, CPMMC (Zhao, Wang, Zhang, 2008).

A baseline of the paper on clustering by regularized least squares. Clusters are those
of the linear scores :math:`s_{ip} = w_p^\top x_i` that minimize

.. math:: J(w) = \frac\beta2 \sum_p \|w_p\|^2
          + \frac1n \sum_i \max(0,\; 1 - s_{i(1)} + s_{i(2)}) ,

the largest and the second largest score of each row, while the sums of the scores of
two clusters over all rows differ by at most `balance`. For given clusters the loss is
bounded by the convex one of multi-class support vectors. Steps alternate between both
(the constrained concave-convex procedure); the convex problem has one slack variable
and is solved by cutting planes.

Deviation: the procedure ends when a step lowers J by less than `tol` of its value, not
by less than `tol`.
"""

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from scipy import sparse


@dataclass
class CuttingPlaneClustering:
    r"""CPMMC of rows in features, in which the kernel is linear.

    Attributes
    ----------
    n_clusters : int
    reg : float
        :math:`\beta`.
    balance : float
        Largest difference of two clusters' sums of scores.
    tol : float
        Of the slack of cutting planes, and of the objective relative to its value.
    seed : int
        Of the weights to start from.
    labels_, weights_, objective_ :
        What `fit` found: clusters, weights (n_clusters, n_features), and J.
    """

    n_clusters: int
    reg: float
    balance: float = 10.0
    tol: float = 0.01
    seed: int = 0

    def fit(self, X, start=None):
        """Alternate between clusters and weights, until J hardly falls."""
        weights = self._random_weights(X) if start is None else start
        last = np.inf
        while True:
            codes = (X @ weights.T).argmax(axis=1)
            weights = solve_given(
                X, codes, self.n_clusters, self.reg, self.balance, self.tol
            )
            self.objective_ = objective(X, weights, self.reg)
            if self.objective_ > (1.0 - self.tol) * last:
                break
            last = self.objective_
        self.weights_ = weights
        self.labels_ = (X @ weights.T).argmax(axis=1)
        return self

    def _random_weights(self, X):
        """Weights with equal sums of scores, as the constraint wants them."""
        rng = np.random.default_rng(self.seed)
        weights, total = rng.normal(size=(self.n_clusters, X.shape[1])), X.sum(axis=0)
        length = max(float(total @ total), np.finfo(float).tiny)
        sums = weights @ total
        return weights - np.outer((sums - sums.mean()) / length, total)


def objective(X, weights, reg):
    """J of the weights."""
    ordered = np.sort(X @ weights.T, axis=1)
    losses = np.maximum(0.0, 1.0 - ordered[:, -1] + ordered[:, -2])
    return float(0.5 * reg * np.vdot(weights, weights) + losses.mean())


def solve_given(X, codes, n_clusters, reg, balance, tol, *, max_planes=300):
    r"""Weights of the convex problem of given clusters, by cutting planes.

    They minimize :math:`\frac\beta2 \|w\|^2 + \xi` up to `tol`, with the bounds on
    sums of scores; :math:`\xi` is the mean loss of multi-class support vectors.
    """
    total = X.sum(axis=0)
    planes = _Planes(reg, balance)
    for p, q in combinations(range(n_clusters), 2):
        difference = np.zeros((n_clusters, X.shape[1]))
        difference[p], difference[q] = total, -total
        planes.bound(difference)
    weights, slack = np.zeros((n_clusters, X.shape[1])), 0.0
    rows = np.arange(len(X))
    for _ in range(max_planes):
        scores = X @ weights.T
        margins = scores + 1.0
        margins[rows, codes] -= 1.0
        rivals = margins.argmax(axis=1)
        is_wrong = rivals != codes
        offset = is_wrong.mean()
        signs = np.zeros_like(scores)  # 1: the cluster of a row, -1: its rival
        signs[rows[is_wrong], codes[is_wrong]] = 1.0
        signs[rows[is_wrong], rivals[is_wrong]] = -1.0
        gradient = (signs.T @ X) / len(X)
        if offset - np.vdot(gradient, weights) <= slack + tol:
            break
        planes.cut(gradient, offset)
        weights, slack = planes.solve()
    return weights


@dataclass
class _Planes:
    """Constraints of the convex problem so far, whose dual is a small program."""

    reg: float
    balance: float
    normals: list = field(default_factory=list)
    offsets: list = field(default_factory=list)
    is_cut: list = field(default_factory=list)

    def bound(self, normal):
        """Add ``|<normal, w>| <= balance``."""
        for sign in (1.0, -1.0):
            self._add(sign * normal, -self.balance, is_cut=False)

    def cut(self, normal, offset):
        """Add ``<normal, w> >= offset - slack``."""
        self._add(normal, offset, is_cut=True)

    def _add(self, normal, offset, *, is_cut):
        self.normals.append(normal)
        self.offsets.append(offset)
        self.is_cut.append(is_cut)

    def solve(self):
        """The weights, and the slack."""
        import clarabel

        shape = self.normals[0].shape
        normals = np.array([normal.ravel() for normal in self.normals])
        offsets, is_cut = np.array(self.offsets), np.array(self.is_cut)
        n = len(offsets)
        # min v'N N'v / 2 reg - offsets'v with v >= 0 and the sum over cuts <= 1.
        quadratic = sparse.csc_matrix(np.triu(normals @ normals.T / self.reg))
        constraints = sparse.csc_matrix(np.vstack([-np.eye(n), is_cut.astype(float)]))
        bounds = np.append(np.zeros(n), 1.0)
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        cones = [clarabel.NonnegativeConeT(n + 1)]
        solver = clarabel.DefaultSolver(
            quadratic, -offsets, constraints, bounds, cones, settings
        )
        multipliers = np.maximum(np.array(solver.solve().x), 0.0)
        weights = (multipliers @ normals) / self.reg
        missing = offsets[is_cut] - normals[is_cut] @ weights
        return weights.reshape(shape), float(max(0.0, missing.max(initial=0.0)))


def kernel_features(gram, *, least=1e-10):
    """Rows whose inner products are a Gram matrix, from its eigenvectors."""
    values, vectors = np.linalg.eigh(gram)
    kept = values > least * values[-1]
    return vectors[:, kept] * np.sqrt(values[kept])
