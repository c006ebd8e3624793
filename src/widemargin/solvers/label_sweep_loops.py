"""Compiled round-robin search: each point in turn takes its best class.

The arrays are those of `label_moves_loops`. A search goes on from `position` in `order`
and ends when a whole round of tests, counted by `quiet`, has changed nothing, or after
`max_tests`. `progress` (4,) holds position, quiet, tests and moves.
"""

import numpy as np

from widemargin.linalg.compiled import compiled


@compiled(fastmath={"nnan", "nsz"})
def sweep_table(
    matrix, low_rank, diagonal, table, codes, counts, lower, upper, order, row,
    tol, progress, max_tests,
):  # fmt: skip
    """Tests in constant time from the table; a move costs a row of the mass."""
    k, n_order = len(counts), len(order)
    position, quiet = progress[0], progress[1]
    n_tests, n_moves = 0, 0
    while quiet < n_order and n_tests < max_tests:
        j = order[position]
        position = position + 1 if position + 1 < n_order else 0
        quiet += 1
        n_tests += 1
        old = codes[j]
        if counts[old] <= lower[old]:
            continue
        best, new = table[old, j] - diagonal[j] + tol, -1
        for h in range(k):
            if h != old and counts[h] < upper[h] and table[h, j] > best:
                best, new = table[h, j], h
        if new < 0:
            continue
        if low_rank:
            np.dot(matrix, matrix[j], row)
            mass = row
        else:
            mass = matrix[j]
        from_row, to_row = table[old], table[new]
        for i in range(len(codes)):
            from_row[i] -= mass[i]
            to_row[i] += mass[i]
        codes[j] = new
        counts[old] -= 1
        counts[new] += 1
        quiet = 0
        n_moves += 1
    progress[0], progress[1] = position, quiet
    progress[2] += n_tests
    progress[3] += n_moves


@compiled(fastmath=True)
def sweep_two(
    factor, diagonal, difference, codes, counts, lower, upper, order,
    tol, progress, max_tests,
):  # fmt: skip
    """Two classes by the factor: one product of length rank a test.

    `difference` (rank,) is the factor summed over class 1 minus that over class 0.
    """
    n_order, rank = len(order), factor.shape[1]
    position, quiet = progress[0], progress[1]
    n_tests, n_moves = 0, 0
    while quiet < n_order and n_tests < max_tests:
        j = order[position]
        position = position + 1 if position + 1 < n_order else 0
        quiet += 1
        n_tests += 1
        old = codes[j]
        new = 1 - old
        if counts[old] <= lower[old] or counts[new] >= upper[new]:
            continue
        features = factor[j]
        product = features[0] * difference[0]
        for i in range(1, rank):
            product += features[i] * difference[i]
        sign = 1.0 if new == 1 else -1.0
        if sign * product + diagonal[j] <= tol:
            continue
        for i in range(rank):
            difference[i] += 2.0 * sign * features[i]
        codes[j] = new
        counts[old] -= 1
        counts[new] += 1
        quiet = 0
        n_moves += 1
    progress[0], progress[1] = position, quiet
    progress[2] += n_tests
    progress[3] += n_moves


@compiled(fastmath=True)
def sweep_factor(
    factor, diagonal, sums, codes, counts, lower, upper, order,
    tol, progress, max_tests,
):  # fmt: skip
    """Several classes by the factor; `sums` (k, rank) is the factor summed by class."""
    k, n_order, rank = len(counts), len(order), factor.shape[1]
    position, quiet = progress[0], progress[1]
    n_tests, n_moves = 0, 0
    while quiet < n_order and n_tests < max_tests:
        j = order[position]
        position = position + 1 if position + 1 < n_order else 0
        quiet += 1
        n_tests += 1
        old = codes[j]
        if counts[old] <= lower[old]:
            continue
        features = factor[j]
        best, new = -np.inf, -1
        for h in range(k):
            if h != old and counts[h] >= upper[h]:
                continue
            center = sums[h]
            product = features[0] * center[0]
            for i in range(1, rank):
                product += features[i] * center[i]
            if h == old:
                product += tol - diagonal[j]
            if product > best or (product == best and h == old):
                best, new = product, h
        if new == old:
            continue
        for i in range(rank):
            sums[old, i] -= features[i]
            sums[new, i] += features[i]
        codes[j] = new
        counts[old] -= 1
        counts[new] += 1
        quiet = 0
        n_moves += 1
    progress[0], progress[1] = position, quiet
    progress[2] += n_tests
    progress[3] += n_moves
