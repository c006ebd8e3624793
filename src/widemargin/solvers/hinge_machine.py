"""Two ways to solve the same convex problem: by kernel values, or by weights.

The solution of either is (n_samples + 1,): coefficients of the samples' kernel
functions, and the intercept. Balance is a matter of centring: if the kernel, or the
features, are centred on the mean of some samples, the mean score of these is the
intercept, whatever the coefficients are (Eq. (25) of Yang et al., eliminated exactly).
"""

from dataclasses import dataclass, replace

import numpy as np

from widemargin.solvers.result import Status
from widemargin.solvers.smo import smo
from widemargin.solvers.weight_newton import weight_newton

_STEPS = 2_000_000  # of a convex problem
_FEW = 5000  # samples whose Gram matrix can be kept


@dataclass(frozen=True)
class GramMachine:
    """Sequential minimal optimization on a Gram matrix.

    Attributes
    ----------
    gram : ndarray of shape (n_samples, n_samples)
    tol : float
        Largest violation of the optimality conditions.
    center : ndarray of shape (n_samples,) or None
        Weights, adding up to one, of the samples whose mean it is centred on.
    shift : ndarray of shape (n_samples,) or None
        The mean kernel value of each sample with these, before centring, less half of
        the mean among these.
    """

    gram: np.ndarray
    tol: float = 1e-3
    center: np.ndarray | None = None
    shift: np.ndarray | None = None

    @property
    def n_samples(self):
        """Number of samples."""
        return self.gram.shape[0]

    def part(self, rows):
        """The machine of some of the samples."""
        return GramMachine(self.gram[np.ix_(rows, rows)], self.tol)

    def centered(self, weights):
        """The machine centred on the weighted mean of the samples."""
        mean = self.gram @ weights.astype(self.gram.dtype)
        shift = mean.astype(np.float64) - 0.5 * float(weights @ mean)
        own = shift.astype(self.gram.dtype)
        gram = self.gram - own
        gram -= own[:, None]
        return GramMachine(gram, self.tol, weights, shift)

    def solve(self, pieces, intercept=None, start=None):
        """Minimize half of the squared norm plus the pieces."""
        return _limited(
            smo(
                self.gram, pieces, intercept=intercept, start=start, tol=self.tol,
                max_iter=_STEPS,
            )
        )  # fmt: skip

    def scores(self, solution):
        """Scores of all samples."""
        from widemargin.linalg.products_loops import add_rows  # reads the used rows

        scores = np.zeros(self.n_samples)
        add_rows(self.gram, solution[:-1], scores)
        return scores + solution[-1]

    def function(self, solution):
        """Coefficients of the kernel functions and intercepts, not centred.

        `solution` has a column for each function.
        """
        return _uncentered(solution, self.center, self.shift)


@dataclass(frozen=True)
class RowMachine:
    """The same on rows of a Gram matrix that is too large to be kept.

    Attributes
    ----------
    rows : KernelRows
    tol : float
        Largest violation of the optimality conditions.
    center : ndarray of shape (n_samples,) or None
        Weights, adding up to one, of the samples whose mean it is centred on.
    """

    rows: object
    tol: float = 1e-3
    center: np.ndarray | None = None

    @property
    def n_samples(self):
        """Number of samples."""
        return self.rows.shape[0]

    def part(self, rows):
        """The machine of some of the samples, with a Gram matrix if they are few."""
        if len(rows) > _FEW:
            return RowMachine(replace(self.rows, X=self.rows.X[rows]), self.tol)
        return GramMachine(self.rows.part(rows), self.tol)

    def centered(self, weights):
        """The machine centred on the weighted mean of the samples."""
        mean = self.rows.product(weights)
        rows = replace(self.rows, shift=mean - 0.5 * float(weights @ mean))
        return RowMachine(rows, self.tol, weights)

    def solve(self, pieces, intercept=None, start=None):
        """Minimize half of the squared norm plus the pieces."""
        return _limited(
            smo(
                self.rows, pieces, intercept=intercept, start=start, tol=self.tol,
                max_iter=_STEPS,
            )
        )  # fmt: skip

    def scores(self, solution):
        """Scores of all samples."""
        return self.rows.product(solution[:-1]) + solution[-1]

    def function(self, solution):
        """Coefficients of the kernel functions and intercepts, not centred."""
        return _uncentered(solution, self.center, self.rows.shift)


@dataclass(frozen=True)
class WeightMachine:
    """Newton steps in the weights of a linear function.

    Attributes
    ----------
    features : ndarray or CSR matrix of shape (n_samples, n_features)
    tol : float
        Largest duality gap, relative to the objective.
    center : ndarray of shape (n_features,) or None
        The point that the features are centred on; they stay as they are.
    """

    features: object
    tol: float = 1e-4
    center: np.ndarray | None = None

    @property
    def n_samples(self):
        """Number of samples."""
        return self.features.shape[0]

    def part(self, rows):
        """The machine of some of the samples."""
        return WeightMachine(self.features[rows], self.tol)

    def centered(self, weights):
        """The machine centred on the weighted mean of the samples."""
        return replace(self, center=np.asarray(self.features.T @ weights))

    def solve(self, pieces, intercept=None, start=None):
        """Minimize half of the squared norm plus the pieces."""
        return _limited(
            weight_newton(
                self.features,
                pieces,
                intercept=intercept,
                center=self.center,
                start=start,
                tol=self.tol,
            )
        )

    def scores(self, solution):
        """Scores of all samples."""
        weights, intercept = self.function(solution)
        return self.features @ weights + intercept

    def function(self, solution):
        """Weights of the features, and intercepts, not centred.

        `solution` has a column for each function.
        """
        weights, intercepts = self.features.T @ solution[:-1], solution[-1]
        if self.center is None:
            return weights, intercepts
        total = solution[:-1].sum(axis=0)
        weights = weights - np.multiply.outer(self.center, total)
        return weights, intercepts - self.center @ weights


def _uncentered(solution, center, shift):
    """Coefficients and intercepts over kernel functions that are not centred."""
    coefficients, intercepts = solution[:-1], solution[-1]
    if center is None:
        return coefficients, intercepts
    total = coefficients.sum(axis=0)
    rounding = 1e-12 * np.abs(coefficients).sum(axis=0)
    total = np.where(np.abs(total) > rounding, total, 0.0)  # of a free intercept
    intercepts = intercepts - shift @ coefficients + float(center @ shift) * total
    return coefficients - center[:, None] * total, intercepts


def _limited(result):
    """The result of a convex problem, told from the limit of a loop around it."""
    if result.status is Status.MAX_ITER:
        return replace(result, status=Status.INNER_LIMIT)
    return result


def roughness(solution, scores):
    """Squared norm of a function, from its solution and its scores."""
    return float(solution[:-1] @ (scores - solution[-1]))
