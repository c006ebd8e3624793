"""Kernel ridge regressions to labels, for many penalties, with exact leave-one-out."""

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Ridge:
    """One fitted regression."""

    # over the kernel as it was given, not centered, (n_labels, n_columns)
    coef: np.ndarray = field(repr=False)
    intercept: np.ndarray
    # scores of each label by the regression that is fitted without it
    held_out: np.ndarray = field(repr=False)


def fit_ridges(gram, targets, weights, penalties):
    r"""Fit a kernel with every penalty; the weights :math:`w_i` add up to one.

    .. math:: \sum_i w_i (y_i - f(x_i) - b)^2 + \lambda \|f\|^2 ,

    where the norm is that of the kernel, centered and scaled to a mean diagonal of
    one. Without label i it would give :math:`y_i - (y_i - f_i) / (1 - h_i)` with
    :math:`h_i` the i-th diagonal entry of its smoother. One decomposition, O(n^3),
    serves all penalties.
    """
    gram = gram.astype(np.float64, copy=False)
    means = weights @ gram
    centered = gram - means - means[:, None] + weights @ means
    scale = float(weights @ centered.diagonal())
    noise = 1e-12 * float(weights @ np.abs(gram.diagonal()))
    if scale <= noise:  # all labeled rows are the same
        centered, scale = np.zeros_like(gram), 1.0
    roots = np.sqrt(weights)[:, None]
    values, vectors = np.linalg.eigh(centered * roots.T * roots / scale)
    values = np.maximum(values, 0.0)[:, None]
    mean = weights @ targets  # the intercept of a centered kernel
    inside = vectors.T @ (roots * (targets - mean))
    ridges = []
    for penalty in penalties:
        shrink = 1.0 / (values + float(penalty))
        scaled = roots * (vectors @ (shrink * inside)) / scale
        coef = scaled - weights[:, None] * scaled.sum(axis=0)
        kept = values * shrink
        fitted = mean + (vectors @ (kept * inside)) / roots
        own = (vectors**2 @ kept)[:, 0] + weights  # the diagonal of the smoother
        residuals = (targets - fitted) / np.maximum(1.0 - own, 1e-12)[:, None]
        ridges.append(Ridge(coef, mean - means @ coef, targets - residuals))
    return ridges
