"""Compiled loops of the search for nearest neighbors in cells."""

import numpy as np

from widemargin.linalg.compiled import compiled

_LANES = 16  # values that are compared at once


@compiled(fastmath={"nnan", "ninf", "nsz", "reassoc", "contract"}, error_model="numpy")
def keep_nearest(values, own, first, excluded, offsets, lengths, nearest):
    """Insert columns of a block of squared lengths into lists of the shortest ones.

    Row r of `values` belongs to list ``own[r]``, and column j is the point
    ``first + j``; its squared length is ``values[r, j] + offsets[r]``. A list is
    sorted by length; of equal lengths the one that came first is the nearer. The point
    ``excluded[own[r]]`` is left out.
    """
    n_columns, size = values.shape[1], lengths.shape[1]
    for r in range(len(own)):
        row, place, offset = values[r], own[r], offsets[r]
        kept, found = lengths[place], nearest[place]
        hidden, bound = excluded[place] - first, kept[size - 1] - offset
        for start in range(0, n_columns, _LANES):
            stop = min(start + _LANES, n_columns)
            low = row[start]
            if stop - start == _LANES:  # a number of values that is known in advance
                for j in range(_LANES):
                    low = min(low, row[start + j])
            else:
                for j in range(start, stop):
                    low = min(low, row[j])
            if not low < bound:
                continue
            for j in range(start, stop):
                if row[j] < bound and j != hidden:
                    length = row[j] + offset
                    at = size - 1
                    while at > 0 and kept[at - 1] > length:
                        kept[at], found[at] = kept[at - 1], found[at - 1]
                        at -= 1
                    kept[at], found[at] = length, first + j
                    bound = kept[size - 1] - offset


@compiled
def measure(X, Z, neighbors, lengths):
    """Write the exact lengths from rows of Z to their neighbors among rows of X."""
    for i in range(neighbors.shape[0]):
        for k in range(neighbors.shape[1]):
            total, j = 0.0, neighbors[i, k]
            for t in range(X.shape[1]):
                difference = np.float64(Z[i, t]) - np.float64(X[j, t])
                total += difference * difference
            lengths[i, k] = np.sqrt(total)


@compiled
def sort_lists(lengths, neighbors):
    """Sort each list of neighbors by length, equal ones by position."""
    for i in range(lengths.shape[0]):
        for k in range(1, lengths.shape[1]):
            length, neighbor, at = lengths[i, k], neighbors[i, k], k
            while at > 0 and (
                lengths[i, at - 1] > length
                or (lengths[i, at - 1] == length and neighbors[i, at - 1] > neighbor)
            ):
                lengths[i, at] = lengths[i, at - 1]
                neighbors[i, at] = neighbors[i, at - 1]
                at -= 1
            lengths[i, at], neighbors[i, at] = length, neighbor


@compiled
def measure_sparse(
    data, indices, indptr, z_data, z_indices, z_indptr, neighbors, lengths
):
    """The same for rows of CSR matrices whose indices are sorted."""
    for i in range(neighbors.shape[0]):
        for k in range(neighbors.shape[1]):
            j, total = neighbors[i, k], 0.0
            a, a_stop = z_indptr[i], z_indptr[i + 1]
            b, b_stop = indptr[j], indptr[j + 1]
            while a < a_stop or b < b_stop:
                difference = 0.0
                column = z_indices[a] if a < a_stop else indices[b]
                if b < b_stop:
                    column = min(column, indices[b])
                if a < a_stop and z_indices[a] == column:
                    difference += z_data[a]
                    a += 1
                if b < b_stop and indices[b] == column:
                    difference -= data[b]
                    b += 1
                total += difference * difference
            lengths[i, k] = np.sqrt(total)
