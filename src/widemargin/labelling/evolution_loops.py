"""Compiled (mu + nu) evolution of labelings, Algorithm 2 of the binary paper."""

import numpy as np

from widemargin.linalg.compiled import compiled


@compiled
def _draw(state, n):
    """A pseudo-random whole number below n (splitmix64); `state` is uint64 (1,).

    The same as in `moves_loops`: compiled functions own_tie within their file.
    """
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.int64((z >> np.uint64(11)) % np.uint64(n))


@compiled
def _mutate(codes, counts, lower, upper, movable_idx, seed, n_tries):
    """A valid change of a labeling: a point with its class, or two that swap places.

    Returns point, new class, and a second point (-1 if one moves alone). Points are -1
    if `n_tries` draws found nothing valid.
    """
    k, m = len(counts), len(movable_idx)
    for _ in range(n_tries):
        j = movable_idx[_draw(seed, m)]
        old = codes[j]
        new = _draw(seed, k - 1)
        if new >= old:
            new += 1
        if counts[old] > lower[old] and counts[new] < upper[new]:
            return j, new, -1
        i = movable_idx[_draw(seed, m)]
        if codes[i] == new:
            return j, new, i
    return -1, -1, -1


@compiled(fastmath={"nnan", "nsz"})
def evolve(
    matrix, low_rank, diagonal, tables, codes, counts, fitness, lower, upper,
    movable_idx, n_offspring, seed, tol, progress, patience, max_generations,
):  # fmt: skip
    """Generations of mutation and selection; parents win ties, up to `tol`.

    `tables` (mu, k, n), `codes` (mu, n), `counts` (mu, k) and `fitness` (mu,), the gain
    since the start, hold the population. `progress` (3,) holds generations without a
    change of it, generations, and offspring that survived.
    """
    n_parents, n = codes.shape
    parent = np.empty(n_offspring, dtype=np.int64)
    point = np.empty(n_offspring, dtype=np.int64)
    label = np.empty(n_offspring, dtype=np.int64)
    partner = np.empty(n_offspring, dtype=np.int64)
    merit = np.empty(n_parents + n_offspring)
    next_tables, next_codes = np.empty_like(tables), np.empty_like(codes)
    next_counts, row = np.empty_like(counts), np.empty(n, dtype=diagonal.dtype)
    for _ in range(max_generations):
        if progress[0] >= patience:
            return
        progress[1] += 1
        merit[:n_parents] = fitness
        for o in range(n_offspring):
            p = _draw(seed, n_parents)
            j, new, i = _mutate(
                codes[p], counts[p], lower, upper, movable_idx, seed, 50
            )
            parent[o], point[o], label[o], partner[o] = p, j, new, i
            gain = -np.inf
            if j >= 0:
                old, table = codes[p, j], tables[p]
                gain = table[new, j] - table[old, j] + diagonal[j]
                if i >= 0:
                    tie = np.dot(matrix[i], matrix[j]) if low_rank else matrix[i, j]
                    gain += table[old, i] - table[new, i] + diagonal[i] - 2.0 * tie
            merit[n_parents + o] = fitness[p] + gain
        merit[n_parents:] -= tol  # or rounding would go on improving forever
        ranked = np.argsort(-merit, kind="mergesort")[:n_parents]
        merit[n_parents:] += tol
        if ranked.max() < n_parents:
            progress[0] += 1
            continue
        progress[0] = 0
        for place in range(n_parents):
            who = ranked[place]
            p = who if who < n_parents else parent[who - n_parents]
            next_tables[place], next_codes[place] = tables[p], codes[p]
            next_counts[place] = counts[p]
            if who < n_parents:
                continue
            progress[2] += 1
            o = who - n_parents
            j, new, i = point[o], label[o], partner[o]
            old = np.int64(codes[p, j])
            for moved, source, sink in ((j, old, new), (i, new, old)):
                if moved < 0:
                    continue
                if low_rank:
                    np.dot(matrix, matrix[moved], row)
                    row_ties = row
                else:
                    row_ties = matrix[moved]
                for x in range(n):
                    next_tables[place, source, x] -= row_ties[x]
                    next_tables[place, sink, x] += row_ties[x]
                next_codes[place, moved] = sink
                next_counts[place, source] -= 1
                next_counts[place, sink] += 1
        fitness[:] = merit[ranked]
        tables[:], codes[:], counts[:] = next_tables, next_codes, next_counts
