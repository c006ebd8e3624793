"""Laplacian support vector classifier."""

from widemargin.estimators._laplacian_machine import LaplacianMachine
from widemargin.objectives.losses import SquaredHinge


class LaplacianSVC(LaplacianMachine):
    r"""Laplacian support vector classifier.

    Learns from labeled and unlabeled samples: a kernel machine whose scores change
    little along the nearest-neighbor graph of all samples. By default the labels
    themselves decide how far that graph is trusted.

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
        Weight of the kernel norm.
    intrinsic_reg : float or "auto", default="auto"
        Weight of the smoothness along the graph; 0 gives a supervised machine. "auto"
        averages machines that trust the graph to different degrees, see Notes.
    n_neighbors : int, default=8
        Neighbors of each sample in the graph.
    graph_weights : {"self-tuned", "heat", "binary"} or float, default="self-tuned"
        Weights of its edges, see :func:`widemargin.graphs.knn_adjacency`; a number is
        the width of "heat".
    laplacian_power : int or "auto", default="auto"
        How often the graph Laplacian is applied; "auto" is 3, and 1 with landmarks.
    normalized_laplacian : bool, default=True
        Whether the Laplacian is normalized by the degrees.
    n_landmarks : int or None, default=None
        Number of landmarks of a Nystrom approximation of the kernel, for many samples:
        memory O(n_samples * n_landmarks) instead of O(n_samples^2). None is exact.
    landmarks : {"kmeans++", "uniform", "pivoted"}, default="kmeans++"
        How landmarks are chosen, see :func:`widemargin.kernels.choose_landmarks`.
    solver : {"auto", "newton", "pcg", "dual"}, default="auto"
        "newton" is exact, with one factorization for all classes; "pcg" is
        preconditioned conjugate gradient, for many samples; "dual" is exact for the
        hinge loss instead of its square. "auto" takes "newton" up to 5,000 samples
        (10,000 with ten classes or more) and with landmarks, and "pcg" for more
        samples or more than 2,000 labels.
    early_stopping : {"stability", "validation", "mixed"} or None, default="stability"
        When "pcg" stops: when the decisions on the unlabeled samples do not change any
        more, when no more of the labels held out for it are right, when both say so,
        or when `tol` is reached.
    validation_fraction : float, default=0.2
        Share of the labels of each class that "validation" and "mixed" hold out.
    fit_intercept : "penalized", True or False, default="penalized"
        "penalized" adds a constant that the ambient norm sees and the graph does not;
        True one that the graph sees and the ambient norm does not; False none, as in
        the experiments of [1]_.
    max_iter : int, default=1000
        Iterations of "pcg" or "dual" at the most.
    tol : float, default=1e-6
        Accuracy of "pcg" (relative norm of the gradient) and "dual" (violation of
        the optimality conditions).
    warm_start : bool, default=False
        Whether "pcg" starts from the solution of the last `fit`.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn.
    random_state : int, RandomState, Generator or None, default=None
        For landmarks, held-out labels, the sample behind a "median" width and, where
        "pcg" is used on more than 2,000 samples, the ones on which labels are left
        out. Pass a number for results that can be repeated.
    verbose : bool, default=False
        Whether to print progress.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class names.
    transduction_ : ndarray of shape (n_samples,)
        Labels of all training samples: the given ones, the others inferred.
    result_ : SolveResult
        How the solver ended; ``result_.history`` holds objective, criterion and, for
        "pcg", gradient norms and decision changes.
    average_ : GraphAverage
        ``weights`` and leave-one-out ``losses`` of the machines that were averaged.
    held_out_proba_ : ndarray of shape (n_labeled, n_classes)
        Class probabilities of each labeled sample of positive weight, by machines that
        did not see its label; NaN where none could be asked, as for the only label of
        a class.
    shares_ : tuple of float
        Share of the graph in each of them.
    ambient_reg_, intrinsic_reg_ : float
        The weights that were used in the machine with the graph.
    slope_ : float
        Slope of the probabilities.
    solver_ : str
        The solver that was used.
    kernel_, points_, dual_coef_, intercept_
        The fitted function, ``kernel_(X, points_) @ dual_coef_ + intercept_``.
    n_iter_ : int
        Iterations of the solver.

    Notes
    -----
    Each of the one-vs-rest problems (two classes: one problem) minimizes Eq. (7) of
    [1]_,

    .. math:: \frac{1}{\sum_i w_i} \sum_{i \in L} w_i \max(0, 1 - y_i f_i)^2
              + \text{ambient\_reg}\, \|f\|^2
              + \text{intrinsic\_reg}\, f^\top L^p f ,

    with the norm of the kernel divided by its mean diagonal. On this scale good weights
    depend neither on the number of samples nor of labels nor on units. The weights of
    [1]_ are ``ambient_reg * n_labeled`` and ``intrinsic_reg * n_labeled`` for a kernel
    with unit diagonal.

    With ``intrinsic_reg="auto"`` the machine is fitted without the graph, with three
    quarters of its kernel from the graph ("newton" and "dual" only), and with the graph
    only. Each fit predicts every label from the others, in closed form. The functions
    are averaged with weights proportional to exp(-loss / 2), the loss being the sum of
    the squared hinges of these predictions, each at most 4.

    Copies of a row count once in the graph and by their number in the loss, so that
    repeating a row is the same as giving it a weight.

    Probabilities are a softmax of the scores times ``slope_``, fitted to the
    leave-one-out scores of the labels with a log-normal prior around 3.

    Time O(n^3) for "newton" and "dual", about O(n^2.5) for "pcg", O(n r^2) with r
    landmarks. Deviations from [1]_: the default intercept; one exact factorization
    instead of one for each step and class; decisions of all classes together in the
    stability check, and at least ten iterations between its looks. Where "pcg" is used
    on more than 2,000 samples, labels are left out on 2,000 of them.

    References
    ----------
    .. [1] S. Melacci, M. Belkin. Laplacian support vector machines trained in the
       primal. Journal of Machine Learning Research 12, 2011 (arXiv:0909.5422v1).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from widemargin import LaplacianSVC
    >>> from widemargin.datasets import hide_labels
    >>> X, y = load_digits(return_X_y=True)
    >>> y_partial = hide_labels(y, 20, rng=0)  # -1 for all but 20 rows
    >>> model = LaplacianSVC().fit(X, y_partial)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _loss = SquaredHinge()
    _solvers = ("newton", "pcg", "dual")
