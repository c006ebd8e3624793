import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from piece_reference import loss as loss_of_pieces

from widemargin.objectives.pieces import (
    EpsilonInsensitive,
    MinLoss,
    Ramp,
    RelaxedMinLoss,
    SymmetricHinge,
    is_relevant,
    labeled_hinges,
)

# name -> (loss, its formula as the paper writes it, its branches)
LOSSES = {
    "symmetric": (SymmetricHinge(), lambda f: max(0.0, 1.0 - abs(f)), [-1, 1]),
    "insensitive": (EpsilonInsensitive(0.2), lambda f: max(0.0, abs(f) - 0.2), [0]),
    "insensitive, 0": (EpsilonInsensitive(0.0), abs, [0]),
    "min": (
        MinLoss(0.1),
        lambda f: min(max(0.0, 1.0 - abs(f)), max(0.0, abs(f) - 0.1)),
        [-1, 0, 1],
    ),
    "min, 0": (MinLoss(0.0), lambda f: min(max(0, 1 - abs(f)), abs(f)), [-1, 0, 1]),
    "min, 1": (MinLoss(1.0), lambda f: 0.0, [-1, 0, 1]),
    "ramp": (
        Ramp(0.3),
        lambda f: min(max(0.0, 1.0 - abs(f)), 1.0 - 0.3),
        [-1, 0, 1],
    ),
    "ramp, 0": (Ramp(0.0), lambda f: max(0.0, 1.0 - abs(f)), [-1, 0, 1]),
}


@pytest.fixture(params=LOSSES)
def case(request):
    return LOSSES[request.param]


@pytest.fixture
def scores():
    """A grid with kinks, thresholds and zero on it, and scores between them."""
    grid = np.arange(-300, 301) / 100.0
    return np.concatenate([grid, grid[:-1] + 0.0037])


def value_on(loss, branch, scores):
    return loss.value(np.full(len(scores), branch), scores)


def pieces_on(pieces_of, branch, scores):
    """Value of the pieces of one sample with cost one, at each score."""
    pieces = pieces_of(np.array([branch]), np.array([0]), np.array([1.0]), 1)
    return np.array([loss_of_pieces(pieces, [f]) for f in scores])


def test_value_on_the_lowest_branches_is_the_loss(case, scores):
    loss, formula, _ = case
    expected = [formula(f) for f in scores]
    assert_allclose(loss.value(loss.branches(scores), scores), expected, atol=1e-12)


def test_branches_are_the_lowest(case, scores):
    loss, _, branches = case
    chosen = loss.branches(scores)
    values = np.array([value_on(loss, branch, scores) for branch in branches])
    assert set(chosen) <= set(branches)
    assert chosen.dtype.kind == "i"
    assert_allclose(loss.value(chosen, scores), values.min(axis=0), atol=1e-12)
    if len(branches) > 1:
        lowest, second = np.sort(values, axis=0)[:2]
        clear = second > lowest + 1e-9
        assert clear.any()
        expected = np.array(branches)[values.argmin(axis=0)]
        assert_array_equal(chosen[clear], expected[clear])


def test_pieces_majorize_the_loss_and_touch_it(case, scores):
    """Up to a constant, which is that of the branch and not of the score."""
    loss, formula, branches = case
    expected = np.array([formula(f) for f in scores])
    lowest = loss.branches(scores)
    for branch in branches:
        values = value_on(loss, branch, scores)
        pieces = pieces_on(loss.pieces, branch, scores)
        constant = values[0] - pieces[0]
        assert_allclose(pieces + constant, values, atol=1e-12)
        assert (pieces + constant >= expected - 1e-12).all()
        own = lowest == branch
        assert_allclose((pieces + constant)[own], expected[own], atol=1e-12)
    assert set(branches) - {0} <= set(lowest)


def test_pieces_add_up_over_rows_with_their_costs(case, rng):
    """Rows in any order, other samples without influence."""
    loss, _, branches = case
    rows, costs = rng.permutation(9)[:6], rng.exponential(size=6)
    chosen = rng.choice(branches, 6)
    pieces = loss.pieces(chosen, rows, costs, 9)
    first, second = rng.normal(size=(2, 9))
    expected = costs @ (
        loss.value(chosen, first[rows]) - loss.value(chosen, second[rows])
    )
    assert_allclose(pieces.value(first) - pieces.value(second), expected)
    assert pieces.n_samples == 9
    others = np.setdiff1d(np.arange(9), rows)
    moved = first.copy()
    moved[others] += 1.0
    assert_allclose(pieces.value(moved), pieces.value(first))


def test_loss_without_rows(case):
    loss, _, _ = case
    none = np.array([], dtype=int)
    assert loss.pieces(none, none, np.array([]), 3).value(np.ones(3)) == 0.0
    assert len(loss.branches(np.array([]))) == 0


def test_sides_of_ties():
    """Zero is positive; a score on the threshold is irrelevant, or too close."""
    zero = np.array([0.0, -0.0])
    assert_array_equal(SymmetricHinge().branches(zero), [1, 1])
    assert_array_equal(MinLoss(0.0).branches(np.array([0.5, -0.5, 0.0])), [0, 0, 0])
    assert_array_equal(MinLoss(0.0).branches(np.array([0.51, -0.51])), [1, -1])
    assert_array_equal(Ramp(0.25).branches(np.array([0.25, -0.25, 0.0])), [0, 0, 0])
    assert_array_equal(Ramp(0.25).branches(np.array([0.26, -0.26])), [1, -1])


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.5])
def test_relevant_is_what_the_hinge_costs_less(epsilon, scores):
    hinge = np.maximum(0.0, 1.0 - np.abs(scores))
    insensitive = np.maximum(0.0, np.abs(scores) - epsilon)
    clear = np.abs(hinge - insensitive) > 1e-9
    expected = hinge < insensitive
    assert_array_equal(is_relevant(scores, epsilon)[clear], expected[clear])


def test_slack_asks_for_more():
    scores = np.array([0.6, 0.61, -0.7, -0.71])
    assert_array_equal(is_relevant(scores, 0.1), [True, True, True, True])
    assert_array_equal(is_relevant(scores, 0.1, 0.15), [False, False, False, True])


@pytest.mark.parametrize("reach", [1.0, 1.005, 2.0, 5.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.01, 0.3, 1.0])
@pytest.mark.parametrize("branch", [-1, 0, 1])
def test_relaxed_loss_in_closed_form(reach, epsilon, branch, scores):
    """The quadratic program with d eliminated by hand; it is even, but for a slope."""
    scores, f = 2.0 * scores, 2.0 * np.abs(scores)
    loss = RelaxedMinLoss(epsilon, 0.01, reach)
    expected = np.maximum(0.0, f - (reach - 1.0))
    expected = np.maximum(expected, 2.0 * f - (reach - 1.0) - epsilon) - branch * scores
    assert_allclose(pieces_on(loss.pieces, branch, scores), expected, atol=1e-12)


@pytest.mark.parametrize("reach", [1.0, 1.005, 2.0, 5.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.01, 0.3, 1.0])
def test_relaxed_loss_is_the_minimum_over_the_decision(reach, epsilon):
    """Both pairs of hinges of Eq. (17), for every d on a grid from 0 to 1."""
    scores, d = np.linspace(-4.0, 4.0, 161)[:, None], np.linspace(0.0, 1.0, 4001)

    def pair(margin):
        return np.maximum(0.0, margin - scores) + np.maximum(0.0, margin + scores)

    costs = pair(1.0 - reach * (1.0 - d)) + pair(-epsilon - reach * d)
    relaxed = RelaxedMinLoss(epsilon, 0.01, reach).pieces
    found = pieces_on(relaxed, 0, scores[:, 0])
    lowest = costs.min(axis=1)
    assert (found <= lowest + 1e-12).all()
    assert_allclose(found, lowest, atol=2.0 * reach / 4000)
    assert lowest.max() > 0.5


@pytest.mark.parametrize("relevant", [False, True])
def test_relaxed_value_is_that_of_the_decision(relevant, scores):
    loss = RelaxedMinLoss(0.1, 0.3, 2.0)
    formula = LOSSES["ramp"][1] if relevant else lambda f: max(0.0, abs(f) - 0.1)
    found = loss.value(np.full(len(scores), relevant), scores)
    assert_allclose(found, [formula(f) for f in scores], atol=1e-12)


def test_decisions_and_slopes_of_the_relaxed_loss():
    """Ties of (19) are irrelevant; only relevant scores have a slope, Eq. (20)."""
    loss = RelaxedMinLoss(0.1, 0.3, 2.0)
    scores = np.array([0.55, 0.5505, -0.5505, 0.552, -0.552, 0.0, 3.0])
    decisions = loss.decisions(scores)
    assert_array_equal(decisions, [False, False, False, True, True, False, True])
    assert_array_equal(loss.branches(decisions, scores), [0, 0, 0, 1, -1, 0, 1])
    everywhere = np.ones(4, dtype=bool)
    close = np.array([0.3, -0.3, 0.31, -0.31])
    assert_array_equal(loss.branches(everywhere, close), [0, 0, 1, -1])


@pytest.mark.parametrize("relevant", [False, True])
@pytest.mark.parametrize("reach", [1.0, 2.0])
def test_fixed_pieces_majorize_the_loss_of_their_decision(relevant, reach, scores):
    """And touch it where the slope is the one of the score."""
    loss, decision = RelaxedMinLoss(0.1, 0.3, reach), np.array([relevant])
    expected = loss.value(np.full(len(scores), relevant), scores)
    lowest = loss.branches(np.full(len(scores), relevant), scores)

    def pieces_of(*args):
        return loss.fixed_pieces(decision, *args)

    for branch in np.unique(lowest):
        pieces, own = pieces_on(pieces_of, branch, scores), lowest == branch
        above = pieces - expected
        assert_allclose(above.min(), above[own].max(), atol=1e-12)
        assert_allclose(above[own], above[own][0], atol=1e-12)
    assert set(lowest) == ({-1, 0, 1} if relevant else {0})


def test_fixed_pieces_of_several_rows(rng):
    loss = RelaxedMinLoss(0.1, 0.3, 2.0)
    rows, costs = np.array([4, 0, 2]), np.array([1.0, 2.0, 0.5])
    relevant = np.array([True, False, True])
    branches = np.array([1, 0, 0])
    pieces = loss.fixed_pieces(relevant, branches, rows, costs, 5)
    first, second = rng.normal(size=(2, 5))

    def slow(f):
        ramps = [Ramp(0.3).value(branches[[i]], f[[rows[i]]])[0] for i in (0, 2)]
        return ramps[0] + 2.0 * max(0.0, abs(f[0]) - 0.1) + 0.5 * ramps[1]

    expected = slow(first) - slow(second)
    assert_allclose(pieces.value(first) - pieces.value(second), expected)


def test_labeled_samples_have_the_hinge(rng):
    rows, signs = np.array([3, 0]), np.array([1.0, -1.0])
    pieces = labeled_hinges(rows, signs, np.array([2.0, 0.5]), 5)
    for f in rng.normal(size=(20, 5)):
        expected = 2.0 * max(0.0, 1.0 - f[3]) + 0.5 * max(0.0, 1.0 + f[0])
        assert_allclose(pieces.value(f), expected)
