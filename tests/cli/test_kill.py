"""A fit that is killed leaves whole files."""

import os
import signal
import subprocess
import sys

import pandas as pd
import pytest

from widemargin.model_files import load

pytestmark = pytest.mark.slow

FIT = (
    "fit iris.csv --target species --method laplacian --folds 0 --force "
    "--set landmarks=100 --seed"
)
# Runs commands in copies of itself; a copy kills itself before its n-th step that
# opens a file to write it or renames it.
COMMANDS = """
import os, signal, sys
from widemargin.cli.main import main

def kill_before(n):
    def watch(event, args):
        nonlocal n
        is_written = event == "open" and {"w", "x"} & set(str(args[1]))
        n -= bool(is_written or event == "os.rename")
        if n == 0:
            n = -1  # killing is also an event
            os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(watch)

answers, sys.stdout = sys.stdout, sys.stderr
main(sys.argv[1:], standalone_mode=False)
print("ready", file=answers, flush=True)
for line in sys.stdin:
    n, *words = line.split()
    child = os.fork()
    if not child:
        kill_before(int(n))
        main(words)
    print(os.waitpid(child, 0)[1], file=answers, flush=True)
"""


@pytest.fixture
def killed(folder):
    """Run a command that is killed before its n-th step; how it ended."""
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

    def run(n_steps, line):
        process.stdin.write(f"{n_steps} {line}\n")
        return os.waitstatus_to_exitcode(int(process.stdout.readline()))

    assert process.stdout.readline() == "ready\n"
    yield run
    process.communicate()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_files_are_whole_after_a_kill(killed, folder, iris):
    """The model is written and renamed, then the predictions: four steps."""
    for n_steps in (1, 2, 3, 4, 5):
        seed = n_steps
        before = (folder / "iris.wm").read_bytes()
        ended = killed(n_steps, f"{FIT} {seed}")
        assert ended == (0 if n_steps == 5 else -signal.SIGKILL)
        model = load("iris.wm")
        assert len(model.predict(iris)) == 150
        is_new = n_steps > 2
        assert ((folder / "iris.wm").read_bytes() != before) == is_new
        assert (model[-1].random_state == seed) == is_new
        found = pd.read_csv("iris-predictions.csv")
        assert len(found) == 150
        assert found[["label", "probability", "source"]].notna().all(axis=None)
