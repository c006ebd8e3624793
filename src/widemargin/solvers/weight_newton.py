"""Hinges of a linear function of many features, by Newton's method on the weights."""

from dataclasses import dataclass, replace

import numpy as np

from widemargin.objectives.proximal_hinges import ProximalHinges, coefficients, spread
from widemargin.solvers.result import SolveResult, Status
from widemargin.solvers.weight_steps import Rows, newton_step


def weight_newton(
    features,
    pieces,
    *,
    intercept=None,
    center=None,
    start=None,
    tol=1e-6,
    max_iter=500,
    callback=None,
):
    r"""Minimize the pieces of a linear function by the method of multipliers.

    .. math:: \min_{w, b}\ \tfrac12 \|w\|^2 + \mathrm{loss}(f) , \qquad
              f = (X - 1 m^\top) w + b

    The proximal method of multipliers [1]_: while the multipliers of the hinges stay,
    the hinges become smooth (`ProximalHinges`) and a semismooth Newton method with
    exact line search finds the weights, as far as the next multipliers need it; then
    the multipliers move and the smooth hinges come closer to the kinks. The minimum
    is that of the kinks, not of a smooth replacement.

    Parameters
    ----------
    features : ndarray or CSR matrix of shape (n_samples, n_features)
        X; a sparse matrix stays sparse.
    pieces : HingePieces
        The loss.
    intercept : float, optional
        b, if it is given; it is free and costs nothing otherwise.
    center : ndarray of shape (n_features,), optional
        m; zero if not given.
    start : ndarray of shape (n_samples + 1,), optional
        A solution of a similar problem; coefficients out of bounds are clipped.
    tol : float
        Largest criterion, see Returns.
    max_iter : int
        Newton steps and moves of the multipliers at the most.
    callback : callable, optional
        Called as ``callback(iteration, history)``.

    Returns
    -------
    SolveResult
        The solution holds the coefficients a of the samples, within the bounds of
        the pieces, and in the end the intercept; the weights are
        :math:`(X - 1 m^\top)^\top a`. The objective is that of this solution, not of
        other weights. The criterion is the objective less the largest lower bound
        proved so far (the dual value of feasible coefficients), divided by the
        objective or by :math:`\frac12 \|w\|^2`, whichever is larger (or by 1e-9 of
        the costs, below which there is nothing but rounding). If the intercept
        is free, only coefficients that sum to zero prove a bound; the intercept of
        the smooth problem is always its best one, which makes them do so to rounding.
        A keyboard interrupt ends the run with the best solution so far.

    Raises
    ------
    ValueError
        If the intercept is free and the loss falls without end when it moves.

    Notes
    -----
    A Newton step is a Cholesky factorization in the features or, by Woodbury, in the
    samples at a kink if one of them is small, and conjugate gradient otherwise:
    O(nonzero entries) for each product.

    References
    ----------
    .. [1] Rockafellar, Augmented Lagrangians and applications of the proximal point
       algorithm in convex programming, 1976.
    """
    if intercept is None:
        pieces.check_free_intercept()
    run = _Run(features, pieces, intercept, center, start)
    best, bound = run.evaluate()
    history = {"objective": [], "criterion": [], "width": [], "products": []}
    status, n_iter, last_gain, lowest = Status.MAX_ITER, 0, 0, np.inf
    try:
        while True:
            criterion = (best.objective - bound) / best.size
            history["objective"].append(best.objective)
            history["criterion"].append(criterion)
            history["width"].append(run.hinges.width)
            if callback is not None:
                callback(n_iter, history)
            if criterion < lowest:
                lowest, last_gain = criterion, n_iter
            if criterion <= tol:
                status = Status.CONVERGED
                break
            if n_iter - last_gain >= _PATIENCE:
                status = Status.STALLED
                break
            if n_iter == max_iter:
                break
            n_iter += 1
            history["products"].append(run.advance())
            point, proved = run.evaluate()
            bound = max(bound, proved)
            if point.objective < best.objective:
                best = point
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    return SolveResult(run.solution(best), best.objective, status, n_iter, history)


@dataclass(frozen=True)
class _Point:
    """Feasible coefficients, an intercept and what they cost."""

    coefficients: np.ndarray
    intercept: float
    objective: float
    size: float  # of the objective, where its terms cancel


class _Run:
    """Weights, intercept and multipliers on their way.

    `h` holds the scores without the intercept b of the weights w. `trial` are the
    multipliers that the smooth hinges have at these scores, `gradient` is w less the
    weights that the trial multipliers make: both are the same at the smooth minimum.
    """

    def __init__(self, features, pieces, intercept, center, start):
        features = features.astype(np.float64, copy=False)
        self.free = intercept is None
        self.center = center if self.free else None  # moves the intercept only
        self.rows = Rows(features, None if self.free else center)
        self.pieces = pieces = _paid_pieces(pieces)
        self.everywhere = np.ones(pieces.n_samples)
        multipliers = np.zeros(len(pieces.rows))
        self.w, self.h = np.zeros(features.shape[1]), np.zeros(pieces.n_samples)
        self.b = 0.0 if self.free else float(intercept)
        unit = float(np.abs(pieces.kinks).max(initial=0.0)) or 1.0
        self.smallest = max(_NOTHING * unit * float(pieces.costs.sum()), _TINY)
        if start is not None:
            multipliers = spread(pieces, start[:-1])
            self.w = self.rows.transposed_product(coefficients(pieces, multipliers))
            self.h = self.rows @ self.w
            if self.free:
                self.b = float(start[-1]) - self._shift(self.w)
        self.hinges = ProximalHinges(pieces, multipliers, unit)
        stiffness = self._stiffness()
        self.narrowest = _NARROWEST * max(unit, stiffness)
        self.widest = max(unit, stiffness / _SOFT)
        self.hinges = ProximalHinges(pieces, multipliers, self.widest)
        # squared gradient before the last Newton step, and the length of the step
        self.last_error = self.last_move = np.inf

    def evaluate(self):
        """The solution that the trial multipliers make, and the bound they prove."""
        pieces = self.pieces
        if self.free:
            self.b += self.hinges.step(self.h + self.b, self.everywhere)
        self.trial = self.hinges.multipliers_at(self.h + self.b)
        a = coefficients(pieces, self.trial)
        w = self.rows.transposed_product(a)
        self.gradient = self.w - w
        half_norm = float(w @ w) / 2.0
        objective = half_norm + pieces.value(self.rows @ w + self.b)
        total = float(a.sum())
        gained = float((pieces.sides * self.trial) @ pieces.kinks)
        bound = gained - self.b * total - half_norm
        if self.free and abs(total) > _BALANCED * np.abs(a).sum():
            bound = -np.inf
        size = max(abs(objective), half_norm, self.smallest)
        return _Point(a, self.b, objective, size), bound

    def advance(self):
        """One Newton step or, if the weights are good enough, new multipliers."""
        hinges, error = self.hinges, float(self.gradient @ self.gradient)
        moves = (self.trial - hinges.multipliers) ** 2 / self.pieces.costs
        if error <= _INEXACT * hinges.width * float(moves.sum()):
            width = max(hinges.width * _NARROWER, self.narrowest)
        elif self._is_rounding(error):
            width = min(hinges.width * _WIDER, self.widest)  # rounding is as 1 / width
            self.narrowest = width
        else:
            self.last_error = error
            return self._newton_step()
        self.last_error = self.last_move = np.inf
        self.hinges = ProximalHinges(self.pieces, self.trial, width)
        return 0

    def _is_rounding(self, error):
        """Whether the last Newton step hardly moved and did not lower the error."""
        still = self.last_move <= _ROUNDING * np.linalg.norm(self.w)
        return still and error > 0.1 * self.last_error

    def _newton_step(self):
        hinges, scores = self.hinges, self.h + self.b
        d, db, n_products = newton_step(
            self.rows, hinges.curvature(scores), self.gradient, self.free, _RESIDUAL
        )
        dh = self.rows @ d
        t = hinges.step(scores, dh + db, float(self.w @ d), float(d @ d))
        self.last_move = abs(t) * np.linalg.norm(d)
        self.w, self.h, self.b = self.w + t * d, self.h + t * dh, self.b + t * db
        return n_products

    def _stiffness(self):
        """Curvature of hinges of width one along the weights, relative to the norm's.

        Much narrower smooth hinges than this are as hard as kinks.
        """
        w, h, pieces = self.w, self.h, self.pieces
        if not w.any():
            trial = self.hinges.multipliers_at(self.h + self.b)
            w = self.rows.transposed_product(coefficients(pieces, trial))
            h = self.rows @ w
        costs = np.bincount(pieces.rows, pieces.costs, pieces.n_samples)
        if self.free:
            h = h - costs @ h / max(costs.sum(), _TINY)
        return float(costs @ h**2 / max(float(w @ w), _TINY))

    def solution(self, point):
        """What `SolveResult.solution` holds."""
        w = self.rows.transposed_product(point.coefficients)
        return np.append(point.coefficients, point.intercept + self._shift(w))

    def _shift(self, w):
        """What the features' center adds to a free intercept."""
        return 0.0 if self.center is None else float(self.center @ w)


def _paid_pieces(pieces):
    """The pieces that cost something."""
    paid = pieces.costs > 0
    names = ("rows", "kinks", "sides", "costs")
    return replace(pieces, **{name: getattr(pieces, name)[paid] for name in names})


# Chosen on text, on unscaled pixels and on random pieces with columns of mixed scales.
_SOFT = 30.0  # the first width is the largest kink or the stiffness through this
_NARROWER, _WIDER = 0.5, 16.0
_NARROWEST = 1e-11  # part of the stiffness
_INEXACT = 0.25  # error of the weights that a move of the multipliers allows
_RESIDUAL = 0.1  # of conjugate gradient, relative to the gradient
_ROUNDING = 1e-8  # a smaller move of the weights may be one
_BALANCED = 1e-8  # sum of coefficients that counts as zero, relative to their size
_PATIENCE = 200  # iterations without a smaller criterion
_NOTHING = 1e-9  # an objective so much smaller than the costs is zero
_TINY = 1e-300
