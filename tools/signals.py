"""Send signals to commands at random times: python tools/signals.py [--rounds 50].

After each, no process of the command may be left two seconds later, no file may be
half-written, and the exit code is the one that shells give to the signal.
"""

import argparse
import contextlib
import csv
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from threadpoolctl import threadpool_limits

import widemargin.cli.fit
import widemargin.cli.fitting
import widemargin.cli.outputs  # noqa: F401
import widemargin_bench.runner  # noqa: F401  imports take long: copies have them
from widemargin.cli.main import main as run_command
from widemargin.model_files import load

SIGNALS = signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL
COMMANDS = {  # "{}" is the number of jobs
    "fit": "fit digits.csv --target y --set budget=balanced --set n_jobs={} "
    "--out m.wm --predictions p.csv",
    "cluster": "cluster digits.csv -k 10 --drop y --set n_jobs={} "
    "--out m.wm --predictions p.csv",
    "predict": "predict model.wm new.csv --out p.csv",
    "demo": "demo --set n_jobs={} picture.png",
    "bench": "bench run --quick --memory --jobs {} --out results "
    "defaults-clustering --rows iris --methods KMeans --runs 4",
}
N_ROWS, N_NEW = 200, 10_000  # of the two tables
LIMIT = 2.0  # seconds until all processes must have ended
PATIENCE = 120.0  # seconds for the command itself


def write_tables(folder):
    """Digits of which some are labeled, many new ones, and a model of them."""
    X, y = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    labels = np.where(np.arange(N_ROWS) < 40, y[:N_ROWS], "")
    write_table(folder / "digits.csv", X[:N_ROWS], labels)
    write_table(folder / "new.csv", X[rng.integers(len(X), size=N_NEW)])
    words = "fit digits.csv --target y --method laplacian --folds 0 --out model.wm"
    code = finish(start(words, folder))
    assert code == 0, (folder / "log").read_text()


def write_table(path, X, y=None):
    """Write rows of numbers, and labels if there are any."""
    header = [f"x{i}" for i in range(X.shape[1])] + ["y"] * (y is not None)
    rows = X.round(3).tolist() if y is None else np.column_stack([X, y]).tolist()
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def start(words, folder):
    """Run a command in a copy of this process, which leads a session; its id."""
    child = os.fork()
    if child:
        return child
    os.setsid()
    os.chdir(folder)
    log = os.open("log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        default = number == signal.SIGINT
        signal.signal(number, signal.default_int_handler if default else signal.SIG_DFL)
    threadpool_limits(1)  # a copy that calls for the threads of the original hangs
    run_command(words.split())  # ends in SystemExit
    raise AssertionError


def finish(child):
    """The exit code of a command as a shell sees it; None if it does not end."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code
        time.sleep(0.005)
    return None


def members(session):
    """Processes of a session that have not ended, with their command lines."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            state, *fields = (path / "stat").read_text().rpartition(")")[2].split()
            if int(fields[2]) == session and state not in "ZX":
                found.append((int(path.name), (path / "cmdline").read_text()[:200]))
        except (OSError, ValueError):
            continue
    return found


def leftovers(session):
    """Processes of a session that are still there when they must have ended.

    Time that they wait for a processor, because others use it, does not count.
    """
    passed, now, waited = 0.0, time.monotonic(), {}
    while (found := members(session)) and passed < LIMIT:
        time.sleep(0.02)
        before, now, last = now, time.monotonic(), waited
        waited = {process: waiting_time(process) for process, _ in found}
        delays = [waited[each] - last.get(each, waited[each]) for each in waited]
        passed += max(0.0, now - before - max(delays, default=0.0))
    for process, _ in found:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    return found


def waiting_time(process):
    """Seconds for which a process was ready to run and did not."""
    try:
        return int(Path(f"/proc/{process}/schedstat").read_text().split()[1]) / 1e9
    except OSError:
        return 0.0


def half_files(folder, number):
    """Files that are neither whole nor absent."""
    wrong = []
    for path in folder.iterdir():
        if path.name == "m.wm":
            load(path)  # raises for half a file
        elif path.name == "p.csv":
            n_rows = len(path.read_text().splitlines())
            wrong += [] if n_rows in (N_ROWS + 1, N_NEW + 1) else [path.name]
        elif path.name == "picture.png":
            is_whole = path.read_bytes()[-8:-4] == b"IEND"
            wrong += [] if is_whole else [path.name]
        elif path.suffix == ".tmp" and number != signal.SIGKILL:
            wrong.append(path.name)
    return wrong


def check(words, number, delay, tables):
    """Send a signal to a command after a delay; the outcome, and what was wrong."""
    folder = Path(tempfile.mkdtemp(dir=tables))
    for name in ("digits.csv", "new.csv", "model.wm"):
        if (tables / name).exists():
            (folder / name).symlink_to(tables / name)
    child = start(words, folder)
    time.sleep(delay)
    os.kill(child, number)
    code, problems = finish(child), []
    if code not in (0, 128 + number):
        problems.append(f"exit code {code}: {(folder / 'log').read_text()[-2000:]}")
    if code is None:
        os.kill(child, signal.SIGKILL)
    problems += [f"left behind: {each}" for each in leftovers(child)]
    problems += [f"half a file: {each}" for each in half_files(folder, number)]
    shutil.rmtree(folder)
    return ("ended before" if code == 0 else "ended by it"), problems


def measure(words, tables):
    """Seconds that a command takes when it is left alone."""
    folder = Path(tempfile.mkdtemp(dir=tables))
    for name in ("digits.csv", "new.csv", "model.wm"):
        (folder / name).symlink_to(tables / name)
    begin = time.monotonic()
    code = finish(start(words, folder))
    assert code == 0, (folder / "log").read_text()
    shutil.rmtree(folder)
    return time.monotonic() - begin


def main():
    """Print the outcomes; the exit code is 1 if anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--commands", nargs="+", default=list(COMMANDS))
    given = parser.parse_args()
    rng, tables, n_wrong = random.Random(0), Path(tempfile.mkdtemp()), 0
    write_tables(tables)
    for name in given.commands:
        jobs = (1, 2) if "{}" in COMMANDS[name] else (1,)
        for n_jobs in jobs:
            words, outcomes = COMMANDS[name].format(n_jobs), Counter()
            seconds = measure(words, tables)
            for i in range(given.rounds * len(SIGNALS)):
                number = SIGNALS[i % len(SIGNALS)]
                delay = rng.uniform(0.02, seconds)
                outcome, problems = check(words, number, delay, tables)
                outcomes[f"{number.name} {outcome}"] += 1
                n_wrong += bool(problems)
                for problem in problems:
                    print(f"{name}, {n_jobs} jobs, {number.name} after {delay:.2f} s:")
                    print(f"  {problem}", flush=True)
            counts = ", ".join(f"{key} {n}" for key, n in sorted(outcomes.items()))
            print(f"{name}, {n_jobs} jobs, {seconds:.1f} s: {counts}", flush=True)
    shutil.rmtree(tables)
    print(f"{n_wrong} of these went wrong.")
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
