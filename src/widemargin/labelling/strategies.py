"""Ways to search for labels, as values that estimators take as a parameter."""

from dataclasses import dataclass, replace

import numpy as np

from widemargin.checks import check_number, refuse
from widemargin.defaults import DENSE_ROWS, TABU, TABU_FROM_WEIGHT, TABU_ROWS
from widemargin.labelling.problem import LabelState
from widemargin.labelling.starts import random_start
from widemargin.values import Value

_MIN_TESTS = 1000  # in a call of a loop, at the least
_MAX_FACTOR_SWAPS = 100  # where each of them computes two rows of ties anew
_WORK = 2**22  # matrix entries touched between two calls of `goes_on`: milliseconds


def _count_moves(problem, work):
    """Moves that touch `work` entries: a row of ties, and the ties of all points."""
    n_samples, rank = problem.smoother.matrix.shape
    width = problem.n_classes + (rank if problem.smoother.low_rank else 0)
    return max(1, work // max(1, n_samples * width))  # a part may have no point


def _always():
    """Nothing stops the search."""
    return True


class Search(Value):
    """How missing labels are searched; a family of parameters.

    A member has ``improve(problem, codes, seed, goes_on)``, which returns better labels
    and the number of moves. Between pieces of `work` it calls ``goes_on()`` and ends if
    that is false. `reads_rows`: every step reads a row of the smoother.
    """

    reads_rows = True

    def for_weights(self, unlabeled_weights, n_rows):
        """The search for each weight of the unlabeled rows: this one."""
        return [self] * len(unlabeled_weights)


@dataclass(frozen=True)
class Automatic(Search, shorthand="auto"):
    """The search that suits the estimator.

    For missing labels it is stochastic for unlabeled weights below 1, where labels
    hardly move, and tabu search from there on. With many rows it is always stochastic.
    For clusters it is shaking with local re-shaking, after which sizes become those of
    the data.
    """

    def for_weights(self, unlabeled_weights, n_rows, *, tabu_rows=TABU_ROWS):
        """Tabu search for large weights of not too many rows, else stochastic."""
        heavy = Tabu() if n_rows <= tabu_rows else Stochastic()
        is_heavy = np.asarray(unlabeled_weights) >= TABU_FROM_WEIGHT
        return [heavy if one else Stochastic() for one in is_heavy]


@dataclass(frozen=True)
class Stochastic(Search, shorthand="stochastic"):
    """Each point in turn takes its best class, until a whole round changes nothing.

    Algorithm 1 of the multi-class paper. With two classes it is also the (1+1)
    round-robin evolution of the binary paper. It uses the table of ties where a row of
    ties is cheap and the factor elsewhere.

    Examples
    --------
    >>> from widemargin import LabelSearchClassifier
    >>> from widemargin.parameters import Stochastic
    >>> LabelSearchClassifier(search=Stochastic()).search
    Stochastic()
    """

    reads_rows = False

    def improve(self, problem, codes, seed=0, goes_on=_always, *, work=_WORK):
        """Descend from `codes`; see `Search`."""
        n_order = len(problem.order)
        if not n_order:
            return codes, 0
        progress = np.zeros(4, dtype=np.int64)
        n_samples, rank = problem.smoother.matrix.shape
        # Tests by the factor then beat tests by the table, as measured.
        by_factor = problem.smoother.low_rank and n_samples >= 2 * rank
        width = problem.n_classes * (rank if by_factor else 1)
        make_sweep = _factor_sweep if by_factor else _table_sweep
        n_moves = _count_moves(problem, work)  # each takes longer than many tests
        codes, sweep = make_sweep(problem, codes, progress, n_moves)
        # progress[1] counts tests since the last move; a whole round without one ends.
        while progress[1] < n_order:
            sweep(max(min(n_order, _MIN_TESTS), work // width))
            if not goes_on():
                break
        codes, n_swaps = swap_pairs(problem, codes)
        return codes, int(progress[3]) + n_swaps


def _table_sweep(problem, codes, progress, n_moves):
    """The labels, and a function that makes n tests of them by the table."""
    from widemargin.labelling import sweep_loops as loops

    state, order = LabelState.of(problem, codes), problem.order
    tol = state.tol

    def sweep(n_tests):
        loops.sweep_table(state, order, tol, progress, n_tests, n_moves)

    return state.codes, sweep


def _factor_sweep(problem, codes, progress, n_moves):
    """The same by the factor, which needs no table."""
    from widemargin.labelling import sweep_loops as loops

    smoother, n_classes = problem.smoother, problem.n_classes
    factor, diagonal = smoother.matrix, smoother.weighted_diagonal
    codes = np.array(codes, dtype=np.int32)
    counts = np.bincount(codes, minlength=n_classes)
    # No table of ties to take the scale from, as `LabelState.tol` does.
    tol = 1e2 * np.finfo(factor.dtype).eps * diagonal.max()
    indicator = (np.arange(n_classes)[:, None] == codes).astype(factor.dtype)
    sums = indicator @ factor  # of the rows of each class, (n_classes, rank)

    def sweep(n_tests):
        loops.sweep_factor(
            factor, smoother.rough_matrix, diagonal, sums, codes, counts,
            problem.lower, problem.upper, problem.order, tol, progress, n_tests,
        )  # fmt: skip

    return codes, sweep


@dataclass(frozen=True)
class Steepest(Search, shorthand="steepest"):
    """The best of all moves, again and again (Algorithm 2 of the multi-class paper).

    Examples
    --------
    >>> from widemargin import LabelSearchClassifier
    >>> from widemargin.parameters import Steepest
    >>> LabelSearchClassifier(search=Steepest()).search
    Steepest()
    """

    def improve(self, problem, codes, seed=0, goes_on=_always, *, work=_WORK):
        """Descend from `codes`; see `Search`."""
        from widemargin.labelling import moves_loops as loops

        state, n_moves = LabelState.of(problem, codes), 0
        chunk = done = _count_moves(problem, work)
        # Fewer moves than a chunk: no move is left that gains.
        while done == chunk:
            done = loops.descend(state, state.tol, chunk)
            n_moves += done
            if not goes_on():
                break
        codes, n_swaps = swap_pairs(problem, state.codes)
        return codes, n_moves + n_swaps


@dataclass(frozen=True)
class Shaking(Search, shorthand="shaking"):
    r"""Classes in turn claim points, fewer each round (Alg. 3, multi-class paper).

    In round i each class grows to its target size times :math:`1 + 2^{-i}`, always by
    the point that gains most; no other class falls below `size_floor` times
    :math:`1 - 2^{-i}` of its own target. `size_floor` 0 is the published algorithm,
    whose clusters may end up empty. If the result breaks a bound of the problem, sizes
    are repaired and moves that still gain are made; otherwise it stays as it is.

    Parameters
    ----------
    n_rounds : int, default=21
        Rounds in which every class claims points.
    size_floor : float, default=0.5
        Share of its target, from 0 to 1, that a class keeps while others claim.
    n_reshakes : int, default=0
        Trials of local re-shaking afterwards, see `Reshaking`, if there are three
        classes or more.

    Examples
    --------
    >>> from widemargin import LabelSearchClassifier
    >>> from widemargin.parameters import Shaking
    >>> LabelSearchClassifier(search=Shaking(n_reshakes=30)).search
    Shaking(n_rounds=21, size_floor=0.5, n_reshakes=30)
    """

    n_rounds: int = 21  # a class claims 2^-20 of its target in the last one: no row
    size_floor: float = 0.5
    n_reshakes: int = 0

    def __post_init__(self):
        check_number(self, "n_rounds", low=1, integer=True)
        check_number(self, "size_floor", low=0)
        if self.size_floor > 1:
            refuse(self, "size_floor", "a number from 0 to 1")
        check_number(self, "n_reshakes", low=0, integer=True)

    def improve(self, problem, codes, seed=0, goes_on=_always, *, work=_WORK):
        """Shake `codes`; see `Search`."""
        if self.n_reshakes and problem.n_classes > 2:
            # Of three classes two are shaken together, or nothing would stay in place.
            n_together = min(3, problem.n_classes - 1)
            once = replace(self, n_reshakes=0)
            reshaking = Reshaking(once, self.n_reshakes, n_together)
            return reshaking.improve(problem, codes, seed, goes_on, work=work)
        from widemargin.labelling import moves_loops as loops

        state, n_moves, target = LabelState.of(problem, codes), 0, problem.target
        chunk, stops = _count_moves(problem, work), False
        for i in range(self.n_rounds):
            # Eq. (14) of the multi-class paper, with targets in place of equal sizes.
            cooling = 0.5**i
            # Zero in the first round: a class may take twice its target then, which is
            # all points if there are two classes.
            floor = self.size_floor * target * (1.0 - cooling)
            floor = np.maximum(np.floor(floor + 1e-9), 0).astype(np.int64)
            for label in range(problem.n_classes):
                wanted = target[label] * (1.0 + cooling)
                # The 1e-9 keeps whole numbers that rounding has put just below.
                n_claims = int(np.floor(wanted - state.counts[label] + 1e-9))
                while n_claims > 0 and not stops:
                    n_taken = loops.claim(state, floor, label, min(chunk, n_claims))
                    n_moves += n_taken
                    n_claims = 0 if n_taken < chunk else n_claims - chunk
                    stops = n_claims > 0 and not goes_on()
            if stops or not goes_on():
                break
        if problem.is_feasible(state.codes):
            return state.codes, n_moves
        codes = problem.repair(state.codes, problem.gains(state.table, state.codes))
        codes, n_more = Steepest().improve(problem, codes)
        return codes, n_moves + n_more


@dataclass(frozen=True)
class Tabu(Search, shorthand="tabu"):
    """The best move of a point that has not moved recently, in each step.

    The move is made even if it raises the objective.

    Parameters
    ----------
    steps_per_sample : float, default=5.0
        Steps for each movable point.

    Examples
    --------
    >>> from widemargin import LabelSearchClassifier
    >>> from widemargin.parameters import Tabu
    >>> LabelSearchClassifier(search=Tabu(steps_per_sample=2.0)).search
    Tabu(steps_per_sample=2.0)
    """

    steps_per_sample: float = TABU.steps_per_row

    def __post_init__(self):
        check_number(self, "steps_per_sample", low=0, strict=True)

    def improve(self, problem, codes, seed=0, goes_on=_always, *, work=_WORK):
        """Search from `codes`; see `Search`."""
        n_movable = len(problem.order)
        if n_movable < 2:
            return Steepest().improve(problem, codes, seed, goes_on, work=work)
        state = LabelState.of(problem, codes)
        most = max(1, n_movable // TABU.rows_per_waiting)
        tenure = min(TABU.wait + n_movable // TABU.rows_per_step, most)
        spread = min(TABU.spread, most)
        # Step at which each point may move again; `ring` lists those that wait.
        free_at = np.zeros(problem.n_samples, dtype=np.int64)
        ring = np.full(2 * (tenure + spread) + 2, -1, dtype=np.int64)
        best = state.codes.copy()
        # Gains add up to about the ties inside, and so does their rounding.
        rounding = 10 * np.finfo(state.own_tie.dtype).eps * abs(state.inside)
        tracker = np.array([0.0, 0.0, max(state.tol, rounding)])
        random = np.array([seed], dtype=np.uint64)
        n_steps, step = int(self.steps_per_sample * n_movable), 0
        chunk = _count_moves(problem, work)
        # With fixed sizes no single move is possible, only exchanges.
        exchanging = bool((problem.lower == problem.upper).all())
        while step < n_steps:
            end = min(step + chunk, n_steps)
            step = tabu_steps(
                state, free_at, ring, best, tracker, random, step, end, tenure, spread,
                exchanging=exchanging,
            )  # fmt: skip
            if step < end or not goes_on():  # nothing can move, or it is stopped
                break
        codes, n_moves = Steepest().improve(problem, best)
        return codes, step + n_moves


def tabu_steps(state, *memory, exchanging):
    """Tabu moves, and exchanges where no single move is admissible or wanted.

    `memory` is that of the compiled loops, from `free_at` to `spread`. Returns the step
    at which nothing will ever move, or the last one.
    """
    from widemargin.labelling import moves_loops as loops

    *shared, step, stop, tenure, spread = memory
    while step < stop:
        if not exchanging:
            step = loops.tabu_moves(state, *shared, step, stop, tenure, spread)
        if step < stop:
            end = stop if exchanging else step + 1
            step = loops.tabu_exchanges(state, *shared, step, end, tenure, spread)
            if step < end:
                break
    return step


@dataclass(frozen=True)
class Evolution(Search, shorthand="evolution"):
    """A population of labelings, mutated and selected (Algorithm 2, binary paper).

    With one parent and one child it is the round-robin search of `Stochastic`.

    Parameters
    ----------
    population, offspring : int, default=5 and 25
        Parents that survive a generation, and children that it has.

    Examples
    --------
    >>> from widemargin import LabelSearchClassifier
    >>> from widemargin.parameters import Evolution
    >>> LabelSearchClassifier(search=Evolution(population=1, offspring=1)).search
    Evolution(population=1, offspring=1)
    """

    population: int = 5
    offspring: int = 25

    def __post_init__(self):
        check_number(self, "population", low=1, integer=True)
        check_number(self, "offspring", low=1, integer=True)

    def improve(self, problem, codes, seed=0, goes_on=_always, *, work=_WORK):
        """Evolve from `codes` and random labelings; see `Search`."""
        from widemargin.labelling import moves_loops as loops

        if (self.population, self.offspring) == (1, 1) or len(problem.order) < 2:
            return Stochastic().improve(problem, codes, seed, goes_on, work=work)
        rng = np.random.default_rng(seed)
        starts = [random_start(problem, rng) for _ in range(self.population - 1)]
        states = [LabelState.of(problem, start) for start in (codes, *starts)]
        tables = np.stack([state.table for state in states])
        population = np.stack([state.codes for state in states])
        counts = np.stack([state.counts for state in states])
        fitness = np.array([0.5 * state.inside for state in states])
        tol, progress = max(s.tol for s in states), np.zeros(3, dtype=np.int64)
        random = rng.integers(2**63, size=1, dtype=np.uint64)
        # The paper ends after n generations without a change.
        patience = problem.n_samples
        # A generation copies the tables of all parents.
        chunk = max(1, _count_moves(problem, work) // (2 * self.population))
        while progress[0] < patience:
            loops.evolve(
                states[0], tables, population, counts, fitness, problem.order,
                self.offspring, random, tol, progress, patience, chunk,
            )  # fmt: skip
            if not goes_on():
                break
        return population[fitness.argmax()].copy(), int(progress[2])


@dataclass(frozen=True)
class Reshaking(Search):
    """Shaking, then again and again of a class and the classes nearest to it.

    Each trial forgets the labels of `n_together` classes, the first of them in turn and
    the others those with the largest ties to it, shakes only their points, and keeps
    the result if it is better. With `shakes_first` everything is shaken before.
    """

    shaking: Shaking = Shaking()
    n_trials: int = 40
    n_together: int = 3
    shakes_first: bool = True

    def improve(self, problem, codes, seed=0, goes_on=_always, *, work=_WORK):
        """Shake `codes`, then parts of it; see `Search`."""
        rng, n_moves = np.random.default_rng(seed), 0
        if self.shakes_first:
            codes, n_moves = self.shaking.improve(problem, codes, seed, goes_on)
        n_together = min(self.n_together, problem.n_classes)
        inside = problem.inside(codes)
        for trial in range(self.n_trials):
            if not goes_on():
                break
            first = trial % problem.n_classes
            members = (codes == first).astype(problem.smoother.matrix.dtype)
            tie = problem.smoother.weighted_product(members[:, None])[:, 0]
            ties = np.bincount(codes, weights=tie, minlength=problem.n_classes)
            # It is always among the chosen ones.
            ties[first] = np.inf
            classes = np.sort(np.argsort(-ties, kind="stable")[:n_together])
            points = np.flatnonzero(np.isin(codes, classes))
            part = problem.part(points, classes)
            found, n_more = self.shaking.improve(part, random_start(part, rng))
            before = np.searchsorted(classes, codes[points]).astype(np.int32)
            gain = part.inside(found) - part.inside(before)
            n_moves += n_more
            # A smaller gain is rounding of the sums.
            if gain > 1e-9 * abs(inside):
                codes = codes.copy()
                codes[points] = classes[found]
                inside += gain
        return codes, n_moves


def best_exchange(state):
    """The same as the compiled loop, which takes long where rows of ties do."""
    from widemargin.labelling import moves_loops as loops

    (alone, candidate), found = loops.best_alone(state), (-1, -1, -np.inf)
    bound = alone + alone.T
    for _ in range(2 * len(bound)):
        a, d = loops.next_classes(bound, found[2])
        if a < 0:
            break
        i = candidate[a, d]
        j, gain = loops.best_second(state, i, a, d, alone[a, d], found[2])
        found = (i, j, gain) if j >= 0 else found
    return found


def swap_pairs(problem, codes, *, dense_rows=DENSE_ROWS):
    """Swap pairs of points where a class at a bound keeps them from moving alone.

    There are at most as many swaps as points. Where a low-rank smoother has too many
    points to keep all ties there are a hundred, and only if all sizes are fixed.
    """
    counts = np.bincount(codes, minlength=problem.n_classes)
    at_bound = (counts <= problem.lower) | (counts >= problem.upper)
    is_blocked = (at_bound & (counts > 0)).any()
    is_large = problem.smoother.low_rank and problem.n_samples > dense_rows
    if is_large:
        is_blocked = (problem.lower == problem.upper).all()
    if not is_blocked or not len(problem.order):
        return codes, 0
    from widemargin.labelling import moves_loops as loops

    if not is_large:
        problem = problem.with_dense_smoother()
    state, n_swaps = LabelState.of(problem, codes), 0
    max_swaps = _MAX_FACTOR_SWAPS if state.low_rank else len(problem.order)
    chunk = _count_moves(problem, _WORK)
    while n_swaps < max_swaps:
        # Rows of ties of many points are computed one by one, to listen in between.
        find = best_exchange if state.low_rank else loops.best_exchange
        i, j, gain = find(state)
        if gain <= state.tol:
            break
        loops.exchange(state, i, j)
        n_swaps, n_left, tol = n_swaps + 1, max_swaps, state.tol
        while n_left > 0:
            n_moves = loops.descend(state, tol, min(chunk, n_left))
            n_left = n_left - chunk if n_moves == chunk else 0
    return state.codes, n_swaps
