"""Max-margin clustering by regularized least squares."""

from dataclasses import dataclass, replace
from itertools import groupby, product
from operator import attrgetter

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.base import ClusterMixin, clone
from sklearn.utils.validation import validate_data

from widemargin.estimators._checks import check_choice, check_gram, check_number
from widemargin.estimators._cluster_choice import (
    Cell,
    choose_cell,
    cluster_spectrum,
    nearest_neighbors,
)
from widemargin.estimators._kernel_machine import FLOATS
from widemargin.estimators._label_searcher import LabelSearcher
from widemargin.graphs import graph_laplacian, knn_adjacency
from widemargin.kernels import make_kernel, select_gamma
from widemargin.labels import decide, labeled_mask, sign_coding
from widemargin.linalg.random import as_generator
from widemargin.linalg.rows import content_order
from widemargin.objectives.class_sizes import nearest_sizes, size_bounds
from widemargin.objectives.label_rls import LabelProblem
from widemargin.smoothers import GraphPenalty, SpectralPath
from widemargin.solvers.label_means import settle
from widemargin.solvers.label_search import make_starts
from widemargin.solvers.label_starts import mend
from widemargin.solvers.label_strategies import Reshaking, Shaking, Steepest
from widemargin.solvers.result import SolveResult, Status

_WIDTHS = tuple(1.0 / (2.0 * share**2) for share in (0.25, 0.5, 1.0))
_WIDTH_SAMPLE = 1000  # samples whose distances give the median
_REGS = (2.0**-12, 2.0**-9)
_POWERS = (1, 2)
_GRAPH = 10.0  # weight of the graph, over the number of samples
_CHOICE_ROWS, _CHOICE_SAMPLE = 1500, 1200  # with more samples, choose on so many
_SMALLEST_SHARE = 0.1  # of the mean size: no cluster is smaller
_LARGE_ROWS, _LARGE_SAMPLE = 8192, 4000  # with more and landmarks, search on so many


@dataclass(frozen=True)
class Wishes:
    """What the user says of single samples: cluster, whether it is meant, and kept."""

    codes: np.ndarray
    wished: np.ndarray
    fixed: np.ndarray

    @property
    def is_complete(self):
        """Whether every sample has a cluster to start from."""
        return bool(self.wished.all())

    def part(self, rows):
        """The wishes for some of the samples."""
        return Wishes(self.codes[rows], self.wished[rows], self.fixed[rows])


class MaxMarginClustering(ClusterMixin, LabelSearcher):
    r"""Max-margin clustering by regularized least squares.

    Finds the clusters that a kernel machine with the squared loss can tell apart best.
    By default the kernel follows the nearest-neighbor graph, and everything that has to
    be chosen is chosen without labels. New samples can be predicted.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    kernel : {"rbf", "linear", "poly", "laplacian", "cosine", "precomputed"} or \
            callable, default="rbf"
        The kernel, or a function ``kernel(X, Z)`` that returns the kernel matrix. With
        "precomputed", X is the Gram matrix of all samples in `fit`, and the kernel
        values of new samples against them in `predict`.
    gamma : float, "auto", "scale" or "median", default="auto"
        Width of "rbf", "poly" and "laplacian". "auto" tries several for "rbf", see
        Notes, and is "scale" for the others.
    degree : int, default=3
        Degree of "poly".
    coef0 : float, default=1.0
        Constant of "poly".
    ambient_reg : float or "auto", default="auto"
        Weight of the kernel norm; the :math:`\lambda` of [1]_ divided by the number of
        samples. "auto" tries several.
    intrinsic_reg : float or "auto", default="auto"
        Weight of the smoothness along the nearest-neighbor graph; 0 for the machine of
        [1]_, "auto" is 10 / n_samples.
    n_neighbors : int, default=8
        Neighbors of each sample in that graph.
    graph_weights : {"self-tuned", "heat", "binary"} or float, default="self-tuned"
        Weights of its edges, see :func:`widemargin.graphs.knn_adjacency`.
    laplacian_power : int or "auto", default="auto"
        How often its Laplacian is applied; "auto" tries 1 and 2.
    balance : None, "equal" or dict, default=None
        Sizes of the clusters: as found (but see `size_floor`), all the same, or
        ``{cluster: fraction}``.
    balance_tolerance : float, default=0.1
        How far the share of a cluster may be off its `balance`.
    size_floor : float, default=0.5
        Share of the mean size below which no cluster may fall while others claim
        samples from it in "shaking". Unless it is 0, which is the algorithm of [1]_,
        no search leaves a cluster below a tenth of the mean size.
    search : {"auto", "shaking", "tabu", "evolution", "steepest", "stochastic"}, \
            default="auto"
        How clusters are searched. "auto" is shaking with local re-shaking, after which
        sizes settle; the others end where the search ends.
    n_restarts : int, default=2
        Random starts; the one of lowest objective counts.
    n_reshakes : int, default=30
        Trials of local re-shaking after "shaking" (three clusters or more).
    population, offspring : int, default=5 and 25
        Parents and children of "evolution".
    n_landmarks : int, "auto" or None, default="auto"
        Number of landmarks of a Nystrom approximation of the kernel. None is exact;
        "auto" is None up to 10,000 samples and 1,000 for more.
    landmarks : {"kmeans++", "uniform", "pivoted"}, default="kmeans++"
        How landmarks are chosen, see :func:`widemargin.kernels.choose_landmarks`.
    n_jobs : int or None, default=None
        Searches that run side by side, in threads; the result does not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        For starts, searches, samples and landmarks. Pass a number for results that can
        be repeated.
    verbose : bool, default=False
        Whether to print progress.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training sample, 0 to ``n_clusters - 1``.
    objective_ : float
        The objective for these clusters. Not to be compared between different
        parameters, nor between different numbers of clusters.
    choice_ : Choice or None
        What was tried where parameters were left open: `cells`, their neighbor
        `agreement`, `stability`, and which was `best`.
    result_ : SolveResult
        How the search ended; ``result_.history`` holds the objective that each start
        has led to, moves and seconds.
    kernel_, points_, dual_coef_, intercept_
        The fitted function, ``kernel_(X, points_) @ dual_coef_ + intercept_``.
    ambient_reg_, laplacian_power_
        The parameters that were used, with those of ``kernel_``.
    n_iter_ : int
        Moves of all searches.

    Notes
    -----
    Minimizes, over functions and clusters c, Eq. (13) of [1]_,

    .. math:: \sum_h \Big( \frac1n \sum_i (p_h(c_i) - f_h(x_i))^2
              + \text{ambient\_reg}\, \|f_h\|^2
              + \text{intrinsic\_reg}\, f_h^\top L^p f_h \Big)

    with :math:`p_h` 1 inside cluster h and -1 outside (one term for two clusters), the
    norm of the kernel divided by its mean diagonal, and L the graph Laplacian divided
    by its mean degree. Its lowest value belongs, nearly, to a single cluster; what
    makes the clusters meaningful is how sizes are kept in the search.

    *Shaking* [1]_: clusters in turn claim the samples that cost least, up to the mean
    size times :math:`1 + 2^{-i}` in round i. Here others do not fall below
    :math:`\text{size\_floor} (1 - 2^{-i})` of the mean size meanwhile. *Re-shaking*
    forgets the labels of a cluster and its two nearest ones and shakes only those,
    keeping what is better. With "auto", samples then move to the nearest cluster mean
    in the space of the smoother until none moves, which lets sizes differ, as long as
    none falls below a tenth of the mean size.

    Parameters left at "auto" are chosen among 12 combinations (widths of a quarter,
    half and the whole of the median distance, `ambient_reg` :math:`2^{-12}` and
    :math:`2^{-9}`, powers 1 and 2): the one with the largest sum of *agreement* (share
    of the seven nearest neighbors in the same cluster) and *stability* (mean adjusted
    Rand index with the clusters of the others). With more than 1,500 samples they are
    tried on 1,200 of them. The search leans towards clusters of similar sizes. So each
    combination also gives clusters that k-means finds in the leading eigenvectors of
    its smoother, and these are taken if that sum is larger by 0.1 (not if there are
    `balance`, `init` or another search).

    ``n_clusters=2`` with ``kernel="linear"`` and ``intrinsic_reg=0`` is the
    unsupervised case of [2]_. Time O(n^3), memory O(n^2); with more than 8,192 samples
    and landmarks clusters are searched among 4,000 samples, and the others join them.
    Shuffled rows give the same clusters, unless there are landmarks, which are drawn.

    References
    ----------
    .. [1] T. Pahikkala, A. Airola, F. Gieseke, O. Kramer. On unsupervised training of
       multi-class regularized least-squares classifiers. Journal of Computer Science
       and Technology, 2014.
    .. [2] F. Gieseke, O. Kramer, A. Airola, T. Pahikkala. Efficient recurrent local
       search strategies for semi- and unsupervised regularized least-squares
       classification. Evolutionary Intelligence 5, 2012.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.metrics import adjusted_rand_score
    >>> from widemargin import MaxMarginClustering
    >>> X, y = make_moons(300, noise=0.05, random_state=0)
    >>> model = MaxMarginClustering(n_clusters=2, random_state=0).fit(X)
    >>> adjusted_rand_score(y, model.labels_)
    1.0
    """

    def __init__(
        self,
        n_clusters=8,
        *,
        kernel="rbf",
        gamma="auto",
        degree=3,
        coef0=1.0,
        ambient_reg="auto",
        intrinsic_reg="auto",
        n_neighbors=8,
        graph_weights="self-tuned",
        laplacian_power="auto",
        balance=None,
        balance_tolerance=0.1,
        size_floor=0.5,
        search="auto",
        n_restarts=2,
        n_reshakes=30,
        population=5,
        offspring=25,
        n_landmarks="auto",
        landmarks="kmeans++",
        n_jobs=None,
        random_state=None,
        verbose=False,
    ):
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.ambient_reg = ambient_reg
        self.intrinsic_reg = intrinsic_reg
        self.n_neighbors = n_neighbors
        self.graph_weights = graph_weights
        self.laplacian_power = laplacian_power
        self.balance = balance
        self.balance_tolerance = balance_tolerance
        self.size_floor = size_floor
        self.search = search
        self.n_restarts = n_restarts
        self.n_reshakes = n_reshakes
        self.population = population
        self.offspring = offspring
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    _widths = ("auto", "scale", "median")

    def fit(self, X, y=None, *, init=None, fixed=None):
        """Find clusters.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The samples; their Gram matrix if ``kernel="precomputed"``.
        y : ignored
        init : array-like of shape (n_samples,), optional
            Cluster of each sample to start from, 0 to ``n_clusters - 1``; -1 (or a
            missing value) where you have no opinion. If all samples have one, the
            search improves them; otherwise it starts anew around the `fixed` ones.
        fixed : array-like of bool or int, optional
            Samples that must keep their cluster in `init`, as a mask or as positions.

        Returns
        -------
        self

        Notes
        -----
        An interrupt (Ctrl-C) during the search leaves a model with the best labels so
        far, and is then passed on. Only while parameters are chosen on a part of more
        than 1,500 samples there is nothing to keep yet.
        """
        self._check_parameters()
        rng = as_generator(self.random_state)
        X = self._read(X)
        wishes = self._read_wishes(init, fixed, X.shape[0])
        order = self._order(X)
        cell, found = self._choose(X, order, wishes, rng)
        space, basis, scale = self._prepare(X, cell, rng)
        weights = np.full(X.shape[0], 1.0 / X.shape[0])
        smoother = space.smoother(weights, cell.ambient_reg * scale)
        rng = np.random.default_rng(int(rng.integers(2**31)))
        self._learn(smoother, space, basis, cell, wishes, order, X, rng, found)
        return self

    def fit_path(self, X, *, ambient_reg, init=None, fixed=None):
        """Cluster for each weight of the kernel norm, sharing what is expensive.

        Parameters
        ----------
        X, init, fixed
            As in `fit`.
        ambient_reg : sequence of float
            Weights of the kernel norm. Other parameters that are left open are chosen
            with the first of them.

        Returns
        -------
        list of fitted estimators
        """
        ambient_reg = [ambient_reg] if np.isscalar(ambient_reg) else list(ambient_reg)
        if not len(ambient_reg) or any(isinstance(reg, str) for reg in ambient_reg):
            raise ValueError(
                f"ambient_reg of {type(self).__name__}.fit_path must hold at least one "
                f"number > 0 and nothing else, got {ambient_reg!r}."
            )
        clusterers = [clone(self).set_params(ambient_reg=reg) for reg in ambient_reg]
        for clusterer in clusterers:
            clusterer._check_parameters()
        rng = as_generator(self.random_state)
        reader = clusterers[0]
        X = reader._read(X)
        wishes = reader._read_wishes(init, fixed, X.shape[0])
        order = self._order(X)
        cell, _ = reader._choose(X, order, wishes, rng)
        space, basis, scale = self._prepare(X, cell, rng)
        path = space.path(np.full(X.shape[0], 1.0 / X.shape[0]))
        seed = int(rng.integers(2**31))  # the same starts for all
        for clusterer in clusterers:
            for name in ("n_features_in_", "feature_names_in_", "choice_"):
                if hasattr(reader, name):
                    setattr(clusterer, name, getattr(reader, name))
            own = replace(cell, ambient_reg=clusterer.ambient_reg)
            smoother = path(own.ambient_reg * scale)
            clusterer._learn(
                smoother,
                space,
                basis,
                own,
                wishes,
                order,
                X,
                np.random.default_rng(seed),
            )
        return clusterers

    def predict(self, X):
        """Cluster of each sample, new ones included.

        That of a training sample is nearly always, but need not be, the one in
        ``labels_``: the search keeps sizes within bounds, the function does not.
        """
        scores = self._scores(X)
        if self.n_clusters == 1:
            return np.zeros(len(scores), dtype=np.int64)
        return decide(scores)

    def decision_function(self, X):
        """Scores of the clusters, (n_samples, n_clusters); (n_samples,) for two."""
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _check_parameters(self):
        check_number(self, "n_clusters", low=1, integer=True)
        self._check_search()
        if isinstance(self.ambient_reg, str):
            check_choice(self, "ambient_reg", ("auto",), "or a number > 0")
        else:
            check_number(self, "ambient_reg", low=0, strict=True)
        check_number(self, "size_floor", low=0)
        if self.size_floor > 1:
            raise ValueError(
                f"size_floor of {type(self).__name__} must be a number from 0 to 1, "
                f"got {self.size_floor!r}."
            )
        check_number(self, "balance_tolerance", low=0)
        if isinstance(self.intrinsic_reg, str):
            check_choice(self, "intrinsic_reg", ("auto",), "or a number >= 0")
        else:
            check_number(self, "intrinsic_reg", low=0)
        if not isinstance(self.balance, dict):
            check_choice(self, "balance", (None, "equal"), "or a dict of fractions")

    def _read(self, X):
        pairwise = self.kernel == "precomputed"
        X = validate_data(
            self, X, accept_sparse=False if pairwise else "csr", dtype=FLOATS
        )
        if pairwise:
            check_gram(self, X)
        if X.shape[0] < self.n_clusters:
            raise ValueError(
                f"n_samples={X.shape[0]} should be >= n_clusters={self.n_clusters}."
            )
        return X

    def _read_wishes(self, init, fixed, n_samples):
        """What the user says about clusters of single samples."""
        codes = np.zeros(n_samples, dtype=np.int32)
        wished, is_fixed = np.zeros(n_samples, bool), np.zeros(n_samples, bool)
        name = type(self).__name__
        if init is not None:
            wished, codes[:] = self._read_init(init, n_samples)
        if fixed is not None:
            positions = np.asarray(fixed)
            is_mask = positions.dtype == bool and positions.shape == (n_samples,)
            is_index = positions.dtype.kind in "iu" and positions.ndim == 1
            looks_like_mask = positions.shape == (n_samples,) and n_samples > 2
            if is_index and looks_like_mask and set(positions.tolist()) <= {0, 1}:
                is_index = False  # a mask of numbers, and no positions
            if is_index and len(positions):
                is_index = positions.min() >= 0 and positions.max() < n_samples
            if not is_mask and not is_index and (positions.size or positions.ndim != 1):
                raise ValueError(
                    f"fixed of {name}.fit must be a mask of {n_samples} samples or "
                    f"positions from 0 to {n_samples - 1}, got {fixed!r}."
                )
            is_fixed[positions if is_mask or is_index else []] = True
        if (is_fixed & ~wished).any():
            raise ValueError(
                f"fixed of {name}.fit names sample "
                f"{np.flatnonzero(is_fixed & ~wished)[0]}, for which init has no "
                "cluster; pass init with the cluster of every fixed sample."
            )
        return Wishes(codes, wished, is_fixed)

    def _read_init(self, init, n_samples):
        """Which samples have a cluster in `init`, and their clusters."""
        values = np.asarray(init)
        if values.dtype.kind == "f" and np.array_equal(values, np.rint(values)):
            values = values.astype(np.int64)  # whole numbers, -1 among them
        if values.shape != (n_samples,) or values.dtype.kind not in "iufO":
            raise ValueError(
                f"init of {type(self).__name__}.fit must have one cluster for each of "
                f"the {n_samples} samples, whole numbers or -1 for no opinion, got "
                f"shape {values.shape} of type {values.dtype}."
            )
        wished = labeled_mask(values)
        codes = np.zeros(n_samples)
        try:
            codes[wished] = values[wished]
        except (TypeError, ValueError):
            codes[wished] = -1
        is_cluster = (codes == np.rint(codes)) & (codes >= 0)
        if not (is_cluster & (codes < self.n_clusters)).all():
            raise ValueError(
                f"init of {type(self).__name__}.fit must hold whole numbers from 0 to "
                f"{self.n_clusters - 1}, or -1 for no opinion, got "
                f"{values[~(is_cluster & (codes < self.n_clusters))][0]!r}."
            )
        return wished, codes.astype(np.int32)

    def _choose(self, X, order, wishes, rng):
        """Parameters for these samples, and the clusters if they were all tried."""
        cells = self._cells(X, order, rng)
        self.choice_ = None
        if len(cells) == 1 or self.n_clusters == 1:
            return cells[0], None
        rows, n_samples = np.arange(X.shape[0]), X.shape[0]
        if n_samples > _CHOICE_ROWS:
            drawn = rng.choice(n_samples, _CHOICE_SAMPLE, replace=False)
            rows = np.sort(order[drawn])
            X = self._take(X, rows)
            order = self._order(X)
        results, spectral = self._try(X, cells, wishes.part(rows), order, rng)
        interrupted = results[-1].status is Status.INTERRUPTED
        if interrupted and len(rows) < n_samples:
            raise KeyboardInterrupt  # clusters of a part are none of the whole
        cells = cells[: len(results)]  # fewer if interrupted
        if len(spectral) == len(cells):
            cells = cells + [replace(cell, source="spectrum") for cell in cells]
            results = results + spectral
        labelings = [result.solution for result in results]
        neighbors = nearest_neighbors(*cells[0].kernel.geometry(X))
        self.choice_ = choose_cell(cells, labelings, neighbors, self.n_clusters)
        best = self.choice_.best
        self._say(f"chose {cells[best]} among {len(cells)}")
        if len(rows) < n_samples:
            return cells[best], None
        found = results[best]
        return cells[best], replace(found, status=results[-1].status)

    def _cells(self, X, order, rng):
        """All combinations of the parameters that are left open."""
        gammas, regs, powers = [self.gamma], [self.ambient_reg], [self.laplacian_power]
        if self.gamma == "auto" and self.kernel == "rbf":
            some = order[rng.permutation(len(order))[:_WIDTH_SAMPLE]]
            middle = select_gamma("median", X[some], rng)
            gammas = [middle * width for width in _WIDTHS]
        elif self.gamma == "auto":
            gammas = ["scale"]
        if self.ambient_reg == "auto":
            regs = _REGS
        if self.laplacian_power == "auto":
            powers = _POWERS if self.intrinsic_reg != 0 else (1,)
        kernels = [
            make_kernel(
                self.kernel, X, rng, gamma=g, degree=self.degree, coef0=self.coef0
            )
            for g in gammas
        ]
        return [Cell(*cell) for cell in product(powers, kernels, regs)]

    def _try(self, X, cells, wishes, order, rng):
        """Clusters of (some of) the samples for each choice of parameters.

        Two lists: by the search, and from the spectrum if that makes sense.
        """
        weights, results, spectral = np.full(X.shape[0], 1.0 / X.shape[0]), [], []
        tries_spectrum = self._tries_spectrum(wishes)
        for power, of_power in groupby(cells, attrgetter("power")):
            of_power = list(of_power)
            penalty = None
            if self.intrinsic_reg != 0:
                graph = self._graph(X, of_power[0].kernel, power)
                penalty = GraphPenalty(graph[0], weights, graph[1])
            for kernel, of_kernel in groupby(of_power, attrgetter("kernel")):
                gram = kernel(X)
                scale = float(np.diagonal(gram).mean(dtype=np.float64))
                self._check_scale(scale)
                path = penalty.path(gram) if penalty else SpectralPath(gram, weights)
                for cell in of_kernel:
                    problem = self._pose(path(cell.ambient_reg * scale), wishes, order)
                    results.append(self._find(problem, wishes, rng, 1))
                    if tries_spectrum:
                        codes = cluster_spectrum(problem, order, rng)
                        if codes is None:  # its eigenvectors were not to be had
                            codes = results[-1].solution
                        spectral.append(replace(results[-1], solution=codes))
                    self._say(f"trial {len(results)} of {len(cells)}: {cell}")
                    if results[-1].status is Status.INTERRUPTED:
                        return results, spectral
        return results, spectral

    def _tries_spectrum(self, wishes):
        """Whether clusters of any size and without fixed samples are asked for."""
        is_free = self.search == "auto" and self.balance is None
        return is_free and not wishes.wished.any()

    def _graph(self, X, kernel, power):
        """Laplacian of the nearest neighbors, and its weight."""
        data, metric = kernel.geometry(X)
        adjacency = knn_adjacency(
            data, self.n_neighbors, self.graph_weights, metric=metric
        )
        weight = self.intrinsic_reg
        if weight == "auto":
            weight = _GRAPH / X.shape[0]
        return graph_laplacian(adjacency, normalized=False, power=power), weight

    def _prepare(self, X, cell, rng):
        """The functions over all samples, and the kernel functions that span them."""
        space, basis = self._make_space(cell.kernel, X, rng)
        scale = space.mean_diagonal()
        self._check_scale(scale)
        if self.intrinsic_reg != 0:
            space = space.with_graph(*self._graph(X, cell.kernel, cell.power))
        return space, basis, scale

    def _pose(self, smoother, wishes, order):
        """The problem of finding clusters."""
        n_samples, n_clusters = smoother.n_samples, self.n_clusters
        n_fixed = np.bincount(wishes.codes[wishes.fixed], minlength=n_clusters)
        smallest = max(1, int(_SMALLEST_SHARE * n_samples / n_clusters))
        if self.balance is None:
            shares = np.full(n_clusters, 1.0 / n_clusters)
            n_free = int((~wishes.fixed).sum())  # fixed samples may leave few for all
            lower = np.minimum(smallest, n_fixed + n_free // n_clusters)
            lower = lower if self.size_floor else np.zeros_like(n_fixed)
            upper = np.full(n_clusters, n_samples)
        else:
            shares = self._shares()
            lower, upper = size_bounds(shares, self.balance_tolerance, n_samples)
            if self.size_floor:
                floor = np.minimum(smallest, nearest_sizes(shares, n_samples))
                lower = np.maximum(lower, floor)
        movable = ~wishes.fixed
        return LabelProblem(
            smoother,
            movable,
            np.where(wishes.fixed, wishes.codes, 0).astype(np.int32),
            lower,
            np.maximum(upper, n_fixed),
            shares * n_samples,
            order[movable[order]],
        )

    def _shares(self):
        """Share of each cluster that the user asks for."""
        if self.balance == "equal":
            return np.full(self.n_clusters, 1.0 / self.n_clusters)
        names = list(range(self.n_clusters))
        return self._read_shares(names, f"clusters 0 to {self.n_clusters - 1}")

    def _take(self, X, rows):
        """Some of the samples, or their Gram matrix."""
        return X[np.ix_(rows, rows)] if self.kernel == "precomputed" else X[rows]

    def _order(self, X):
        """The samples in an order that no shuffling changes."""
        return content_order(X, pairwise=self.kernel == "precomputed")

    def _find(self, problem, wishes, rng, n_restarts):
        """Search clusters from several starts, or improve those of the user."""
        if self.n_clusters == 1:
            codes = np.zeros(problem.n_samples, dtype=np.int32)
            return SolveResult(codes, problem.value(codes), Status.CONVERGED, 0)
        name = "shaking" if self.search == "auto" else self.search
        strategy = self._strategy(name, self.n_clusters)
        if wishes.is_complete:
            starts = [mend(problem, wishes.codes, problem.table(wishes.codes))]
            seeds = rng.integers(2**62, size=1)
            if name == "shaking":  # which would shake the user's clusters away
                shaking = Shaking(size_floor=self.size_floor)
                n_trials = max(1, self.n_reshakes)
                strategy = Reshaking(shaking, n_trials, shakes_first=False)
        else:
            if name == "shaking" and self.n_clusters == 2:
                n_restarts = 1  # shaking ends the same whatever it starts from
            starts, seeds = make_starts(problem, n_restarts, rng)
        result = self._run(problem, strategy, starts, seeds)
        if self.search != "auto" or wishes.is_complete:
            return result
        if self.balance is not None:
            return self._fit_sizes(problem, result, rng)
        codes = settle(problem, result.solution)
        if wishes.fixed.any() and result.status is not Status.INTERRUPTED:
            named = self._name_clusters(problem, wishes, rng, n_restarts)
            codes = min(codes, named, key=problem.value)
        return replace(result, solution=codes, objective=problem.value(codes))

    def _name_clusters(self, problem, wishes, rng, n_restarts):
        """Clusters found freely, named as the fixed samples ask, then improved.

        A few fixed samples hardly pull the others; names that fit them do.
        """
        nobody = np.zeros_like(wishes.fixed)
        free = Wishes(wishes.codes, nobody, nobody)
        matrix, order = problem.smoother.matrix, np.arange(problem.n_samples)
        if not problem.smoother.low_rank:
            order = content_order(matrix, pairwise=True)
        found = self._find(
            self._pose(problem.smoother, free, order), free, rng, n_restarts
        ).solution
        votes = np.zeros((self.n_clusters, self.n_clusters))
        np.add.at(votes, (found[wishes.fixed], wishes.codes[wishes.fixed]), 1)
        _, name = linear_sum_assignment(-votes)
        codes = np.where(wishes.fixed, wishes.codes, name[found]).astype(np.int32)
        codes = mend(problem, codes, problem.table(codes))
        return Steepest().improve(problem, codes)[0]

    def _fit_sizes(self, problem, result, rng):
        """The better of a result and of what fits clusters of any size to the sizes.

        Shaking alone cannot tell which cluster is to be the large one.
        """
        if not problem.movable.all():
            return result
        codes = cluster_spectrum(problem, problem.order, rng)
        if codes is None:
            return result
        sizes = np.bincount(codes, minlength=self.n_clusters)
        name = np.empty(self.n_clusters, dtype=np.int32)
        name[np.argsort(sizes)] = np.argsort(problem.target, kind="stable")
        codes = name[codes]
        start = mend(problem, codes, problem.table(codes))
        codes, _ = Steepest().improve(problem, start)
        value = problem.value(codes)
        if value >= result.objective:
            return result
        return replace(result, solution=codes, objective=value)

    def _find_large(self, problem, space, cell, wishes, order, X, rng):
        """Search among some of the samples, then let the others join."""
        drawn = order[rng.choice(len(order), _LARGE_SAMPLE, replace=False)]
        rows = np.union1d(drawn, np.flatnonzero(wishes.fixed))
        part = replace(space, features=space.features[rows], laplacian=None)
        if space.laplacian is not None:
            graph = self._graph(self._take(X, rows), cell.kernel, cell.power)
            part = part.with_graph(*graph)
        weights = np.full(len(rows), 1.0 / len(rows))
        smoother = part.smoother(weights, cell.ambient_reg * part.mean_diagonal())
        some = wishes.part(rows)
        small = self._pose(smoother, some, self._order(self._take(X, rows)))
        result = self._find(small, some, rng, self.n_restarts)
        signs = sign_coding(result.solution, self.n_clusters)
        coordinates = smoother.coordinates(signs)
        scores = space.features @ coordinates
        codes = np.where(wishes.fixed, wishes.codes, decide(scores)).astype(np.int32)
        codes = mend(problem, codes, problem.table(codes))
        if self.search == "auto":
            codes = settle(problem, codes)
        return replace(result, solution=codes, objective=problem.value(codes))

    def _learn(self, smoother, space, basis, cell, wishes, order, X, rng, found=None):
        """Find the clusters of all samples, and the functions that tell them apart."""
        problem = self._pose(smoother, wishes, order)
        is_large = smoother.low_rank and smoother.n_samples > _LARGE_ROWS
        is_large = is_large and self.n_clusters > 1
        codes = None
        if found is not None:
            codes = found.solution
        elif cell.source == "spectrum":
            codes = cluster_spectrum(problem, order, rng)
            if codes is not None and not problem.is_feasible(codes):
                codes = None
        if codes is not None:
            history = {} if found is None else found.history
            status = Status.CONVERGED if found is None else found.status
            n_moves = 0 if found is None else found.n_iter
            value = problem.value(codes)
            result = SolveResult(codes, value, status, n_moves, history)
        elif is_large and self.search != "stochastic" and not wishes.is_complete:
            result = self._find_large(problem, space, cell, wishes, order, X, rng)
        else:
            result = self._find(problem, wishes, rng, self.n_restarts)
        signs = sign_coding(result.solution, self.n_clusters)
        coordinates = smoother.coordinates(signs)
        every = np.arange(X.shape[0])
        self._store_function(cell.kernel, basis, space, X, every, coordinates)
        self.labels_ = result.solution.astype(np.int64)
        self.objective_ = result.objective
        self.ambient_reg_, self.laplacian_power_ = cell.ambient_reg, cell.power
        self._store(result)
