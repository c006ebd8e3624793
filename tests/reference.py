"""Slow, obvious versions of what the library computes."""

from math import exp, sqrt

import numpy as np


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


def single_ascent(Q, upper, n_steps):
    """Minimize b'Q b / 2 - 1'b over a box by the best single variable at a time."""
    beta = np.zeros(len(Q))
    for _ in range(n_steps):
        slope = 1 - Q @ beta
        movable = np.where(slope > 0, beta < upper, beta > 0)
        if not movable.any():
            break
        best = np.argmax(np.where(movable, slope**2 / np.diag(Q), -1.0))
        beta[best] = np.clip(beta[best] + slope[best] / Q[best, best], 0, upper[best])
    return beta


def pair_ascent(Q, signs, upper, n_steps):
    """The same with signs'b kept at zero, by the most violating pair at a time."""
    beta = np.zeros(len(Q))
    for _ in range(n_steps):
        value = signs * (1 - Q @ beta)
        can_rise = np.where(signs > 0, beta < upper, beta > 0)
        can_fall = np.where(signs > 0, beta > 0, beta < upper)
        i = np.argmax(np.where(can_rise, value, -np.inf))
        gap = value[i] - value
        bend = Q[i, i] + np.diag(Q) - 2 * signs[i] * signs * Q[i]
        gain = np.where(can_fall & (gap > 0), gap**2 / np.maximum(bend, 1e-12), -1.0)
        j = np.argmax(gain)
        if gain[j] <= 0:
            break
        rooms = [
            np.where(signs[i] > 0, upper[i] - beta[i], beta[i]),
            np.where(signs[j] > 0, beta[j], upper[j] - beta[j]),
        ]
        move = min(gap[j] / max(bend[j], 1e-12), *rooms)
        beta[i] += signs[i] * move
        beta[j] -= signs[j] * move
    return beta
