"""Moves that keep or find cluster sizes: swaps of pairs, and nearest means."""

import numpy as np

from widemargin.defaults import DENSE_ROWS
from widemargin.labelling.state import LabelState

_FEW_SWAPS = 100  # where each of them computes two rows of ties anew


def swap_pairs(problem, codes, *, dense_rows=DENSE_ROWS):
    """Swap pairs of points where bounds keep them from moving alone.

    Nothing happens unless a class is at one of its bounds. There are at most as many
    swaps as points. Where a low-rank smoother has too many points to keep all ties,
    there are at most a hundred, and only if all sizes are fixed, so that nothing else
    can move.

    Parameters
    ----------
    problem : LabelProblem
    codes : ndarray of shape (n,)
    dense_rows : int
        Points up to which all ties are kept.

    Returns
    -------
    codes : ndarray of shape (n,)
    n_swaps : int
    """
    counts = np.bincount(codes, minlength=problem.n_classes)
    at_bound = (counts <= problem.lower) | (counts >= problem.upper)
    is_blocked = (at_bound & (counts > 0)).any()
    is_large = problem.smoother.low_rank and problem.n_samples > dense_rows
    if is_large:
        is_blocked = (problem.lower == problem.upper).all()
    if not is_blocked or not len(problem.order):
        return codes, 0
    from widemargin.labelling import moves_loops as loops

    if not is_large:
        problem = problem.with_dense_smoother()
    state, n_swaps = LabelState(problem, codes), 0
    matrix, low_rank, _ = state.ties
    max_swaps = _FEW_SWAPS if low_rank else len(problem.order)
    while n_swaps < max_swaps:
        i, j, gain = loops.best_exchange(
            matrix, low_rank, state.table, state.own_tie, state.codes,
            state.move_penalty, state.row,
        )  # fmt: skip
        if gain <= state.tol:
            break
        loops.exchange(*state.ties, *state.moving, state.row, i, j)
        n_swaps += 1
        loops.descend(
            *state.ties, *state.moving, *state.bounds, state.move_penalty, state.row,
            state.tol, max_swaps,
        )  # fmt: skip
    return state.codes, n_swaps


def reassign_to_means(problem, codes, *, max_rounds=30):
    r"""Move every point to the nearest cluster mean until none moves.

    Distances are those of the kernel A, the weighted smoother:

    .. math:: d_{jh} = \frac{e_h^\top A e_h}{n_h^2} - \frac{2 T_{hj}}{n_h} + A_{jj} .

    The ties inside the clusters alone are largest for a single cluster. Here they are
    divided by the sizes, so that sizes which shaking has kept near their targets can
    become those of the data. Rounds stop before a bound of the problem would be broken.

    Parameters
    ----------
    problem : LabelProblem
    codes : ndarray of shape (n,)
    max_rounds : int

    Returns
    -------
    ndarray of int32, shape (n,)
    """
    codes = np.array(codes, dtype=np.int32)
    n_classes, positions = problem.n_classes, np.arange(len(codes))
    for _ in range(max_rounds):
        table = problem.table(codes).astype(np.float64)
        sizes = np.bincount(codes, minlength=n_classes)
        inside = np.bincount(
            codes, weights=table[codes, positions], minlength=n_classes
        )
        filled = np.maximum(sizes, 1)[:, None]
        distances = inside[:, None] / filled**2 - 2.0 * table / filled
        distances[sizes == 0] = np.inf
        new = np.where(problem.movable, distances.argmin(axis=0), codes)
        new = new.astype(np.int32)
        if np.array_equal(new, codes) or not problem.is_feasible(new):
            break
        codes = new
    return codes
