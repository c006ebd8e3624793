"""Null category noise model: the baseline of Gaussian processes for partial labels.

N. D. Lawrence, J. C. Platt, M. I. Jordan. Extensions of the informative vector machine.
Sheffield Machine Learning Workshop, 2005. Between the two classes lies a third one that
no sample belongs to: a labeled sample has to be on its side of the gap, an unlabeled
one on either side. Nothing keeps the sizes of the classes in balance.
"""

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.special import ndtr

from widemargin.kernels import NystromMap, Rbf, choose_landmarks, select_gamma

_TINY = 1e-10  # variances and precisions of cavities are no smaller


class NullCategoryClassifier:
    r"""Two classes with a gap between them, by expectation propagation.

    Parameters
    ----------
    scale : float
        Variance of the process, whose kernel is Gaussian with the mean squared distance
        of two samples as its width.
    gap : float
        Width of the gap; the noise has variance 1.
    n_landmarks : int or None
        Rows that carry a sparse process; None is exact.
    max_iter : int
        Rounds, each of which updates all factors at once.
    damping : float
        Share of an update that is made.
    tol : float
        Rounds end when no mean moves by more than this.
    random_state : int
        For landmarks.

    Notes
    -----
    The likelihood of an unlabeled sample is not log-concave: factors with a negative
    precision are left out, as the authors do.
    """

    def __init__(
        self,
        *,
        scale=10.0,
        gap=1.0,
        n_landmarks=None,
        max_iter=60,
        damping=0.5,
        tol=1e-3,
        random_state=0,
    ):
        self.scale = scale
        self.gap = gap
        self.n_landmarks = n_landmarks
        self.max_iter = max_iter
        self.damping = damping
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, y):
        """Fit to rows of classes 0 and 1, those of unlabeled rows being -1."""
        signs = np.where(y < 0, 0.0, 2.0 * y - 1.0)
        self.map_ = self._features_from(X)
        F = self._features(X)  # (n, rank), kernel = F F'
        precision, shift = np.zeros(len(F)), np.zeros(len(F))
        mean, variance = np.zeros(len(F)), np.einsum("ij,ij->i", F, F)
        for _ in range(self.max_iter):
            factors = self._factors(mean, variance, precision, shift, signs)
            precision += self.damping * (factors[0] - precision)
            shift += self.damping * (factors[1] - shift)
            before = mean
            self.coef_, variance = _posterior(F, precision, shift)
            mean = F @ self.coef_
            if np.abs(mean - before).max() <= self.tol:
                break
        return self

    def predict(self, X):
        """Class of each row, 0 or 1."""
        return (self._features(X) @ self.coef_ > 0).astype(int)

    def _features_from(self, X):
        """The map to features whose products are kernel values."""
        rng = np.random.default_rng(self.random_state)
        kernel = Rbf(select_gamma("mean", X, rng))
        rows = choose_landmarks(kernel, X, self.n_landmarks or len(X), rng)
        return NystromMap.fit(kernel, X, rows)

    def _features(self, X):
        return np.sqrt(self.scale) * self.map_(X)

    def _factors(self, mean, variance, precision, shift, signs):
        """Precisions and shifts that match moments; no factor where they cannot."""
        cavity_variance = 1.0 / np.maximum(1.0 / variance - precision, _TINY)
        cavity_mean = cavity_variance * (mean / variance - shift)
        slope, bend = self._slopes(cavity_mean, cavity_variance, signs)
        rest = np.maximum(1.0 - cavity_variance * bend, _TINY)
        shifts = (slope + cavity_mean * bend) / rest
        return np.where(bend > 0, [bend / rest, shifts], 0.0)

    def _slopes(self, mean, variance, signs):
        """First and minus second derivative of log E[p(y | f)] by the cavity's mean."""
        spread = np.sqrt(1.0 + variance)
        total = np.zeros((3, len(mean)))
        for sign in (-1.0, 1.0):
            z = (sign * mean - self.gap / 2) / spread
            density = np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi)
            part = [ndtr(z), sign * density / spread, -z * density / spread**2]
            total += np.where(signs == -sign, 0.0, part)
        total /= np.maximum(total[0], 1e-300)
        return total[1], total[1] ** 2 - total[2]


def _posterior(F, precision, shift):
    """Mean of the feature weights, and the variance of each value."""
    active = precision > 0
    weighted = np.sqrt(precision[active])[:, None] * F[active]
    inner = weighted.T @ weighted
    inner.flat[:: len(inner) + 1] += 1.0
    root = cholesky(inner, lower=True, overwrite_a=True, check_finite=False)
    solved = solve_triangular(root, F.T, lower=True, check_finite=False)
    coef = cho_solve((root, True), F.T @ shift, check_finite=False)
    return coef, np.maximum(np.einsum("ij,ij->j", solved, solved), _TINY)
