"""How clusters of a sample are found, for given parameters."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.sparse.linalg import ArpackNoConvergence
from sklearn.exceptions import ConvergenceWarning

from widemargin.defaults import (
    CLUSTER_CURVES,
    CLUSTER_GRAPH_WEIGHT,
    CLUSTER_LIMITS,
    GRAPH_STARTS,
    SMALLEST_CLUSTER,
    SOUND_CLUSTER,
    ClusterLimits,
)
from widemargin.graphs import Graph
from widemargin.graphs.laplacian import spectral_dimension
from widemargin.labelling.constraints import Constraints
from widemargin.labelling.discrete import WeightedColumns, weigh
from widemargin.labelling.problem import LabelProblem
from widemargin.labelling.search import search_labels
from widemargin.labelling.starts import make_starts
from widemargin.labelling.strategies import Search, Steepest
from widemargin.labels import decide, sign_coding
from widemargin.linalg.rows import gram_order
from widemargin.objectives.class_sizes import nearest_sizes, size_bounds
from widemargin.rows import Rows
from widemargin.sample import Sample
from widemargin.solvers.result import SolveResult, Status, worst
from widemargin.spaces import graph_spectrum

# Fewer than GRAPH_STARTS: while parameters are chosen, clusters from poor starts agree
# with few others and are not taken. Not compared with other numbers.
_KMEANS_STARTS = 5


@dataclass(frozen=True)
class ClusterTask:
    """Rows to be clustered, without labels, and what the user says about them."""

    sample: Sample
    constraints: Constraints
    column_weights: np.ndarray | None = None  # by which given rows were multiplied

    def part(self, idx):
        """The task of some of the rows."""
        sample, constraints = self.sample.part(idx), self.constraints.part(idx)
        return replace(self, sample=sample, constraints=constraints)

    def weighted(self, weights):
        """The task of the same rows with columns multiplied by weights."""
        rows = Rows(weigh(self.sample.rows.X, weights))
        sample = replace(self.sample, rows=rows)
        return replace(self, sample=sample, column_weights=weights)

    def of_given(self, function):
        """A function of the rows of the task as one of rows as they were given."""
        weights = self.column_weights
        return function if weights is None else WeightedColumns(weights, function)

    @property
    def weights(self):
        """Weight of each row in the loss: all the same, adding up to one."""
        n_rows = len(self.sample.row_weights)
        return np.full(n_rows, 1.0 / n_rows)


@dataclass(frozen=True)
class ClusterGraph:
    """The graph along which functions are smooth; `intrinsic_reg` 0 is no graph."""

    graph: Graph
    intrinsic_reg: float | str

    def adjacency(self, kernel, rows):
        """The edges between the rows; None for no graph."""
        if self.intrinsic_reg == 0:
            return None
        return rows.adjacency(self.graph, kernel)

    def suited(self, sample, kernel, search):
        """With fewer neighbors if the rows lie along curves, by some of them."""
        order, n_rows, limits = sample.order, sample.n_rows, search.limits
        if n_rows < CLUSTER_CURVES.rows_per_cluster * search.sizes.n_clusters:
            return self
        if n_rows > limits.choice_rows:
            places = np.linspace(0, n_rows - 1, limits.choice_sample).astype(int)
            order = order[places]
        adjacency = sample.rows.take(np.sort(order)).adjacency(self.graph, kernel)
        if spectral_dimension(adjacency) >= CLUSTER_CURVES.dimension:
            return self
        n_neighbors = CLUSTER_CURVES.n_neighbors
        return replace(self, graph=replace(self.graph, n_neighbors=n_neighbors))

    def penalty(self, adjacency, power):
        """The Laplacian of these edges, over their mean degree, and its weight."""
        weight = self.intrinsic_reg
        if weight == "auto":
            weight = CLUSTER_GRAPH_WEIGHT / adjacency.shape[0]
        options = {"auto_power": power, "normalized": False}
        return self.graph.laplacian_of(adjacency, **options), weight


@dataclass(frozen=True)
class ClusterModel:
    """The functions that tell clusters apart, over a space without a graph."""

    space: object
    graph: ClusterGraph
    parameters: object
    scale: float  # mean diagonal of the kernel; the weight of the norm is over it

    def smoothers(self, task):
        """A function of the weight of the norm that gives smoothers."""
        path = self._with_graph(task).path(task.weights)
        return lambda ambient_reg: path(ambient_reg * self.scale)

    def smoother(self, task):
        """From targets to the values of the best functions."""
        reg = self.parameters.ambient_reg * self.scale
        return self._with_graph(task).smoother(task.weights, reg)

    def part(self, idx):
        """The same functions on some of the rows."""
        space = self.space.part(idx)
        return replace(self, space=space, scale=space.mean_diagonal())

    def _with_graph(self, task):
        """The space, also penalized by the smoothness along the graph of its rows."""
        adjacency = self.graph.adjacency(self.parameters.kernel, task.sample.rows)
        if adjacency is None:
            return self.space
        penalty = self.graph.penalty(adjacency, self.parameters.power)
        return self.space.with_graph(*penalty)


@dataclass(frozen=True)
class ClusterSizes:
    """Sizes that the user wants."""

    n_clusters: int
    shares: np.ndarray | None  # None if any will do
    tolerance: float  # by which a share may be off
    has_floor: bool  # whether clusters have a smallest size

    def make_problem(self, smoother, constraints, order):
        """The problem of finding clusters of these sizes, rows visited in an order."""
        codes, fixed, n_clusters = constraints.codes, constraints.fixed, self.n_clusters
        n_samples, shares = len(fixed), self.shares
        n_fixed = np.bincount(codes[fixed], minlength=n_clusters)
        smallest = max(1, int(SMALLEST_CLUSTER * n_samples / n_clusters))
        if shares is None:
            shares = np.full(n_clusters, 1.0 / n_clusters)
            lower, upper = np.zeros_like(n_fixed), np.full(n_clusters, n_samples)
            if self.has_floor:  # fixed rows may leave few for all
                n_free = n_samples - n_fixed.sum()
                lower = np.minimum(smallest, n_fixed + n_free // n_clusters)
        else:
            lower, upper = size_bounds(shares, self.tolerance, n_samples)
            if self.has_floor:  # which is never above what the user wants
                wanted = nearest_sizes(shares, n_samples)
                lower = np.maximum(lower, np.minimum(smallest, wanted))
        return LabelProblem(
            smoother,
            ~fixed,
            np.where(fixed, codes, 0).astype(np.int32),
            lower,
            np.maximum(upper, n_fixed),
            shares * n_samples,
            order[~fixed[order]],
        )


@dataclass(frozen=True)
class ClusterSearch:
    """How clusters of some sizes are searched."""

    sizes: ClusterSizes
    search: Search  # from random starts
    improver: Search  # from the clusters of the user
    n_restarts: int
    refines: bool  # whether rows then move to the nearest mean, or names change
    n_threads: int = 1
    callback: Callable | None = None
    limits: ClusterLimits = CLUSTER_LIMITS

    def make_problem(self, smoother, task):
        """The problem of finding the clusters of a task."""
        return self.sizes.make_problem(smoother, task.constraints, task.sample.order)

    def tries_spectrum(self, constraints):
        """Whether clusters may have any size and the user has named none."""
        return (
            self.refines and self.sizes.shares is None and not constraints.named.any()
        )

    def find_all(self, problem, model, task, rng):
        """Clusters of all rows, in the way that suits the model and their number."""
        if model.parameters.source == "spectrum":
            codes = cluster_spectrum(problem, task.sample.order, rng)
            if codes is not None and problem.is_feasible(codes):
                return SolveResult(codes, problem.value(codes), Status.CONVERGED, 0)
        n_rows = self.limits.search_rows
        is_large = problem.smoother.low_rank and problem.n_samples > n_rows
        is_searched = problem.n_classes > 1 and not task.constraints.is_complete
        if is_large and is_searched and self.search.reads_rows:
            return self._find_large(problem, model, task, rng)
        return self.find(problem, task.constraints, rng)

    def find(self, problem, constraints, rng):
        """Search clusters from several starts, or improve those of the user."""
        if problem.n_classes == 1:
            codes = np.zeros(problem.n_samples, dtype=np.int32)
            return SolveResult(codes, problem.value(codes), Status.CONVERGED, 0)
        if constraints.is_complete:
            start = problem.repair(constraints.codes)
            search, starts, seeds = self.improver, [start], rng.integers(2**62, size=1)
        else:
            search = self.search
            starts, seeds = make_starts(problem, self.n_restarts, rng)
        running = self.n_threads, self.callback
        result = search_labels(problem, search, starts, seeds, *running)
        if constraints.is_complete or not self.refines:
            return result
        if self.sizes.shares is None:
            return self._free_sizes(problem, constraints, result, rng)
        return self._fit_sizes(problem, result, rng)

    def _free_sizes(self, problem, constraints, result, rng):
        """The result with sizes of the data, and names that fixed rows agree with."""
        codes = reassign_to_means(problem, result.solution)
        if constraints.fixed.any() and result.status is not Status.INTERRUPTED:
            unnamed = self._find_unnamed(problem, constraints, rng)
            named = name_by_fixed(problem, unnamed.solution)
            codes = min(codes, named, key=problem.value)
            n_iter = result.n_iter + unnamed.n_iter
            status = worst(result.status, unnamed.status)
            result = replace(result, n_iter=n_iter, status=status)
        return replace(result, solution=codes, objective=problem.value(codes))

    def _find_unnamed(self, problem, constraints, rng):
        """Clusters of the same rows if none of them were fixed."""
        smoother, constraints = problem.smoother, constraints.dropped()
        order = np.arange(problem.n_samples)
        if not smoother.low_rank:
            order = gram_order(smoother.matrix)
        free = self.sizes.make_problem(smoother, constraints, order)
        return self.find(free, constraints, rng)

    def _fit_sizes(self, problem, result, rng):
        """The better of a result and of clusters of any size, fitted to the sizes."""
        if problem.movable.all():
            found = cluster_spectrum(problem, problem.order, rng)
            if found is not None:
                codes = name_by_size(problem, found)
                value = problem.value(codes)
                if value < result.objective:
                    return replace(result, solution=codes, objective=value)
        return result

    def _find_large(self, problem, model, task, rng):
        """Search among some of the rows, then assign the others by their scores."""
        constraints, sample = task.constraints, task.sample
        drawn = rng.choice(sample.n_rows, self.limits.search_sample, replace=False)
        idx = np.union1d(sample.order[drawn], np.flatnonzero(constraints.fixed))
        some = task.part(idx)
        smoother = model.part(idx).smoother(some)
        result = self.find(self.make_problem(smoother, some), some.constraints, rng)
        signs = sign_coding(result.solution, problem.n_classes)
        scores = model.space.scores(smoother.coordinates(signs))
        codes = np.where(constraints.fixed, constraints.codes, decide(scores))
        codes = problem.repair(codes.astype(np.int32))
        if self.refines:
            codes = reassign_to_means(problem, codes)
        return replace(result, solution=codes, objective=problem.value(codes))


# Clusters by k-means


def fit_k_means(points, n_clusters, rng, n_starts=_KMEANS_STARTS):
    """The best of several runs of k-means, also for fewer distinct points."""
    from sklearn.cluster import KMeans  # takes time to import

    seed = int(rng.integers(2**31))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct points
        return KMeans(n_clusters, n_init=n_starts, random_state=seed).fit(points)


def cluster_spectrum(problem, order, rng):
    """Clusters by k-means in the leading eigenvectors of the weighted smoother.

    They maximize the ties inside the clusters divided by their sizes, approximately,
    and so prefer no size. Bounds of the problem may be broken; where they hold, rows
    are moved to the nearest cluster mean. `order` is the order in which random numbers
    are assigned to rows. None if the eigenvectors do not converge.
    """
    n_samples, n_classes = problem.n_samples, problem.n_classes
    if n_samples <= n_classes + 1:
        return np.arange(n_samples, dtype=np.int32) % n_classes
    try:
        points = problem.smoother.leading_points(n_classes)
    except ArpackNoConvergence:
        return None
    codes = np.empty(n_samples, dtype=np.int32)
    codes[order] = fit_k_means(points[order], n_classes, rng).labels_
    return reassign_to_means(problem, codes) if problem.is_feasible(codes) else codes


def cluster_graph(laplacian, degrees, n_clusters, order, rng):
    """Clusters by k-means in the smoothest functions along a graph, and the inertia.

    The functions count as much as heat that spreads along the graph leaves of them, by
    the time at which the first one that is not needed has fallen to 1 / e. Every row
    has length one then: the functions of a cluster are large where its rows have many
    neighbors, and only their direction tells clusters apart. Twice as many functions as
    clusters leave room for parts of large clusters. None if a cluster is far below the
    mean size, as where a few rows are far from all others.
    """
    spectrum = graph_spectrum(laplacian, 2 * n_clusters, degrees)
    values = spectrum.values
    first = max(values[min(n_clusters, len(values) - 1)], np.finfo(np.float32).tiny)
    points = spectrum.vectors * np.exp(-values / first).astype(spectrum.vectors.dtype)
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    points /= np.maximum(lengths, np.finfo(points.dtype).tiny)
    k_means = fit_k_means(points[order], n_clusters, rng, n_starts=GRAPH_STARTS)
    codes = np.empty(len(order), dtype=np.int32)
    codes[order] = k_means.labels_
    smallest = np.bincount(codes, minlength=n_clusters).min()
    if smallest < SOUND_CLUSTER * len(codes) / n_clusters:
        return None
    return codes, float(k_means.inertia_)


def reassign_to_means(problem, codes, *, max_rounds=30):
    r"""Move every point to the nearest cluster mean until none moves.

    Distances are those of the kernel A, the weighted smoother:

    .. math:: d_{jh} = \frac{e_h^\top A e_h}{n_h^2} - \frac{2 T_{hj}}{n_h} + A_{jj} .

    The ties inside the clusters alone are largest for a single cluster. Here they are
    divided by the sizes, so that sizes which shaking has kept near their targets can
    become those of the data. Rounds stop before a bound of the problem would be broken.
    """
    codes = np.array(codes, dtype=np.int32)
    n_classes, positions = problem.n_classes, np.arange(len(codes))
    for _ in range(max_rounds):
        table = problem.table(codes).astype(np.float64)
        sizes = np.bincount(codes, minlength=n_classes)
        inside = np.bincount(
            codes, weights=table[codes, positions], minlength=n_classes
        )
        # Empty clusters are excluded below; this only avoids a division by zero.
        filled = np.maximum(sizes, 1)[:, None]
        # Without A_jj, which is the same for all clusters.
        distances = inside[:, None] / filled**2 - 2.0 * table / filled
        distances[sizes == 0] = np.inf
        new = np.where(problem.movable, distances.argmin(axis=0), codes)
        new = new.astype(np.int32)
        if np.array_equal(new, codes) or not problem.is_feasible(new):
            break
        codes = new
    return codes


# Which cluster is which: a search without names finds clusters that one with bounds and
# given labels, which has to get names and clusters right at once, may miss. A few fixed
# points hardly pull the others; names that fit them do.


def name_by_fixed(problem, found):
    """Clusters with the names that most of their fixed points have, then improved."""
    fixed = ~problem.movable
    votes = np.zeros((problem.n_classes, problem.n_classes))
    np.add.at(votes, (found[fixed], problem.given[fixed]), 1)
    # One name for each cluster, so that the most fixed points keep theirs.
    _, name = linear_sum_assignment(-votes)
    return _improve(problem, np.where(fixed, problem.given, name[found]))


def name_by_size(problem, found):
    """Clusters named by size, which shaking alone cannot find out, then improved."""
    sizes = np.bincount(found, minlength=problem.n_classes)
    name = np.empty(problem.n_classes, dtype=np.int32)
    # The i-th smallest cluster gets the name of the i-th smallest target.
    name[np.argsort(sizes)] = np.argsort(problem.target, kind="stable")
    return _improve(problem, name[found])


def _improve(problem, codes):
    """The nearest labels within the bounds, and downhill from there."""
    return Steepest().improve(problem, problem.repair(codes.astype(np.int32)))[0]
