"""Cluster sizes as the data want them: k-means in the space of a smoother."""

import numpy as np


def settle(problem, codes, *, max_rounds=30):
    r"""Move every point to the nearest cluster mean until none moves.

    Distances are those of the kernel A, the mass of the smoother:

    .. math:: d_{jh} = \frac{e_h^\top A e_h}{n_h^2} - \frac{2 T_{hj}}{n_h} + A_{jj} .

    Where the mass inside the clusters alone prefers one large cluster to many, this
    divides it by their sizes; so sizes that shaking has kept near their targets can
    leave them. Rounds stop before a bound of the problem would be broken.

    Parameters
    ----------
    problem : LabelProblem
    codes : ndarray of shape (n,)
    max_rounds : int

    Returns
    -------
    ndarray of shape (n,)
    """
    codes = np.array(codes, dtype=np.int32)
    positions = np.arange(len(codes))
    for _ in range(max_rounds):
        table = problem.table(codes).astype(np.float64)
        sizes = np.bincount(codes, minlength=problem.n_classes)
        own = table[codes, positions]
        inside = np.bincount(codes, weights=own, minlength=problem.n_classes)
        filled = np.maximum(sizes, 1)[:, None]
        distances = inside[:, None] / filled**2 - 2.0 * table / filled
        distances[sizes == 0] = np.inf
        new = np.where(problem.movable, distances.argmin(axis=0), codes)
        new = new.astype(np.int32)
        if np.array_equal(new, codes) or not problem.is_feasible(new):
            break
        codes = new
    return codes
