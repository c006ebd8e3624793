"""Compiled products of a matrix with a handful of columns, or with few of its rows."""

from widemargin.linalg.compiled import compiled

ROWS, COLUMNS = 4, 5  # what is done at a time


@compiled(fastmath=True)
def dot_rows(matrix, columns, out, start, stop):
    """Write ``out[c, i] = matrix[i] @ columns[c]`` for the rows from start to stop.

    Four rows and five columns at a time: twenty sums that stay in registers, so that
    each number that is loaded is used four or five times. Needs at least four rows
    and a multiple of five columns; the last rows may be computed twice.
    """
    zero = matrix.dtype.type(0)
    for block in range(start, stop, ROWS):
        i = min(block, stop - ROWS)
        a, b, c, d = matrix[i], matrix[i + 1], matrix[i + 2], matrix[i + 3]
        for k in range(0, columns.shape[0], COLUMNS):
            v0, v1, v2 = columns[k], columns[k + 1], columns[k + 2]
            v3, v4 = columns[k + 3], columns[k + 4]
            a0 = a1 = a2 = a3 = a4 = zero
            b0 = b1 = b2 = b3 = b4 = zero
            c0 = c1 = c2 = c3 = c4 = zero
            d0 = d1 = d2 = d3 = d4 = zero
            for j in range(matrix.shape[1]):
                a0 += a[j] * v0[j]
                a1 += a[j] * v1[j]
                a2 += a[j] * v2[j]
                a3 += a[j] * v3[j]
                a4 += a[j] * v4[j]
                b0 += b[j] * v0[j]
                b1 += b[j] * v1[j]
                b2 += b[j] * v2[j]
                b3 += b[j] * v3[j]
                b4 += b[j] * v4[j]
                c0 += c[j] * v0[j]
                c1 += c[j] * v1[j]
                c2 += c[j] * v2[j]
                c3 += c[j] * v3[j]
                c4 += c[j] * v4[j]
                d0 += d[j] * v0[j]
                d1 += d[j] * v1[j]
                d2 += d[j] * v2[j]
                d3 += d[j] * v3[j]
                d4 += d[j] * v4[j]
            out[k + 0, i], out[k + 0, i + 1] = a0, b0
            out[k + 0, i + 2], out[k + 0, i + 3] = c0, d0
            out[k + 1, i], out[k + 1, i + 1] = a1, b1
            out[k + 1, i + 2], out[k + 1, i + 3] = c1, d1
            out[k + 2, i], out[k + 2, i + 1] = a2, b2
            out[k + 2, i + 2], out[k + 2, i + 3] = c2, d2
            out[k + 3, i], out[k + 3, i + 1] = a3, b3
            out[k + 3, i + 2], out[k + 3, i + 3] = c3, d3
            out[k + 4, i], out[k + 4, i + 1] = a4, b4
            out[k + 4, i + 2], out[k + 4, i + 3] = c4, d4


@compiled(fastmath={"nnan", "nsz", "reassoc", "contract"}, error_model="numpy")
def add_rows(rows, coefficients, scores):
    """Add `coefficients` times the rows of a matrix to the scores."""
    for r in range(len(rows)):
        if coefficients[r] != 0.0:
            row = rows[r]
            for t in range(len(scores)):
                scores[t] += coefficients[r] * row[t]
