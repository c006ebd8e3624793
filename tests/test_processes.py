"""Processes end with the one that started them, whatever ends it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import widemargin

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX processes")

# Starts two processes that would work for a minute, one of them deaf to signals.
CODE = """
import os, sys, time
from sklearn.utils.parallel import delayed
from widemargin.processes import parallel

def work(number):
    os.write(1, f"{os.getpid()}\\n".encode())  # at once: both write to one pipe
    time.sleep(60)

parallel(2)(delayed(work)(i) for i in range(2))
"""


def is_alive(process):
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc"), reason="needs /proc")
@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM"])
def test_no_process_outlives_its_parent(name, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(CODE)
    source = os.pathsep.join([str(Path(widemargin.__file__).parents[1])])
    parent = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": source},
        text=True,
    )
    workers = [int(parent.stdout.readline()) for _ in range(2)]
    assert all(map(is_alive, workers))
    parent.send_signal(getattr(signal, name))
    parent.wait()
    parent.stdout.close()
    for _ in range(600):  # of a busy machine; they would live for a minute
        if not any(map(is_alive, workers)):
            break
        time.sleep(0.05)
    assert not any(map(is_alive, workers))
