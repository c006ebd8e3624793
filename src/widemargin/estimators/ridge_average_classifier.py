"""Supervised kernel ridge models, averaged."""

import numbers
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from widemargin.averaging import average_scores, family_prior
from widemargin.checks import refuse
from widemargin.defaults import (
    RIDGE_LABELS,
    RIDGE_PENALTIES,
    RIDGE_WIDTHS,
    UNTUNED_TRUST,
    WIDEST_FOR_OTHERS,
)
from widemargin.estimators._estimator import Classifier, Fit, Method, read_parameter
from widemargin.kernels import Kernel
from widemargin.linalg.products import suited_threads
from widemargin.sample import label_counts
from widemargin.solvers.ridge import fit_ridges
from widemargin.spaces import Function, FunctionSum

# A width of less weight is left out of the function: it would cost as much time in
# prediction as any other, and moves no probability by more than this.
_NEGLIGIBLE_WEIGHT = 1e-3


@dataclass(kw_only=True, eq=False, repr=False)
class RidgeAverageClassifier(Classifier):
    r"""Kernel ridge classifiers of many widths and penalties, averaged.

    Learns from the labels alone: the supervised model of `FewLabelClassifier`. Each
    pair predicts every label from the others and is weighted by how well it does so.

    Parameters
    ----------
    kernel : Kernel, str or callable, default="rbf"
        As in `LaplacianSVC`; its width is in the middle. Unlabeled rows count in a rule
        such as ``gamma="auto"``, and nowhere else.
    widths : sequence of float, default=(1/64, 1/16, 1/4, 1, 4)
        Multiples of the kernel's ``gamma`` to average over; the smallest are almost
        linear. A kernel without a width is taken as it is.
    ambient_reg : sequence of float, default=(1e-3, 1e-2, 1e-1, 1)
        Weights of the kernel norm to average over.
    random_state
        As in `LaplacianSVC`, and for the labels that are kept if there are more than
        2,000.

    Attributes
    ----------
    average_ : Average
        Weights of all pairs and their held-out losses: widths, and within each width
        the penalties.
    gamma_ : float or None
        A width for other models: the weighted mean on the scale of logarithms, where
        those below a tenth of the middle one count as a tenth. None for a kernel
        without a width.
    classes_, held_out_proba_, calibration_
        See :class:`~widemargin.estimators.Classifier`.
    function_ : FunctionSum
        The fitted function: one part for each width whose weight is not negligible.

    Notes
    -----
    See `widemargin.solvers.ridge.fit_ridges` for the objective and its closed form, and
    `widemargin.averaging` for the weights. Copies of a labeled row with the same label
    are one row with their summed weight. Time O(n_labeled^3).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from widemargin import RidgeAverageClassifier
    >>> from widemargin.datasets import hide_labels
    >>> X, y = load_digits(return_X_y=True)
    >>> y_partial = hide_labels(y, 50, rng=0)  # -1 for all but 50 rows
    >>> model = RidgeAverageClassifier().fit(X, y_partial)
    >>> bool(model.score(X, y) > 0.7)
    True
    """

    kernel: object = "rbf"
    widths: Sequence = RIDGE_WIDTHS
    ambient_reg: Sequence = RIDGE_PENALTIES
    random_state: object = None

    value_families = {"kernel": Kernel}
    saved_state = (*Classifier.saved_state, "gamma_")
    merge = "all"  # so that copies of unlabeled rows do not change the width
    methods = (
        Method(
            "supervised",
            "labeled rows only, by an average of kernel ridge models",
            needs_unlabeled=False,
        ),
    )

    def _fit_sample(self, sample, rng):
        for name in ("widths", "ambient_reg"):
            if not _are_positive(getattr(self, name)):
                refuse(self, name, "a sequence of numbers > 0")
        kernel = read_parameter(self, "kernel").fit_width(sample.rows.X, rng)
        has_width = hasattr(kernel, "gamma")
        kernels = [kernel]
        if has_width:
            gammas = [float(kernel.gamma * width) for width in self.widths]
            kernels = [replace(kernel, gamma=gamma) for gamma in gammas]
        sample = sample.thin_labels(RIDGE_LABELS, rng)
        average, calibration, function = average_ridges(
            kernels, sample, self.ambient_reg
        )
        self.gamma_ = None
        if has_width:
            shares = average.weights.reshape(len(kernels), -1).sum(axis=1)
            widths = np.maximum(self.widths, WIDEST_FOR_OTHERS)
            self.gamma_ = float(kernel.gamma * np.exp(shares @ np.log(widths)))
        held_out = sample.spread_to_given(average.held_out)
        return Fit(function, calibration, held_out=held_out, average=average)


def average_ridges(kernels, sample, penalties, *, trust=UNTUNED_TRUST):
    """Fit every kernel with every penalty to a sample: average, slope, function."""
    rows = sample.rows.take(sample.label_idx)
    weights = sample.label_weights / sample.label_weights.sum()
    with suited_threads(len(rows)):
        fits = [
            fit_ridges(kernel(rows.X), sample.signs, weights, penalties)
            for kernel in kernels
        ]
    held_out = np.array([ridge.held_out for ridges in fits for ridge in ridges])
    held_out[:, ~sample.is_repeated] = np.nan  # their class would be unknown
    prior = family_prior(np.repeat(np.arange(len(kernels)), len(penalties)))
    average, calibration = average_scores(
        held_out, sample.codes, prior, label_counts(weights), trust=trust
    )
    shape = len(kernels), len(penalties)
    is_used = average.weights.reshape(shape).sum(axis=1) > _NEGLIGIBLE_WEIGHT
    coef = average.coef.reshape(shape) * is_used[:, None]
    coef /= coef.sum()
    parts = tuple(
        Function(
            kernels[place],
            sample.rows.points(kernels[place], sample.label_idx),
            sum(c * r.coef for c, r in zip(coef[place], fits[place], strict=True)),
            sum(c * r.intercept for c, r in zip(coef[place], fits[place], strict=True)),
        )
        for place in np.flatnonzero(is_used)
    )
    return average, calibration, FunctionSum(parts)


def _are_positive(values):
    """Whether these are several positive numbers."""
    if np.ndim(values) != 1 or not len(values):
        return False
    return all(isinstance(v, numbers.Real) and 0 < v < np.inf for v in values)
