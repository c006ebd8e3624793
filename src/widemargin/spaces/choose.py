"""Which functions are learned: exact, over landmarks, or linear in the features."""

import math
import os
from contextlib import suppress
from pathlib import Path

import numpy as np

from widemargin.defaults import GRAM_BYTES, SHARED_BYTES
from widemargin.kernels import Linear
from widemargin.kernels.base import WidthKernel
from widemargin.kernels.nystrom import Landmarks, Nystrom, choose_in_pool, draw_pool
from widemargin.spaces.features import linear_space, nystrom_space
from widemargin.spaces.gram import GramRowSpace, GramSpace

_LEAST_SPREAD = 8e-5  # part of the mean diagonal that is left of a centered kernel
_COST_UNITS = 1e-8, 1e10  # beyond, a cost of one changes nothing, or all of it


def choose_space(
    kernel, rows, landmarks, rng, *, ladder, who, features=True, sparse_features=False,
    reads_rows=False, gram_bytes=GRAM_BYTES,
):  # fmt: skip
    """The space of functions for a kernel, whose width is a number, on some rows.

    `landmarks` (Nystrom, int, "auto" or None for exact functions) is what the user
    wants; "auto" leaves it to `ladder`. `features` is whether a linear kernel of few
    features becomes these features, `sparse_features` whether the solver takes sparse
    ones, and `reads_rows` that it reads rows of the Gram matrix, which is then not kept
    from `gram_bytes` on. Rows in blocks always have landmarks. Messages name the
    estimator `who`.
    """
    n_rows, given = len(rows), landmarks
    if rows.in_blocks and landmarks is None:
        raise ValueError(
            f"{who} got {rows}, and exact kernels (landmarks=None or solver='smo') "
            "need them in one matrix; set landmarks to 'auto' or to a number, with a "
            "solver that takes them, or join the blocks."
        )
    if rows.in_blocks and landmarks == "auto":
        landmarks = ladder.n_landmarks
    # Features are smaller than the Gram matrix, and their problem is the same.
    is_narrow = rows.n_features < n_rows and not rows.is_sparse
    is_few = features and (is_narrow or (rows.is_sparse and sparse_features))
    if isinstance(kernel, Linear) and is_few and landmarks in (None, "auto"):
        return linear_space(rows)
    if landmarks == "auto":
        landmarks = ladder.n_landmarks if n_rows > ladder.exact_rows else None
    if landmarks is not None:
        return landmark_space(kernel, rows, landmarks, rng, who)
    is_large = n_rows**2 * rows.dtype.itemsize > gram_bytes
    # A Gram matrix that the user passed is in memory already.
    if is_large and reads_rows and not rows.pairwise:
        return GramRowSpace(kernel, rows)
    setting = "kernel='precomputed'" if rows.pairwise else f"landmarks={given!r}"
    check_gram_memory(n_rows, rows.dtype.itemsize, who, setting)
    # Only a width is compared. Landmarks are drawn by each model with its own seed.
    is_shared = rows.shared is not None and isinstance(kernel, WidthKernel)
    if not is_shared or n_rows**2 * rows.dtype.itemsize > SHARED_BYTES:
        return GramSpace(kernel(rows.X), kernel, rows)
    space = rows.shared.get(GramSpace)
    if space is None or space.kernel != kernel:  # one at a time, for its memory
        space = rows.shared[GramSpace] = GramSpace(kernel(rows.X), kernel, rows)
    return space


def landmark_space(kernel, rows, landmarks, rng, who):
    """The features of landmarks that are drawn from the rows."""
    if isinstance(landmarks, Landmarks) and not isinstance(landmarks, Nystrom):
        raise ValueError(
            f"landmarks of {who} must be those of a Nystrom approximation, got "
            f"{landmarks!r}; use Nystrom({landmarks.n_landmarks})."
        )
    nystrom = landmarks if isinstance(landmarks, Nystrom) else Nystrom(int(landmarks))
    size, choice, n_rows = nystrom.n_landmarks, nystrom.choice, len(rows)
    pool_idx = draw_pool(n_rows, size, rng, choice, pivots_all=not rows.in_blocks)
    chosen = choose_in_pool(kernel, rows.take(pool_idx).X, size, rng, choice)
    return nystrom_space(kernel, rows, np.sort(pool_idx[chosen]))


def check_scale(space, kernel, who):
    """The mean diagonal of a kernel; raise unless it can be divided by.

    Regularization is measured by it. So it must not be the product of two means, of
    rows that are far from the origin compared with their distances.
    """
    scale = space.mean_diagonal()
    if not 0 < scale < math.inf:
        raise ValueError(
            f"the kernel of {who} must have a positive diagonal, got {scale:g} on "
            "average; look for rows of zeros, or for a kernel that is not positive "
            "semi-definite."
        )
    spread = 1.0 - space.mean_value() / scale
    # A power d of inner products multiplies their relative differences by d.
    least_spread = _LEAST_SPREAD * getattr(kernel, "degree", 1)
    if kernel.sees_offsets and space.n_rows > 1 and spread < least_spread:
        raise ValueError(
            f"the kernel of {who}, {kernel!r}, is nearly constant: all but "
            f"{max(spread, 0.0):.1e} of it is the squared length of the mean row. "
            "Subtract the means of the columns, as in make_pipeline(StandardScaler(), "
            f"{who}(...)), or use kernel='rbf'."
        )
    return scale


def check_cost_unit(space, who):
    """Raise unless costs of a hinge loss suit the unit of a kernel, its variance."""
    scale = space.mean_diagonal() - space.mean_value()
    if not _COST_UNITS[0] <= scale <= _COST_UNITS[1]:
        raise ValueError(
            f"the kernel of {who} must have a variance from {_COST_UNITS[0]:g} to "
            f"{_COST_UNITS[1]:g}, the unit of costs such as C, got {scale:g}; rescale "
            f"X, as in make_pipeline(StandardScaler(), {who}(...)), or use "
            "kernel='rbf'."
        )


def check_gram_memory(n_rows, itemsize, who, setting, installed=None):
    """Raise if a Gram matrix, of some setting, is larger than the memory for it."""
    needed = n_rows**2 * itemsize
    installed = allowed_memory() if installed is None else installed
    if installed is not None and needed > installed:
        raise MemoryError(
            f"{who} with {setting} needs a Gram matrix of {n_rows:,} rows, "
            f"{needed / 2**30:.0f} GiB, and this machine has {installed / 2**30:.0f} "
            "GiB for this process; set landmarks (1000, say) to work with a low-rank "
            "kernel."
        )


def allowed_memory(folder=Path("/sys/fs/cgroup")):
    """Bytes that this process may use, or None where the system does not say.

    That is the least of physical memory, the limit of the process (`ulimit -v`) and
    that of its container.
    """
    limits = []
    with suppress(AttributeError, ValueError, OSError):
        limits.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    with suppress(ImportError, OSError):
        import resource  # not on every system

        soft, _ = resource.getrlimit(resource.RLIMIT_AS)
        limits += [soft] if soft != resource.RLIM_INFINITY else []
    for name in ("memory.max", "memory/memory.limit_in_bytes"):  # cgroup 2 and 1
        with suppress(OSError, ValueError):
            limits.append(int((folder / name).read_text()))  # or "max", for none
    return min(limits, default=None)
