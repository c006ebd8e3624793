from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from piece_reference import random_pieces

from widemargin.objectives.pieces import HingePieces
from widemargin.objectives.proximal_hinges import ProximalHinges, coefficients, spread


@pytest.fixture
def smooth(rng):
    pieces = random_pieces(rng, 30, n_pieces=80)
    pieces = replace(pieces, costs=pieces.costs + 0.1)
    return ProximalHinges(pieces, pieces.costs * rng.random(80), 0.7)


def test_smooth_gradient_equals_finite_differences(rng, smooth):
    scores = rng.normal(size=30)
    gradient = -coefficients(smooth.pieces, smooth.multipliers_at(scores))
    for i, step in enumerate(1e-6 * np.eye(30)):
        slope = (smooth.value(scores + step) - smooth.value(scores - step)) / 2e-6
        assert_allclose(slope, gradient[i], atol=1e-7)


def test_smooth_curvature_equals_finite_differences(rng, smooth):
    scores = rng.normal(size=30)
    curvature = smooth.curvature(scores)
    assert np.count_nonzero(curvature) > 5

    def gradient(scores):
        return -coefficients(smooth.pieces, smooth.multipliers_at(scores))

    for i, step in enumerate(1e-7 * np.eye(30)):
        slope = (gradient(scores + step) - gradient(scores - step)) / 2e-7
        assert_allclose(slope, curvature[i] * np.eye(30)[i], atol=1e-6)


@pytest.mark.parametrize("width", [0.01, 0.7, 100.0])
def test_step_is_the_minimum_along_the_line(rng, smooth, width):
    smooth = replace(smooth, width=width)
    scores, direction = rng.normal(size=(2, 30))

    def value(t):
        return smooth.value(scores + t * direction) - 0.4 * t + 0.3 * t**2

    t = smooth.step(scores, direction, -0.4, 0.6)
    assert all(value(t) < value(t + move) for move in (-0.01, -1e-4, 1e-4, 0.01))


@pytest.mark.parametrize("at", [-700.3, 0.3, 700.3])
def test_step_does_not_crawl_over_many_pieces(at):
    """Costs that grow from kink to kink, of which Newton passes one at a time."""
    n = 500
    kinks = np.arange(n) - 10.0
    costs, nothing = 1.7 ** np.arange(n), np.zeros(n)
    pieces = HingePieces(n, np.arange(n), kinks, -np.ones(n), costs, nothing)
    t = ProximalHinges(pieces, nothing, 1.0).step(np.full(n, at), np.ones(n), -4.1)
    assert_allclose(at + t, -8 + 1.4 / 1.7**2)  # 1 + 1.7 + 1.4 balance the slope


def test_smooth_hinges_are_never_above_the_kinks(rng, smooth):
    """And meet them when the width goes to zero."""
    scores = rng.normal(size=30)
    gaps = [
        smooth.pieces.value(scores) - replace(smooth, width=width).value(scores)
        for width in (1.0, 0.1, 1e-6)
    ]
    assert gaps[0] > gaps[1] > gaps[2] > 0
    assert gaps[2] < 1e-4


def test_multipliers_are_spread_as_the_dual_value_asks(rng):
    """They make the coefficients, and no others with these gain more."""
    pieces = random_pieces(rng, 10, n_pieces=40)
    lower, upper = pieces.bounds()
    a = lower + rng.random(10) * (upper - lower)
    multipliers = spread(pieces, a)
    assert_allclose(coefficients(pieces, multipliers), a, atol=1e-12)
    gained = (pieces.sides * multipliers) @ pieces.kinks
    assert_allclose(gained, pieces.dual_value(a, 0.0), rtol=1e-12)
