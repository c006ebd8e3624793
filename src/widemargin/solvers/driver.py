"""The one way a solver runs: step by step, with progress, limits and interrupts.

A solver changes its state only between two steps, so that any end leaves the best one.
"""

from widemargin.solvers.result import Status


class Interruptible:
    """A block of work that an interrupt (Ctrl-C) ends without an error.

    >>> with Interruptible() as work:
    ...     raise KeyboardInterrupt
    >>> work.was_interrupted
    True
    """

    was_interrupted = False

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.was_interrupted = kind is not None and issubclass(kind, KeyboardInterrupt)
        return self.was_interrupted

    def status(self, otherwise=Status.CONVERGED):
        """INTERRUPTED if it was, or else the status that it would have ended with."""
        return Status.INTERRUPTED if self.was_interrupted else otherwise


def drive(steps, history, *, max_iter, callback=None):
    """Take a solver's steps until it ends; returns the status and the number of steps.

    Each step yields None to go on, or the `Status` with which it ends, and is followed
    by ``callback(n_iter, history)``. The steps are a generator, or
    ``iter(run.step, StopIteration)`` for a method that returns what a step yields: it
    is called once per step, whereas a generator is also resumed to be closed.

    A solver whose limit is not a number of steps in this sense counts by itself, as
    `smo`, which takes many steps between two pauses. It calls
    ``drive(steps, history, max_iter=np.inf)``, calls its callback within its steps and
    yields `MAX_ITER` at its own limit. Only interrupts are left to `drive`.
    """
    n_iter, ended = 0, None
    with Interruptible() as run:
        for ended in steps if max_iter > 0 else ():
            n_iter += 1
            if callback is not None and ended is not Status.INTERRUPTED:
                callback(n_iter, history)
            if ended is not None or n_iter >= max_iter:
                break
    return run.status(Status.MAX_ITER if ended is None else ended), n_iter
