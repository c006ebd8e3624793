"""Processes that work for this one, and end when it ends."""

import ctypes
import os
import signal
import sys
import threading
import time

_LOOK = 0.3  # seconds after which a process looks for its parent again
_PR_SET_PDEATHSIG = 1  # of Linux, <sys/prctl.h>


def parallel(n_jobs, **options):
    """scikit-learn's `Parallel`, whose processes never outlive this one.

    They would wait minutes for more work if this one is killed.
    """
    # This module itself is imported fast: until then a new process does not watch.
    from sklearn.utils.parallel import Parallel

    # Linux kills processes with the thread that started them: any other may end early.
    is_main = threading.current_thread() is threading.main_thread()
    together = {"initializer": end_with, "initargs": (os.getpid(), is_main)}
    return Parallel(n_jobs, **together, **options)


def end_with(parent, by_kernel=True):
    """Let this process end as soon as its parent, a process id, has ended."""
    if os.name != "posix":
        return
    if by_kernel and sys.platform == "linux":  # even in the middle of compiled code
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)

    def watch():
        while os.getppid() == parent:
            time.sleep(_LOOK)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
