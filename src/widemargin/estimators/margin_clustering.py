"""Max-margin clustering by regularized least squares."""

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClusterMixin, clone
from sklearn.utils.validation import check_is_fitted

from widemargin.checks import check_number, check_number_or, plain
from widemargin.defaults import (
    CLUSTER_LADDER,
    CLUSTER_LIMITS,
    CLUSTER_NUMBERS,
    CLUSTER_RESHAKES,
    CLUSTER_TOLERANCE,
    MIXTURE,
)
from widemargin.estimators._estimator import (
    Estimator,
    Method,
    copy_features,
    evaluate,
    read_jobs,
    read_parameter,
    read_rows,
    store_result,
    values_at,
)
from widemargin.kernels import Custom, Rbf
from widemargin.labelling import Automatic, Reshaking, Search, Shaking
from widemargin.labelling.choice import Choice, Parameters, choose, list_parameters
from widemargin.labelling.clusters import (
    ClusterGraph,
    ClusterModel,
    ClusterSearch,
    ClusterSizes,
    ClusterTask,
    cluster_graph,
)
from widemargin.labelling.constraints import read_constraints
from widemargin.labelling.discrete import weigh_gaps
from widemargin.labelling.mixtures import fit_better_mixture
from widemargin.labelling.numbers import NumberChoice, count_gaussians
from widemargin.labelling.outliers import Reach, find_reach
from widemargin.labels import decide, sign_coding
from widemargin.linalg.products import suited_threads
from widemargin.linalg.random import as_generator
from widemargin.objectives.class_sizes import Balance
from widemargin.progress import Progress, planned, track
from widemargin.sample import collect_sample
from widemargin.solvers.result import SolveResult, Status
from widemargin.spaces import choose_space
from widemargin.spaces.choose import check_scale
from widemargin.spaces.function import NeighborFunction
from widemargin.stored import require

# Shares of the time if the number of clusters is chosen: of 18 s on digits 2.4 s are
# the fit with the chosen number.
_NUMBERS, _FIT = "numbers of clusters", "clusters"
_NUMBER_STAGES = {_NUMBERS: 0.87, _FIT: 0.13}
_NOT_IN_0_2 = "n_clusters_", "number_choice_", "reach_"  # in model files of release 0.2


@dataclass(eq=False, repr=False)
class MaxMarginClustering(ClusterMixin, Estimator):
    r"""Max-margin clustering by regularized least squares.

    Finds the clusters that a kernel model with the squared loss separates best. By
    default the kernel follows the nearest-neighbor graph, and everything that has to be
    chosen is chosen without labels. New rows can be predicted.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        Number of clusters. "auto" tries up to 12. It takes the number of Gaussians that
        predicts held-out rows best if halves of the rows lead to the same Gaussians,
        and otherwise the number with the largest sum of neighbor agreement and
        stability.
    kernel : Kernel, str or callable, default="rbf"
        As in `LaplacianSVC`, except that the width "auto" of "rbf" tries several.
    graph : "knn" or Graph, default="knn"
        The graph of all rows, such as ``KnnGraph(n_neighbors=5)``. "knn" joins 8
        neighbors, and 3 if rows lie along curves and other parameters are chosen. The
        power "auto" tries 1 and 2. The Laplacian is always divided by the mean degree.
    ambient_reg : float or "auto", default="auto"
        Weight of the kernel norm; the :math:`\lambda` of [1]_ divided by the number of
        rows. "auto" tries several.
    intrinsic_reg : float or "auto", default="auto"
        Weight of the smoothness along the graph; 0 for the model of [1]_, "auto" is
        10 / n_samples.
    balance : None, "equal", dict or Balance, default=None
        Sizes of the clusters: as found, all the same, or ``{cluster: fraction}``.
        ``Balance(shares, tolerance)`` also sets how far the share of a cluster may be
        off, which is 0.1 by default.
    search : str or Search, default="auto"
        As in `LabelSearchClassifier`, except that "auto" is `Shaking` with two
        `n_reshakes` per cluster, after which sizes become those of the data. Unless it
        is ``Shaking(size_floor=0)``, which is the algorithm of [1]_, no
        search leaves a cluster below a tenth of the mean size.
    n_restarts : int, default=2
        Number of random starts; the clusters with the lowest objective are kept. There
        is one start while parameters are chosen, and for two clusters with shaking,
        which gives the same result from every start.
    landmarks : int, Nystrom, "auto" or None, default="auto"
        As in `LaplacianSVC`; "auto" is None up to 10,000 rows and 1,000 for more.
    outliers : None, "auto" or float, default=None
        Rows that belong to no cluster and get the label -1, as in HDBSCAN: none, those
        with few rows around them, or this share of all rows, below 0.5, and less if
        many rows are equally far from others. They have no influence on the clusters.
    n_jobs, random_state, verbose
        `n_jobs` as in `LabelSearchClassifier`, the others as in `LaplacianSVC`.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training row, 0 to ``n_clusters - 1``; -1 for `outliers`.
    objective_ : float
        The objective for these clusters. It cannot be compared between different
        parameters or different numbers of clusters.
    choice_ : Choice or None
        The trials, where parameters were left open: their `parameters`, neighbor
        `agreement`, `stability`, and which was `best`.
    parameters_ : Parameters
        Kernel, `ambient_reg` and power of the Laplacian that were used, and the
        `source` of the clusters.
    n_clusters_, number_choice_ : int, NumberChoice or None
        Number of clusters; `agreement`, `stability` and the count of `gaussians` for
        each number that "auto" tried, on the rows with which parameters are chosen
        (`~widemargin.plots.ClusterNumberDisplay` draws them).
    reach_ : Reach or None
        The region outside of which rows are outliers.
    graph_ : Graph
        The graph that was used.
    function_, result_, n_iter_
        As in `LabelSearchClassifier`.

    Notes
    -----
    Minimizes, over functions and clusters c, Eq. (13) of [1]_,

    .. math:: \sum_h \Big( \frac1n \sum_i (p_h(c_i) - f_h(x_i))^2
              + \text{ambient\_reg}\, \|f_h\|^2
              + \text{intrinsic\_reg}\, f_h^\top L^p f_h \Big)

    with :math:`p_h` 1 inside cluster h and -1 outside (one term for two clusters), the
    norm of the kernel divided by its mean diagonal, and L the graph Laplacian divided
    by its mean degree. :doc:`/guide/clustering` describes the search and its deviations
    from [1]_, and how parameters are chosen.

    With ``kernel="rbf"``, columns of up to ten values (indicators, one-hot categories)
    are multiplied by a weight of at most one before anything else, so that they do not
    separate rows that are near each other in the other columns. Sparse rows and blocks
    stay as they are.

    Parameters left at "auto" are chosen among 12 combinations: widths of a quarter,
    half and the whole of the median distance, `ambient_reg` :math:`2^{-12}` and
    :math:`2^{-9}`, powers 1 and 2. Clusters of k-means in the eigenvectors of a
    smoother are taken if their agreement and stability are larger by 0.1 together.

    ``n_clusters=2`` with ``kernel="linear"`` and ``intrinsic_reg=0`` is the
    unsupervised case of [2]_. Time O(n^3), memory O(n^2); with more than 8,192 rows and
    landmarks clusters are searched among 4,000 rows, and the others join them.
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
    >>> X, y = make_moons(150, noise=0.05, random_state=0)
    >>> model = MaxMarginClustering(n_clusters=2, random_state=0).fit(X)
    >>> adjusted_rand_score(y, model.labels_)
    1.0
    """

    n_clusters: int | str = 8
    _: KW_ONLY
    kernel: object = "rbf"
    graph: object = "knn"
    ambient_reg: float | str = "auto"
    intrinsic_reg: float | str = "auto"
    balance: object = None
    search: object = "auto"
    n_restarts: int = 2
    landmarks: object = "auto"
    outliers: str | float | None = None
    n_jobs: int | None = None
    random_state: object = None
    verbose: bool = False

    value_families = Estimator.value_families | {"balance": Balance, "search": Search}
    saved_state = (
        "function_", "parameters_", "choice_", "result_", "n_clusters_",
        "number_choice_", "reach_",
    )  # fmt: skip
    methods = (
        Method(
            "margin", "clusters with the widest margin between them", task="cluster"
        ),
    )
    history_names = {"objective": "lowest objective"}
    step_name = "start"
    ladder = CLUSTER_LADDER  # from which number of rows on there are landmarks
    limits = CLUSTER_LIMITS  # numbers of rows above which a part is used

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        init: ArrayLike | None = None,
        fixed: ArrayLike | None = None,
    ) -> Self:
        """Find clusters.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows; their Gram matrix if ``kernel="precomputed"``. A list of arrays,
            memory maps or sparse matrices holds blocks of rows, which are never joined.
        y : ignored
        init : array-like of shape (n_samples,), optional
            Cluster of each row to start from, 0 to ``n_clusters - 1``; -1 (or a missing
            value) for none. If all rows have one, the search improves them; otherwise
            it starts anew around the `fixed` ones.
        fixed : array-like of bool or int, optional
            Rows that must keep their cluster in `init`, as a mask or as positions.

        Notes
        -----
        An interrupt (Ctrl-C) during the search leaves a model with the best labels so
        far, and is then passed on. While the number of clusters is chosen, or
        parameters on a part of more than 1,500 rows, an interrupt leaves no model.
        """
        _check_numbers(self)
        if self.outliers is not None:
            return _fit_without_outliers(self, X, init, fixed)
        if self.n_clusters == "auto":
            return _fit_chosen_number(self, X, init, fixed)
        self.n_clusters_, self.number_choice_ = int(self.n_clusters), None
        self.reach_ = None
        search, graph = _read_search(self), _read_graph(self)
        rng = as_generator(self.random_state)
        task = _read_task(self, X, init, fixed)
        with suited_threads(task.sample.n_rows):
            is_left = _is_left_to_graph(self, task, search)
            if is_left and _find_along_graph(self, task, graph, rng):
                return self
            graph, chosen, found = _choose(self, task, search, graph, rng)
            model = _make_model(self, task, graph, chosen, rng)
            # From a seed, as in `fit_path`: the same parameters find the same clusters.
            rng = np.random.default_rng(int(rng.integers(2**31)))
            smoother = model.smoother(task)
            result = _find(self, task, search, model, smoother, rng, found)
            if _tries_mixtures(self, task, search, result):
                _try_mixtures(self, task, smoother, search, result, rng)
        return self

    def fit_path(
        self,
        X: Any,
        *,
        ambient_reg: ArrayLike,
        init: ArrayLike | None = None,
        fixed: ArrayLike | None = None,
    ) -> list[Self]:
        """Cluster for each weight of the kernel norm, sharing what is expensive.

        Parameters
        ----------
        X, init, fixed
            As in `fit`.
        ambient_reg : sequence of float
            Weights of the kernel norm, one for each of the fitted estimators that are
            returned. Other parameters at "auto" are chosen with the first of them.
        """
        ambient_reg = [ambient_reg] if np.isscalar(ambient_reg) else list(ambient_reg)
        if not len(ambient_reg) or any(isinstance(reg, str) for reg in ambient_reg):
            raise ValueError(
                f"ambient_reg of {type(self).__name__}.fit_path must hold at least one "
                f"number > 0 and nothing else, got {list(map(plain, ambient_reg))!r}."
            )
        clusterers = [clone(self).set_params(ambient_reg=reg) for reg in ambient_reg]
        for clusterer in clusterers:
            _check_numbers(clusterer)
        if self.n_clusters == "auto":
            raise ValueError(
                f"n_clusters of {type(self).__name__}.fit_path must be a number, got "
                "'auto'; fit once, and pass n_clusters_ on."
            )
        if self.outliers is not None:
            raise ValueError(
                f"outliers of {type(self).__name__}.fit_path must be None, got "
                f"{plain(self.outliers)!r}; fit once, and pass the rows with labels_ "
                ">= 0 on."
            )
        first = clusterers[0]
        search, graph = _read_search(first), _read_graph(first)
        rng = as_generator(self.random_state)
        task = _read_task(first, X, init, fixed)
        with suited_threads(task.sample.n_rows):
            graph, chosen, found = _choose(first, task, search, graph, rng)
            if found is not None and found.status is Status.INTERRUPTED:
                raise KeyboardInterrupt  # nothing of the path is there yet
            model = _make_model(first, task, graph, chosen, rng)
            smoothers = model.smoothers(task)
            seed = int(rng.integers(2**31))  # the same starts for all
            for clusterer in clusterers:
                copy_features(first, clusterer)
                clusterer.choice_ = first.choice_
                clusterer.n_clusters_ = int(first.n_clusters)
                clusterer.number_choice_ = None
                clusterer.reach_ = None
                own = replace(chosen, ambient_reg=clusterer.ambient_reg)
                smoother = smoothers(own.ambient_reg)
                rng = np.random.default_rng(seed)
                own_model = replace(model, parameters=own)
                _find(clusterer, task, search, own_model, smoother, rng)
        return clusterers

    def predict(self, X: Any) -> np.ndarray:
        """Cluster of each row, also of new ones; X is a matrix or blocks, as in `fit`.

        That of a training row is nearly always, but need not be, the one in
        ``labels_``: the search keeps sizes within bounds, the function does not.
        With `outliers` set, it is -1 outside of the clusters; for training rows this
        agrees with ``labels_``.
        """
        check_is_fitted(self, "function_")
        rows = read_rows(self, X, reset=False)
        scores = evaluate(self, rows)
        one = self.n_clusters_ == 1
        codes = np.zeros(len(scores), dtype=np.int64) if one else decide(scores)
        if self.reach_ is None:
            return codes
        return np.where(values_at(self.reach_, rows), codes, -1)

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of the clusters, (n_samples, n_clusters); (n_samples,) for two."""
        scores = evaluate(self, X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def check_state(self):
        """Raise ValueError unless fitted parts, read from a file, fit each other."""
        if not any(hasattr(self, name) for name in _NOT_IN_0_2):
            _complete_state(self)
        n_clusters = getattr(self, "n_clusters_", None)
        require(type(n_clusters) is int and n_clusters > 0, self, "n_clusters_")
        kinds = {"choice_": Choice, "number_choice_": NumberChoice, "reach_": Reach}
        for name, kind in kinds.items():
            fits = isinstance(getattr(self, name, self), kind | None)
            require(fits, self, name)
        super().check_state()


def _complete_state(estimator):
    """Set what files of release 0.2 do not contain.

    They have a number of clusters as a parameter, which may have been set to another
    one after the fit. The function of up to two clusters has one column.
    """
    n_columns = estimator.function_.n_columns
    n_clusters = min(estimator.n_clusters, 2) if n_columns == 1 else n_columns
    estimator.n_clusters_ = n_clusters
    estimator.number_choice_ = estimator.reach_ = None


def _check_numbers(estimator):
    """Raise unless the parameters that are numbers are valid."""
    check_number_or(estimator, "n_clusters", ("auto",), low=1, integer=True)
    check_number_or(estimator, "ambient_reg", ("auto",), low=0, strict=True)
    check_number_or(estimator, "intrinsic_reg", ("auto",), low=0)
    check_number(estimator, "n_restarts", low=1, integer=True)
    if estimator.outliers is not None:
        bounds = {"low": 0, "high": 0.5, "strict": True}
        check_number_or(estimator, "outliers", (None, "auto"), **bounds)


def _fit_without_outliers(estimator, X, init, fixed):
    """Find the rows that belong to clusters, then fit to them."""
    who, outliers = type(estimator).__name__, plain(estimator.outliers)
    if init is not None or fixed is not None:
        raise ValueError(
            f"outliers of {who} must be None if fit gets init or fixed, got "
            f"{outliers!r}."
        )
    rng = as_generator(estimator.random_state)
    rows = read_rows(estimator, X)
    n_clusters = _least_clusters(estimator, len(rows))
    kernel = read_parameter(estimator, "kernel")
    if rows.in_blocks or rows.pairwise or isinstance(kernel, Custom):
        raise ValueError(
            f"outliers of {who} needs distances between rows, so it must be None for "
            f"blocks, a precomputed kernel or a function as a kernel, got {outliers!r}."
        )
    kernel = rows.fit_width(kernel, rng, auto="scale")
    reach, kept = find_reach(kernel, rows.X, estimator.outliers)
    if len(kept) < n_clusters:
        raise ValueError(
            f"outliers={outliers!r} of {who} leaves {len(kept):,} of {len(rows):,} "
            f"rows for n_clusters={n_clusters:,}; use a smaller share of outliers, or "
            "fewer clusters."
        )
    seed = int(rng.integers(2**31))
    fitted = clone(estimator).set_params(outliers=None, random_state=seed)
    try:
        fitted.fit(rows.take(kept))
    finally:
        labels = np.full(len(rows), -1, dtype=np.int64)
        labels[kept] = getattr(fitted, "labels_", -1)
        _take_over(estimator, fitted, labels_=labels, reach_=reach)
    return estimator


def _fit_chosen_number(estimator, X, init, fixed):
    """Choose the number of clusters, then fit with it."""
    who = type(estimator).__name__
    if init is not None or fixed is not None:
        raise ValueError(
            f"n_clusters of {who} must be a number if fit gets init or fixed, which "
            "name clusters, got 'auto'."
        )
    rng = as_generator(estimator.random_state)
    seed = int(rng.integers(2**31))  # the same for all numbers
    rows = read_rows(estimator, X)
    task = _read_task(estimator, rows, None, None)
    with planned(_NUMBER_STAGES):
        choice = _choose_number(estimator, task, seed)
        fitted = clone(estimator)
        fitted.set_params(n_clusters=choice.chosen, random_state=seed)
        try:
            for own in track(_FIT, [rows]):
                fitted.fit(own)
        finally:
            _take_over(estimator, fitted, number_choice_=choice)
    return estimator


def _take_over(estimator, other, **learned):
    """Store what another clusterer has learned, an interrupted one also, and more."""
    if hasattr(other, "function_"):
        names = "labels_", "objective_", "n_iter_", "graph_", *estimator.saved_state
        found = {name: getattr(other, name) for name in names if hasattr(other, name)}
        for name, value in (found | learned).items():
            setattr(estimator, name, value)


def _choose_number(estimator, task, seed):
    """The evidence for each number of clusters, on some of the rows if there are many.

    An interrupt is passed on: a part of the trials is no evidence.
    """
    rng, limits = np.random.default_rng(seed), estimator.limits
    n_rows, order = task.sample.n_rows, task.sample.order
    if n_rows > limits.choice_rows:
        drawn = rng.choice(n_rows, limits.choice_sample, replace=False)
        task = task.part(np.sort(order[drawn]))
    rows, n_rows = task.sample.rows, task.sample.n_rows
    most = max(2, min(n_rows // 2, len(rows.distinct()[0])))
    numbers, tried = [n for n in CLUSTER_NUMBERS if n <= most], []
    clusterers = [clone(estimator).set_params(n_clusters=n) for n in numbers]
    progress = Progress.of(estimator)
    with suited_threads(n_rows):
        for own in track(_NUMBERS, clusterers):
            search, graph = _read_search(own), _read_graph(own)
            rng = np.random.default_rng(seed)  # the same for all numbers
            _, _, found = _choose(own, task, search, graph, rng)
            if own.choice_ is None:
                raise ValueError(
                    f"n_clusters='auto' of {type(estimator).__name__} compares the "
                    "clusters of several parameters; leave kernel, ambient_reg or the "
                    "power of the graph at 'auto', or set the number."
                )
            if found.status is Status.INTERRUPTED:
                raise KeyboardInterrupt
            tried.append(own.choice_)
            progress.say(f"compared numbers of clusters up to {own.n_clusters}")
        gaussians, last = None, clusterers[-1]
        if _is_open(last, task, _read_search(last)):
            labelings = {
                number: choice.labelings[choice.best]
                for number, choice in zip(numbers, tried, strict=True)
            }
            X, rng = rows.take(np.arange(n_rows)).X, np.random.default_rng(seed)
            gaussians = count_gaussians(X, labelings, task.sample.order, rng)
    choice = NumberChoice.of(numbers, tried, gaussians)
    progress.say(f"chose {choice.chosen} clusters")
    return choice


def _read_graph(estimator):
    """The graph that the functions follow."""
    return ClusterGraph(read_parameter(estimator, "graph"), estimator.intrinsic_reg)


def _read_search(estimator):
    """How clusters are searched, and their sizes."""
    search, n_restarts = read_parameter(estimator, "search"), estimator.n_restarts
    refines = isinstance(search, Automatic)
    if refines:
        search = Shaking(n_reshakes=CLUSTER_RESHAKES * estimator.n_clusters)
    improver, has_floor = search, True
    if isinstance(search, Shaking):
        # Shaking would destroy the user's clusters; shaking some of them may help.
        once, has_floor = replace(search, n_reshakes=0), search.size_floor > 0
        improver = Reshaking(once, max(1, search.n_reshakes), shakes_first=False)
        if estimator.n_clusters == 2:  # where it ends the same from every start
            n_restarts = 1
    return ClusterSearch(
        _read_sizes(estimator, has_floor),
        search,
        improver,
        n_restarts,
        refines,
        read_jobs(estimator),
        Progress.of(estimator).searches(),
        estimator.limits,
    )


def _read_sizes(estimator, has_floor):
    """The sizes that the user wants."""
    balance = read_parameter(estimator, "balance")
    who, names = type(estimator).__name__, list(range(estimator.n_clusters))
    if balance.shares == "labeled":
        raise ValueError(
            f"balance of {who} must be None, 'equal' or a dict of fractions, got "
            f"{estimator.balance!r}: clusters have no labels."
        )
    shares = balance.class_shares(names, None, who)
    tolerance = balance.tolerance
    tolerance = CLUSTER_TOLERANCE if tolerance == "auto" else tolerance
    return ClusterSizes(len(names), shares, tolerance, has_floor)


def _read_task(estimator, X, init, fixed):
    """The rows, and what the user says about their clusters."""
    rows = read_rows(estimator, X)
    n_rows, who = len(rows), type(estimator).__name__
    n_clusters = _least_clusters(estimator, n_rows)
    constraints = read_constraints(init, fixed, n_rows, n_clusters, f"{who}.fit")
    task = ClusterTask(collect_sample(rows, merge="none"), constraints)
    is_plain = not (rows.is_sparse or rows.pairwise or rows.in_blocks)
    if is_plain and _is_width_open(read_parameter(estimator, "kernel")):
        weights = weigh_gaps(rows.X, task.sample.order)
        task = task if weights is None else task.weighted(weights)
    return task


def _least_clusters(estimator, n_rows):
    """Smallest number of clusters; raise ValueError if there are fewer rows."""
    n_clusters = 2 if estimator.n_clusters == "auto" else estimator.n_clusters
    if n_rows < n_clusters:
        raise ValueError(f"n_samples={n_rows} should be >= n_clusters={n_clusters}.")
    return n_clusters


def _choose(estimator, task, search, graph, rng):
    """The graph, parameters that are left open, and clusters if all rows were tried."""
    kernel, progress = read_parameter(estimator, "kernel"), Progress.of(estimator)
    listed = list_parameters(kernel, estimator.ambient_reg, graph, task, rng)
    is_open = len(listed) > 1 and estimator.n_clusters > 1
    if is_open and estimator.graph == "knn" and graph.intrinsic_reg != 0:
        graph = graph.suited(task.sample, listed[0].kernel, search)
    estimator.graph_ = graph.graph
    chosen, found, estimator.choice_ = choose(
        listed,
        task,
        search,
        graph,
        rng,
        who=type(estimator).__name__,
        report=progress.say if progress.verbose else None,
    )
    return graph, chosen, found


def _is_open(estimator, task, search):
    """Whether sizes, kernel and weights are left open, of dense rows."""
    rows, kernel = task.sample.rows, read_parameter(estimator, "kernel")
    is_plain = not (rows.is_sparse or rows.pairwise)
    is_open = estimator.n_clusters > 1 and estimator.ambient_reg == "auto"
    return (
        _is_width_open(kernel)
        and is_plain
        and is_open
        and search.tries_spectrum(task.constraints)
    )


def _is_width_open(kernel):
    """Whether the width of the kernel is chosen, and with it the scale of the rows."""
    return isinstance(kernel, Rbf) and kernel.gamma == "auto"


def _is_left_to_graph(estimator, task, search):
    """Whether a search among so many rows takes long, and nothing is prescribed."""
    is_many = task.sample.n_rows > estimator.limits.graph_rows
    is_many = is_many and not task.sample.rows.in_blocks
    is_default = estimator.landmarks == "auto" and estimator.intrinsic_reg == "auto"
    return is_many and is_default and _is_open(estimator, task, search)


def _find_along_graph(estimator, task, graph, rng):
    """Find clusters along the graph of all rows; False if they are not sound."""
    rows, n_clusters = task.sample.rows, estimator.n_clusters
    kernel = rows.fit_width(read_parameter(estimator, "kernel"), rng, auto="scale")
    adjacency, knn = graph.adjacency(kernel, rows), graph.graph
    laplacian = knn.laplacian_of(adjacency, auto_power=1, normalized=True).matrix
    degrees = np.asarray(adjacency.sum(axis=0)).ravel()
    found = cluster_graph(laplacian, degrees, n_clusters, task.sample.order, rng)
    if found is None:
        return False
    codes, inertia = found
    signs, n_neighbors = sign_coding(codes, n_clusters), knn.n_neighbors
    index = rows.index(kernel, n_neighbors)
    function = NeighborFunction(kernel, rows.X, signs, n_neighbors, index)
    estimator.function_ = task.of_given(function)
    estimator.parameters_ = Parameters(1, kernel, 0.0, "graph")
    estimator.labels_, estimator.objective_ = codes.astype(np.int64), inertia
    estimator.choice_, estimator.graph_ = None, knn
    store_result(estimator, SolveResult(codes, inertia, Status.CONVERGED, 1))
    return True


def _make_model(estimator, task, graph, parameters, rng):
    """The functions on all rows."""
    landmarks = read_parameter(estimator, "landmarks")
    who = type(estimator).__name__
    kernel, rows, ladder = parameters.kernel, task.sample.rows, estimator.ladder
    space = choose_space(kernel, rows, landmarks, rng, ladder=ladder, who=who)
    scale = check_scale(space, kernel, who)
    return ClusterModel(space, graph, parameters, scale)


def _find(estimator, task, search, model, smoother, rng, found=None):
    """Find the clusters of all rows, and the functions that tell them apart."""
    problem = search.make_problem(smoother, task)
    if found is None:
        result = search.find_all(problem, model, task, rng)
    else:  # while parameters were chosen
        result = replace(found, objective=problem.value(found.solution))
    signs = sign_coding(result.solution, estimator.n_clusters)
    function = model.space.to_function(smoother.coordinates(signs))
    estimator.function_ = task.of_given(function)
    estimator.parameters_ = model.parameters
    estimator.labels_ = result.solution.astype(np.int64)
    estimator.objective_ = result.objective
    store_result(estimator, result)
    return result


def _tries_mixtures(estimator, task, search, result):
    """Whether parameters were chosen, with nothing prescribed, and to the end."""
    is_done = estimator.choice_ is not None and result.status.is_success
    return is_done and _is_open(estimator, task, search)


def _try_mixtures(estimator, task, smoother, search, result, rng):
    """Replace the clusters by those of a mixture of Gaussians if these fit better."""
    sample, codes = task.sample, result.solution
    order, most_rows = sample.order, MIXTURE.most_rows
    if len(order) > most_rows:
        order = order[np.sort(rng.choice(len(order), most_rows, replace=False))]
    idx = np.sort(order)
    X, places = sample.rows.take(idx).X, np.searchsorted(idx, order)
    n_clusters = estimator.n_clusters
    mixture, trials = fit_better_mixture(X, codes[idx], n_clusters, places)
    estimator.choice_ = replace(estimator.choice_, mixtures=trials)
    if mixture is None:
        return
    own = decide(values_at(mixture, sample.rows))
    problem = search.make_problem(smoother, task)
    if np.array_equal(own, codes) or not problem.is_feasible(own):
        return
    estimator.function_, estimator.labels_ = task.of_given(mixture), own
    estimator.parameters_ = replace(estimator.parameters_, source="mixture")
    estimator.objective_ = problem.value(own)
