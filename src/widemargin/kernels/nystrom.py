r"""Low-rank kernels from landmarks.

The kernel is replaced by :math:`z(x)^\top z(x')` with features
:math:`z(x) = \Lambda^{-1/2} U^\top k(\text{landmarks}, x)`, where
:math:`U \Lambda U^\top` is the landmarks' Gram matrix. Directions with an eigenvalue
that is zero up to rounding are left out, so that copies among the landmarks do no harm.
This is done in double precision, because single precision cannot tell small eigenvalues
from zero; the features themselves keep the type of X.
"""

from dataclasses import dataclass
from numbers import Integral

import numpy as np
from scipy.linalg import eigh
from sklearn.metrics import pairwise_distances_argmin

from widemargin.checks import check_choice, check_number, plain
from widemargin.kernels.base import scores_in_blocks
from widemargin.linalg.rows import near_origin
from widemargin.values import Value

CHOICES = ("uniform", "kmeans++", "kmeans", "pivoted")
# The rows nearest to the means are landmarks, for which the means need not have
# converged. Not compared with other numbers.
_KMEANS_STEPS = 10
# k-means++ and k-means look at this many random rows for each landmark, so that their
# time does not grow with the number of rows. Not compared with other numbers.
_POOL = 20


class Landmarks(Value):
    """How a kernel is approximated by few of its rows; a family of parameters."""

    @classmethod
    def read(cls, given, who):
        """The landmarks that a user means; None and "auto" stay as they are."""
        is_auto = isinstance(given, str) and given == "auto"
        if given is None or is_auto or isinstance(given, cls):
            return given
        is_count = isinstance(given, Integral) and not isinstance(given, bool)
        if is_count and given >= 1:
            return Nystrom(int(given))
        if isinstance(given, str) and given in cls._members:
            return cls._members[given]()
        raise ValueError(
            f"{who} must be 'auto', None, a whole number >= 1 or a value such as "
            f"Nystrom(500), got {plain(given)!r}."
        )


@dataclass(frozen=True)
class Nystrom(Landmarks):
    """Landmarks of a Nystrom approximation, as a parameter of an estimator.

    Parameters
    ----------
    n_landmarks : int, default=1000
        Number of landmarks; with fewer rows, all of them.
    choice : {"kmeans++", "uniform", "kmeans", "pivoted"}, default="kmeans++"
        How they are chosen, see :func:`choose_landmarks`.

    Examples
    --------
    >>> from widemargin import LaplacianSVC
    >>> from widemargin.parameters import Nystrom
    >>> LaplacianSVC(landmarks=Nystrom(500, choice="uniform")).landmarks
    Nystrom(n_landmarks=500, choice='uniform')
    """

    n_landmarks: int = 1000
    choice: str = "kmeans++"

    def __post_init__(self):
        check_number(self, "n_landmarks", low=1, integer=True)
        check_choice(self, "choice", CHOICES)


@dataclass(frozen=True)
class NystromMap:
    r"""Features of a kernel's Nystrom approximation.

    Attributes
    ----------
    kernel : Kernel
    landmarks : what ``kernel.points`` gives
    whitening : ndarray of shape (n_landmarks, rank)
        :math:`U \Lambda^{-1/2}`.
    """

    kernel: object
    landmarks: object
    whitening: np.ndarray

    @classmethod
    def fit(cls, kernel, X, rows):
        """The map for the landmarks ``X[rows]``."""
        landmarks = double(kernel.points(X, rows))
        gram = kernel(double(X[rows]), landmarks).astype(np.float64, copy=False)
        # Eq. (19) of Gieseke et al. (2012), who factorize the inverse of this matrix;
        # eigenvectors also serve if it is singular.
        values, vectors = eigh(gram, driver="evd", check_finite=False)
        # Numerical rank, by the tolerance of numpy.linalg.matrix_rank.
        kept = values > values[-1] * len(rows) * np.finfo(np.float64).eps
        whitening = vectors[:, kept] / np.sqrt(values[kept])
        return cls(kernel, landmarks, whitening)

    def __call__(self, X):
        """Features of the rows of X, shape (n_samples, rank), in the type of X."""
        return scores_in_blocks(self.kernel, X, self.landmarks, self.whitening)


def double(X):
    """Samples in double precision; positions of samples as they are."""
    return X.astype(np.float64, copy=False) if X.dtype.kind == "f" else X


def choose_landmarks(kernel, X, n_landmarks, rng, choice="kmeans++"):
    """Rows of X to serve as landmarks, increasing.

    Parameters
    ----------
    kernel : Kernel
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    n_landmarks : int
        If there are no more samples than that, all of them are taken. Pivoted Cholesky
        stops when no variance remains and may take fewer.
    rng : numpy.random.Generator
    choice : {"uniform", "kmeans++", "kmeans", "pivoted"}
        At random; spread out as the seeds of k-means, in the kernel's feature space;
        the rows nearest to the centers of k-means; or greedily where the kernel's
        remaining variance is largest (pivoted Cholesky).

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.kernels import Linear, choose_landmarks
    >>> X = np.array([[0.0, 1.0], [0.0, 1.1], [5.0, 0.0]])
    >>> choose_landmarks(Linear(), X, 2, np.random.default_rng(0), "pivoted")
    array([1, 2])
    """
    if choice not in CHOICES:
        raise ValueError(
            f"choice of landmarks must be one of {', '.join(CHOICES)}, got {choice!r}."
        )
    pool = draw_pool(X.shape[0], n_landmarks, rng, choice)
    if choice != "pivoted":
        X = X[np.ix_(pool, pool)] if kernel.pairwise else X[pool]
    return np.sort(pool[choose_in_pool(kernel, X, n_landmarks, rng, choice)])


def draw_pool(n_samples, n_landmarks, rng, choice, *, pivots_all=True):
    """Positions of the rows that landmarks are chosen among."""
    if n_landmarks >= n_samples or (choice == "pivoted" and pivots_all):
        return np.arange(n_samples)
    size = n_landmarks if choice == "uniform" else _POOL * n_landmarks
    return rng.choice(n_samples, min(size, n_samples), replace=False)


def choose_in_pool(kernel, X, n_landmarks, rng, choice):
    """Positions in a pool of rows, X, that serve as landmarks."""
    if n_landmarks >= X.shape[0]:
        return np.arange(X.shape[0])
    if choice == "pivoted":
        return _pivoted_rows(kernel, X, n_landmarks)
    find = _central_rows if choice == "kmeans" else _spread_rows
    return find(kernel, X, n_landmarks, rng)


def _spread_rows(kernel, X, n_landmarks, rng):
    """Seeds of k-means++ in the kernel's feature space.

    Many landmarks are drawn a few at a time, two percent of them, which saves most of
    the cost of computing kernel values for one after the other.
    """
    size, diagonal = X.shape[0], kernel.diagonal(X).astype(np.float64)
    nearest = np.full(size, np.inf)  # squared distance to the nearest landmark
    chosen = np.zeros(size, dtype=bool)
    new = rng.integers(size, size=1)
    while True:
        chosen[new] = True
        n_missing = n_landmarks - int(chosen.sum())
        if n_missing == 0:
            return np.flatnonzero(chosen)
        columns = kernel(X, kernel.points(X, new))
        # |z(x) - z(x')|^2 in feature space; rounding may make it negative.
        distances = diagonal[:, None] + diagonal[new] - 2.0 * columns
        np.minimum(nearest, np.maximum(distances.min(axis=1), 0.0), out=nearest)
        chance = np.where(chosen, 0.0, nearest)
        if chance.sum() <= 0:  # only copies are left
            chance = (~chosen).astype(np.float64)
        n_new = min(n_missing, max(1, n_landmarks // 50), np.count_nonzero(chance))
        new = rng.choice(size, n_new, p=chance / chance.sum(), replace=False)


def _central_rows(kernel, X, n_landmarks, rng):
    """Rows nearest to the centers of k-means, each once."""
    from sklearn.cluster import KMeans  # takes time to import

    samples, metric = kernel.geometry(X)
    if metric != "euclidean":
        raise ValueError(
            "landmarks='kmeans' needs rows of features, got distances only; use "
            "landmarks='kmeans++'."
        )
    samples, _ = near_origin(samples)
    seed = int(rng.integers(2**31))
    means = KMeans(n_landmarks, n_init=1, max_iter=_KMEANS_STEPS, random_state=seed)
    means.fit(samples)
    nearest = pairwise_distances_argmin(means.cluster_centers_, samples)
    return np.unique(nearest)


def _pivoted_rows(kernel, X, n_landmarks):
    """Pivots of an incomplete Cholesky factorization; O(n r^2), n r memory."""
    remaining = kernel.diagonal(X).astype(np.float64)
    # Below it what remains of k(x, x) is rounding of the kernel values.
    floor = remaining.max() * len(remaining) * np.finfo(X.dtype).eps
    factor = np.empty((n_landmarks, X.shape[0]))
    rows = []
    while len(rows) < n_landmarks:
        pivot = int(np.argmax(remaining))
        if remaining[pivot] <= floor:
            break
        done = factor[: len(rows)]
        # The pivot's column of K less what the pivots before it explain, (n,).
        row = kernel(X, kernel.points(X, [pivot]))[:, 0] - done[:, pivot] @ done
        factor[len(rows)] = row / np.sqrt(remaining[pivot])
        remaining -= factor[len(rows)] ** 2
        remaining[pivot] = 0.0
        rows.append(pivot)
    return np.array(rows or [0])  # a kernel that is zero everywhere: any landmark
