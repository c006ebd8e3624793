"""Which parts of a graph some rows reach."""

import numpy as np
from scipy.sparse.csgraph import connected_components


def unreached_components(adjacency, row_idx):
    """Connected components without any of some rows.

    Returns
    -------
    n_components : int
        Components in all.
    unreached : ndarray of bool, shape (n_rows,)
        Rows in components that hold none of `row_idx`.

    Examples
    --------
    >>> from scipy import sparse
    >>> from widemargin.graphs import unreached_components
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
    """Some rows and the nearest ones along a graph, `n_rows` in all.

    A random part of a graph would fall to pieces; this one stays connected as far as
    the graph is.

    Parameters
    ----------
    adjacency : CSR matrix of shape (n_all_rows, n_all_rows)
    row_idx : ndarray of int
        Rows to begin with; all of them are kept.
    n_rows : int
    rng : numpy.random.Generator
        For the choice among rows that are equally many edges away.

    Returns
    -------
    ndarray of int, increasing

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from widemargin.graphs import rows_near
    >>> path = sparse.csr_array(np.eye(5, k=1) + np.eye(5, k=-1))
    >>> rows_near(path, np.array([0]), 3, np.random.default_rng(0))
    array([0, 1, 2])
    """
    kept = np.zeros(adjacency.shape[0], dtype=bool)
    kept[row_idx] = True
    while (n_missing := n_rows - int(kept.sum())) > 0 and not kept.all():
        frontier = (adjacency @ kept.astype(np.float64) > 0) & ~kept
        if not frontier.any():  # no edge leads further
            frontier = ~kept
        others = np.flatnonzero(frontier)
        kept[rng.choice(others, min(n_missing, len(others)), replace=False)] = True
    return np.flatnonzero(kept)
