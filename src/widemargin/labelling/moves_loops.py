"""Compiled label moves: steepest descent, claims, tabu search, exchanges, evolution.

They work on the arrays of a `LabelState`, s. Relabeling j as d gains
``s.table[d, j] - s.own_tie[j]``.

The best point is found in one pass, which keeps the maximum in `_LANES` places side by
side, because the compiler turns these into vector instructions. Of equal gains the
first point wins.
"""

import numpy as np

from widemargin.linalg.compiled import compiled

_LANES = 64
_MATHS = {"nnan", "nsz"}  # no NaN, no signed zero: maxima can be vectorized


@compiled
def _tie_row(s, k):
    """Row k of the weighted smoother."""
    if s.low_rank:
        np.dot(s.matrix, s.matrix[k], s.row)
        return s.row
    return s.matrix[k]


@compiled(fastmath=_MATHS)
def _move(s, row_ties, k, new):
    """Relabel point k, whose ties to all points are given."""
    codes, own_tie, old = s.codes, s.own_tie, s.codes[k]
    from_row, to_row = s.table[old], s.table[new]
    for j in range(len(codes)):
        tie, code = row_ties[j], codes[j]
        from_row[j] -= tie
        to_row[j] += tie
        # tie - tie is a zero of the type of the table; 0.0 would be a double.
        own_tie[j] += tie if code == new else (-tie if code == old else tie - tie)
    codes[k] = new
    own_tie[k] = to_row[k] - s.diagonal[k]  # its own class has changed
    s.counts[old] -= 1
    s.counts[new] += 1


@compiled
def relabel(s, k, new):
    """Relabel point k."""
    _move(s, _tie_row(s, k), k, new)


@compiled(fastmath=_MATHS)
def _best_for(s, label, leave_penalty, lanes):
    """Point (-1: none) and gain of the best join; an infinite penalty bars leaving."""
    to_row, own_tie, codes = s.table[label], s.own_tie, s.codes
    n_laned = len(codes) - len(codes) % _LANES
    for i in range(_LANES):
        lanes[i] = -np.inf
    never = lanes[0]  # of the type of all others: no detour by double precision
    for start in range(0, n_laned, _LANES):
        stop = start + _LANES
        joins, own_ties = to_row[start:stop], own_tie[start:stop]
        leave_penalties, labels = leave_penalty[start:stop], codes[start:stop]
        for i in range(_LANES):
            gain = joins[i] - own_ties[i] - leave_penalties[i]
            gain = gain if labels[i] != label else never
            top = lanes[i]
            lanes[i] = gain if gain > top else top
    best = -np.inf
    for i in range(_LANES):
        if lanes[i] > best:
            best = lanes[i]
    in_tail = -1
    for j in range(n_laned, len(codes)):
        gain = to_row[j] - own_tie[j] - leave_penalty[j]
        if codes[j] != label and gain > best:
            best, in_tail = gain, j
    if in_tail >= 0 or best == -np.inf:
        return in_tail, best
    # Several lanes may hold the maximum; the first point of all of them wins.
    first = len(codes)  # lane i covers the points i, i + _LANES, ... below n_laned
    for i in range(_LANES):
        if lanes[i] != best:
            continue
        for j in range(i, min(first, n_laned), _LANES):
            if codes[j] != label and to_row[j] - own_tie[j] - leave_penalty[j] == best:
                first = j
                break
    return first, best


@compiled
def _close_donors(s, lower, leave_penalty):
    """Penalize leaving a class at its lower bound, besides `s.move_penalty`."""
    for j in range(len(s.codes)):
        leave_penalty[j] = s.move_penalty[j]
    for h in range(len(s.counts)):
        if s.counts[h] <= lower[h]:
            for j in range(len(s.codes)):
                if s.codes[j] == h:
                    leave_penalty[j] = np.inf


@compiled
def best_move(s, leave_penalty, lanes):
    """The best admissible move: point, class, gain; the point is -1 if none is."""
    _close_donors(s, s.lower, leave_penalty)
    point, label, gain = -1, -1, -np.inf
    for h in range(len(s.counts)):
        if s.counts[h] < s.upper[h]:
            j, value = _best_for(s, h, leave_penalty, lanes)
            if value > gain:
                point, label, gain = j, h, value
    return point, label, gain


@compiled
def _scratch(s):
    """Room for the penalties of leaving a class, and for the maxima of the lanes."""
    return np.empty_like(s.own_tie), np.empty(_LANES, dtype=s.own_tie.dtype)


@compiled
def descend(s, tol, max_moves):
    """Best move after best move while one gains more than `tol`; number of moves."""
    leave_penalty, lanes = _scratch(s)
    for n_moves in range(max_moves):
        j, new, gain = best_move(s, leave_penalty, lanes)
        if gain <= tol:
            return n_moves
        _move(s, _tie_row(s, j), j, new)
    return max_moves


@compiled
def claim(s, floor, label, n_claims):
    """Let a class take the best points one by one; none falls below its `floor`."""
    leave_penalty, lanes = _scratch(s)
    _close_donors(s, floor, leave_penalty)
    for n_taken in range(n_claims):
        j, _ = _best_for(s, label, leave_penalty, lanes)
        if j < 0:
            return n_taken
        old = s.codes[j]
        _move(s, _tie_row(s, j), j, label)
        # The penalties change only when another class reaches its floor.
        if s.counts[old] <= floor[old]:
            _close_donors(s, floor, leave_penalty)
    return n_claims


@compiled
def best_exchange(s):
    """The best pair of points of two classes that swap places.

    For every two classes the first point is the one that gains most alone, the second
    the one that then gains most. Pairs of classes are tried in the order of what
    their best points gain alone, which bounds the gain of the pair where points are not
    tied negatively, and no more than twice as many as there are classes. Returns both
    points and their gain; the points are -1 if there is no pair.
    """
    alone, candidate = best_alone(s)
    bound = np.empty_like(alone)
    for a in range(len(bound)):
        for d in range(len(bound)):
            bound[a, d] = alone[a, d] + alone[d, a]
    first, second, best = -1, -1, -np.inf
    for _ in range(2 * len(bound)):
        a, d = next_classes(bound, best)
        if a < 0:
            break
        j, value = best_second(s, candidate[a, d], a, d, alone[a, d], best)
        if j >= 0:
            first, second, best = candidate[a, d], j, value
    return first, second, best


@compiled
def best_alone(s):
    """What the best point of each class gains in each other class, and which it is."""
    table, own_tie, codes, move_penalty = s.table, s.own_tie, s.codes, s.move_penalty
    n, k = len(codes), len(table)
    alone = np.full((k, k), -np.inf)
    candidate = np.full((k, k), -1)
    for d in range(k):
        for j in range(n):
            a = codes[j]
            if a != d and move_penalty[j] == 0.0:
                value = table[d, j] - own_tie[j]
                if value > alone[a, d]:
                    alone[a, d], candidate[a, d] = value, j
    return alone, candidate


@compiled
def next_classes(bound, best):
    """Two classes whose bound is largest, if it beats the best; it is crossed out."""
    a, d, top = -1, -1, best
    for x in range(len(bound)):
        for y in range(len(bound)):
            if bound[x, y] > top:
                a, d, top = x, y, bound[x, y]
    if a >= 0:
        bound[a, d] = -np.inf
    return a, d


@compiled
def best_second(s, i, a, d, gain, best):
    """The point of class d to swap with i of class a, if better than the best; gain."""
    table, own_tie, codes, second = s.table, s.own_tie, s.codes, -1
    row_ties = _tie_row(s, i)
    for j in range(len(codes)):
        if codes[j] == d and s.move_penalty[j] == 0.0:
            # Both gains include the tie of i and j, which never share a class.
            value = gain + table[a, j] - own_tie[j] - 2.0 * row_ties[j]
            if value > best:
                second, best = j, value
    return second, best


@compiled
def exchange(s, i, j):
    """Let two points of different classes swap places."""
    a, d = np.int64(s.codes[i]), np.int64(s.codes[j])
    relabel(s, i, d)
    relabel(s, j, a)


@compiled
def _draw(state, n):
    """A pseudo-random whole number below n (splitmix64); `state` is uint64 (1,)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    # 53 bits; the bias of the remainder is below n / 2^53.
    return np.int64((z >> np.uint64(11)) % np.uint64(n))


@compiled
def _slot_for(ring, point):
    """The slot of a point, or else the first free one."""
    free = -1
    for slot in range(len(ring)):
        if ring[slot] == point:
            return slot
        if ring[slot] < 0 and free < 0:
            free = slot
    return free


@compiled
def _allow_moves(s, free_at, ring, t):
    """Allow moves of tabu points whose time is over; whether any is still tabu."""
    is_any_tabu = False
    for slot in range(len(ring)):
        j = ring[slot]
        if j >= 0 and free_at[j] <= t:
            s.move_penalty[j] = 0.0
            ring[slot] = -1
        elif j >= 0:
            is_any_tabu = True
    return is_any_tabu


@compiled
def _make_tabu(s, free_at, ring, j, until):
    """Forbid moves of a point that moved, before the step `until`."""
    free_at[j] = until
    s.move_penalty[j] = np.inf
    ring[_slot_for(ring, j)] = j


@compiled
def _keep_best(codes, best_codes, tracker, gain):
    """Add a gain; copy the codes if they are better than ever."""
    tracker[0] += gain
    if tracker[0] > tracker[1] + tracker[2]:
        tracker[1] = tracker[0]
        for j in range(len(codes)):
            best_codes[j] = codes[j]


# Moves and exchanges are compiled apart: most searches need no exchange.


@compiled
def tabu_moves(s, free_at, ring, best_codes, tracker, seed, step, stop, tenure, spread):
    """Always the best move, even if it costs, of points that did not move lately.

    A point that moved is tabu for `tenure` steps and up to `spread` - 1 more, unless
    its move would lead to something better than ever. `free_at` (n,) and `ring` (all -1
    at first, with room for two points a step) hold the tabu points. `tracker` holds
    the gain since the start, the best so far (`best_codes` then) and what counts as
    rounding. Returns the step at which no move is admissible, or `stop`.
    """
    table, codes, counts = s.table, s.codes, s.counts
    leave_penalty, lanes = _scratch(s)
    for t in range(step, stop):
        needed = tracker[1] + tracker[2] - tracker[0]  # to beat the best
        _allow_moves(s, free_at, ring, t)
        point, label, gain = best_move(s, leave_penalty, lanes)
        for slot in range(len(ring)):  # tabu points that would beat the best
            j = ring[slot]
            if j < 0 or counts[codes[j]] <= s.lower[codes[j]]:
                continue
            for h in range(len(counts)):
                if h != codes[j] and counts[h] < s.upper[h]:
                    value = table[h, j] - s.own_tie[j]
                    if value > gain and value > needed:
                        point, label, gain = j, h, value
        if point < 0:
            return t
        _move(s, _tie_row(s, point), point, label)
        _make_tabu(s, free_at, ring, point, t + 1 + tenure + _draw(seed, spread))
        _keep_best(codes, best_codes, tracker, gain)
    return stop


@compiled
def tabu_exchanges(
    s, free_at, ring, best_codes, tracker, seed, step, stop, tenure, spread
):
    """The same with exchanges of two points.

    Returns the step at which nothing will ever move, or `stop`.
    """
    for t in range(step, stop):
        is_any_tabu = _allow_moves(s, free_at, ring, t)
        first, second, gain = best_exchange(s)
        if first >= 0:
            exchange(s, first, second)
            for moved in (first, second):
                until = t + 1 + tenure + _draw(seed, spread)
                _make_tabu(s, free_at, ring, moved, until)
            _keep_best(s.codes, best_codes, tracker, gain)
        elif not is_any_tabu:
            return t
    return stop


@compiled
def _mutate(codes, counts, lower, upper, movable_idx, seed, n_tries):
    """A point, its new class and one that swaps with it (-1: none); -1 if all fails."""
    k, m = len(counts), len(movable_idx)
    for _ in range(n_tries):
        j = movable_idx[_draw(seed, m)]
        old = codes[j]
        new = _draw(seed, k - 1)
        # A draw among the other k - 1 classes: skip its own.
        if new >= old:
            new += 1
        if counts[old] > lower[old] and counts[new] < upper[new]:
            return j, new, -1
        # The sizes forbid the move alone; a point of the other class may swap with it.
        i = movable_idx[_draw(seed, m)]
        if codes[i] == new:
            return j, new, i
    return -1, -1, -1


@compiled(fastmath={"nnan", "nsz"})
def evolve(
    s, tables, codes, counts, fitness, movable_idx, n_offspring, seed, tol, progress,
    patience, max_generations,
):  # fmt: skip
    """Generations of mutation and selection; parents win ties, up to `tol`.

    `tables` (mu, k, n), `codes` (mu, n), `counts` (mu, k) and `fitness` (mu,), the gain
    since the start, hold the population; `s` is its first member. `progress` (3,) holds
    generations without a change of it, generations, and offspring that survived.
    """
    n_parents, n = codes.shape
    matrix, diagonal = s.matrix, s.diagonal
    parent = np.empty(n_offspring, dtype=np.int64)
    point = np.empty(n_offspring, dtype=np.int64)
    label = np.empty(n_offspring, dtype=np.int64)
    partner = np.empty(n_offspring, dtype=np.int64)
    merit = np.empty(n_parents + n_offspring)
    next_tables, next_codes = np.empty_like(tables), np.empty_like(codes)
    next_counts = np.empty_like(counts)
    for _ in range(max_generations):
        if progress[0] >= patience:
            return
        progress[1] += 1
        merit[:n_parents] = fitness
        for o in range(n_offspring):
            p = _draw(seed, n_parents)
            j, new, i = _mutate(
                codes[p], counts[p], s.lower, s.upper, movable_idx, seed, 50
            )
            parent[o], point[o], label[o], partner[o] = p, j, new, i
            gain = -np.inf
            if j >= 0:
                old, table = codes[p, j], tables[p]
                gain = table[new, j] - table[old, j] + diagonal[j]
                if i >= 0:
                    tie = np.dot(matrix[i], matrix[j]) if s.low_rank else matrix[i, j]
                    gain += table[old, i] - table[new, i] + diagonal[i] - 2.0 * tie
            merit[n_parents + o] = fitness[p] + gain
        merit[n_parents:] -= tol  # or rounding would go on improving forever
        # A stable sort, so that parents come before offspring of the same merit.
        ranked = np.argsort(-merit, kind="mergesort")[:n_parents]
        merit[n_parents:] += tol
        if ranked.max() < n_parents:
            progress[0] += 1
            continue
        progress[0] = 0
        for place in range(n_parents):
            who = ranked[place]
            p = who if who < n_parents else parent[who - n_parents]
            next_tables[place], next_codes[place] = tables[p], codes[p]
            next_counts[place] = counts[p]
            if who < n_parents:
                continue
            progress[2] += 1
            o = who - n_parents
            j, new, i = point[o], label[o], partner[o]
            old = np.int64(codes[p, j])
            for moved, source, sink in ((j, old, new), (i, new, old)):
                if moved < 0:
                    continue
                row_ties = _tie_row(s, moved)
                for x in range(n):
                    next_tables[place, source, x] -= row_ties[x]
                    next_tables[place, sink, x] += row_ties[x]
                next_codes[place, moved] = sink
                next_counts[place, source] -= 1
                next_counts[place, sink] += 1
        fitness[:] = merit[ranked]
        tables[:], codes[:], counts[:] = next_tables, next_codes, next_counts
