"""Which functions are learned: exact, over landmarks, or linear in the features."""

import math
import os
from dataclasses import replace

import numpy as np

from widemargin.defaults import GRAM_BYTES, SHARED_BYTES
from widemargin.kernels import Linear
from widemargin.kernels.base import WidthKernel
from widemargin.kernels.nystrom import Landmarks, Nystrom, choose_landmarks
from widemargin.spaces.features import linear_space, nystrom_space
from widemargin.spaces.gram import GramRowSpace, GramSpace

_POOL = 20  # rows looked at for each landmark, where rows come in blocks


def choose_space(
    kernel, rows, landmarks, rng, *, ladder, who, features=True, sparse_features=False,
    reads_rows=False, gram_bytes=GRAM_BYTES,
):  # fmt: skip
    """The space of functions for a kernel, whose width is a number, on some rows.

    `landmarks` (Nystrom, int, "auto" or None for exact functions) is what the user
    wants; "auto" leaves it to `ladder`. `features` says whether a linear kernel of few
    features becomes these features, `sparse_features` whether the solver takes sparse
    ones, and `reads_rows` that it reads rows of the Gram matrix, which is then not kept
    from `gram_bytes` on. Messages name the estimator `who`.
    """
    n_rows = len(rows)
    is_narrow = rows.n_features < n_rows and not rows.is_sparse
    is_few = features and (is_narrow or (rows.is_sparse and sparse_features))
    if isinstance(kernel, Linear) and is_few and landmarks in (None, "auto"):
        return linear_space(rows)
    if landmarks == "auto":
        landmarks = ladder.n_landmarks if n_rows > ladder.exact_rows else None
    if landmarks is not None:
        return landmark_space(kernel, rows, landmarks, rng, who)
    is_large = n_rows**2 * rows.dtype.itemsize > gram_bytes
    if is_large and reads_rows and not rows.pairwise:
        return GramRowSpace(kernel, rows)
    check_gram_memory(n_rows, rows.dtype.itemsize, who)
    # Only a width is compared. Landmarks are drawn by each model with its own seed.
    is_shared = rows.shared is not None and isinstance(kernel, WidthKernel)
    if not is_shared or n_rows**2 * rows.dtype.itemsize > SHARED_BYTES:
        return GramSpace(kernel(rows.X), kernel, rows)
    space = rows.shared.get(GramSpace)
    if space is None or space.kernel != kernel:  # one at a time, for its memory
        space = rows.shared[GramSpace] = GramSpace(kernel(rows.X), kernel, rows)
    return space


def neighbor_graph(graph, kernel, rows):
    """The adjacency matrix of a graph on some rows."""
    X, metric = kernel.geometry(rows.X)
    if rows.shared is None or X is not rows.X:
        return graph.adjacency(X, metric)
    edges = replace(graph, power="auto", normalized=True)  # not of the Laplacian
    adjacency = rows.shared.get((edges, metric))
    if adjacency is None:
        adjacency = rows.shared[edges, metric] = graph.adjacency(X, metric)
    return adjacency


def landmark_space(kernel, rows, landmarks, rng, who):
    """The features of landmarks that are drawn from the rows."""
    if isinstance(landmarks, Landmarks) and not isinstance(landmarks, Nystrom):
        raise ValueError(
            f"landmarks of {who} must be those of a Nystrom approximation, got "
            f"{landmarks!r}; use Nystrom({landmarks.n_landmarks})."
        )
    wish = landmarks if isinstance(landmarks, Nystrom) else Nystrom(int(landmarks))
    pool_idx, pool = np.arange(len(rows)), rows
    if hasattr(rows, "parts"):  # rows in blocks: draw from some of them
        size = min(len(rows), _POOL * wish.n_landmarks)
        pool_idx = rng.choice(len(rows), size, replace=False)
        pool = rows.take(pool_idx)
    chosen = choose_landmarks(kernel, pool.X, wish.n_landmarks, rng, wish.choice)
    return nystrom_space(kernel, rows, pool_idx[chosen])


def check_scale(scale, who):
    """Raise unless the mean diagonal of a kernel can be divided by."""
    if not 0 < scale < math.inf:
        raise ValueError(
            f"the kernel of {who} must have a positive diagonal, got {scale:g} on "
            "average; look for rows of zeros, or for a kernel that is not positive "
            "semi-definite."
        )


def check_gram_memory(n_rows, itemsize, who, installed=None):
    """Raise if a Gram matrix is larger than the machine's memory."""
    needed = n_rows**2 * itemsize
    installed = _installed_memory() if installed is None else installed
    if installed is not None and needed > installed:
        raise MemoryError(
            f"{who} with landmarks=None needs a Gram matrix of {n_rows:,} rows, "
            f"{needed / 2**30:.0f} GiB, and this machine has {installed / 2**30:.0f} "
            "GiB; set landmarks (1000, say) to work with a low-rank kernel."
        )


def _installed_memory():
    """Bytes of physical memory, or None where the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
