"""The one way to compile a loop that Python cannot run fast.

Importing this module imports numba, which takes about half a second, and importing
widemargin must not. So a file that holds compiled loops imports this module at its
top, and the solver that needs the loops imports that file inside its function::

    # labelling/moves_loops.py: loops only, on plain arrays and scalars
    from widemargin.linalg.compiled import compiled

    @compiled
    def descend(s, tol, max_moves): ...

    # labelling/strategies.py
    def improve(self, problem, codes):
        from widemargin.labelling import moves_loops as loops
        ...

Two rules keep the cache on disk right. A compiled function calls only compiled
functions of its own file, because numba does not notice a change in another file.
And call a loop once before starting threads or processes that use it, or each of
them compiles it again.
"""

import functools
import logging
import sys
import time

import numba
from numba.core import event

_MESSAGE = "compiling numerical loops (once per installation, about 5 s)"


class Announcement(event.Listener):
    """Says once per process that loops are being compiled, if it takes over a second.

    numba triggers its event only where no code is found on disk. A terminal gets a
    line. Elsewhere, where it might end up in somebody's output, it is a log record of
    level INFO, which is silent by default.
    """

    def __init__(self):
        self.depth, self.begin, self.spent, self.is_made = 0, 0.0, 0.0, False

    def on_start(self, event):
        """Check the time: loops that a loop calls are compiled one by one."""
        owner, now = event.data["dispatcher"].py_func.__module__, time.perf_counter()
        if self.depth == 0:
            if not str(owner).startswith("widemargin."):
                return
            self.begin = now - self.spent  # as if all had been compiled at one stretch
        self.depth += 1
        if now - self.begin > 1.0 and not self.is_made:
            self.is_made = True
            if sys.stderr is not None and sys.stderr.isatty():
                print(f"widemargin: {_MESSAGE}", file=sys.stderr, flush=True)
            else:
                logging.getLogger("widemargin").info(_MESSAGE)

    def on_end(self, event):
        """Note the time that it took."""
        if self.depth > 0:
            self.depth -= 1
            self.spent = time.perf_counter() - self.begin


event.register("numba:compile", Announcement())


def compiled(function=None, **options):
    """Compile a function to machine code on first call and keep the code on disk.

    Options are those of :func:`numba.njit`, by default ``cache=True`` and
    ``nogil=True``; without a function the result is a decorator with these options.

    The cache lives where numba puts it: in `NUMBA_CACHE_DIR` if that is set, else
    beside the source file, else in the user's cache folder. If none of them can be
    written, the function is compiled anew in every process. A shared temporary
    folder is no way out: cache files are pickles, so that anyone who can write there
    could run code as the reader.
    """
    if function is None:
        return functools.partial(compiled, **options)
    options = {"cache": True, "nogil": True} | options
    try:
        return numba.njit(**options)(function)
    except RuntimeError as error:
        if "no locator available" not in str(error):
            raise
        return numba.njit(**options | {"cache": False})(function)
