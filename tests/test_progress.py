import numpy as np
import pytest
from sklearn.datasets import make_blobs

from widemargin import FewLabelClassifier, MaxMarginClustering
from widemargin.datasets import hide_labels
from widemargin.defaults import FIT_STAGES
from widemargin.progress import (
    Watch,
    counter,
    every,
    is_watched,
    paused,
    planned,
    say_left,
    track,
    watch,
)


class Clock:
    """A clock that goes on by one second at each look."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += 1.0
        return self.now


def test_shares_add_up_and_never_fall():
    states = []
    watched = Watch(states.append, {"first": 1.0, "second": 3.0}, clock=lambda: 0.0)
    for stage, done in (("first", 0.5), ("second", 0.5), ("first", 1.0)):
        watched.report(stage, done)
    watched.report("second", 7.0)  # more steps than expected
    assert [state.share for state in states] == [0.125, 0.625, 0.625, 1.0]


def test_remaining_time_follows_from_the_time_so_far():
    states = []
    watched = Watch(states.append, {"only": 1.0}, clock=Clock())  # began at 1
    watched.report("only", 0.01)
    assert states[-1].seconds_left is None  # too early; the clock was not asked
    watched.report("only", 0.25)
    assert states[-1].seconds_left == pytest.approx(3.0)  # one second for a quarter


def test_work_has_a_plan_of_its_own():
    """Stages of the fits within are parts of it, and are not reported."""
    states = []
    with watch(states.append):
        with planned({"own": 1.0}):
            for _ in track("own", [1, 2]):
                counter("labels", 1)()
        counter("labels", 1)()
    assert [(one.stage, one.share) for one in states[:2]] == [
        ("own", 0.5),
        ("own", 1.0),
    ]
    assert [one.stage for one in states[2:]] == ["labels"]
    with planned({"own": 1.0}):  # nobody watches
        assert not is_watched()


@pytest.mark.parametrize("within", [paused, lambda: planned({"own": 1.0})])
def test_other_work_takes_no_time_of_the_estimate(monkeypatch, within):
    states, now = [], [0.0]
    monkeypatch.setattr(Watch.__init__, "__defaults__", (FIT_STAGES, lambda: now[0]))
    with watch(states.append):
        with within():
            now[0] += 1000.0
        now[0] += 1.0
        counter("cells", 1)()
    share = states[0].share
    assert states[0].seconds_left == pytest.approx((1.0 - share) / share)


@pytest.mark.slow
def test_the_fit_with_the_chosen_number_is_a_stage():
    """So that not everything is done before it."""
    states = []
    X, _ = make_blobs(60, centers=3, random_state=0)
    with watch(states.append):
        MaxMarginClustering("auto", random_state=0).fit(X)
    shares = [state.share for state in states]
    assert shares == sorted(shares)
    assert [state.stage for state in states[-2:]] == ["numbers of clusters", "clusters"]
    assert shares[-2] < 0.95
    assert shares[-1] == pytest.approx(1.0)


def test_a_pause_is_not_reported_and_takes_no_time(monkeypatch):
    states, now = [], [0.0]
    monkeypatch.setattr(Watch.__init__, "__defaults__", (FIT_STAGES, lambda: now[0]))
    with watch(states.append):
        with paused():
            counter("labels", 1)()
            now[0] += 1000.0
        assert not states
        now[0] += 1.0
        counter("cells", 1)()
    share = states[0].share
    assert states[0].seconds_left == pytest.approx((1.0 - share) / share)
    with paused():  # nobody watches
        assert not is_watched()


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "about 5 seconds left"),
        (48.0, "about 50 seconds left"),
        (58.0, "about 1 minute left"),
        (600.0, "about 10 minutes left"),
        (5500.0, "about 2 hours left"),
    ],
)
def test_remaining_time_in_words(seconds, text):
    assert say_left(seconds) == text


def test_lines_are_not_printed_too_often():
    passed = []
    report = every(2.5, passed.append, clock=Clock())
    for state in range(9):
        report(state)
    assert passed == [2, 5, 8]


def test_only_fits_within_are_watched():
    states = []
    with watch(states.append):
        assert is_watched()
        assert list(track("labels", [1, 2])) == [1, 2]
        counter(None, 3)()
    assert not is_watched()
    assert list(track("labels", [1, 2])) == [1, 2]
    assert [state.stage for state in states] == ["labels", "labels"]
    assert states[-1].share == 1.0


@pytest.fixture(scope="module")
def many():
    X, y = make_blobs(11_000, 6, centers=3, random_state=0)
    return X.astype(np.float32), hide_labels(y, 12, rng=0)


@pytest.mark.slow
def test_a_fit_of_many_rows_reports_its_stages(many, monkeypatch):
    # Components of all rows, as of more than 20,000.
    monkeypatch.setattr("widemargin.spaces.bases.COMPONENT_ROWS", 5000)
    states = []
    with watch(states.append):
        FewLabelClassifier(random_state=0).fit(*many)
    shares = [state.share for state in states]
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1.0)
    seen = dict.fromkeys(state.stage for state in states)
    assert list(seen) == list(FIT_STAGES)


@pytest.mark.slow
def test_verbose_says_how_long_it_takes(many, monkeypatch, capsys):
    monkeypatch.setattr("widemargin.progress._LINE_SECONDS", 0.0)
    FewLabelClassifier(random_state=0, verbose=True).fit(*many)
    printed = capsys.readouterr().out
    assert "FewLabelClassifier: eigenvectors, " in printed
    assert " left\n" in printed
    FewLabelClassifier(random_state=0).fit(*many)
    assert capsys.readouterr().out == ""
