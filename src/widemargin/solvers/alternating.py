"""Self-labeling: fit a regressor to the labels, relabel by what it says, and repeat."""

import numpy as np

from widemargin.solvers.result import SolveResult, Status


def alternate(fit, relabel, start, *, max_iter=100, tol=0.0, callback=None):
    """Fit and relabel in turns until hardly a label changes, or labels repeat.

    Parameters
    ----------
    fit : callable
        ``fit(codes)`` returns scores of all samples, (n_samples, n_columns), by a
        regressor that was fitted to these labels.
    relabel : callable
        ``relabel(scores)`` returns the labels that follow from them, given ones kept.
    start : ndarray of int, shape (n_samples,)
        Labels to start from.
    max_iter : int
        Fits at the most.
    tol : float
        It ends when less than this share of the labels changes, or none does.
    callback : callable, optional
        Called as ``callback(n_iter, history)`` after each fit.

    Returns
    -------
    SolveResult
        The solution holds the labels. The history has as "criterion" the share of
        labels that changed, and as "objective" the number of changes. Labels that
        repeat after more than one step, a cycle, end it, too: relabeling by left-out
        values need not lower any objective.
    """
    codes, seen = start, {start.tobytes()}
    history = {"objective": [], "criterion": []}
    status, n_iter = Status.MAX_ITER, 0
    try:
        for n_iter in range(1, max_iter + 1):
            found = relabel(fit(codes))
            n_changed = int(np.sum(found != codes))
            history["objective"].append(float(n_changed))
            history["criterion"].append(n_changed / max(1, len(codes)))
            codes = found
            if callback is not None:
                callback(n_iter, history)
            is_settled = n_changed == 0 or history["criterion"][-1] < tol
            if is_settled or codes.tobytes() in seen:
                status = Status.CONVERGED
                break
            seen.add(codes.tobytes())
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    n_changed = history["objective"][-1] if history["objective"] else 0.0
    return SolveResult(codes, n_changed, status, n_iter, history)
