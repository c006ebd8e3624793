"""What the Laplacian machines share: everything but the loss."""

import warnings
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
    unreached_components,
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
from widemargin.objectives.laplacian import Intercept, ManifoldObjective
from widemargin.objectives.losses import Hinge
from widemargin.solvers.box_dual import box_dual
from widemargin.solvers.early_stopping import (
    MixedCheck,
    StabilityCheck,
    ValidationCheck,
    check_interval,
)
from widemargin.solvers.graph_average import average_over_graph
from widemargin.solvers.pcg import pcg
from widemargin.solvers.reduced_newton import reduced_newton
from widemargin.solvers.temperature import DEFAULT_SLOPE, fit_slope, log_probabilities

# intrinsic_reg="auto": shares of the graph in the kernel that are tried, the weight of
# the graph relative to the ambient norm, and a share that is worth a warning
_SHARES = (0.0, 0.75, 1.0)
_GRAPH_RATIO = 2.0
_NOTEWORTHY_SHARE = 0.1
_NEWTON_ROWS = 2500  # up to this many rows, more with many classes, Newton is faster
_FLOATS = (np.float64, np.float32)
_PANEL_ROWS = 2000  # rows on which labels are left out when there are many more


class LaplacianMachine(SolvedMixin, ClassifierMixin, BaseEstimator):
    """Base of `LaplacianSVC` and `LaplacianRLSC`; a subclass names its losses."""

    _loss = None  # Squared or SquaredHinge
    _solvers = ("newton", "pcg")

    def __init__(
        self,
        *,
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=1.0,
        ambient_reg=1e-3,
        intrinsic_reg="auto",
        n_neighbors=8,
        graph_weights="self-tuned",
        laplacian_power=3,
        normalized_laplacian=True,
        n_landmarks=None,
        landmarks="kmeans++",
        solver="auto",
        early_stopping="stability",
        validation_fraction=0.2,
        fit_intercept="penalized",
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
        machines = self._build_machines(panel)  # one for each trust in the graph
        self.average_ = average_over_graph(machines, sample.codes)
        result = self._solve(objective, machines, check)
        self._store_model(kernel, basis, X, sample, result.solution)
        self.slope_ = self._calibrate(sample)
        self.transduction_ = self._transduce(objective, result, labels, X, sample)
        self._warn_unreached(laplacian, sample)
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
        check_choice(self, "solver", ("auto", *self._solvers))
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
        """Everything but the weights of the penalties."""
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
            self._loss,
            ambient=scale,
            intrinsic=0.0,
        )

    def _weighted(self, objective, ambient_reg, intrinsic_reg):
        """The objective with its penalties, on the scale of the class's Notes."""
        intercept = {
            False: None,
            True: Intercept(inside=True),
            "penalized": Intercept(penalty=self.ambient_reg, inside=False),
        }[self.fit_intercept]
        return replace(
            objective,
            ambient=ambient_reg * objective.expansion.mean_diagonal(),
            intrinsic=intrinsic_reg * objective.expansion.n_samples,
            intercept=intercept,
        )

    def _build_panel(self, objective, kernel, sample, rng):
        """The problem on which labels are left out: often the whole one."""
        whole = self.solver_ != "pcg" or self.n_landmarks is not None
        if whole or sample.n_samples <= _PANEL_ROWS:
            return objective
        kept = sample.thin_rows(_PANEL_ROWS, rng)
        part = sample.with_rows(kept, pairwise=self.kernel == "precomputed")
        return replace(
            objective,
            expansion=objective.expansion.restricted(kept),
            laplacian=self._connect(kernel, part),
            rows=part.rows,
        )

    def _build_machines(self, panel):
        """The reduced problem for the given weights, or one for each graph share."""
        if self.intrinsic_reg != "auto":
            self.ambient_reg_ = float(self.ambient_reg)
            self.intrinsic_reg_ = float(self.intrinsic_reg)
            self.shares_ = (float(self.intrinsic_reg > 0),)
            given = self._weighted(panel, self.ambient_reg_, self.intrinsic_reg_)
            return [given.reduced()]
        plain = self._weighted(panel, self.ambient_reg, 0.0).reduced()
        curved = self._weighted(panel, 1.0, _GRAPH_RATIO)
        deformed = curved.expansion.deformed(
            curved.laplacian, curved.intrinsic / curved.ambient
        )
        # as much regularization as without the graph: same mean diagonal of the kernel
        shrunk = self.ambient_reg * deformed.mean_diagonal(panel.rows)
        shrunk /= panel.expansion.deformed(panel.laplacian, 0.0).mean_diagonal(
            panel.rows
        )
        self.ambient_reg_, self.intrinsic_reg_ = shrunk, _GRAPH_RATIO * shrunk
        graph = self._weighted(panel, self.ambient_reg_, self.intrinsic_reg_)
        graph = graph.reduced(deformed)
        mixable = self.solver_ != "pcg" and self.fit_intercept is not True
        self.shares_ = _SHARES if mixable else (_SHARES[0], _SHARES[-1])
        ends = {0.0: plain, 1.0: graph}
        return [ends.get(t) or plain.mixed(graph, t) for t in self.shares_]

    def _solve(self, objective, machines, check):
        """Solve every machine by the chosen solver and average their functions."""
        shares = self.average_.weights
        if self.solver_ == "pcg":
            results = self._solve_by_pcg(objective, check)
        else:
            results = [
                self._exact(problem, result)
                for problem, result in zip(machines, self.average_.results, strict=True)
            ]
        solution = sum(w * r.solution for w, r in zip(shares, results, strict=True))
        value = sum(w * r.objective for w, r in zip(shares, results, strict=True))
        last = next((r for r in results if not r.status.is_success), results[-1])
        return replace(last, solution=solution, objective=value)

    def _exact(self, problem, result):
        """Coordinates of the minimum, which Newton's method has found already."""
        if self.solver_ == "dual":
            problem = replace(problem, loss=Hinge())
            result = box_dual(problem, max_iter=self.max_iter, tol=self.tol)
        return replace(result, solution=problem.coordinates(result.solution))

    def _solve_by_pcg(self, objective, check):
        """The machine without the graph on its few labels, the others by PCG."""
        results = []
        for share in self.shares_:
            if share == 0.0:
                plain = self._weighted(objective, self.ambient_reg, 0.0).reduced()
                result = reduced_newton(plain)
                coordinates = plain.coordinates(result.solution)
                results.append(replace(result, solution=coordinates))
                continue
            graph = self._weighted(objective, self.ambient_reg_, self.intrinsic_reg_)
            results.append(
                pcg(
                    graph,
                    self._start(graph),
                    max_iter=self.max_iter,
                    tol=self.tol,
                    check=check,
                    callback=self._progress(every=10),
                )
            )
        return results

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

    def _calibrate(self, sample):
        """Slope of the probabilities, from labels whose class has another one."""
        counts = np.bincount(sample.codes, minlength=sample.n_classes)
        repeated = counts[sample.codes] > 1
        if not repeated.any():
            return DEFAULT_SLOPE
        weights = sample.weights[repeated]
        return fit_slope(
            self.average_.leave_one_out[repeated],
            sample.codes[repeated],
            weights / weights.sum(),
        )

    def _transduce(self, objective, result, labels, X, sample):
        """Labels of all given rows; those of weight zero are predicted."""
        space = self._weighted(objective, 1.0, 0.0).space
        solution = result.solution.astype(space.dtype, copy=False)
        codes = decide(space.scores(solution))[sample.distinct_of]
        inferred = labels.complete(codes)
        if len(inferred) == X.shape[0]:
            return inferred
        transduction = self.predict(X)
        transduction[sample.used] = inferred
        return transduction

    def _warn_unreached(self, laplacian, sample):
        """Say so where the graph is used but no label can follow it."""
        if self.average_.weights @ self.shares_ < _NOTEWORTHY_SHARE:
            return
        n_components, unreached = unreached_components(laplacian.matrix, sample.rows)
        if unreached.any():
            warnings.warn(
                f"the graph of {type(self).__name__} has {n_components} connected "
                f"components, and {unreached.sum()} of {sample.n_samples} samples are "
                "in one without a label, where the kernel alone decides; raise "
                f"n_neighbors={self.n_neighbors}, or label a sample there.",
                UserWarning,
                stacklevel=3,
            )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags
