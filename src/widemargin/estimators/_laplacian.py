"""What `LaplacianSVC` and `LaplacianRLSC` share: everything but the loss."""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from widemargin.checks import (
    check_choice,
    check_number,
    check_number_or,
    refuse,
    warn_caller,
)
from widemargin.defaults import (
    GRAPH_FUNCTIONS,
    GRAPH_POWERS,
    HOLDOUT_SIZE,
    LAPLACIAN_LADDER,
    NOTEWORTHY_SHARE,
)
from widemargin.estimators._estimator import (
    Classifier,
    Fit,
    copy_features,
    fit_sample,
    read_graph_sample,
    read_grid,
    read_parameter,
    read_parameters,
    store_fit,
)
from widemargin.graphs import (
    graph_laplacian,
    no_laplacian,
    rows_near,
    unreached_components,
)
from widemargin.labels import decide
from widemargin.linalg.random import as_generator
from widemargin.objectives.laplacian import Intercept, ManifoldObjective
from widemargin.progress import Progress
from widemargin.solvers.laplacian import (
    Dual,
    LaplacianSolver,
    Pcg,
    Training,
    choose_solver,
    learn,
)
from widemargin.spaces import choose_space
from widemargin.spaces.bases import graph_basis, limit_components
from widemargin.spaces.choose import check_scale
from widemargin.spaces.graph_features import GraphFeatureSpace


@dataclass(kw_only=True, eq=False, repr=False)
class LaplacianClassifier(Classifier):
    """Base of the two classes, which differ in the loss."""

    kernel: object = "rbf"
    graph: object = "knn"
    ambient_reg: float = 1e-3
    intrinsic_reg: float | str = "auto"
    landmarks: object = "auto"
    solver: object = "auto"
    fit_intercept: bool | str = "penalized"
    class_weight: dict | str | None = None
    random_state: object = None
    verbose: bool = False

    loss = None  # Squared or SquaredHinge
    value_families = Classifier.value_families | {"solver": LaplacianSolver}
    saved_state = (
        *Classifier.saved_state,
        "shares_",
        "powers_",
        "ambient_reg_",
        "intrinsic_reg_",
        "solver_",
    )
    averaged = "shares_"
    merge = "all"  # copies of a row would be each other's nearest neighbors

    @property
    def history_names(self):
        """Titles of what the solver records, for plots."""
        return Classifier.history_names | self.solver_.history_names

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        adjacency: Any = None,
    ) -> Self:
        """Fit on labeled and unlabeled rows.

        Parameters
        ----------
        X, y
            As in :meth:`Classifier.fit <widemargin.estimators.Classifier.fit>`.
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each label, in the loss and where it is held out. Rows of weight
            zero are left out; the weight of an unlabeled row has no other effect.
        adjacency : sparse matrix of shape (n_samples, n_samples), optional
            Your own graph, symmetric with weights >= 0, in place of the
            nearest-neighbor graph. It cannot be passed through a cross-validation,
            which takes rows away.
        """
        return fit_sample(self, read_graph_sample(self, X, y, sample_weight, adjacency))

    def _fit_sample(self, sample, rng):
        with Progress.of(self).watched():
            geometry = follow_graph(self, make_geometry(self, sample, rng))
        training = plan_training(self, geometry, rng)
        solved = learn(
            training,
            start=read_start(self, training),
            callback=Progress.of(self).every(10),
        )
        return describe(self, geometry, training, solved)

    def fit_grid(
        self,
        X: Any,
        y: Any,
        *,
        ambient_reg: ArrayLike,
        intrinsic_reg: ArrayLike,
        sample_weight: ArrayLike | None = None,
        adjacency: Any = None,
    ) -> list[Self]:
        """Fit a model for each pair of weights, sharing what is expensive.

        All of them share the kernel matrix and the graph; those with the same ratio of
        the two weights also share the factorization, and with `Pcg` each starts from
        the solution before it. Choose among them on data of your own or, with more than
        a few labels, by ``average_.losses``, the leave-one-out loss.

        Parameters
        ----------
        X, y, sample_weight, adjacency
            As in `fit`.
        ambient_reg, intrinsic_reg : sequences of float
            Weights to combine; "auto" may be among those of the graph. Fitted
            estimators are in the order of ``product(ambient_reg, intrinsic_reg)``.
        """
        rng = as_generator(self.random_state)
        ambient_reg, intrinsic_reg = read_grid(
            self, "fit_grid", ambient_reg=ambient_reg, intrinsic_reg=intrinsic_reg
        )
        models = [
            clone(self).set_params(ambient_reg=ambient, intrinsic_reg=intrinsic)
            for ambient, intrinsic in product(ambient_reg, intrinsic_reg)
        ]
        for model in models:
            check_weights(model)
        # one with a graph, if there is any: the geometry is for all of them
        reader = next((m for m in models if m.intrinsic_reg != 0), models[0])
        sample = read_graph_sample(reader, X, y, sample_weight, adjacency)
        plain = make_geometry(reader, sample, rng)
        # Models without the graph must not learn functions along it either.
        geometries = {True: follow_graph(reader, plain), False: plain.without_graph()}
        seed = int(rng.integers(2**31))  # the same held-out labels for all
        factorized, space, start = {}, None, None
        for model in models:
            copy_features(reader, model)
            geometry = geometries[model.intrinsic_reg != 0]
            if geometry.space is not space:  # the last solution has other coordinates
                space, start = geometry.space, None
            training = plan_training(model, geometry, np.random.default_rng(seed))
            solved = learn(
                training,
                problem=shared_problem(training, factorized),
                start=start,
                callback=Progress.of(model).every(10),
            )
            store_fit(model, sample, describe(model, geometry, training, solved))
            start = model.start_
        return models


def check_weights(estimator):
    """Raise unless the parameters that are no values are valid."""
    check_number(estimator, "ambient_reg", low=0, strict=True)
    check_number_or(estimator, "intrinsic_reg", ("auto",), low=0)
    check_choice(estimator, "fit_intercept", ("penalized", True, False))


@dataclass(frozen=True)
class Geometry:
    """The rows of a sample, functions over them and the graph between them."""

    sample: object
    space: object
    kernel: object
    graph: object  # None if no model uses one
    edges: object = None  # those of `adjacency`, if they are known

    def without_graph(self):
        """The same for models without a graph."""
        return replace(self, graph=None, edges=None)

    @cached_property
    def adjacency(self):
        """The edges of the user's graph or between nearest neighbors."""
        adjacency = self.sample.adjacency if self.edges is None else self.edges
        if adjacency is None:
            adjacency = self.sample.rows.adjacency(self.graph, self.kernel)
        return adjacency

    @cached_property
    def laplacian(self):
        """The Laplacian of the graph, of power 1."""
        if self.graph is None:
            return no_laplacian(self.sample.n_rows, self.space.dtype)
        return graph_laplacian(self.adjacency, normalized=self.graph.normalized)

    @cached_property
    def powers(self):
        """Powers of the Laplacian and their prior weights, a dict."""
        if self.graph is None:
            return {1: 1.0}
        # few landmarks cannot follow the higher powers
        auto_power = GRAPH_POWERS.powers if self.space.follows_graph else 1
        return self.graph.power_prior(self.adjacency, auto_power)


def make_geometry(estimator, sample, rng):
    """The functions over the rows, and the graph between them."""
    check_weights(estimator)
    names = "kernel", "graph", "landmarks"
    kernel, graph, landmarks = read_parameters(estimator, *names)
    kernel, who = sample.rows.fit_width(kernel, rng), type(estimator).__name__
    rows, ladder = sample.rows, LAPLACIAN_LADDER
    n_landmarks = limit_components(ladder.n_landmarks, len(rows))
    ladder = ladder._replace(n_landmarks=n_landmarks)
    space = choose_space(kernel, rows, landmarks, rng, ladder=ladder, who=who)
    graph = None if estimator.intrinsic_reg == 0 else graph
    return Geometry(sample, space, kernel, graph)


def follow_graph(estimator, geometry):
    """The same with functions that follow the graph, unless it is not used."""
    landmarks = read_parameter(estimator, "landmarks")
    is_free = landmarks == "auto" and not geometry.sample.rows.in_blocks
    has_graph = geometry.graph is not None
    if is_free and has_graph and not geometry.space.follows_graph:
        return _with_spectrum(geometry)
    return geometry


def _with_spectrum(geometry):
    """The same with smooth functions along the graph beside those of landmarks."""
    rows, kernel, space = geometry.sample.rows, geometry.kernel, geometry.space
    n_vectors, adjacency = (
        limit_components(GRAPH_FUNCTIONS, len(rows)),
        geometry.adjacency,
    )
    basis = graph_basis(rows, kernel, geometry.graph, adjacency, n_vectors)
    diagonal = float(rows.evaluate(kernel.diagonal).mean(dtype=np.float64))
    remainder = max(diagonal - space.mean_diagonal(), 0.0)
    space = GraphFeatureSpace.join(space, basis, remainder)
    return replace(geometry, space=space, edges=adjacency)


def plan_training(estimator, geometry, rng):
    """Choose the solver, the labels to train on, and those that are held out."""
    sample, solver = geometry.sample, read_parameter(estimator, "solver")
    if isinstance(solver, Dual) and not estimator.loss.has_kink:
        refuse(estimator, "solver", "'auto', 'newton' or 'pcg': its loss is square")
    if solver == "auto":
        solver = choose_solver(
            sample.n_rows,
            sample.n_columns,
            sample.n_labels,
            low_rank=geometry.space.low_rank,
        )
    Progress.of(estimator).say(
        f"{sample.n_rows} distinct rows, {sample.n_labels} labels, solver {solver!r}"
    )
    check, is_pcg = None, isinstance(solver, Pcg)
    if is_pcg:
        # Labels that decide when to stop are not trained on.
        sample, check = solver.plan_stopping(sample, rng)
    powers = geometry.powers
    power = max(powers, key=powers.get)
    objective = make_objective(estimator, geometry, sample, power)
    holdout = objective
    if is_pcg:
        powers = {power: 1.0}  # each takes as long as the rest of the fit
        holdout, sample = make_holdout(objective, geometry, sample, rng)
    by_labels = isinstance(estimator.intrinsic_reg, str)
    return Training(objective, holdout, sample, solver, check, by_labels, powers)


def make_objective(estimator, geometry, sample, power):
    """Loss and penalties; the weight of the graph is zero where it is left open."""
    # The norm over the mean of k(x, x): units of the kernel change no weight.
    scale = check_scale(geometry.space, geometry.kernel, type(estimator).__name__)
    intercepts = {
        False: None,
        True: Intercept(inside=True),
        "penalized": Intercept(penalty=float(estimator.ambient_reg), inside=False),
    }
    intrinsic = estimator.intrinsic_reg
    return ManifoldObjective(
        geometry.space,
        geometry.laplacian.iterated(power),
        sample.label_idx,
        sample.signs,
        sample.label_weights / sample.label_weights.sum(),
        estimator.loss,
        ambient=estimator.ambient_reg * scale,
        intrinsic=0.0 if isinstance(intrinsic, str) else float(intrinsic),
        intercept=intercepts[estimator.fit_intercept],
    )


def make_holdout(objective, geometry, sample, rng):
    """The objective on which labels are held out, a part where Newton is fast."""
    sample = sample.thin_labels(HOLDOUT_SIZE.labels, rng)
    space, laplacian = geometry.space, objective.laplacian
    if not space.low_rank and sample.n_rows > HOLDOUT_SIZE.rows:
        if sample.adjacency is None:  # the graph is made anew from these rows
            idx = sample.draw_rows(HOLDOUT_SIZE.rows, rng)
        else:  # it would fall to pieces: the nearest rows along it
            idx = rows_near(sample.adjacency, sample.label_idx, HOLDOUT_SIZE.rows, rng)
        sample, space = sample.part(idx), space.part(idx)
        part = replace(geometry, sample=sample, space=space)
        laplacian = part.laplacian.iterated(laplacian.power)
    holdout = replace(
        objective,
        space=space,
        laplacian=laplacian,
        label_idx=sample.label_idx,
        targets=sample.signs,
        weights=sample.label_weights / sample.label_weights.sum(),
    )
    return holdout, sample


def read_start(estimator, training):
    """Where PCG starts: at the last solution with `warm_start`, else at zero."""
    start, solver = getattr(estimator, "start_", None), training.solver
    if start is None or not (isinstance(solver, Pcg) and solver.warm_start):
        return None
    objective = training.objective
    wanted = (objective.functions.n_coordinates, objective.targets.shape[1])
    if start.shape != wanted:
        raise ValueError(
            f"warm_start=True of {type(estimator).__name__} needs the rows and classes "
            f"of the last fit: its solution has shape {start.shape}, this one "
            f"{wanted}; set warm_start=False."
        )
    return start


def shared_problem(training, factorized):
    """The reduced problem, rescaled from one with the same ratio of weights."""
    objective = training.objective
    if training.by_labels or isinstance(training.solver, Pcg):
        return None
    # Equal up to rounding: 0.3 / 0.1 is not exactly 0.03 / 0.01.
    ratio = round(math.log(max(objective.intrinsic / objective.ambient, 1e-300)), 9)
    if ratio not in factorized:
        factorized[ratio] = objective, objective.reduced()
    first, problem = factorized[ratio]
    return problem.rescaled(objective.ambient / first.ambient)


def describe(estimator, geometry, training, solved):
    """What was learned; warn if the graph is used but no label reaches some rows."""
    solution, average = solved.result.solution, solved.average
    has_intercept = training.objective.intercept is not None
    c, b = (solution[:-1], solution[-1]) if has_intercept else (solution, 0.0)
    estimator.shares_ = shares = tuple(model.share for model in solved.models)
    estimator.powers_ = tuple(model.power for model in solved.models)
    estimator.solver_ = training.solver
    estimator.ambient_reg_ = solved.graph.ambient / geometry.space.mean_diagonal()
    estimator.intrinsic_reg_ = solved.graph.intrinsic
    estimator.start_ = solved.last if isinstance(training.solver, Pcg) else None
    weights = np.round(average.weights, 3).tolist()
    say = Progress.of(estimator).say
    say(f"graph shares {shares}, powers {estimator.powers_} have weights {weights}")
    if average.weights @ shares >= NOTEWORTHY_SHARE:
        sample, matrix = geometry.sample, geometry.laplacian.matrix
        n_components, unreached = unreached_components(matrix, sample.label_idx)
        if unreached.any():
            warn_caller(
                f"the graph of {type(estimator).__name__} has {n_components} connected "
                f"components, and {unreached.sum()} of {sample.n_rows} rows are in one "
                "without a label, where the kernel alone decides; label one of them, "
                "or use more neighbors."
            )
    return Fit(
        geometry.space.to_function(c, b),
        solved.calibration,
        solved.result,
        decide(training.objective.functions.scores(solution)),
        training.sample.spread_to_given(average.held_out),
        average,
    )
