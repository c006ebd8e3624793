"""Clusters from the leading eigenvectors of a smoother.

The k-means in there is that of scikit-learn, which is used as a function of arrays; no
other solver knows that scikit-learn exists.
"""

import warnings

import numpy as np
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh
from sklearn.exceptions import ConvergenceWarning

from widemargin.solvers.label_means import settle

_INITS = 5  # of k-means


def cluster_spectrum(problem, order, rng):
    """Clusters by k-means in the leading eigenvectors of the smoother, then settled.

    They maximize the mass inside the clusters divided by their sizes, approximately,
    and so prefer no size. Bounds of the problem may be broken.

    Parameters
    ----------
    problem : LabelProblem
    order : ndarray of shape (n,)
        All samples in the order in which chance is to see them.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int32, shape (n,), or None if the eigenvectors do not converge
    """
    from sklearn.cluster import KMeans  # takes time to import

    n_samples = problem.n_samples
    if n_samples <= problem.n_classes + 1:
        return np.arange(n_samples, dtype=np.int32) % problem.n_classes
    try:
        points = _leading_points(problem.smoother, problem.n_classes)
    except ArpackNoConvergence:
        return None
    seed = int(rng.integers(2**31))
    k_means = KMeans(problem.n_classes, n_init=_INITS, random_state=seed)
    codes = np.empty(n_samples, dtype=np.int32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct points
        codes[order] = k_means.fit_predict(points[order])
    return settle(problem, codes) if problem.is_feasible(codes) else codes


def _leading_points(smoother, rank):
    """Points whose inner products are nearest to the mass, (n, rank)."""
    n_samples = smoother.n_samples
    mass = LinearOperator(
        (n_samples, n_samples),
        matvec=lambda v: n_samples * smoother.mass_product(v.reshape(-1, 1))[:, 0],
        dtype=np.float64,
    )
    values, vectors = eigsh(mass, rank, v0=np.ones(n_samples))
    return vectors * np.sqrt(np.maximum(values, 0.0))
