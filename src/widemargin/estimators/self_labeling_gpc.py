"""Self-labeling Gaussian-process classifier."""

from dataclasses import replace

import numpy as np
from scipy import sparse
from scipy.special import log_ndtr, logsumexp
from sklearn.utils.validation import check_is_fitted, validate_data

from widemargin.estimators._checks import check_choice, check_number, plain
from widemargin.estimators._gaussian_process import Process, evidence_rows, posterior
from widemargin.estimators._kernel_machine import FLOATS
from widemargin.estimators._memory import check_gram_memory
from widemargin.estimators._self_labeler import SelfLabeler
from widemargin.kernels.blocks import row_blocks
from widemargin.kernels.nystrom import CHOICES
from widemargin.labels import sign_coding
from widemargin.solvers.result import Status, worst
from widemargin.solvers.temperature import log_probabilities

_ROUNDS = 5  # of learning hyperparameters and labels in turns, at the most


class SelfLabelingGPC(SelfLabeler):
    r"""Self-labeling Gaussian-process classifier (SSuGPR, SSuGPS).

    Learns from labeled and unlabeled samples: Gaussian-process regression to the labels
    and relabeling of the unlabeled samples by what it says, in turns. Gives
    probabilities that know how sure the process is.

    Parameters
    ----------
    kernel : str or callable, default="rbf"
        "rbf", "linear", "poly", "laplacian", "cosine", "precomputed", or a function
        ``kernel(X, Z)`` that returns the kernel matrix. With "precomputed", X is the
        Gram matrix of all samples in `fit`, and the kernel values of new samples
        against them in `predict`.
    gamma : float, "mean", "scale" or "median", default="mean"
        Width of "rbf", "poly" and "laplacian": a number, one over the mean squared
        distance of two samples, one over the number of features times the variance of
        X, or one over the median squared distance.
    degree : int, default=3
        Degree of "poly".
    coef0 : float, default=1.0
        Constant of "poly".
    scale : float, default=1.0
        Variance of the process: what the kernel is multiplied by.
    noise : float, default=0.5
        Variance of the noise of a sample of weight one.
    labeled_weight : float, default=10.0
        Weight of a labeled sample in the regression; 1 in [1]_.
    annealing : sequence of float, default=(0.01, 0.1, 0.3, 1.0)
        Weights of an unlabeled sample, one after the other: each loop starts from the
        labels of the one before. ``(1.0,)`` in [1]_.
    max_unlabeled_ratio : float or None, default=4.0
        Limit of the weight of all unlabeled samples together over that of all labeled
        ones, which ends the annealing early: where clusters are not classes, many
        unlabeled samples would outvote the labels. None, as in [1]_, has no limit.
    n_components : int, default=2
        For two classes, number of principal components of the kernel whose two sides
        are further labels to start from. Where few labels leave open which clusters are
        the classes, the loop from what they say alone may end in a poor split; see
        Notes. 0, as in [1]_, has no other start, and "ivm" none either.
    balance : "labeled", "equal", dict or None, default="labeled"
        Share of each class among the unlabeled samples: estimated from the labels, all
        the same, your own as ``{class: fraction}``, or None if a class may have any
        size. This matters: without it one class may swallow the others.
    balance_tolerance : float or "auto", default="auto"
        How far shares may be off: less than so much (the :math:`\kappa` of [1]_, whose
        shares are 1/2), or ("auto") by a factor of 1.5.
    threshold : {"absolute", "squared"} or None, default=None
        For two classes, the loss by which a constant that is added to the scores before
        relabeling is chosen within these bounds, Eqs. (9) and (8) of [1]_; None moves
        the threshold only as far as the bounds ask for.
    relabel : {"loo", "in-sample"}, default="loo"
        Whether a sample is relabeled by the value of the process that does not know its
        label (in closed form), or by the fitted value, as in [1]_.
    hyperparameters : {"heuristic", "marginal-likelihood", "loo"}, default="heuristic"
        Whether `gamma`, `scale` and `noise` are taken as they are, or where learning
        starts from: by the marginal likelihood, as in [1]_, or the leave-one-out
        predictive density, in at most five turns with the labels. Labels that the
        machine gave itself confirm their own mistakes; a log-normal prior around the
        start holds against that, but many unlabeled samples overrule it. Noise then
        ends up too low and "probit" far too sure: use "calibrated".
    per_feature : bool, default=False
        Whether each feature has a width of its own if they are learned.
    n_landmarks : int, "auto" or None, default="auto"
        Number of landmarks of a sparse process: memory O(n_samples * n_landmarks)
        instead of O(n_samples^2). None is exact. "auto" is None up to 2,000 samples and
        500 for more.
    landmarks : {"kmeans", "kmeans++", "uniform", "pivoted", "ivm"}, default="kmeans++"
        How landmarks are chosen, see :func:`widemargin.kernels.choose_landmarks`; the
        posterior knows all labels. "ivm" is the informative vector machine of [1]_,
        labeled samples first, whose posterior knows the labels of its landmarks only,
        and which is there to reproduce it: the others were more accurate. Landmarks
        matter only if `n_landmarks` asks for them.
    probabilities : {"probit", "calibrated"}, default="probit"
        From the posterior's spread, or by a slope fitted to the scores that labeled
        samples have if they are left out, which is sharper and less safe.
    label_tol : float, default=1e-3
        A loop ends when less than this share of the labels changes; with 0, as in
        [1]_, when none does.
    max_iter : int, default=50
        Rounds at the most, for each weight of the annealing.
    random_state : int, RandomState, Generator or None, default=None
        For landmarks and for the samples that hyperparameters are learned from. Pass a
        number for results that can be repeated.
    verbose : bool, default=False
        Whether to print progress.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class names.
    transduction_ : ndarray of shape (n_samples,)
        Labels of all training samples: the given ones, and those found for the others.
    result_ : SolveResult
        How the last loop ended; ``result_.history["criterion"]`` is the share of labels
        that changed in each round.
    kernel_, points_, dual_coef_, intercept_
        The fitted function, ``kernel_(X, points_) @ dual_coef_ + intercept_``.
    n_iter_ : int
        Rounds of the last loop.
    scale_, noise_ : float
        The hyperparameters that were used, with those of ``kernel_``.
    slope_ : float
        Slope of the calibrated probabilities.

    Notes
    -----
    For labels y in -1 and +1 (one against the rest for more classes, all with one
    factorization) the process is :math:`y_i = m + f(x_i) + \epsilon_i` with noise of
    variance `noise` over the weight of the sample, Eq. (7) of [1]_. The mean m is
    profiled out by generalized least squares, so that the fit is linear in y and
    relabeling costs one product. The loop ends when hardly a label changes or labels
    repeat.

    Starts compete at one weight of the annealing, the last at which unlabeled samples
    together do not outweigh the labels, but not the first: from each of them, and from
    the labels that the annealing has found so far, the loop is run to its end, and the
    labels of largest marginal likelihood go on. Prior log odds of 0.05 for each given
    label favor those of the annealing: many labels know better than a component. All
    labels have the same determinant, so that the quadratic form
    :math:`(y - m)^\top (K + \Sigma)^{-1} (y - m)` decides. With more weight on the
    unlabeled samples it would prefer clusters that are no classes to what labels say.

    Probabilities are :math:`p = \Phi(f / \sqrt{\text{noise} + v})` with v the variance
    of the score; for more than two classes :math:`p / (1 - p)`, divided by the sum over
    the classes, which is the probability that a class and no other one is meant.

    The machines of [1]_ have ``labeled_weight=1, annealing=(1.0,),
    max_unlabeled_ratio=None, n_components=0, label_tol=0, relabel="in-sample",
    threshold="absolute", hyperparameters="marginal-likelihood"``, ``balance`` 1/2 for
    each class within ``balance_tolerance=kappa``, and ``n_landmarks=None`` (SSuGPR) or
    a number with ``landmarks="ivm"`` (SSuGPS). What cannot be undone: the mean is
    profiled, where theirs is a constant that is fed back and drifts; a prior of the
    hyperparameters; the noise and not 1 in the probabilities; more than two classes are
    one problem, with offsets that keep their sizes.

    Widths are the same for all features: standardize a table whose columns have units.

    Copies of a labeled row with the same label are one row with their summed weight.
    Time O(n^3), with r landmarks O(n r^2), for each weight of the annealing.

    References
    ----------
    .. [1] A. Patel, S. Sundararajan, S. Shevade. Semi-supervised classification using
       sparse Gaussian process regression. IJCAI, 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from widemargin import SelfLabelingGPC
    >>> from widemargin.datasets import hide_labels
    >>> X, y = load_digits(return_X_y=True)
    >>> y_partial = hide_labels(y, 50, rng=0)  # -1 for all but 50 rows
    >>> model = SelfLabelingGPC().fit(X, y_partial)
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    def __init__(
        self,
        *,
        kernel="rbf",
        gamma="mean",
        degree=3,
        coef0=1.0,
        scale=1.0,
        noise=0.5,
        labeled_weight=10.0,
        annealing=(0.01, 0.1, 0.3, 1.0),
        max_unlabeled_ratio=4.0,
        n_components=2,
        balance="labeled",
        balance_tolerance="auto",
        threshold=None,
        relabel="loo",
        hyperparameters="heuristic",
        per_feature=False,
        n_landmarks="auto",
        landmarks="kmeans++",
        probabilities="probit",
        label_tol=1e-3,
        max_iter=50,
        random_state=None,
        verbose=False,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.scale = scale
        self.noise = noise
        self.labeled_weight = labeled_weight
        self.annealing = annealing
        self.max_unlabeled_ratio = max_unlabeled_ratio
        self.n_components = n_components
        self.balance = balance
        self.balance_tolerance = balance_tolerance
        self.threshold = threshold
        self.relabel = relabel
        self.hyperparameters = hyperparameters
        self.per_feature = per_feature
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.probabilities = probabilities
        self.label_tol = label_tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    _landmark_choices = (*CHOICES, "ivm")
    _auto_landmarks = 2000, 500  # with more rows than that, so many landmarks

    def _check_parameters(self):
        super()._check_parameters()
        check_number(self, "scale", low=0, strict=True)
        check_number(self, "noise", low=0, strict=True)
        check_number(self, "n_components", low=0, integer=True)
        check_choice(self, "relabel", ("loo", "in-sample"))
        check_choice(
            self, "hyperparameters", ("heuristic", "marginal-likelihood", "loo")
        )
        check_choice(self, "per_feature", (True, False))
        check_choice(self, "probabilities", ("probit", "calibrated"))
        if self.per_feature and self.hyperparameters == "heuristic":
            raise ValueError(
                f"per_feature=True of {type(self).__name__} needs hyperparameters to "
                "be learned; set hyperparameters='marginal-likelihood' or 'loo'."
            )
        if self.hyperparameters != "heuristic" and self.kernel != "rbf":
            raise ValueError(
                f"hyperparameters={self.hyperparameters!r} of {type(self).__name__} "
                f"needs kernel='rbf', got {self.kernel!r}; use 'heuristic'."
            )

    def _learn(self, given, sample, rng):
        """Fit the process and the labels in turns; labels, and how it ended."""
        kernel = self._make_kernel(sample.X, rng)
        self._check_prior(kernel.diagonal(sample.X))
        first = Process(kernel, float(self.scale), float(self.noise))
        prepared = self._prepare(first, sample, rng)
        codes, regressor, result = self._label_with(prepared, sample, None)
        for _ in range(_ROUNDS if self.hyperparameters != "heuristic" else 0):
            if result.status is Status.INTERRUPTED:
                break
            before = codes
            try:
                process, status = self._relearn(first, sample, codes, rng)
                if status is Status.INTERRUPTED:
                    raise KeyboardInterrupt
                found = self._prepare(process, sample, rng)
                codes, regressor, result = self._label_with(found, sample, codes)
            except KeyboardInterrupt:
                result = replace(result, status=Status.INTERRUPTED)
                break
            prepared = found
            result = replace(result, status=worst(result.status, status))
            if np.mean(before != codes) <= self.label_tol:
                break
        signs = sign_coding(codes, sample.labels.n_classes)
        self._keep(prepared, regressor, signs, given, sample)
        return codes, result

    def _check_prior(self, diagonal):
        """Of a Gram matrix, k(x, x) of new samples is known only if it is constant."""
        low, high = float(diagonal.min()), float(diagonal.max())
        if self.kernel != "precomputed" or high - low <= 1e-6 * abs(high):
            self._prior = high
            return
        self._prior = None
        if self.probabilities == "probit":
            raise ValueError(
                f"probabilities='probit' of {type(self).__name__} needs k(x, x) of new "
                f"samples, which a precomputed kernel whose diagonal is {low:g} to "
                f"{high:g} does not tell; use 'calibrated', or pass the kernel as a "
                "function."
            )

    def _prepare(self, process, sample, rng):
        """The process over the training sample, exact or sparse."""
        X, n_landmarks = sample.X, self.n_landmarks
        if n_landmarks == "auto":
            exact_rows, auto_landmarks = self._auto_landmarks
            n_landmarks = auto_landmarks if X.shape[0] > exact_rows else None
        if n_landmarks is None:
            check_gram_memory(X.shape[0], 8, type(self).__name__)
            return process.exact(X)
        if self.landmarks == "ivm":
            n_classes = sample.labels.n_classes
            if n_landmarks < n_classes:
                raise ValueError(
                    f"n_landmarks of {type(self).__name__} must be at least the number "
                    f"of classes, {n_classes}, with landmarks='ivm', whose landmarks "
                    f"are the only labels that count, got {plain(n_landmarks)!r}."
                )
            weights = self._weights(sample, self._path(sample)[-1])
            return process.informative(
                X, n_landmarks, sample.labels.labeled_idx, weights
            )
        return process.nystrom(X, n_landmarks, self.landmarks, rng)

    def _label_with(self, prepared, sample, codes):
        """Labels by a prepared process, its last regressor, and how it ended."""

        def make_regressor(weight):
            weights = self._weights(sample, weight)
            return prepared.regressor(weights, leaves_out=self.relabel == "loo")

        directions = self._directions(prepared, sample) if codes is None else ()
        return self._label(make_regressor, sample, codes, directions)

    def _directions(self, prepared, sample):
        """Scores that two classes may be told apart by, each and its opposite."""
        if not (self.n_components and sample.n_unlabeled):
            return ()
        if sample.labels.n_classes != 2:
            return ()
        columns = prepared.components(sample.row_weights, self.n_components).T
        return [sign * column[:, None] for column in columns for sign in (1.0, -1.0)]

    def _relearn(self, process, sample, codes, rng):
        """The process with hyperparameters learned from the labels so far."""
        rows = evidence_rows(sample, rng)
        X = sample.X[rows]
        X = X.toarray() if sparse.issparse(X) else X
        signs = sign_coding(codes[rows], sample.labels.n_classes)
        weights = self._weights(sample, self._path(sample)[-1])[rows]
        learned, status = process.learn(
            X.astype(np.float64, copy=False),
            signs,
            weights,
            self.hyperparameters,
            per_feature=self.per_feature,
        )
        self._say(
            f"learned {learned.kernel}, scale {learned.scale:.3g}, "
            f"noise {learned.noise:.3g}"
        )
        return learned, status

    def _keep(self, prepared, regressor, signs, given, sample):
        """What prediction needs."""
        process = prepared.process
        self._keep_function(
            process.kernel, prepared.basis, given, sample.origin, regressor.fit(signs)
        )
        self.scale_, self.noise_ = process.scale, process.noise
        self._whitening = prepared.whitening
        self._kept = process.kernel.points(given, sample.origin[prepared.rows])
        self._posterior = posterior(regressor, process)
        self.slope_ = sample.fit_slope(regressor.left_out(signs))

    def predict(self, X, return_std=False):
        """Class of each sample, and how sure the process is of its score.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            With ``kernel="precomputed"``, kernel values against all training samples.
        return_std : bool, default=False
            Whether to return the standard deviation of the score, too; it is the same
            for all classes.

        Returns
        -------
        ndarray of shape (n_samples,), or two of them
        """
        classes = super().predict(X)
        return (classes, np.sqrt(self._variance(X))) if return_std else classes

    def decision_function(self, X):
        """Scores of new samples, with ``probabilities="probit"`` over their spread.

        The spread is the root of the noise plus the variance of the score, so that a
        larger value means a larger probability.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            With ``kernel="precomputed"``, kernel values against all training samples.

        Returns
        -------
        ndarray of shape (n_samples,) for two classes, positive for ``classes_[1]``,
        else (n_samples, n_classes).
        """
        scores = self._sure_scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict_log_proba(self, X):
        """Logarithms of the class probabilities."""
        scores = self._sure_scores(X).astype(np.float64)
        if self.probabilities == "calibrated":
            return log_probabilities(scores, self.slope_)
        if scores.shape[1] == 1:
            return log_ndtr(np.hstack([-scores, scores]))
        logs = log_ndtr(scores) - log_ndtr(-scores)  # this class, and no other one
        return logs - logsumexp(logs, axis=1, keepdims=True)

    def _sure_scores(self, X):
        """Scores, over their spread unless probabilities are calibrated."""
        scores = self._scores(X)
        if self.probabilities == "calibrated":
            return scores
        return scores / np.sqrt(self.noise_ + self._variance(X))[:, None]

    def predict_proba(self, X):
        """Class probabilities, shape (n_samples, n_classes).

        With ``probabilities="probit"`` the probability that the score plus noise is
        positive, for more than two classes that of this class and of no other one;
        with "calibrated" a softmax of the scores times ``slope_``.
        """
        return np.exp(self.predict_log_proba(X))

    def _variance(self, X):
        """Variance of the score of each sample."""
        check_is_fitted(self, "dual_coef_")
        X = validate_data(self, X, accept_sparse="csr", dtype=FLOATS, reset=False)
        prior = self._priors(X)
        variances = []
        for block in row_blocks(X.shape[0], len(self._posterior.ones), 8):
            values = self.kernel_(X[block], self._kept)
            if self._whitening is not None:
                values = values @ self._whitening
            variances.append(self._posterior.variance(values, prior[block]))
        return np.concatenate(variances)

    def _priors(self, X):
        """k(x, x) of each sample."""
        if self.kernel != "precomputed":
            return self.kernel_.diagonal(X).astype(np.float64)
        if self._prior is None:
            raise ValueError(
                f"{type(self).__name__} cannot tell how sure it is: a precomputed "
                "kernel whose diagonal varies does not hold k(x, x) of new samples; "
                "pass the kernel as a function."
            )
        return np.full(X.shape[0], self._prior)
