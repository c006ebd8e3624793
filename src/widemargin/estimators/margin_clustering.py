"""Max-margin clustering by regularized least squares."""

from dataclasses import replace

import numpy as np
from sklearn.base import ClusterMixin, clone
from sklearn.utils.validation import validate_data

from widemargin.estimators._checks import (
    check_choice,
    check_gram,
    check_number,
    plain,
)
from widemargin.estimators._cluster_finder import ClusterFinder
from widemargin.estimators._cluster_machine import NeighborGraph, make_machine
from widemargin.estimators._cluster_sample import collect_rows
from widemargin.estimators._cluster_sizes import ClusterSizes
from widemargin.estimators._cluster_trials import TrialsMixin
from widemargin.estimators._cluster_wishes import read_wishes
from widemargin.estimators._kernel_machine import FLOATS
from widemargin.estimators._label_searcher import LabelSearcher
from widemargin.labels import decide, sign_coding
from widemargin.linalg.random import as_generator
from widemargin.solvers.label_strategies import Reshaking, Shaking
from widemargin.solvers.result import Status


class MaxMarginClustering(TrialsMixin, ClusterMixin, LabelSearcher):
    r"""Max-margin clustering by regularized least squares.

    Finds the clusters that a kernel machine with the squared loss can tell apart best.
    By default the kernel follows the nearest-neighbor graph, and everything that has to
    be chosen is chosen without labels. New samples can be predicted.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    kernel : str or callable, default="rbf"
        "rbf", "linear", "poly", "laplacian", "cosine", "precomputed", or a function
        ``kernel(X, Z)`` that returns the kernel matrix. With "precomputed", X is the
        Gram matrix of all samples in `fit`, and the kernel values of new samples
        against them in `predict`.
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
    search : str, default="auto"
        How clusters are searched: "shaking", "tabu", "evolution", "steepest" or
        "stochastic", which end where the search ends. "auto" is shaking with local
        re-shaking, after which sizes settle.
    n_restarts : int, default=2
        Random starts; the one of lowest objective counts. While parameters are chosen,
        and for two clusters with "shaking", which always ends the same, there is one.
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
        sample = self._read(X, init, fixed)  # rows, and what is wished for them
        cell, found = self._choose(sample, rng)  # parameters that are left open
        machine = self._make_machine(sample, cell, rng)  # what tells clusters apart
        smoother = machine.smoother(sample.weights)
        rng = np.random.default_rng(int(rng.integers(2**31)))
        self._learn(sample, machine, smoother, rng, found)
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
                f"number > 0 and nothing else, got {list(map(plain, ambient_reg))!r}."
            )
        clusterers = [clone(self).set_params(ambient_reg=reg) for reg in ambient_reg]
        for clusterer in clusterers:
            clusterer._check_parameters()
        rng = as_generator(self.random_state)
        reader = clusterers[0]
        sample = reader._read(X, init, fixed)
        cell, found = reader._choose(sample, rng)
        if found is not None and found.status is Status.INTERRUPTED:
            raise KeyboardInterrupt  # nothing of the path is there yet
        machine = reader._make_machine(sample, cell, rng)
        path = machine.space.path(sample.weights)
        seed = int(rng.integers(2**31))  # the same starts for all
        for clusterer in clusterers:
            for name in ("n_features_in_", "feature_names_in_", "choice_"):
                if hasattr(reader, name):
                    setattr(clusterer, name, getattr(reader, name))
            own = replace(cell, ambient_reg=clusterer.ambient_reg)
            smoother = path(own.ambient_reg * machine.scale)
            rng = np.random.default_rng(seed)
            clusterer._learn(sample, replace(machine, cell=own), smoother, rng)
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
        check_number(self, "balance_tolerance", low=0)
        self._check_search()
        if isinstance(self.ambient_reg, str):
            check_choice(self, "ambient_reg", ("auto",), "or a number > 0")
        else:
            check_number(self, "ambient_reg", low=0, strict=True)
        check_number(self, "size_floor", low=0)
        if self.size_floor > 1:
            raise ValueError(
                f"size_floor of {type(self).__name__} must be a number from 0 to 1, "
                f"got {plain(self.size_floor)!r}."
            )
        if isinstance(self.intrinsic_reg, str):
            check_choice(self, "intrinsic_reg", ("auto",), "or a number >= 0")
        else:
            check_number(self, "intrinsic_reg", low=0)
        if not isinstance(self.balance, dict):
            check_choice(self, "balance", (None, "equal"), "or a dict of fractions")

    def _read(self, X, init, fixed):
        """The rows, and what the user says about their clusters."""
        pairwise = self.kernel == "precomputed"
        X = validate_data(
            self, X, accept_sparse=False if pairwise else "csr", dtype=FLOATS
        )
        if pairwise:
            check_gram(self, X)
        n_samples, n_clusters = X.shape[0], self.n_clusters
        if n_samples < n_clusters:
            raise ValueError(
                f"n_samples={n_samples} should be >= n_clusters={n_clusters}."
            )
        method = f"{type(self).__name__}.fit"
        wishes = read_wishes(init, fixed, n_samples, n_clusters, method)
        return collect_rows(X, wishes, pairwise=pairwise)

    def _make_machine(self, sample, cell, rng):
        """The functions on all samples, and the kernel functions that span them."""
        space, basis = self._make_space(cell.kernel, sample.X, rng)
        self._check_scale(space.mean_diagonal())
        return make_machine(cell, self._graph(), space, basis, sample.X)

    def _learn(self, sample, machine, smoother, rng, found=None):
        """Find the clusters of all samples, and the functions that tell them apart."""
        finder = self._finder()
        problem = finder.pose(smoother, sample)
        if found is None:
            result = finder.find_all(problem, machine, sample, rng)
        else:  # while parameters were chosen
            result = replace(found, objective=problem.value(found.solution))
        signs = sign_coding(result.solution, self.n_clusters)
        coordinates = smoother.coordinates(signs)
        cell, every = machine.cell, np.arange(sample.n_samples)
        self._store_function(
            cell.kernel, machine.basis, machine.space, sample.X, every, coordinates
        )
        self.labels_ = result.solution.astype(np.int64)
        self.objective_ = result.objective
        self.ambient_reg_, self.laplacian_power_ = cell.ambient_reg, cell.power
        self._store(result)

    def _finder(self):
        """The search, with the parameters of this estimator."""
        name = "shaking" if self.search == "auto" else self.search
        improver = strategy = self._strategy(name, self.n_clusters)
        n_restarts = self.n_restarts
        if name == "shaking":  # which would shake the user's clusters away
            shaking, n_trials = Shaking(size_floor=self.size_floor), self.n_reshakes
            improver = Reshaking(shaking, max(1, n_trials), shakes_first=False)
            if self.n_clusters == 2:  # where it ends the same from every start
                n_restarts = 1
        return ClusterFinder(
            self._sizes(),
            strategy,
            improver,
            n_restarts,
            refines=self.search == "auto",
            run=self._run,
        )

    def _sizes(self):
        """The sizes that the user asks for."""
        n_clusters, shares = self.n_clusters, None
        if self.balance == "equal":
            shares = np.full(n_clusters, 1.0 / n_clusters)
        elif self.balance is not None:
            whose = f"clusters 0 to {n_clusters - 1}"
            shares = self._read_shares(list(range(n_clusters)), whose)
        tolerance, has_floor = self.balance_tolerance, self.size_floor > 0
        return ClusterSizes(n_clusters, shares, tolerance, has_floor)

    def _graph(self):
        """The graph that the functions follow."""
        return NeighborGraph(self.n_neighbors, self.graph_weights, self.intrinsic_reg)
