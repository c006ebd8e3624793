"""Places of all rows in the plane: principal components, then neighbors together."""

import numpy as np
from scipy import sparse
from sklearn.decomposition import PCA, TruncatedSVD

from widemargin.graphs import KnnGraph
from widemargin.linalg.products import suited_threads

_MANY_ROWS = 20_000  # beyond it fewer rounds are enough


def principal_plane(X, seed=0):
    """The first two principal components, (n_rows, 2), scaled to a unit square."""
    n_components = min(2, *X.shape)
    kind = TruncatedSVD if sparse.issparse(X) else PCA
    options = {"random_state": seed}
    if kind is PCA:
        options["svd_solver"] = "randomized"
    if kind is TruncatedSVD and X.shape[1] < 2:
        X, kind = X.toarray(), PCA
    with suited_threads(0), np.errstate(all="ignore"):
        found = kind(n_components, **options).fit_transform(X)
    plane = np.zeros((X.shape[0], 2))
    plane[:, : found.shape[1]] = np.nan_to_num(found)
    return _to_square(plane)


def neighbor_plane(X, start, seed=0):
    """Places that keep neighbors together, from those of another plane.

    Rows that the graph of the model joins attract each other, and random pairs of rows
    repel each other, with the forces of a Student distribution.
    """
    from widemargin.studio.layout_loops import move_points

    n_rows = X.shape[0]
    adjacency = sparse.triu(KnnGraph().adjacency(X), 1).tocoo()
    places = 10.0 * (start - start.mean(axis=0)).astype(np.float64)
    rng = np.random.default_rng(seed)
    places += rng.normal(scale=1e-3, size=places.shape)  # copies must not stay together
    n_rounds = 300 if n_rows <= _MANY_ROWS else 100
    heads, tails = adjacency.row.astype(np.int64), adjacency.col.astype(np.int64)
    weights = adjacency.data.astype(np.float64)
    order = rng.permutation(len(heads))
    move_points(places, heads[order], tails[order], weights[order], n_rounds, seed)
    return _to_square(places)


def _to_square(plane):
    """Between -1 and 1, but for the few rows that are far from all others."""
    low, high = np.percentile(plane, [0.5, 99.5], axis=0)
    half = max(float((high - low).max()) / 2, 1e-12)
    return np.clip((plane - (low + high) / 2) / half, -1.2, 1.2).astype(np.float32)
