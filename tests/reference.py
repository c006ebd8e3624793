"""Slow, obvious versions of what the library computes."""

from math import exp, sqrt

import numpy as np
from scipy.linalg import cho_solve


def gram(formula, X, Z):
    """Kernel matrix, one pair of rows at a time."""
    return np.array([[formula(x, z) for z in Z] for x in X])


def rbf(gamma):
    return lambda x, z: exp(-gamma * sum((x - z) ** 2))


def laplacian_kernel(gamma):
    return lambda x, z: exp(-gamma * sum(abs(x - z)))


def linear(x, z):
    return sum(x * z)


def polynomial(gamma, degree, coef0):
    return lambda x, z: (gamma * linear(x, z) + coef0) ** degree


def cosine(x, z):
    return linear(x, z) / sqrt(linear(x, x) * linear(z, z))


def nystrom_gram(gram, rows):
    """The Gram matrix as seen through the landmarks `rows`."""
    return gram[:, rows] @ np.linalg.pinv(gram[np.ix_(rows, rows)]) @ gram[rows]


def pivots(gram, n_pivots):
    """Greedy rows: each has the largest variance left by those before it."""
    rows = []
    for _ in range(n_pivots):
        left = gram - nystrom_gram(gram, rows) if rows else gram
        rows.append(int(np.argmax(np.diagonal(left))))
    return rows


def deformed_gram(gram, laplacian, ratio):
    """Gram matrix under the deformed norm, for a non-singular Gram matrix.

    The first samples are those of the graph; later ones, if any, have no edges.
    """
    n = len(laplacian)
    penalty = np.zeros_like(gram)
    penalty[:n, :n] = ratio * laplacian
    return np.linalg.inv(np.linalg.inv(gram) + penalty)


def distances(X):
    """Euclidean distances between all rows."""
    return np.array([[sqrt(sum((x - z) ** 2)) for z in X] for x in X])


def knn_adjacency(X, n_neighbors, weights):
    """Nearest-neighbor graph by sorting all distances."""
    length = distances(X)
    n = len(X)
    neighbors = [
        sorted((j for j in range(n) if j != i), key=lambda j: length[i, j])[
            :n_neighbors
        ]
        for i in range(n)
    ]
    mean = np.mean([length[i, j] for i in range(n) for j in neighbors[i]])
    farthest = [length[i, neighbors[i][-1]] for i in range(n)]
    weight = {
        "binary": lambda i, j: 1.0,
        "heat": lambda i, j: exp(-(length[i, j] ** 2) / (2 * mean**2)),
        "self-tuned": lambda i, j: exp(
            -(length[i, j] ** 2) / farthest[i] / farthest[j]
        ),
    }[weights]
    adjacency = np.zeros((n, n))
    for i in range(n):
        for j in neighbors[i]:
            adjacency[i, j] = adjacency[j, i] = weight(i, j)
    return adjacency


def graph_laplacian(adjacency, normalized):
    """Laplacian of a graph without isolated nodes, one entry at a time."""
    n = len(adjacency)
    degree = [sum(adjacency[i]) for i in range(n)]
    laplacian = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            entry = (degree[i] if i == j else 0.0) - adjacency[i, j]
            scale = sqrt(degree[i] * degree[j]) if normalized else sum(degree) / n
            laplacian[i, j] = entry / scale
    return laplacian


def roughness(adjacency, f, normalized):
    """Squared differences of f along all edges: f'Lf without a Laplacian."""
    n = len(adjacency)
    degree = [sum(adjacency[i]) for i in range(n)]
    if normalized:
        f = [f[i] / sqrt(degree[i]) for i in range(n)]
    total = sum(
        adjacency[i, j] * (f[i] - f[j]) ** 2 for i in range(n) for j in range(i)
    )
    return total if normalized else total / np.mean(degree)


def distinct_rows(X):
    """First position of every distinct row, and which of them each row equals."""
    first = {}
    for i, row in enumerate(X.tolist()):
        first.setdefault(tuple(row), i)
    order = list(first)
    return list(first.values()), [order.index(tuple(row)) for row in X.tolist()]


def published_newton(objective):
    """Coordinates by Eq. (11) of Melacci and Belkin: a dense system for each step.

    With an intercept inside the graph term, the first block of equations has its term
    with L 1, and the derivative by the intercept simplifies to 1'a = 0.
    """
    gram, laplacian = objective.space.gram, objective.laplacian.to_dense()
    n, intercept = len(gram), objective.intercept
    columns = []
    for targets in objective.targets.T:
        active, before = np.ones(len(targets), dtype=bool), None
        while before is None or (active != before).any():
            weights, right = np.zeros(n), np.zeros(n)
            np.add.at(weights, objective.label_idx, active * objective.weights)
            np.add.at(right, objective.label_idx, active * objective.weights * targets)
            matrix = np.diag(weights) @ gram + objective.ambient * np.eye(n)
            matrix += objective.intrinsic * laplacian @ gram
            if intercept is not None and intercept.inside:
                column = weights + objective.intrinsic * laplacian.sum(axis=1)
                matrix = np.block([[matrix, column[:, None]], [np.ones(n), 0.0]])
                right = np.append(right, 0.0)
            elif intercept is not None:
                corner = weights.sum() + intercept.penalty
                border = weights @ gram
                matrix = np.block([[matrix, weights[:, None]], [border, corner]])
                right = np.append(right, right.sum())
            c = np.linalg.solve(matrix, right)
            scores = objective.functions.scores(c[:, None])[objective.label_idx, 0]
            before, active = active, objective.loss.active(targets, scores)
        columns.append(c)
    return np.column_stack(columns)


class Process:
    """A Gaussian process at any point, given the targets of a `GpEvidence`."""

    def __init__(self, evidence, theta):
        self.evidence, self.fit = evidence, evidence.posterior(theta)
        self.variance, self.gamma, _ = evidence.parameters(theta)

    def mean_at(self, X):
        """Mean of m + f at the rows of X, (n_rows, n_columns)."""
        return self._cross(X) @ self.fit.dual_coef + self.fit.level

    def variance_at(self, X):
        """Variance of m + f, Sec. 2.7 of Rasmussen and Williams, (n_rows,)."""
        cross, ones = self._cross(X), self.fit.ones
        left = self.variance - (cross * cho_solve(self.fit.factor, cross.T).T).sum(1)
        if ones is not None:
            left += (1.0 - cross @ ones) ** 2 / ones.sum()
        return left

    def _cross(self, X):
        known = self.evidence.X.astype(np.float64)
        squares = (X[:, None] - known[None]) ** 2
        return self.variance * np.exp(-(squares * self.gamma).sum(axis=2))
