"""Kernel models with a piecewise linear loss, by their dual."""

import numpy as np

from widemargin.linalg.products import CALL_WORK, add_products
from widemargin.solvers.driver import drive
from widemargin.solvers.result import SolveResult, Status

_CACHE_BYTES = 200_000_000
_FETCHED = 64  # largest number of rows fetched at a time
_ROUNDING = 1e-12
# steps times samples between two pauses: they take as long as computing the objective
_PAUSE_WORK = 20_000_000


def smo(
    gram, pieces, *, intercept=None, start=None, start_scores=None, tol=1e-3,
    max_iter=10_000_000, cache_rows=None, pause=None, callback=None,
):  # fmt: skip
    r"""Minimize half the squared norm of a function plus a piecewise linear loss.

    .. math:: \min_{h, b}\ \tfrac12 \|h\|^2 + \mathrm{loss}(h + b), \qquad
              h = \sum_i a_i k(x_i, \cdot)

    The dual has one variable per sample, its coefficient :math:`a_i`, however many
    pieces the sample has: its terms are concave and piecewise linear. A free intercept
    makes the coefficients sum to zero, and they move in pairs chosen by second-order
    gain [1]_; with a fixed one they move one at a time. A step is an exact line search,
    through as many kinks as it takes.

    The Gram matrix may be an object with ``diagonal()`` and ``gram_rows(idx)``, of
    which `cache_rows` are kept. `start` may be any solution: it is moved to where the
    dual allows it. Its scores, if given, save a product with the matrix. `tol` is the
    largest violation of the optimality conditions, in units of the scores. The
    solution, (n_samples + 1,), holds the coefficients and the intercept. After every
    `pause` steps the history gets an entry, among them "gap", the most that the
    objective may be above its minimum.

    A step costs O(n_samples) and one or two rows of the Gram matrix. Single steps are
    slow where near copies of a sample need opposite moves at a high cost. Deviations
    from [1]_: kinks inside the box; no shrinking, because to copy the part of the Gram
    matrix that is still active takes as long as all steps.

    .. [1] Fan, Chen, Lin, Working set selection using second order information, 2005.
    """
    pause = max(_PAUSE_WORK // pieces.n_samples, 1) if pause is None else pause
    run = _Run(gram, pieces, intercept, start, start_scores, tol, cache_rows)
    run.pause, run.max_iter, run.callback = pause, max_iter, callback
    # its own limit counts steps, not pauses: see `drive`
    status, _ = drive(iter(run.step, StopIteration), run.history, max_iter=np.inf)
    if status is Status.INTERRUPTED:
        run.note()
    history, scores = run.history, run.dual.scores + run.solution[-1]
    best = history["objective"][-1]
    return SolveResult(run.solution, best, status, run.n_steps, history, scores)


class _Run:
    """Dual variables on their way, and the evidence for them."""

    def __init__(self, gram, pieces, intercept, start, start_scores, tol, cache_rows):
        from widemargin.solvers import smo_loops as loops  # compiles: only when needed

        self.pieces, self.tol, self.is_free = pieces, tol, intercept is None
        self.dual = _Dual(pieces, start, self.is_free)
        is_dense = isinstance(gram, np.ndarray)
        self.rows = _DenseRows(gram) if is_dense else _Cache(gram, cache_rows)
        self.loop = loops.pair_steps if self.is_free else loops.single_steps
        self.fixed = () if self.is_free else (float(intercept),)
        loops.set_slopes(*self.dual.path, *self.dual.place, *self.dual.slopes)
        moved = self.dual.coefficients()
        if start_scores is not None:
            moved -= start[:-1]
            moved[np.abs(moved) <= self.dual.rounding()] = 0.0
            self.dual.scores += start_scores - start[-1]
        self.rows.add_product(moved, self.dual.scores)
        # Bounds of a free intercept before any step: none; the criterion is infinite.
        self.progress = np.array([0.0, np.inf, -np.inf])  # steps, high, low
        self.target, self.best = 0, -np.inf
        self.history = {"objective": [], "criterion": [], "gap": []}

    @property
    def n_steps(self):
        return int(self.progress[0])

    def step(self):
        """Steps until the next pause; the status if they end there, or None."""
        history, status = self.history, None
        self.target = min(self.target + self.pause, self.max_iter)
        self._advance()
        self.note()
        # The dual value, which every step raises.
        reached = history["objective"][-1] - history["gap"][-1]
        if history["criterion"][-1] <= self.tol:
            status = Status.CONVERGED
        elif self.n_steps >= self.max_iter:
            status = Status.MAX_ITER
        elif not reached > self.best:  # not even rounding is left to gain, or NaN
            status = Status.STALLED
        self.best = reached
        if self.callback is not None:
            self.callback(self.n_steps, history)
        return status

    def _advance(self):
        """Steps up to the number `target`; rows that are missing are brought in."""
        rows, dual, progress, wanted = self.rows, self.dual, self.progress, 0
        while wanted >= 0:
            wanted = self.loop(
                rows.cache, rows.slots, rows.stamps, rows.diagonal, *dual.path,
                *dual.place, *dual.slopes, dual.scores, self.tol,
                self.target - progress[0], progress, *self.fixed,
            )  # fmt: skip
            if wanted >= 0:
                # Samples that violate their conditions most will be wanted soon.
                scores, (up, down) = dual.scores + self._intercept(), dual.slopes
                violations = np.maximum(up - scores, scores - down)
                rows.fetch(wanted, violations, progress[0])

    def note(self):
        """Write down the solution so far, and its evidence to the history."""
        a, b = self.dual.coefficients(), self._intercept()
        high, low = self.progress[1:]
        objective, gap = self.pieces.evidence(a, self.dual.scores, b)
        self.history["objective"].append(float(objective))
        self.history["criterion"].append(max(float(high - low), 0.0))
        self.history["gap"].append(gap)
        self.solution = np.append(a, b)

    def _intercept(self):
        """The fixed one, or the middle of two bounds, which may be infinite."""
        if self.fixed:
            return self.fixed[0]
        ends = self.progress[1:][np.isfinite(self.progress[1:])]
        return float(ends.mean()) if len(ends) else 0.0


class _Dual:
    """Where each coefficient stands among the pieces of its sample."""

    def __init__(self, pieces, start, is_balanced):
        path = pieces.dual_path(free_intercept=is_balanced)
        self.lower, self.upper, *self.path = path
        starts, _, lengths = self.path
        self.origins = _origins(starts, lengths, self.lower)
        n = pieces.n_samples
        a = np.zeros(n) if start is None else np.array(start[:n], dtype=np.float64)
        # A start from other pieces may be outside the box of these.
        a = np.clip(a, self.lower, self.upper)
        if is_balanced:
            a = _balance(a, self.lower, self.upper)
        self.place = self._locate(a)
        self.slopes = np.full(n, -np.inf), np.full(n, np.inf)
        self.scores = np.zeros(n)

    def _locate(self, a):
        """The piece of each coefficient and the length of it that lies behind."""
        starts, _, lengths = self.path
        counts = np.diff(starts)
        rounding = self.rounding()  # by which a warm start may miss a kink
        entered = np.repeat(a - rounding, counts) > self.origins
        n_entered = np.diff(np.concatenate([[0], np.cumsum(entered)])[starts])
        piece = starts[:-1] + np.maximum(n_entered - 1, 0)
        piece[counts == 0] = 0
        filled, has = np.zeros(len(a)), counts > 0
        inside, length = a[has] - self.origins[piece[has]], lengths[piece[has]]
        inside[inside <= rounding[has]] = 0.0
        filled[has] = np.where(inside >= length - rounding[has], length, inside)
        return piece, filled

    def rounding(self):
        """That of coefficients, which differs by sample."""
        return _ROUNDING * (np.abs(self.lower) + np.abs(self.upper))

    def coefficients(self):
        """The coefficients, (n_samples,)."""
        starts, (piece, filled) = self.path[0], self.place
        a, has = self.lower.copy(), starts[:-1] < starts[1:]
        a[has] = self.origins[piece[has]] + filled[has]
        return np.minimum(a, self.upper)


class _DenseRows:
    """A Gram matrix in memory."""

    def __init__(self, gram):
        if not gram.flags.c_contiguous:  # symmetric: the rows are the columns
            gram = np.ascontiguousarray(gram.T)
        self.cache, self.slots = gram, np.arange(len(gram))
        self.stamps, self.diagonal = np.zeros(len(gram)), _diagonal(gram)

    def add_product(self, a, scores):
        if self.cache.size > CALL_WORK:
            add_products(self.cache, a, scores)
            return
        from widemargin.linalg.products_loops import add_rows

        add_rows(self.cache, a, scores)  # a small one, as along a path, at once


class _Cache:
    """Some rows of a Gram matrix; those that were not used for longest make room."""

    def __init__(self, gram, n_rows):
        self.gram, self.diagonal = gram, _diagonal(gram)
        n = len(self.diagonal)
        first = gram.gram_rows(np.arange(1))
        if n_rows is None:
            n_rows = _CACHE_BYTES // first.nbytes
        n_rows = min(max(n_rows, 2), max(n, 2))
        self.cache = np.empty((n_rows, n), dtype=first.dtype)
        self.held = np.full(n_rows, -1)  # the row in each place
        self.slots, self.stamps = np.full(n, -1), np.full(n_rows, -1.0)

    def fetch(self, wanted, urgency, step):
        """Bring in a row, and with it others that will soon be wanted."""
        n_free = (self.held < 0).sum()  # crowding out rows in use must pay off
        n_fetched = max(min(_FETCHED, max(n_free, len(self.cache) // 16)), 1)
        urgency = np.where(self.slots < 0, urgency, -np.inf)
        urgency[wanted] = np.inf
        likely = np.argsort(-urgency)[:n_fetched]
        rows = likely[urgency[likely] > 0.0]
        places = np.argsort(self.stamps, kind="stable")[: len(rows)]
        block = self.gram.gram_rows(rows)
        gone = self.held[places]
        self.slots[gone[gone >= 0]] = -1
        self.cache[places], self.held[places], self.slots[rows] = block, rows, places
        self.stamps[places] = step - 0.5  # before those that the next step needs
        self.stamps[self.slots[wanted]] = step

    def add_product(self, a, scores):
        used = np.flatnonzero(a)
        for begin in range(0, len(used), _FETCHED):
            rows = used[begin : begin + _FETCHED]
            block = np.ascontiguousarray(self.gram.gram_rows(rows))
            add_products(block, a[rows], scores)


def _origins(starts, lengths, lower):
    """Coefficient at which each piece begins, summed sample by sample."""
    origins = np.zeros(len(lengths))
    idx, ends, value = starts[:-1], starts[1:], lower
    while len(idx):  # the first piece of every sample, then the second, ...
        more = idx < ends
        idx, ends, value = idx[more], ends[more], value[more]
        origins[idx] = value
        idx, value = idx + 1, value + lengths[idx]
    return origins


def _balance(a, lower, upper):
    """Make coefficients sum to zero by moving those that have most room."""
    excess = a.sum()
    if abs(excess) <= _ROUNDING * (np.abs(lower) + np.abs(upper)).sum():
        return a
    room = a - lower if excess > 0 else upper - a
    order = np.argsort(-room, kind="stable")
    before = np.cumsum(room[order]) - room[order]
    moves = np.zeros(len(a))
    moves[order] = np.clip(abs(excess) - before, 0.0, room[order])
    return a - np.sign(excess) * moves


def _diagonal(gram):
    """The diagonal, kept off zero."""
    diagonal = np.asarray(gram.diagonal(), dtype=np.float64)
    # Steps are divided by it. A linear kernel is zero for rows of zeros, and rounding
    # may make a centered kernel negative.
    return np.maximum(diagonal, max(_ROUNDING * diagonal.max(), 1e-100))
