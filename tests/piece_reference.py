"""Slow, obvious versions of what is done with piecewise linear losses."""

import clarabel
import numpy as np
from scipy import sparse

from widemargin.objectives.pieces import HingePieces


def random_pieces(rng, n, *, n_pieces=None, linear=0.3, scale=1.0):
    """Several pieces a sample, equal kinks, costs of zero and bare samples."""
    n_pieces = 3 * n if n_pieces is None else n_pieces
    costs = scale * rng.choice([0.0, 0.3, 0.5, 1.0, 2.0], n_pieces)
    rows = rng.integers(n - 1, size=n_pieces)  # the last sample has none
    slopes = linear * scale * rng.standard_normal(n) * (rng.random(n) < 0.3)
    return HingePieces(
        n,
        rows,
        rng.choice([-1.0, -0.5, 0.0, 0.2, 1.0], n_pieces),
        rng.choice([-1.0, 1.0], n_pieces),
        costs,
        slopes,
    )


def loss(pieces, scores):
    """The loss, one piece at a time."""
    total = 0.0
    for row, kink, side, cost in zip(
        pieces.rows, pieces.kinks, pieces.sides, pieces.costs, strict=True
    ):
        if side * (kink - scores[row]) > 0:
            total += cost * side * (kink - scores[row])
    for slope, score in zip(pieces.linear, scores, strict=True):
        total += slope * score
    return total


def objective(gram, pieces, solution):
    """Half the squared norm plus the loss."""
    a, b = solution[:-1], solution[-1]
    return a @ gram @ a / 2 + loss(pieces, gram @ a + b)


def minimum(gram, pieces, intercept=None):
    """Smallest objective, by a general-purpose convex solver.

    A quadratic program in z, b and the slacks s >= 0, s_p >= side (kink - f) of the
    pieces, where f = F z + b and F F' is the Gram matrix.
    """
    values, vectors = np.linalg.eigh(gram)
    factor = vectors * np.sqrt(np.maximum(values, 0.0))
    n, m = len(gram), len(pieces.rows)
    quadratic = sparse.block_diag([np.eye(n), np.zeros((m + 1, m + 1))])
    linear = np.concatenate(
        [factor.T @ pieces.linear, [pieces.linear.sum()], pieces.costs]
    )
    sides = pieces.sides[:, None]
    hinge = np.hstack([-sides * factor[pieces.rows], -sides, -np.eye(m)])
    positive = np.hstack([np.zeros((m, n + 1)), -np.eye(m)])
    matrix = np.vstack([hinge, positive])
    right = np.concatenate([-pieces.sides * pieces.kinks, np.zeros(m)])
    cones = [clarabel.NonnegativeConeT(2 * m)]
    if intercept is not None:
        matrix = np.vstack([np.eye(1, n + 1 + m, n), matrix])
        right = np.append(intercept, right)
        cones = [clarabel.ZeroConeT(1), *cones]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix(sparse.triu(quadratic)), linear, sparse.csc_matrix(matrix),
        right, cones, settings,
    )  # fmt: skip
    return solver.solve().obj_val


def passages(pieces):
    """Each sample's smallest coefficient and its (kink, cost) list, kinks falling."""
    lower, path = [], []
    for i in range(pieces.n_samples):
        own = [p for p in range(len(pieces.rows)) if pieces.rows[p] == i]
        above = sum(pieces.costs[p] for p in own if pieces.sides[p] < 0)
        lower.append(-above - pieces.linear[i])
        steps = [(pieces.kinks[p], pieces.costs[p]) for p in own if pieces.costs[p] > 0]
        path.append(sorted(steps, reverse=True))
    return np.array(lower), path


def slope_and_room(lower, path, a, rises):
    """Slope of a sample's dual term on one side of a, and how far it holds."""
    begin = lower
    outer = (-np.inf, 0.0) if rises else (np.inf, 0.0)
    pairs = []
    for kink, cost in path:
        pairs.append((kink, begin, begin + cost))
        begin += cost
    for kink, low, high in pairs if rises else pairs[::-1]:
        if rises and a < high - 1e-12:
            return kink, high - a
        if not rises and a > low + 1e-12:
            return kink, a - low
    return outer


def dual_value(gram, pieces, a, intercept=0.0):
    """Sum of min over f of loss + a f, which is reached at a kink, minus a'Ka / 2."""
    total = -a @ gram @ a / 2 - intercept * a.sum()
    for i in range(len(a)):
        own = pieces.rows == i
        kinks = np.append(pieces.kinks[own], 0.0)
        slack = pieces.sides[own] * (pieces.kinks[own] - kinks[:, None])
        values = np.maximum(slack, 0.0) @ pieces.costs[own]
        total += (values + (pieces.linear[i] + a[i]) * kinks).min()
    return total


def next_steps(gram, pieces, a, intercept=None):
    """Coefficients after one step of `smo`: one answer for each of the choices that
    are equal up to rounding, such as the two samples of the last step.
    """
    lower, path = passages(pieces)
    h, diagonal = gram @ a, np.diag(gram)

    def look(t, rises):
        return slope_and_room(lower[t], path[t], a[t], rises)[0]

    up = np.array([look(t, True) for t in range(len(a))]) - h
    down = np.array([look(t, False) for t in range(len(a))]) - h
    if intercept is not None:
        slopes = np.maximum(np.maximum(up - intercept, intercept - down), 0.0)
        return [
            search_line(gram, pieces, a, [(i, up[i] > intercept)], intercept)
            for i in ties(slopes**2 / diagonal)
        ]
    answers = []
    for i in ties(up):
        bend = np.maximum(diagonal[i] + diagonal - 2 * gram[i], 1e-12 * diagonal[i])
        for j in ties(np.maximum(up[i] - down, 0.0) ** 2 / bend):
            moving = [(i, True), (j, False)]
            answers.append(search_line(gram, pieces, a, moving, 0.0))
    return answers


def ties(values):
    """Positions of the largest value, up to rounding."""
    return np.flatnonzero(values >= values.max() - 1e-9 * abs(values.max()))


def search_line(gram, pieces, a, moving, intercept):
    """Best coefficients if some rise and others fall, all by the same length."""
    lower, path = passages(pieces)
    direction = np.zeros(len(a))
    for t, rises in moving:
        direction[t] = 1.0 if rises else -1.0
    bend = direction @ gram @ direction
    while True:
        sides = [slope_and_room(lower[t], path[t], a[t], rises) for t, rises in moving]
        slope = sum(
            (kink - gram[t] @ a - intercept) * direction[t]
            for (kink, _), (t, _) in zip(sides, moving, strict=True)
        )
        if slope <= 1e-14:
            return a
        room = min(room for _, room in sides)
        step = min(room, slope / bend) if bend > 1e-12 else room
        a = a + step * direction
        if step < room:
            return a
