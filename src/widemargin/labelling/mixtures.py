"""Clusters as clouds around means: mixtures of Gaussians, and whether they fit.

A search for wide margins follows neighborhoods and misses clusters that overlap or lie
inside each other. A mixture of Gaussians finds these, and misleads where clusters are
bent. Its density on held-out rows shows which of both it is.
"""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy import sparse
from scipy.linalg import cholesky, eigh, solve_triangular
from scipy.special import logsumexp
from sklearn.metrics import adjusted_rand_score

from widemargin.defaults import DISCRETE, MIXTURE, MIXTURE_WIDTHS
from widemargin.labelling.discrete import find_gaps
from widemargin.linalg.rows import row_blocks
from widemargin.stored import Stored, is_finite, require

_MAX_ROUNDS, _TOL = 100, 1e-4  # of expectation maximization; nats per row
_LEAST_VARIANCE = 1e-6  # over the mean one: copies of rows, constant columns
_FARTHEST = 1e140  # whose square is a number


@dataclass(frozen=True)
class Mixture(Stored):
    """Gaussians in a few leading principal components, one for each cluster.

    ``mixture(X)`` is the log probability of each cluster, (n_rows, k); of two clusters
    the log odds of the second one, (n_rows, 1).
    """

    center: np.ndarray  # of the rows, (n_features,)
    axes: np.ndarray  # of the components, (n_features, d)
    shares: np.ndarray  # (k,)
    means: np.ndarray  # (k, d)
    factors: np.ndarray  # lower Cholesky factors of the covariances, (k, d, d)

    @property
    def n_columns(self):
        """Number of scores of a row."""
        return 1 if len(self.shares) == 2 else len(self.shares)

    @property
    def n_points(self):
        """Number of training rows that new rows are compared with."""
        return 0

    def __call__(self, X):
        """Scores of the rows of X, (n_rows, n_columns)."""
        scores = np.empty((X.shape[0], self.n_columns))
        for block in row_blocks(X.shape[0], max(X.shape[1], self.means.size), 8):
            densities = self.log_densities(self.project(X[block]))
            if self.n_columns == 1:
                scores[block] = densities[:, 1:] - densities[:, :1]
            else:
                total = logsumexp(densities, axis=1, keepdims=True)
                scores[block] = densities - total
        return scores

    def project(self, X):
        """Rows in the components."""
        X = X.toarray() if sparse.issparse(X) else X
        return (np.asarray(X, dtype=np.float64) - self.center) @ self.axes

    def whitened(self, points, cluster):
        """Points in coordinates in which a cluster has unit covariance."""
        centered = (points - self.means[cluster]).T
        white = solve_triangular(
            self.factors[cluster], centered, lower=True, check_finite=False
        )
        return np.clip(white.T, -_FARTHEST, _FARTHEST)

    def log_densities(self, points):
        """Log density of each point in each cluster, times its share, (n, k)."""
        squares = [
            np.square(self.whitened(points, cluster)).sum(axis=1)
            for cluster in range(len(self.shares))
        ]
        return self.log_heights - 0.5 * np.array(squares).T

    @property
    def log_heights(self):
        """Log density of each cluster at its mean, times its share."""
        constant = 0.5 * self.means.shape[1] * np.log(2 * np.pi)
        log_volumes = np.log(np.einsum("kii->ki", self.factors)).sum(axis=1)
        with np.errstate(divide="ignore"):  # clusters without rows
            return np.log(self.shares) - log_volumes - constant

    def check(self, n_features):
        """Raise ValueError unless the parts fit each other and the features."""
        fits = is_finite(self.center, 1) and self.center.shape == (n_features,)
        require(fits, self, "center")
        fits = is_finite(self.axes, 2) and len(self.axes) == n_features
        require(fits, self, "axes")
        fits = is_finite(self.shares, 1) and len(self.shares) > 1
        require(fits and (self.shares >= 0).all(), self, "shares")
        shape = len(self.shares), self.axes.shape[1]
        fits = is_finite(self.means, 2) and self.means.shape == shape
        require(fits, self, "means")
        fits = is_finite(self.factors, 3) and self.factors.shape == (*shape, shape[1])
        fits = fits and (np.einsum("kii->ki", self.factors) > 0).all()
        require(fits, self, "factors")


@dataclass(frozen=True)
class MixtureTrial(Stored):
    """A mixture that was compared with the clusters from which it was fitted.

    Attributes
    ----------
    is_shared : bool
        Whether all clusters have the same covariance.
    gain : float
        By how much the log density of held-out rows is larger than that of Gaussians
        of the clusters that it was fitted from, per row.
    misfit : float
        By how much it is smaller than if clusters need not be Gaussian.
    overlap : float
        Adjusted Rand index of both clusterings.
    """

    is_shared: bool
    gain: float
    misfit: float
    overlap: float

    @property
    def is_better(self):
        """Whether the mixture replaces the clusters that it was fitted from.

        It must predict rows better. If its clusters are others, they must be nearly
        Gaussian: what a mixture misses must be small compared with what it gains.
        """
        is_gaussian = self.gain > MIXTURE.misfits * self.misfit
        return self.gain > 0 and (is_gaussian or self.overlap >= MIXTURE.overlap)


def fit_better_mixture(X, codes, n_clusters, order):
    """A mixture whose clusters fit the rows better than given ones, and the trials.

    The mixture is None if there is none. `order` is the order in which random numbers
    are assigned to rows.
    """
    n_dims = min(MIXTURE.most_dims, len(codes) // (MIXTURE.rows_per_dim * n_clusters))
    frame = principal_frame(X, n_dims) if n_dims > 0 else None
    if frame is None:
        return None, ()
    points, blur = frame.project(X), frame_blur(X, frame)
    prior = prior_covariance(points, n_clusters)
    fold_of = np.empty(len(codes), dtype=int)
    fold_of[order] = np.arange(len(codes)) % MIXTURE.n_folds
    known = {"n_clusters": n_clusters, "prior": prior, "blur": blur}
    before = partial(_estimate_hard, **known)
    density_before = held_out_densities(points, codes, fold_of, before, (1.0,)).mean()
    trials, mixtures = [], []
    for is_shared in (False, True):
        fit = partial(fit_mixture, **known, shared=is_shared)
        mixture = fit(points, codes)
        densities = mixture.log_densities(points)
        own = densities.argmax(axis=1)
        found = np.array([logsumexp(densities, axis=1).mean()])
        # else held-out rows, predicted less well, gain nothing
        if found[0] > density_before:
            found = held_out_densities(points, own, fold_of, fit, MIXTURE_WIDTHS)
            found = found.mean(axis=1)
        gain, misfit = float(found[0] - density_before), float(found.max() - found[0])
        if misfit > 0 and blur.any():
            # Repeated values are Gaussian in no cluster, unless they are spread.
            sharp = partial(fit, blur=0.0)
            spread = points + draw_blur(X, frame, order)
            found = held_out_densities(spread, own, fold_of, sharp, MIXTURE_WIDTHS)
            found = found.mean(axis=1)
            misfit = float(found.max() - found[0])
        overlap = float(adjusted_rand_score(codes, own))
        trials.append(MixtureTrial(is_shared, gain, misfit, overlap))
        mixtures.append(replace(mixture, center=frame.center, axes=frame.axes))
    better = [place for place, trial in enumerate(trials) if trial.is_better]
    best = max(better, key=lambda place: trials[place].gain, default=None)
    return None if best is None else mixtures[best], tuple(trials)


def fit_mixture(points, codes, n_clusters, prior, *, blur=0.0, shared=False):
    """The mixture that expectation maximization finds from given clusters."""
    members, last = _indicators(codes, n_clusters), -np.inf
    for _ in range(_MAX_ROUNDS):
        mixture = _estimate(points, members, prior, blur, shared)
        densities = mixture.log_densities(points)
        total = logsumexp(densities, axis=1)
        if total.mean() < last + _TOL:
            break
        last, members = total.mean(), np.exp(densities - total[:, None])
    return mixture


def held_out_densities(points, codes, fold_of, fit, widths):
    """Log density of each row in a mixture of the other folds, (n_widths, n_rows).

    `fit` makes a mixture of points and their clusters. With width 1 the density of a
    cluster is its Gaussian. With width h < 1 it is the mean of Gaussians around the
    rows of the cluster, with h^2 times its covariance; the rows are moved towards the
    mean of the cluster by the factor sqrt(1 - h^2), which keeps the covariance of all.
    So a width below 1 predicts better only if clusters are not Gaussian.
    """
    found = np.empty((len(widths), len(points)))
    for fold in range(fold_of.max() + 1):
        is_new = fold_of == fold
        new, old = points[is_new], points[~is_new]
        mixture = fit(old, codes[~is_new])
        own = mixture.log_densities(old).argmax(axis=1)
        densities = np.full((len(widths), len(new), len(mixture.shares)), -np.inf)
        for cluster in np.unique(own):
            inside = mixture.whitened(old[own == cluster], cluster)
            white = mixture.whitened(new, cluster)
            for place, width in enumerate(widths):
                densities[place, :, cluster] = _log_smoothed(white, inside, width)
        densities += mixture.log_heights
        found[:, is_new] = logsumexp(densities, axis=2)
    return found


def _log_smoothed(new, inside, width):
    """Log density of whitened points in a cluster, over that of its Gaussian at 0."""
    squares = np.square(new).sum(axis=1)
    if width == 1.0:
        return -0.5 * squares
    pull = np.sqrt(1.0 - width**2)
    lengths = squares[:, None] + pull**2 * np.square(inside).sum(axis=1)
    lengths -= 2 * pull * (new @ inside.T)
    log_sums = logsumexp(-0.5 * lengths / width**2, axis=1)
    return log_sums - np.log(len(inside)) - new.shape[1] * np.log(width)


def _estimate_hard(points, codes, n_clusters, prior, blur=0.0):
    """Gaussians of given clusters."""
    members = _indicators(codes, n_clusters)
    return _estimate(points, members, prior, blur, shared=False)


def _estimate(points, members, prior, blur, shared):
    """Gaussians of given memberships (n, k), without a frame, with `blur` added."""
    n_clusters, counts = members.shape[1], members.sum(axis=0)
    means = (members.T @ points) / np.maximum(counts, 1e-9)[:, None]
    scatters = []
    for cluster in range(n_clusters):
        centered = points - means[cluster]
        scatters.append((centered * members[:, [cluster]]).T @ centered)
    if shared:
        scatters, sizes = [sum(scatters)] * n_clusters, [counts.sum()] * n_clusters
    else:
        sizes = counts
    # As if some more rows had the covariance of the prior.
    n_more = MIXTURE.prior_rows * (len(prior) + 2)
    factors = [
        cholesky((scatter + n_more * prior) / (size + n_more) + blur, lower=True)
        for scatter, size in zip(scatters, sizes, strict=True)
    ]
    nothing = np.zeros(0)
    return Mixture(nothing, nothing, counts / counts.sum(), means, np.array(factors))


def frame_blur(X, frame):
    """The covariance, in the components, of what columns of few values are rounded by.

    Gaussians without any width would describe a column that has the same value in all
    rows of a cluster best, whatever the other columns hold. As if values were rounded,
    each such column has a further variance. With a sixth of the squared gap between
    values, clusters that are the k categories of a one-hot column, equally large, have
    volumes that are smaller by about the factor k: (1 + 6 / k) to the (k - 1) / 2. This
    outweighs their shares of 1 / k and no more.
    """
    steps = find_gaps(X)[:, None] * frame.axes
    return DISCRETE.rounding * (steps.T @ steps)


def draw_blur(X, frame, order):
    """Random shifts of the rows, in the components, with the covariance of the blur."""
    shifts = np.empty(X.shape)
    shifts[order] = np.random.default_rng(0).normal(size=X.shape)
    return (np.sqrt(DISCRETE.rounding) * find_gaps(X) * shifts) @ frame.axes


def prior_covariance(points, n_clusters):
    """That of all points, shrunk so that all clusters together have their volume."""
    n_dims = points.shape[1]
    whole = points.T @ points / len(points)
    whole += _LEAST_VARIANCE * np.trace(whole) / n_dims * np.eye(n_dims)
    return whole * n_clusters ** (-2.0 / n_dims)


def principal_frame(X, n_dims):
    """Center and leading principal components of rows; None if all rows are the same.

    Components are divided by a length, so that no square overflows.
    """
    n_rows, n_features = X.shape
    X = np.asarray(X, dtype=np.float64)
    center = X.mean(axis=0)
    centered = X - center
    length = np.abs(centered).max()
    if not 0 < length < np.inf:
        return None
    centered /= length
    is_wide = n_features > n_rows
    gram = centered @ centered.T if is_wide else centered.T @ centered
    last = len(gram) - 1
    values, axes = eigh(gram, subset_by_index=(max(0, last - n_dims + 1), last))
    # Constant and repeated columns add nothing: without variance any density fits.
    kept = values > 1e-12 * values[-1]
    axes = axes[:, kept]
    if is_wide:
        axes = centered.T @ (axes / np.sqrt(values[kept]))
    nothing = np.zeros(0)
    return Mixture(center, axes / length, nothing, nothing, nothing)


def _indicators(codes, n_clusters):
    """Memberships of one for the own cluster, (n, k)."""
    return (codes[:, None] == np.arange(n_clusters)).astype(np.float64)
