"""Kernel evaluation in a buffer of bounded size."""

import numpy as np

from widemargin.linalg.rows import BUFFER_BYTES, row_blocks


def scores_in_blocks(kernel, X, points, coef, buffer_bytes=BUFFER_BYTES):
    """The product kernel(X, points) @ coef without the whole kernel matrix.

    Parameters
    ----------
    kernel : callable
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    points : what ``kernel.points`` gave
    coef : ndarray of shape (n_points, k)
    buffer_bytes : int
        Size of the largest piece of the kernel matrix that is held at a time.

    Returns
    -------
    ndarray of shape (n_samples, k), in the type of X

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.kernels import Linear, scores_in_blocks
    >>> X = np.array([[1.0], [2.0]])
    >>> scores_in_blocks(Linear(), X, points=X, coef=np.array([[1.0], [1.0]]))
    array([[3.],
           [6.]])
    """
    scores = np.empty((X.shape[0], coef.shape[1]), dtype=X.dtype)
    blocks = row_blocks(X.shape[0], len(coef), coef.dtype.itemsize, buffer_bytes)
    for block in blocks:
        scores[block] = kernel(X[block], points) @ coef
    return scores
