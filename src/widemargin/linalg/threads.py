"""Threads of linear algebra."""

from contextlib import nullcontext

from threadpoolctl import threadpool_limits

_SMALL_ROWS = 2000  # matrices of which are done before a second thread has begun


def suited_threads(n_rows):
    """A context in which linear algebra on few rows runs in one thread.

    With more, threads that wait for each other take many times longer on a busy
    machine, and gain little on an idle one.
    """
    if n_rows > _SMALL_ROWS:
        return nullcontext()
    return threadpool_limits(1, user_api="blas")
