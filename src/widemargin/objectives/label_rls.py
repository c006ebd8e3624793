r"""Regularized least squares as a function of the labels alone.

With the best functions for given labels, the one-vs-rest problems of Eq. (10) of [1]_
and Eq. (13) of [2]_ together cost

.. math:: Q(c) = k \textstyle\sum_i w_i - (k - 4)\, 1^\top A 1
                 - 4 \sum_h e_h^\top A e_h ,

where A = W R is the mass of the smoother, k the number of classes and e_h the
indicator of class h. Only the last term depends on the labels: the search maximizes the
*mass inside the classes*. Relabeling point j from a to d adds twice

.. math:: \mathrm{gain}(j \to d) = T_{dj} - T_{aj} + A_{jj} , \qquad T = E A ,

to it, which takes constant time once T (k, n) is known; an accepted move updates T by
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

from widemargin.smoothers.base import Smoother


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
        """T = E A, the mass that ties each point to each class, (n_classes, n)."""
        indicator = np.arange(self.n_classes)[:, None] == codes
        indicator = indicator.astype(self.smoother.matrix.dtype)
        return np.ascontiguousarray(self.smoother.mass_product(indicator.T).T)

    def inside(self, codes):
        """Mass inside the classes, the quantity that is maximized."""
        table = self.table(codes).astype(np.float64)
        return float(table[codes, np.arange(len(codes))].sum())

    def value(self, codes):
        """The objective Q; half of it, one machine, if there are two classes."""
        smoother, n_classes = self.smoother, self.n_classes
        ones = np.ones((self.n_samples, 1), dtype=smoother.matrix.dtype)
        total = float(smoother.mass_product(ones).sum(dtype=np.float64))
        weight = float(smoother.weights.sum(dtype=np.float64))
        value = n_classes * weight - (n_classes - 4) * total - 4 * self.inside(codes)
        return value / 2 if n_classes == 2 else value

    def gains(self, table, codes):
        """What every relabeling adds to half the mass inside, (n_classes, n)."""
        stay = table[codes, np.arange(len(codes))] - self.smoother.mass_diagonal
        return table - stay

    def is_feasible(self, codes):
        """Whether given labels and bounds hold."""
        sizes = np.bincount(codes, minlength=self.n_classes)
        kept = np.array_equal(codes[~self.movable], self.given[~self.movable])
        within = (sizes >= self.lower) & (sizes <= self.upper)
        return bool(kept and within.all())

    def with_dense_mass(self):
        """The same problem with the whole mass at hand; O(n^2) memory."""
        if not self.smoother.low_rank:
            return self
        mass = self.smoother.mass_block(slice(None))
        smoother = Smoother(mass, self.smoother.weights, low_rank=False)
        return replace(self, smoother=smoother)

    def part(self, points, classes):
        """The problem of some classes and the points in them, all else left alone.

        The mass inside the other classes does not depend on what happens here, so that
        both problems agree on every change. Codes are positions in `classes`.
        """
        position = np.full(self.n_classes, -1, dtype=np.int32)
        position[classes] = np.arange(len(classes))
        mass = self.smoother.mass_block(points)
        movable = self.movable[points]
        order = self.order[np.isin(self.order, points)]
        target = self.target[classes]
        return LabelProblem(
            Smoother(mass, self.smoother.weights[points], low_rank=False),
            movable,
            position[np.where(movable, classes[0], self.given[points])],
            self.lower[classes],
            self.upper[classes],
            target * (len(points) / target.sum()),
            np.searchsorted(points, order),
        )
