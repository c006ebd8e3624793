"""Ridge regressions to the labels, weighed by how they predict labels left out."""

from dataclasses import dataclass, field

import numpy as np
from scipy.special import softmax

from widemargin.labels import sign_coding
from widemargin.solvers.label_counts import count_labels
from widemargin.solvers.temperature import (
    DEFAULT_SLOPE,
    fit_slope,
    log_probabilities,
)


@dataclass(frozen=True)
class RidgeAverage:
    """What the weighted machines say together.

    Attributes
    ----------
    weights : ndarray of shape (n_kernels, n_penalties)
        Non-negative, adding up to one.
    losses : ndarray of shape (n_kernels, n_penalties)
        Sum over labels of minus the logarithm of their probability when left out; for
        how many labels each counts is up to `count_labels`.
    dual_coef : ndarray of shape (n_kernels, n_labels, n_columns)
        Coefficients over the kernels as they were given, not centered.
    intercept : ndarray of shape (n_columns,)
    leave_one_out : ndarray of shape (n_labels, n_columns)
        Scores of the average for each label when it is left out.
    """

    weights: np.ndarray
    losses: np.ndarray
    dual_coef: np.ndarray = field(repr=False)
    intercept: np.ndarray
    leave_one_out: np.ndarray = field(repr=False)


def average_ridges(grams, codes, n_classes, label_weights, penalties):
    r"""Fit every kernel with every penalty; weigh and average the functions.

    Each machine minimizes, with label weights :math:`w_i` that add up to one and
    targets of one class against the rest,

    .. math:: \sum_i w_i (y_i - f(x_i) - b)^2 + \lambda \|f\|^2 ,

    the norm being that of the kernel, centered and scaled to a mean diagonal of one.
    Without label i it would give :math:`y_i - (y_i - f_i) / (1 - h_i)` with
    :math:`h_i` the i-th diagonal entry of its smoother. A slope turns these values into
    probabilities, whose summed logarithm is minus the machine's loss; its weight is
    proportional to exp(-loss). The functions, each times its slope, are averaged, so
    that the slope of the average is one.

    Parameters
    ----------
    grams : list of ndarrays of shape (n_labels, n_labels)
        A kernel matrix of the labeled points each.
    codes : ndarray of shape (n_labels,)
        Their classes.
    n_classes : int
    label_weights : ndarray of shape (n_labels,)
        Positive, adding up to one.
    penalties : sequence of float
        Values of lambda.

    Returns
    -------
    RidgeAverage
    """
    targets = sign_coding(codes, n_classes)  # (n_labels, n_columns)
    counted = np.bincount(codes)[codes] > 1
    machines = [
        _Ridge(gram, targets, label_weights, float(penalty))
        for gram, penalty in _pairs(grams, label_weights, penalties)
    ]
    slopes, losses = zip(
        *(_calibrate(m.left_out, codes, label_weights, counted) for m in machines),
        strict=True,
    )
    weights = softmax(-np.array(losses))
    shape, shares = (len(grams), len(penalties)), weights * np.array(slopes)
    coefficients = np.array([m.dual_coef for m in machines])
    scaled = shares[:, None, None] * coefficients
    return RidgeAverage(
        weights.reshape(shape),
        np.array(losses).reshape(shape),
        scaled.reshape(*shape, *targets.shape).sum(axis=1),
        sum(s * m.intercept for s, m in zip(shares, machines, strict=True)),
        sum(s * m.left_out for s, m in zip(shares, machines, strict=True)),
    )


def _pairs(grams, weights, penalties):
    """Each kernel, decomposed once, with each penalty."""
    for gram in grams:
        decomposed = _Centered.of(gram.astype(np.float64, copy=False), weights)
        for penalty in penalties:
            yield decomposed, penalty


@dataclass(frozen=True)
class _Centered:
    """A centered kernel matrix between labels, scaled to a mean diagonal of one.

    With ``D`` the diagonal of the weights, ``values`` and ``vectors`` decompose
    ``sqrt(D) gram sqrt(D)``.
    """

    means: np.ndarray  # (n,): weighted mean of each column of the given matrix
    scale: float
    values: np.ndarray
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


class _Ridge:
    """One machine: its coefficients, and its values without the own label."""

    def __init__(self, kernel, targets, weights, penalty):
        roots, vectors = np.sqrt(weights)[:, None], kernel.vectors
        mean = weights @ targets  # the intercept of a centered kernel
        inside = vectors.T @ (roots * (targets - mean))
        shrink = (1.0 / (kernel.values + penalty))[:, None]
        scaled = roots * (vectors @ (shrink * inside)) / kernel.scale
        self.dual_coef = scaled - weights[:, None] * scaled.sum(axis=0)
        self.intercept = mean - kernel.means @ self.dual_coef
        kept = kernel.values[:, None] * shrink
        fitted = mean + (vectors @ (kept * inside)) / roots
        own = (vectors**2 @ kept)[:, 0] + weights  # the diagonal of the smoother
        residuals = (targets - fitted) / np.maximum(1.0 - own, 1e-12)[:, None]
        self.left_out = targets - residuals


def _calibrate(left_out, codes, weights, counted):
    """Slope of the probabilities, and the loss of the labels that were left out."""
    if not counted.any():
        return DEFAULT_SLOPE, 0.0
    shares = weights[counted] / weights[counted].sum()
    slope = fit_slope(left_out[counted], codes[counted], shares)
    logs = log_probabilities(left_out[counted], slope)
    own = logs[np.arange(len(shares)), codes[counted]]
    return slope, -float(count_labels(shares) @ own)
