"""A user's own graph, and which rows others reach along a graph."""

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components


def check_adjacency(adjacency, n_samples):
    """A user's graph as a valid CSR matrix: square, symmetric, finite, non-negative.

    Self loops are dropped, since they change no Laplacian.

    Examples
    --------
    >>> from widemargin.graphs import check_adjacency
    >>> check_adjacency([[5, 1], [1, 0]], n_samples=2).toarray()
    array([[0., 1.],
           [1., 0.]])
    """
    adjacency = sparse.csr_matrix(adjacency, copy=True)
    if adjacency.shape != (n_samples, n_samples):
        raise ValueError(
            f"adjacency must have shape ({n_samples}, {n_samples}), one row and column "
            f"for each sample, got {adjacency.shape}."
        )
    if adjacency.dtype not in (np.float32, np.float64):
        adjacency = adjacency.astype(np.float64)
    invalid = ~np.isfinite(adjacency.data) | (adjacency.data < 0)
    if invalid.any():
        raise ValueError(
            "adjacency must hold finite weights >= 0, "
            f"got {adjacency.data[invalid][0]:g}."
        )
    asymmetry = abs(adjacency - adjacency.T).max()
    if asymmetry > 1e-6 * max(adjacency.max(), 1e-300):
        raise ValueError(
            f"adjacency must be symmetric, got entries that differ by {asymmetry:g}; "
            "use adjacency.maximum(adjacency.T)."
        )
    adjacency.setdiag(0)
    adjacency.eliminate_zeros()
    return adjacency


def unreached_components(adjacency, row_idx):
    """Number of connected components, and the rows of those without any of some rows.

    Examples
    --------
    >>> pair_and_one = sparse.csr_array([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    >>> n_components, unreached = unreached_components(pair_and_one, row_idx=[0])
    >>> n_components, unreached.tolist()
    (2, [False, False, True])
    """
    n_components, component = connected_components(adjacency, directed=False)
    reached = np.zeros(n_components, dtype=bool)
    reached[component[row_idx]] = True
    return n_components, ~reached[component]


def rows_near(adjacency, row_idx, n_rows, rng):
    """Some rows and the nearest ones along a graph, `n_rows` in all, increasing.

    A random part of a graph would fall to pieces; this one stays connected as far as
    the graph is. `rng` chooses among rows that are equally many edges away.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from widemargin.graphs import rows_near
    >>> chain = sparse.diags([np.ones(5), np.ones(5)], [-1, 1])
    >>> rows_near(chain, [0], 3, np.random.default_rng(0)).tolist()
    [0, 1, 2]
    """
    kept = np.zeros(adjacency.shape[0], dtype=bool)
    kept[row_idx] = True
    while (n_missing := n_rows - int(kept.sum())) > 0 and not kept.all():
        # Rows that are one edge away from those that are kept.
        frontier = (adjacency @ kept.astype(np.float64) > 0) & ~kept
        if not frontier.any():  # no edge leads further
            frontier = ~kept
        others = np.flatnonzero(frontier)
        kept[rng.choice(others, min(n_missing, len(others)), replace=False)] = True
    return np.flatnonzero(kept)
