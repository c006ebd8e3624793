"""Two classes mixed with rows that belong to neither."""

from numbers import Integral, Real

import numpy as np
from sklearn.utils import check_scalar

from widemargin.datasets._balance import balanced_labels
from widemargin.linalg.random import as_generator

_CLASS_MEAN = 0.3  # +0.3 in every feature of class 1, -0.3 of class 0
_CLASS_VARIANCES = (0.08, 10.0)  # of the first 2 features, of the other 48
_IRRELEVANT = {  # variant: mean of every feature, variances as above
    1: (0.0, (0.1, 10.0)),
    2: (0.5 / 2 * (_CLASS_MEAN + _CLASS_MEAN), _CLASS_VARIANCES),  # t/2 (c+ - c-)
}


def make_irrelevant_gaussians(
    n_samples=500, *, irrelevant_fraction=0.5, variant=1, random_state=None
):
    r"""Draw two Gaussian classes in 50 dimensions, and irrelevant rows between them.

    Parameters
    ----------
    n_samples : int, default=500
        Number of rows, irrelevant ones included.
    irrelevant_fraction : float, default=0.5
        Share of irrelevant rows, between 0 and 1. The paper's :math:`\tau` is one
        minus this number.
    variant : {1, 2}, default=1
        1 puts the irrelevant rows around the origin, through which the best
        separating hyperplane passes; 2 shifts them towards class 1.
    random_state : None, int, Generator or RandomState, default=None
        Source of randomness; pass an int for the same data at every call.

    Returns
    -------
    X : ndarray of shape (n_samples, 50)
    y : ndarray of shape (n_samples,)
        Class 0 or 1, equally often, and **2 for irrelevant rows**, in random order.
        The value 2 is for evaluation: a learner would see these rows unlabeled.

    Notes
    -----
    Sec. 5.1 of [1]_, after [2]_. Class means are :math:`\pm 0.3` in every feature;
    the first two features have variance 0.08, the others 10. These numbers are
    variances: the Bayes error is then

    .. math:: \Phi\Bigl(-\tfrac{1}{2} \sqrt{0.6^2 (2 / 0.08 + 48 / 10)}\Bigr)
              = 5.07\,\% ,

    the 5 % announced in [1]_, whereas it would be below :math:`10^{-7}` if they were
    standard deviations. Irrelevant rows of variant 1 have mean 0 and variance 0.1
    (first two features) and 10; those of variant 2 have the variances of the classes
    and the mean :math:`\frac{t}{2} (c^+ - c^-)` with :math:`t = 0.5`, which is 0.15 in
    every feature. The difference of the means is our reading: their sum is zero and
    would not shift anything.

    References
    ----------
    .. [1] H. Yang, K. Huang, I. King, M. R. Lyu, "Maximum margin semi-supervised
       learning with irrelevant data", Neural Networks 70, 2015.
    .. [2] F. Sinz, O. Chapelle, A. Agarwal, B. Schoelkopf, "An analysis of inference
       with the Universum", NIPS 20, 2008.

    Examples
    --------
    >>> X, y = make_irrelevant_gaussians(random_state=0)
    >>> X.shape, [(y == label).sum().item() for label in range(3)]
    ((500, 50), [125, 125, 250])
    """
    check_scalar(n_samples, "n_samples", Integral, min_val=1)
    check_scalar(irrelevant_fraction, "irrelevant_fraction", Real, min_val=0, max_val=1)
    if variant not in _IRRELEVANT:
        raise ValueError(
            f"variant of make_irrelevant_gaussians must be 1 or 2, got {variant!r}."
        )
    irrelevant_mean, irrelevant_variances = _IRRELEVANT[variant]
    rng = as_generator(random_state)
    y = _labels(n_samples, round(irrelevant_fraction * n_samples), rng)
    means = np.array([-_CLASS_MEAN, _CLASS_MEAN, irrelevant_mean])
    variances = [_CLASS_VARIANCES, _CLASS_VARIANCES, irrelevant_variances]
    scales = np.sqrt(np.repeat(variances, [2, 48], axis=1))  # (3, 50)
    return means[y, None] + scales[y] * rng.standard_normal((n_samples, 50)), y


def _labels(n_samples, n_irrelevant, rng):
    """Balanced classes 0 and 1 and `n_irrelevant` rows of class 2, shuffled."""
    classes = balanced_labels(n_samples - n_irrelevant, 2, rng)
    return rng.permutation(np.append(classes, np.full(n_irrelevant, 2)))
