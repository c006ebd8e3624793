import threading

import numpy as np
import pytest
from studio_pages import Client

import widemargin
from widemargin.studio import run
from widemargin.studio.run import check_host, check_installed


def test_missing_packages_are_named(monkeypatch):
    needed = {"json": "json", "no_such_module": "no-such-package", "none": "another"}
    monkeypatch.setattr(run, "NEEDED", needed)
    message = (
        r"needs no-such-package, another: pip install no-such-package another "
        r"\(or the extra, in a clone of widemargin: pip install '\.\[label\]'\)"
    )
    with pytest.raises(ImportError, match=message):
        check_installed()
    with pytest.raises(ImportError, match="pip install"):
        widemargin.label(np.ones((3, 2)))


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::", "example.org"])
def test_other_hosts_need_two_wishes(host):
    for is_public, password in ((False, "secret"), (True, None), (True, "")):
        with pytest.raises(ValueError, match="--unsafe-public"):
            check_host(host, is_public=is_public, password=password)
    if host in ("0.0.0.0", "::"):
        with pytest.raises(ValueError, match="stands for all"):
            check_host(host, is_public=True, password="secret")
    else:
        check_host(host, is_public=True, password="secret")


def test_this_computer_needs_none():
    for host in ("127.0.0.1", "localhost", "::1"):
        check_host(host, is_public=False, password=None)


@pytest.fixture
def person(monkeypatch, digits):
    """Somebody who labels rows of a page as soon as it is there, and is then done."""
    servers = []

    def label(server, say, *, open_browser):
        servers.append(server)
        client = Client(server)
        for row in (0, 1, 2, 3):
            client.act("label", rows=[row], label=digits[1][row], why="map")
        threading.Timer(0.1, client.post, ["/api/finish"]).start()
        server.wait()

    monkeypatch.setattr(run, "serve", label)
    return servers


def test_labels_come_back_to_python(person, digits, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    X, names = digits
    found = widemargin.label(X, images=X.reshape(-1, 8, 8), port=0)
    assert found[:4].tolist() == names[:4]
    assert set(found[4:]) == {None}
    (store,) = tmp_path.glob("labels-*.sqlite")
    assert capsys.readouterr().out.splitlines() == [
        f"Labels are stored in {store.name}.",
        f"4 labels in {store.name}; call label on the same rows to continue.",
    ]
    assert (
        widemargin.label(X, images=X.reshape(-1, 8, 8), port=0)[:4].tolist()
        == names[:4]
    )
    assert list(tmp_path.glob("labels-*.sqlite")) == [store]


def test_whole_numbers_come_back_whole(monkeypatch, digits, tmp_path):
    monkeypatch.setattr(run, "serve", lambda *_, **__: None)
    X, y = digits[0], np.full(300, -1)
    y[:3] = 7, 8, 7
    found = widemargin.label(X, y, store=tmp_path / "l.sqlite", port=0)
    assert found.dtype.kind == "i"
    np.testing.assert_array_equal(found, y)


def test_a_class_that_is_not_used_changes_no_type(monkeypatch, digits, tmp_path):
    def label(server, say, *, open_browser):
        act = server.session.act
        act("class", "a", "ann", label="ten")
        act("label", "b", "ann", rows=[3], label="9", why="map")

    monkeypatch.setattr(run, "serve", label)
    X, y = digits[0], np.full(300, -1)
    y[:3] = 7, 8, 7
    found = widemargin.label(X, y, store=tmp_path / "l.sqlite", port=0)
    assert found.dtype.kind == "i"
    assert found[:4].tolist() == [7, 8, 7, 9]


def test_a_second_page_for_the_same_labels_is_noted(source, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path = str(tmp_path / "l.sqlite")
    first = run.open_page(source, path, arranges=False)
    second = run.open_page(source, path, arranges=False)
    said, second.finished = [], threading.Event()
    second.finished.set()
    run.serve(second, said.append, open_browser=False)
    assert f"another program shows a page for the labels in {path}" in said[0]
    assert f"at port {first.port}." in said[0]
    assert first.note == ""
    first.stop()
    second.stop()
    third = run.open_page(source, path, arranges=False)
    assert third.note == ""
    third.stop()
