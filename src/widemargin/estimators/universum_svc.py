"""Support vector classifier with universum samples."""

from widemargin.estimators._checks import check_number
from widemargin.estimators._hinge_classifier import HingeClassifier
from widemargin.labels import labeled_mask
from widemargin.objectives.tri_class import EpsilonInsensitive


class UniversumSVC(HingeClassifier):
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
    irrelevant_label : label or None, default=None
        The value in y that marks the universum samples. Unlabeled samples then have no
        influence (but for the width of the kernel).
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
    Minimizes, for two classes, over functions :math:`f = h + b`, Eq. (4) of [1]_
    without its last term,

    .. math:: \tfrac12 \|h\|^2 + C \sum_{i \in L} \max(0, 1 - y_i f_i)
              + C_u \sum_{i \in U} \max(0, |f_i| - \varepsilon) ,

    where :math:`C_u = C\, l / u` times `unlabeled_weight`: one convex problem. More
    classes are each against the rest.

    With ``unlabeled_weight="auto"`` there are several machines: that of the labels
    alone, and one for each of the weights 0.1, 0.3 and 1, each starting from the one
    before. They are compared on held-out labels (five folds, on at least 1,000
    samples if there are more) and averaged with weights proportional to
    :math:`0.7^i \exp(-\text{errors}_i)`. In any case the slope of the probabilities
    is fitted to the scores of held-out labels.

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

    balance, irrelevant_weight = None, 0.0  # the loss is on these rows instead

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
        irrelevant_label=None,
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
        self.irrelevant_label = irrelevant_label
        self.solver = solver
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def _check_parameters(self):
        super()._check_parameters()
        check_number(self, "epsilon", low=0)

    def _loss(self):
        return EpsilonInsensitive(self.epsilon)

    def _find_irrelevant(self, y):
        """The samples with the label for it, or else all unlabeled ones."""
        if self.irrelevant_label is None:
            return ~labeled_mask(y)
        return super()._find_irrelevant(y)

    def _loss_rows(self, sample):
        return sample.irrelevant_idx
