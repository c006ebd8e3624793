"""Signals end commands, their processes and nothing else."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from widemargin.cli import fitting

TOOL = Path(__file__).parents[2] / "tools" / "signals.py"
FIT = "fit", "iris.csv", "--target", "species", "--folds", 0
posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")


@posix
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_signal_is_an_interrupt_with_its_own_exit_code(
    name, run, folder, monkeypatch
):
    number = getattr(signal, name)
    # A process in the background may have inherited that they are ignored.
    usual = signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL
    before = signal.signal(number, usual)

    def kill(*_, **__):
        os.kill(os.getpid(), number)
        time.sleep(10)  # the handler ends it

    monkeypatch.setattr("widemargin.cli.fitting.fit_and_estimate", kill)
    try:
        result = run(*FIT)
        assert signal.getsignal(number) is usual
    finally:
        signal.signal(number, before)
    assert result.exit_code == 128 + number
    assert result.stderr == "Interrupted; no file is half-written.\n"
    assert [path.name for path in folder.iterdir()] == ["iris.csv"]


@posix
def test_what_is_ignored_stays_ignored(done):
    """As by nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        os.kill(os.getpid(), signal.SIGHUP)
        done(*FIT)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


@posix
@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc"), reason="needs /proc")
@pytest.mark.parametrize("command", ["fit", "predict"])
def test_nothing_is_left_of_a_command_that_is_ended(command):
    """With one job and two; the tool itself has more commands and 50 rounds."""
    words = [sys.executable, str(TOOL), "--rounds", "1", "--commands", command]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@posix
@pytest.mark.parametrize("error", [ValueError, RuntimeError, SystemError])
def test_an_interrupt_that_becomes_an_error_is_still_an_interrupt(
    error, run, monkeypatch
):
    """The parser of pandas drops it; so may any code that calls back."""

    def swallow(*_, **__):
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise error("reading failed") from None

    monkeypatch.setattr("widemargin.cli.fitting.fit_and_estimate", swallow)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        result = run(*FIT)
    finally:
        signal.signal(signal.SIGINT, before)
    assert result.exit_code == 128 + signal.SIGINT
    assert result.stderr == "Interrupted; no file is half-written.\n"


@posix
@pytest.mark.parametrize("words", [FIT, ("predict", "iris.wm", "iris.csv", "--json")])
def test_an_interrupt_that_is_dropped_is_still_an_interrupt(
    words, run, done, folder, monkeypatch
):
    """Python drops it in a callback from compiled code; the command goes on."""
    if words[0] == "predict":
        done(*FIT)
    before_all = sorted(folder.iterdir())
    name = "fit_and_estimate" if words[0] == "fit" else "tabulate_new"
    original = getattr(fitting, name)

    def drop(*args, **options):
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        return original(*args, **options)

    monkeypatch.setattr(f"widemargin.cli.fitting.{name}", drop)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        result = run(*words)
    finally:
        signal.signal(signal.SIGINT, before)
    assert result.exit_code == 128 + signal.SIGINT
    assert result.stdout.count("{") == 0
    assert result.stderr == "Interrupted; no file is half-written.\n"
    assert sorted(folder.iterdir()) == before_all
