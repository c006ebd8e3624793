"""Files that are whole or not there."""

import contextlib
import errno
import glob
import os
import secrets
import stat
import time

_STALE = 3600  # seconds after which nobody writes to a temporary file any more


def write_whole(path, data):
    """Write a hidden file beside `path` and rename it: `path` is whole at any time.

    `data` are bytes, or a function that writes them to a file in several steps.
    A file that is replaced keeps its mode. OSError, which names `path`, for what is no
    regular file: a pipe, a device or a folder.
    """
    target = os.path.realpath(path)  # a link stays one
    folder, name = os.path.split(target)
    temporary = os.path.join(folder, f".{name}.{secrets.token_hex(8)}.tmp")
    try:
        mode = _mode_of(target)
        _remove_leftovers(folder, name)
        # Nobody may open the new file who may not open the old one.
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        number = os.open(temporary, flags, 0o666 if mode is None else mode & 0o700)
        with open(number, "wb") as file:
            data(file) if callable(data) else file.write(data)
            file.flush()
            if mode is not None:
                os.chmod(temporary, mode)  # what umask took away included
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError) and error.errno:
            reason = error.strerror or os.strerror(error.errno)
            raise OSError(error.errno, reason, str(path)) from error
        raise


def _mode_of(path):
    """Permissions of a regular file, None if there is none; OSError for others."""
    try:
        found = os.stat(path).st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(found):
        raise IsADirectoryError(errno.EISDIR, "")
    if not stat.S_ISREG(found):
        raise OSError(errno.EINVAL, "not a regular file; nothing was written")
    return stat.S_IMODE(found)


def _remove_leftovers(folder, name):
    """Remove the temporary files of processes that were killed."""
    pattern = os.path.join(glob.escape(folder), f".{glob.escape(name)}.{'?' * 16}.tmp")
    for leftover in glob.glob(pattern):
        with contextlib.suppress(OSError):
            if time.time() - os.path.getmtime(leftover) > _STALE:
                os.unlink(leftover)
