"""What the user passed to fit, checked."""

import numpy as np
from sklearn.utils.validation import check_consistent_length, validate_data

from widemargin.estimators._checks import check_gram, check_sample_weight
from widemargin.estimators._kernel_machine import FLOATS
from widemargin.estimators._search_sample import collect_points
from widemargin.labels import read_labels


def read_rows(estimator, X, y, sample_weight):
    """The rows, or their Gram matrix, and a weight for each."""
    pairwise = estimator.kernel == "precomputed"
    X = validate_data(
        estimator, X, accept_sparse=False if pairwise else "csr", dtype=FLOATS
    )
    if y is not None:
        check_consistent_length(X, y)
    weights = check_sample_weight(estimator, sample_weight, X.shape[0])
    if pairwise:
        check_gram(estimator, X)
    return X, weights


def read_sample(estimator, X, y, sample_weight):
    """All rows, the positions of those used, their labels, and the sample of them."""
    X, weights = read_rows(estimator, X, y, sample_weight)
    labels, used = read_labels(y, weights > 0), np.flatnonzero(weights)
    pairwise = estimator.kernel == "precomputed"
    return X, used, labels, collect_points(X, labels, weights, used, pairwise=pairwise)
