"""What the Laplacian machines share: everything but the loss."""

import warnings
from itertools import product

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_consistent_length, validate_data

from widemargin.estimators._checks import (
    check_choice,
    check_gram,
    check_number,
    check_sample_weight,
    class_weights,
)
from widemargin.estimators._kernel_machine import FLOATS, KernelClassifier
from widemargin.estimators._laplacian_learning import LearningMixin
from widemargin.estimators._memory import check_gram_memory
from widemargin.estimators._sample import keep_copies, merge_copies
from widemargin.graphs import check_adjacency, no_laplacian, unreached_components
from widemargin.kernels import FullBasis, NystromMap, choose_landmarks
from widemargin.labels import decide, read_labels
from widemargin.linalg.expansions import FeatureExpansion, KernelExpansion
from widemargin.linalg.random import as_generator
from widemargin.objectives.laplacian import Intercept, ManifoldObjective

_NOTEWORTHY_SHARE = 0.1  # of the graph, for a warning about it


class LaplacianMachine(LearningMixin, KernelClassifier):
    """Base of `LaplacianSVC` and `LaplacianRLSC`; a subclass names its loss."""

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
        laplacian_power="auto",
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
            Weight of each label in the loss, and where labels that are left out say
            how far the graph is trusted. Samples of weight zero are left out
            altogether; the weight of an unlabeled sample has no other effect.
        adjacency : sparse matrix of shape (n_samples, n_samples), optional
            Your own graph, symmetric with weights >= 0, in place of the
            nearest-neighbor graph. It names the rows of X, so that it cannot be passed
            through a cross-validation, which takes rows away.

        Returns
        -------
        self

        Notes
        -----
        An interrupt (Ctrl-C) while "pcg" runs leaves a model with the best result so
        far, and is then passed on.
        """
        self._check_parameters()
        rng = as_generator(self.random_state)
        sample = self._read(X, y, sample_weight, adjacency)  # what is known
        kernel = self._make_kernel(sample.X, rng)
        expansion, basis = self._expand(kernel, sample.X, rng)  # ambient geometry
        laplacian = self._connect(kernel, sample)  # intrinsic geometry
        objective = self._build_objective(expansion, laplacian, sample)
        result = self._learn(objective, sample, kernel, rng)
        self._store_model(kernel, basis, sample, objective, result.solution)
        self._store(result)
        return self

    def fit_grid(
        self,
        X,
        y,
        *,
        ambient_reg,
        intrinsic_reg,
        sample_weight=None,
        adjacency=None,
    ):
        """Fit a machine for each pair of weights, sharing what is expensive.

        All of them share the Gram matrix and the graph; those with the same ratio of
        the two weights share the factorization, too, and with ``solver="pcg"`` each
        starts from the solution before it. Choose among them on data of your own or,
        with more than a few labels, by ``average_.losses``, the leave-one-out loss.

        Parameters
        ----------
        X, y, sample_weight, adjacency
            As in `fit`.
        ambient_reg, intrinsic_reg : sequences of float
            Weights to combine; "auto" may be among those of the graph.

        Returns
        -------
        list of fitted estimators
            In the order of ``itertools.product(ambient_reg, intrinsic_reg)``.
        """
        rng = as_generator(self.random_state)
        weights = ([w] if np.isscalar(w) else w for w in (ambient_reg, intrinsic_reg))
        machines = [
            clone(self).set_params(ambient_reg=ambient, intrinsic_reg=intrinsic)
            for ambient, intrinsic in product(*weights)
        ]
        for machine in machines:
            machine._check_parameters()
        reader = machines[0]
        sample = reader._read(X, y, sample_weight, adjacency)
        kernel = self._make_kernel(sample.X, rng)
        expansion, basis = self._expand(kernel, sample.X, rng)
        in_need = [machine for machine in machines if machine.intrinsic_reg != 0]
        laplacian = (in_need or machines)[0]._connect(kernel, sample)
        seed = int(rng.integers(2**31))  # the same held-out labels for all
        factorized, start = {}, None
        for machine in machines:
            for name in ("classes_", "n_features_in_", "feature_names_in_"):
                if hasattr(reader, name):
                    setattr(machine, name, getattr(reader, name))
            objective = machine._build_objective(expansion, laplacian, sample)
            problem = machine._shared_problem(objective, sample, factorized)
            result = machine._learn(
                objective, sample, kernel, np.random.default_rng(seed), problem, start
            )
            machine._store_model(kernel, basis, sample, objective, result.solution)
            machine._store(result)
            start = machine.start_
        return machines

    def _check_parameters(self):
        self._check_kernel()
        self._check_graph()
        if isinstance(self.intrinsic_reg, str):
            check_choice(self, "intrinsic_reg", ("auto",), "or a number >= 0")
        else:
            check_number(self, "intrinsic_reg", low=0)
        check_number(self, "ambient_reg", low=0, strict=True)
        check_number(self, "max_iter", low=1, integer=True)
        check_number(self, "tol", low=0)
        if self.n_landmarks is not None:
            check_number(self, "n_landmarks", low=1, integer=True)
        check_number(self, "validation_fraction", low=0, strict=True, high=1)
        check_choice(self, "solver", ("auto", *self._solvers))
        check_choice(self, "fit_intercept", ("penalized", True, False))
        check_choice(self, "early_stopping", ("stability", "validation", "mixed", None))

    def _read(self, X, y, sample_weight, adjacency):
        """Everything the user passed, checked and put together."""
        pairwise = self.kernel == "precomputed"
        X = validate_data(
            self, X, accept_sparse=False if pairwise else "csr", dtype=FLOATS
        )
        if y is not None:
            check_consistent_length(X, y)
        row_weights = check_sample_weight(self, sample_weight, X.shape[0])
        if self.class_weight is not None:
            labels = read_labels(y, row_weights > 0)
            row_weights[np.flatnonzero(row_weights)[labels.labeled]] *= class_weights(
                self, labels
            )
        labels = read_labels(y, row_weights > 0)
        self.classes_ = labels.classes
        used = np.flatnonzero(row_weights)
        weights = row_weights[used][labels.labeled]
        if adjacency is not None:
            adjacency = check_adjacency(adjacency, X.shape[0])
        if pairwise:
            check_gram(self, X)
        elif adjacency is None:
            return merge_copies(X, labels, weights, used)
        return keep_copies(X, adjacency, labels, weights, used, pairwise=pairwise)

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
        return self._laplacian(
            kernel,
            sample.X,
            low_rank=self.n_landmarks is not None,
            adjacency=sample.adjacency,
            normalized=self.normalized_laplacian,
        )

    def _build_objective(self, expansion, laplacian, sample):
        """Loss and penalties; the graph's weight is zero where it is left open."""
        scale = expansion.mean_diagonal()
        self._check_scale(scale)
        intercepts = {
            False: None,
            True: Intercept(inside=True),
            "penalized": Intercept(penalty=float(self.ambient_reg), inside=False),
        }
        return ManifoldObjective(
            expansion,
            laplacian,
            sample.rows,
            sample.signs,
            sample.weights,
            self._loss,
            ambient=self.ambient_reg * scale,
            intrinsic=0.0 if self._asks_labels else float(self.intrinsic_reg),
            intercept=intercepts[self.fit_intercept],
        )

    def _store_model(self, kernel, basis, sample, objective, solution):
        """What prediction needs, and what the function says of the training rows."""
        dtype, n_columns = sample.X.dtype, solution.shape[1]
        coordinates = solution if self.fit_intercept is False else solution[:-1]
        intercept = np.zeros(n_columns) if self.fit_intercept is False else solution[-1]
        self.kernel_ = kernel
        self.points_, coefficients = basis.function(
            kernel, sample.given, sample.origin, coordinates
        )
        self.dual_coef_ = coefficients.astype(np.float64)
        self.intercept_ = intercept.astype(np.float64)
        codes = decide(objective.space.scores(solution.astype(dtype, copy=False)))
        self.transduction_ = self._transduce(sample, codes[sample.distinct_of])
        self._warn_unreached(objective.laplacian, sample)

    def _transduce(self, sample, codes):
        """Labels of all given rows; those of weight zero are predicted."""
        inferred = sample.labels.complete(codes)
        if len(inferred) == sample.given.shape[0]:
            return inferred
        transduction = self.classes_[decide(self._evaluate(sample.given))]
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
                "in one without a label, where the kernel alone decides; label one of "
                "them, or use more neighbors.",
                UserWarning,
                stacklevel=4,
            )
