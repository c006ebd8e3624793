"""Laplacian regularized least-squares classifier."""

from widemargin.estimators._laplacian_machine import LaplacianMachine
from widemargin.objectives.losses import Squared


class LaplacianRLSC(LaplacianMachine):
    r"""Laplacian regularized least-squares classifier.

    `LaplacianSVC` with the squared loss :math:`(y_i - f_i)^2`, Eq. (14) of [1]_.
    Newton's method then takes one step and the leave-one-out scores are exact.

    Parameters
    ----------
    kernel, gamma, degree, coef0, ambient_reg, intrinsic_reg, n_neighbors, \
    graph_weights, laplacian_power, normalized_laplacian, n_landmarks, landmarks, \
    early_stopping, validation_fraction, fit_intercept, max_iter, tol, warm_start, \
    class_weight, random_state, verbose
        As in `LaplacianSVC`.
    solver : {"auto", "newton", "pcg"}, default="auto"
        As in `LaplacianSVC`; the squared loss has no "dual" of its own.

    Attributes
    ----------
    classes_, transduction_, result_, average_, shares_, ambient_reg_, \
    intrinsic_reg_, slope_, solver_, kernel_, points_, dual_coef_, intercept_, n_iter_
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
    >>> X, y = make_moons(200, noise=0.05, random_state=0)
    >>> model = LaplacianRLSC(gamma=2.0).fit(X, hide_labels(y, 8, rng=0))
    >>> bool(model.score(X, y) > 0.95)
    True
    """

    _loss = Squared()
