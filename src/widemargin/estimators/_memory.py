"""Refuse what cannot fit before it is tried."""

import os


def check_gram_memory(n_samples, itemsize, name):
    """Raise if a Gram matrix is larger than the machine's memory."""
    needed = n_samples**2 * itemsize
    installed = _installed_memory()
    if installed is not None and needed > installed:
        raise MemoryError(
            f"{name} with n_landmarks=None needs a Gram matrix of {n_samples:,} rows, "
            f"{needed / 2**30:.0f} GiB, and this machine has {installed / 2**30:.0f} "
            "GiB; set n_landmarks (1000, say) to work with a low-rank kernel."
        )


def _installed_memory():
    """Bytes of physical memory, or None where the system does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
