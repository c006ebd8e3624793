"""Hinges of a linear function of many features: the proximal method of multipliers."""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import cho_solve

from widemargin.linalg.cholesky import jittered_cholesky
from widemargin.objectives.pieces import ProximalHinges
from widemargin.solvers.driver import drive
from widemargin.solvers.result import SolveResult, Status

FACTORED_ORDER = 400  # a factorization of this order takes a few products with the rows
# Chosen on text, on unscaled pixels and on random pieces with columns of mixed scales.
_SOFT = 30.0  # the first width is the largest kink or the stiffness through this
_NARROWER, _WIDER = 0.5, 16.0
_NARROWEST = 1e-11  # part of the stiffness
_INEXACT = 0.25  # error of the weights that a move of the multipliers allows
_RESIDUAL = 0.1  # of conjugate gradients, relative to the gradient
_ROUNDING = 1e-8  # a smaller move of the weights may be one
_BALANCED = 1e-8  # sum of coefficients that counts as zero, relative to their size
_PATIENCE = 200  # iterations without a smaller criterion
_LEAST_OBJECTIVE = 1e-9  # an objective so much smaller than the costs is zero
_TINY = 1e-300
_LARGEST_FACTORED_ORDER = 2000  # where conjugate gradients are slow


def proximal_multipliers(
    features, pieces, *, intercept=None, center=None, start=None, tol=1e-6,
    max_iter=500, factored_order=FACTORED_ORDER, callback=None,
):  # fmt: skip
    r"""Minimize the pieces of a linear function by the method of multipliers.

    .. math:: \min_{w, b}\ \tfrac12 \|w\|^2 + \mathrm{loss}(f) , \qquad
              f = (X - 1 m^\top) w + b

    While the multipliers of the hinges stay [1]_, the hinges become smooth
    (`ProximalHinges`) and a semismooth Newton method with exact line search finds the
    weights, as far as the next multipliers need it; then the multipliers move and the
    smooth hinges come closer to the kinks, whose minimum is found.

    A sparse table X stays sparse. The intercept b is free unless it is given. A Newton
    step is a Cholesky factorization in the features or, by Woodbury, in the samples at
    a kink, if one of them is at most `factored_order`; else conjugate gradients,
    O(nonzero entries) for each product.

    The solution, (n_samples + 1,), holds the coefficients a of the samples and the
    intercept; the weights are :math:`(X - 1 m^\top)^\top a`. The criterion is the
    objective less the largest lower bound proved so far, divided by the objective or by
    :math:`\frac12 \|w\|^2`, whichever is larger (or by 1e-9 of the costs, below which
    there is nothing but rounding). If the intercept is free, only coefficients that sum
    to zero prove a bound; the best intercept of the smooth problem makes them do so.

    .. [1] Rockafellar, Augmented Lagrangians and applications of the proximal point
       algorithm in convex programming, 1976.
    """
    if intercept is None:
        pieces.check_free_intercept()
    run = _Run(features, pieces, intercept, center, start, factored_order)
    steps = run.steps(tol, max_iter, callback)
    status, _ = drive(steps, run.history, max_iter=np.inf)  # see `drive`
    best = run.best
    # Rows were not centered if b is free; f = (X - m) w + b + m'w has the same scores.
    shift = run.shift(run.rows.transposed_product(best.coefficients))
    solution = np.append(best.coefficients, best.intercept + shift)
    return SolveResult(
        solution, best.objective, status, run.n_iter, run.history, best.scores
    )


class _Point(NamedTuple):
    """Feasible coefficients, an intercept and what they cost."""

    coefficients: np.ndarray
    intercept: float
    objective: float
    size: float  # of the objective, where its terms cancel
    scores: np.ndarray


class _Run:
    """Weights w, intercept b and multipliers on their way; w has the scores h + b.

    `gradient` is w less the weights that the `trial` multipliers, those of the smooth
    hinges at these scores, make: zero at the smooth minimum.
    """

    def __init__(self, features, pieces, intercept, center, start, factored_order):
        self.factored_order, self.n_iter = factored_order, 0
        features = features.astype(np.float64, copy=False)
        self.free = intercept is None
        self.center = center if self.free else None  # moves the intercept only
        self.rows = CenteredRows(features, None if self.free else center)
        self.pieces = pieces = pieces.paid()
        self.everywhere = np.ones(pieces.n_samples)
        multipliers = np.zeros(len(pieces.rows))
        self.w, self.h = np.zeros(features.shape[1]), np.zeros(pieces.n_samples)
        self.b = 0.0 if self.free else float(intercept)
        unit = float(np.abs(pieces.kinks).max(initial=0.0)) or 1.0
        self.smallest = max(_LEAST_OBJECTIVE * unit * float(pieces.costs.sum()), _TINY)
        if start is not None:
            multipliers = pieces.multipliers(start[:-1])
            self.w = self.rows.transposed_product(pieces.coefficients(multipliers))
            self.h = self.rows @ self.w
            if self.free:
                self.b = float(start[-1]) - self.shift(self.w)
        self.hinges = ProximalHinges(pieces, multipliers, unit)
        stiffness = self._stiffness()
        self.narrowest = _NARROWEST * max(unit, stiffness)
        self.widest = max(unit, stiffness / _SOFT)
        self.hinges = ProximalHinges(pieces, multipliers, self.widest)
        # squared gradient before the last Newton step, and the length of the step
        self.last_error = self.last_move = np.inf
        self.history = {"objective": [], "criterion": [], "width": [], "products": []}
        self.best, self.bound = self.evaluate()

    def steps(self, tol, max_iter, callback):
        """Newton steps and moves of the multipliers; yields the status in the end."""
        history, last_gain, lowest, status = self.history, 0, np.inf, None
        while status is None:
            criterion = (self.best.objective - self.bound) / self.best.size
            history["objective"].append(self.best.objective)
            history["criterion"].append(criterion)
            history["width"].append(self.hinges.width)
            if callback is not None:
                callback(self.n_iter, history)
            if criterion < lowest:
                lowest, last_gain = criterion, self.n_iter
            if criterion <= tol:
                status = Status.CONVERGED
            elif self.n_iter - last_gain >= _PATIENCE:
                status = Status.STALLED
            elif self.n_iter == max_iter:
                status = Status.MAX_ITER
            else:
                self.n_iter += 1
                history["products"].append(self.advance())
                point, proved = self.evaluate()
                self.bound = max(self.bound, proved)
                if point.objective < self.best.objective:
                    self.best = point
            yield status

    def evaluate(self):
        """The solution that the trial multipliers make, and the bound they prove."""
        pieces = self.pieces
        if self.free:
            # Where the smooth loss is flat in b, the coefficients add up to zero.
            self.b += self.hinges.step(self.h + self.b, self.everywhere)
        self.trial = self.hinges.multipliers_at(self.h + self.b)
        a = pieces.coefficients(self.trial)
        w = self.rows.transposed_product(a)
        self.gradient = self.w - w
        half_norm = float(w @ w) / 2.0
        scores = self.rows @ w + self.b
        objective = half_norm + pieces.value(scores)
        total = float(a.sum())
        gained = float((pieces.sides * self.trial) @ pieces.kinks)
        bound = gained - self.b * total - half_norm
        if self.free and abs(total) > _BALANCED * np.abs(a).sum():
            bound = -np.inf
        size = max(abs(objective), half_norm, self.smallest)
        return _Point(a, self.b, objective, size, scores), bound

    def advance(self):
        """One Newton step or, if the weights are good enough, new multipliers."""
        hinges, error = self.hinges, float(self.gradient @ self.gradient)
        # The smooth objective is strongly convex with modulus one, so that error / 2
        # bounds how far it is above its minimum; an inexact minimum is enough if this
        # is small beside the move of the multipliers [1].
        moves = (self.trial - hinges.multipliers) ** 2 / self.pieces.costs
        is_still = self.last_move <= _ROUNDING * np.linalg.norm(self.w)
        if error <= _INEXACT * hinges.width * float(moves.sum()):
            width = max(hinges.width * _NARROWER, self.narrowest)
        elif is_still and error > 0.1 * self.last_error:  # nothing but rounding is left
            width = min(hinges.width * _WIDER, self.widest)  # rounding is as 1 / width
            self.narrowest = width
        else:
            self.last_error = error
            return self._newton_step()
        self.last_error = self.last_move = np.inf
        self.hinges = ProximalHinges(self.pieces, self.trial, width)
        return 0

    def _newton_step(self):
        hinges, scores = self.hinges, self.h + self.b
        equations = self.rows, hinges.curvature(scores), self.gradient, self.free
        d, db, n_products = newton_step(
            *equations, _RESIDUAL, factored_order=self.factored_order
        )
        dh = self.rows @ d
        t = hinges.step(scores, dh + db, float(self.w @ d), float(d @ d))
        self.last_move = abs(t) * np.linalg.norm(d)
        self.w, self.h, self.b = self.w + t * d, self.h + t * dh, self.b + t * db
        return n_products

    def _stiffness(self):
        """Curvature of hinges of width one along the weights, relative to the norm."""
        # Much narrower smooth hinges than this are as hard as kinks.
        w, h, pieces = self.w, self.h, self.pieces
        if not w.any():
            trial = self.hinges.multipliers_at(self.h + self.b)
            w = self.rows.transposed_product(pieces.coefficients(trial))
            h = self.rows @ w
        costs = np.bincount(pieces.rows, pieces.costs, pieces.n_samples)
        if self.free:
            # A free intercept takes the mean score away.
            h = h - costs @ h / max(costs.sum(), _TINY)
        return float(costs @ h**2 / max(float(w @ w), _TINY))

    def shift(self, w):
        """What the features' center adds to a free intercept."""
        return 0.0 if self.center is None else float(self.center @ w)


class CenteredRows:
    """The rows of a table, less a center that a sparse table never has subtracted."""

    def __init__(self, features, center=None):
        self.features, self.center = features, center
        self._columns = features.T

    def __matmul__(self, v):  # (n_features,) -> (n_samples,)
        product = self.features @ v
        return product if self.center is None else product - self.center @ v

    def transposed_product(self, a):
        """The sum of the rows with weights `a`, (n_features,)."""
        product = self._columns @ a
        return product if self.center is None else product - a.sum() * self.center

    def to_dense(self):
        """The rows of a dense table, centered."""
        dense = self.features
        return dense if self.center is None else dense - self.center

    def gram(self):
        """Inner products between the rows, (n_samples, n_samples)."""
        if not sparse.issparse(self.features):
            dense = self.to_dense()
            return dense @ dense.T
        gram = (self.features @ self._columns).toarray()
        if self.center is not None:
            shift = self.features @ self.center
            gram += self.center @ self.center - shift[:, None] - shift
        return gram

    def column_squares(self, weights):
        """Weighted sum of squares of each column, (n_features,)."""
        X = self.features
        if not sparse.issparse(X):
            squares = weights @ (X * X)
        else:
            squared = sparse.csr_matrix((X.data**2, X.indices, X.indptr), X.shape)
            squares = squared.T @ weights
        if self.center is not None:
            cross = self._columns @ weights
            squares += self.center * (weights.sum() * self.center - 2.0 * cross)
        return np.maximum(squares, 0.0)


def newton_step(
    rows, curvature, gradient, free, share, *, factored_order=FACTORED_ORDER,
    max_products=200,
):  # fmt: skip
    r"""Solve Newton's equations of the weights, the intercept being eliminated.

    The matrix is :math:`I + Z^\top S Z` with the rows Z that bend, their curvature S
    and, if the intercept is free, their S-weighted mean subtracted from them: that is
    what remains of the equations when the slope by the intercept is zero. Conjugate
    gradients may leave a `share` of the gradient; where they are slow a factorization
    takes over. Returns both steps and the number of products with the rows.
    """
    bent = np.flatnonzero(curvature)
    if not len(bent):
        return -gradient, 0.0, 0
    weights = curvature[bent]
    features, center = rows.features[bent], rows.center
    if free:
        center = features.T @ (weights / weights.sum())
    active = CenteredRows(features, center)
    equations, order, n_products = (active, weights, gradient), min(features.shape), 0
    if order > factored_order:
        step, n_products = _conjugate_gradients(*equations, share, max_products)
    is_slow = n_products == max_products and order <= _LARGEST_FACTORED_ORDER
    if order <= factored_order or is_slow:
        step = _factored(*equations)
    return step, -float(center @ step) if free else 0.0, n_products


def _factored(rows, weights, gradient):
    """The step by a Cholesky factorization of the smaller of two matrices."""
    X = rows.features
    if X.shape[1] > X.shape[0]:  # Woodbury: S^-1 + Z Z', (n_bent, n_bent)
        matrix = rows.gram()
        matrix[np.diag_indices_from(matrix)] += 1.0 / weights
        # -(I + Z'S Z)^-1 g = Z'(S^-1 + Z Z')^-1 Z g - g.
        inner = cho_solve(jittered_cholesky(matrix)[0], rows @ gradient)
        return rows.transposed_product(inner) - gradient
    if sparse.issparse(X):
        matrix = (X.T @ X.multiply(weights[:, None]).tocsr()).toarray()
        if rows.center is not None:
            cross = X.T @ weights
            matrix -= np.outer(rows.center, cross) + np.outer(cross, rows.center)
            matrix += weights.sum() * np.outer(rows.center, rows.center)
    else:
        scaled = np.sqrt(weights)[:, None] * rows.to_dense()
        matrix = scaled.T @ scaled
    matrix[np.diag_indices_from(matrix)] += 1.0
    return -cho_solve(jittered_cholesky(matrix)[0], gradient)


def _conjugate_gradients(rows, weights, gradient, share, max_products):
    """Until the residual is `share` of the gradient; (step, n_products)."""
    # Preconditioned by the diagonal of I + Z'S Z.
    scale = 1.0 / (1.0 + rows.column_squares(weights))
    step, residual = np.zeros_like(gradient), -gradient
    target = share**2 * float(gradient @ (scale * gradient))
    direction = scale * residual
    energy = float(residual @ direction)
    for n_products in range(1, max_products + 1):
        image = direction + rows.transposed_product(weights * (rows @ direction))
        length = energy / float(direction @ image)
        step += length * direction
        residual -= length * image
        scaled = scale * residual
        energy, before = float(residual @ scaled), energy
        if energy <= target:
            break
        direction = scaled + energy / before * direction
    return step, n_products
