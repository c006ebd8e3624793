r"""Regularized least squares as a function of the labels alone.

With the best functions for given labels, the one-vs-rest problems of Eq. (10) of [1]_
and Eq. (13) of [2]_ together cost

.. math:: Q(c) = k \textstyle\sum_i w_i - (k - 4)\, 1^\top A 1
                 - 4 \sum_h e_h^\top A e_h ,

where A = W R is the weighted smoother, k the number of classes and e_h the indicator of
class h. An entry of A is the *tie* between two points. Only the last term depends on
the labels: the search maximizes the *ties inside the classes*. Relabeling point j from
a to d adds twice

.. math:: \mathrm{gain}(j \to d) = T_{dj} - T_{aj} + A_{jj} , \qquad T = E A ,

to them, which takes constant time once T (k, n) is known; an accepted move updates T by
one row of A.

References
----------
.. [1] Gieseke, Kramer, Airola, Pahikkala. Efficient recurrent local search strategies
   for semi- and unsupervised regularized least-squares classification.
.. [2] Pahikkala, Airola, Gieseke, Kramer. On unsupervised training of multi-class
   regularized least-squares classifiers.
"""

from dataclasses import dataclass, replace

import numpy as np

from widemargin.objectives.class_sizes import repair_sizes
from widemargin.spaces.smoother import Smoother


@dataclass(frozen=True)
class LabelProblem:
    """Labels to be found, and what is known of them.

    Attributes
    ----------
    smoother : Smoother
        Of the points.
    movable : ndarray of bool, shape (n,)
        Points whose label is searched; the others keep theirs.
    given : ndarray of int32, shape (n,)
        Codes of the points that are not movable; the other entries mean nothing.
    lower, upper : ndarrays of int64, shape (n_classes,)
        Bounds of the number of points in each class, given ones included.
    target : ndarray of shape (n_classes,)
        Sizes that shaking aims at.
    order : ndarray of int64, shape (n_movable,)
        The movable points in the order in which they are visited.
    """

    smoother: Smoother
    movable: np.ndarray
    given: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    target: np.ndarray
    order: np.ndarray

    @property
    def n_classes(self):
        """Number of classes."""
        return len(self.lower)

    @property
    def n_samples(self):
        """Number of points, movable or not."""
        return len(self.movable)

    def table(self, codes):
        """T = E A, the ties of each point to each class, (n_classes, n)."""
        smoother = self.smoother
        matrix = smoother.matrix
        indicator = (codes[:, None] == np.arange(self.n_classes)).astype(matrix.dtype)
        if smoother.low_rank:
            indicator = matrix.T @ indicator
        return np.ascontiguousarray((matrix @ indicator).T)

    def inside(self, codes):
        """Ties inside the classes, the quantity that is maximized."""
        table = self.table(codes).astype(np.float64)
        return float(table[codes, np.arange(len(codes))].sum())

    def value(self, codes):
        """The objective Q; half of it, one function, if there are two classes."""
        smoother, n_classes = self.smoother, self.n_classes
        ones = np.ones((self.n_samples, 1), dtype=smoother.matrix.dtype)
        total = float(smoother.weighted_product(ones).sum(dtype=np.float64))
        weight = float(smoother.weights.sum(dtype=np.float64))
        value = n_classes * weight - (n_classes - 4) * total - 4 * self.inside(codes)
        return value / 2 if n_classes == 2 else value

    def gains(self, table, codes):
        """What every relabeling adds to half the ties inside, (n_classes, n)."""
        own_tie = table[codes, np.arange(len(codes))] - self.smoother.weighted_diagonal
        return table - own_tie

    def is_feasible(self, codes):
        """Whether given labels and bounds hold."""
        sizes = np.bincount(codes, minlength=self.n_classes)
        kept = np.array_equal(codes[~self.movable], self.given[~self.movable])
        within = (sizes >= self.lower) & (sizes <= self.upper)
        return bool(kept and within.all())

    def preferred_codes(self, preference):
        """Labels within the bounds from how well each class suits each point.

        Parameters
        ----------
        preference : ndarray of shape (n_classes, n)
        """
        codes = self.given.copy()
        codes[self.movable] = preference[:, self.movable].argmax(axis=0)
        return self.repair(codes, preference)

    def repair(self, codes, preference=None):
        """The labels with all bounds kept; by default ties are the preference."""
        preference = self.table(codes) if preference is None else preference
        return repair_sizes(codes, preference, self.movable, self.lower, self.upper)

    def with_smoother(self, smoother):
        """The same problem with other functions."""
        return replace(self, smoother=smoother)

    def with_dense_smoother(self):
        """The same problem with all ties at hand; O(n^2) memory."""
        if not self.smoother.low_rank:
            return self
        ties = self.smoother.weighted_block(slice(None))
        return self.with_smoother(Smoother(ties, self.smoother.weights, low_rank=False))

    def part(self, points, classes):
        """The problem of some classes and the points in them, all else left alone.

        Ties inside the other classes do not depend on what happens here, so that both
        problems agree on every change. Codes are positions in `classes`.
        """
        position = np.full(self.n_classes, -1, dtype=np.int32)
        position[classes] = np.arange(len(classes))
        ties = self.smoother.weighted_block(points)
        movable = self.movable[points]
        order = self.order[np.isin(self.order, points)]
        target = self.target[classes]
        return LabelProblem(
            Smoother(ties, self.smoother.weights[points], low_rank=False),
            movable,
            position[np.where(movable, classes[0], self.given[points])],
            self.lower[classes],
            self.upper[classes],
            target * (len(points) / target.sum()),
            np.searchsorted(points, order),
        )


class LabelState:
    """Labels of a `LabelProblem` and what the compiled loops keep beside them.

    The loops write into these arrays. `problem` and the start are not changed.

    Parameters
    ----------
    problem : LabelProblem
    codes : ndarray of shape (n,)
        Labels to start from.
    """

    def __init__(self, problem, codes):
        smoother = problem.smoother
        dtype = smoother.matrix.dtype
        self.problem = problem
        self.codes = np.array(codes, dtype=np.int32)
        self.counts = np.bincount(self.codes, minlength=problem.n_classes)
        self.table = problem.table(self.codes)
        own = self.table[self.codes, np.arange(len(self.codes))]
        self.own_tie = own - smoother.weighted_diagonal
        self.move_penalty = np.where(problem.movable, 0.0, np.inf).astype(dtype)
        self.row = np.empty(problem.n_samples, dtype=dtype)

    @property
    def ties(self):
        """What the loops read of the smoother."""
        smoother = self.problem.smoother
        return smoother.matrix, smoother.low_rank, smoother.weighted_diagonal

    @property
    def moving(self):
        """What a move changes."""
        return self.table, self.own_tie, self.codes, self.counts

    @property
    def bounds(self):
        """Bounds of the sizes of the classes."""
        return self.problem.lower, self.problem.upper

    @property
    def tol(self):
        """Gains below this are rounding."""
        smoother = self.problem.smoother
        eps = 10 * np.finfo(smoother.matrix.dtype).eps
        largest = max(np.abs(self.table).max(), smoother.weighted_diagonal.max())
        return float(eps * largest)

    @property
    def inside(self):
        """Ties inside the classes, from the table."""
        own = self.own_tie.astype(np.float64) + self.problem.smoother.weighted_diagonal
        return float(own.sum())


def make_problem(sample, balance, own_shares, smoother=None):
    """The problem of finding the missing labels of a sample.

    Classes are numbered in ``sample.class_order``, which no renaming changes.

    Parameters
    ----------
    sample : Sample
    balance : Balance
        How closely shares are kept.
    own_shares : ndarray of shape (n_classes,) or None
        Share of each class among the unlabeled rows, in the order of the names; None
        for what the labels are evidence for.
    smoother : Smoother, optional
        Of all rows; it can be set later, by `LabelProblem.with_smoother`.
    """
    class_order, labeled = sample.class_order, sample.labeled
    rank, n_movable = np.argsort(class_order), int((~labeled).sum())
    given = np.zeros(len(labeled), dtype=np.int32)
    given[sample.label_idx] = rank[sample.codes]
    n_given = np.bincount(given[labeled], minlength=len(class_order))
    shares = sample.class_shares() if own_shares is None else own_shares
    shares = shares[class_order]
    lower, upper = balance.bounds(shares, n_movable)
    return LabelProblem(
        smoother,
        ~labeled,
        given,
        lower + n_given,
        upper + n_given,
        n_given + shares * n_movable,
        sample.order[~labeled[sample.order]],
    )
