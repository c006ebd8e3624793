"""What `LaplacianSVC` and `LaplacianRLSC` share: everything but the loss."""

import math
import warnings
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np
from sklearn.base import clone

from widemargin.checks import check_choice, check_number, check_number_or, refuse
from widemargin.defaults import (
    HOLDOUT_SIZE,
    LAPLACIAN_LADDER,
    NOTEWORTHY_SHARE,
)
from widemargin.estimators._estimator import (
    Classifier,
    Progress,
    read_parameter,
    read_sample,
    store_result,
    transduce,
)
from widemargin.graphs import (
    Graph,
    check_adjacency,
    no_laplacian,
    rows_near,
    unreached_components,
)
from widemargin.kernels import Kernel
from widemargin.labels import decide
from widemargin.linalg.random import as_generator
from widemargin.objectives.laplacian import Intercept, ManifoldObjective
from widemargin.sample import Sample
from widemargin.solvers.laplacian import (
    Dual,
    LaplacianSolver,
    Pcg,
    Training,
    choose_solver,
    learn,
)
from widemargin.spaces import choose_space


class LaplacianClassifier(Classifier):
    """Base of the two classes, which differ in the loss."""

    loss = None  # Squared or SquaredHinge
    value_families = Classifier.value_families | {"solver": LaplacianSolver}
    saved_state = (
        *Classifier.saved_state,
        "shares_",
        "ambient_reg_",
        "intrinsic_reg_",
        "solver_",
    )
    averaged = "shares_"

    def __init__(
        self,
        *,
        kernel="rbf",
        graph="knn",
        ambient_reg=1e-3,
        intrinsic_reg="auto",
        landmarks="auto",
        solver="auto",
        fit_intercept="penalized",
        class_weight=None,
        random_state=None,
        verbose=False,
    ):
        self.kernel = kernel
        self.graph = graph
        self.ambient_reg = ambient_reg
        self.intrinsic_reg = intrinsic_reg
        self.landmarks = landmarks
        self.solver = solver
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.random_state = random_state
        self.verbose = verbose

    @property
    def history_names(self):
        """Titles of what the solver records, for plots."""
        return Classifier.history_names | self.solver_.history_names

    def fit(self, X, y, sample_weight=None, adjacency=None):
        """Fit on labeled and unlabeled rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            All rows; their Gram matrix if ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Labels of any type. Integer -1, NaN or None marks an unlabeled row.
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each label, in the loss and where it is held out. Rows of weight
            zero are left out altogether; the weight of an unlabeled row has no other
            effect.
        adjacency : sparse matrix of shape (n_samples, n_samples), optional
            Your own graph, symmetric with weights >= 0, in place of the
            nearest-neighbor graph. It names the rows of X, so that it cannot be passed
            through a cross-validation, which takes rows away.

        Returns
        -------
        self

        Notes
        -----
        An interrupt (Ctrl-C) leaves a model with the best result so far, and is then
        passed on.
        """
        parameters, rng = Parameters.read(self), as_generator(self.random_state)
        sample, adjacency = read_rows(self, parameters, X, y, sample_weight, adjacency)
        geometry = make_geometry(self, parameters, sample, adjacency, rng)
        training = plan_training(self, parameters, geometry, rng)
        learned = learn(
            training,
            start=read_start(self, training),
            callback=Progress.of(self).every(10),
        )
        store_model(self, geometry, training, learned)
        store_result(self, learned.result)
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
            Weights to combine; "auto" may be among those of the graph.

        Returns
        -------
        list of fitted estimators
            In the order of ``itertools.product(ambient_reg, intrinsic_reg)``.
        """
        rng = as_generator(self.random_state)
        weights = ([w] if np.isscalar(w) else w for w in (ambient_reg, intrinsic_reg))
        models = [
            clone(self).set_params(ambient_reg=ambient, intrinsic_reg=intrinsic)
            for ambient, intrinsic in product(*weights)
        ]
        for model in models:
            parameters = Parameters.read(model)  # the same for all but the weights
        # one with a graph, if there is any: the geometry is for all of them
        reader = next((m for m in models if m.intrinsic_reg != 0), models[0])
        sample, adjacency = read_rows(
            reader, parameters, X, y, sample_weight, adjacency
        )
        geometry = make_geometry(reader, parameters, sample, adjacency, rng)
        seed = int(rng.integers(2**31))  # the same held-out labels for all
        factorized, start = {}, None
        for model in models:
            copy_features(reader, model)
            training = plan_training(
                model, parameters, geometry, np.random.default_rng(seed)
            )
            learned = learn(
                training,
                problem=shared_problem(training, factorized),
                start=start,
                callback=Progress.of(model).every(10),
            )
            store_model(model, geometry, training, learned)
            store_result(model, learned.result)
            start = model.start_
        return models


@dataclass(frozen=True)
class Parameters:
    """The parameters that may be values, as values."""

    kernel: Kernel
    graph: Graph
    landmarks: object
    solver: object

    @classmethod
    def read(cls, estimator):
        """Read them; raise ValueError for any parameter that cannot be used."""
        check_number(estimator, "ambient_reg", low=0, strict=True)
        check_number_or(estimator, "intrinsic_reg", ("auto",), low=0)
        check_choice(estimator, "fit_intercept", ("penalized", True, False))
        names = ("kernel", "graph", "landmarks", "solver")
        parameters = cls(*(read_parameter(estimator, name) for name in names))
        if isinstance(parameters.solver, Dual) and not estimator.loss.has_kink:
            refuse(estimator, "solver", "'auto', 'newton' or 'pcg': its loss is square")
        return parameters


@dataclass(frozen=True)
class Geometry:
    """Rows, functions over them and the graph between them.

    Attributes
    ----------
    sample : Sample
    space : GramSpace or FeatureSpace
    kernel : Kernel
    graph : Graph or None
        None if no model uses one.
    adjacency : CSR matrix of shape (n_rows, n_rows) or None
        The user's own graph.
    power : int
        How often the Laplacian is applied if the user leaves it open.
    """

    sample: Sample
    space: object
    kernel: Kernel
    graph: Graph | None
    adjacency: object
    power: int

    @cached_property
    def laplacian(self):
        """The Laplacian of the given graph or of the nearest neighbors."""
        if self.graph is None:
            return no_laplacian(self.sample.n_rows, self.space.dtype)
        if self.adjacency is not None:
            return self.graph.laplacian_of(self.adjacency, auto_power=self.power)
        data, metric = self.kernel.geometry(self.sample.rows.X)
        return self.graph.laplacian(data, metric, auto_power=self.power)

    def draw_part(self, sample, n_rows, rng):
        """All labeled rows of a sample and some others, and the graph between them.

        A neighbor graph is made anew from the rows that are drawn. A given one would
        fall to pieces; there the others are the nearest ones along it.
        """
        if self.adjacency is None:
            idx, adjacency = sample.draw_rows(n_rows, rng), None
        else:
            idx = rows_near(self.adjacency, sample.label_idx, n_rows, rng)
            adjacency = self.adjacency[idx][:, idx]
        return replace(
            self,
            sample=sample.part(idx),
            space=self.space.part(idx),
            adjacency=adjacency,
        )


def read_rows(estimator, parameters, X, y, sample_weight, adjacency):
    """The training sample and the user's own graph, if any, in the same order."""
    merge = "all" if adjacency is None else "none"  # a graph names each row
    sample = read_sample(
        estimator, X, y, sample_weight, parameters.kernel, merge=merge
    ).sorted()
    if adjacency is not None:
        adjacency = check_adjacency(adjacency, len(sample.given))
        adjacency = adjacency[sample.origin_idx][:, sample.origin_idx]
    return sample, adjacency


def make_geometry(estimator, parameters, sample, adjacency, rng):
    """The functions over the rows, and the graph between them."""
    kernel = parameters.kernel.fit_width(sample.rows.X, rng)
    space = choose_space(
        kernel,
        sample.rows,
        parameters.landmarks,
        rng,
        ladder=LAPLACIAN_LADDER,
        who=type(estimator).__name__,
    )
    graph = None if estimator.intrinsic_reg == 0 else parameters.graph
    # functions of few landmarks cannot be as smooth as the third power wants
    power = 3 if space.is_exact else 1
    return Geometry(sample, space, kernel, graph, adjacency, power)


def plan_training(estimator, parameters, geometry, rng):
    """Choose the solver, the labels to train on, and those that are held out."""
    sample, solver = geometry.sample, parameters.solver
    if solver == "auto":
        solver = choose_solver(
            sample.n_rows,
            sample.signs.shape[1],
            sample.n_labels,
            low_rank=geometry.space.low_rank,
        )
    Progress.of(estimator).say(
        f"{sample.n_rows} distinct rows, {sample.n_labels} labels, solver {solver!r}"
    )
    check, is_pcg = None, isinstance(solver, Pcg)
    if is_pcg:
        sample, check = solver.plan_stopping(sample, rng)
    objective = make_objective(estimator, geometry, sample)
    holdout = objective
    if is_pcg:
        holdout, sample = make_holdout(objective, geometry, sample, rng)
    by_labels = isinstance(estimator.intrinsic_reg, str)
    return Training(objective, holdout, sample, solver, check, by_labels)


def make_objective(estimator, geometry, sample):
    """Loss and penalties; the weight of the graph is zero where it is left open."""
    scale = geometry.space.mean_diagonal()
    if not (np.isfinite(scale) and scale > 0):
        raise ValueError(
            f"the kernel of {type(estimator).__name__} must have a positive diagonal, "
            f"got {scale:g} on average; look for rows of zeros, or for a kernel that "
            "is not positive semi-definite."
        )
    intercepts = {
        False: None,
        True: Intercept(inside=True),
        "penalized": Intercept(penalty=float(estimator.ambient_reg), inside=False),
    }
    intrinsic = estimator.intrinsic_reg
    return ManifoldObjective(
        geometry.space,
        geometry.laplacian,
        sample.label_idx,
        sample.signs,
        sample.label_weights / sample.label_weights.sum(),
        estimator.loss,
        ambient=estimator.ambient_reg * scale,
        intrinsic=0.0 if isinstance(intrinsic, str) else float(intrinsic),
        intercept=intercepts[estimator.fit_intercept],
    )


def make_holdout(objective, geometry, sample, rng, size=HOLDOUT_SIZE):
    """The objective on which labels are held out, and its sample.

    Of many labels and rows only a part, where Newton's method is fast.
    """
    sample = sample.thin_labels(size.labels, rng)
    space, laplacian = geometry.space, geometry.laplacian
    if not space.low_rank and sample.n_rows > size.rows:
        part = geometry.draw_part(sample, size.rows, rng)
        sample, space, laplacian = part.sample, part.space, part.laplacian
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
    """The reduced problem, from one with the same ratio of weights if there is."""
    objective = training.objective
    if training.by_labels or isinstance(training.solver, Pcg):
        return None
    ratio = round(math.log(max(objective.intrinsic / objective.ambient, 1e-300)), 9)
    if ratio not in factorized:
        factorized[ratio] = objective, objective.reduced()
    first, problem = factorized[ratio]
    return problem.rescaled(objective.ambient / first.ambient)


def copy_features(reader, model):
    """Give a model what another one has read of X."""
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(reader, name):
            setattr(model, name, getattr(reader, name))


def store_model(estimator, geometry, training, learned):
    """Set the fitted attributes; warn if the graph is used but no label reaches it."""
    sample, solution = geometry.sample, learned.result.solution
    has_intercept = training.objective.intercept is not None
    c, b = (solution[:-1], solution[-1]) if has_intercept else (solution, 0.0)
    estimator.classes_ = sample.classes
    estimator.function_ = geometry.space.to_function(c, b)
    estimator.calibration_ = learned.calibration
    estimator.average_, estimator.shares_ = learned.average, learned.shares
    scale = geometry.space.mean_diagonal()
    estimator.ambient_reg_ = learned.graph.ambient / scale
    estimator.intrinsic_reg_ = learned.graph.intrinsic
    estimator.solver_ = training.solver
    estimator.start_ = learned.last if isinstance(training.solver, Pcg) else None
    held_out = training.sample.spread_to_given(learned.average.held_out)
    estimator.held_out_proba_ = held_out
    codes = decide(training.objective.functions.scores(solution))
    estimator.transduction_ = transduce(estimator, sample, codes)
    weights = np.round(learned.average.weights, 3).tolist()
    Progress.of(estimator).say(f"graph shares {learned.shares} have weights {weights}")
    if learned.average.weights @ learned.shares >= NOTEWORTHY_SHARE:
        _warn_unreached(estimator, geometry)


def _warn_unreached(estimator, geometry):
    """Warn of rows that no label reaches along the graph."""
    sample, matrix = geometry.sample, geometry.laplacian.matrix
    n_components, unreached = unreached_components(matrix, sample.label_idx)
    if unreached.any():
        warnings.warn(
            f"the graph of {type(estimator).__name__} has {n_components} connected "
            f"components, and {unreached.sum()} of {sample.n_rows} rows are in one "
            "without a label, where the kernel alone decides; label one of them, or "
            "use more neighbors.",
            UserWarning,
            stacklevel=4,
        )
