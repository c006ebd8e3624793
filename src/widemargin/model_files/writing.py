"""Files that are whole or not there."""

import contextlib
import os
import secrets


def write_whole(path, data):
    """Write bytes to a temporary file in the same folder and rename it over `path`.

    Whenever the process ends, `path` holds the old bytes or the new ones.
    """
    path = os.path.realpath(path)  # a link stays one
    folder, name = os.path.split(path)
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
