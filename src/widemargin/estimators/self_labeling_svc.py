"""Self-labeling support vector machine."""

import numpy as np

from widemargin.estimators._checks import check_number
from widemargin.estimators._hinge_machines import HingeMachineMixin
from widemargin.estimators._self_labeler import SelfLabeler
from widemargin.labels import sign_coding
from widemargin.solvers.regressors import AbsoluteRegressor
from widemargin.solvers.temperature import DEFAULT_SLOPE


class SelfLabelingSVC(HingeMachineMixin, SelfLabeler):
    """Support vector regression that labels the unlabeled samples itself."""

    def __init__(
        self,
        *,
        C=1.0,
        kernel="rbf",
        gamma="mean",
        degree=3,
        coef0=1.0,
        labeled_weight=10.0,
        annealing=(0.01, 0.1, 0.3, 1.0),
        balance="labeled",
        balance_tolerance="auto",
        threshold="absolute",
        solver="auto",
        n_landmarks="auto",
        landmarks="kmeans++",
        tol=1e-3,
        max_iter=50,
        random_state=None,
        verbose=False,
    ):
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.labeled_weight = labeled_weight
        self.annealing = annealing
        self.balance = balance
        self.balance_tolerance = balance_tolerance
        self.threshold = threshold
        self.solver = solver
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def _check_parameters(self):
        super()._check_parameters()
        self._check_machine()
        check_number(self, "C", low=0, strict=True)

    def _learn(self, given, sample, rng):
        """Fit the machine and the labels in turns; labels, and how it ended."""
        kernel = self._make_kernel(sample.X, rng)
        machine, basis = self._make_machine(kernel, sample.X, rng)

        def make_regressor(weight):
            return AbsoluteRegressor(machine, self.C * self._weights(sample, weight))

        codes, regressor, result = self._label(make_regressor, sample, None)
        signs = sign_coding(codes, sample.labels.n_classes)
        coordinates, constants = regressor.fit(signs)
        self.kernel_ = kernel
        self.points_, coefficients = basis.function(
            kernel, given, sample.origin, coordinates
        )
        self.dual_coef_ = coefficients.astype(np.float64)
        self.intercept_ = np.asarray(constants, dtype=np.float64)
        self.slope_ = DEFAULT_SLOPE
        return codes, result
