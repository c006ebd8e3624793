"""Small Laplacian problems for the tests of objectives and solvers."""

import numpy as np

from widemargin.graphs import graph_laplacian, knn_adjacency
from widemargin.kernels import NystromMap, Rbf
from widemargin.labels import sign_coding
from widemargin.objectives.laplacian import Intercept, ManifoldObjective
from widemargin.objectives.losses import SquaredHinge
from widemargin.spaces import FeatureSpace, GramSpace


def make_objective(
    rng,
    *,
    n_samples=60,
    n_labels=15,
    n_classes=3,
    loss=None,
    ambient=1e-3,
    intrinsic=1e-2,
    intercept=None,
    normalized=True,
    power=2,
    features=False,
    dtype=np.float64,
    copies=0,
):
    """A random problem: noisy classes, so that labels lie inside the margin.

    `intercept` is None, "inside" the graph term, or "penalized" outside of it.
    """
    intercept = {
        None: None,
        "inside": Intercept(inside=True),
        "penalized": Intercept(penalty=0.05, inside=False),
    }[intercept]
    X = rng.standard_normal((n_samples, 3))
    X[:copies] = X[n_samples - 1]
    codes = (X[:n_labels, 0] > 0) + rng.integers(0, n_classes - 1, n_labels)
    codes[:n_classes] = np.arange(n_classes)
    X = X.astype(dtype)
    kernel = Rbf(0.5)
    if features:
        space = FeatureSpace(NystromMap.fit(kernel, X, np.arange(n_samples))(X))
    else:
        space = GramSpace(kernel(X))
    weights = rng.uniform(0.5, 1.5, n_labels)
    return ManifoldObjective(
        space,
        graph_laplacian(knn_adjacency(X, 5), normalized=normalized, power=power),
        np.arange(n_labels),
        sign_coding(codes, n_classes),
        weights / weights.sum(),
        loss or SquaredHinge(),
        ambient,
        intrinsic,
        intercept,
    )
