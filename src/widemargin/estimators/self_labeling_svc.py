"""Self-labeling support vector machine."""

from dataclasses import replace

from widemargin.estimators._checks import check_number
from widemargin.estimators._hinge_machines import HingeMachineMixin
from widemargin.estimators._self_labeler import SelfLabeler
from widemargin.labels import sign_coding
from widemargin.solvers.regressors import AbsoluteRegressor
from widemargin.solvers.result import worst
from widemargin.solvers.temperature import DEFAULT_SLOPE


class SelfLabelingSVC(HingeMachineMixin, SelfLabeler):
    r"""Self-labeling support vector machine (SSuSVR).

    Learns from labeled and unlabeled samples: support vector regression with the
    absolute loss to the labels, and relabeling of the unlabeled samples by what it
    says, in turns. The absolute loss cares less for wrong labels than the squared one
    of `SelfLabelingGPC`, which is faster and mostly more accurate.

    Parameters
    ----------
    C : float, default=1.0
        Cost of a sample of weight one.
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
    labeled_weight : float, default=10.0
        Weight of a labeled sample in the regression; 1 in [1]_.
    annealing : sequence of float, default=(0.01, 0.1, 0.3, 1.0)
        Weights of an unlabeled sample, one after the other: each loop starts from the
        labels of the one before. ``(1.0,)`` in [1]_.
    max_unlabeled_ratio : float or None, default=4.0
        Limit of the weight of all unlabeled samples together over that of all labeled
        ones, which ends the annealing early: where clusters are not classes, many
        unlabeled samples would outvote the labels. None, as in [1]_, has no limit.
    balance : "labeled", "equal", dict or None, default="labeled"
        Share of each class among the unlabeled samples: estimated from the labels, all
        the same, your own as ``{class: fraction}``, or None if a class may have any
        size. This matters: without it one class may swallow the others.
    balance_tolerance : float or "auto", default="auto"
        How far shares may be off: less than so much (the :math:`\kappa` of [1]_, whose
        shares are 1/2), or ("auto") by a factor of 1.5.
    threshold : {"absolute", "squared"} or None, default="absolute"
        For two classes, the loss by which a constant that is added to the scores before
        relabeling is chosen within these bounds, Eqs. (9) and (8) of [1]_; None moves
        the threshold only as far as the bounds ask for.
    solver : {"auto", "smo", "newton"}, default="auto"
        "smo" works on the Gram matrix; "newton" on the weights of a linear kernel,
        whose rows may be sparse, or of landmarks.
    n_landmarks : int, "auto" or None, default="auto"
        Number of landmarks of a Nystrom approximation of the kernel. None is exact;
        "auto" is None up to 10,000 samples and 1,000 for more.
    landmarks : {"kmeans++", "kmeans", "uniform", "pivoted"}, default="kmeans++"
        How landmarks are chosen, see :func:`widemargin.kernels.choose_landmarks`.
    tol : float, default=1e-3
        Accuracy of the regressions: largest violation of the optimality conditions
        ("smo"), or ten times the duality gap relative to the objective ("newton").
    label_tol : float, default=1e-3
        A loop ends when less than this share of the labels changes; with 0, as in
        [1]_, when none does.
    max_iter : int, default=50
        Rounds at the most, for each weight of the annealing.
    random_state : int, RandomState, Generator or None, default=None
        For landmarks. Pass a number for results that can be repeated.
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
    slope_ : float
        Slope of the probabilities, a constant that is not fitted to anything.

    Notes
    -----
    Minimizes, in turns over functions :math:`f = h + b` and over labels of the
    unlabeled samples within the bounds of their sizes, Eq. (4) of [1]_,

    .. math:: \tfrac12 \|h\|^2 + C \sum_i w_i |y_i - f(x_i)| ,

    with weights of `labeled_weight` for labeled samples and, in the end, 1 or what
    `max_unlabeled_ratio` leaves for others.
    More classes are each against the rest, relabeled together. The loop ends when
    hardly a label changes or labels repeat. ``labeled_weight=1, annealing=(1.0,),
    max_unlabeled_ratio=None, label_tol=0`` is the machine of [1]_, but for its
    constant, which is fed back there.

    References
    ----------
    .. [1] A. Patel, S. Sundararajan, S. Shevade. Semi-supervised classification using
       sparse Gaussian process regression. IJCAI, 2009.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from widemargin import SelfLabelingSVC
    >>> from widemargin.datasets import hide_labels
    >>> X, y = make_moons(200, noise=0.1, random_state=0)
    >>> model = SelfLabelingSVC(gamma=2.0, C=10).fit(X, hide_labels(y, 10, rng=0))
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    def __init__(
        self,
        *,
        C=1.0,
        kernel="rbf",
        gamma="mean",
        degree=3,
        coef0=1.0,
        labeled_weight=10.0,
        annealing=(0.01, 0.1, 0.3, 1.0),
        max_unlabeled_ratio=4.0,
        balance="labeled",
        balance_tolerance="auto",
        threshold="absolute",
        solver="auto",
        n_landmarks="auto",
        landmarks="kmeans++",
        tol=1e-3,
        label_tol=1e-3,
        max_iter=50,
        random_state=None,
        verbose=False,
    ):
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.labeled_weight = labeled_weight
        self.annealing = annealing
        self.max_unlabeled_ratio = max_unlabeled_ratio
        self.balance = balance
        self.balance_tolerance = balance_tolerance
        self.threshold = threshold
        self.solver = solver
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.tol = tol
        self.label_tol = label_tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def _check_parameters(self):
        super()._check_parameters()
        self._check_machine()
        check_number(self, "C", low=0, strict=True)

    def _learn(self, given, sample, rng):
        """Fit the machine and the labels in turns; labels, and how it ended."""
        kernel = self._make_kernel(sample.X, rng)
        machine, basis = self._make_machine(kernel, sample.X, rng)

        def make_regressor(weight):
            return AbsoluteRegressor(machine, self.C * self._weights(sample, weight))

        codes, regressor, result = self._label(make_regressor, sample, None)
        signs = sign_coding(codes, sample.labels.n_classes)
        function = regressor.fit(signs)
        result = replace(result, status=worst(result.status, regressor.status))
        self._keep_function(kernel, basis, given, sample.origin, function)
        self.slope_ = DEFAULT_SLOPE
        return codes, result
