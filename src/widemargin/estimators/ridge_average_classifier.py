"""Supervised kernel ridge machines, averaged."""

import numbers

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from widemargin.estimators._checks import check_choice, check_number, check_squares
from widemargin.estimators._kernel_machine import FLOATS
from widemargin.estimators._reading import read_sample
from widemargin.estimators._scoring import ScoringClassifier
from widemargin.kernels import Rbf, make_kernel, scores_in_blocks
from widemargin.linalg.random import as_generator
from widemargin.linalg.threads import suited_threads
from widemargin.solvers.ridge_average import average_ridges

WIDTHS = (1 / 64, 1 / 16, 1 / 4, 1.0, 4.0)
_WIDEST = 0.1  # of the middle one; wider kernels hardly bend without other penalties
_NEGLIGIBLE = 1e-3  # weight of a width that is left out of the function
_MOST_LABELS = 2000  # eigenvectors of more would take long


class RidgeAverageClassifier(ScoringClassifier, BaseEstimator):
    r"""Kernel ridge classifiers of many widths and penalties, averaged.

    Learns from the labels alone: the supervised machine that `FewLabelClassifier`
    compares with. With few labels no single width and penalty can be chosen reliably;
    each pair predicts every label from the others, in closed form, and counts as far as
    it does so well.

    Parameters
    ----------
    gamma : float, "scale" or "median", default="scale"
        Width of the Gaussian kernel in the middle: a number, one over the number of
        features times the variance of X, or one over the median squared distance.
        Unlabeled rows count in the last two, and nowhere else.
    widths : sequence of float, default=(1/64, 1/16, 1/4, 1, 4)
        Multiples of `gamma` to average over; the smallest are almost linear.
    ambient_reg : sequence of float, default=(1e-3, 1e-2, 1e-1, 1)
        Weights of the kernel norm to average over.
    random_state : int, RandomState, Generator or None, default=None
        For the rows behind a "median" width, and for the labels that are kept if there
        are more than 2,000.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class names.
    average_ : RidgeAverage
        `weights` and leave-one-out `losses` of all pairs, widths by penalties.
    gamma_ : float
        A width for other machines: the weighted mean on the scale of logarithms, in
        which those below a tenth of `gamma` count as a tenth.
    held_out_proba_ : ndarray of shape (n_labeled, n_classes)
        Class probabilities of each labeled sample of positive weight, by machines that
        did not see its label; NaN for the only label of a class.
    kernels_, points_, dual_coef_, intercept_
        The fitted function, the sum of ``kernel(X, points_) @ coef`` over kernels and
        coefficients, plus ``intercept_``.
    slope_ : float
        Slope of the probabilities: 1, since each function was scaled by its own.

    Notes
    -----
    See `widemargin.solvers.ridge_average.average_ridges` for the objective, the
    closed form and the weights. Copies of a labeled row with the same label are one row
    with their summed weight. Time O(n_labeled^3).

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

    kernel = "rbf"  # what is read is never a Gram matrix

    def __init__(
        self,
        *,
        gamma="scale",
        widths=WIDTHS,
        ambient_reg=(1e-3, 1e-2, 1e-1, 1.0),
        random_state=None,
    ):
        self.gamma = gamma
        self.widths = widths
        self.ambient_reg = ambient_reg
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Fit on the labeled samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of any type. Integer -1, NaN or None marks an unlabeled sample.
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each label. Samples of weight zero are left out altogether.

        Returns
        -------
        self
        """
        self._check_parameters()
        rng = as_generator(self.random_state)
        _, _, _, sample = read_sample(self, X, y, sample_weight)
        labels, label_of = sample.labels, sample.label_of
        check_squares(self, sample.X)
        middle = make_kernel("rbf", sample.X, rng, gamma=self.gamma).gamma
        kept = _thin(labels.codes, rng)
        rows, codes = labels.labeled_idx[kept], labels.codes[kept]
        points, weights = sample.X[rows], sample.row_weights[rows]
        kernels = [Rbf(float(middle * width)) for width in self.widths]
        with suited_threads(len(rows)):
            self.average_ = average_ridges(
                [kernel(points) for kernel in kernels],
                codes,
                labels.n_classes,
                weights.astype(np.float64) / weights.sum(),
                self.ambient_reg,
            )
        shares = self.average_.weights.sum(axis=1)
        used = shares > _NEGLIGIBLE
        self.classes_, self.points_ = labels.classes, points
        self.kernels_ = [k for k, is_used in zip(kernels, used, strict=True) if is_used]
        self.dual_coef_ = self.average_.dual_coef[used]
        self.intercept_ = self.average_.intercept
        widths = np.maximum(self.widths, _WIDEST)
        self.gamma_ = float(middle * np.exp(shares @ np.log(widths)))
        self.slope_ = 1.0
        places = np.full(len(labels.codes), -1)
        places[kept] = np.arange(len(kept))
        self._keep_held_out(
            self.average_.leave_one_out,
            np.bincount(codes)[codes] > 1,
            places[label_of],
        )
        return self

    def _check_parameters(self):
        if isinstance(self.gamma, str):
            check_choice(self, "gamma", ("scale", "median"), "or a number > 0")
        else:
            check_number(self, "gamma", low=0, strict=True)
        for name in ("widths", "ambient_reg"):
            values = getattr(self, name)
            is_valid = np.ndim(values) == 1 and len(values) > 0
            if not is_valid or not all(
                isinstance(value, numbers.Real) and 0 < value < np.inf
                for value in values
            ):
                raise ValueError(
                    f"{name} of {type(self).__name__} must hold numbers > 0, got "
                    f"{values!r}."
                )

    def _scores(self, X):
        check_is_fitted(self, "dual_coef_")
        X = validate_data(self, X, accept_sparse="csr", dtype=FLOATS, reset=False)
        pairs = zip(self.kernels_, self.dual_coef_, strict=True)
        scores = sum(scores_in_blocks(k, X, self.points_, coef) for k, coef in pairs)
        return scores + self.intercept_.astype(scores.dtype)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _thin(codes, rng):
    """Positions of at most 2,000 labels, of each class its share."""
    if len(codes) <= _MOST_LABELS:
        return np.arange(len(codes))
    kept = []
    for code in np.unique(codes):
        members = rng.permutation(np.flatnonzero(codes == code))
        kept.append(members[: max(2, round(_MOST_LABELS * len(members) / len(codes)))])
    return np.sort(np.concatenate(kept))
