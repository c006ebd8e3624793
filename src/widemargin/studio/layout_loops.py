"""Loops of `layout`, compiled."""

import numpy as np

from widemargin.linalg.compiled import compiled

_N_REPELLED = 4  # random rows for each attraction
_LARGEST_STEP = 4.0


@compiled
def _draw(state):
    """The next state of a random number generator (xorshift)."""
    state ^= (state << np.uint64(13)) & np.uint64(0xFFFFFFFFFFFFFFFF)
    state ^= state >> np.uint64(7)
    state ^= (state << np.uint64(17)) & np.uint64(0xFFFFFFFFFFFFFFFF)
    return state


@compiled
def _clip(step):
    return min(max(step, -_LARGEST_STEP), _LARGEST_STEP)


@compiled
def move_points(places, heads, tails, weights, n_rounds, seed):
    """Move points in place; an edge acts in a share `weights` of the rounds."""
    n_rows = places.shape[0]
    state = np.uint64(0x9E3779B97F4A7C15) ^ np.uint64(seed + 1)
    for round_ in range(n_rounds):
        rate = 1.0 - round_ / n_rounds
        for e in range(len(heads)):
            state = _draw(state)
            if (state >> np.uint64(11)) * (1.0 / 9007199254740992.0) > weights[e]:
                continue
            i, j = heads[e], tails[e]
            dx, dy = places[i, 0] - places[j, 0], places[i, 1] - places[j, 1]
            pull = -2.0 / (1.0 + dx * dx + dy * dy)
            gx, gy = rate * _clip(pull * dx), rate * _clip(pull * dy)
            places[i, 0] += gx
            places[i, 1] += gy
            places[j, 0] -= gx
            places[j, 1] -= gy
            for side in range(2):
                own = i if side == 0 else j
                for _ in range(_N_REPELLED):
                    state = _draw(state)
                    k = int((state >> np.uint64(11)) % np.uint64(n_rows))
                    if k == own:
                        continue
                    dx = places[own, 0] - places[k, 0]
                    dy = places[own, 1] - places[k, 1]
                    square = dx * dx + dy * dy
                    push = 2.0 / ((0.01 + square) * (1.0 + square))
                    places[own, 0] += rate * _clip(push * dx)
                    places[own, 1] += rate * _clip(push * dy)
