"""Which cluster is which: names for clusters that were found without any.

A search that knows no names finds clusters that one with bounds and given labels, which
has to get names and clusters right at once, may miss.
"""

import numpy as np
from scipy.optimize import linear_sum_assignment

from widemargin.solvers.label_starts import mend
from widemargin.solvers.label_strategies import Steepest


def name_by_fixed(problem, found):
    """Clusters named as most of the fixed samples ask, then improved.

    A few fixed samples hardly pull the others; names that fit them do.

    Parameters
    ----------
    problem : LabelProblem
        Its bounds and given labels will hold.
    found : ndarray of shape (n,)
        Clusters in which given labels need not hold.

    Returns
    -------
    ndarray of int32, shape (n,)
    """
    fixed = ~problem.movable
    votes = np.zeros((problem.n_classes, problem.n_classes))
    np.add.at(votes, (found[fixed], problem.given[fixed]), 1)
    _, name = linear_sum_assignment(-votes)
    return _improve(problem, np.where(fixed, problem.given, name[found]))


def name_by_size(problem, found):
    """Clusters named so that larger ones get larger target sizes, then improved.

    Shaking alone cannot tell which cluster is to be the large one.

    Parameters
    ----------
    problem : LabelProblem
        Its bounds will hold; all samples are movable.
    found : ndarray of shape (n,)
        Clusters of any size.

    Returns
    -------
    ndarray of int32, shape (n,)
    """
    sizes = np.bincount(found, minlength=problem.n_classes)
    name = np.empty(problem.n_classes, dtype=np.int32)
    name[np.argsort(sizes)] = np.argsort(problem.target, kind="stable")
    return _improve(problem, name[found])


def _improve(problem, codes):
    """The nearest labels within the bounds, and downhill from there."""
    codes = codes.astype(np.int32)
    start = mend(problem, codes, problem.table(codes))
    return Steepest().improve(problem, start)[0]
