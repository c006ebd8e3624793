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
from typing import NamedTuple

import numpy as np

from widemargin.objectives.class_sizes import repair_sizes
from widemargin.spaces.smoother import Smoother


@dataclass(frozen=True)
class LabelProblem:
    """Labels to be found, given ones, and bounds of the class sizes."""

    smoother: Smoother
    movable: np.ndarray  # (n,), bool
    given: np.ndarray  # codes of the other points, (n,), int32; the rest means nothing
    lower: np.ndarray  # bounds of the class sizes, given points included
    upper: np.ndarray
    target: np.ndarray  # sizes that shaking aims at
    order: np.ndarray  # in which the movable points are visited

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
        # From tr P'A P with p_h = 2 e_h - 1 and sum_h e_h = 1.
        value = n_classes * weight - (n_classes - 4) * total - 4 * self.inside(codes)
        return value / 2 if n_classes == 2 else value

    def gains(self, table, codes):
        """What every relabeling adds to half the ties inside, (n_classes, n)."""
        # Without the tie of a point to itself, which moves along with the point.
        own_tie = table[codes, np.arange(len(codes))] - self.smoother.weighted_diagonal
        # S(c, j, d) of [2] is Q(c) less eight times this.
        return table - own_tie

    def is_feasible(self, codes):
        """Whether given labels and bounds hold."""
        sizes = np.bincount(codes, minlength=self.n_classes)
        kept = np.array_equal(codes[~self.movable], self.given[~self.movable])
        within = (sizes >= self.lower) & (sizes <= self.upper)
        return bool(kept and within.all())

    def preferred_codes(self, preference):
        """Labels within the bounds, by preferences for the classes, (n_classes, n)."""
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
            # The points at hand are divided in the proportions of the targets.
            target * (len(points) / target.sum()),
            np.searchsorted(points, order),
        )


class LabelState(NamedTuple):
    """Labels, n points in k classes, and arrays that the compiled loops write into."""

    matrix: np.ndarray  # the weighted smoother (n, n), or its factor (n, rank)
    low_rank: bool  # which of the two it is
    diagonal: np.ndarray  # of the weighted smoother, (n,)
    table: np.ndarray  # ties of each point to each class, (k, n)
    own_tie: np.ndarray  # to its own class, itself not counted, (n,)
    codes: np.ndarray  # the labels, (n,)
    counts: np.ndarray  # sizes of the classes, (k,)
    lower: np.ndarray  # bounds of the sizes, (k,)
    upper: np.ndarray
    move_penalty: np.ndarray  # infinite for points that may not move, else zero, (n,)
    row: np.ndarray  # a place for a row of the weighted smoother, (n,)

    @classmethod
    def of(cls, problem, codes):
        """The state to start a search from; problem and codes are not changed."""
        smoother, codes = problem.smoother, np.array(codes, dtype=np.int32)
        matrix, diagonal = smoother.matrix, smoother.weighted_diagonal
        table = problem.table(codes)
        return cls(
            matrix,
            smoother.low_rank,
            diagonal,
            table,
            table[codes, np.arange(len(codes))] - diagonal,
            codes,
            np.bincount(codes, minlength=problem.n_classes),
            problem.lower,
            problem.upper,
            np.where(problem.movable, 0.0, np.inf).astype(matrix.dtype),
            np.empty(len(codes), dtype=matrix.dtype),
        )

    @property
    def tol(self):
        """Gains below this are rounding."""
        eps = 10 * np.finfo(self.matrix.dtype).eps
        return float(eps * max(np.abs(self.table).max(), self.diagonal.max()))

    @property
    def inside(self):
        """Ties inside the classes, from the table."""
        return float((self.own_tie.astype(np.float64) + self.diagonal).sum())


def make_problem(sample, balance, own_shares, smoother=None):
    """The problem of finding the missing labels of a sample.

    Classes are numbered in ``sample.class_order``, which no renaming changes.
    `own_shares` of the classes among the unlabeled rows are in the order of the names;
    None leaves them to the labels. The smoother can be set later.
    """
    class_order, labeled = sample.class_order, sample.labeled
    rank, n_movable = np.argsort(class_order), int((~labeled).sum())
    given = np.zeros(len(labeled), dtype=np.int32)
    # Codes of the search are places in `class_order`: `rank` is its inverse.
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
