"""Tri-class support vector classifier."""

import numpy as np

from widemargin.checks import check_number
from widemargin.estimators._estimator import (
    RELABELING,
    Classifier,
    Method,
    evaluate,
    read_parameter,
    store_result,
)
from widemargin.estimators._hinge import find_irrelevant, fit_hinge, make_task
from widemargin.objectives.class_sizes import Balance
from widemargin.objectives.pieces import is_relevant
from widemargin.solvers.cccp import TriClassMethod
from widemargin.solvers.hinge import HingeSolver


class TriClassSVC(Classifier):
    r"""Tri-class support vector classifier (3C-SVM).

    Learns from labeled and unlabeled rows of which some may belong to no class: an
    unlabeled row is either kept away from the decision boundary or drawn to it,
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
    kernel : Kernel, str or callable, default="rbf"
        A value such as ``Rbf(gamma=0.5)`` or its shorthand: "rbf", "linear", "poly",
        "laplacian", "cosine", "precomputed"; or a function ``kernel(X, Z)`` that
        returns the kernel matrix. A width ``gamma="auto"`` is one over the number of
        features times the variance of X. With "precomputed", X is the Gram matrix of
        all rows in `fit`, and the kernel values of new rows against them in `predict`.
    method : {"min", "paper"} or TriClassMethod, default="min"
        "min" minimizes the min loss itself. "paper" is Algorithm 1 of [1]_, whose
        relaxation is another problem, see Notes; its parameters are those of
        ``Relaxed(restore, kappa, reach)``.
    balance : "labeled", "equal", dict, Balance or None, default="labeled"
        Share of each class among the unlabeled rows, as in `TransductiveSVC`; None
        leaves it open, as in the experiments of [1]_. A fixed mean score keeps
        irrelevant rows from pulling all others to one side.
    irrelevant_label : label or None, default=None
        The value in y that marks samples known to be irrelevant.
    irrelevant_weight : float, default=1.0
        Their summed cost, over that of the labeled ones.
    n_annealing : int, default=3
        In how many steps a given `unlabeled_weight` is reached, each about three times
        the one before, each model starting from the last. One step ends in the local
        minimum that is nearest to the model of the labels alone.
    solver : HingeSolver or {"auto", "smo", "newton"}, default="auto"
        `Smo` works on the Gram matrix; `ProximalNewton` on the weights of a linear
        kernel, whose rows may be sparse, or of landmarks. Their tolerance is a
        parameter: ``Smo(tol=1e-4)``. "auto" is the latter for these (for a linear
        kernel if there are fewer features than rows, or sparse ones).
    landmarks : Nystrom, int, "auto" or None, default="auto"
        Landmarks of a Nystrom approximation of the kernel: memory
        O(n_samples * n_landmarks) instead of O(n_samples^2). None is exact; the rows of
        a Gram matrix of more than 2 GiB are computed when they are needed. "auto" is
        None up to 10,000 rows and 1,000 landmarks for more, and always None for `Smo`
        and for a linear kernel of few or sparse features.
    max_iter : int, default=50
        Convex problems for each weight of the unlabeled rows at the most.
    random_state : int, RandomState, Generator or None, default=None
        For folds and landmarks. Pass a number for results that can be repeated.
    verbose : bool, default=False
        Whether to print progress.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class names.
    transduction_ : ndarray of shape (n_samples,)
        Labels of all training rows: the given ones, and those predicted for the
        others, also for rows that are marked as irrelevant.
    relevance_ : ndarray of bool, shape (n_samples,)
        Whether each training row counts as one of the classes; labeled rows always do,
        rows with `irrelevant_label` never.
    average_ : Average or None
        With ``unlabeled_weight="auto"``: the weight of each model, its loss and share
        of mistakes on held-out labels, and more.
    unlabeled_weights_ : tuple of float or None
        Weight of the unlabeled rows in each model of ``average_``; the first is 0.
    held_out_proba_ : ndarray of shape (n_labeled, n_classes)
        Class probabilities of each labeled row of positive weight, by models that did
        not see its label; NaN where it was not held out, as the only label of a class.
    function_ : Function
        The fitted function: kernel, points, coefficients and intercepts.
    calibration_ : Calibration
        Turns its scores into probabilities.
    result_ : SolveResult
        How the last model was solved; ``result_.history`` holds its objective.
    n_iter_ : int
        Convex problems of the last model.

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
    `UniversumSVC`, or this model with `irrelevant_label`. An unknown mixture: this
    model, which by its default average stays close to the labels alone where the
    unlabeled samples do not help.

    More classes are each against the rest; a sample is relevant if some class claims
    it, that is if a score exceeds :math:`(1 + \varepsilon) / 2`, Eq. (5).

    With ``unlabeled_weight="auto"`` there are several models: that of the labels
    alone, and one for each of the weights 0.1, 0.3 and 1, each starting from the one
    before. They are scored on held-out labels (five folds, on at least 1,000 rows if
    there are more), calibrated, and averaged by :mod:`widemargin.averaging`; before
    that, each has 0.85 times the prior weight of the one before it. In any case
    held-out labels fit the slope of the probabilities.

    Deviations from [1]_, misprints corrected: labels in the quadratic and linear terms
    of (21); the concave part only where a sample is relevant, and its constant
    subtracted; the restoring step with the decisions held fixed, as Theorem 4 needs;
    ties of (19) are irrelevant (with D = 2 the program puts many scores exactly there).

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

    value_families = Classifier.value_families | {
        "balance": Balance,
        "method": TriClassMethod,
        "solver": HingeSolver,
    }
    saved_state = (*Classifier.saved_state, "unlabeled_weights_")
    history_names = {"objective": "objective", **RELABELING}
    averaged = "unlabeled_weights_"
    methods = (
        Method("tri-class", "for unlabeled rows of which some belong to no class"),
    )

    def __init__(
        self,
        *,
        C=10.0,
        unlabeled_weight="auto",
        epsilon=0.1,
        kernel="rbf",
        method="min",
        balance="labeled",
        irrelevant_label=None,
        irrelevant_weight=1.0,
        n_annealing=3,
        solver="auto",
        landmarks="auto",
        max_iter=50,
        random_state=None,
        verbose=False,
    ):
        self.C = C
        self.unlabeled_weight = unlabeled_weight
        self.epsilon = epsilon
        self.kernel = kernel
        self.method = method
        self.balance = balance
        self.irrelevant_label = irrelevant_label
        self.irrelevant_weight = irrelevant_weight
        self.n_annealing = n_annealing
        self.solver = solver
        self.landmarks = landmarks
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X, y, sample_weight=None):
        """Fit on labeled and unlabeled rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            All rows; their Gram matrix if ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Labels of any type. Integer -1, NaN or None marks an unlabeled row.
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each row in its part of the loss, labeled or unlabeled; labels
            that are held out count in proportion to theirs. Rows of weight zero are
            left out altogether.

        Returns
        -------
        self

        Notes
        -----
        An interrupt (Ctrl-C) leaves a model with the best function so far, and is then
        passed on.
        """
        check_number(self, "epsilon", low=0, high=1)
        check_number(self, "irrelevant_weight", low=0)
        method = read_parameter(self, "method")
        task = make_task(
            self,
            method.loss(self.epsilon),
            minimize=method.minimize,
            balance=Balance.read(self.balance, "balance of TriClassSVC"),
            epsilon=self.epsilon,
            irrelevant_weight=self.irrelevant_weight,
        )
        irrelevant = find_irrelevant(self, y)
        sample, scores, result = fit_hinge(self, task, X, y, sample_weight, irrelevant)
        relevant = _is_claimed(scores, self.epsilon)[sample.row_of_given]
        missing = sample.missing_idx
        if len(missing):
            missing_scores = self.function_(sample.given.X[missing])
            relevant[missing] = _is_claimed(missing_scores, self.epsilon)
        relevant[sample.given_codes >= 0] = True
        if irrelevant is not None:
            relevant[irrelevant] = False
        self.relevance_ = relevant
        store_result(self, result)
        return self

    def predict_relevance(self, X):
        """Whether each row counts as one of the classes, Eq. (5) of the paper.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            With ``kernel="precomputed"``, kernel values against all training rows.

        Returns
        -------
        ndarray of bool, shape (n_samples,)
            False for rows that count as irrelevant. `predict` gives a class to all.
        """
        return _is_claimed(evaluate(self, X), self.epsilon)


def _is_claimed(scores, epsilon):
    """Whether one of the classes claims each row."""
    if scores.shape[1] == 1:
        return is_relevant(scores[:, 0], epsilon)
    return is_relevant(np.maximum(scores.max(axis=1), 0.0), epsilon)
