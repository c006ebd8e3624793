"""Compiled loops for the spectrum of a large graph."""

import numpy as np

from widemargin.linalg.compiled import compiled


@compiled(fastmath={"nnan", "ninf", "nsz", "reassoc", "contract"}, error_model="numpy")
def recur(indptr, indices, data, vectors, last, factors, start, stop):
    """Write ``a * matrix @ vectors + b * vectors + c * last`` into rows of `last`.

    One pass over the rows from start to stop: three-term recurrences read and write
    each number once. With c = 0 the numbers in `last` must be finite.
    """
    a, b, c = factors
    n_columns = vectors.shape[1]
    total = np.empty(n_columns, dtype=vectors.dtype)
    for i in range(start, stop):
        own, before = vectors[i], last[i]
        for k in range(n_columns):
            total[k] = b * own[k] + c * before[k]
        for t in range(indptr[i], indptr[i + 1]):
            weight, other = a * data[t], vectors[indices[t]]
            for k in range(n_columns):
                total[k] += weight * other[k]
        for k in range(n_columns):
            before[k] = total[k]


@compiled
def aggregate(indptr, indices, strengths, most, groups):
    """Write a group of neighboring rows for each row, and return their number.

    A row and all its neighbors become a group if none of them is in one yet and there
    are at most `most` of them. Other rows then join the group of the neighbor that they
    are tied to most, or begin one.
    """
    n_rows, n_groups = len(groups), 0
    for i in range(n_rows):
        groups[i] = -1
    for i in range(n_rows):
        is_free = groups[i] < 0 and indptr[i + 1] - indptr[i] <= most
        for t in range(indptr[i], indptr[i + 1]):
            is_free = is_free and groups[indices[t]] < 0
        if is_free:
            groups[i] = n_groups
            for t in range(indptr[i], indptr[i + 1]):
                groups[indices[t]] = n_groups
            n_groups += 1
    n_first = n_groups  # a chain of rows that join each other would be one long group
    for i in range(n_rows):
        if groups[i] >= 0:
            continue
        best, strength = -1, 0.0
        for t in range(indptr[i], indptr[i + 1]):
            group = groups[indices[t]]
            if 0 <= group < n_first and strengths[t] > strength:
                best, strength = group, strengths[t]
        groups[i] = -2 - best  # not a group yet for those that come after
    for i in range(n_rows):
        if groups[i] < -1:
            groups[i] = -2 - groups[i]
    for i in range(n_rows):
        if groups[i] == -1:
            groups[i] = n_groups
            for t in range(indptr[i], indptr[i + 1]):
                if groups[indices[t]] == -1:
                    groups[indices[t]] = n_groups
            n_groups += 1
    return n_groups
