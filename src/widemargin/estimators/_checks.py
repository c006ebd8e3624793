"""Checks of what is passed to `fit`: who, what, the value, and the way out."""

import numpy as np
from scipy import sparse
from sklearn.utils.class_weight import compute_class_weight

from widemargin.checks import check_choice, check_number, plain, refuse  # noqa: F401


def check_sample_weight(estimator, sample_weight, n_samples):
    """Weights as an array, one for each sample: finite, >= 0, not all zero."""
    if sample_weight is None:
        return np.ones(n_samples)
    weights = np.array(sample_weight, dtype=np.float64)
    name = type(estimator).__name__
    if weights.ndim == 0:
        weights = np.full(n_samples, float(weights))
    if weights.shape != (n_samples,):
        raise ValueError(
            f"sample_weight of {name}.fit must have shape ({n_samples},), one weight "
            f"for each sample, got {weights.shape}."
        )
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise ValueError(
            f"sample_weight of {name}.fit must be finite, >= 0 and not all zero, got "
            f"values from {weights.min():g} to {weights.max():g}."
        )
    return weights


def class_weights(estimator, labels):
    """Weight of each label by its class, from the parameter `class_weight`."""
    names = labels.classes[labels.codes]
    weights = compute_class_weight(
        estimator.class_weight, classes=labels.classes, y=names
    )
    if not np.isfinite(weights).all() or (weights < 0).any():
        refuse(estimator, "class_weight", "'balanced' or a dict of finite weights >= 0")
    return weights[labels.codes]


def check_gram(estimator, X):
    """Raise unless X can be the Gram matrix of the training samples."""
    name = f"X of {type(estimator).__name__}.fit with kernel='precomputed'"
    if X.shape[0] != X.shape[1]:
        raise ValueError(
            f"{name} must be the square Gram matrix of the training samples, got shape "
            f"{X.shape}."
        )
    asymmetry = float(np.abs(X - X.T).max())
    if asymmetry > 1e-4 * float(np.abs(X).max()):
        raise ValueError(
            f"{name} must be symmetric, got entries that differ by {asymmetry:g}; "
            "use (K + K.T) / 2 if the difference is rounding."
        )


def check_squares(estimator, X):
    """Raise unless squared distances of the samples are finite."""
    values = X.data if sparse.issparse(X) else X
    if not values.size:
        return
    largest, limit = float(np.abs(values).max()), float(np.finfo(X.dtype).max)
    if largest > np.sqrt(limit / (4.0 * X.shape[1])):
        raise ValueError(
            f"X of {type(estimator).__name__} holds values up to {largest:.1e}, whose "
            f"squares are too large for {X.dtype}; divide X by a constant."
        )
