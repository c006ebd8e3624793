"""How far a long fit is, and how long it will still take.

Stages of a fit that take long with many rows report how much of them is done. A
watcher receives the share of the whole fit and the remaining seconds, estimated from
the time so far and from the expected share of each stage. Without a watcher, nothing is
reported, and the fit is not slower.

    with watch(lambda state: print(state)):
        model.fit(X, y)

Estimators with the parameter `verbose` print their own lines by `Progress`.
"""

import time
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass

from widemargin.defaults import FIT_STAGES

_LINE_SECONDS = 10.0  # between lines that are printed
_LEAST_SHARE = 0.03  # of a fit, from which its time can be estimated
_watched = ContextVar("watched", default=None)


@dataclass(frozen=True)
class State:
    """Where a fit is.

    >>> print(State("neighbors", 0.25, 60.0))
    neighbors, 25 % done, about 1 minute left
    """

    stage: str
    share: float  # of the whole fit that is done
    seconds_left: float | None  # None as long as it cannot be told

    def __str__(self):
        left = "" if self.seconds_left is None else f", {say_left(self.seconds_left)}"
        return f"{self.stage}, {100 * self.share:.0f} % done{left}"


def say_left(seconds):
    """Remaining time in words.

    >>> say_left(8.2), say_left(100.0), say_left(7000.0)
    ('about 10 seconds left', 'about 2 minutes left', 'about 2 hours left')
    """
    for size, unit, step in ((5400.0, 3600.0, "hour"), (55.0, 60.0, "minute")):
        if seconds > size:
            count = max(1, round(seconds / unit))
            return f"about {count} {step}{'s' if count > 1 else ''} left"
    return f"about {max(5, 5 * round(seconds / 5))} seconds left"


class Watch:
    """Tells a callback about the stages of a fit, in the order of a plan."""

    def __init__(self, callback, plan=FIT_STAGES, clock=time.monotonic):
        self.callback, self.plan, self.clock = callback, plan, clock
        self.began, self.share = clock(), 0.0
        total, done, self.before = sum(plan.values()), 0.0, {}
        for stage, part in plan.items():
            self.before[stage] = done / total
            done += part
        self.parts = {stage: part / total for stage, part in plan.items()}

    def report(self, stage, done):
        """A share of a stage is done; earlier stages are, or do not occur."""
        if stage not in self.before:  # a part of a stage of this plan
            return
        share = self.before[stage] + min(done, 1.0) * self.parts[stage]
        # A stage may begin again, with a coarser graph or another fold.
        self.share = max(self.share, share)
        left = None
        if self.share >= _LEAST_SHARE:
            left = (self.clock() - self.began) * (1.0 - self.share) / self.share
        self.callback(State(stage, self.share, left))


def every(seconds, callback, clock=time.monotonic):
    """A callback that passes a state on if so many seconds have gone since the last."""
    last = clock()

    def report(state):
        nonlocal last
        if clock() - last >= seconds:
            last = clock()
            callback(state)

    return report


@contextmanager
def watch(callback):
    """Call a function with the `State` of the fits within, again and again."""
    token = _watched.set(Watch(callback))
    try:
        yield
    finally:
        _watched.reset(token)


@contextmanager
def planned(stages):
    """Report these stages, with their shares, of the work within and no others.

    Its time is no part of the estimate of the work around it.
    """
    watched = _watched.get()
    own = watched and Watch(watched.callback, stages, watched.clock)
    with _instead(own):
        yield


@contextmanager
def paused():
    """Do not report the stages within, whose time is not part of the estimate.

    For work before a fit that uses the same parts, and says itself how far it is.
    """
    with _instead(None):
        yield


@contextmanager
def _instead(own):
    """Let another watch, or nobody, watch the work within, which takes no time."""
    watched = _watched.get()
    began = watched and watched.clock()
    token = _watched.set(own)
    try:
        yield
    finally:
        _watched.reset(token)
        if watched:
            watched.began += watched.clock() - began


def is_watched():
    """Whether somebody is told about stages."""
    return _watched.get() is not None


def counter(stage, n_steps):
    """What a stage calls after each of about so many steps; None is no stage."""
    watched = _watched.get()
    if watched is None or stage is None:
        return _nothing
    n_done = 0

    def step():
        nonlocal n_done
        n_done += 1
        watched.report(stage, n_done / n_steps)

    return step


def track(stage, tasks):
    """Yield each of a list of tasks of a stage; it is done when the next one begins."""
    step = counter(stage, len(tasks))
    for task in tasks:
        yield task
        step()


def _nothing():
    """Do nothing, because there is no watcher."""


def tell_rows(n_rows, say):
    """What is called with the number of rows that are done; `say` takes a line."""
    began = spoken = time.monotonic()

    def tell(n_done):
        nonlocal spoken
        now = time.monotonic()
        if say is not None and now - spoken > _LINE_SECONDS and n_done:
            spoken, left = now, (now - began) * (n_rows / n_done - 1)
            say(f"{n_done:,} of {n_rows:,} rows, {say_left(left)}")

    return tell


@dataclass(frozen=True)
class Progress:
    """Lines of progress under the name of an estimator, if the user wants them."""

    who: str
    verbose: bool

    @classmethod
    def of(cls, estimator):
        """The lines of an estimator with a parameter `verbose`."""
        return cls(type(estimator).__name__, bool(estimator.verbose))

    def say(self, message):
        """Print a line."""
        if self.verbose:
            print(f"{self.who}: {message}", flush=True)

    def watched(self):
        """What long stages run within: a line every ten seconds, unless watched."""
        if not self.verbose or is_watched():
            return nullcontext()
        return watch(every(_LINE_SECONDS, self.say))

    def every(self, n_iterations):
        """A solver's callback that prints every `n_iterations`, or None."""
        if not self.verbose:
            return None

        def report(iteration, history):
            if iteration % n_iterations == 0:
                line = (
                    f"iteration {iteration}: objective {history['objective'][-1]:.6g}"
                )
                changes = history.get("decision_change")
                if changes:
                    line += f", {100 * changes[-1]:.2f} % of decisions changed"
                self.say(f"{line}, criterion {history['criterion'][-1]:.1e}")

        return report

    def searches(self):
        """A callback that prints a line for each search of labels, or None."""
        if not self.verbose:
            return None

        def report(n_done, history):
            speed = history["moves"][-1] / max(history["seconds"][-1], 1e-9)
            self.say(
                f"search {n_done}: objective {history['found'][-1]:.6g}, best "
                f"{history['objective'][-1]:.6g}, {speed:,.0f} moves per second"
            )

        return report

    def rounds(self):
        """A callback that prints a line for each round of relabeling, or None."""
        if not self.verbose:
            return None

        def report(n_iter, history):
            weight, start = history["unlabeled_weight"][-1], history["start_number"][-1]
            self.say(
                f"weight of an unlabeled row {weight:g}, start {start}, round {n_iter}:"
                f" {history['objective'][-1]:.0f} labels changed"
            )

        return report

    def weights(self, weights):
        """A callback that prints a line for each of some weights, or None."""
        if not self.verbose:
            return None
        return lambda place: self.say(f"unlabeled weight {weights[place]:g}")
