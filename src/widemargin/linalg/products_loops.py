"""Compiled product of a matrix with a handful of columns."""

from widemargin.linalg.compiled import compiled


@compiled(fastmath=True)
def dot_rows(matrix, columns, out, start, stop):
    """Write ``out[c, i] = matrix[i] @ columns[c]`` for the rows from start to stop.

    Four rows and two columns at a time, so that what is loaded is used four or two
    times. Needs at least four rows and an even number of columns; the last rows may be
    computed twice.
    """
    n_columns = columns.shape[0]
    for block in range(start, stop, 4):
        i = min(block, stop - 4)
        row0, row1, row2, row3 = matrix[i], matrix[i + 1], matrix[i + 2], matrix[i + 3]
        for c in range(0, n_columns, 2):
            u, v = columns[c], columns[c + 1]
            u0 = u1 = u2 = u3 = v0 = v1 = v2 = v3 = matrix.dtype.type(0)
            for j in range(matrix.shape[1]):
                x, y = u[j], v[j]
                u0 += row0[j] * x
                u1 += row1[j] * x
                u2 += row2[j] * x
                u3 += row3[j] * x
                v0 += row0[j] * y
                v1 += row1[j] * y
                v2 += row2[j] * y
                v3 += row3[j] * y
            out[c, i], out[c, i + 1], out[c, i + 2], out[c, i + 3] = u0, u1, u2, u3
            c += 1
            out[c, i], out[c, i + 1], out[c, i + 2], out[c, i + 3] = v0, v1, v2, v3
