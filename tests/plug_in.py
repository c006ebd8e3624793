"""A kernel and two estimators as a package of somebody else would define them.

Nothing in widemargin mentions them, and no file other than this one is needed.
"""

from dataclasses import dataclass

import numpy as np
from sklearn.base import clone
from sklearn.metrics.pairwise import euclidean_distances

from widemargin.calibration import Calibration
from widemargin.estimators import Classifier, Estimator, Fit, read_parameter
from widemargin.kernels import Kernel
from widemargin.labels import decide, sign_coding
from widemargin.solvers.result import SolveResult, Status
from widemargin.spaces import Function
from widemargin.stored import Stored, is_finite, require


@dataclass(frozen=True)
class Cauchy(Kernel, shorthand="cauchy"):
    """k(x, z) = 1 / (1 + gamma |x - z|^2)."""

    gamma: float = 1.0

    def __call__(self, X, Z=None):
        return 1.0 / (1.0 + self.gamma * euclidean_distances(X, Z, squared=True))


class ToyClassifier(Classifier):
    """Kernel ridge regression on the labels, over the first rows."""

    def __init__(
        self, kernel="rbf", reg=1.0, n_points=None, random_state=None, options=None
    ):
        self.kernel = kernel
        self.reg = reg
        self.n_points = n_points
        self.random_state = random_state
        self.options = options

    def _fit_sample(self, sample, rng):
        X, codes = sample.rows.X, sample.codes
        kernel = read_parameter(self, "kernel").fit_width(X, rng)
        points = kernel.points(X, np.arange(self.n_points or X.shape[0]))
        gram = kernel(X[sample.label_idx], points).astype(float)
        ridge = gram.T @ gram + self.reg * np.eye(gram.shape[1])
        coef = np.linalg.solve(ridge, gram.T @ sign_coding(codes, sample.n_classes))
        function = Function(kernel, points, coef, np.zeros(coef.shape[1]))
        history = {"objective": [2.0, np.float64(1.0)], "rows": [np.zeros(X.shape[0])]}
        result = SolveResult(np.zeros(X.shape[0]), 1.0, Status.CONVERGED, 2, history)
        return Fit(function, Calibration(2.0), result, decide(function(X)))


@dataclass(frozen=True)
class ToyReport(Stored):
    """What `ToyMixture` found."""

    note: str
    error: float


class ToyMixture(Estimator):
    """An average of classifiers: an estimator that holds estimators."""

    saved_state = ("classes_", "models_", "weights_", "report_")

    def __init__(self, candidates=None):
        self.candidates = candidates

    def fit(self, X, y):
        models = self.candidates or {"toy": ToyClassifier()}
        self.models_ = [clone(model).fit(X, y) for model in models.values()]
        self.n_features_in_ = self.models_[0].n_features_in_
        self.classes_ = self.models_[0].classes_
        self.weights_ = np.full(len(models), 1.0 / len(models))
        self.report_ = ToyReport("fine", np.nan)
        return self

    def check_state(self):
        super().check_state()
        fits = is_finite(self.weights_, 1) and len(self.weights_) == len(self.models_)
        require(fits, self, "weights_")

    def predict_proba(self, X):
        pairs = zip(self.weights_, self.models_, strict=True)
        return sum(weight * model.predict_proba(X) for weight, model in pairs)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]
