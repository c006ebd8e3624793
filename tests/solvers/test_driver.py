import pytest

from widemargin.solvers.driver import Interruptible, drive
from widemargin.solvers.result import Status


def count(n_steps, history, ended=Status.CONVERGED):
    """Steps that count themselves, and end after so many."""
    for step in range(1, n_steps + 1):
        history["objective"].append(float(step))
        yield ended if step == n_steps else None


def test_status_is_that_of_the_last_step():
    history = {"objective": []}
    assert drive(count(3, history), history, max_iter=10) == (Status.CONVERGED, 3)
    assert history["objective"] == [1.0, 2.0, 3.0]


def test_limit_ends_the_steps():
    history = {"objective": []}
    assert drive(count(9, history), history, max_iter=4) == (Status.MAX_ITER, 4)
    assert len(history["objective"]) == 4


def test_callback_sees_each_step():
    history, seen = {"objective": []}, []
    drive(
        count(3, history), history, max_iter=9,
        callback=lambda n, h: seen.append((n, h["objective"][-1])),
    )  # fmt: skip
    assert seen == [(1, 1.0), (2, 2.0), (3, 3.0)]


def test_interrupt_keeps_what_was_reached():
    history = {"objective": []}

    def stop(n_iter, history):
        if n_iter == 2:
            raise KeyboardInterrupt

    status = drive(count(5, history), history, max_iter=9, callback=stop)
    assert status == (Status.INTERRUPTED, 2)
    assert history["objective"] == [1.0, 2.0]


def test_interrupt_inside_a_step_counts_the_steps_before():
    def steps():
        yield None
        raise KeyboardInterrupt

    assert drive(steps(), {}, max_iter=9) == (Status.INTERRUPTED, 1)


def test_errors_pass_through():
    with pytest.raises(ZeroDivisionError), Interruptible():
        raise ZeroDivisionError


def test_work_that_ends_has_its_own_status():
    with Interruptible() as work:
        pass
    assert not work.was_interrupted
    assert work.status(Status.STALLED) is Status.STALLED
