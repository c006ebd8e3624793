import io
import json
import logging
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import widemargin
from widemargin.linalg import compiled as module
from widemargin.linalg.compiled import compiled

LOOP = """
from widemargin.linalg.compiled import compiled

@compiled
def total(x):
    s = 0.0
    for i in range(x.size):
        s += x[i]
    return s
"""

REPORT = """
import json
import numpy as np
from loop import total

print(json.dumps({
    "total": total(np.arange(4.0)),
    "hits": sum(total.stats.cache_hits.values()),
    "misses": sum(total.stats.cache_misses.values()),
    "cache_path": total.stats.cache_path,
}))
"""


def call_loop_in_new_process(folder, **variables):
    """Call the `total` of `folder`/loop.py; returns its value and cache statistics."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
    package_root = Path(widemargin.__file__).parents[1]
    path = os.pathsep.join([str(folder), str(package_root)])
    done = subprocess.run(
        [sys.executable, "-c", REPORT],
        env=inherited | {"PYTHONPATH": path} | variables,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def add_one(x):
    return x + 1


def test_bare_decorator_compiles():
    fast = compiled(add_one)
    assert fast(2) == 3
    assert fast.py_func is add_one
    assert fast.signatures  # numba really compiled it
    assert fast.targetoptions["nogil"]


def test_options_reach_numba():
    @compiled(boundscheck=True, cache=False)
    def pick(x, i):
        return x[i]

    assert pick(np.arange(3), 2) == 2
    with pytest.raises(IndexError, match="out of bounds"):
        pick(np.arange(3), 3)


def test_default_options_can_be_changed():
    assert not compiled(nogil=False)(add_one).targetoptions["nogil"]


@pytest.mark.slow
def test_second_process_loads_the_code_from_disk(tmp_path):
    (tmp_path / "loop.py").write_text(LOOP)
    cache = tmp_path / "cache"

    first = call_loop_in_new_process(tmp_path, NUMBA_CACHE_DIR=str(cache))
    written = {p: p.stat().st_mtime_ns for p in cache.rglob("*.nb[ic]")}
    second = call_loop_in_new_process(tmp_path, NUMBA_CACHE_DIR=str(cache))

    assert (first["total"], first["hits"], first["misses"]) == (6.0, 0, 1)
    assert (second["total"], second["hits"], second["misses"]) == (6.0, 1, 0)
    assert len(written) == 2  # index and code
    assert written == {p: p.stat().st_mtime_ns for p in cache.rglob("*.nb[ic]")}


@pytest.mark.slow
def test_works_where_no_cache_can_be_written(tmp_path):
    """Files stand where the cache folders would be: that stops even the root user."""
    (tmp_path / "loop.py").write_text(LOOP)
    (tmp_path / "__pycache__").touch()
    (tmp_path / "home").touch()
    nowhere = str(tmp_path / "home" / "cache")

    report = call_loop_in_new_process(
        tmp_path, HOME=nowhere, XDG_CACHE_HOME=nowhere, LOCALAPPDATA=nowhere
    )

    assert report["total"] == 6.0
    assert report["cache_path"] is None


def test_works_without_a_source_file():
    namespace = {}
    exec("def add_two(x):\n    return x + 2", namespace)
    fast = compiled(namespace["add_two"])
    assert fast(1) == 3
    assert fast.stats.cache_path is None


def test_other_runtime_errors_are_raised(monkeypatch):
    def njit(*, cache, **options):
        if cache:
            raise RuntimeError("unknown cache locator class")
        return lambda function: function

    monkeypatch.setattr(module.numba, "njit", njit)
    with pytest.raises(RuntimeError, match="unknown cache locator class"):
        compiled(add_one)


MESSAGE = "compiling numerical loops (once per installation, about 5 s)"


@pytest.fixture
def clock(monkeypatch):
    """Seconds that pass only when a test says so."""
    now = SimpleNamespace(seconds=100.0)
    monkeypatch.setattr(module.time, "perf_counter", lambda: now.seconds)
    return now


def compile_for(announcement, clock, *seconds, owner="widemargin.solvers.loops"):
    """Compile a loop that calls others; pieces of time between their beginnings."""
    function = SimpleNamespace(__module__=owner)
    ours = SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=function)})
    for piece in seconds:
        announcement.on_start(ours)
        clock.seconds += piece
    for _ in seconds:
        announcement.on_end(ours)


@pytest.mark.parametrize(
    ("loops", "n_lines"),
    [
        ([[0.9]], 0),
        ([[3.0]], 0),  # over before the next look at the time
        ([[0.6, 0.6, 0.1]], 1),
        ([[0.6], [0.6], [0.1], [2.0, 2.0]], 1),
        ([[0.3], [0.3], [0.3]], 0),
    ],
)
def test_compilation_of_more_than_a_second_is_recorded_once(
    clock, caplog, loops, n_lines
):
    announcement = module.Announcement()
    with caplog.at_level(logging.INFO, logger="widemargin"):
        for pieces in loops:
            compile_for(announcement, clock, *pieces)
            clock.seconds += 1000.0  # time between fits does not count
    assert caplog.messages == n_lines * [MESSAGE]


def test_loops_of_other_libraries_are_not_announced(clock, caplog):
    with caplog.at_level(logging.INFO, logger="widemargin"):
        compile_for(module.Announcement(), clock, 5.0, 5.0, owner="umap.layouts")
    assert not caplog.messages


@pytest.mark.parametrize("is_terminal", [True, False])
def test_only_a_terminal_gets_a_line(clock, monkeypatch, is_terminal):
    stream = io.StringIO()
    stream.isatty = lambda: is_terminal
    monkeypatch.setattr(module.sys, "stderr", stream)
    compile_for(module.Announcement(), clock, 2.0, 2.0)
    assert stream.getvalue() == is_terminal * f"widemargin: {MESSAGE}\n"


@pytest.mark.slow
def test_code_from_disk_is_not_announced(tmp_path):
    """numba compiles in the first process only, and nothing is printed."""
    (tmp_path / "loop.py").write_text(LOOP)
    (tmp_path / "watch.py").write_text(
        "from numba.core import event\n"
        "class Watch(event.Listener):\n"
        "    n = 0\n"
        "    def on_start(self, event): Watch.n += 1\n"
        "    def on_end(self, event): pass\n"
        "event.register('numba:compile', Watch())\n"
    )
    script = f"from watch import Watch\n{REPORT}\nimport sys\nsys.exit(3 + Watch.n)"
    path = os.pathsep.join([str(tmp_path), str(Path(widemargin.__file__).parents[1])])
    environment = os.environ | {"PYTHONPATH": path, "NUMBA_CACHE_DIR": str(tmp_path)}
    codes = [
        subprocess.run(
            [sys.executable, "-c", script], env=environment, stdout=subprocess.DEVNULL
        ).returncode
        for _ in range(2)
    ]
    assert codes == [4, 3]
