"""Compiled loops of the dual solver: minimize b'Q b / 2 - 1'b over a box."""

import numpy as np

from widemargin.linalg.compiled import compiled


@compiled
def ascend_single(Q, upper, beta, gradient, max_iter, tol):
    """Best single variable at a time; no constraint but the box.

    Writes `beta` and `gradient` (Q beta - 1); returns the largest violation of the
    optimality conditions before the last step.
    """
    n = len(beta)
    violation = 0.0
    for _ in range(max_iter):
        violation, best_gain, best = 0.0, 0.0, -1
        for i in range(n):
            slope = -gradient[i]
            if (slope > 0 and beta[i] < upper[i]) or (slope < 0 and beta[i] > 0):
                violation = max(violation, abs(slope))
                gain = slope * slope / max(Q[i, i], 1e-300)
                if gain > best_gain:
                    best_gain, best = gain, i
        if violation <= tol or best < 0:
            return violation
        old = beta[best]
        move = -gradient[best] / max(Q[best, best], 1e-300)
        beta[best] = min(max(old + move, 0.0), upper[best])
        change = beta[best] - old
        for j in range(n):
            gradient[j] += change * Q[best, j]
    return violation


@compiled
def ascend_pairs(Q, signs, upper, beta, gradient, max_iter, tol):
    """Two variables at a time, keeping signs'beta: SMO with second-order choice.

    Writes `beta` and `gradient`; returns the violation and the intercept.
    """
    n = len(beta)
    high = low = 0.0
    for _ in range(max_iter):
        high, low, i = -np.inf, np.inf, -1
        for t in range(n):
            value = -signs[t] * gradient[t]
            can_rise = beta[t] < upper[t] if signs[t] > 0 else beta[t] > 0
            can_fall = beta[t] > 0 if signs[t] > 0 else beta[t] < upper[t]
            if can_rise and value > high:
                high, i = value, t
            if can_fall and value < low:
                low = value
        if high - low <= tol:
            return high - low, 0.5 * (high + low)
        best_gain, j = 0.0, -1
        for t in range(n):
            can_fall = beta[t] > 0 if signs[t] > 0 else beta[t] < upper[t]
            gap = high + signs[t] * gradient[t]
            if can_fall and gap > 0:
                bend = Q[i, i] + Q[t, t] - 2.0 * signs[i] * signs[t] * Q[i, t]
                gain = gap * gap / max(bend, 1e-12)
                if gain > best_gain:
                    best_gain, j = gain, t
        bend = max(Q[i, i] + Q[j, j] - 2.0 * signs[i] * signs[j] * Q[i, j], 1e-12)
        move = (high + signs[j] * gradient[j]) / bend  # along +signs[i], -signs[j]
        room_i = upper[i] - beta[i] if signs[i] > 0 else beta[i]
        room_j = beta[j] if signs[j] > 0 else upper[j] - beta[j]
        move = min(move, room_i, room_j)
        beta[i] = min(max(beta[i] + signs[i] * move, 0.0), upper[i])
        beta[j] = min(max(beta[j] - signs[j] * move, 0.0), upper[j])
        for t in range(n):
            gradient[t] += move * (signs[i] * Q[i, t] - signs[j] * Q[j, t])
    return high - low, 0.5 * (high + low)
