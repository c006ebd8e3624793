"""What the Laplacian machines share: everything but the loss."""

from dataclasses import replace

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from widemargin.estimators._base import SolvedMixin
from widemargin.estimators._checks import (
    check_choice,
    check_number,
    check_sample_weight,
)
from widemargin.estimators._memory import check_gram_memory
from widemargin.estimators._sample import keep_copies, merge_copies
from widemargin.estimators._validation import hold_out_labels
from widemargin.graphs import (
    check_adjacency,
    graph_laplacian,
    knn_adjacency,
    no_laplacian,
)
from widemargin.graphs.neighbors import WEIGHTS
from widemargin.kernels import (
    KERNELS,
    FullBasis,
    NystromMap,
    choose_landmarks,
    make_kernel,
    scores_in_blocks,
)
from widemargin.kernels.nystrom import CHOICES
from widemargin.labels import decide, read_labels
from widemargin.linalg.expansions import FeatureExpansion, KernelExpansion
from widemargin.linalg.random import as_generator
from widemargin.objectives.laplacian import ManifoldObjective
from widemargin.solvers.box_dual import box_dual
from widemargin.solvers.early_stopping import (
    MixedCheck,
    StabilityCheck,
    ValidationCheck,
    check_interval,
)
from widemargin.solvers.graph_choice import choose_graph
from widemargin.solvers.pcg import pcg
from widemargin.solvers.reduced_newton import reduced_newton
from widemargin.solvers.temperature import DEFAULT_SLOPE, fit_slope, log_probabilities

_GRAPH_WEIGHTS = (0.0, 1.0)  # candidates of intrinsic_reg="auto"
_NEWTON_ROWS = 2500  # up to this many rows, more with many classes, Newton is faster
_FLOATS = (np.float64, np.float32)
_PANEL_ROWS = 2000  # rows on which labels are left out when there are many more


class LaplacianMachine(SolvedMixin, ClassifierMixin, BaseEstimator):
    """Base of `LaplacianSVC` and `LaplacianRLSC`; a subclass names its losses."""

    _losses = {}  # solver -> loss

    def __init__(
        self,
        *,
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=1.0,
        ambient_reg=1e-4,
        intrinsic_reg="auto",
        n_neighbors=8,
        graph_weights="heat",
        laplacian_power=2,
        normalized_laplacian=True,
        n_landmarks=None,
        landmarks="kmeans++",
        solver="auto",
        early_stopping="stability",
        validation_fraction=0.2,
        fit_intercept=False,
        max_iter=1000,
        tol=1e-6,
        warm_start=False,
        class_weight=None,
        random_state=None,
        verbose=False,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.ambient_reg = ambient_reg
        self.intrinsic_reg = intrinsic_reg
        self.n_neighbors = n_neighbors
        self.graph_weights = graph_weights
        self.laplacian_power = laplacian_power
        self.normalized_laplacian = normalized_laplacian
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.solver = solver
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X, y, sample_weight=None, adjacency=None):
        """Fit on labeled and unlabeled samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            All samples; their Gram matrix if ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Labels of any type. Integer -1, NaN or None marks an unlabeled sample.
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each label in the loss. Samples of weight zero are left out
            altogether; the weight of an unlabeled sample has no other effect.
        adjacency : sparse matrix of shape (n_samples, n_samples), optional
            Your own graph, symmetric with weights >= 0, in place of the
            nearest-neighbor graph.

        Returns
        -------
        self
        """
        self._check_parameters()
        rng = as_generator(self.random_state)
        X, labels, sample = self._read(X, y, sample_weight, adjacency)  # what is known
        kernel = self._make_kernel(sample.X, rng)
        expansion, basis = self._expand(kernel, sample.X, rng)  # ambient geometry
        laplacian = self._connect(kernel, sample)  # intrinsic geometry
        self.solver_ = self._choose_solver(sample)
        sample, check = self._plan_stopping(sample, rng)
        objective = self._build_objective(expansion, laplacian, sample)
        panel = self._build_panel(objective, kernel, sample, rng)
        self.intrinsic_reg_, problem = self._weigh_graph(panel, sample)
        objective = self._with_graph(objective, self.intrinsic_reg_)
        result = self._solve(objective, problem, check)
        self._store_model(kernel, basis, X, sample, result.solution)
        self.slope_ = self._calibrate(problem, sample)
        self.transduction_ = self._transduce(objective, result, labels, X, sample)
        self._store(result)
        return self

    def decision_function(self, X):
        """Scores of new samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            With ``kernel="precomputed"``, kernel values against all training samples.

        Returns
        -------
        ndarray of shape (n_samples,) for two classes, positive for ``classes_[1]``,
        else (n_samples, n_classes).
        """
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X):
        """Class of each sample, as in ``classes_``."""
        codes = decide(self._scores(X))
        return self.classes_[codes]

    def predict_proba(self, X):
        """Class probabilities, shape (n_samples, n_classes).

        A softmax of the scores times ``slope_``, which was fitted to the scores that
        labeled samples get when their own label is left out. The most probable class
        is always the predicted one.
        """
        return np.exp(log_probabilities(self._scores(X), self.slope_))

    def predict_log_proba(self, X):
        """Logarithms of the class probabilities."""
        return log_probabilities(self._scores(X), self.slope_)

    def _scores(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=_FLOATS, reset=False)
        scores = scores_in_blocks(self.kernel_, X, self.points_, self.dual_coef_)
        return scores + self.intercept_

    def _check_parameters(self):
        if not callable(self.kernel):
            check_choice(self, "kernel", KERNELS)
        if isinstance(self.gamma, str):
            check_choice(self, "gamma", ("scale", "median"))
        else:
            check_number(self, "gamma", low=0, strict=True)
        if self.intrinsic_reg != "auto":
            check_number(self, "intrinsic_reg", low=0)
        check_number(self, "ambient_reg", low=0, strict=True)
        check_number(self, "n_neighbors", low=1, integer=True)
        check_number(self, "laplacian_power", low=1, integer=True)
        check_number(self, "max_iter", low=1, integer=True)
        check_number(self, "tol", low=0)
        if self.n_landmarks is not None:
            check_number(self, "n_landmarks", low=1, integer=True)
        check_number(self, "validation_fraction", low=0, strict=True, high=1)
        if isinstance(self.graph_weights, str):
            check_choice(self, "graph_weights", WEIGHTS)
        else:
            check_number(self, "graph_weights", low=0, strict=True)
        check_choice(self, "landmarks", CHOICES)
        check_choice(self, "solver", ("auto", *self._losses))
        check_choice(self, "early_stopping", ("stability", "validation", "mixed", None))

    def _read(self, X, y, sample_weight, adjacency):
        """Everything the user passed, checked and put together."""
        X = validate_data(self, X, accept_sparse="csr", dtype=_FLOATS)
        if y is not None:
            check_consistent_length(X, y)
        row_weights = check_sample_weight(self, sample_weight, X.shape[0])
        labels = read_labels(y, row_weights > 0)
        self.classes_ = labels.classes
        used = np.flatnonzero(row_weights)
        weights = row_weights[used][labels.labeled]
        if self.class_weight is not None:
            weights *= compute_class_weight(
                self.class_weight,
                classes=labels.classes,
                y=labels.classes[labels.codes],
            )[labels.codes]
        if adjacency is not None:
            adjacency = check_adjacency(adjacency, X.shape[0])
        if self.kernel == "precomputed":
            self._check_square(X)
            gram = X[np.ix_(used, used)]
            return X, labels, keep_copies(gram, adjacency, labels, weights, used)
        if adjacency is not None:
            return X, labels, keep_copies(X[used], adjacency, labels, weights, used)
        return X, labels, merge_copies(X, labels, weights, used)

    def _check_square(self, X):
        if X.shape[0] != X.shape[1]:
            raise ValueError(
                f"X of {type(self).__name__}.fit must be the square Gram matrix of the "
                f"training samples when kernel='precomputed', got shape {X.shape}."
            )

    def _make_kernel(self, X, rng):
        return make_kernel(
            self.kernel,
            X,
            rng,
            gamma=self.gamma,
            degree=self.degree,
            coef0=self.coef0,
        )

    def _expand(self, kernel, X, rng):
        """The functions to choose from, and the kernel functions that span them."""
        if self.n_landmarks is None:
            check_gram_memory(X.shape[0], X.dtype.itemsize, type(self).__name__)
            return KernelExpansion(kernel(X)), FullBasis(X.shape[0])
        rows = choose_landmarks(kernel, X, self.n_landmarks, rng, self.landmarks)
        nystrom = NystromMap.fit(kernel, X, rows)
        return FeatureExpansion(nystrom(X)), nystrom

    def _connect(self, kernel, sample):
        """The Laplacian of the given graph or of the nearest neighbors."""
        if self.intrinsic_reg == 0:
            return no_laplacian(sample.n_samples, sample.X.dtype)
        adjacency = sample.adjacency
        if adjacency is None:
            data, metric = kernel.geometry(sample.X)
            adjacency = knn_adjacency(
                data, self.n_neighbors, self.graph_weights, metric=metric
            )
        return graph_laplacian(
            adjacency,
            normalized=self.normalized_laplacian,
            power=self.laplacian_power,
        )

    def _choose_solver(self, sample):
        """Newton where its factorization is cheap, PCG elsewhere."""
        if self.solver != "auto":
            return self.solver
        n_columns = sample.signs.shape[1]
        small = sample.n_samples <= _NEWTON_ROWS * (1 + n_columns / 10)
        return "newton" if small or self.n_landmarks is not None else "pcg"

    def _plan_stopping(self, sample, rng):
        """The labels to train on, and the check that stops PCG early."""
        if self.solver_ != "pcg" or self.early_stopping is None:
            return sample, None
        interval = check_interval(sample.n_samples)
        unlabeled = sample.unlabeled_idx
        watched = unlabeled if len(unlabeled) else np.arange(sample.n_samples)
        stability = StabilityCheck(watched, decide, interval)
        if self.early_stopping == "stability":
            return sample, stability
        held_out = hold_out_labels(sample.codes, self.validation_fraction, rng)
        validation = ValidationCheck(
            sample.rows[held_out], sample.codes[held_out], decide, interval
        )
        sample = sample.with_labels(~held_out)
        if self.early_stopping == "validation":
            return sample, validation
        return sample, MixedCheck(stability, validation)

    def _build_objective(self, expansion, laplacian, sample):
        """The objective without its graph term, whose weight may be chosen later."""
        scale = expansion.mean_diagonal()
        if not (np.isfinite(scale) and scale > 0):
            raise ValueError(
                f"the kernel of {type(self).__name__} must have a positive diagonal, "
                f"got {scale:g} on average; look for rows of zeros, or for a kernel "
                "that is not positive semi-definite."
            )
        return ManifoldObjective(
            expansion,
            laplacian,
            sample.rows,
            sample.signs,
            sample.weights,
            self._losses[self.solver_],
            ambient=self.ambient_reg * scale,
            intrinsic=0.0,
            intercept=self.fit_intercept,
        )

    def _with_graph(self, objective, intrinsic_reg):
        """The objective with its graph term, a mean over the samples."""
        return replace(
            objective, intrinsic=intrinsic_reg / objective.expansion.n_samples
        )

    def _build_panel(self, objective, kernel, sample, rng):
        """A problem small enough to leave labels out: often the whole one."""
        if self.solver_ != "pcg" or sample.n_samples <= _PANEL_ROWS:
            return objective
        if self.n_landmarks is not None:
            return objective
        kept = sample.thinned(_PANEL_ROWS, rng)
        adjacency = sample.adjacency
        if adjacency is not None:
            adjacency = adjacency[kept][:, kept]
        X = sample.X[np.ix_(kept, kept)] if self.kernel == "precomputed" else None
        part = replace(
            sample, X=sample.X[kept] if X is None else X, adjacency=adjacency
        )
        return replace(
            objective,
            expansion=objective.expansion.restricted(kept),
            laplacian=self._connect(kernel, part),
            rows=np.searchsorted(kept, sample.rows),
        )

    def _weigh_graph(self, panel, sample):
        """The graph's weight, asked of the labels if left open; and its problem."""
        if self.intrinsic_reg != "auto":
            reg = float(self.intrinsic_reg)
            return reg, self._with_graph(panel, reg).reduced()
        problems = [self._with_graph(panel, reg).reduced() for reg in _GRAPH_WEIGHTS]
        choice = choose_graph(problems, sample.codes)
        self._say(f"leave-one-out errors {choice.errors} for graph {_GRAPH_WEIGHTS}")
        return _GRAPH_WEIGHTS[choice.index], problems[choice.index]

    def _solve(self, objective, problem, check):
        """Call the one solver."""
        if self.solver_ == "newton":
            return reduced_newton(problem, max_iter=self.max_iter)
        if self.solver_ == "dual":
            return box_dual(problem, max_iter=self.max_iter, tol=self.tol)
        return pcg(
            objective,
            self._start(objective),
            max_iter=self.max_iter,
            tol=self.tol,
            check=check,
            callback=self._progress(every=10),
        )

    def _start(self, objective):
        """Where PCG starts: at the last solution if asked to."""
        if not self.warm_start or not hasattr(self, "result_"):
            return None
        start, shape = self.result_.solution, objective.targets.shape
        wanted = (objective.space.n_coordinates, shape[1])
        if start.shape != wanted:
            raise ValueError(
                f"warm_start=True of {type(self).__name__} needs the samples and "
                f"classes of the last fit: its solution has shape {start.shape}, this "
                f"one {wanted}; set warm_start=False."
            )
        return start

    def _store_model(self, kernel, basis, X, sample, solution):
        """What prediction needs."""
        coordinates = solution[:-1] if self.fit_intercept else solution
        dtype = sample.X.dtype
        self.kernel_ = kernel
        self.points_ = kernel.points(X, sample.origin[basis.rows])
        self.dual_coef_ = basis.coefficients(coordinates).astype(dtype, copy=False)
        n_columns = solution.shape[1]
        self.intercept_ = (
            solution[-1].astype(dtype) if self.fit_intercept else np.zeros(n_columns)
        )

    def _calibrate(self, problem, sample):
        """Slope of the probabilities, from labels whose class has another one."""
        counts = np.bincount(sample.codes, minlength=sample.n_classes)
        repeated = counts[sample.codes] > 1
        if not repeated.any():
            return DEFAULT_SLOPE
        weights = sample.weights[repeated]
        return fit_slope(
            problem.leave_one_out()[repeated],
            sample.codes[repeated],
            weights / weights.sum(),
        )

    def _transduce(self, objective, result, labels, X, sample):
        """Labels of all given rows; those of weight zero are predicted."""
        solution = result.solution.astype(objective.expansion.dtype, copy=False)
        codes = decide(objective.space.scores(solution))[sample.distinct_of]
        inferred = labels.complete(codes)
        if len(inferred) == X.shape[0]:
            return inferred
        transduction = self.predict(X)
        transduction[sample.used] = inferred
        return transduction

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags
