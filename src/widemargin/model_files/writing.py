"""Files that are whole or not there."""

import contextlib
import glob
import os
import secrets
import time

_STALE = 3600  # seconds after which nobody writes to a temporary file any more


def write_whole(path, data):
    """Write a hidden file beside `path` and rename it: `path` is whole at any time."""
    path = os.path.realpath(path)  # a link stays one
    folder, name = os.path.split(path)
    # Remove the temporary files of processes that were killed.
    pattern = os.path.join(glob.escape(folder), f".{glob.escape(name)}.{'?' * 16}.tmp")
    for leftover in glob.glob(pattern):
        with contextlib.suppress(OSError):
            if time.time() - os.path.getmtime(leftover) > _STALE:
                os.unlink(leftover)
    temporary = os.path.join(folder, f".{name}.{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
