"""Self-labeling: fit a regressor to the labels, relabel by what it says, and repeat."""

from dataclasses import replace

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


def alternate_from(starts, fit, relabel, surprise, *, margin=0.0, **options):
    """The best of several loops; parameters as in `alternate`, and these.

    Parameters
    ----------
    starts : list of ndarrays of int, shape (n_samples,)
        Labels to start from, the most trusted first.
    surprise : callable
        ``surprise(codes)`` is minus the log likelihood of labels. The loop that ends
        with the lowest wins; of equal ones the first.
    margin : float
        By how much a later loop must be below the first one to win.

    Returns
    -------
    SolveResult
        Of the loop that won. An interrupt ends it with the best so far.
    """
    best, lowest = None, np.inf
    for start in starts:
        result = alternate(fit, relabel, start, **options)
        if result.status is Status.INTERRUPTED:
            return replace(best or result, status=Status.INTERRUPTED)
        if len(starts) == 1:
            return result
        try:
            found = surprise(result.solution)
        except KeyboardInterrupt:
            return replace(best or result, status=Status.INTERRUPTED)
        if best is None:
            best, lowest = result, found - margin
        elif found < lowest:
            best, lowest = result, found
    return best
