"""Compiled round-robin search: each point in turn takes its best class.

A search goes on from `position` in `order`
and ends when a whole round of tests, counted by `quiet`, has changed nothing, or after
`max_tests`, or `max_moves`, of a call. `progress` (4,) holds position, quiet, tests and
moves.

By the factor a test reads a row of it, and memory sets the pace. So a test looks at
`rough` first, the factor in single precision: where a move loses more than rounding can
hide there is no need for the other digits. The moves are those of the full factor.
"""

import numpy as np

from widemargin.linalg.compiled import compiled


@compiled
def _next_point(order, progress):
    """The point whose turn it is; another test is counted."""
    j = order[progress[0]]
    progress[0] = progress[0] + 1 if progress[0] + 1 < len(order) else 0
    progress[1] += 1
    progress[2] += 1
    return j


@compiled
def _relabel(codes, counts, progress, j, new):
    """Move a point to another class; another move is counted, and a round begins."""
    counts[codes[j]] -= 1
    counts[new] += 1
    codes[j] = new
    progress[1] = 0
    progress[3] += 1


@compiled(fastmath={"nnan", "nsz"})
def sweep_table(s, order, tol, progress, max_tests, max_moves=2**62):
    """Tests in constant time from the table; `s.own_tie` is not kept up to date."""
    table, codes, counts = s.table, s.codes, s.counts
    k = len(counts)
    end, last = progress[2] + max_tests, progress[3] + max_moves
    while progress[1] < len(order) and progress[2] < end and progress[3] < last:
        j = _next_point(order, progress)
        old = codes[j]
        if counts[old] <= s.lower[old]:
            continue
        # Its tie to its own class without itself, which a new class must exceed.
        best, new = table[old, j] - s.diagonal[j] + tol, -1
        for h in range(k):
            if h != old and counts[h] < s.upper[h] and table[h, j] > best:
                best, new = table[h, j], h
        if new < 0:
            continue
        if s.low_rank:
            np.dot(s.matrix, s.matrix[j], s.row)
            row_ties = s.row
        else:
            row_ties = s.matrix[j]
        from_row, to_row = table[old], table[new]
        for i in range(len(codes)):
            from_row[i] -= row_ties[i]
            to_row[i] += row_ties[i]
        _relabel(codes, counts, progress, j, new)


@compiled(fastmath=True)
def _product(features, center):
    """Inner product of two short rows."""
    total = features.dtype.type(0)
    for i in range(len(features)):
        total += features[i] * center[i]
    return total


@compiled(fastmath=True)
def _round_off(center, rough_center, rounding):
    """Copy `center` to single precision; what a product with a row may be off."""
    total = 0.0
    for i in range(len(center)):
        rough_center[i] = center[i]
        total += center[i] * center[i]
    return rounding * np.sqrt(total)


@compiled(fastmath=True)
def sweep_factor(
    factor, rough, diagonal, sums, codes, counts, lower, upper, order,
    tol, progress, max_tests,
):  # fmt: skip
    """Tests by the factor; `sums` (k, rank) is the factor summed by class."""
    k, rank = len(counts), factor.shape[1]
    end = progress[2] + max_tests
    # Error of an inner product of `rank` terms in single precision, by Cauchy-Schwarz:
    # |row| is at most the root of the largest diagonal entry, |sums| follows.
    rounding = (rank + 4) * 2.0**-23 * np.sqrt(diagonal.max())
    rough_sums, slack = np.empty((k, rank), dtype=np.float32), np.empty(k)
    for h in range(k):
        slack[h] = _round_off(sums[h], rough_sums[h], rounding)
    while progress[1] < len(order) and progress[2] < end:
        j = _next_point(order, progress)
        old = codes[j]
        if counts[old] <= lower[old]:
            continue
        features = rough[j]
        own_tie = _product(features, rough_sums[old]) - diagonal[j] + tol - slack[old]
        hopeless = True
        for h in range(k):
            if h != old and counts[h] < upper[h]:
                claim = _product(features, rough_sums[h]) + slack[h]
                hopeless = hopeless and claim < own_tie
        if hopeless:
            continue
        features = factor[j]
        best, new = _product(features, sums[old]) - diagonal[j] + tol, -1
        for h in range(k):
            if h != old and counts[h] < upper[h]:
                claim = _product(features, sums[h])
                if claim > best:
                    best, new = claim, h
        if new < 0:
            continue
        for i in range(rank):
            sums[old, i] -= features[i]
            sums[new, i] += features[i]
        slack[old] = _round_off(sums[old], rough_sums[old], rounding)
        slack[new] = _round_off(sums[new], rough_sums[new], rounding)
        _relabel(codes, counts, progress, j, new)
