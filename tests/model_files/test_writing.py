import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import plug_in
import pytest
from plug_in import ToyClassifier

import widemargin
from widemargin.model_files import load, save, writing

SAVE_FOREVER = """
import sys
import plug_in
from widemargin.model_files import load, save
model = load(sys.argv[1])
print("ready", flush=True)
while True:
    save(model, sys.argv[2])
"""


@pytest.mark.slow
def test_a_kill_leaves_a_whole_file(two_classes, tmp_path):
    X, y = two_classes
    old, new, path = (tmp_path / name for name in ("old", "new", "model"))
    scores = []
    for file, reg in ((old, 0.01), (new, 0.1)):
        model = ToyClassifier(reg=reg).fit(X, y)
        scores.append(model.decision_function(X))
        save(model, file)
    rng = np.random.default_rng(0)
    source = [Path(widemargin.__file__).parents[1], Path(plug_in.__file__).parent]
    for _ in range(4):
        path.write_bytes(old.read_bytes())
        child = subprocess.Popen(
            [sys.executable, "-c", SAVE_FOREVER, str(new), str(path)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, source))},
            stdout=subprocess.PIPE,
        )
        assert child.stdout.readline() == b"ready\n"
        time.sleep(rng.uniform(0, 0.05))
        child.send_signal(signal.SIGKILL)
        child.communicate()
        found = load(path).decision_function(X)
        assert any(np.array_equal(found, expected) for expected in scores)


def test_a_kill_while_writing_leaves_old_bytes_or_new(tmp_path):
    """Ten megabytes at a time, by the writer alone, which starts fast."""
    path, rng = tmp_path / "file", np.random.default_rng(0)
    code = (
        "import runpy, sys\n"
        "write = runpy.run_path(sys.argv[1])['write_whole']\n"
        "print('ready', flush=True)\n"
        "while True: [write(sys.argv[2], c * 10**7) for c in (b'a', b'b')]"
    )
    whole = {b"a" * 10**7, b"b" * 10**7}
    path.write_bytes(b"a" * 10**7)
    for _ in range(10):
        child = subprocess.Popen(
            [sys.executable, "-c", code, writing.__file__, str(path)],
            stdout=subprocess.PIPE,
        )
        child.stdout.readline()
        time.sleep(rng.uniform(0, 0.05))
        child.send_signal(signal.SIGKILL)
        child.communicate()
        assert path.read_bytes() in whole


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_an_error_leaves_the_old_file_and_nothing_else(
    step, model, path, tmp_path, monkeypatch
):
    save(model, path)
    before = path.read_bytes()

    def fail(*_):
        raise OSError("no space left")

    monkeypatch.setattr(writing.os, step, fail)
    with pytest.raises(OSError, match="no space left"):
        save(model, path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_leftovers_of_killed_processes_are_removed_later(model, path, tmp_path):
    """Not those of a process that may still write, nor those of other files."""
    names = {
        "old": f".{path.name}.{'0' * 16}.tmp",
        "new": f".{path.name}.{'1' * 16}.tmp",
        "of another": f".other.{'0' * 16}.tmp",
        "of a user": f"{path.name}.tmp",
    }
    for name in names.values():
        (tmp_path / name).write_bytes(b"half")
        os.utime(tmp_path / name, (0, 0))
    os.utime(tmp_path / names["new"])
    save(model, path)
    left = {file.name for file in tmp_path.iterdir()}
    assert left == {path.name, *names.values()} - {names["old"]}


def test_an_existing_file_is_replaced_and_a_link_stays_one(model, path, tmp_path):
    path.write_bytes(b"something else")
    link = tmp_path / "link"
    link.symlink_to(path)
    save(model, link)
    assert link.is_symlink()
    assert load(path).get_params() == model.get_params()


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_a_file_that_is_replaced_keeps_its_mode(mode, model, path, monkeypatch):
    """And nobody else may open the new one meanwhile."""
    path.write_bytes(b"old")
    path.chmod(mode)
    modes, replace = [], os.replace

    def spy(source, target):
        modes.append(os.stat(source).st_mode & 0o777)
        replace(source, target)

    monkeypatch.setattr(writing.os, "replace", spy)
    before = os.umask(0o022)
    try:
        save(model, path)
    finally:
        os.umask(before)
    assert modes == [mode]
    assert path.stat().st_mode & 0o777 == mode
    assert load(path).get_params() == model.get_params()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
@pytest.mark.parametrize("link", [False, True])
def test_pipes_and_devices_are_kept(link, model, path, tmp_path):
    os.mkfifo(path)
    target = tmp_path / "link" if link else path
    if link:
        target.symlink_to(path)
    with pytest.raises(OSError, match="not a regular file") as info:
        save(model, target)
    assert info.value.filename == str(target)
    assert path.is_fifo()
    with pytest.raises(OSError, match="not a regular file"):
        save(model, "/dev/null")
    assert os.path.exists("/dev/null")
    assert not os.path.isfile("/dev/null")


def test_errors_name_the_file_that_the_user_named(model, tmp_path):
    for target, kind in (
        (tmp_path / "no" / "model.wm", FileNotFoundError),
        (tmp_path, IsADirectoryError),
    ):
        with pytest.raises(kind) as info:
            save(model, target)
        assert info.value.filename == str(target)
        assert ".tmp" not in str(info.value)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_names_the_file(model, path, monkeypatch):
    def fail(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(writing.os, "fsync", fail)
    with pytest.raises(OSError, match="No space left on device") as info:
        save(model, path)
    assert info.value.filename == str(path)


def test_others_may_read_the_file_as_the_user_wants(model, path):
    before = os.umask(0o022)
    try:
        save(model, path)
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o644
