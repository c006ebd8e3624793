"""Parameters of a clustering, chosen without labels."""

from dataclasses import dataclass, field, replace
from itertools import groupby, product
from operator import attrgetter

import numpy as np
from scipy.linalg import eigh, qr, svd
from sklearn.neighbors import NearestNeighbors

from widemargin.defaults import (
    AGREEMENT_NEIGHBORS,
    CLUSTER_DIRECTIONS,
    CLUSTER_REGS,
    CLUSTER_WIDTHS,
    SOUND_CLUSTER,
    SPECTRUM_HANDICAP,
)
from widemargin.kernels import Kernel, Rbf, select_gamma
from widemargin.kernels.width import MEDIAN_ROWS
from widemargin.labelling.clusters import cluster_spectrum
from widemargin.linalg.rows import near_origin
from widemargin.solvers.result import Status
from widemargin.spaces import FeatureSpace, GramSpace, graph_spectrum
from widemargin.spaces.choose import check_scale
from widemargin.stored import Stored, is_finite, require

# Of the Laplacian: 1 suits rows along curves, 2 rows in two and more dimensions. Each
# power has a trial for all widths and regs; 3 was not tried.
_POWERS = (1, 2)


@dataclass(frozen=True)
class Parameters(Stored):
    """Power of the graph Laplacian, kernel and `ambient_reg` of one clustering.

    `source` is "search", "spectrum" for k-means in eigenvectors of the smoother, or
    "mixture" for Gaussians that were fitted from the clusters of one of these.
    """

    power: int
    kernel: Kernel
    ambient_reg: float
    source: str = "search"


@dataclass(frozen=True)
class Choice(Stored):
    """Parameters that were compared, and those that were chosen.

    The best trial has the largest sum of agreement and stability among the sound ones.

    Attributes
    ----------
    parameters, agreement, stability, is_sound
        Of each trial: its `Parameters`; the share of the nearest neighbors that are in
        the same cluster; the mean adjusted Rand index with the clusters of the other
        trials of its source; whether no cluster is far below the mean size.
    best, labelings
        Position of the best trial; clusters of each, on the rows used for the choice.
    mixtures : tuple of MixtureTrial
        Mixtures that were fitted from the clusters of the best trial.
    """

    parameters: tuple
    agreement: np.ndarray
    stability: np.ndarray
    is_sound: np.ndarray
    best: int
    labelings: list | None = field(repr=False, metadata={"kept": False})
    mixtures: tuple = ()

    @property
    def chosen(self):
        """The parameters of the best trial."""
        return self.parameters[self.best]

    def check(self, n_features):
        """Raise ValueError unless there is an entry for each trial, and a best one."""
        n_trials = len(self.parameters)
        fits = all(isinstance(own, Parameters) for own in self.parameters)
        require(fits, self, "parameters")
        for name in ("agreement", "stability"):
            values = getattr(self, name)
            require(is_finite(values, 1) and len(values) == n_trials, self, name)
        require(self.is_sound.shape == (n_trials,), self, "is_sound")
        require(0 <= self.best < n_trials, self, "best")


def list_parameters(kernel, ambient_reg, graph, task, rng):
    """All combinations of the parameters that are left open, by "auto"."""
    rows, order = task.sample.rows, task.sample.order
    if isinstance(kernel, Rbf) and kernel.gamma == "auto":
        some = order[rng.permutation(len(order))[:MEDIAN_ROWS]]
        middle = select_gamma("median", rows.take(some).X, rng)
        # exp(-d^2 / 2 s^2) with s the width times the median distance.
        kernels = [Rbf(middle / (2.0 * width**2)) for width in CLUSTER_WIDTHS]
    else:
        kernels = [rows.fit_width(kernel, rng, auto="scale")]
    regs = CLUSTER_REGS if ambient_reg == "auto" else (ambient_reg,)
    powers = (graph.graph.power,)
    if powers == ("auto",):
        powers = _POWERS if graph.intrinsic_reg != 0 else (1,)
    return [Parameters(*chosen) for chosen in product(powers, kernels, regs)]


def choose(listed, task, search, graph, rng, *, who, report=None):
    """The best parameters, its clusters if of all rows, and the `Choice` or None."""
    n_clusters, n_rows = search.sizes.n_clusters, task.sample.n_rows
    if len(listed) == 1 or n_clusters == 1:
        return listed[0], None, None
    is_part = n_rows > search.limits.choice_rows
    if is_part:
        drawn = rng.choice(n_rows, search.limits.choice_sample, replace=False)
        task = task.part(np.sort(task.sample.order[drawn]))
    rows = task.sample.rows.take(np.arange(task.sample.n_rows))  # few, in one matrix
    task = replace(task, sample=replace(task.sample, rows=rows))
    once = replace(search, n_restarts=1)
    tried, results = try_parameters(listed, task, once, graph, rng, who, report)
    status = results[-1].status
    if is_part and status is Status.INTERRUPTED:
        raise KeyboardInterrupt  # clusters of a part are none of the whole
    neighbors = nearest_neighbors(*tried[0].kernel.geometry(task.sample.rows.X))
    labelings = [result.solution for result in results]
    choice = choose_parameters(tried, labelings, neighbors, n_clusters)
    best = choice.best
    if report is not None:
        agreement, stability = choice.agreement[best], choice.stability[best]
        report(
            f"chose {tried[best]} among {len(tried)}: agreement {agreement:.3f} + "
            f"stability {stability:.3f} = {agreement + stability:.3f}"
        )
    result = None if is_part else replace(results[best], status=status)
    return tried[best], result, choice


def try_parameters(listed, task, search, graph, rng, who, report=None):
    """Parameters and their clusters: of the search, then of the spectrum."""
    results, spectral = [], []
    with_spectrum = search.tries_spectrum(task.constraints)
    order, constraints = task.sample.order, task.constraints
    smoothers = _smoothers(listed, task, graph, who)
    for parameters, smoother in zip(listed, smoothers, strict=True):
        problem = search.make_problem(smoother, task)
        result = search.find(problem, constraints, rng)
        results.append(result)
        if with_spectrum:
            codes = cluster_spectrum(problem, order, rng)
            spectral.append(replace(result, solution=codes))
        if report is not None:
            report(f"trial {len(results)} of {len(listed)}: {parameters}")
        if result.status is Status.INTERRUPTED:
            break
    searched = listed[: len(results)]
    of_spectrum = [replace(one, source="spectrum") for one in searched]
    return (*searched, *of_spectrum[: len(spectral)]), results + spectral


def _smoothers(listed, task, graph, who):
    """The smoother of each `Parameters`, over a few directions that they share.

    The kernel is projected onto them. A trial then costs O(n^2) instead of O(n^3), and
    searches differ little: directions that are neither smooth along the graph nor
    leading ones of a kernel have hardly any ties.
    """
    rows, weights = task.sample.rows, task.weights
    adjacency = rows.adjacency(graph.graph, listed[0].kernel)  # widths share it
    grams = {one.kernel: one.kernel(rows.X) for one in listed}
    widest = grams[listed[-1].kernel]
    order, size = task.sample.order, CLUSTER_DIRECTIONS
    directions = shared_directions(graph.graph, adjacency, widest, order, size)
    spaces = {}
    for kernel, gram in grams.items():
        scale = check_scale(GramSpace(gram), kernel, who)
        # The kernel within the directions D: D'K D = V diag(values) V'.
        values, axes = eigh(directions.T @ (gram @ directions))
        features = directions @ (axes * np.sqrt(np.maximum(values, 0.0) / scale))
        spaces[kernel] = FeatureSpace(features)
    for (power, kernel), alike in groupby(listed, attrgetter("power", "kernel")):
        space = spaces[kernel]
        if graph.intrinsic_reg != 0:
            space = space.with_graph(*graph.penalty(adjacency, power))
        path = space.path(weights)
        for one in alike:
            yield path(one.ambient_reg)


def shared_directions(graph, adjacency, gram, order, size):
    """Orthonormal functions over the rows, (n_rows, rank), in which trials search.

    The smoothest ones along the graph, and the leading ones of a kernel as far as these
    show them; all functions if there are few rows. Rows are taken in an order that does
    not depend on how they were shuffled.
    """
    n_rows = len(gram)
    if n_rows <= size.graph + size.kernel:
        return np.eye(n_rows)
    laplacian = graph.laplacian_of(adjacency, auto_power=1, normalized=True).matrix
    smooth = np.empty((n_rows, size.graph))
    smooth[order] = graph_spectrum(laplacian[order][:, order], size.graph).vectors
    # Leading directions of K within the image of the smooth ones: O(n^2 size), where
    # the eigenvectors of K would take O(n^3).
    leading = svd(gram @ smooth, full_matrices=False)[0][:, : size.kernel]
    return qr(np.hstack([smooth, leading]), mode="economic")[0]


def choose_parameters(listed, labelings, neighbors, n_clusters):
    """The trial whose clusters respect neighborhoods and agree with other trials.

    Clusters from the spectrum, which have no preference for equal sizes, are taken only
    if they are clearly better. The margin of held-out rows as a third criterion made it
    no better: mean adjusted Rand index over 32 problems .717 with it, .725 without it,
    .692 by it alone.
    """
    agreement = np.array([(c[neighbors] == c[:, None]).mean() for c in labelings])
    is_searched = np.array([one.source == "search" for one in listed])
    stability = np.zeros(len(listed))
    for family in (np.flatnonzero(is_searched), np.flatnonzero(~is_searched)):
        if len(family):
            own = [labelings[i] for i in family]
            stability[family] = _mean_similarity(own, n_clusters)
    smallest = [np.bincount(c, minlength=n_clusters).min() for c in labelings]
    is_sound = np.array(smallest) >= SOUND_CLUSTER * len(neighbors) / n_clusters
    # Something has to be chosen.
    if not is_sound[is_searched].any():
        is_sound = is_sound | is_searched
    score = agreement + stability - SPECTRUM_HANDICAP * ~is_searched
    best = int(np.where(is_sound, score, -np.inf).argmax())
    return Choice(tuple(listed), agreement, stability, is_sound, best, labelings)


def _mean_similarity(labelings, n_clusters):
    """Mean adjusted Rand index of each with all others."""
    similarity = similarities(labelings, n_clusters)
    return (similarity.sum(axis=1) - 1.0) / max(1, len(labelings) - 1)


def similarities(labelings, n_clusters):
    """Adjusted Rand index of each with each."""
    n_trials, n_rows = len(labelings), len(labelings[0])
    members = np.hstack(
        [codes[:, None] == np.arange(n_clusters) for codes in labelings]
    )
    shared = members.T.astype(np.float64) @ members  # rows that are in two clusters
    shared = shared.reshape(n_trials, n_clusters, n_trials, n_clusters)
    pairs = (shared**2).sum(axis=(1, 3)) - n_rows  # that are together in two labelings
    own = np.diagonal(pairs)
    # Adjusted Rand index, in ordered pairs: (pairs - expected) / (mean - expected).
    expected = np.multiply.outer(own, own) / max(1, n_rows * (n_rows - 1))
    excess = 0.5 * (own[:, None] + own) - expected
    excess[excess < 1e-9] = np.nan  # all rows in one cluster, or each in its own
    return np.nan_to_num((pairs - expected) / excess, nan=1.0)


def nearest_neighbors(data, metric):
    """Positions of the nearest neighbors of each row, itself left out."""
    n_neighbors = min(AGREEMENT_NEIGHBORS, data.shape[0] - 1)
    if n_neighbors < 1:
        return np.zeros((data.shape[0], 1), dtype=int)
    if metric == "euclidean":
        data, _ = near_origin(data)
    index = NearestNeighbors(n_neighbors=n_neighbors, metric=metric).fit(data)
    return index.kneighbors(return_distance=False)
