"""Compiled steps of the dual of a piecewise linear loss: pairs or single samples.

A coefficient is in a `piece` of its loss, of which the length `filled` lies behind it.
`up` is the kink of the piece that it would enter if it rose (-inf at its largest
value), `down` that of the one it would go back through (inf at its smallest). `scores`
have no intercept. Rows of the Gram matrix are in `cache` at ``slots[row]``, which is -1
for a row that is not there: a loop that needs it returns its number and goes on when it
is called again; else it returns -1. `stamps` holds the step at which each row of the
cache was used last. `progress` (3,) counts the steps and holds the largest and the
smallest intercept that samples require; their difference is compared with `tol`.
"""

import numpy as np

from widemargin.linalg.compiled import compiled

_FLAT = 1e-12  # curvature below this part of the diagonal is rounding
_LANES = 128  # maxima kept side by side, so that a pass is vectorized
_ROUNDING = 1e-14  # part of a piece that is not worth a step of its own
_passes = compiled(  # infinite slopes must stay so; a division must not be checked
    fastmath={"nnan", "nsz", "reassoc", "contract"}, error_model="numpy"
)


@compiled(error_model="numpy")
def pair_steps(
    cache, slots, stamps, diagonal, starts, kinks, lengths, piece, filled, up, down,
    scores, tol, max_steps, progress,
):  # fmt: skip
    """Raise one coefficient and lower another by as much, until no pair gains."""
    n_steps, wanted, tops = 0, -1, np.empty(_LANES)
    i, high = _follow_pair(scores, scores, 0.0, up, scores, tops)
    while i >= 0:
        wanted = i
        if slots[i] < 0:
            break
        row_i = cache[slots[i]]
        stamps[slots[i]] = progress[0] + n_steps
        # i violates most; j has the largest second-order gain with it (Fan et al.).
        j = _best_partner(row_i, diagonal, diagonal[i], high, down, scores, tops)
        wanted = -1
        if n_steps >= max_steps:
            break
        # The partner that gains most need not violate most: look at all before the end.
        if high - down[j] + scores[j] <= tol and high - _lowest(down, scores) <= tol:
            break
        wanted = j
        if slots[j] < 0:
            break
        row_j = cache[slots[j]]
        stamps[slots[j]] = progress[0] + n_steps
        # Curvature of the dual along e_i - e_j; zero for copies of a sample.
        bend = diagonal[i] + diagonal[j] - 2.0 * row_i[j]
        bend, length = max(bend, _FLAT * diagonal[i]), 0.0
        n_kinks = starts[i + 1] - starts[i] + starts[j + 1] - starts[j]
        for _ in range(n_kinks):  # through as many as there is something to gain
            slope = up[i] - scores[i] - (down[j] - scores[j]) - length * bend
            if not slope > 0.0:  # nor NaN
                break
            room = min(
                _room_up(i, piece, filled, lengths),
                _room_down(j, piece, filled, lengths),
            )
            step = min(room, slope / bend)
            _move_up(i, step, starts, kinks, lengths, piece, filled, up, down)
            _move_down(j, step, starts, kinks, lengths, piece, filled, up, down)
            length += step
            if step < room:
                break
        i, high = _follow_pair(row_i, row_j, length, up, scores, tops)
        n_steps, wanted = n_steps + 1, -1  # no coefficient can rise if i is -1
    progress[0] += n_steps
    progress[1], progress[2] = high, _lowest(down, scores)
    return wanted


@compiled(error_model="numpy")
def single_steps(
    cache, slots, stamps, diagonal, starts, kinks, lengths, piece, filled, up, down,
    scores, tol, max_steps, progress, intercept,
):  # fmt: skip
    """Move the coefficient that gains most by itself, until none gains."""
    n_steps, wanted, tops = 0, -1, np.empty(_LANES)
    i = _follow_single(scores, 0.0, diagonal, up, down, scores, intercept, tops)
    while n_steps < max_steps:
        above = up[i] - scores[i] - intercept
        below = scores[i] + intercept - down[i]
        if max(above, below) <= tol and _worst(up, down, scores, intercept) <= tol:
            break
        if slots[i] < 0:
            wanted = i
            break
        row = cache[slots[i]]
        stamps[slots[i]] = progress[0] + n_steps
        bend, length = diagonal[i], 0.0
        rises = above > 0.0
        n_kinks = starts[i + 1] - starts[i]
        for _ in range(n_kinks):  # through as many as there is something to gain
            slope = up[i] - scores[i] if rises else scores[i] - down[i]
            slope += (-intercept if rises else intercept) - length * bend
            if not slope > 0.0:  # nor NaN
                break
            if rises:
                room = _room_up(i, piece, filled, lengths)
                step = min(room, slope / bend)
                _move_up(i, step, starts, kinks, lengths, piece, filled, up, down)
            else:
                room = _room_down(i, piece, filled, lengths)
                step = min(room, slope / bend)
                _move_down(i, step, starts, kinks, lengths, piece, filled, up, down)
            length += step
            if step < room:
                break
        length = length if rises else -length
        i = _follow_single(row, length, diagonal, up, down, scores, intercept, tops)
        n_steps += 1
    progress[0] += n_steps
    worst = _worst(up, down, scores, intercept)
    progress[1], progress[2] = intercept + worst, intercept
    return wanted


@compiled
def set_slopes(starts, kinks, lengths, piece, filled, up, down):
    """Write `up` and `down` of every sample that has pieces."""
    for i in range(len(piece)):
        if starts[i] < starts[i + 1]:
            _set_slopes(i, starts, kinks, lengths, piece, filled, up, down)


@compiled
def _room_up(i, piece, filled, lengths):
    """How far a coefficient can rise until its next kink."""
    p = piece[i]
    room = lengths[p] - filled[i]
    return room if room > 0.0 else lengths[p + 1]


@compiled
def _room_down(i, piece, filled, lengths):
    """How far a coefficient can fall until its next kink."""
    return filled[i] if filled[i] > 0.0 else lengths[piece[i] - 1]


@compiled
def _move_up(i, step, starts, kinks, lengths, piece, filled, up, down):
    """Raise a coefficient by a step within its room."""
    p = piece[i]
    if filled[i] >= lengths[p]:
        p += 1
        filled[i] = 0.0
    filled[i] += step
    if filled[i] >= lengths[p] * (1.0 - _ROUNDING):
        filled[i] = lengths[p]
    piece[i] = p
    _set_slopes(i, starts, kinks, lengths, piece, filled, up, down)


@compiled
def _move_down(i, step, starts, kinks, lengths, piece, filled, up, down):
    """Lower a coefficient by a step within its room."""
    p = piece[i]
    if filled[i] <= 0.0:
        p -= 1
        filled[i] = lengths[p]
    filled[i] -= step
    if filled[i] <= lengths[p] * _ROUNDING:
        filled[i] = 0.0
    piece[i] = p
    _set_slopes(i, starts, kinks, lengths, piece, filled, up, down)


@compiled
def _set_slopes(i, starts, kinks, lengths, piece, filled, up, down):
    """Write `up` and `down` of one sample."""
    p = piece[i]
    if filled[i] < lengths[p]:
        up[i] = kinks[p]
    else:
        up[i] = kinks[p + 1] if p + 1 < starts[i + 1] else -np.inf
    if filled[i] > 0.0:
        down[i] = kinks[p]
    else:
        down[i] = kinks[p - 1] if p > starts[i] else np.inf


@_passes
def _best_partner(row, diagonal, own, high, down, scores, tops):
    """The sample that gains most if it falls while the one of `row` rises."""
    n, flat = len(row), _FLAT * own
    tops[:] = -1.0
    for start in range(0, n, _LANES):
        block = slice(start, start + _LANES)
        row_, diagonal_, down_ = row[block], diagonal[block], down[block]
        scores_ = scores[block]
        for t in range(len(scores_)):
            slope = high - down_[t] + scores_[t]
            slope = slope if slope > 0.0 else 0.0
            bend = own + diagonal_[t] - 2.0 * row_[t]
            bend = bend if bend > flat else flat
            gain = slope * slope / bend
            tops[t] = gain if gain > tops[t] else tops[t]
    # The maxima have no positions; only the samples of the best lane are looked at.
    lane, best, j = _argmax(tops), -1.0, -1
    for t in range(lane, n, _LANES):
        slope = max(high - down[t] + scores[t], 0.0)
        gain = slope * slope / max(own + diagonal[t] - 2.0 * row[t], flat)
        if gain > best:
            best, j = gain, t
    return j


@_passes
def _follow_pair(row_i, row_j, length, up, scores, tops):
    """Update the scores; the sample that requires the largest intercept, and that."""
    n = len(scores)
    tops[:] = -np.inf
    for start in range(0, n, _LANES):
        block = slice(start, start + _LANES)
        row_i_, row_j_ = row_i[block], row_j[block]
        up_, scores_ = up[block], scores[block]
        for t in range(len(scores_)):
            value = scores_[t] + length * (row_i_[t] - row_j_[t])
            scores_[t] = value
            value = up_[t] - value
            tops[t] = value if value > tops[t] else tops[t]
    lane, best, i = _argmax(tops), -np.inf, -1
    for t in range(lane, n, _LANES):
        if up[t] - scores[t] > best:
            best, i = up[t] - scores[t], t
    return i, best


@_passes
def _follow_single(row, move, diagonal, up, down, scores, intercept, tops):
    """Update the scores after a step; the sample that gains most then."""
    n = len(scores)
    tops[:] = -1.0
    for start in range(0, n, _LANES):
        block = slice(start, start + _LANES)
        row_, diagonal_, scores_ = row[block], diagonal[block], scores[block]
        up_, down_ = up[block], down[block]
        for t in range(len(scores_)):
            value = scores_[t] + move * row_[t]
            scores_[t] = value
            value += intercept
            above = up_[t] - value
            below = value - down_[t]
            slope = above if above > below else below
            slope = slope if slope > 0.0 else 0.0
            gain = slope * slope / diagonal_[t]
            tops[t] = gain if gain > tops[t] else tops[t]
    lane, best, i = _argmax(tops), -1.0, -1
    for t in range(lane, n, _LANES):
        value = scores[t] + intercept
        slope = max(up[t] - value, value - down[t], 0.0)
        gain = slope * slope / diagonal[t]
        if gain > best:
            best, i = gain, t
    return i


@_passes
def _argmax(tops):
    """The first lane with the largest value."""
    lane = 0
    for t in range(1, len(tops)):
        if tops[t] > tops[lane]:
            lane = t
    return lane


@_passes
def _lowest(down, scores):
    """Smallest intercept that a sample requires."""
    low = np.inf
    for t in range(len(down)):
        low = min(low, down[t] - scores[t])
    return low


@_passes
def _worst(up, down, scores, intercept):
    """Largest violation of the optimality conditions."""
    worst = 0.0
    for t in range(len(up)):
        score = scores[t] + intercept
        worst = max(worst, up[t] - score, score - down[t])
    return worst
