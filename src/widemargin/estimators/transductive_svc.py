"""Transductive support vector classifier."""

import numpy as np

from widemargin.estimators._checks import check_choice
from widemargin.estimators._hinge_classifier import HingeClassifier
from widemargin.labels import sign_coding
from widemargin.objectives.class_sizes import factor_bounds
from widemargin.objectives.tri_class import SymmetricHinge
from widemargin.solvers.class_offsets import assign_classes


class TransductiveSVC(HingeClassifier):
    r"""Transductive support vector classifier (S3VM).

    Learns from labeled and unlabeled samples: a support vector machine that keeps
    unlabeled samples, too, away from its decision boundary, on whichever side, and
    their mean score at what the shares of the classes ask for. For clean unlabeled
    data, above all text and other data of many features, in which classes are clusters;
    see `TriClassSVC` if the unlabeled samples may belong to no class.

    Parameters
    ----------
    C : float, default=10.0
        Cost of a labeled sample, as in scikit-learn's SVC.
    unlabeled_weight : float or "auto", default="auto"
        Summed cost of the unlabeled samples, over that of the labeled ones; 0 leaves
        them out. "auto" averages several, see Notes.
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
    balance : "labeled", dict or None, default="labeled"
        Share of each class among the unlabeled samples: estimated from the labels, or
        your own as ``{class: fraction}``. None leaves it open, and then all unlabeled
        samples may end up in one class. See Notes.
    multi_class : {"ovr", "joint"}, default="ovr"
        With more than two classes, whether each class against the rest chooses for
        itself, or all together, so that each unlabeled sample is in one of them.
    n_annealing : int, default=3
        In how many steps a given `unlabeled_weight` is reached, each about three times
        the one before, each machine starting from the last. One step ends in the local
        minimum that is nearest to the machine of the labels alone.
    solver : {"auto", "smo", "newton"}, default="auto"
        "smo" works on the Gram matrix; "newton" on the weights of a linear kernel,
        whose rows may be sparse, or of landmarks. "auto" is "newton" for these (for a
        linear kernel if there are fewer features than samples, or sparse ones).
    n_landmarks : int, "auto" or None, default="auto"
        Number of landmarks of a Nystrom approximation of the kernel: memory
        O(n_samples * n_landmarks) instead of O(n_samples^2). None is exact; a Gram
        matrix of more than 2 GiB is not kept, its rows are made when they are needed.
        "auto" is None up to 10,000 samples and 1,000 for more, and always None for
        "smo" and for a linear kernel of few or sparse features.
    landmarks : {"kmeans++", "kmeans", "uniform", "pivoted"}, default="kmeans++"
        How landmarks are chosen, see :func:`widemargin.kernels.choose_landmarks`.
    tol : float, default=1e-3
        Accuracy of the convex problems: largest violation of the optimality conditions
        ("smo"), or ten times the duality gap relative to the objective ("newton").
    max_iter : int, default=50
        Convex problems at the most, for each weight of the unlabeled samples.
    random_state : int, RandomState, Generator or None, default=None
        For folds and landmarks. Pass a number for results that can be repeated.
    verbose : bool, default=False
        Whether to print progress.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class names.
    transduction_ : ndarray of shape (n_samples,)
        Labels of all training samples: the given ones, and those predicted for the
        others, also for samples that are marked as irrelevant.
    average_ : PathAverage or None
        With ``unlabeled_weight="auto"``: the `unlabeled_weights` of the machines, how
        many held-out labels each gets wrong (`errors`) and how far each counts
        (`weights`).
    held_out_proba_ : ndarray of shape (n_labeled, n_classes)
        Class probabilities of each labeled sample of positive weight, by machines that
        did not see its label; NaN where none could be asked, as for the only label of
        a class.
    result_ : SolveResult
        How the last machine was solved; ``result_.history`` holds its objective.
    slope_ : float
        Slope of the probabilities.
    kernel_, points_, dual_coef_, intercept_
        The fitted function, ``kernel_(X, points_) @ dual_coef_ + intercept_``.
    n_iter_ : int
        Convex problems of the last machine.

    Notes
    -----
    For two classes, over functions :math:`f = h + b`, Eq. (4) of [1]_ with the
    symmetric hinge on unlabeled samples,

    .. math:: \tfrac12 \|h\|^2 + C \sum_{i \in L} \max(0, 1 - y_i f_i)
              + C_u \sum_{i \in U} \max(0, 1 - |f_i|) ,

    where :math:`C_u = C\, l / u` times `unlabeled_weight`. The last loss is the smaller
    of two hinges. Each step fixes the smaller one for each sample and solves the convex
    problem that is left, which never raises the objective.

    *Balance*: the mean score of the unlabeled samples is :math:`2 p - 1` for a class of
    share p, Eq. (25), exactly, by centring the kernel on their mean. That holds for
    each machine with an unlabeled weight. An average over several has the machine of
    the labels alone in it, which is free unless `balance` is your own, so that its mean
    is only near it. Shares from the labels count one label more for each class and are
    drawn towards equal ones as far as chance explains their differences. With
    ``multi_class="joint"`` there are bounds instead: a step, and ``transduction_`` in
    the end, puts each unlabeled sample into the class of the largest score plus an
    offset of the class, which keeps all sizes within a factor of 1.5 of their shares.

    With ``unlabeled_weight="auto"`` there are several machines: that of the labels
    alone, and one for each of the weights 0.1, 0.3 and 1, each starting from the one
    before. They are compared on held-out labels (five folds, on at least 1,000
    samples if there are more) and averaged with weights proportional to
    :math:`0.7^i \exp(-\text{errors}_i)`. In any case the slope of the probabilities
    is fitted to the scores of held-out labels.

    Deviations from [1]_: balance; more than two classes; annealing by the path of
    weights. Copies of a labeled row with the same label are one row with their summed
    weight.

    References
    ----------
    .. [1] H. Yang, K. Huang, I. King, M. R. Lyu. Maximum margin semi-supervised
       learning with irrelevant data. Neural Networks 70, 2015.
    .. [2] R. Collobert, F. Sinz, J. Weston, L. Bottou. Large scale transductive SVMs.
       Journal of Machine Learning Research 7, 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from widemargin import TransductiveSVC
    >>> from widemargin.datasets import hide_labels
    >>> X, y = load_digits(return_X_y=True)
    >>> y_partial = hide_labels(y, 50, rng=0)  # -1 for all but 50 rows
    >>> model = TransductiveSVC(random_state=0).fit(X, y_partial)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    def __init__(
        self,
        *,
        C=10.0,
        unlabeled_weight="auto",
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=1.0,
        balance="labeled",
        multi_class="ovr",
        n_annealing=3,
        solver="auto",
        n_landmarks="auto",
        landmarks="kmeans++",
        tol=1e-3,
        max_iter=50,
        random_state=None,
        verbose=False,
    ):
        self.C = C
        self.unlabeled_weight = unlabeled_weight
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.balance = balance
        self.multi_class = multi_class
        self.n_annealing = n_annealing
        self.solver = solver
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def _check_parameters(self):
        super()._check_parameters()
        check_choice(self, "multi_class", ("ovr", "joint"))

    def _loss(self):
        return SymmetricHinge()

    def _is_joint(self, sample):
        """Whether all classes choose together, so that every row has one of them."""
        return self.multi_class == "joint" and sample.labels.n_classes > 2

    def _is_balanced(self, sample):
        return super()._is_balanced(sample) and not self._is_joint(sample)

    def _chooser(self, sample):
        if not self._is_joint(sample):
            return None
        n_classes, bounds = sample.labels.n_classes, self._bounds(sample)

        def choose(scores):
            codes, _ = assign_classes(scores, *bounds)
            return sign_coding(codes, n_classes).astype(int)

        return choose

    def _bounds(self, sample):
        """Smallest and largest number of unlabeled rows in each class."""
        n_classes, n_rows = sample.labels.n_classes, len(sample.unlabeled_idx)
        if self.balance is None:
            return np.zeros(n_classes, dtype=int), np.full(n_classes, n_rows)
        return factor_bounds(self._shares(sample), n_rows)

    def _decide(self, scores, sample):
        if not self._is_joint(sample):
            return super()._decide(scores, sample)
        return assign_classes(scores, *self._bounds(sample))[0]
