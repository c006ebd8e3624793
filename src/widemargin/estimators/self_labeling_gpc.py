"""Self-labeling Gaussian-process classifier."""

import numpy as np
from scipy import sparse
from scipy.special import log_ndtr, logsumexp
from sklearn.utils.validation import check_is_fitted, validate_data

from widemargin.estimators._checks import check_choice, check_number
from widemargin.estimators._gaussian_process import Process, evidence_rows, posterior
from widemargin.estimators._kernel_machine import FLOATS
from widemargin.estimators._memory import check_gram_memory
from widemargin.estimators._self_labeler import SelfLabeler
from widemargin.kernels.blocks import row_blocks
from widemargin.kernels.nystrom import CHOICES
from widemargin.labels import sign_coding
from widemargin.solvers.result import Status
from widemargin.solvers.temperature import DEFAULT_SLOPE, fit_slope, log_probabilities

_ROUNDS = 5  # of learning hyperparameters and labels in turns, at the most


class SelfLabelingGPC(SelfLabeler):
    """Gaussian-process classifier that labels the unlabeled samples itself."""

    def __init__(
        self,
        *,
        kernel="rbf",
        gamma="mean",
        degree=3,
        coef0=1.0,
        scale=1.0,
        noise=0.5,
        labeled_weight=10.0,
        annealing=(0.01, 0.1, 0.3, 1.0),
        balance="labeled",
        balance_tolerance="auto",
        threshold=None,
        relabel="loo",
        hyperparameters="heuristic",
        per_feature=False,
        n_landmarks="auto",
        landmarks="kmeans++",
        probabilities="probit",
        max_iter=50,
        random_state=None,
        verbose=False,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.scale = scale
        self.noise = noise
        self.labeled_weight = labeled_weight
        self.annealing = annealing
        self.balance = balance
        self.balance_tolerance = balance_tolerance
        self.threshold = threshold
        self.relabel = relabel
        self.hyperparameters = hyperparameters
        self.per_feature = per_feature
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.probabilities = probabilities
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    _landmark_choices = (*CHOICES, "ivm")
    _auto_landmarks = 2000, 500  # with more rows than that, so many landmarks

    def _check_parameters(self):
        super()._check_parameters()
        check_number(self, "scale", low=0, strict=True)
        check_number(self, "noise", low=0, strict=True)
        check_choice(self, "relabel", ("loo", "in-sample"))
        check_choice(
            self, "hyperparameters", ("heuristic", "marginal-likelihood", "loo")
        )
        check_choice(self, "per_feature", (True, False))
        check_choice(self, "probabilities", ("probit", "calibrated"))
        if self.hyperparameters != "heuristic" and self.kernel != "rbf":
            raise ValueError(
                f"hyperparameters={self.hyperparameters!r} of {type(self).__name__} "
                f"needs kernel='rbf', got {self.kernel!r}; use 'heuristic'."
            )

    def _learn(self, given, sample, rng):
        """Fit the process and the labels in turns; labels, and how it ended."""
        kernel = self._make_kernel(sample.X, rng)
        process = Process(kernel, float(self.scale), float(self.noise))
        prepared = self._prepare(process, sample, rng)
        codes, regressor, result = self._label_with(prepared, sample, None)
        for _ in range(_ROUNDS if self.hyperparameters != "heuristic" else 0):
            if result.status is Status.INTERRUPTED:
                break
            before = codes
            process = self._relearn(process, sample, codes, rng)
            prepared = self._prepare(process, sample, rng)
            codes, regressor, result = self._label_with(prepared, sample, codes)
            if np.array_equal(before, codes):
                break
        signs = sign_coding(codes, sample.labels.n_classes)
        self._keep(prepared, regressor, signs, given, sample)
        return codes, result

    def _prepare(self, process, sample, rng):
        """The process over the training sample, exact or sparse."""
        X, n_landmarks = sample.X, self.n_landmarks
        if n_landmarks == "auto":
            exact_rows, auto_landmarks = self._auto_landmarks
            n_landmarks = auto_landmarks if X.shape[0] > exact_rows else None
        if n_landmarks is None:
            check_gram_memory(X.shape[0], 8, type(self).__name__)
            return process.exact(X)
        if self.landmarks == "ivm":
            weights = self._weights(sample, 1.0)
            return process.informative(
                X, n_landmarks, sample.labels.labeled_idx, weights
            )
        return process.nystrom(X, n_landmarks, self.landmarks, rng)

    def _label_with(self, prepared, sample, codes):
        """Labels by a prepared process, its last regressor, and how it ended."""

        def make_regressor(weight):
            weights = self._weights(sample, weight)
            return prepared.regressor(weights, leaves_out=self.relabel == "loo")

        return self._label(make_regressor, sample, codes)

    def _relearn(self, process, sample, codes, rng):
        """The process with hyperparameters learned from the labels so far."""
        rows = evidence_rows(sample, rng)
        X = sample.X[rows]
        X = X.toarray() if sparse.issparse(X) else X
        signs = sign_coding(codes[rows], sample.labels.n_classes)
        weights = self._weights(sample, 1.0)[rows]
        learned = process.learn(
            X.astype(np.float64, copy=False),
            signs,
            weights,
            self.hyperparameters,
            per_feature=self.per_feature,
        )
        self._say(f"scale {learned.scale:.3g}, noise {learned.noise:.3g}")
        return learned

    def _keep(self, prepared, regressor, signs, given, sample):
        """What prediction needs."""
        process = prepared.process
        coordinates, constants = regressor.fit(signs)
        self.kernel_, self.scale_ = process.kernel, process.scale
        self.noise_ = process.noise
        self.points_, coefficients = prepared.basis.function(
            process.kernel, given, sample.origin, coordinates
        )
        self.dual_coef_ = coefficients.astype(np.float64)
        self.intercept_ = np.asarray(constants, dtype=np.float64)
        self._prepared = prepared
        self._kept = process.kernel.points(given, sample.origin[prepared.rows])
        self._posterior = posterior(regressor, process)
        self._prior = float(process.kernel.diagonal(sample.X).mean())
        self.slope_ = self._fit_slope(regressor.left_out(signs), sample)

    def _fit_slope(self, left_out, sample):
        """Slope of calibrated probabilities, from labels that were left out."""
        labels = sample.labels
        repeated = np.bincount(labels.codes)[labels.codes] > 1
        if not repeated.any():
            return DEFAULT_SLOPE
        weights = sample.row_weights[labels.labeled][repeated]
        scores = left_out[labels.labeled][repeated].astype(np.float64)
        return fit_slope(scores, labels.codes[repeated], weights / weights.sum())

    def predict(self, X, return_std=False):
        """Class of each sample, and how sure the process is of its score.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            With ``kernel="precomputed"``, kernel values against all training samples.
        return_std : bool, default=False
            Whether to return the standard deviation of the score, too; it is the same
            for all classes.

        Returns
        -------
        ndarray of shape (n_samples,), or two of them
        """
        classes = super().predict(X)
        return (classes, np.sqrt(self._variance(X))) if return_std else classes

    def decision_function(self, X):
        """Scores of new samples, with ``probabilities="probit"`` over their spread.

        The spread is the root of the noise plus the variance of the score, so that a
        larger value means a larger probability.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            With ``kernel="precomputed"``, kernel values against all training samples.

        Returns
        -------
        ndarray of shape (n_samples,) for two classes, positive for ``classes_[1]``,
        else (n_samples, n_classes).
        """
        scores = self._sure_scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict_log_proba(self, X):
        """Logarithms of the class probabilities."""
        scores = self._sure_scores(X).astype(np.float64)
        if self.probabilities == "calibrated":
            return log_probabilities(scores, self.slope_)
        if scores.shape[1] == 1:
            scores = np.hstack([-scores, scores])
        logs = log_ndtr(scores)
        return logs - logsumexp(logs, axis=1, keepdims=True)

    def _sure_scores(self, X):
        """Scores, over their spread unless probabilities are calibrated."""
        scores = self._scores(X)
        if self.probabilities == "calibrated":
            return scores
        return scores / np.sqrt(self.noise_ + self._variance(X))[:, None]

    def predict_proba(self, X):
        """Class probabilities, shape (n_samples, n_classes).

        With ``probabilities="probit"`` the probability that the score plus noise is
        positive, divided by the sum over the classes; with "calibrated" a softmax of
        the scores times ``slope_``.
        """
        return np.exp(self.predict_log_proba(X))

    def _variance(self, X):
        """Variance of the score of each sample."""
        check_is_fitted(self, "dual_coef_")
        X = validate_data(self, X, accept_sparse="csr", dtype=FLOATS, reset=False)
        prior = np.full(X.shape[0], self._prior)  # what else, of a Gram matrix
        if self.kernel != "precomputed":
            prior = self.kernel_.diagonal(X).astype(np.float64)
        variances = []
        for block in row_blocks(X.shape[0], self._posterior.n_samples, 8):
            values = self._prepared.values(self.kernel_, X[block], self._kept)
            variances.append(self._posterior.variance(values, prior[block]))
        return np.concatenate(variances)
