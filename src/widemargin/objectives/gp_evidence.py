r"""How well a Gaussian process explains its targets, by its hyperparameters.

The targets are :math:`y_i = m + f(x_i) + \epsilon_i`, where f has the kernel

.. math:: k(x, z) = v \exp\Bigl(-\sum_j \gamma_j (x_j - z_j)^2\Bigr) ,

the noise of row i has the variance :math:`s / w_i`, and m is unknown. All is written
by :math:`C = K + s W^{-1}` and the matrix

.. math:: P = C^{-1} - \frac{C^{-1} 1 1^\top C^{-1}}{1^\top C^{-1} 1} ,

which sees no constant (P = C^{-1} where m is zero). Since dP = -P dC P in both cases,
a criterion has to find its derivative by C only, a symmetric matrix G such that its
differential is tr(G dC); one chain rule makes the gradient of it. Hyperparameters come
as *theta* = (log v, log gamma, log s), with one width or one for each feature (ARD).

.. [1] Rasmussen and Williams. Gaussian processes for machine learning, 2006.
.. [2] Patterson and Thompson. Recovery of inter-block information when block sizes
   are unequal, 1971.
.. [3] Dubrule. Cross validation of kriging in a unique neighborhood, 1983.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import cho_solve, lapack

from widemargin.kernels.rbf import Rbf
from widemargin.linalg.cholesky import jittered_cholesky
from widemargin.spaces.smoother import mirror

_LOG_2PI = np.log(2.0 * np.pi)


@dataclass(frozen=True)
class Evaluation:
    """A criterion at some theta."""

    value: float  # larger is better
    gradient: np.ndarray  # (n_theta,)
    jitter: float = 0.0  # added to the diagonal of C to factorize it, mostly zero


@dataclass(frozen=True)
class LogNormalPrior:
    """Independent normal distributions of the entries of theta."""

    center: np.ndarray  # their means: a theta
    variance_sd: float = 1.0  # standard deviation of log v,
    width_sd: float = 0.5  # of each log gamma
    noise_sd: float = 0.5  # and of log s

    def __call__(self, theta):
        """Logarithm of the density of theta, and its gradient."""
        n_widths = len(self.center) - 2
        sd = np.array([self.variance_sd, *[self.width_sd] * n_widths, self.noise_sd])
        steps = (theta - self.center) / sd
        value = -0.5 * (steps @ steps + len(sd) * _LOG_2PI) - np.log(sd).sum()
        return Evaluation(float(value), -steps / sd)


@dataclass(frozen=True)
class GpPosterior:
    """A Gaussian process given its targets."""

    gram: np.ndarray  # K, (n, n)
    factor: tuple  # lower Cholesky factor of C, for scipy's `cho_solve`
    jitter: float  # added to the diagonal of C to factorize it
    dual_coef: np.ndarray  # P Y, (n, n_columns)
    level: np.ndarray  # mean of each column by generalized least squares, or zeros
    ones: np.ndarray | None  # C^{-1} 1 where the mean is unknown

    def precision(self):
        """The matrix P, (n, n)."""
        lower, _ = lapack.dpotri(self.factor[0], lower=1)
        inverse = lower.T  # in C order, its upper triangle filled
        mirror(inverse)
        if self.ones is not None:
            # C^-1 1 1'C^-1 / 1'C^-1 1, as the square of one vector.
            root = self.ones / np.sqrt(self.ones.sum())
            inverse -= np.outer(root, root)
        return inverse


@dataclass(frozen=True)
class GpEvidence:
    """Criteria by which hyperparameters are learned: O(n^3 + n^2 n_features) time."""

    X: np.ndarray
    Y: np.ndarray  # targets, (n, n_columns); each column is a draw of its own
    weights: np.ndarray  # positive: row i has the noise s / w_i
    fit_mean: bool = True  # whether a constant for each column is unknown, or else zero
    prior: LogNormalPrior | None = None  # added to either criterion

    def marginal_likelihood(self, theta):
        r"""Log marginal likelihood, summed over the columns, and its gradient.

        With an unknown mean it is the *restricted* likelihood [2]_, the density of the
        targets' n - 1 orthonormal contrasts,

        .. math:: -\tfrac12 y^\top P y
                  - \tfrac12 \log \frac{|C|\, 1^\top C^{-1} 1}{n}
                  - \tfrac{n - 1}{2} \log 2\pi .

        The profiled likelihood, which lacks the term with 1'C^{-1}1, distinguishes
        kernels that differ by a constant and hence predict the same. Without the mean
        it is Eq. (5.8) of [1]_.
        """
        fit = self.posterior(theta)
        n, n_columns = self.Y.shape
        log_det, n_free = 2.0 * np.log(np.diagonal(fit.factor[0])).sum(), n  # log |C|
        if self.fit_mean:
            log_det, n_free = log_det + np.log(fit.ones.sum() / n), n - 1
        value = np.vdot(self.Y, fit.dual_coef) + n_columns * log_det
        value = -0.5 * (value + n_columns * n_free * _LOG_2PI)
        # P y y'P - P for each column, summed.
        by_matrix = fit.dual_coef @ fit.dual_coef.T  # Eq. (5.9) of [1]
        by_matrix -= n_columns * fit.precision()
        by_matrix *= 0.5
        return self._evaluation(value, by_matrix, fit, theta)

    def leave_one_out(self, theta):
        """Log density of each target given all others, and its gradient.

        Summed over rows and columns, Eqs. (5.10) to (5.12) of [1]_ with P for the
        inverse: without row i its target has the mean :math:`y_i - (P y)_i / P_{ii}`
        and the variance :math:`1 / P_{ii}`, which include the noise of the row and,
        where the mean is unknown, the uncertainty of the mean [3]_.
        """
        fit = self.posterior(theta)
        n, n_columns = self.Y.shape
        B, P = fit.dual_coef, fit.precision()
        p = np.diagonal(P).copy()
        squares = np.einsum("ij,ij->i", B, B) / p  # (n,)
        value = n_columns * (np.log(p).sum() - n * _LOG_2PI) - squares.sum()
        # With p_i the columns of P, d(P_ii) = -p_i'dC p_i: a weighted sum of p_i p_i'.
        half = P * np.sqrt(0.5 * (n_columns + squares) / p)
        by_matrix = -(half @ half.T)  # by the diagonal of P
        cross = B @ (P @ (B / p[:, None])).T  # by P Y, (n, n)
        by_matrix += 0.5 * cross
        by_matrix += 0.5 * cross.T
        return self._evaluation(0.5 * value, by_matrix, fit, theta)

    def posterior(self, theta):
        """The process given the targets."""
        variance, gamma, noise = self.parameters(theta)
        gram = variance * Rbf(1.0)(self._centered * np.sqrt(gamma))
        matrix = gram.copy()
        # K itself is kept: the gradient needs it without the noise.
        matrix.flat[:: len(matrix) + 1] += noise / self.weights
        factor, jitter = jittered_cholesky(matrix.T)  # the same, in LAPACK's order
        level, ones = np.zeros(self.Y.shape[1]), None
        dual_coef = cho_solve(factor, self.Y, check_finite=False)
        if self.fit_mean:
            ones = cho_solve(factor, np.ones(len(matrix)), check_finite=False)
            # By generalized least squares; then P y is C^-1 (y - m).
            level = dual_coef.sum(axis=0) / ones.sum()
            dual_coef -= np.outer(ones, level)
        return GpPosterior(gram, factor, jitter, dual_coef, level, ones)

    def parameters(self, theta):
        """The variance v, the widths gamma (1,) or (n_features,), and the noise s."""
        n_features = self.X.shape[1]
        if len(theta) not in (3, n_features + 2):
            raise ValueError(
                "theta must hold log v, one log gamma or one for each of the "
                f"{n_features} features, and log s: 3 or {n_features + 2} numbers, "
                f"got {len(theta)}."
            )
        variance, *gamma, noise = np.exp(theta)
        return variance, np.array(gamma), noise

    @cached_property
    def _centered(self):
        """X around its mean, where rounding does the least harm."""
        X = self.X.astype(np.float64)
        return X - X.mean(axis=0)

    def _evaluation(self, value, by_matrix, fit, theta):
        r"""The chain rule, from the derivative by C to theta, and the prior.

        The derivative by log gamma_j is a sum of weighted squared distances,
        :math:`\sum_{ab} S_{ab} (x_{aj} - x_{bj})^2 = 2 (S 1)^\top x_j^2 -
        2 x_j^\top S x_j`, so that one product S X serves all features.
        """
        _, gamma, noise = self.parameters(theta)
        by_noise = np.diagonal(by_matrix) @ (noise / self.weights)
        # dK = K dlog v, and dK_ab = -K_ab (x_aj - x_bj)^2 dgamma_j: S holds G * K.
        S = np.multiply(by_matrix, fit.gram, out=by_matrix)
        X, sums = self._centered, S.sum(axis=1)
        by_gamma = -2.0 * (sums @ X**2 - np.einsum("ij,ij->j", X, S @ X)) * gamma
        if len(theta) == 3:
            by_gamma = [by_gamma.sum()]  # one width: its log adds to every log gamma_j
        gradient = np.array([sums.sum(), *by_gamma, by_noise])
        if self.prior is not None:
            prior = self.prior(theta)
            value, gradient = value + prior.value, gradient + prior.gradient
        return Evaluation(float(value), gradient, fit.jitter)
