"""Ways to search for labels: small pieces with one method, `improve`.

``strategy.improve(problem, codes, seed, pulse)`` returns better labels and the number
of moves that it took. `seed` makes its chance repeatable. Between pieces of work it
calls ``pulse()``, where a caller may stop the search by raising `StopSearch`; the best
labels by then are returned. `reads_rows` says that every
step reads a row of the mass, which is then worth having in full.
"""

from dataclasses import dataclass

import numpy as np

from widemargin.solvers.label_starts import mend, random_start
from widemargin.solvers.label_state import LabelState

DENSE_ROWS = 8192  # up to here rows of a low-rank mass are worth keeping
_CHUNK = 2**22  # matrix entries touched between two pulses, about


class StopSearch(Exception):
    """Raised by a pulse: return the best labels so far."""


def _no_pulse():
    """Nobody wants to stop the search."""


@dataclass(frozen=True)
class Stochastic:
    """Each point in turn takes its best class, until a whole round changes nothing.

    Algorithm 1 of the multi-class paper. With two classes it is the (1+1) round-robin
    evolution of the binary paper, too. Uses the table where a row of the mass is cheap
    and the factor elsewhere.
    """

    reads_rows = False

    def improve(self, problem, codes, seed=0, pulse=_no_pulse):
        """Descend from `codes`; see the module."""
        from widemargin.solvers import label_sweep_loops as loops

        if not len(problem.order):
            return codes, 0
        smoother, by_factor = problem.smoother, _prefers_factor(problem.smoother)
        progress = np.zeros(4, dtype=np.int64)
        if by_factor:
            codes = np.array(codes, dtype=np.int32)
            counts = np.bincount(codes, minlength=problem.n_classes)
            sums = _sum_by_class(smoother.matrix, codes, problem.n_classes)
            tol = 1e2 * np.finfo(sums.dtype).eps * smoother.mass_diagonal.max()
            factors = smoother.matrix, smoother.rough_matrix, smoother.mass_diagonal
        else:
            state = LabelState(problem, codes)
            codes, counts, tol = state.codes, state.counts, state.tol
        bounds = (problem.lower, problem.upper, problem.order)
        width = smoother.matrix.shape[1] if by_factor else problem.n_classes
        n_tests = max(len(problem.order), _CHUNK // max(1, width))
        try:
            while progress[1] < len(problem.order):
                if not by_factor:
                    loops.sweep_table(
                        *state.mass, state.table, codes, counts, *bounds, state.row,
                        tol, progress, n_tests,
                    )  # fmt: skip
                elif problem.n_classes == 2:
                    difference = sums[1] - sums[0]
                    loops.sweep_two(
                        *factors, difference, codes, counts, *bounds, tol, progress,
                        n_tests,
                    )  # fmt: skip
                    sums = _sum_by_class(smoother.matrix, codes, 2)
                else:
                    loops.sweep_factor(
                        *factors, sums, codes, counts, *bounds, tol, progress,
                        n_tests,
                    )  # fmt: skip
                pulse()
        except StopSearch:
            pass
        codes, n_exchanges = trade(problem, codes)
        return codes, int(progress[3]) + n_exchanges


@dataclass(frozen=True)
class Steepest:
    """The best of all moves, again and again (Algorithm 2 of the multi-class paper)."""

    reads_rows = True

    def improve(self, problem, codes, seed=0, pulse=_no_pulse):
        """Descend from `codes`; see the module."""
        from widemargin.solvers import label_moves_loops as loops

        state, n_moves = LabelState(problem, codes), 0
        chunk = max(1, _CHUNK // (problem.n_samples * problem.n_classes))
        try:
            while True:
                done = loops.descend(
                    *state.mass, *state.moving, *state.bounds, state.bar, state.row,
                    state.tol, chunk,
                )  # fmt: skip
                n_moves += done
                pulse()
                if done < chunk:
                    break
        except StopSearch:
            pass
        codes, n_exchanges = trade(problem, state.codes)
        return codes, n_moves + n_exchanges


@dataclass(frozen=True)
class Shaking:
    r"""Classes in turn claim points, ever fewer (Algorithm 3 of the multi-class paper).

    In round i each class grows to its target size times :math:`1 + 2^{-i}`, always by
    the point that gains most; no other class falls below `size_floor` times
    :math:`1 - 2^{-i}` of its own target. `size_floor` 0 is the published algorithm,
    whose clusters may end up empty. If the result breaks a bound of the problem it is
    mended, and moves that still gain are made; otherwise it stays as it is.
    """

    n_rounds: int = 21
    size_floor: float = 0.5

    reads_rows = True

    def improve(self, problem, codes, seed=0, pulse=_no_pulse):
        """Shake `codes`; see the module."""
        from widemargin.solvers import label_moves_loops as loops

        state, n_moves = LabelState(problem, codes), 0
        try:
            for i in range(self.n_rounds):
                cooling = 0.5**i
                floor = self.size_floor * problem.target * (1.0 - cooling)
                floor = np.maximum(np.floor(floor + 1e-9), 0).astype(np.int64)
                for label in range(problem.n_classes):
                    wanted = problem.target[label] * (1.0 + cooling)
                    n_claims = int(np.floor(wanted - state.counts[label] + 1e-9))
                    if n_claims > 0:
                        n_moves += loops.claim(
                            *state.mass, *state.moving, floor, state.bar, state.row,
                            label, n_claims,
                        )  # fmt: skip
                pulse()
        except StopSearch:
            pass
        if problem.is_feasible(state.codes):
            return state.codes, n_moves
        codes = mend(problem, state.codes, problem.gains(state.table, state.codes))
        codes, n_more = Steepest().improve(problem, codes)
        return codes, n_moves + n_more


@dataclass(frozen=True)
class Tabu:
    """Always the best move of a point that did not move lately, even if it costs.

    Attributes
    ----------
    steps_per_sample : float
        Steps for each movable point.
    patience_per_sample : float
        Steps without a new best, for each movable point, after which it ends.
    """

    steps_per_sample: float = 5.0
    patience_per_sample: float = 5.0

    reads_rows = True

    def improve(self, problem, codes, seed=0, pulse=_no_pulse):
        """Search from `codes`; see the module."""
        from widemargin.solvers import label_moves_loops as loops

        n_movable = len(problem.order)
        if n_movable < 2:
            return Steepest().improve(problem, codes, seed, pulse)
        state = LabelState(problem, codes)
        tenure = min(10 + n_movable // 100, max(1, n_movable // 4))
        spread = max(1, min(10, n_movable // 4))
        free_at = np.zeros(problem.n_samples, dtype=np.int64)
        ring = np.full(2 * (tenure + spread) + 2, -1, dtype=np.int64)
        best = state.codes.copy()
        # Gains add up to about the mass inside, and so does their rounding.
        rounding = 10 * np.finfo(state.stay.dtype).eps * abs(state.inside)
        tracker = np.array([0.0, 0.0, 0.0, max(state.tol, rounding)])
        random = np.array([seed], dtype=np.uint64)
        n_steps, step = int(self.steps_per_sample * n_movable), 0
        patience = self.patience_per_sample * n_movable
        chunk = max(16, _CHUNK // (problem.n_samples * problem.n_classes))
        exchanging = bool((problem.lower == problem.upper).all())
        try:
            while step < n_steps and step - tracker[2] <= patience:
                reached = loops.tabu_steps(
                    *state.mass, *state.moving, *state.bounds, state.bar, state.row,
                    free_at, ring, best, tracker, random, step,
                    min(chunk, n_steps - step), tenure, spread, exchanging,
                )  # fmt: skip
                pulse()
                can_move = reached == min(step + chunk, n_steps)
                step = reached
                if not can_move:
                    break
        except StopSearch:
            pass
        codes, n_moves = Steepest().improve(problem, best)
        return codes, step + n_moves


@dataclass(frozen=True)
class Evolution:
    """A population of labelings, mutated and selected (Algorithm 2, binary paper).

    With one parent and one child it is the round-robin search of `Stochastic`.

    Attributes
    ----------
    population, offspring : int
        Parents that survive a generation, and children that it has.
    """

    population: int = 5
    offspring: int = 25

    reads_rows = True

    def improve(self, problem, codes, seed=0, pulse=_no_pulse):
        """Evolve from `codes` and random labelings; see the module."""
        from widemargin.solvers import label_evolution_loops as loops

        if (self.population, self.offspring) == (1, 1) or len(problem.order) < 2:
            return Stochastic().improve(problem, codes, seed, pulse)
        rng = np.random.default_rng(seed)
        starts = [codes]
        starts += [random_start(problem, rng) for _ in range(self.population - 1)]
        states = [LabelState(problem, start) for start in starts]
        tables = np.stack([state.table for state in states])
        population = np.stack([state.codes for state in states])
        counts = np.stack([state.counts for state in states])
        fitness = np.array([0.5 * state.inside for state in states])
        progress, random = (
            np.zeros(3, dtype=np.int64),
            rng.integers(2**63, size=1, dtype=np.uint64),
        )
        patience = problem.n_samples
        chunk = max(16, _CHUNK // (problem.n_samples * problem.n_classes))
        try:
            while progress[0] < patience:
                loops.evolve(
                    *states[0].mass, tables, population, counts, fitness,
                    *states[0].bounds, problem.order, self.offspring, random,
                    max(state.tol for state in states), progress, patience, chunk,
                )  # fmt: skip
                pulse()
        except StopSearch:
            pass
        return population[fitness.argmax()].copy(), int(progress[2])


@dataclass(frozen=True)
class Reshaking:
    """Shaking, then again and again of a class and the classes nearest to it.

    Each trial forgets the labels of `n_together` classes, the first of them in turn and
    the others those with the largest mass between, shakes only their points, and keeps
    the result if it is better. `shakes_first` says whether everything is shaken before.
    """

    shaking: Shaking = Shaking()
    n_trials: int = 40
    n_together: int = 3
    shakes_first: bool = True

    reads_rows = True

    def improve(self, problem, codes, seed=0, pulse=_no_pulse):
        """Shake `codes`, then parts of it; see the module."""
        rng = np.random.default_rng(seed)
        n_moves = 0
        if self.shakes_first:
            codes, n_moves = self.shaking.improve(problem, codes, seed, pulse)
        n_together = min(self.n_together, problem.n_classes)
        inside = problem.inside(codes)
        try:
            for trial in range(self.n_trials):
                classes = self._neighbors(problem, codes, trial, n_together)
                points = np.flatnonzero(np.isin(codes, classes))
                part = problem.part(points, classes)
                start = random_start(part, rng)
                found, n_more = self.shaking.improve(part, start)
                before = np.searchsorted(classes, codes[points]).astype(np.int32)
                gain = part.inside(found) - part.inside(before)
                n_moves += n_more
                if gain > 1e-9 * abs(inside):
                    codes = codes.copy()
                    codes[points] = classes[found]
                    inside += gain
                pulse()
        except StopSearch:
            pass
        return codes, n_moves

    @staticmethod
    def _neighbors(problem, codes, trial, n_together):
        """A class and those with the largest mass between it and them, sorted."""
        first = trial % problem.n_classes
        members = (codes == first).astype(problem.smoother.matrix.dtype)
        tie = problem.smoother.mass_product(members[:, None])[:, 0]
        ties = np.bincount(codes, weights=tie, minlength=problem.n_classes)
        ties[first] = np.inf
        order = np.argsort(-ties, kind="stable")
        return np.sort(order[:n_together])


def trade(problem, codes):
    """Let pairs of points trade places where bounds keep them from moving alone.

    Returns labels and the number of trades; nothing happens unless a class is at one of
    its bounds. At most as many trades as points. Where the whole mass is too large to
    have at hand, a hundred, and only if all sizes are fixed, so that nothing else can
    move.
    """
    from widemargin.solvers import label_moves_loops as loops

    counts = np.bincount(codes, minlength=problem.n_classes)
    at_bound = (counts <= problem.lower) | (counts >= problem.upper)
    is_blocked = (at_bound & (counts > 0)).any()
    is_large = problem.smoother.low_rank and problem.n_samples > DENSE_ROWS
    if is_large:
        is_blocked = (problem.lower == problem.upper).all()
    if not is_blocked or not len(problem.order):
        return codes, 0
    if not is_large:
        problem = problem.with_dense_mass()
    state, n_trades = LabelState(problem, codes), 0
    matrix, low_rank, _ = state.mass
    max_trades = 100 if low_rank else len(problem.order)
    while n_trades < max_trades:
        i, j, gain = loops.best_exchange(
            matrix, low_rank, state.table, state.stay, state.codes, state.bar,
            state.row,
        )  # fmt: skip
        if gain <= state.tol:
            break
        loops.exchange(*state.mass, *state.moving, state.row, i, j)
        n_trades += 1
        loops.descend(
            *state.mass, *state.moving, *state.bounds, state.bar, state.row,
            state.tol, max_trades,
        )  # fmt: skip
    return state.codes, n_trades


def _prefers_factor(smoother):
    """Whether tests by the factor beat tests by the table, as measured."""
    if not smoother.low_rank:
        return False
    n_samples, rank = smoother.matrix.shape
    return n_samples >= 2 * rank


def _sum_by_class(factor, codes, n_classes):
    """Sum of the rows of each class, (n_classes, rank)."""
    indicator = np.arange(n_classes)[:, None] == codes
    return indicator.astype(factor.dtype) @ factor
