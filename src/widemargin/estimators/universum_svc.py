"""Support vector classifier with universum samples."""

from widemargin.checks import check_number
from widemargin.estimators._estimator import RELABELING, Classifier, store_result
from widemargin.estimators._hinge import find_irrelevant, fit_hinge, make_task
from widemargin.labels import labeled_mask
from widemargin.objectives.pieces import EpsilonInsensitive
from widemargin.solvers.hinge import HingeSolver


class UniversumSVC(Classifier):
    r"""Support vector classifier with universum samples (U-SVM).

    A support vector machine that stays close to zero on samples that are known to
    belong to no class. These are the samples with `irrelevant_label`; without one, all
    unlabeled samples.

    Parameters
    ----------
    C : float, default=10.0
        Cost of a labeled sample, as in scikit-learn's SVC.
    unlabeled_weight : float or "auto", default="auto"
        Summed cost of the universum samples, over that of the labeled ones; 0 leaves
        them out. "auto" averages several, see Notes.
    epsilon : float, default=0.1
        How far from zero their scores cost nothing.
    kernel : Kernel, str or callable, default="rbf"
        A value such as ``Rbf(gamma=0.5)`` or its shorthand: "rbf", "linear", "poly",
        "laplacian", "cosine", "precomputed"; or a function ``kernel(X, Z)`` that
        returns the kernel matrix. A width ``gamma="auto"`` is one over the number of
        features times the variance of X. With "precomputed", X is the Gram matrix of
        all rows in `fit`, and the kernel values of new rows against them in `predict`.
    irrelevant_label : label or None, default=None
        The value in y that marks the universum samples. Unlabeled rows then have no
        influence except on the width of the kernel.
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
    Minimizes, for two classes, over functions :math:`f = h + b`, Eq. (4) of [1]_
    without its last term,

    .. math:: \tfrac12 \|h\|^2 + C \sum_{i \in L} \max(0, 1 - y_i f_i)
              + C_u \sum_{i \in U} \max(0, |f_i| - \varepsilon) ,

    where :math:`C_u = C\, l / u` times `unlabeled_weight`: one convex problem. More
    classes are each against the rest.

    With ``unlabeled_weight="auto"`` there are several models: that of the labels
    alone, and one for each of the weights 0.1, 0.3 and 1, each starting from the one
    before. They are scored on held-out labels (five folds, on at least 1,000 rows if
    there are more), calibrated, and averaged by :mod:`widemargin.averaging`; before
    that, each has 0.85 times the prior weight of the one before it. In any case
    held-out labels fit the slope of the probabilities.

    References
    ----------
    .. [1] H. Yang, K. Huang, I. King, M. R. Lyu. Maximum margin semi-supervised
       learning with irrelevant data. Neural Networks 70, 2015.
    .. [2] J. Weston, R. Collobert, F. Sinz, L. Bottou, V. Vapnik. Inference with the
       universum. ICML, 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_digits
    >>> from widemargin import UniversumSVC
    >>> X, y = load_digits(return_X_y=True)
    >>> names = np.array(["five", "eight", "other"])[
    ...     np.where(y == 5, 0, np.where(y == 8, 1, 2))
    ... ]
    >>> model = UniversumSVC(irrelevant_label="other").fit(X[:500], names[:500])
    >>> model.classes_.tolist()
    ['eight', 'five']
    """

    value_families = Classifier.value_families | {"solver": HingeSolver}
    saved_state = (*Classifier.saved_state, "unlabeled_weights_")
    history_names = {"objective": "objective", **RELABELING}
    averaged = "unlabeled_weights_"

    def __init__(
        self,
        *,
        C=10.0,
        unlabeled_weight="auto",
        epsilon=0.1,
        kernel="rbf",
        irrelevant_label=None,
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
        self.irrelevant_label = irrelevant_label
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
        check_number(self, "epsilon", low=0)
        task = make_task(self, EpsilonInsensitive(self.epsilon), is_universum=True)
        irrelevant = find_irrelevant(self, y)
        if irrelevant is None and y is not None:
            irrelevant = ~labeled_mask(y)
        _, _, result = fit_hinge(self, task, X, y, sample_weight, irrelevant)
        store_result(self, result)
        return self
