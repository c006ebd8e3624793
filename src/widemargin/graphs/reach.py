"""Which parts of a graph no label can reach."""

import numpy as np
from scipy.sparse.csgraph import connected_components


def unreached_components(adjacency, rows):
    """Connected components without any of the samples `rows`.

    Returns
    -------
    n_components : int
        Components in all.
    unreached : ndarray of bool, shape (n_samples,)
        Samples in components that hold none of `rows`.

    Examples
    --------
    >>> from scipy import sparse
    >>> from widemargin.graphs import unreached_components
    >>> pair_and_one = sparse.csr_array([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    >>> n_components, unreached = unreached_components(pair_and_one, rows=[0])
    >>> n_components, unreached.tolist()
    (2, [False, False, True])
    """
    n_components, component = connected_components(adjacency, directed=False)
    reached = np.zeros(n_components, dtype=bool)
    reached[component[rows]] = True
    return n_components, ~reached[component]
