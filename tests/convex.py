"""The machines' minima by a general-purpose convex solver."""

import clarabel
import numpy as np
from scipy import sparse


def minimum(gram, laplacian, rows, targets, weights, loss, ambient, intrinsic):
    """Smallest value of (sum w loss + ambient |f|^2 + intrinsic f'Lf) / 2, one column.

    Written as a quadratic program in the coefficients a and the slacks s of the labels:
    s >= 1 - t K a and s >= 0 for the hinge (s) and the squared hinge (s^2).
    """
    n, n_labels = len(gram), len(rows)
    penalty = ambient * gram + intrinsic * gram @ laplacian @ gram
    squared = loss == "squared hinge"
    quadratic = sparse.block_diag(
        [penalty, np.diag(weights) if squared else np.zeros((n_labels, n_labels))]
    )
    linear = np.concatenate(
        [np.zeros(n), np.zeros(n_labels) if squared else weights / 2]
    )
    margins = targets[:, None] * gram[rows]
    upper = np.block(
        [
            [-margins, -np.eye(n_labels)],
            [np.zeros((n_labels, n)), -np.eye(n_labels)],
        ]
    )
    bounds = np.concatenate([-np.ones(n_labels), np.zeros(n_labels)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix(sparse.triu(quadratic)),
        linear,
        sparse.csc_matrix(upper),
        bounds,
        [clarabel.NonnegativeConeT(2 * n_labels)],
        settings,
    )
    return solver.solve().obj_val
