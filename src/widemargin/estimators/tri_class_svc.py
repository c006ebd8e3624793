"""Tri-class support vector classifier."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from widemargin.checks import check_number
from widemargin.defaults import TRI_CLASS_WIDTH
from widemargin.estimators._estimator import Method, evaluate, read_parameter, values_at
from widemargin.estimators._hinge import (
    HingeClassifier,
    WeightPath,
    find_irrelevant,
    fit_hinge,
    make_task,
)
from widemargin.objectives.pieces import is_relevant


@dataclass(kw_only=True, eq=False, repr=False)
class TriClassSVC(HingeClassifier):
    r"""Tri-class support vector classifier (3C-SVM).

    Learns from labeled and unlabeled rows of which some may belong to no class: an
    unlabeled row is either kept away from the decision boundary or drawn to it,
    whichever costs less.

    Parameters
    ----------
    epsilon : float, default=0.1
        Irrelevant samples with scores up to this distance from zero cost nothing.
    method : {"auto", "min", "paper"} or TriClassMethod, default="auto"
        "min" minimizes the min loss itself. "paper" is Algorithm 1 of [1]_, whose
        relaxation is another problem, see Notes; its parameters are those of
        ``Relaxed(restore, kappa, reach)``. "auto" averages models of
        ``Relaxed(restore=False)`` and of the loss of `TransductiveSVC` by held-out
        labels, see Notes; it is "min" for an `unlabeled_weight` of your own.
    balance : "labeled", "equal", dict, Balance or None, default="labeled"
        Share of each class among the unlabeled rows, as in `TransductiveSVC`; None does
        not constrain it, as in the experiments of [1]_. A fixed mean score keeps
        irrelevant rows from pulling all others to one side.
    irrelevant_label : label or None, default=None
        The value in y that marks samples known to be irrelevant.
    irrelevant_weight : float, default=1.0
        Their total cost relative to that of the labeled samples.
    kernel : Kernel, str or callable, default="rbf"
        As in `LaplacianSVC`, except that the width ``gamma="auto"`` is one over the
        mean squared distance of two rows.
    C, unlabeled_weight, n_annealing, solver, landmarks, max_iter
    random_state, verbose
        The last two as in `LaplacianSVC`, the others as in `TransductiveSVC`.

    Attributes
    ----------
    relevance_ : ndarray of bool, shape (n_samples,)
        Whether each training row counts as one of the classes; labeled rows always do,
        rows with `irrelevant_label` never.
    classes_, function_, calibration_, transduction_, held_out_proba_, average_
    unlabeled_weights_, result_, n_iter_
        As in `TransductiveSVC`.

    Notes
    -----
    Minimizes, for two classes, over functions :math:`f = h + b`, Eq. (4) of [1]_,

    .. math:: \tfrac12 \|h\|^2 + C \sum_{i \in L} \max(0, 1 - y_i f_i)
              + C_0 \sum_{i \in L_0} I_\varepsilon(f_i)
              + C_u \sum_{i \in U} \min\{\max(0, 1 - |f_i|), I_\varepsilon(f_i)\}

    with :math:`I_\varepsilon(f) = \max(0, |f| - \varepsilon)`, where :math:`C_u = C\, l
    / u` times `unlabeled_weight`, and :math:`C_0` in the same way. The program (21) of
    "paper" is another problem: unlabeled samples closer to zero than
    :math:`(D - 1 + \varepsilon) / 2` cost nothing. It is the better one where most
    unlabeled rows are irrelevant or there are few labels for many features; where they
    are clusters of the classes, the transductive loss :math:`\max(0, 1 - |f_i|)` is.
    You cannot know in advance which applies. The models of "auto" are those of the
    labels alone, of the transductive loss with the weight 0.1, and of "paper" with 0.1
    and 1. They were more accurate than models of the min loss, in which the same few
    labels decide about each single row. :doc:`/guide/transductive` compares them, and
    helps to choose among the three estimators.

    More than two classes are one-vs-rest problems; a sample is relevant if one of its
    scores exceeds :math:`(1 + \varepsilon) / 2`, Eq. (5).

    Deviations from [1]_, misprints corrected: labels in the quadratic and linear terms
    of (21); the concave part only where a sample is relevant, and its constant
    subtracted; the restoring step with the decisions held fixed, as Theorem 4 needs;
    ties of (19) are irrelevant (with D = 2 the program puts many scores exactly there).

    References
    ----------
    .. [1] H. Yang, K. Huang, I. King, M. R. Lyu. Maximum margin semi-supervised
       learning with irrelevant data. Neural Networks 70, 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_digits
    >>> from widemargin import TriClassSVC
    >>> X, y = load_digits(return_X_y=True)
    >>> is_target = (y == 5) | (y == 8)  # all others are irrelevant
    >>> y_partial = np.full(len(y), -1)
    >>> some = np.flatnonzero(is_target)[:20]
    >>> y_partial[some] = y[some]
    >>> model = TriClassSVC(random_state=0).fit(X, y_partial)
    >>> bool(model.score(X[is_target], y[is_target]) > 0.9)
    True
    """

    epsilon: float = 0.1
    method: object = "auto"
    balance: object = "labeled"
    irrelevant_label: object = None
    irrelevant_weight: float = 1.0
    n_annealing: int = 3

    methods = (
        Method("tri-class", "for unlabeled rows of which some belong to no class"),
    )

    def find_irrelevant(self, y):
        """Which rows have the `irrelevant_label`, a mask; None without one."""
        return find_irrelevant(self, y)

    def _make_task(self):
        check_number(self, "epsilon", low=0, high=1)
        check_number(self, "irrelevant_weight", low=0)
        method = read_parameter(self, "method")
        single = method.single
        return make_task(
            self,
            *[
                WeightPath(own.loss(self.epsilon), own.minimize, weights)
                for own, weights in method.averaged
            ],
            single=WeightPath(single.loss(self.epsilon), single.minimize),
            balance=read_parameter(self, "balance"),
            epsilon=self.epsilon,
            irrelevant_weight=self.irrelevant_weight,
            width=TRI_CLASS_WIDTH,
        )

    def _fit_sample(self, sample, rng):
        fitted, scores = fit_hinge(self, self._make_task(), sample, rng)
        relevant = _is_claimed(scores, self.epsilon)[sample.given_row_idx]
        missing = sample.missing_idx
        if len(missing):
            missing_scores = values_at(fitted.function, sample.given, missing)
            relevant[missing] = _is_claimed(missing_scores, self.epsilon)
        relevant[sample.given_codes >= 0] = True
        relevant[sample.given_codes == -2] = False
        self.relevance_ = relevant
        return fitted

    def predict_relevance(self, X: Any) -> np.ndarray:
        """Whether each row counts as one of the classes, Eq. (5) of the paper.

        A mask, (n_samples,), False for irrelevant rows; `predict` gives a class to all.
        """
        return _is_claimed(evaluate(self, X), self.epsilon)


def _is_claimed(scores, epsilon):
    """Whether one of the classes claims each row."""
    if scores.shape[1] == 1:
        return is_relevant(scores[:, 0], epsilon)
    return is_relevant(np.maximum(scores.max(axis=1), 0.0), epsilon)
