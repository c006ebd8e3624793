"""The one way to compile a loop that Python cannot run fast.

Importing this module imports numba, which takes about half a second, and importing
widemargin must not. So a file that holds compiled loops imports this module at its
top, and the solver that needs the loops imports that file inside its function::

    # solvers/_label_moves.py: loops only, on plain arrays and scalars
    from widemargin.linalg.compiled import compiled

    @compiled
    def cheapest_move(costs, movable): ...

    # solvers/label_search.py
    def label_search(R, codes, movable, n_classes):
        from widemargin.solvers._label_moves import cheapest_move
        ...

Two rules keep the cache on disk right. A compiled function calls only compiled
functions of its own file, because numba does not notice a change in another file.
And call a loop once before starting threads or processes that use it, or each of
them compiles it again.
"""

import functools

import numba


def compiled(function=None, **options):
    """Compile a function to machine code on first call and keep the code on disk.

    Options are those of :func:`numba.njit`, by default ``cache=True`` and
    ``nogil=True``; without a function the result is a decorator with these options.

    The cache lives where numba puts it: in `NUMBA_CACHE_DIR` if that is set, else
    beside the source file, else in the user's cache folder. If none of them can be
    written, the function is compiled anew in every process. A shared temporary
    folder is no way out: cache files are pickles, so that whoever can write there
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
