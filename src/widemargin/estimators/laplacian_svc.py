"""Laplacian support vector classifier."""

from widemargin.estimators._estimator import Method
from widemargin.estimators._laplacian import LaplacianClassifier
from widemargin.objectives.losses import SquaredHinge


class LaplacianSVC(LaplacianClassifier):
    r"""Laplacian support vector classifier.

    A kernel model whose scores change little along the nearest-neighbor graph of all
    rows, labeled and unlabeled. By default held-out labels set the influence of the
    graph.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        A value such as ``Rbf(gamma=0.5)`` or ``Polynomial(degree=2)``, one of the names
        "rbf", "linear", "poly", "laplacian", "cosine" and "precomputed", or a function
        ``kernel(X, Z)`` that returns the kernel matrix. The width of "rbf" is one over
        the number of features times the variance of X. With "precomputed", X is the
        Gram matrix of all rows in `fit`, and the kernel values of new rows against them
        in `predict`.
    graph : "knn" or Graph, default="knn"
        A value such as ``KnnGraph(n_neighbors=5)``. Its ``power="auto"`` is
        ``(1, 2, 3)``, of which one or two suit the dimension of the graph, and 1 with
        landmarks that you set.
    ambient_reg : float, default=1e-3
        Weight of the kernel norm.
    intrinsic_reg : float or "auto", default="auto"
        Weight of the smoothness along the graph; 0 gives a supervised model. "auto"
        averages models with different shares and powers of the graph, see Notes.
    landmarks : int, Nystrom, "auto" or None, default="auto"
        Landmarks of a Nystrom approximation of the kernel, for many rows: memory
        O(n_samples * n_landmarks) instead of O(n_samples^2). "auto" takes 500 of them,
        beside the 200 smoothest functions along the graph, for more than 10,000 rows
        (fewer of both for more than 200,000); None is exact.
    solver : {"auto", "newton", "pcg", "dual"}, Newton, Pcg or Dual, default="auto"
        "newton" is exact, with one factorization for all classes; "pcg" is
        preconditioned conjugate gradient, for many rows, with the parameters of
        :class:`~widemargin.solvers.laplacian.Pcg`; "dual" is exact for the hinge loss
        instead of its square. "auto" takes "newton" up to 5,500 rows with two classes
        (10,000 with ten or more) and with landmarks, and "pcg" for more rows or more
        than 2,000 labels.
    fit_intercept : "penalized", True or False, default="penalized"
        "penalized" adds a constant that the ambient norm penalizes and the graph does
        not; True one that the graph penalizes and the ambient norm does not; False
        none, as in the experiments of [1]_.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes; "balanced" is as in scikit-learn. Labeled rows of a
        class of weight zero are left out, and the class is not in ``classes_``.
    random_state : int, RandomState, Generator or None, default=None
        Seed of all random choices. Pass a number for reproducible results.
    verbose : bool, default=False
        Whether to print progress.

    Attributes
    ----------
    classes_, function_, calibration_, transduction_, held_out_proba_, average_
    result_, n_iter_, has_own_graph_
        See :class:`~widemargin.estimators.Classifier`.
    shares_ : tuple of float
        Share of the graph in each of the models of ``average_``.
    powers_ : tuple of int
        Power of the graph Laplacian in each of them; 0 without the graph.
    ambient_reg_, intrinsic_reg_ : float
        The weights in the model with the largest share of the graph and, of several
        powers, the one that suits it best.
    solver_ : LaplacianSolver
        The solver that was used.
    start_ : ndarray or None
        Where ``Pcg(warm_start=True)`` starts the next fit; None with other solvers.

    Notes
    -----
    Each of the one-vs-rest problems (two classes: one problem) minimizes Eq. (7) of
    [1]_,

    .. math:: \frac{1}{\sum_i w_i} \sum_{i \in L} w_i \max(0, 1 - y_i f_i)^2
              + \text{ambient\_reg}\, \|f\|^2
              + \text{intrinsic\_reg}\, f^\top L^p f ,

    with the norm of the kernel divided by its mean diagonal. The weights of [1]_ are
    ``ambient_reg * n_labeled`` and ``intrinsic_reg * n_labeled`` for a kernel with unit
    diagonal. "auto" averages models with shares 0, 3/4 ("newton" and "dual" only) and 1
    of the graph and, of the powers p of `graph`, with the two next to the one for its
    dimension, see :doc:`/guide/laplacian`. "pcg" and your own weights take the most
    probable power alone.

    Time O(n^3) for "newton" and "dual", about O(n^2.5) for "pcg", O(n r^2) with r
    landmarks. Deviations from [1]_: the default intercept; one exact factorization
    instead of one for each step and class; decisions of all classes together in the
    stability check, and at least ten iterations between checks. Where "pcg" is used
    on more than 2,000 rows, labels are held out on 2,000 of them.

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

    loss = SquaredHinge()
    methods = (
        Method("laplacian", "decisions that are smooth along the neighbor graph"),
    )
