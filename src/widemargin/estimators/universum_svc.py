"""Support vector classifier with universum samples."""

from dataclasses import dataclass

from widemargin.checks import check_number
from widemargin.estimators._hinge import (
    HingeClassifier,
    WeightPath,
    find_irrelevant,
    make_task,
)
from widemargin.labels import labeled_mask
from widemargin.objectives.pieces import EpsilonInsensitive


@dataclass(kw_only=True, eq=False, repr=False)
class UniversumSVC(HingeClassifier):
    r"""Support vector classifier with universum samples (U-SVM).

    A support vector machine whose scores stay close to zero on rows that are known to
    belong to no class. These are the rows with `irrelevant_label`; without one, all
    unlabeled rows.

    Parameters
    ----------
    unlabeled_weight : float or "auto", default="auto"
        As in `TransductiveSVC`, for the universum samples.
    epsilon : float, default=0.1
        Scores up to this distance from zero cost nothing.
    irrelevant_label : label or None, default=None
        The value in y that marks the universum samples. Unlabeled rows then have no
        influence except on the width of the kernel.
    C, solver, landmarks, max_iter, kernel, random_state, verbose
        The first four as in `TransductiveSVC`, the others as in `LaplacianSVC`.

    Attributes
    ----------
    classes_, function_, calibration_, transduction_, held_out_proba_, average_
    unlabeled_weights_, result_, n_iter_
        As in `TransductiveSVC`.

    Notes
    -----
    Minimizes, for two classes, over functions :math:`f = h + b`, Eq. (4) of [1]_
    without its last term,

    .. math:: \tfrac12 \|h\|^2 + C \sum_{i \in L} \max(0, 1 - y_i f_i)
              + C_u \sum_{i \in U} \max(0, |f_i| - \varepsilon) ,

    where :math:`C_u = C\, l / u` times `unlabeled_weight`: one convex problem. More
    than two classes are one-vs-rest problems.

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

    epsilon: float = 0.1
    irrelevant_label: object = None

    def find_irrelevant(self, y):
        """Which rows are the universum, a mask."""
        irrelevant = find_irrelevant(self, y)
        return ~labeled_mask(y) if irrelevant is None else irrelevant

    def _make_task(self):
        check_number(self, "epsilon", low=0)
        path = WeightPath(EpsilonInsensitive(self.epsilon))
        return make_task(self, path, is_universum=True)
