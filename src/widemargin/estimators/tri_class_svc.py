"""Tri-class support vector classifier."""

import numpy as np

from widemargin.estimators._checks import check_choice, check_number
from widemargin.estimators._hinge_classifier import HingeClassifier
from widemargin.objectives.tri_class import MinLoss, RelaxedMinLoss, is_relevant
from widemargin.solvers.cccp import tri_class_cccp
from widemargin.solvers.majorize import majorize_minimize


class TriClassSVC(HingeClassifier):
    r"""Tri-class support vector classifier (3C-SVM).

    Learns from labeled and unlabeled samples of which some may belong to no class: an
    unlabeled sample is either kept away from the decision boundary or drawn to it,
    whichever costs less.

    Parameters
    ----------
    C : float, default=10.0
        Cost of a labeled sample, as in scikit-learn's SVC.
    unlabeled_weight : float or "auto", default="auto"
        Summed cost of the unlabeled samples, over that of the labeled ones; 0 leaves
        them out. "auto" averages several, see Notes.
    epsilon : float, default=0.1
        How far from zero the scores of irrelevant samples cost nothing.
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
    method : {"min", "paper"}, default="min"
        "min" minimizes the min loss itself, "paper" is Algorithm 1 of [1]_, whose
        relaxation is another problem, see Notes.
    restore : bool, default=True
        Whether "paper" takes back steps that raise its objective. False measured better
        than the algorithm itself.
    kappa : float, default=0.01
        Of "paper": scores closer to zero are not pulled to either side.
    reach : float, default=2.0
        The D of "paper", which makes :math:`(D - 1 + \varepsilon) / 2` the margin of
        relevant unlabeled samples; at least 1.
    balance : "labeled", dict or None, default="labeled"
        Share of each class among the unlabeled samples, as in `TransductiveSVC`; None
        leaves it open, as in the experiments of [1]_. A fixed mean score keeps
        irrelevant samples from pulling all others to one side.
    irrelevant_label : label or None, default=None
        The value in y that marks samples known to be irrelevant.
    irrelevant_weight : float, default=1.0
        Their summed cost, over that of the labeled ones.
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
    relevance_ : ndarray of bool, shape (n_samples,)
        Whether each training sample counts as one of the classes; labeled samples
        always do, samples with `irrelevant_label` never.
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
    Minimizes, for two classes, over functions :math:`f = h + b`, Eq. (4) of [1]_,

    .. math:: \tfrac12 \|h\|^2 + C \sum_{i \in L} \max(0, 1 - y_i f_i)
              + C_0 \sum_{i \in L_0} I_\varepsilon(f_i)
              + C_u \sum_{i \in U} \min\{\max(0, 1 - |f_i|), I_\varepsilon(f_i)\}

    with :math:`I_\varepsilon(f) = \max(0, |f| - \varepsilon)`, where :math:`C_u = C\, l
    / u` times `unlabeled_weight`, and :math:`C_0` in the same way. The last loss is the
    smallest of three convex ones. Each step of "min" fixes the smallest for each sample
    and solves the convex problem that is left, which never raises the objective.

    *What "paper" really solves.* Its quadratic program (21) relaxes the decision
    whether a sample is relevant. Eliminating the relaxed variable shows that unlabeled
    samples closer to zero than :math:`(D - 1 + \varepsilon) / 2` then cost nothing,
    and others are pulled there: D is no large constant, but the margin. In synthetic
    data that the paper made for it this does better than the min loss itself, above all
    without the restoring step; the gain over a support vector machine is that of the
    universum. On digits neither is better than a support vector machine with well
    chosen parameters; `TransductiveSVC` with its balance is, if most unlabeled samples
    are relevant.

    *Advice.* Clean unlabeled data: `TransductiveSVC`. Rows known to be irrelevant:
    `UniversumSVC`, or this machine with `irrelevant_label`. An unknown mixture: this
    machine, which by its default average stays close to the labels alone where the
    unlabeled samples do not help.

    More classes are each against the rest; a sample is relevant if some class claims
    it, that is if a score exceeds :math:`(1 + \varepsilon) / 2`, Eq. (5).

    With ``unlabeled_weight="auto"`` there are several machines: that of the labels
    alone, and one for each of the weights 0.1, 0.3 and 1, each starting from the one
    before. They are compared on held-out labels (five folds, on at least 1,000
    samples if there are more) and averaged with weights proportional to
    :math:`0.7^i \exp(-\text{errors}_i)`. In any case the slope of the probabilities
    is fitted to the scores of held-out labels.

    Deviations from [1]_, misprints mended: labels in the quadratic and linear terms of
    (21); the concave part only where a sample is relevant, and its constant subtracted;
    the restoring step with the decisions held fixed, as Theorem 4 needs; ties of (19)
    are irrelevant (with D = 2 the program puts many scores exactly there).

    References
    ----------
    .. [1] H. Yang, K. Huang, I. King, M. R. Lyu. Maximum margin semi-supervised
       learning with irrelevant data. Neural Networks 70, 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_digits
    >>> from widemargin import TriClassSVC
    >>> X, y = load_digits(return_X_y=True)
    >>> is_target = (y == 5) | (y == 8)  # all others are irrelevant
    >>> y_partial = np.full(len(y), -1)
    >>> some = np.flatnonzero(is_target)[:20]
    >>> y_partial[some] = y[some]
    >>> model = TriClassSVC(random_state=0).fit(X, y_partial)
    >>> bool(model.score(X[is_target], y[is_target]) > 0.9)
    True
    """

    def __init__(
        self,
        *,
        C=10.0,
        unlabeled_weight="auto",
        epsilon=0.1,
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=1.0,
        method="min",
        restore=True,
        kappa=0.01,
        reach=2.0,
        balance="labeled",
        irrelevant_label=None,
        irrelevant_weight=1.0,
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
        self.epsilon = epsilon
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.method = method
        self.restore = restore
        self.kappa = kappa
        self.reach = reach
        self.balance = balance
        self.irrelevant_label = irrelevant_label
        self.irrelevant_weight = irrelevant_weight
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
        check_number(self, "epsilon", low=0, high=1)
        check_choice(self, "method", ("min", "paper"))
        check_choice(self, "restore", (True, False))
        check_number(self, "kappa", low=0, high=1)
        check_number(self, "reach", low=1)
        check_number(self, "irrelevant_weight", low=0)

    def _loss(self):
        if self.method == "min":
            return MinLoss(self.epsilon)
        return RelaxedMinLoss(self.epsilon, self.kappa, self.reach)

    def _minimize(self, problem, start, callback):
        options = {"max_iter": self.max_iter, "callback": callback}
        if self.method == "min":
            return majorize_minimize(problem, start, **options)
        return tri_class_cccp(problem, start, restore=self.restore, **options)

    def predict_relevance(self, X):
        """Whether each sample counts as one of the classes, Eq. (5) of the paper.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            With ``kernel="precomputed"``, kernel values against all training samples.

        Returns
        -------
        ndarray of bool, shape (n_samples,)
            False for samples that count as irrelevant. `predict` gives a class to all.
        """
        return self._relevance(self._scores(X))

    def _relevance(self, scores):
        if scores.shape[1] == 1:
            return is_relevant(scores[:, 0], self.epsilon)
        return is_relevant(np.maximum(scores.max(axis=1), 0.0), self.epsilon)

    def _store_relevance(self, scores, labeled, irrelevant):
        self.relevance_ = self._relevance(scores)
        self.relevance_[labeled] = True
        self.relevance_[irrelevant] = False
