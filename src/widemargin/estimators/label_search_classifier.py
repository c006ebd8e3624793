"""Regularized least squares with a search for the missing labels."""

import numpy as np
from sklearn.base import clone

from widemargin.estimators._checks import check_choice, check_number
from widemargin.estimators._kernel_machine import KernelClassifier
from widemargin.estimators._label_path import AUTO_WEIGHTS, PathMixin
from widemargin.estimators._label_searcher import LabelSearcher
from widemargin.estimators._reading import read_sample
from widemargin.labels import decide
from widemargin.linalg.random import as_generator
from widemargin.smoothers import SharedPaths
from widemargin.solvers.result import SolveResult, Status
from widemargin.solvers.temperature import DEFAULT_SLOPE


class LabelSearchClassifier(PathMixin, LabelSearcher, KernelClassifier):
    r"""Regularized least squares with a search for the missing labels.

    Gives the unlabeled samples the labels under which a kernel machine with the squared
    loss fits all samples best: a boundary through the gaps between the samples. By
    default machines with ever more weight on the unlabeled samples are averaged, as far
    as held-out labels speak for each of them.

    Parameters
    ----------
    kernel : str or callable, default="rbf"
        "rbf", "linear", "poly", "laplacian", "cosine", "precomputed", or a function
        ``kernel(X, Z)`` that returns the kernel matrix. With "precomputed", X is the
        Gram matrix of all samples in `fit`, and the kernel values of new samples
        against them in `predict`.
    gamma : float, "scale" or "median", default="scale"
        Width of "rbf", "poly" and "laplacian": a number, one over the number of
        features times the variance of X, or one over the median squared distance.
    degree : int, default=3
        Degree of "poly".
    coef0 : float, default=1.0
        Constant of "poly".
    ambient_reg : float, default=1e-3
        Weight of the kernel norm, :math:`\lambda` in [1]_.
    unlabeled_weight : float or "auto", default="auto"
        Weight of the loss on the unlabeled samples relative to that on the labeled
        ones, :math:`\lambda'` in [1]_. "auto" averages over 0, 0.1, 0.3, 1 and 3, see
        Notes.
    intrinsic_reg : float, default=0
        Weight of the smoothness along the nearest-neighbor graph of all samples.
    n_neighbors : int, default=8
        Neighbors of each sample in that graph.
    graph_weights : {"self-tuned", "heat", "binary"} or float, default="self-tuned"
        Weights of its edges, see :func:`widemargin.graphs.knn_adjacency`.
    laplacian_power : int or "auto", default="auto"
        How often its Laplacian is applied; "auto" is 3, and 1 with landmarks or with
        a linear kernel of few features.
    fit_intercept : bool, default=True
        Whether to add a (penalized) constant to the functions; [1]_ has none.
    balance : "labeled", dict or None, default="labeled"
        Share of each class among the unlabeled samples: estimated from the labels, your
        own as ``{class: fraction}``, or None if a class may have any size. What is
        predicted for other samples is not bound by it.
    balance_tolerance : float or "auto", default="auto"
        How far shares may be off: less than so much, :math:`\varepsilon` in [1]_, or
        ("auto") by a factor of 1.5.
    search : str, default="auto"
        How labels are searched: "tabu", "evolution", "shaking", "steepest" or
        "stochastic", see Notes. "auto" is "stochastic" for weights of the unlabeled
        samples below 1 and "tabu" from there on; with more than 8,192 samples always
        "stochastic".
    start : {"supervised", "smoothed", "random", "both"}, default="supervised"
        Labels to start from: those of the machine of the labels alone; those of the
        smoother of all samples, applied to the labels (with a linear kernel, the
        discriminant with the covariance of all samples); random ones; or the first and
        random ones. Of several searches the one of lowest objective counts.
    n_restarts : int, default=10
        Number of starts if they are random; "both" has the supervised one among them.
    population, offspring : int, default=5 and 25
        Parents and children of "evolution"; one of each is the (1+1) round robin of
        [1]_.
    n_reshakes : int, default=0
        Trials of local re-shaking after "shaking" (three classes or more).
    n_landmarks : int, "auto" or None, default="auto"
        Number of landmarks of a Nystrom approximation of the kernel: memory
        O(n_samples * n_landmarks) instead of O(n_samples^2). None is exact. "auto" is
        None up to 3,000 samples and 1,000 for more. Up to 8,192 samples searches that
        read rows of the smoother hold them all, O(n_samples^2), for speed.
    landmarks : {"kmeans++", "uniform", "pivoted"}, default="kmeans++"
        How landmarks are chosen, see :func:`widemargin.kernels.choose_landmarks`.
    n_jobs : int or None, default=None
        Searches that run side by side, in threads; the result does not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        For starts, searches, folds and landmarks. Pass a number for results that can be
        repeated.
    verbose : bool, default=False
        Whether to print progress.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class names.
    transduction_ : ndarray of shape (n_samples,)
        Labels of all training samples: the given ones, and those found for the others
        (with ``unlabeled_weight="auto"`` those that the average decides for, within
        your bounds if you gave any).
    average_ : PathAverage or None
        With ``unlabeled_weight="auto"``: the `unlabeled_weights` of the machines, how
        many held-out labels each gets wrong (`errors`) and how far each counts
        (`weights`).
    held_out_proba_ : ndarray of shape (n_labeled, n_classes)
        Class probabilities of each labeled sample of positive weight, by machines that
        did not see its label; NaN where none could be asked, as for the only label of
        a class. None with a fixed `unlabeled_weight`.
    objective_ : float or None
        Lowest objective found, in the last search; None if nothing is unlabeled.
    result_ : SolveResult
        How the last search ended; ``result_.history`` holds the objective that each
        start has led to, moves and seconds.
    slope_ : float
        Slope of the probabilities.
    kernel_, points_, dual_coef_, intercept_
        The fitted function, ``kernel_(X, points_) @ dual_coef_ + intercept_``.
    n_iter_ : int
        Moves of all searches of the last machine.

    Notes
    -----
    For two classes, over functions f and labels y of the unlabeled samples, Eq. (8) of
    [1]_,

    .. math:: \frac1l \sum_{i \in L} (y_i - f_i)^2
              + \frac{\lambda'}{u} \sum_{i \in U} (y_i - f_i)^2
              + \lambda \|f\|^2 ,

    with the norm of the kernel divided by its mean diagonal (the :math:`\lambda` of
    [1]_ is `ambient_reg` times that mean), plus
    :math:`\text{intrinsic\_reg}\, f^\top L^p f`. For more classes it is the sum over
    the one-vs-rest problems, as in [2]_. With the best f for given labels this is a
    function of the labels alone, in which the gain of a relabeling takes constant time:
    see :mod:`widemargin.objectives.label_rls`.

    The searches: "stochastic", each sample in turn takes its best label, until none
    changes; "steepest", always the best of all changes; "tabu", the same, even if it
    costs, but not of samples that changed lately; "shaking", classes in turn claim
    samples, ever fewer; "evolution", a population of labelings.

    With ``unlabeled_weight="auto"`` there are five machines: that of the labels alone,
    and four for the weights 0.1, 0.3, 1 and 3, each search starting from the labels of
    the one before. They are compared on held-out labels (five folds, on 1,000 samples
    if there are more) and averaged with weights proportional to
    :math:`0.7^i \exp(-\text{errors}_i)`.

    With ``balance="labeled"`` shares are those of the labels, each class having one
    label more, drawn towards equal ones as far as chance explains their differences.

    Copies of a labeled row with the same label are one row with their summed weight.
    Shuffled rows and renamed classes give the same answer (shuffled rows not with
    landmarks, which are drawn).

    Time O(n^3) for the smoother of each weight, O(n r^2) with r landmarks; a step of
    "tabu" or "steepest" is O(n k), a test of "stochastic" O(k), or O(r k) with
    landmarks. Deviations from [1]_: more than two classes, the constant, the start, the
    average, tabu search; given labels never move (the footnote of [1]_ draws all of
    them).

    References
    ----------
    .. [1] F. Gieseke, O. Kramer, A. Airola, T. Pahikkala. Efficient recurrent local
       search strategies for semi- and unsupervised regularized least-squares
       classification. Evolutionary Intelligence 5, 2012.
    .. [2] T. Pahikkala, A. Airola, F. Gieseke, O. Kramer. On unsupervised training of
       multi-class regularized least-squares classifiers. Journal of Computer Science
       and Technology, 2014.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from widemargin import LabelSearchClassifier
    >>> from widemargin.datasets import hide_labels
    >>> X, y = load_digits(return_X_y=True)
    >>> y_partial = hide_labels(y, 50, rng=0)  # -1 for all but 50 rows
    >>> model = LabelSearchClassifier(random_state=0).fit(X, y_partial)
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    def __init__(
        self,
        *,
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=1.0,
        ambient_reg=1e-3,
        unlabeled_weight="auto",
        intrinsic_reg=0.0,
        n_neighbors=8,
        graph_weights="self-tuned",
        laplacian_power="auto",
        fit_intercept=True,
        balance="labeled",
        balance_tolerance="auto",
        search="auto",
        start="supervised",
        n_restarts=10,
        population=5,
        offspring=25,
        n_reshakes=0,
        n_landmarks="auto",
        landmarks="kmeans++",
        n_jobs=None,
        random_state=None,
        verbose=False,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.ambient_reg = ambient_reg
        self.unlabeled_weight = unlabeled_weight
        self.intrinsic_reg = intrinsic_reg
        self.n_neighbors = n_neighbors
        self.graph_weights = graph_weights
        self.laplacian_power = laplacian_power
        self.fit_intercept = fit_intercept
        self.balance = balance
        self.balance_tolerance = balance_tolerance
        self.search = search
        self.start = start
        self.n_restarts = n_restarts
        self.population = population
        self.offspring = offspring
        self.n_reshakes = n_reshakes
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    size_floor = 0.5  # of shaking
    _auto_landmarks = 3000, 1000  # with more rows than that, so many landmarks

    def fit(self, X, y, sample_weight=None):
        """Fit on labeled and unlabeled samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            All samples; their Gram matrix if ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Labels of any type. Integer -1, NaN or None marks an unlabeled sample.
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each sample in its part of the loss, labeled or unlabeled; labels
            that are held out count in proportion to theirs. Samples of weight zero are
            left out altogether.

        Returns
        -------
        self

        Notes
        -----
        An interrupt (Ctrl-C) during the search leaves a model with the best labels so
        far, and is then passed on.
        """
        return self._fit_all(X, y, sample_weight, [self])[0]

    def fit_path(self, X, y, *, ambient_reg, unlabeled_weight=None, sample_weight=None):
        """Fit a machine for each pair of weights, sharing what is expensive.

        All of them share the kernel matrix; those with the same `unlabeled_weight`
        share its eigendecomposition, too.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        ambient_reg : sequence of float
            Weights of the kernel norm.
        unlabeled_weight : sequence of float, optional
            Weights of the unlabeled samples; by default the one of the estimator.

        Returns
        -------
        list of fitted estimators
            For each weight of the unlabeled samples, all of the kernel norm.
        """
        if unlabeled_weight is None:
            unlabeled_weight = [self.unlabeled_weight]
        ambient_reg, unlabeled_weight = (
            [weights] if np.isscalar(weights) else list(weights)
            for weights in (ambient_reg, unlabeled_weight)
        )
        if not len(ambient_reg) or not len(unlabeled_weight):
            raise ValueError(
                f"{type(self).__name__}.fit_path needs at least one ambient_reg and "
                f"one unlabeled_weight, got {ambient_reg!r} and {unlabeled_weight!r}."
            )
        machines = [
            clone(self).set_params(ambient_reg=ambient, unlabeled_weight=weight)
            for weight in unlabeled_weight
            for ambient in ambient_reg
        ]
        return self._fit_all(X, y, sample_weight, machines)

    def _fit_all(self, X, y, sample_weight, machines):
        """Fit machines that differ in their weights only."""
        for machine in machines:
            machine._check_parameters()
        rng = as_generator(self.random_state)
        reader = machines[0]
        given, used, labels, sample = read_sample(
            reader, X, y, sample_weight
        )  # what is known
        self._shares(sample)  # refuses a wrong balance even if nothing is searched
        kernel = self._make_kernel(sample.X, rng)
        space, basis = self._make_space(kernel, sample.X, rng)
        scale = space.mean_diagonal()
        self._check_scale(scale)
        if self.fit_intercept:
            space = space.with_constant(scale)
        space = self._with_graph(space, kernel, sample.X)
        shared = space if len(machines) == 1 else SharedPaths(space)
        seed = int(rng.integers(2**31))  # the same starts for all
        for machine in machines:
            for name in ("n_features_in_", "feature_names_in_"):
                if hasattr(reader, name):
                    setattr(machine, name, getattr(reader, name))
            machine.classes_ = sample.labels.classes
            ambient, rng = machine.ambient_reg * scale, np.random.default_rng(seed)
            coordinates, codes, result = machine._learn(
                shared, kernel, sample, ambient, rng
            )
            machine._store_function(
                kernel, basis, space, given, sample.origin, coordinates
            )
            inferred = machine.classes_[decide(machine._evaluate(given))]
            inferred[sample.origin] = machine.classes_[codes]
            inferred[used[labels.labeled]] = labels.classes[labels.codes]
            machine.transduction_ = inferred
            machine._store(result)
        return machines

    def _learn(self, space, kernel, sample, ambient, rng):
        """Coordinates of the function, labels of the rows, and the search's result."""
        self.average_, self.objective_, self.slope_ = None, None, DEFAULT_SLOPE
        self.held_out_proba_ = None
        is_auto, weights = self.unlabeled_weight == "auto", (self.unlabeled_weight,)
        if is_auto and sample.n_unlabeled:
            self.average_ = self._average(space, kernel, sample, ambient, rng)
            weights = AUTO_WEIGHTS if self.average_ else ()
        path, searches = self._follow(space, sample, ambient, weights, rng)
        if not searches:  # nothing to search, or interrupted before it began
            status, codes = Status.INTERRUPTED, decide(space.scores(path[0]))
            if not sample.n_unlabeled:
                status = Status.CONVERGED
                smoother = space.smoother(sample.loss_weights(1.0), ambient)
                left_out = smoother.leave_one_out(sample.labels.signs)
                self.slope_ = sample.fit_slope(left_out)
                counts = np.bincount(sample.labels.codes)[sample.labels.codes]
                self._keep_held_out(left_out, counts > 1, sample.label_of)
            return path[0], codes, SolveResult(codes, np.nan, status, 0)
        result, smoother, signs = searches[-1]
        self.objective_ = result.objective
        if not is_auto:
            self.slope_ = sample.fit_slope(smoother.leave_one_out(signs))
            return path[1], sample.class_order[result.solution], result
        own = sample.row_weights[sample.labels.labeled]
        self.slope_ = self.average_.fit_slope(sample.labels, own)
        self._keep_held_out(
            self.average_.held_out, self.average_.is_tested, sample.label_of
        )
        coordinates = self.average_.combine(path)  # of fewer machines if interrupted
        scores = space.scores(coordinates)
        codes = decide(scores)
        if isinstance(self.balance, dict) or self.balance_tolerance != "auto":
            problem = sample.pose(smoother, *self._sizes(sample))
            codes = sample.class_order[self._informed(problem, sample, scores)]
        return coordinates, codes, result

    def _check_parameters(self):
        self._check_search()
        check_number(self, "ambient_reg", low=0, strict=True)
        check_number(self, "intrinsic_reg", low=0)
        if isinstance(self.unlabeled_weight, str):
            check_choice(self, "unlabeled_weight", ("auto",), "or a number > 0")
        else:
            check_number(self, "unlabeled_weight", low=0, strict=True)
        check_choice(self, "start", ("supervised", "smoothed", "random", "both"))
        check_choice(self, "fit_intercept", (True, False))
        if not isinstance(self.balance, dict):
            check_choice(self, "balance", ("labeled", None), "or a dict of fractions")

    def _sizes(self, sample):
        """Shares of the classes and how far they may be off, for the search."""
        tolerance = None if self.balance is None else self.balance_tolerance
        return self._shares(sample), tolerance

    def _shares(self, sample):
        """Share of each class that the search aims at, in the order of the names."""
        if not isinstance(self.balance, dict):
            return sample.label_shares()
        classes = sample.labels.classes.tolist()
        return self._read_shares(classes, f"classes {classes}")
