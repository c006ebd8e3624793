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
    kernel = _Centered.of(gram.astype(np.float64, copy=False), weights)
    return [_fit(kernel, targets, weights, float(penalty)) for penalty in penalties]


@dataclass(frozen=True)
class _Centered:
    """A centered kernel matrix between labels, scaled to a mean diagonal of one."""

    means: np.ndarray  # (n,): weighted mean of each column of the given matrix
    scale: float
    values: np.ndarray  # these decompose sqrt(D) gram sqrt(D), D the weights
    vectors: np.ndarray

    @classmethod
    def of(cls, gram, weights):
        means = weights @ gram
        centered = gram - means - means[:, None] + weights @ means
        scale = float(weights @ centered.diagonal())
        noise = 1e-12 * float(weights @ np.abs(gram.diagonal()))
        if scale <= noise:  # all labeled rows are the same
            centered, scale = np.zeros_like(gram), 1.0
        roots = np.sqrt(weights)
        values, vectors = np.linalg.eigh(centered * roots * roots[:, None] / scale)
        return cls(means, scale, np.maximum(values, 0.0), vectors)


def _fit(kernel, targets, weights, penalty):
    """The regression for one penalty."""
    roots, vectors = np.sqrt(weights)[:, None], kernel.vectors
    mean = weights @ targets  # the intercept of a centered kernel
    inside = vectors.T @ (roots * (targets - mean))
    shrink = (1.0 / (kernel.values + penalty))[:, None]
    scaled = roots * (vectors @ (shrink * inside)) / kernel.scale
    coef = scaled - weights[:, None] * scaled.sum(axis=0)
    kept = kernel.values[:, None] * shrink
    fitted = mean + (vectors @ (kept * inside)) / roots
    own = (vectors**2 @ kept)[:, 0] + weights  # the diagonal of the smoother
    residuals = (targets - fitted) / np.maximum(1.0 - own, 1e-12)[:, None]
    return Ridge(coef, mean - kernel.means @ coef, targets - residuals)
