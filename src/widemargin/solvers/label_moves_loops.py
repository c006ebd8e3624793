"""Compiled label moves: steepest descent, claims, tabu search, exchanges.

All functions share these arrays, `n` points and `k` classes:

- `matrix` (n, n), the mass, or its factor (n, rank) if `low_rank`;
- `diagonal` (n,) of the mass;
- `table` (k, n), the mass that ties each point to each class;
- `stay` (n,), the tie of each point to its own class, itself not counted: relabeling
  j as d gains ``table[d, j] - stay[j]``;
- `codes` (n,) and `counts` (k,), the labels and the sizes of the classes;
- `lower`, `upper` (k,), bounds of the sizes;
- `bar` (n,), zero for points that may move and infinite for the others;
- `row` (n,), a place for a row of the mass.

A pass over the points applies a move and finds the next one at the same time. The
maximum is kept in `_LANES` places side by side, which the compiler turns into vector
instructions; at the end the best of them is looked up. Of equal gains the first point
wins.
"""

import numpy as np

from widemargin.linalg.compiled import compiled

_LANES = 64
_MATHS = {"nnan", "nsz"}  # no NaN, no signed zero: maxima can be vectorized


@compiled
def _mass_row(matrix, low_rank, k, row):
    """Row k of the mass."""
    if low_rank:
        np.dot(matrix, matrix[k], row)
        return row
    return matrix[k]


@compiled(fastmath=_MATHS)
def _move(mass, diagonal, table, stay, codes, counts, k, new):
    """Relabel point k, whose row of the mass is given."""
    old = codes[k]
    from_row, to_row = table[old], table[new]
    for j in range(len(codes)):
        tie, code = mass[j], codes[j]
        from_row[j] -= tie
        to_row[j] += tie
        stay[j] += tie if code == new else (-tie if code == old else tie - tie)
    codes[k] = new
    stay[k] = to_row[k] - diagonal[k]
    counts[old] -= 1
    counts[new] += 1


@compiled(fastmath=_MATHS)
def _first_best(lanes, to_row, stay, shut, codes, label, n_laned):
    """Position and gain of the best point, given the maxima of the lanes.

    Lane i covers the points i, i + _LANES, ... below `n_laned`; the rest is looked
    through here.
    """
    best = -np.inf
    for i in range(_LANES):
        if lanes[i] > best:
            best = lanes[i]
    in_tail = -1
    for j in range(n_laned, len(codes)):
        gain = to_row[j] - stay[j] - shut[j]
        if codes[j] != label and gain > best:
            best, in_tail = gain, j
    if in_tail >= 0 or best == -np.inf:
        return in_tail, best
    first = len(codes)
    for i in range(_LANES):
        if lanes[i] != best:
            continue
        for j in range(i, min(first, n_laned), _LANES):
            if codes[j] != label and to_row[j] - stay[j] - shut[j] == best:
                first = j
                break
    return first, best


@compiled(fastmath=_MATHS)
def _best_for(to_row, stay, shut, codes, label, lanes):
    """The point that gains most by joining a class: position (-1: none) and gain.

    `shut` (n,) is infinite for points that may not leave their class.
    """
    n_laned = len(codes) - len(codes) % _LANES
    for i in range(_LANES):
        lanes[i] = -np.inf
    never = lanes[0]
    for start in range(0, n_laned, _LANES):
        stop = start + _LANES
        joins, stays = to_row[start:stop], stay[start:stop]
        shuts, labels = shut[start:stop], codes[start:stop]
        for i in range(_LANES):
            gain = joins[i] - stays[i] - shuts[i]
            gain = gain if labels[i] != label else never
            top = lanes[i]
            lanes[i] = gain if gain > top else top
    return _first_best(lanes, to_row, stay, shut, codes, label, n_laned)


@compiled
def _shut_donors(codes, counts, lower, bar, shut):
    """Bar the points of classes at their lower bound, besides those of `bar`."""
    for j in range(len(codes)):
        shut[j] = bar[j]
    for h in range(len(counts)):
        if counts[h] <= lower[h]:
            for j in range(len(codes)):
                if codes[j] == h:
                    shut[j] = np.inf


@compiled
def best_move(table, stay, codes, counts, lower, upper, bar, shut, lanes):
    """The best admissible move: point, class, gain; the point is -1 if none is."""
    _shut_donors(codes, counts, lower, bar, shut)
    point, label, gain = -1, -1, -np.inf
    for h in range(len(counts)):
        if counts[h] < upper[h]:
            j, value = _best_for(table[h], stay, shut, codes, h, lanes)
            if value > gain:
                point, label, gain = j, h, value
    return point, label, gain


@compiled
def descend(
    matrix, low_rank, diagonal, table, stay, codes, counts, lower, upper, bar, row,
    tol, max_moves,
):  # fmt: skip
    """Best move after best move while one gains more than `tol`; number of moves."""
    shut, lanes = np.empty_like(stay), np.empty(_LANES, dtype=stay.dtype)
    for n_moves in range(max_moves):
        j, new, gain = best_move(
            table, stay, codes, counts, lower, upper, bar, shut, lanes
        )
        if gain <= tol:
            return n_moves
        mass = _mass_row(matrix, low_rank, j, row)
        _move(mass, diagonal, table, stay, codes, counts, j, new)
    return max_moves


@compiled(fastmath=_MATHS)
def claim(
    matrix, low_rank, diagonal, table, stay, codes, counts, floor, bar, row,
    label, n_claims,
):  # fmt: skip
    """Let one class take the points that gain most, or lose least, one at a time.

    No class falls below its `floor`. Returns the number of points taken.
    """
    shut, lanes = np.empty_like(stay), np.empty(_LANES, dtype=stay.dtype)
    _shut_donors(codes, counts, floor, bar, shut)
    n_laned = len(codes) - len(codes) % _LANES
    to_row = table[label]
    j, _ = _best_for(to_row, stay, shut, codes, label, lanes)
    for n_taken in range(n_claims):
        if j < 0:
            return n_taken
        old = codes[j]
        mass, from_row = _mass_row(matrix, low_rank, j, row), table[old]
        for i in range(_LANES):
            lanes[i] = -np.inf
        never = lanes[0]  # of the type of all others: no detour by double precision
        codes[j] = label  # `stay` of j is set after the pass
        shut[j] = np.inf
        for start in range(0, n_laned, _LANES):
            stop = start + _LANES
            ties, leaves = mass[start:stop], from_row[start:stop]
            joins, stays = to_row[start:stop], stay[start:stop]
            shuts, labels = shut[start:stop], codes[start:stop]
            for i in range(_LANES):
                tie, code = ties[i], labels[i]
                leaves[i] -= tie
                joined = joins[i] + tie
                joins[i] = joined
                own = tie if code == label else (-tie if code == old else tie - tie)
                own = stays[i] + own
                stays[i] = own
                gain = joined - own - shuts[i]
                gain = gain if code != label else never
                top = lanes[i]
                lanes[i] = gain if gain > top else top
        for i in range(n_laned, len(codes)):
            tie, code = mass[i], codes[i]
            from_row[i] -= tie
            to_row[i] += tie
            stay[i] += tie if code == label else (-tie if code == old else tie - tie)
        stay[j] = to_row[j] - diagonal[j]
        counts[old] -= 1
        counts[label] += 1
        if counts[old] <= floor[old]:
            _shut_donors(codes, counts, floor, bar, shut)
            j, _ = _best_for(to_row, stay, shut, codes, label, lanes)
        else:
            j, _ = _first_best(lanes, to_row, stay, shut, codes, label, n_laned)
    return n_claims


@compiled
def best_exchange(matrix, low_rank, table, stay, codes, bar, row):
    """The best pair of points of two classes that trade places.

    For every two classes the first point is the one that gains most alone, the second
    the one that then gains most. Pairs of classes are looked at in the order of what
    their best points gain alone, which bounds the gain of the pair where points are not
    tied negatively, and no more than twice as many as there are classes. Returns both
    points and their gain; the points are -1 if there is no pair.
    """
    n, k = len(codes), len(table)
    alone = np.full((k, k), -np.inf)
    candidate = np.full((k, k), -1)
    for d in range(k):
        for j in range(n):
            a = codes[j]
            if a != d and bar[j] == 0.0:
                value = table[d, j] - stay[j]
                if value > alone[a, d]:
                    alone[a, d], candidate[a, d] = value, j
    bound = alone + alone.T
    first, second, best = -1, -1, -np.inf
    for _ in range(2 * k):
        a, d, top = -1, -1, best
        for x in range(k):
            for y in range(k):
                if bound[x, y] > top:
                    a, d, top = x, y, bound[x, y]
        if a < 0:
            break
        bound[a, d] = -np.inf
        i = candidate[a, d]
        mass = _mass_row(matrix, low_rank, i, row)
        for j in range(n):
            if codes[j] == d and bar[j] == 0.0:
                value = alone[a, d] + table[a, j] - stay[j] - 2.0 * mass[j]
                if value > best:
                    first, second, best = i, j, value
    return first, second, best


@compiled
def exchange(matrix, low_rank, diagonal, table, stay, codes, counts, row, i, j):
    """Let two points of different classes trade places."""
    a, d = codes[i], codes[j]
    mass = _mass_row(matrix, low_rank, i, row)
    _move(mass, diagonal, table, stay, codes, counts, i, d)
    mass = _mass_row(matrix, low_rank, j, row)
    _move(mass, diagonal, table, stay, codes, counts, j, a)


@compiled
def _draw(state, n):
    """A pseudo-random whole number below n (splitmix64); `state` is uint64 (1,)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.int64((z >> np.uint64(11)) % np.uint64(n))


@compiled
def tabu_steps(
    matrix, low_rank, diagonal, table, stay, codes, counts, lower, upper, bar, row,
    free_at, ring, best_codes, tracker, seed, step, n_steps, tenure, spread, exchanging,
):  # fmt: skip
    """Always the best move, even if it costs, of points that did not move lately.

    A point that moved is barred for `tenure` steps and up to `spread` - 1 more, unless
    its move would lead to something better than ever. `free_at` (n,) and `ring` (all -1
    at first, with room for two points a step) hold the barred points. `tracker` holds
    the gain since the start, the best so far (`best_codes` then), the step of the best
    and what counts as rounding.
    If no single move is admissible, or `exchanging`, two points trade places.
    """
    shut, lanes = np.empty_like(stay), np.empty(_LANES, dtype=stay.dtype)
    size = len(ring)
    for t in range(step, step + n_steps):
        needed = tracker[1] + tracker[3] - tracker[0]  # to beat the best
        for slot in range(size):  # points whose time is over
            j = ring[slot]
            if j >= 0 and free_at[j] <= t:
                bar[j] = 0.0
                ring[slot] = -1
        point, label, gain = -1, -1, -np.inf
        other = -1
        if not exchanging:
            point, label, gain = best_move(
                table, stay, codes, counts, lower, upper, bar, shut, lanes
            )
            for slot in range(size):  # barred points that would beat the best
                j = ring[slot]
                if j < 0 or counts[codes[j]] <= lower[codes[j]]:
                    continue
                for h in range(len(counts)):
                    if h != codes[j] and counts[h] < upper[h]:
                        value = table[h, j] - stay[j]
                        if value > gain and value > needed:
                            point, label, gain = j, h, value
        if point < 0:
            point, other, gain = best_exchange(
                matrix, low_rank, table, stay, codes, bar, row
            )
            if point < 0:
                if ring.max() < 0:  # not even later can anything move
                    return t
                continue
            exchange(
                matrix, low_rank, diagonal, table, stay, codes, counts, row,
                point, other,
            )  # fmt: skip
        else:
            mass = _mass_row(matrix, low_rank, point, row)
            _move(mass, diagonal, table, stay, codes, counts, point, label)
        tracker[0] += gain
        for moved in (point, other):
            if moved < 0:
                continue
            until = t + 1 + tenure + _draw(seed, spread)
            free_at[moved] = until
            bar[moved] = np.inf
            free_slot = -1
            for slot in range(size):
                if ring[slot] == moved:
                    free_slot = slot
                    break
                if ring[slot] < 0 and free_slot < 0:
                    free_slot = slot
            ring[free_slot] = moved
        if tracker[0] > tracker[1] + tracker[3]:
            tracker[1] = tracker[0]
            tracker[2] = t
            best_codes[:] = codes
    return step + n_steps
