"""A fit that is killed leaves whole files."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress

import numpy as np
import pandas as pd
import pytest

from widemargin.model_files import load

N_KILLS = 5
FIT = (
    "fit iris.csv --target species --method laplacian --folds 0 --force "
    "--set landmarks=100 --seed"
)
COMMANDS = """
import os, sys
from widemargin.cli.main import main
answers, sys.stdout = sys.stdout, sys.stderr
main(sys.argv[1:], standalone_mode=False)
for line in sys.stdin:
    child = os.fork()
    if not child:
        main(line.split())
    print(child, file=answers, flush=True)
    print(os.waitpid(child, 0)[1], file=answers, flush=True)
"""


@contextmanager
def commands():
    """A process that has run the command once, and runs others in copies of itself.

    Yields a function that starts a command, ends it after some seconds, if they are
    given, and returns how long it took and whether it came to its end.
    """
    process = subprocess.Popen(
        [sys.executable, "-c", COMMANDS, *FIT.split(), "0"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        bufsize=1,
        # a copy of a process has none of the threads that OpenMP counts on
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )

    def run(line, seconds=None):
        process.stdin.write(line + "\n")
        child, start = int(process.stdout.readline()), time.perf_counter()
        if seconds is not None:
            time.sleep(seconds)
            with suppress(ProcessLookupError):  # it was faster
                os.kill(child, signal.SIGKILL)
        status = int(process.stdout.readline())
        return time.perf_counter() - start, status == 0

    try:
        yield run
    finally:
        process.communicate()


@pytest.mark.usefixtures("folder")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_files_are_whole_after_a_kill(iris):
    rng = np.random.default_rng(0)
    with commands() as run:
        seconds, is_done = run(f"{FIT} 0")
        assert is_done
        for seed in range(1, N_KILLS + 1):
            # every other kill near the end, where files are written
            low = 0.8 if seed % 2 else 0.0
            run(f"{FIT} {seed}", seconds * rng.uniform(low, 1.0))
            model = load("iris.wm")
            assert len(model.predict(iris)) == 150
            assert 0 <= model[-1].random_state <= seed
            found = pd.read_csv("iris-predictions.csv")
            assert found["row"].tolist() == list(range(1, 151))
            assert found.notna().all(axis=None)
