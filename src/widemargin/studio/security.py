"""Who may talk to the page: nothing but the page itself, in the user's browser."""

import hashlib
import hmac
import json
import os
import secrets
from pathlib import Path

MOST_BYTES = 2 * 2**20  # of a request
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'; require-trusted-types-for 'script'; "
        "trusted-types 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cache-control": "no-store",
}
_BY_PASSWORD = "Enter the password that the program was started with."
_BY_LINK = (
    "Open the page by the link that the program printed. Each link works once, in one "
    'browser. For another link, press "Link for another browser" in the Results tab '
    "of a page that is open, or start the program again."
)
_OPEN = ("/api/login",)  # what needs no cookie below /api


class Keys:
    """The token of the first visit, and the cookie that it is exchanged for.

    The cookie stays valid when the program is started again, so that an open page can
    go on. The token is for one browser; `new_token` makes others.
    """

    def __init__(self, port, store, *, password=None, secret=None):
        self.name = f"widemargin_{port}"  # cookies do not distinguish ports
        self.password = password
        secret = load_secret() if secret is None else secret
        what = json.dumps([port, os.path.realpath(store), password]).encode()
        self.cookie = hmac.new(secret, what, hashlib.sha256).hexdigest()
        self._tokens = set()

    def new_token(self):
        """A token that can be used once."""
        token = secrets.token_urlsafe(32)
        self._tokens.add(token)
        return token

    def admits(self, token):
        """Whether a text is the password or a token; a token is valid only once."""
        if not isinstance(token, str):
            return False
        password = (self.password or "").encode()
        if password and hmac.compare_digest(token.encode(), password):
            return True
        known = [
            t for t in self._tokens if hmac.compare_digest(t.encode(), token.encode())
        ]
        self._tokens.difference_update(known)
        return bool(known)

    def is_known(self, cookies):
        """Whether the header of cookies has the right one.

        Cookies of other programs on this computer may have any form.
        """
        pairs = (part.strip().partition("=") for part in cookies.split(";"))
        found = [value for name, _, value in pairs if name == self.name]
        own = self.cookie.encode()
        return any(hmac.compare_digest(value.encode(), own) for value in found)

    @property
    def wrong(self):
        """What is said of a text that is not admitted."""
        if self.password is not None:
            return "The password is wrong, or the link was used before."
        return "This link was used before, or is wrong."

    @property
    def header(self):
        """The header that sets the cookie."""
        return f"{self.name}={self.cookie}; HttpOnly; SameSite=Strict; Path=/"


def load_secret():
    """The user's own secret, in a file that only the user can read."""
    base = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    path = Path(base) / "widemargin" / "label-secret"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(secrets.token_bytes(32))
        except FileExistsError:
            pass
        found = path.read_bytes()
        if len(found) == 32:
            return found
    except OSError:
        pass
    return secrets.token_bytes(32)  # pages then do not survive a restart


class Guard:
    """ASGI middleware that refuses what does not come from the page itself."""

    def __init__(self, app, keys, hosts):
        self.app, self.keys, self.hosts = app, keys, frozenset(hosts)

    async def __call__(self, scope, receive, send):
        """Pass a request on, or answer it with a refusal."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1"), []).append(
                value.decode("latin-1")
            )
        problem = self._find_problem(scope, headers)
        if problem is None:
            if scope["type"] == "http":
                receive, send = _limited(receive), _with_headers(send)
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 4403, "reason": problem[1]})
        else:
            await _refuse(_with_headers(send), *problem)

    def _find_problem(self, scope, headers):
        """Status and reason of a refusal; None if there is none."""
        host, origin = headers.get("host", []), headers.get("origin", [])
        if len(host) != 1 or host[0].lower() not in self.hosts:
            return 421, "The page cannot be opened under this host name."
        if len(origin) > 1 or (origin and origin[0] != f"http://{host[0].lower()}"):
            return 403, "The request comes from another page."
        is_socket, path = scope["type"] == "websocket", scope["path"]
        if not is_socket and not path.startswith("/api/"):
            return None  # the page itself, which holds no data
        is_reading = not is_socket and scope["method"] in ("GET", "HEAD")
        # Browsers send no Origin with a GET of the own page, but say where it is from.
        is_own = is_reading and headers.get("sec-fetch-site") == ["same-origin"]
        if not origin and not is_own:
            return 403, "The request does not name the page that it comes from."
        length = headers.get("content-length", ["0"])[0]
        if not length.isdecimal() or int(length) > MOST_BYTES:
            return 413, "The request is too large."
        cookies = "; ".join(headers.get("cookie", []))
        if path not in _OPEN and not self.keys.is_known(cookies):
            return 401, _BY_PASSWORD if self.keys.password else _BY_LINK
        return None


class TooLarge(Exception):
    """A request without a length turned out to be too large."""


def _limited(receive):
    total = 0

    async def limited():
        nonlocal total
        message = await receive()
        total += len(message.get("body", b""))
        if total > MOST_BYTES:
            raise TooLarge
        return message

    return limited


def _with_headers(send):
    added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]

    async def sending(message):
        if message["type"] == "http.response.start":
            given = {name for name, _ in message.get("headers", [])}
            rest = [pair for pair in added if pair[0] not in given]
            message = {**message, "headers": [*message.get("headers", []), *rest]}
        await send(message)

    return sending


async def _refuse(send, status, reason):
    body = json.dumps({"problem": reason}).encode()
    headers = [(b"content-type", b"application/json")]
    headers.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
