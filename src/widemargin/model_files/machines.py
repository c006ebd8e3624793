"""Checks of the arrays of a machine against each other."""

import numbers

import numpy as np
from scipy import sparse

from widemargin.estimators import FewLabelClassifier, RidgeAverageClassifier
from widemargin.kernels import Precomputed, Rbf
from widemargin.model_files.allowed import KERNELS, qualified
from widemargin.model_files.mixtures import check_mixture
from widemargin.model_files.requirements import is_array, require
from widemargin.spaces.posterior import DenseExplanation, LowRankExplanation


def check_machine(model):
    """Raise `ModelFileError` unless the parts of a fitted machine fit each other.

    Machines inside of a `FewLabelClassifier` are not looked into.
    """
    n_features = model.n_features_in_
    is_count = type(n_features) is int and n_features > 0
    require(is_count, model, "n_features_in_", n_features)
    if isinstance(model, FewLabelClassifier):
        check_mixture(model)
        return
    if isinstance(model, RidgeAverageClassifier):
        n_columns = _check_ridges(model)
    else:
        n_columns = _check_function(model)
    constants = model.intercept_
    fits = is_array(constants, 1, "f") and len(constants) == n_columns
    require(fits, model, "intercept_", constants)
    if hasattr(model, "classes_"):
        classes = model.classes_
        n_scores = len(classes) if len(classes) > 2 else 1
        fits = is_array(classes, 1, "biufUO") and n_columns in (n_scores, len(classes))
        require(fits, model, "classes_", classes)
    for name in ("slope_", "scale_", "noise_"):
        value = getattr(model, name, 1.0)
        require(isinstance(value, numbers.Real), model, name, value)
    prior = getattr(model, "_prior", None)
    is_number = prior is None or isinstance(prior, numbers.Real)
    require(is_number, model, "_prior", prior)
    if hasattr(model, "_posterior"):
        _check_posterior(model)


def _check_function(model):
    """A sum of kernel values; the number of its columns."""
    coefficients, kernel = model.dual_coef_, model.kernel_
    require(is_array(coefficients, 2, "f"), model, "dual_coef_", coefficients)
    require(qualified(type(kernel)) in KERNELS, model, "kernel_", kernel)
    for name, value in vars(kernel).items():
        is_widths = is_array(value, 1, "f") and len(value) == model.n_features_in_
        is_number = isinstance(value, numbers.Real)
        require(is_widths or is_number, model, f"kernel_.{name}", value)
    n_points, n_columns = coefficients.shape
    fits = _are_points(model, model.points_, n_points)
    require(fits, model, "points_", model.points_)
    return n_columns


def _check_ridges(model):
    """A sum of such sums, of one Gaussian kernel each; the number of its columns."""
    coefficients, kernels, average = model.dual_coef_, model.kernels_, model.average_
    is_stack = is_array(coefficients, 3, "f") and len(coefficients) > 0
    require(is_stack, model, "dual_coef_", coefficients)
    n_kernels, n_points, n_columns = coefficients.shape
    fits = isinstance(kernels, list) and len(kernels) == n_kernels
    fits = fits and all(type(kernel) is Rbf for kernel in kernels)
    require(fits, model, "kernels_", kernels)
    for kernel in kernels:
        require(_is_width(kernel.gamma), model, "kernels_", kernel.gamma)
    fits = _are_rows(model.points_, (n_points, model.n_features_in_))
    require(fits, model, "points_", model.points_)
    require(_is_width(model.gamma_), model, "gamma_", model.gamma_)
    weights, losses = average.weights, average.losses
    fits = is_array(weights, 2, "f") and len(weights) >= n_kernels
    require(fits, model, "average_.weights", weights)
    fits = is_array(losses, 2, "f") and losses.shape == weights.shape
    require(fits, model, "average_.losses", losses)
    return n_columns


def _check_posterior(model):
    """A Gaussian process's certainty."""
    posterior, whitening = model._posterior, model._whitening
    is_vector = is_array(posterior.ones, 2, "f") and posterior.ones.shape[1] == 1
    require(is_vector, model, "_posterior.ones", posterior.ones)
    n_kept = size = len(posterior.ones)
    if whitening is not None:
        fits = is_array(whitening, 2, "f") and whitening.shape[1] == size
        require(fits, model, "_whitening", whitening)
        n_kept = len(whitening)
    require(_are_points(model, model._kept, n_kept), model, "_kept", model._kept)
    explanation = posterior.explanation
    is_known = isinstance(explanation, DenseExplanation | LowRankExplanation)
    require(is_known, model, "_posterior.explanation", explanation)
    factor = explanation.factor
    fits = is_array(factor, 2, "f") and factor.shape == (size, size)
    require(fits, model, "_posterior.explanation.factor", factor)


def _are_points(model, points, n_points):
    """Whether points are rows, or positions, that the kernel can be asked about."""
    if isinstance(model.kernel_, Precomputed):
        fits = is_array(points, 1, "i") and len(points) == n_points
        return fits and bool(((points >= 0) & (points < model.n_features_in_)).all())
    return _are_rows(points, (n_points, model.n_features_in_))


def _are_rows(points, shape):
    is_rows = is_array(points, 2, "f") or sparse.issparse(points)
    return is_rows and points.shape == shape


def _is_width(gamma):
    return isinstance(gamma, numbers.Real) and bool(0 < gamma < np.inf)
