"""Laplacian regularized least-squares classifier."""

from widemargin.estimators._estimator import Method
from widemargin.estimators._laplacian import LaplacianClassifier
from widemargin.objectives.losses import Squared


class LaplacianRLSC(LaplacianClassifier):
    r"""Laplacian regularized least-squares classifier.

    `LaplacianSVC` with the squared loss :math:`(y_i - f_i)^2`, Eq. (14) of [1]_.
    Newton's method then takes one step and the leave-one-out scores are exact.

    Parameters
    ----------
    kernel, graph, ambient_reg, intrinsic_reg, landmarks, solver, fit_intercept
    class_weight, random_state, verbose
        As in `LaplacianSVC`, except that `solver` cannot be "dual".

    Attributes
    ----------
    classes_, function_, calibration_, average_, shares_, powers_, transduction_
    result_, held_out_proba_, ambient_reg_, intrinsic_reg_, solver_, start_, n_iter_
        As in `LaplacianSVC`.

    References
    ----------
    .. [1] S. Melacci, M. Belkin. Laplacian support vector machines trained in the
       primal. Journal of Machine Learning Research 12, 2011 (arXiv:0909.5422v1).

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from widemargin import LaplacianRLSC
    >>> from widemargin.datasets import hide_labels
    >>> from widemargin.kernels import Rbf
    >>> X, y = make_moons(200, noise=0.05, random_state=0)
    >>> model = LaplacianRLSC(kernel=Rbf(2.0)).fit(X, hide_labels(y, 8, rng=0))
    >>> bool(model.score(X, y) > 0.95)
    True
    """

    loss = Squared()
    methods = (Method("laplacian-rls", "the same with the squared loss"),)
