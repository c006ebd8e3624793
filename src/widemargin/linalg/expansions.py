"""Functions written over a basis: f = K a over a kernel, f = Z w over features.

The solvers see a function only through these objects, so that the exact machine, its
low-rank twin and the machine with an intercept are the same code. In the coordinates
c of an expansion with scores f = B c and squared norm c'P c, the gradient of
h(f) + (ridge / 2) c'P c is B' dh + ridge P c; preconditioned by P it is
``pull(dh) + ridge * penalized(c)``, which never needs the inverse of P. What acts on
the scores comes in two parts, the loss and the graph, since an intercept may be hidden
from the graph.
"""

import numpy as np

from widemargin.linalg.products import column_dots, symmetric_product
from widemargin.spaces.deformation import DeformedFeatures, DeformedKernel


class KernelExpansion:
    """The functions f = K a: B = P = K, the Gram matrix of all samples.

    Parameters
    ----------
    gram : ndarray of shape (n_samples, n_samples)
        Symmetric positive semi-definite; it may be singular.
    """

    def __init__(self, gram):
        self.gram = gram
        self.n_samples = self.n_coordinates = len(gram)
        self.dtype = gram.dtype

    def scores(self, c):
        """Values on the samples, (n_coordinates, k) -> (n_samples, k); O(n^2 k)."""
        return symmetric_product(self.gram, c)

    def pull(self, by_loss, by_graph):
        """The map P^-1 B' from the samples to the coordinates: here the identity."""
        return by_loss + by_graph

    def seen_by_graph(self, c, scores):
        """The part of the scores that the graph acts on."""
        return scores

    def penalized(self, c):
        """The part of the coordinates that the ambient norm sees."""
        return c

    def inner(self, c, d, scores_d):
        """Column by column c'P d, given the scores of d; shape (k,)."""
        return column_dots(c, scores_d)

    def ambient(self, c, d, scores_d):
        """Inner product of the ambient norm, given the scores of d; shape (k,)."""
        return self.inner(c, d, scores_d)

    def mean_diagonal(self):
        """Mean of k(x, x), the scale of the kernel."""
        return float(np.diagonal(self.gram).mean(dtype=np.float64))

    def restricted(self, rows):
        """The expansion over some of the samples only."""
        return KernelExpansion(np.ascontiguousarray(self.gram[np.ix_(rows, rows)]))

    def deformed(self, laplacian, ratio):
        """The same functions under the norm K + ratio K L K; O(n^3) once."""
        return DeformedKernel(self.gram, laplacian, ratio)


class FeatureExpansion:
    """The functions f = Z w: B = Z, P = I, as after a Nystrom map.

    Parameters
    ----------
    features : ndarray of shape (n_samples, n_features)
    """

    def __init__(self, features):
        self.features = features
        self.n_samples, self.n_coordinates = features.shape
        self.dtype = features.dtype

    def scores(self, c):
        """Values on the samples, (n_coordinates, k) -> (n_samples, k); O(n r k)."""
        return self.features @ c

    def pull(self, by_loss, by_graph):
        """The map P^-1 B' = Z' from the samples to the coordinates."""
        return self.features.T @ (by_loss + by_graph)

    def seen_by_graph(self, c, scores):
        """The part of the scores that the graph acts on."""
        return scores

    def penalized(self, c):
        """The part of the coordinates that the ambient norm sees."""
        return c

    def inner(self, c, d, scores_d):
        """Column by column c'd; shape (k,)."""
        return column_dots(c, d)

    def ambient(self, c, d, scores_d):
        """Inner product of the ambient norm; shape (k,)."""
        return self.inner(c, d, scores_d)

    def mean_diagonal(self):
        """Mean of k(x, x) = |z(x)|^2, the scale of the kernel."""
        squares = np.einsum("ij,ij->i", self.features, self.features)
        return float(squares.mean(dtype=np.float64))

    def deformed(self, laplacian, ratio):
        """The same functions under the norm I + ratio Z'L Z; O(n r^2) once."""
        return DeformedFeatures(self.features, laplacian, ratio)


class WithIntercept:
    """An expansion and a constant: f = B c + b, the last coordinate being b.

    Parameters
    ----------
    expansion : KernelExpansion or FeatureExpansion
    ridge : float
        Weight of b^2 relative to the ambient norm.
    inside : bool
        Whether the graph acts on b, too.
    """

    def __init__(self, expansion, ridge, inside):
        self.expansion, self.ridge, self.inside = expansion, ridge, inside
        self.n_samples = expansion.n_samples
        self.n_coordinates = expansion.n_coordinates + 1
        self.dtype = expansion.dtype

    def scores(self, c):
        """Values on the samples."""
        return self.expansion.scores(c[:-1]) + c[-1]

    def seen_by_graph(self, c, scores):
        """The part of the scores that the graph acts on."""
        return scores if self.inside else scores - c[-1]

    def pull(self, by_loss, by_graph):
        """Coordinates of the preconditioned gradient; P is 1 for the intercept."""
        of_intercept = by_loss.sum(axis=0)
        if self.inside:
            of_intercept = of_intercept + by_graph.sum(axis=0)
        return np.vstack([self.expansion.pull(by_loss, by_graph), of_intercept])

    def penalized(self, c):
        """The coordinates with the share of the ambient weight that each bears."""
        c = c.copy()
        c[-1] *= self.ridge
        return c

    def inner(self, c, d, scores_d):
        """Column by column inner product under the preconditioner."""
        return self.expansion.inner(c[:-1], d[:-1], scores_d - d[-1]) + c[-1] * d[-1]

    def ambient(self, c, d, scores_d):
        """Inner product of the ambient norm."""
        inner = self.expansion.inner(c[:-1], d[:-1], scores_d - d[-1])
        return inner + self.ridge * c[-1] * d[-1]
