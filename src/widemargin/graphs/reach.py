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
    """
    n_components, component = connected_components(adjacency, directed=False)
    reached = np.zeros(n_components, dtype=bool)
    reached[component[rows]] = True
    return n_components, ~reached[component]
