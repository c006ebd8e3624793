"""Everything that a page in a browser would not send is refused."""

import http.client
import json
import os
import stat
from contextlib import ExitStack

import pytest
from studio_pages import Client, start_page
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from widemargin.studio.security import MOST_BYTES, load_secret

LABEL = {"kind": "label", "batch": "b", "who": "ann", "rows": [1], "label": "x"}
LABEL["why"] = "map"


@pytest.fixture
def page(source, tmp_path, monkeypatch):
    """A page whose model does not learn."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    server = start_page(source, tmp_path / "labels.sqlite", learns=False)
    yield server
    server.stop()


def refused(client, status, path="/api/start", method="GET", body=None, **headers):
    found, sent, answer = client.request(method, path, body, **headers)
    assert found == status, answer
    assert "default-src 'none'" in sent["content-security-policy"]
    return json.loads(answer)["problem"]


def test_without_a_token_nothing_is_shown(page):
    stranger = Client(page, login=False)
    assert "link that the program printed" in refused(stranger, 401)
    refused(stranger, 401, "/api/act", "POST", LABEL)
    refused(stranger, 401, "/api/export/table")
    refused(stranger, 401, "/api/image/1/small")
    refused(stranger, 403, "/api/login", "POST", {"token": "guess"})
    refused(stranger, 403, "/api/login", "POST", {"token": None})
    assert not page.session.state.labels


def test_a_wrong_cookie_is_none(page, client):
    name = client.headers["Cookie"].partition("=")[0]
    for cookie in (f"{name}=0000", f"{name}=", "a=b", ";;=", "\x7f=1"):
        refused(client, 401, Cookie=cookie)


def test_a_used_token_lets_nobody_else_in(page):
    token = page.url.partition("token=")[2]
    first, second = Client(page, login=False), Client(page, login=False)
    assert first.login(token) == 204
    assert first.login(token) == 204  # a reload, with the cookie
    assert second.login(token) == 403
    token = first.post("/api/link")["token"]
    assert first.login(token) == 204
    assert second.login(token) == 403  # used up, though the first had a cookie
    assert second.login(first.post("/api/link")["token"]) == 204


def test_the_cookie_is_for_this_page_alone(page, client):
    token = client.post("/api/link")["token"]
    _, headers, _ = Client(page, login=False).request(
        "POST", "/api/login", {"token": token}
    )
    cookie = headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert str(page.port) in cookie.partition("=")[0]


def test_a_page_survives_a_restart(page, client, source, tmp_path):
    port = page.port
    page.stop()
    again = start_page(source, tmp_path / "labels.sqlite", port=port, learns=False)
    assert client.get("/api/start")["rows"] == 300
    again.stop()
    other = start_page(source, tmp_path / "other.sqlite", port=port, learns=False)
    refused(client, 401)
    other.stop()


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "", None],
)
def test_another_host_is_refused(page, client, host):
    """DNS rebinding: a foreign name that leads here."""
    host = host and host.format(port=page.port)
    if host is None:
        assert client.request("GET", "/api/start", Host=None)[0] in (400, 421)
        return
    assert "host name" in refused(client, 421, Host=host)
    refused(client, 421, "/", Host=host)


ORIGINS = ["http://evil.example", "null", "http://127.0.0.1:1", "https://{host}", ""]


@pytest.mark.parametrize("origin", ORIGINS)
def test_another_origin_is_refused(page, client, origin):
    origin = origin.format(host=client.host)
    assert "another page" in refused(client, 403, Origin=origin)
    refused(client, 403, "/api/act", "POST", LABEL, Origin=origin)
    refused(client, 403, "/api/login", "POST", {"token": "x"}, Origin=origin)
    assert not page.session.state.labels


def test_a_missing_origin_is_refused(page, client):
    assert "does not name" in refused(client, 403, Origin=None)
    refused(client, 403, "/api/act", "POST", LABEL, Origin=None)
    own = {"Origin": None, "Sec-Fetch-Site": "same-origin"}
    refused(client, 403, "/api/act", "POST", LABEL, **own)
    assert client.request("GET", "/api/start", **own)[0] == 200
    for site in ("cross-site", "same-site", "none"):
        refused(client, 403, **{**own, "Sec-Fetch-Site": site})
    assert not page.session.state.labels


def open_socket(client, **headers):
    sent = {"Origin": client.headers["Origin"], "Cookie": client.headers.get("Cookie")}
    sent = {k: v for k, v in {**sent, **headers}.items() if v is not None}
    origin = sent.pop("Origin", None)
    return connect(
        f"ws://{client.host}/ws", origin=origin, additional_headers=sent, proxy=None
    )


@pytest.mark.parametrize("origin", [*ORIGINS[:-1], None])
def test_a_socket_of_another_page_is_refused(page, client, origin):
    origin = origin and origin.format(host=client.host)
    with pytest.raises(InvalidStatus, match="403"):
        open_socket(client, Origin=origin)


def test_a_socket_without_a_cookie_or_with_another_host_is_refused(page, client):
    with pytest.raises(InvalidStatus, match="403"):
        open_socket(client, Cookie=None)
    upgrade = {"Upgrade": "websocket", "Connection": "Upgrade"}
    upgrade |= {"Sec-WebSocket-Key": 22 * "A" + "==", "Sec-WebSocket-Version": "13"}
    assert client.request("GET", "/ws", **upgrade, Host="evil.example")[0] == 403


def test_a_socket_tells_what_has_changed(page, client):
    with open_socket(client) as socket:
        socket.send(json.dumps({"window": "w", "who": "ann"}))
        first = json.loads(socket.recv())
        assert (first["type"], first["rows"]) == ("labels", [])
        client.post("/api/act", **LABEL)
        while first["type"] != "labels" or not first["rows"]:
            found = socket.recv()
            first = json.loads(found) if isinstance(found, str) else first
        assert (first["rows"], first["classes"]) == ([1], ["x"])


@pytest.mark.parametrize("hello", ["{}", "[]", "no json", '{"window": 1, "who": 2}'])
def test_a_socket_that_talks_nonsense_is_closed(page, client, hello):
    with open_socket(client) as socket:
        socket.send(hello)
        with pytest.raises(ConnectionClosed):
            socket.recv()


def test_more_than_six_windows_are_no_problem(page, client):
    with ExitStack() as stack:
        for i in range(9):
            socket = stack.enter_context(open_socket(client))
            socket.send(json.dumps({"window": str(i), "who": "ann"}))
            assert json.loads(socket.recv())["type"] == "labels"


@pytest.mark.parametrize(
    "path",
    [
        "/../pyproject.toml",
        "/..%2f..%2fserver.py",
        "/static/app.js",
        "/server.py",
        "/%2e%2e/server.py",
        "//etc/passwd",
        "/app.js/../../server.py",
        "/api/export/..%2f..%2fetc%2fpasswd",
        "/api/image/1/..%2f..%2fsecret",
    ],
)
def test_no_path_leads_out(client, path):
    assert client.request("GET", path)[0] == 404


@pytest.mark.parametrize("row", ["-1", "300", "1e3", "x", "%00", "9" * 30])
def test_rows_out_of_range_are_refused(client, row):
    for path in ("row/{}", "why/{}", "image/{}/small"):
        assert client.request("GET", "/api/" + path.format(row))[0] in (400, 404)


@pytest.mark.parametrize(
    ("change", "status", "message"),
    [
        ({"rows": [300]}, 400, "There is no row 300"),
        ({"rows": [-1]}, 400, "There is no row -1"),
        ({"rows": ["1"]}, 400, "There is no row '1'"),
        ({"rows": 1}, 400, "must be a list"),
        ({"rows": [[1]]}, 400, "There is no row [1]"),
        ({"rows": [{}]}, 400, "There is no row {}"),
        ({"rows": ["x"], "kind": "class"}, 400, "'class' has no rows"),
        ({"rows": [10**6], "kind": "redo"}, 400, "'redo' has no rows"),
        ({"label": "a\u0000b"}, 400, "control characters"),
        ({"label": "a\u001b[31m"}, 400, "control characters"),
        ({"label": ""}, 400, "1 to 200 characters"),
        ({"label": 5}, 400, "must be text"),
        ({"label": ["x"]}, 400, "must be text"),
        ({"who": "a\nb"}, 400, "control characters"),
        ({"kind": "drop table"}, 400, "There is no action"),
        ({"kind": None}, 400, "'kind' is missing"),
        ({"batch": None}, 400, "'batch' is missing"),
        ({"seen": {"1": 5}}, 409, "was changed in the meantime"),
        ({"seen": {"x": 5}}, 400, ""),
        ({"seen": [1]}, 400, "'seen' an object"),
        ({"why": "because"}, 400, "There is no reason"),
    ],
)
def test_bad_actions_are_refused(page, client, change, status, message):
    assert message in refused(client, status, "/api/act", "POST", {**LABEL, **change})
    assert not page.session.state.labels


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"1", b"\xff", b"null", b"{}"])
def test_bodies_that_are_no_objects_are_refused(client, body):
    refused(client, 400, "/api/act", "POST", body)


def test_bodies_that_are_too_large_are_refused(page, client):
    body = b" " * (MOST_BYTES + 1)
    assert "too large" in refused(client, 413, "/api/act", "POST", body)
    chunk = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
    chunked = {"Transfer-Encoding": "chunked", "Content-Length": None}
    status, *_ = client.request("POST", "/api/act", 3 * chunk + b"0\r\n\r\n", **chunked)
    assert status == 413
    assert not page.session.state.labels


def test_every_answer_forbids_foreign_code(client):
    for path in ("/", "/app.js", "/api/start", "/nothing", "/api/image/1/small"):
        _, headers, _ = client.request("GET", path)
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'")
        assert "unsafe" not in policy
        assert "require-trusted-types-for 'script'" in policy
        assert headers["x-content-type-options"] == "nosniff"


def test_the_secret_is_for_the_user_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    secret = load_secret()
    assert load_secret() == secret
    mode = os.stat(tmp_path / "widemargin" / "label-secret").st_mode
    assert stat.S_IMODE(mode) & 0o077 == 0
    monkeypatch.setenv("XDG_STATE_HOME", os.devnull)
    assert load_secret() != load_secret()  # it cannot be kept


@pytest.mark.parametrize("other", ['prefs={"a": 1}', "a b=c", "x", "=;;", "é=ü"])
def test_cookies_of_other_programs_do_no_harm(page, other):
    client = Client(page)
    own = client.headers["Cookie"]
    for cookies in (f"{other}; {own}", f"{own}; {other}"):
        status, _, _ = client.request("GET", "/api/start", Cookie=cookies)
        assert status == 200
    name = own.partition("=")[0]
    status, _, _ = client.request("GET", "/api/start", Cookie=f"{other}; {name}=x")
    assert status == 401


def test_a_page_on_the_address_of_version_6(source, tmp_path):
    try:
        server = start_page(source, tmp_path / "l.sqlite", host="::1", learns=False)
    except ValueError:
        pytest.skip("there is no IPv6 here")
    assert server.url.startswith(f"http://[::1]:{server.port}/#token=")
    connection = http.client.HTTPConnection("::1", server.port, timeout=60)
    connection.request("GET", "/", headers={"Host": f"[::1]:{server.port}"})
    assert connection.getresponse().status == 200
    connection.close()
    server.stop()


def test_a_public_page_asks_for_a_password(source, tmp_path):
    server = start_page(
        source, tmp_path / "labels.sqlite", password="open sesame", learns=False
    )
    assert "#" not in server.url
    client = Client(server, login=False)
    assert client.login("wrong") == 403
    assert client.login("open sesame") == 204
    assert client.get("/api/start")["rows"] == 300
    token, other = client.post("/api/link")["token"], Client(server, login=False)
    assert other.login(token) == 204
    assert other.get("/api/start")["rows"] == 300
    third = Client(server, login=False)
    problem = refused(third, 403, "/api/login", "POST", {"token": token})
    assert problem == "The password is wrong, or the link was used before."
    server.stop()
