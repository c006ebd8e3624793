"""Laplacian regularized least-squares classifier."""

from widemargin.estimators._laplacian_machine import LaplacianMachine
from widemargin.objectives.losses import Squared


class LaplacianRLSC(LaplacianMachine):
    r"""Laplacian regularized least-squares classifier.

    `LaplacianSVC` with the squared loss :math:`(y_i - f_i)^2`, Eq. (14) of [1]_.
    Newton's method then takes one step and the leave-one-out scores are exact.

    Parameters
    ----------
    kernel, gamma, degree, coef0
        The kernel, as in `LaplacianSVC`.
    ambient_reg, intrinsic_reg, fit_intercept, class_weight
        Weights of the objective, as there.
    n_neighbors, graph_weights, laplacian_power, normalized_laplacian
        The graph, as there.
    n_landmarks, landmarks
        For many samples, as there.
    solver : {"auto", "newton", "pcg"}, default="auto"
        As in `LaplacianSVC`; the squared loss has no "dual" of its own.
    early_stopping, validation_fraction, max_iter, tol, warm_start
        When "pcg" stops and where it starts, as there.
    random_state, verbose
        As there.

    Attributes
    ----------
    classes_, transduction_, result_, average_, shares_, ambient_reg_, intrinsic_reg_
        As in `LaplacianSVC`.
    slope_, solver_, kernel_, points_, dual_coef_, intercept_, n_iter_
        As there.

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
