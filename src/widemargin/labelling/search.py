"""Many searches from many starts, the best of which counts."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from widemargin.defaults import DENSE_ROWS
from widemargin.solvers.driver import Interruptible
from widemargin.solvers.result import SolveResult, Status


def search_labels(
    problem, search, starts, seeds, n_threads=1, callback=None, *, dense_rows=DENSE_ROWS
):
    """The labels of lowest objective that any of several searches finds.

    There is a seed for each start; the result depends on them and not on `n_threads`.
    Up to `dense_rows` points all ties of a low-rank smoother are kept where rows of
    them are read. `callback` gets the number of ended searches and the history, lists
    with an entry per search: "objective" (lowest until then), "found", "moves" and
    "seconds". After an interrupt the best labels so far are returned.
    """
    if not len(starts):
        raise ValueError("search_labels needs at least one start, got none.")
    is_low_rank = problem.smoother.low_rank
    if is_low_rank and search.reads_rows and problem.n_samples <= dense_rows:
        problem = problem.with_dense_smoother()
    stop, records = threading.Event(), [None] * len(starts)
    history = {"objective": [], "found": [], "moves": [], "seconds": []}

    def goes_on():
        return not stop.is_set()

    def run_one(index):
        begin, seed = time.perf_counter(), int(seeds[index])
        codes, n_moves = search.improve(problem, starts[index], seed, goes_on)
        records[index] = codes, problem.value(codes), n_moves
        return index, time.perf_counter() - begin

    def note(index, seconds):
        _, value, n_moves = records[index]
        history["found"].append(value)
        history["objective"].append(min(history["found"]))
        history["moves"].append(n_moves)
        history["seconds"].append(seconds)

    # Searches run in threads of their own even if one at a time, so that an interrupt,
    # which reaches the main thread, can stop them after their current piece of work.
    with ThreadPoolExecutor(max(1, n_threads)) as pool, Interruptible() as run:
        futures, n_noted = [], 0
        try:
            for index in range(len(starts)):
                futures.append(pool.submit(run_one, index))
            for future in futures:
                outcome = future.result()
                n_noted += 1
                note(*outcome)
                if callback is not None:
                    callback(n_noted, history)
        finally:
            # Searches that run see it at their next `goes_on`, the others never begin.
            stop.set()
            for future in futures:
                future.cancel()
    if run.was_interrupted:
        for future in futures[n_noted:]:
            if not future.cancelled() and future.exception() is None:
                note(*future.result())
    done = [record for record in records if record is not None]
    if not done:  # interrupted before the first search had begun
        done = [(starts[0], problem.value(starts[0]), 0)]
    values = np.array([value for _, value, _ in done])
    # The first one that is as good as the best up to rounding, which is the same on
    # every machine.
    best = int(np.flatnonzero(values <= values.min() + 1e-9 * abs(values.min()))[0])
    status = Status.INTERRUPTED if run.was_interrupted else Status.CONVERGED
    return SolveResult(
        done[best][0], float(values[best]), status, sum(history["moves"]), history
    )
