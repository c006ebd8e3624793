"""Self-labeling Gaussian-process classifier."""

import numpy as np
from scipy.special import log_ndtr, logsumexp
from sklearn.utils.validation import check_is_fitted, validate_data

from widemargin.estimators._checks import check_choice, check_number
from widemargin.estimators._kernel_machine import FLOATS
from widemargin.estimators._memory import check_gram_memory
from widemargin.estimators._self_labeler import SelfLabeler
from widemargin.kernels import FullBasis, NystromMap, choose_landmarks
from widemargin.kernels.blocks import row_blocks
from widemargin.labels import sign_coding
from widemargin.smoothers import FeatureSpace, KernelSpace
from widemargin.smoothers.posterior import Posterior
from widemargin.smoothers.profiled import ProfiledSmoother
from widemargin.solvers.regressors import SmootherRegressor
from widemargin.solvers.temperature import DEFAULT_SLOPE, fit_slope, log_probabilities


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
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.probabilities = probabilities
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    _auto_landmarks = 2000, 500  # with more rows than that, so many landmarks

    def _check_parameters(self):
        super()._check_parameters()
        check_number(self, "scale", low=0, strict=True)
        check_number(self, "noise", low=0, strict=True)
        check_choice(self, "relabel", ("loo", "in-sample"))
        check_choice(
            self, "hyperparameters", ("heuristic", "marginal-likelihood", "loo")
        )
        check_choice(self, "probabilities", ("probit", "calibrated"))

    def _learn(self, given, sample, rng):
        """Fit the process and the labels in turns; labels, and how it ended."""
        kernel = self._make_kernel(sample.X, rng)
        space, basis = self._make_space(kernel, sample.X, rng)
        self.noise_, self.scale_ = float(self.noise), float(self.scale)

        def make_regressor(weight):
            weights = self._weights(sample, weight)
            smoother = space.smoother(weights, self.noise_ / self.scale_)
            profiled = ProfiledSmoother(smoother)
            return SmootherRegressor(profiled, self.relabel == "loo")

        codes, regressor, result = self._label(make_regressor, sample, None)
        signs = sign_coding(codes, sample.labels.n_classes)
        coordinates, constants = regressor.fit(signs)
        self.kernel_ = kernel
        self.points_, coefficients = basis.function(
            kernel, given, sample.origin, coordinates
        )
        self.dual_coef_ = coefficients.astype(np.float64)
        self.intercept_ = np.asarray(constants, dtype=np.float64)
        self._basis = basis
        self._rows = kernel.points(given, sample.origin)
        self._posterior = Posterior(regressor.profiled, self.scale_, self.noise_)
        self.slope_ = self._fit_slope(regressor.profiled.leave_one_out(signs), sample)
        return codes, result

    def _make_space(self, kernel, X, rng):
        """The functions to choose from, and the kernel functions that span them."""
        n_samples, n_landmarks = X.shape[0], self.n_landmarks
        if n_landmarks == "auto":
            exact_rows, auto_landmarks = self._auto_landmarks
            n_landmarks = auto_landmarks if n_samples > exact_rows else None
        if n_landmarks is None:
            check_gram_memory(n_samples, 8, type(self).__name__)
            return KernelSpace(kernel(X)), FullBasis(n_samples)
        rows = choose_landmarks(kernel, X, n_landmarks, rng, self.landmarks)
        nystrom = NystromMap.fit(kernel, X, rows)
        return FeatureSpace(nystrom(X)), nystrom

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

    def predict_log_proba(self, X):
        """Logarithms of the class probabilities."""
        scores = self._scores(X)
        if self.probabilities == "calibrated":
            return log_probabilities(scores, self.slope_)
        spread = np.sqrt(self.noise_ + self._variance(X))[:, None]
        if scores.shape[1] == 1:
            scores = np.hstack([-scores, scores])
        logs = log_ndtr(scores.astype(np.float64) / spread)
        return logs - logsumexp(logs, axis=1, keepdims=True)

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
        prior = np.asarray(self.kernel_.diagonal(X), dtype=np.float64)
        variances = []
        for block in row_blocks(X.shape[0], self._posterior.profiled.n_samples, 8):
            rows = X[block]
            if isinstance(self._basis, FullBasis):
                values = self.kernel_(rows, self._rows)
            else:
                values = self._basis(rows)
            variances.append(self._posterior.variance(values, prior[block]))
        return np.concatenate(variances)
