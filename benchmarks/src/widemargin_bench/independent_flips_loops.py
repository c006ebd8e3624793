"""Compiled loop of `independent_flips`."""

import numpy as np

from widemargin.labelling.moves_loops import relabel
from widemargin.linalg.compiled import compiled


@compiled
def mutate(s, points, bounds, tol, progress):
    """Generations in turn; that of number g flips ``points[bounds[g]:bounds[g + 1]]``.

    `progress` (2,) holds generations without a change, and labels that were flipped.
    Flipping labels together gains what they gain one by one, but for ties among them:
    labels of one class stay together, and labels of two classes stay apart.
    """
    codes, n = s.codes, len(s.codes)
    for g in range(len(bounds) - 1):
        if progress[0] >= n:
            return
        gain, n_second = 0.0, s.counts[1]
        for a in range(bounds[g], bounds[g + 1]):
            i = points[a]
            n_second += 1 - 2 * codes[i]
            gain += s.table[1 - codes[i], i] - s.own_tie[i]
            for b in range(bounds[g], a):
                j = points[b]
                tie = np.dot(s.matrix[i], s.matrix[j]) if s.low_rank else s.matrix[i, j]
                gain += 2.0 * tie if codes[i] == codes[j] else -2.0 * tie
        is_valid = s.lower[1] <= n_second <= s.upper[1]
        if not (is_valid and s.lower[0] <= n - n_second <= s.upper[0] and gain > tol):
            progress[0] += 1
            continue
        progress[0] = 0
        for a in range(bounds[g], bounds[g + 1]):
            relabel(s, points[a], 1 - codes[points[a]])
            progress[1] += 1
