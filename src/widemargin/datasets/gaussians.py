"""Classes made of spherical Gaussian clusters with unit variance."""

from numbers import Integral

import numpy as np
from scipy.special import ndtri
from sklearn.utils import check_scalar

from widemargin.datasets._balance import balanced_labels
from widemargin.linalg.random import as_generator


def make_gaussian2c(n_samples=500, *, n_features=500, random_state=None):
    r"""Draw two Gaussian clusters, one per class, in a space of many noise features.

    Parameters
    ----------
    n_samples : int, default=500
        Number of rows, half of them in each class.
    n_features : int, default=500
        Number of columns. Only the first one tells the classes apart.
    random_state : None, int, Generator or RandomState, default=None
        Source of randomness; pass an int for the same data at every call.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Class 0 or 1, in random order.

    Notes
    -----
    The covariance is the identity and the means are
    :math:`(\mp 2.5, 0, \dots, 0)`, Sec. 4.1.1 of [1]_, so that the Bayes error is
    :math:`\Phi(-2.5) = 0.62\,\%` whatever the number of features.

    References
    ----------
    .. [1] F. Gieseke, O. Kramer, A. Airola, T. Pahikkala, "Efficient recurrent local
       search strategies for semi- and unsupervised regularized least-squares
       classification", Evolutionary Intelligence 5, 2012.

    Examples
    --------
    >>> X, y = make_gaussian2c(random_state=0)
    >>> X.shape, (y == 0).sum().item()
    ((500, 500), 250)
    """
    check_scalar(n_samples, "n_samples", Integral, min_val=2)
    rng = as_generator(random_state)
    y = balanced_labels(n_samples, 2, rng)
    return _unit_clusters([[-2.5], [2.5]], y, n_features, rng), y


def make_gaussian4c(n_samples=500, *, n_features=500, random_state=None):
    r"""Draw four Gaussian clusters whose widest gap does not separate the two classes.

    Parameters
    ----------
    n_samples : int, default=500
        Number of rows, a quarter of them in each cluster.
    n_features : int, default=500
        Number of columns, at least 2. The first one tells the classes apart, the
        second one misleads.
    random_state : None, int, Generator or RandomState, default=None
        Source of randomness; pass an int for the same data at every call.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Class 0 or 1, in random order.

    Notes
    -----
    The covariance is the identity and the means are
    :math:`(\pm 2.5, \pm 5, 0, \dots, 0)`, Sec. 4.1.1 of [1]_; the sign of the first
    entry is the class. The clusters are 10 apart along the second feature and only 5
    along the first, which is why clustering finds the wrong pairs.

    References
    ----------
    .. [1] F. Gieseke, O. Kramer, A. Airola, T. Pahikkala, "Efficient recurrent local
       search strategies for semi- and unsupervised regularized least-squares
       classification", Evolutionary Intelligence 5, 2012.

    Examples
    --------
    >>> X, y = make_gaussian4c(random_state=0)
    >>> X.shape, (y == 0).sum().item()
    ((500, 500), 250)
    """
    check_scalar(n_samples, "n_samples", Integral, min_val=4)
    rng = as_generator(random_state)
    means = [[-2.5, -5.0], [2.5, -5.0], [-2.5, 5.0], [2.5, 5.0]]
    cluster = balanced_labels(n_samples, 4, rng)
    return _unit_clusters(means, cluster, n_features, rng), cluster % 2


def make_g50c(n_samples=550, *, random_state=None):
    r"""Draw two Gaussians in 50 dimensions with a Bayes error of exactly 5 %.

    Parameters
    ----------
    n_samples : int, default=550
        Number of rows, half of them in each class.
    random_state : None, int, Generator or RandomState, default=None
        Source of randomness; pass an int for the same data at every call.

    Returns
    -------
    X : ndarray of shape (n_samples, 50)
    y : ndarray of shape (n_samples,)
        Class 0 or 1, in random order.

    Notes
    -----
    With unit covariance and equal priors, the Bayes error of two Gaussians whose
    means are :math:`2m` apart is :math:`\Phi(-m)`; 5 % asks for
    :math:`m = -\Phi^{-1}(0.05) = 1.645`. Sec. 6.1 of [1]_ gives no direction: it is
    the diagonal here, :math:`\pm m / \sqrt{50}` in every feature, because the
    difference of the class means of the file of [2]_ deviates from that by no more
    than its sampling error.

    References
    ----------
    .. [1] S. Melacci, M. Belkin, "Laplacian support vector machines trained in the
       primal", Journal of Machine Learning Research 12, 2011.
    .. [2] O. Chapelle, A. Zien, "Semi-supervised classification by low density
       separation", AISTATS 2005.

    Examples
    --------
    >>> X, y = make_g50c(random_state=0)
    >>> X.shape, (y == 0).sum().item()
    ((550, 50), 275)
    """
    check_scalar(n_samples, "n_samples", Integral, min_val=2)
    rng = as_generator(random_state)
    y = balanced_labels(n_samples, 2, rng)
    mean = np.full(50, -ndtri(0.05) / np.sqrt(50))
    return _unit_clusters([-mean, mean], y, 50, rng), y


def _unit_clusters(means, cluster, n_features, rng):
    """One row of N(means[k], I) for each k in `cluster`; the means end in zeros."""
    means = np.asarray(means)
    check_scalar(n_features, "n_features", Integral, min_val=means.shape[1])
    X = rng.standard_normal((len(cluster), n_features))
    X[:, : means.shape[1]] += means[cluster]
    return X
