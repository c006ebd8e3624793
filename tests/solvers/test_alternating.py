import itertools

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from widemargin.solvers.alternating import alternate, alternate_from
from widemargin.solvers.result import Status

A, B, C, D = (
    np.array(codes)
    for codes in ([0, 0, 1, 1], [0, 1, 1, 1], [0, 1, 0, 1], [1, 1, 0, 1])
)


class Script:
    """A regressor and its labels by a table: what follows each labeling."""

    def __init__(self, *path):
        steps = itertools.pairwise(path)
        self.after = {old.tobytes(): new for old, new in steps}
        self.seen = []

    def fit(self, codes):
        self.seen.append(codes.copy())
        return 10.0 * self.after[codes.tobytes()][:, None]

    @staticmethod
    def relabel(scores):
        return (scores[:, 0] / 10.0).astype(int)

    def run(self, start, **options):
        return alternate(self.fit, self.relabel, start, **options)


def test_ends_where_no_label_changes():
    script = Script(A, B, D, D)
    result = script.run(A)
    assert result.status is Status.CONVERGED
    assert_array_equal(result.solution, D)
    assert result.n_iter == 3
    assert result.history == {"objective": [1, 2, 0], "criterion": [0.25, 0.5, 0]}
    assert result.objective == 0.0
    for codes, expected in zip(script.seen, [A, B, D], strict=True):
        assert_array_equal(codes, expected)


def test_start_that_stays_is_the_answer():
    result = Script(A, A).run(A)
    assert result.status is Status.CONVERGED
    assert result.n_iter == 1
    assert result.history["objective"] == [0.0]
    assert_array_equal(result.solution, A)


@pytest.mark.parametrize(
    ("path", "n_iter", "changes"),
    [
        ([A, B, A], 2, [1, 1]),
        ([A, B, C, B], 3, [1, 1, 1]),  # the cycle does not hold the start
        ([A, B, C, A], 3, [1, 1, 2]),
        ([A, B, C, D, B], 4, [1, 1, 1, 2]),
    ],
)
def test_ends_on_a_cycle(path, n_iter, changes):
    """As soon as labels are seen again, which are then the answer."""
    result = Script(*path).run(path[0], max_iter=50)
    assert result.status is Status.CONVERGED
    assert result.n_iter == n_iter
    assert_array_equal(result.solution, path[-1])
    assert result.history["objective"] == changes
    assert result.objective == changes[-1]


@pytest.mark.parametrize(("tol", "n_iter"), [(0.25, 4), (0.26, 1), (0.6, 1)])
def test_ends_where_hardly_a_label_changes(tol, n_iter):
    """When less than the share `tol` does, after that change."""
    path = [A, B, C, D, D]
    result = Script(*path).run(A, tol=tol)
    assert result.status is Status.CONVERGED
    assert result.n_iter == n_iter
    assert_array_equal(result.solution, path[n_iter])


@pytest.mark.parametrize("max_iter", [1, 2, 3])
def test_iteration_limit(max_iter):
    path = [A, B, C, D, D]
    result = Script(*path).run(A, max_iter=max_iter)
    assert result.status is Status.MAX_ITER
    assert result.n_iter == max_iter == len(result.history["objective"])
    assert_array_equal(result.solution, path[max_iter])


def test_last_iteration_can_still_converge():
    result = Script(A, B, B).run(A, max_iter=2)
    assert result.status is Status.CONVERGED


@pytest.mark.parametrize("n_before", [0, 1, 2])
@pytest.mark.parametrize("where", ["fit", "relabel"])
def test_interrupt_keeps_the_labels_so_far(where, n_before):
    path, calls = [A, B, C, D, D], []
    script = Script(*path)

    def interrupted(step):
        def wrapped(argument):
            calls.append(1)
            if len(calls) > n_before:
                raise KeyboardInterrupt
            return step(argument)

        return wrapped

    setattr(script, where, interrupted(getattr(script, where)))
    result = script.run(A)
    assert result.status is Status.INTERRUPTED
    assert_array_equal(result.solution, path[n_before])
    assert len(result.history["objective"]) == n_before


def test_interrupt_in_the_callback_keeps_what_it_saw():
    def callback(n_iter, history):
        if n_iter == 2:
            raise KeyboardInterrupt

    result = Script(A, B, C, D, D).run(A, callback=callback)
    assert result.status is Status.INTERRUPTED
    assert result.n_iter == 2
    assert_array_equal(result.solution, C)


def test_callback_sees_every_iteration():
    seen = []
    result = Script(A, B, D, D).run(
        A, callback=lambda n_iter, history: seen.append((n_iter, *history["objective"]))
    )
    assert seen == [(1, 1), (2, 1, 2), (3, 1, 2, 0)]
    assert result.n_iter == 3


def test_the_callers_labels_are_not_written_to():
    start = A.copy()
    result = Script(A, B, B).run(start)
    assert_array_equal(start, A)
    assert not np.shares_memory(result.solution, start)


def test_no_samples():
    result = Script(A[:0], A[:0]).run(A[:0])
    assert result.status is Status.CONVERGED
    assert result.history["criterion"] == [0.0]


def from_several(script, starts, costs, **options):
    """The best of several loops, by a table of what their ends cost."""
    table = {codes.tobytes(): cost for codes, cost in costs}

    def surprise(codes):
        return table[codes.tobytes()]

    return alternate_from(starts, script.fit, script.relabel, surprise, **options)


@pytest.mark.parametrize(
    ("costs", "expected"), [((2.0, 1.0), D), ((1.0, 2.0), C), ((1.0, 1.0), C)]
)
def test_likeliest_end_wins(costs, expected):
    """And the first one if they are equal; it need not start lowest."""
    script = Script(A, C, C)
    script.after |= Script(B, D, D).after
    costs = list(zip([C, D], costs, strict=True))
    result = from_several(script, [A, B], costs)
    assert_array_equal(result.solution, expected)
    assert result.status is Status.CONVERGED
    assert result.n_iter == len(result.history["objective"]) == 2


@pytest.mark.parametrize(("margin", "expected"), [(0.4, D), (0.6, C)])
def test_first_start_is_left_for_a_margin_only(margin, expected):
    """The later ones are compared with each other without one."""
    script = Script(A, C, C)
    script.after |= Script(B, B).after | Script(D, D).after
    costs = [(C, 2.0), (B, 1.55), (D, 1.5)]
    result = from_several(script, [A, B, D], costs, margin=margin)
    assert_array_equal(result.solution, expected)


def test_one_start_needs_no_likelihood():
    result = from_several(Script(A, B, B), [A], [])
    assert_array_equal(result.solution, B)


@pytest.mark.parametrize(("n_before", "expected"), [(0, A), (1, C), (2, C), (3, C)])
def test_interrupt_of_several_starts_keeps_the_best(n_before, expected):
    script, calls = Script(A, C, C), []
    script.after |= Script(B, D, D).after
    fit = script.fit

    def interrupted(codes):
        calls.append(1)
        if len(calls) > n_before:
            raise KeyboardInterrupt
        return fit(codes)

    script.fit = interrupted
    result = from_several(script, [A, B], [(C, 2.0), (D, 1.0)])
    assert result.status is Status.INTERRUPTED
    assert_array_equal(result.solution, expected)


def test_interrupt_of_a_likelihood_keeps_the_labels():
    def surprise(codes):
        raise KeyboardInterrupt

    script = Script(A, C, C)
    result = alternate_from([A, B], script.fit, script.relabel, surprise)
    assert result.status is Status.INTERRUPTED
    assert_array_equal(result.solution, C)
