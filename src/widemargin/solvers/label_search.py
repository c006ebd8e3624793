"""Many searches from many starts, the best of which counts."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from widemargin.solvers.label_starts import random_start
from widemargin.solvers.label_strategies import DENSE_ROWS, StopSearch
from widemargin.solvers.result import SolveResult, Status


def search_labels(problem, strategy, starts, seeds, *, n_threads=1, callback=None):
    """The labels of lowest objective that any of several searches finds.

    Parameters
    ----------
    problem : LabelProblem
    strategy : one of `label_strategies`
    starts : sequence of ndarrays of shape (n,)
        Labels to start from.
    seeds : sequence of int
        One for each start; the result depends on them and not on `n_threads`.
    n_threads : int
        Searches that run side by side.
    callback : callable, optional
        Called with the number of searches that have ended, and the history.

    Returns
    -------
    SolveResult
        The solution holds the codes, (n,). The history has one entry a search:
        "objective" (the lowest until then), "found" (of that search), "moves" and
        "seconds". An interrupt ends the searches; the best labels so far are returned.
    """
    if not len(starts):
        raise ValueError("search_labels needs at least one start, got none.")
    if strategy.reads_rows and problem.n_samples <= DENSE_ROWS:
        problem = problem.with_dense_mass()
    stop, records = threading.Event(), [None] * len(starts)
    history = {"objective": [], "found": [], "moves": [], "seconds": []}

    def pulse():
        if stop.is_set():
            raise StopSearch

    def search(index):
        begin = time.perf_counter()
        codes, n_moves = strategy.improve(
            problem, starts[index], int(seeds[index]), pulse
        )
        records[index] = codes, problem.value(codes), n_moves
        return index, time.perf_counter() - begin

    def note(index, seconds, is_quiet=False):
        _, value, n_moves = records[index]
        history["found"].append(value)
        history["objective"].append(min(history["found"]))
        history["moves"].append(n_moves)
        history["seconds"].append(seconds)
        if callback is not None and not is_quiet:
            callback(len(history["found"]), history)

    status = _run_all(search, note, len(starts), n_threads, stop)
    done = [record for record in records if record is not None]
    if not done:  # interrupted before the first search had begun
        done = [(starts[0], problem.value(starts[0]), 0)]
    values = np.array([value for _, value, _ in done])
    # The first one that is as good as the best up to rounding: the same on any machine.
    best = int(np.flatnonzero(values <= values.min() + 1e-9 * abs(values.min()))[0])
    return SolveResult(
        done[best][0], float(values[best]), status, sum(history["moves"]), history
    )


def make_starts(problem, n_starts, rng):
    """Random labels to start from, and a seed for each."""
    starts = [random_start(problem, rng) for _ in range(n_starts)]
    return starts, rng.integers(2**62, size=n_starts)


def _run_all(search, note, n_searches, n_threads, stop):
    """Every search, side by side if asked; the status at the end.

    Searches run in threads of their own even if one at a time, so that an interrupt,
    which reaches the main thread, can ask them for the best that they have.
    """
    status = Status.CONVERGED
    with ThreadPoolExecutor(max(1, n_threads)) as pool:
        futures = [pool.submit(search, index) for index in range(n_searches)]
        n_noted = 0
        try:
            for future in futures:
                outcome = future.result()
                n_noted += 1
                note(*outcome)
        except BaseException as error:
            stop.set()
            for future in futures:
                future.cancel()
            if not isinstance(error, KeyboardInterrupt):
                raise
            status = Status.INTERRUPTED
            for future in futures[n_noted:]:
                if not future.cancelled() and future.exception() is None:
                    note(*future.result(), is_quiet=True)
    return status
