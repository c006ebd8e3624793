"""Self-labeling Gaussian-process classifier."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import log_ndtr, logsumexp
from sklearn.utils.validation import check_is_fitted

from widemargin.calibration import fit_calibration
from widemargin.checks import check_choice, check_number, check_number_or
from widemargin.defaults import LABELED_WEIGHT, PROCESS_NOISE
from widemargin.estimators._estimator import (
    RELABELING,
    Classifier,
    Fit,
    Method,
    evaluate,
    read_parameter,
)
from widemargin.kernels import Kernel, Landmarks, Precomputed, Rbf
from widemargin.labels import both_columns
from widemargin.objectives.class_sizes import Balance
from widemargin.progress import Progress
from widemargin.solvers.evidence import Hyperparameters, LabelEvidence
from widemargin.solvers.gaussian_process import (
    Process,
    label_by_process,
    learn_from_labels,
)
from widemargin.solvers.informative_vectors import InformativeVectors
from widemargin.solvers.relabeling import Relabel
from widemargin.solvers.self_labeling import Annealing, LabelingTask
from widemargin.spaces import VarianceFunction

# What both self-labeling estimators have: this one and `SelfLabelingSVC`
FAMILIES = {
    "kernel": Kernel,
    "landmarks": Landmarks,
    "annealing": Annealing,
    "relabel": Relabel,
    "balance": Balance,
}


@dataclass(kw_only=True, eq=False, repr=False)
class SelfLabelingGPC(Classifier):
    r"""Self-labeling Gaussian-process classifier (SSuGPR, SSuGPS).

    Learns from labeled and unlabeled rows: it alternates between Gaussian-process
    regression on the labels and relabeling the unlabeled rows by its scores. Its
    probabilities include the uncertainty of the process.

    Parameters
    ----------
    kernel : Kernel, str or callable, default="rbf"
        As in `LaplacianSVC`, except that the width ``gamma="auto"`` is one over the
        mean squared distance of two rows.
    scale : float or "auto", default="auto"
        Variance of the process, a factor of the kernel; "auto" is 1 if not learned.
    noise : float or "auto", default="auto"
        Variance of the noise of a row of weight one; "auto" is 0.5 if not learned.
    labeled_weight : float, default=10.0
        Weight of a labeled row in the regression; 1 in [1]_.
    annealing : Annealing, float or sequence of float, or "auto", default="auto"
        Increasing weights of the unlabeled rows; each loop starts from the labels of
        the previous one. "auto" is ``Annealing()`` with the weights 0.01, 0.1, 0.3 and
        1 and ``max_unlabeled_ratio=4``; numbers are its weights. The paper has
        ``Annealing((1.0,), None)``.
    n_components : int, default=2
        For two classes, number of principal components of the kernel whose signs are
        additional starting labels, see Notes; 0, as in [1]_, for none. With "ivm" there
        are none.
    balance : "labeled", "equal", dict, None or Balance, default="labeled"
        As in `LabelSearchClassifier`; the tolerance of a `Balance` value is
        :math:`\kappa` in [1]_, whose shares are 1/2.
    relabel : "loo", "in-sample", LeaveOneOut or InSample, default="loo"
        Whether a row is relabeled by the process without its label (in closed form), or
        by the fitted value, as in [1]_. The values also set the threshold, Eqs. (9) and
        (8) of [1]_, and the stopping rule.
    hyperparameters : str or Hyperparameters, default="labels"
        With "labels" the width ``gamma="auto"`` of the Gaussian kernel, and with it
        `scale` and `noise` unless they are numbers, are learned from the given labels
        alone, see Notes; with "heuristic", and for other kernels and widths, they are
        used as they are. With the others learning starts from them and includes
        inferred labels: "marginal-likelihood", as in [1]_, or "loo", the leave-one-out
        predictive density, alternating with the labels at most five times.
        ``MarginalLikelihood(per_feature=True)`` and
        ``LeaveOneOutDensity(per_feature=True)`` learn a width for each feature;
        ``prior=False`` switches off the prior around the start. Use "calibrated"
        probabilities then.
    landmarks : int, "auto", None, "ivm" or Landmarks, default="auto"
        As in `LaplacianSVC`; "auto" is None up to 2,000 rows and 500 for more. "ivm" or
        ``InformativeVectors(n_landmarks)`` is the informative vector machine of [1]_,
        labeled rows first, whose posterior depends on the labels of its landmarks only;
        it serves to reproduce [1]_, the others were more accurate.
    probabilities : {"probit", "calibrated"}, default="probit"
        From the variance of the posterior, or by a slope fitted to the held-out scores
        of the labeled rows, which is sharper and less safe.
    random_state, verbose
        As in `LaplacianSVC`.

    Attributes
    ----------
    posterior_ : VarianceFunction
        The variance of its scores.
    scale_, noise_ : float
        The hyperparameters that were used, with those of ``function_.kernel``.
    classes_, transduction_, function_, calibration_, held_out_proba_, average_
    result_, n_iter_
        See :class:`~widemargin.estimators.Classifier`; no models are averaged, so
        `held_out_proba_` and `average_` are None.

    Notes
    -----
    For labels y in -1 and +1 (one against the rest for more classes) the process is
    :math:`y_i = m + f(x_i) + \epsilon_i` with noise of variance `noise` over the weight
    of the row, Eq. (7) of [1]_, and the mean m of generalized least squares.

    By default the width, the scale and the noise have the largest marginal likelihood
    of the given labels (of 200 of them, if there are more) times a log-normal prior,
    before any other row is labeled. Where classes overlap the noise becomes large, and
    the function does not follow single labels.

    Starts compete at one weight of the annealing, the last at which unlabeled rows
    together do not outweigh the labels, but not the first: from each of them, and from
    the labels that the annealing has found so far, the loop is run to its end, and the
    labels of largest posterior probability are kept. Their prior favors those of the
    annealing, and more so if more labels are given; all labels have the same
    determinant, so that the quadratic form
    :math:`(y - m)^\top (K + \Sigma)^{-1} (y - m)` is their likelihood. With more weight
    on the unlabeled rows it would prefer clusters that are not classes.

    Probabilities are :math:`p = \Phi(f / \sqrt{\text{noise} + v})` with v the
    variance of the score; for more than two classes :math:`p / (1 - p)`, divided by the
    sum over the classes.

    :doc:`/guide/self_labeling` has the parameters of [1]_. Deviations from [1]_ that
    no parameter removes: the mean is profiled, where theirs is a constant that is fed
    back and drifts; the noise and not 1 in the probabilities; more than two classes are
    one problem, with offsets that keep their sizes.

    Copies of a labeled row with the same label are one row with their summed weight.
    Time O(n^3), with r landmarks O(n r^2), for each weight of the annealing.

    References
    ----------
    .. [1] A. Patel, S. Sundararajan, S. Shevade. Semi-supervised classification using
       sparse Gaussian process regression. IJCAI, 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from widemargin import SelfLabelingGPC
    >>> from widemargin.datasets import hide_labels
    >>> X, y = load_digits(return_X_y=True)
    >>> X, y = X[:300], y[:300]
    >>> y_partial = hide_labels(y, 50, rng=0)  # -1 for all but 50 rows
    >>> model = SelfLabelingGPC().fit(X, y_partial)
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    kernel: object = "rbf"
    scale: float | str = "auto"
    noise: float | str = "auto"
    labeled_weight: float = LABELED_WEIGHT
    annealing: object = "auto"
    n_components: int = 2
    balance: object = "labeled"
    relabel: object = "loo"
    hyperparameters: object = "labels"
    landmarks: object = "auto"
    probabilities: str = "probit"
    random_state: object = None
    verbose: bool = False

    value_families = {**FAMILIES, "hyperparameters": Hyperparameters}
    saved_state = (*Classifier.saved_state, "posterior_", "scale_", "noise_")
    history_names = RELABELING
    methods = (Method("self-labeling", "Gaussian process with uncertainty estimates"),)

    def _fit_sample(self, sample, rng):
        self._check_parameters()
        kernel = read_parameter(self, "kernel")
        learning, free = self._read_hyperparameters(kernel), self._find_free(kernel)
        task = read_task(self, sample, read_parameter(self, "relabel"))
        landmarks = self._read_landmarks(sample.n_classes)
        diagonal = self._read_diagonal(kernel, sample.rows)
        kernel = sample.rows.fit_width(kernel, rng, auto="mean")
        process = Process(
            kernel,
            1.0 if self.scale == "auto" else float(self.scale),
            PROCESS_NOISE if self.noise == "auto" else float(self.noise),
        )
        progress = Progress.of(self)
        if isinstance(learning, LabelEvidence) and any(free):
            process = learn_from_labels(
                process, sample, task, learning, free, rng, progress
            )
        process, found = label_by_process(
            process,
            sample,
            task,
            landmarks,
            learning,
            self.n_components,
            rng,
            progress,
            progress.rounds(),
        )
        self.scale_, self.noise_ = process.scale, process.noise
        held_out = found.regressor.held_out(found.signs)[sample.label_idx]
        held_out = sample.mask_single(held_out)
        calibration = fit_calibration(held_out, sample.codes, sample.label_weights)
        function = found.regressor.function(found.signs)
        embedding = found.model.space.embedding()
        posterior = found.regressor.posterior()  # last: it keeps a factor of all rows
        self.posterior_ = VarianceFunction(embedding, posterior, diagonal)
        return Fit(function, calibration, found.result, found.codes)

    def _check_parameters(self):
        for name in ("scale", "noise"):
            check_number_or(self, name, ("auto",), low=0, strict=True)
        check_number(self, "labeled_weight", low=0, strict=True)
        check_number(self, "n_components", low=0, integer=True)
        check_choice(self, "probabilities", ("probit", "calibrated"))

    def _read_hyperparameters(self, kernel):
        """Where the hyperparameters come from; only those of "rbf" are learned."""
        learning = read_parameter(self, "hyperparameters")
        if learning.n_rounds and not isinstance(kernel, Rbf):
            raise ValueError(
                f"hyperparameters={self.hyperparameters!r} of {type(self).__name__} "
                f"needs kernel='rbf', got {self.kernel!r}; use 'heuristic'."
            )
        return learning

    def _read_landmarks(self, n_classes):
        """The landmarks; those that are chosen one by one must have all classes."""
        landmarks = read_parameter(self, "landmarks")
        is_active = isinstance(landmarks, InformativeVectors)
        if is_active and landmarks.n_landmarks < n_classes:
            raise ValueError(
                f"n_landmarks of InformativeVectors must be at least the number of "
                f"classes, {n_classes}, because only labels of landmarks are used, got "
                f"{landmarks.n_landmarks}."
            )
        return landmarks

    def _find_free(self, kernel):
        """Whether scale, width and noise may be learned from the labels.

        A kernel of a given width is the same as its Gram matrix, of which nothing is
        learned.
        """
        if not isinstance(kernel, Rbf) or kernel.gamma != "auto":
            return [False, False, False]
        return [self.scale == "auto", True, self.noise == "auto"]

    def _read_diagonal(self, kernel, rows):
        """k(x, x) of new rows for a Gram matrix, known only if it is constant."""
        if not isinstance(kernel, Precomputed):
            return None
        diagonal = kernel.diagonal(rows.X)
        low, high = float(diagonal.min()), float(diagonal.max())
        if high - low <= 1e-6 * abs(high):  # up to rounding in single precision
            return high
        if self.probabilities == "probit":
            raise ValueError(
                f"probabilities='probit' of {type(self).__name__} needs k(x, x) of new "
                f"rows, which is unknown for a precomputed kernel whose diagonal is "
                f"{low:g} to {high:g}; use 'calibrated', or pass the kernel as a "
                "function."
            )
        return None

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Class of each row; if `return_std`, also the standard deviation of scores."""
        classes = super().predict(X)
        return (classes, np.sqrt(self._variance(X))) if return_std else classes

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of new rows, with ``probabilities="probit"`` over their spread.

        The spread is the root of the noise plus the variance of the score, so that a
        larger value means a larger probability. Shapes are those of `Classifier`.
        """
        scores = self._scaled_scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict_proba(self, X: Any) -> np.ndarray:
        """Class probabilities, shape (n_samples, n_classes), see Notes.

        With "calibrated" a softmax of the scores times ``calibration_.slope``.
        """
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of the class probabilities."""
        scores = self._scaled_scores(X).astype(np.float64)
        if self.probabilities == "calibrated":
            return self.calibration_.log_probabilities(scores)
        if scores.shape[1] == 1:
            return log_ndtr(both_columns(scores))
        logs = log_ndtr(scores) - log_ndtr(-scores)  # this class, and no other one
        return logs - logsumexp(logs, axis=1, keepdims=True)

    def _scaled_scores(self, X):
        """Scores, over their spread unless probabilities are calibrated."""
        scores = evaluate(self, X)
        if self.probabilities == "calibrated":
            return scores
        return scores / np.sqrt(self.noise_ + self._variance(X))[:, None]

    def _variance(self, X):
        """Variance of the score of each row."""
        check_is_fitted(self, "posterior_")
        is_gram = isinstance(self.posterior_.embedding.kernel, Precomputed)
        if is_gram and self.posterior_.diagonal is None:
            raise ValueError(
                f"{type(self).__name__} cannot compute the variance of new rows: a "
                "precomputed kernel whose diagonal varies does not hold their k(x, x); "
                "pass the kernel as a function."
            )
        return evaluate(self, X, "posterior_")


def read_task(estimator, sample, relabel):
    """Which labels are to be found, from the parameters of an estimator."""
    balance = read_parameter(estimator, "balance")
    names, who = sample.classes.tolist(), type(estimator).__name__
    shares = balance.class_shares(names, sample.class_shares(), who)
    return LabelingTask.of(
        sample,
        balance.bounds(shares, sample.n_unlabeled),
        estimator.labeled_weight,
        read_parameter(estimator, "annealing"),
        relabel,
    )
