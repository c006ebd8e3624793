"""Slow, obvious versions of the label search, and problems to try it on.

The searches work on all ties in double precision and compute the table anew
before each step.
"""

from dataclasses import replace

import numpy as np
from threadpoolctl import threadpool_limits

from widemargin.labelling.problem import LabelProblem
from widemargin.spaces.smoother import DenseSmoother, LowRankSmoother, Smoother

# --------------------------------------------------------------------------- problems


def rbf_gram(X, width=1.0):
    return np.exp(-((X[:, None] - X) ** 2).sum(axis=-1) / (2 * width**2))


def features_of(gram, rank=None):
    """Features Z with Z Z' = gram, or the best approximation of that rank."""
    values, vectors = np.linalg.eigh(gram)
    features = vectors * np.sqrt(np.maximum(values, 0.0))
    return np.ascontiguousarray(features[:, ::-1][:, :rank])


@threadpool_limits.wrap(limits=1, user_api="blas")  # many small ones, a busy machine
def smooth_smoother(rng, n, *, rank=None, dtype=np.float64):
    """Of points with unequal weights; low rank if a rank is given."""
    gram, weights = rbf_gram(rng.normal(size=(n, 3))), rng.uniform(0.5, 2.0, n)
    if rank is None:
        return DenseSmoother(gram.astype(dtype), weights, 0.3)
    return LowRankSmoother(features_of(gram, rank).astype(dtype), weights, 0.3)


def tied_smoother(rng, n, *, rank=None, dtype=np.float64):
    """Whole numbers and every point several times: sums are exact, ties abound."""
    factor = rng.integers(-2, 3, size=(n // 3, rank or 12))
    factor = factor[rng.integers(len(factor), size=n)].astype(dtype)
    weights = np.ones(n, dtype=dtype)
    if rank is None:
        return Smoother(factor @ factor.T, weights, low_rank=False)
    return Smoother(factor, weights, low_rank=True)


def label_problem(
    smoother, n_classes, *, given=None, lower=0, upper=None, target=None, order=None
):
    """A problem whose given labels are -1 where there is none."""
    n = smoother.n_samples
    given = np.full(n, -1) if given is None else np.asarray(given)
    movable = given < 0
    return LabelProblem(
        smoother,
        movable,
        given.astype(np.int32),
        np.broadcast_to(lower, n_classes).astype(np.int64),
        np.broadcast_to(n if upper is None else upper, n_classes).astype(np.int64),
        np.full(n_classes, n / n_classes) if target is None else np.asarray(target),
        np.flatnonzero(movable) if order is None else order,
    )


def some_given(rng, n, n_classes, n_given):
    """Labels of some points, those of each class at least once; -1 for the others."""
    given = np.full(n, -1)
    labels = np.arange(n_given) % n_classes
    given[rng.choice(n, n_given, replace=False)] = labels
    return given


def all_ties(problem):
    """The ties as a matrix, in double precision."""
    smoother = problem.smoother
    matrix = smoother.matrix.astype(np.float64, copy=False)
    return matrix @ matrix.T if smoother.low_rank else matrix


def in_full(problem):
    """The same problem with the ties as a matrix, in double precision."""
    smoother = Smoother(
        all_ties(problem), problem.smoother.weights.astype(float), low_rank=False
    )
    return replace(problem, smoother=smoother)


# -------------------------------------------------------------------------- objective


def smoother_matrix(gram, weights, reg):
    """R = K W (K W + reg I)^-1."""
    weighted = gram * weights
    return np.linalg.solve((weighted + reg * np.eye(len(gram))).T, weighted.T).T


def ridge_cost(gram, weights, reg, y):
    """Weighted squared error plus reg times squared norm, at its minimum."""
    weighted = weights[:, None] * gram
    c = np.linalg.solve(weighted + reg * np.eye(len(gram)), weights * y)
    return weights @ (y - gram @ c) ** 2 + reg * c @ gram @ c


def retrained(gram, weights, reg, codes, n_classes):
    """One-vs-rest machines trained from scratch; a single one for two classes."""
    machines = [1] if n_classes == 2 else range(n_classes)
    return sum(
        ridge_cost(gram, weights, reg, np.where(codes == h, 1.0, -1.0))
        for h in machines
    )


def inside(ties, codes):
    """Ties between all pairs of points of the same class."""
    return ties[codes[:, None] == codes].sum()


def gains(ties, codes, n_classes):
    """Half of what each relabeling adds to the ties inside, from a new table."""
    table = (np.arange(n_classes)[:, None] == codes).astype(float) @ ties
    own = table[codes, np.arange(len(codes))]
    return table - own + np.diagonal(ties)


def labelings(n, n_classes):
    """All of them, (n_classes**n, n)."""
    return np.array(np.unravel_index(np.arange(n_classes**n), (n_classes,) * n)).T


def lowest_value(problem):
    """Lowest objective of all labelings that are feasible."""
    codes = labelings(problem.n_samples, problem.n_classes)
    codes = codes[(codes == problem.given)[:, ~problem.movable].all(axis=1)]
    ties, best = all_ties(problem), -np.inf
    member = codes[:, :, None] == np.arange(problem.n_classes)
    sizes = member.sum(axis=1)
    fits = ((sizes >= problem.lower) & (sizes <= problem.upper)).all(axis=1)
    member = member[fits].astype(float)
    totals = np.einsum("bih,ij,bjh->b", member, ties, member, optimize=True)
    best = codes[fits][totals.argmax()]
    return problem.value(best.astype(np.int32))


# --------------------------------------------------------------------------- searches


def open_points(codes, allowed, counts, lower):
    """Points that may leave their class."""
    return allowed & (counts > lower)[codes]


def best_move(problem, codes, allowed):
    """Point, class and gain of the best move; the first of equal ones."""
    k = problem.n_classes
    counts = np.bincount(codes, minlength=k)
    free = open_points(codes, allowed, counts, problem.lower)
    free = free & (counts < problem.upper)[:, None] & (np.arange(k)[:, None] != codes)
    gain = np.where(free, gains(all_ties(problem), codes, k), -np.inf)
    label, point = np.unravel_index(gain.argmax(), gain.shape)
    return point, label, gain[label, point]


def descend(problem, codes, tol, max_moves=np.inf):
    """Best move after best move; codes and number of moves."""
    problem, codes, n_moves = in_full(problem), codes.copy(), 0
    while n_moves < max_moves:
        point, label, gain = best_move(problem, codes, problem.movable)
        if gain <= tol:
            break
        codes[point] = label
        n_moves += 1
    return codes, n_moves


def claim(problem, codes, floor, label, n_claims):
    """One class takes the points that gain most; codes and number of points."""
    codes, ties = codes.copy(), all_ties(problem)
    for n_taken in range(n_claims):
        counts = np.bincount(codes, minlength=problem.n_classes)
        free = open_points(codes, problem.movable, counts, floor) & (codes != label)
        if not free.any():
            return codes, n_taken
        gain = gains(ties, codes, problem.n_classes)[label]
        codes[np.where(free, gain, -np.inf).argmax()] = label
    return codes, n_claims


def shaking(problem, codes, n_rounds, size_floor):
    """Algorithm 3 of the multi-class paper, with floors; codes and number of moves."""
    problem, n_moves = in_full(problem), 0
    for i in range(n_rounds):
        floor = np.floor(size_floor * problem.target * (1 - 2.0**-i) + 1e-9)
        for label in range(problem.n_classes):
            size = np.sum(codes == label)
            wanted = problem.target[label] * (1 + 2.0**-i)
            n_claims = max(0, int(np.floor(wanted - size + 1e-9)))
            codes, n_taken = claim(problem, codes, floor, label, n_claims)
            n_moves += n_taken
    return codes, n_moves


def best_exchange(problem, codes, allowed):
    """The pair that trades places, of pairs whose first point gains most alone.

    Pairs of classes come in the order of what their best points gain alone, up to twice
    as many as there are classes, until that sum is no more than the best pair.
    """
    ties, k = all_ties(problem), problem.n_classes
    gain = gains(ties, codes, k)
    candidate, alone = {}, np.full((k, k), -np.inf)
    for a, d in np.ndindex(k, k):
        points = np.flatnonzero(allowed & (codes == a))
        if a != d and len(points):
            candidate[a, d] = points[gain[d, points].argmax()]
            alone[a, d] = gain[d, points].max()
    both = alone + alone.T
    first, second, best = -1, -1, -np.inf
    for a, d in sorted(np.ndindex(k, k), key=lambda pair: -both[pair])[: 2 * k]:
        if both[a, d] <= best:
            break
        i, partners = candidate[a, d], np.flatnonzero(allowed & (codes == d))
        value = alone[a, d] + gain[a, partners] - 2 * ties[i, partners]
        if value.max() > best:
            first, second, best = i, partners[value.argmax()], value.max()
    return first, second, best


def swap_pairs(problem, codes, tol):
    """Exchanges, each followed by a descent, while they gain; codes and exchanges."""
    max_swaps = 100 if problem.smoother.low_rank else len(problem.order)
    problem, codes = in_full(problem), codes.copy()
    counts = np.bincount(codes, minlength=problem.n_classes)
    tight = (counts <= problem.lower) | (counts >= problem.upper)
    if not (tight & (counts > 0)).any():
        return codes, 0
    for n_swaps in range(max_swaps):
        i, j, gain = best_exchange(problem, codes, problem.movable)
        if gain <= tol:
            return codes, n_swaps
        codes[i], codes[j] = codes[j], codes[i]
        codes, _ = descend(problem, codes, tol)
    return codes, max_swaps


class SplitMix64:
    """The generator of the loops, in whole numbers of Python."""

    def __init__(self, seed):
        self.state = int(seed)

    def draw(self, n):
        word = 2**64 - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & word
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & word
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & word
        return ((z ^ (z >> 31)) >> 11) % n


def tabu(problem, codes, seed, n_steps, tenure, spread, tol, *, exchanging):
    """Codes after the last step, best codes, their gain and number of steps."""
    problem, codes, best = in_full(problem), codes.copy(), codes.copy()
    random, ties = SplitMix64(seed), all_ties(problem)
    free_at, total, highest = np.zeros(len(codes)), 0.0, 0.0
    for t in range(n_steps):
        barred = free_at > t
        allowed = problem.movable & ~barred
        gain = -np.inf
        if not exchanging:
            point, label, gain = best_move(problem, codes, allowed)
            barred_best = best_move(problem, codes, problem.movable & barred)
            if total + barred_best[2] > highest + tol and barred_best[2] > gain:
                point, label, gain = barred_best
        if gain > -np.inf:
            moved = [point]
            codes[point] = label
        else:
            i, j, gain = best_exchange(problem, codes, allowed)
            if i < 0:
                return codes, best, highest, t
            moved = [i, j]
            codes[i], codes[j] = codes[j], codes[i]
        total += gain
        for j in moved:
            free_at[j] = t + 1 + tenure + random.draw(spread)
        if total > highest + tol:
            highest, best = total, codes.copy()
        assert np.isclose(inside(ties, codes) / 2, inside(ties, best) / 2
                          + total - highest, rtol=1e-4)  # fmt: skip
    return codes, best, highest, n_steps


def sweep(problem, codes, tol, max_tests=np.inf):
    """Each point in turn takes its best class; codes, tests and moves."""
    codes, ties = codes.copy(), all_ties(problem)
    counts = np.bincount(codes, minlength=problem.n_classes)
    n_tests, quiet, n_moves = 0, 0, 0
    while quiet < len(problem.order) and n_tests < max_tests:
        j = problem.order[n_tests % len(problem.order)]
        n_tests, quiet = n_tests + 1, quiet + 1
        gain = gains(ties, codes, problem.n_classes)[:, j]
        gain[(counts >= problem.upper)] = -np.inf
        gain[codes[j]] = -np.inf
        if counts[codes[j]] <= problem.lower[codes[j]] or gain.max() <= tol:
            continue
        counts[codes[j]] -= 1
        codes[j] = gain.argmax()
        counts[codes[j]] += 1
        quiet, n_moves = 0, n_moves + 1
    return codes, n_tests, n_moves


def mutate(problem, codes, random, n_tries=50):
    """Point and class, and a partner if two points trade places; None if no luck."""
    counts = np.bincount(codes, minlength=problem.n_classes)
    order = problem.order
    for _ in range(n_tries):
        j = order[random.draw(len(order))]
        others = [h for h in range(problem.n_classes) if h != codes[j]]
        new = others[random.draw(len(others))]
        if counts[codes[j]] > problem.lower[codes[j]] and (
            counts[new] < problem.upper[new]
        ):
            return j, new, None
        i = order[random.draw(len(order))]
        if codes[i] == new:
            return j, new, i
    return None


def evolve(
    problem, population, n_offspring, seed, n_generations, patience=np.inf, tol=0.0
):
    """Mutation and selection; a child must be better by `tol`.

    Returns population, fitness, and the counts of `progress`.
    """
    random, ties = SplitMix64(seed), all_ties(problem)
    population = [codes.copy() for codes in population]
    unchanged, n_survivors, n_done = 0, 0, 0
    while n_done < n_generations and unchanged < patience:
        n_done += 1
        pool = [(inside(ties, codes), codes, False) for codes in population]
        for _ in range(n_offspring):
            child = population[random.draw(len(population))].copy()
            change = mutate(problem, child, random)
            if change is None:
                pool.append((-np.inf, child, True))
                continue
            j, new, i = change
            if i is not None:
                child[i] = child[j]
            child[j] = new
            pool.append((inside(ties, child), child, True))
        handicap = 2.0 * tol  # fitness is half of what is inside
        pool.sort(key=lambda one: -one[0] + handicap * one[2])  # stable
        ranked = pool[: len(population)]
        if not any(is_new for _, _, is_new in ranked):
            unchanged += 1
            continue
        unchanged = 0
        n_survivors += sum(is_new for _, _, is_new in ranked)
        population = [codes for _, codes, _ in ranked]
    fitness = np.array([inside(ties, codes) / 2 for codes in population])
    return np.array(population), fitness, [unchanged, n_done, n_survivors]
