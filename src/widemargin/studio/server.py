"""The server that carries a session to pages in browsers; it decides nothing itself."""

import asyncio
import hashlib
import json
import logging
import os
import socket
import sqlite3
import threading
from contextlib import suppress
from functools import partial
from importlib.resources import files

import numpy as np
import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute

from widemargin.studio.export import export_bytes
from widemargin.studio.security import Guard, Keys, TooLarge
from widemargin.studio.sources import NO_IMAGE, encode_image
from widemargin.studio.state import Conflict, Refusal
from widemargin.tables.files import split_ending

LOCAL = ("127.0.0.1", "localhost", "::1")
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_REFRESH = 2.0  # seconds between looks at what other processes stored
_SIDES = {"small": 96, "large": 512}  # pixels of pictures


class Hub:
    """Open windows, which receive what has changed; what they miss is sent once."""

    def __init__(self, session):
        self.session, self._loop, self._windows = session, None, {}
        session.listen(self._tell)

    def _tell(self, what):
        loop = self._loop
        if loop is not None and not loop.is_closed():
            with suppress(RuntimeError):  # it was closed just now
                loop.call_soon_threadsafe(self._spread, what)

    def _spread(self, what):
        for news, bell in self._windows.values():
            news.add(what)
            bell.set()

    async def serve(self, socket):
        """Serve a window as long as it is open."""
        self._loop = asyncio.get_running_loop()
        await socket.accept()
        hello = await _read_hello(socket)
        if hello is None:
            await socket.close(4400)
            return
        window, who = hello
        news, bell = {"labels", "model"}, asyncio.Event()
        bell.set()
        self._windows[socket] = news, bell
        sender = asyncio.ensure_future(self._send(socket, who, news, bell))
        try:
            while (await socket.receive())["type"] != "websocket.disconnect":
                pass
        finally:
            del self._windows[socket]
            sender.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await sender
            self.session.leave(window)

    async def _send(self, socket, who, news, bell):
        try:
            await self._send_news(socket, who, news, bell)
        except Exception:
            # The window opens another socket, and is then told everything.
            logging.getLogger("widemargin").exception("a window was not told the news")
            with suppress(Exception):
                await socket.close(1011)

    async def _send_news(self, socket, who, news, bell):
        session = self.session
        while True:
            await bell.wait()
            bell.clear()
            told = set(news)
            news.clear()
            if "labels" in told:
                facts = await run_in_threadpool(session.describe_labels, who)
                await socket.send_text(_json({"type": "labels", **facts}))
            if told & {"model", "full", "layout"}:
                facts = await run_in_threadpool(session.describe_model)
                await socket.send_text(_json({"type": "model", **facts}))
            if "model" in told:
                await socket.send_bytes(await run_in_threadpool(session.colors))

    async def look(self):
        """Take over what other processes stored, again and again."""
        self._loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(_REFRESH)
            await run_in_threadpool(self.session.refresh)


async def _read_hello(socket):
    """Window and person of the first message; None for anything else."""
    message = await socket.receive()
    try:
        hello = json.loads(message.get("text") or "")
        window, who = hello["window"], hello["who"]
    except (ValueError, KeyError, TypeError):
        return None
    return (window, who) if isinstance(window, str) and isinstance(who, str) else None


def _json(facts):
    return json.dumps(facts, ensure_ascii=False, allow_nan=False)


def _problem(error, status=400):
    return JSONResponse({"problem": " ".join(str(error).split())}, status)


def _guarded(function):
    """An endpoint whose refusals become answers."""

    async def endpoint(request):
        try:
            return await function(request)
        except Conflict as error:
            return _problem(error, 409)
        except TooLarge:
            return _problem("The request is too large.", 413)
        except (Refusal, ValueError, KeyError, TypeError, OverflowError) as error:
            text = f"{error} is missing." if isinstance(error, KeyError) else error
            return _problem(text)

    return endpoint


async def _read_json(request, **types):
    """Some entries of the JSON in a request; ValueError unless all have their type."""
    given = json.loads(await request.body())
    if not isinstance(given, dict):
        raise ValueError("The request must be a JSON object.")
    for name, kind in types.items():
        if not isinstance(given.get(name), kind):
            raise ValueError(f"{name!r} is missing or has the wrong type.")
    return given


class Pages:
    """The answers to the page's requests."""

    def __init__(self, session, keys, finished):
        self.session, self.keys, self.finished = session, keys, finished
        self.hub, self._attempts = Hub(session), asyncio.Lock()

    def routes(self):
        """All addresses."""
        get, post = {"methods": ["GET"]}, {"methods": ["POST"]}
        listed = [
            ("/api/login", self.login, post),
            ("/api/link", self.link, post),
            ("/api/start", self.start, get),
            ("/api/plane", self.plane, get),
            ("/api/row/{row:int}", self.row, get),
            ("/api/why/{row:int}", self.why, get),
            ("/api/image/{row:int}/{size}", self.image, get),
            ("/api/act", self.act, post),
            ("/api/next", self.next, post),
            ("/api/clusters", self.clusters, get),
            ("/api/search", self.search, get),
            ("/api/review", self.review, get),
            ("/api/fit", self.fit, post),
            ("/api/export/{what}", self.export, get),
            ("/api/finish", self.finish, post),
        ]
        routes = [Route(path, _guarded(f), **kind) for path, f, kind in listed]
        routes.append(WebSocketRoute("/ws", self.hub.serve))
        for file in files("widemargin.studio").joinpath("static").iterdir():
            ending = os.path.splitext(file.name)[1]
            if ending in _TYPES:
                path = "/" if file.name == "index.html" else f"/{file.name}"
                answer = partial(_static, file.read_bytes(), _TYPES[ending])
                routes.append(Route(path, answer, methods=["GET"]))
        return routes

    async def login(self, request):
        """Exchange a token, or a password, for the cookie."""
        given = await _read_json(request)
        cookies = request.headers.get("cookie", "")
        async with self._attempts:  # one at a time
            is_admitted = self.keys.admits(given.get("token"))  # its token is used up
            if not is_admitted and not self.keys.is_known(cookies):
                if self.keys.password is not None:
                    await asyncio.sleep(1.0)  # against guessing
                return _problem(self.keys.wrong, 403)
        return Response(status_code=204, headers={"set-cookie": self.keys.header})

    async def link(self, request):
        """A link for another browser of the same person."""
        return JSONResponse({"token": self.keys.new_token()})

    async def start(self, request):
        """What the page needs first."""
        return JSONResponse(self.session.describe())

    async def plane(self, request):
        """Places of all rows on the map."""
        plane = np.ascontiguousarray(self.session.plane, dtype="<f4")
        return Response(plane.tobytes(), media_type="application/octet-stream")

    async def row(self, request):
        """All about a row."""
        card = await run_in_threadpool(self.session.card, request.path_params["row"])
        return JSONResponse(card)

    async def why(self, request):
        """The labels that decide about a row."""
        row = request.path_params["row"]
        return JSONResponse(await run_in_threadpool(self.session.explain, row))

    async def image(self, request):
        """The picture of a row, encoded anew."""
        row, images = request.path_params["row"], self.session.source.images
        self.session.cards.check(row)
        size = _SIDES.get(request.path_params["size"])
        if images is None or size is None:
            return _problem("There is no such picture.", 404)
        try:
            data = await run_in_threadpool(encode_image, images, row, size)
        except ValueError:  # a single pixel, which the page shows as a sentence
            data = await run_in_threadpool(encode_image, NO_IMAGE, 0, 1)
        headers = {"cache-control": "private, max-age=3600"}
        return Response(data, media_type="image/png", headers=headers)

    async def act(self, request):
        """Store an action, then answer; with the next row if it is wished for."""
        given = await _read_json(request, kind=str, batch=str, who=str)
        rows, seen = given.get("rows", []), given.get("seen") or {}
        if not isinstance(rows, list) or not isinstance(seen, dict):
            raise ValueError("'rows' must be a list and 'seen' an object.")
        answer = await run_in_threadpool(
            partial(
                self.session.act,
                given["kind"],
                given["batch"],
                given["who"],
                rows=rows,
                label=given.get("label"),
                why=given.get("why", ""),
                seen={int(row): version for row, version in seen.items()},
            )
        )
        if given.get("next"):
            answer["next"] = await self._next(given)
        return JSONResponse(answer)

    async def next(self, request):
        """The next row to label."""
        given = await _read_json(request, window=str, who=str)
        return JSONResponse(await self._next(given))

    async def _next(self, given):
        if given.get("settled"):  # for programs, which label faster than anybody
            await run_in_threadpool(self.session.settle)
        found = await run_in_threadpool(
            self.session.next_row,
            str(given.get("window")),
            given["who"],
            given.get("mode", "suggested"),
        )
        if found is None:
            return None
        card = await run_in_threadpool(self.session.card, found.row)
        texts = {"text": found.text, "text_if_sure": found.text_if_sure}
        return {"why": found.why, **texts, "card": card}

    async def clusters(self, request):
        """Groups to name."""
        n = int(request.query_params.get("n", "10"))
        return JSONResponse(await run_in_threadpool(self.session.clusters, n))

    async def search(self, request):
        """Rows with some words."""
        words = request.query_params.get("words", "")[:200]
        show = request.query_params.get("show", "all")
        return JSONResponse(await run_in_threadpool(self.session.search, words, show))

    async def review(self, request):
        """Labels to look at again."""
        return JSONResponse(await run_in_threadpool(self.session.review))

    async def fit(self, request):
        """Start a full fit."""
        await run_in_threadpool(self.session.fit_fully)
        return Response(status_code=204)

    async def export(self, request):
        """A file to keep."""
        what = request.path_params["what"]
        if what not in ("table", "history", "model"):
            return _problem("There is no such file.", 404)
        data, ending = await run_in_threadpool(export_bytes, self.session, what)
        stem = split_ending(self.session.source.name.rstrip("/"))[0] or "rows"
        stem = "".join(c if c.isalnum() or c in "-_." else "_" for c in stem)
        stem = stem.encode("ascii", "replace").decode().replace("?", "_")
        headers = {"content-disposition": f'attachment; filename="{stem}{ending}"'}
        return Response(data, media_type="application/octet-stream", headers=headers)

    async def finish(self, request):
        """The person is done."""
        self.finished.set()
        return Response(status_code=204)


async def _static(data, kind, request):
    return Response(data, headers={"content-type": kind, "cache-control": "no-cache"})


class PageServer:
    """A server in a thread of its own."""

    def __init__(self, session, *, host="127.0.0.1", port=None, password=None):
        self.session, self.finished, self.note = session, threading.Event(), ""
        self._socket = _bind(host, port, session.store.path)
        # which the file of labels notes while the page is open
        self.address = list(self._socket.getsockname()[:2])
        self.port = self.address[1]
        self.host = _in_url(host)
        names = {"127.0.0.1", "localhost", "[::1]"} if host in LOCAL else {self.host}
        hosts = {f"{name}:{self.port}".lower() for name in names}
        self.keys = Keys(self.port, session.store.path, password=password)
        self.pages = Pages(session, self.keys, self.finished)
        app = Guard(Starlette(routes=self.pages.routes()), self.keys, hosts)
        config = uvicorn.Config(
            app,
            log_level="warning",
            lifespan="off",
            ws="websockets-sansio",
            ws_max_size=2**16,
            server_header=False,
            timeout_graceful_shutdown=2,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self):
        async def serve():
            looking = asyncio.ensure_future(self.pages.hub.look())
            await self._server.serve(sockets=[self._socket])
            looking.cancel()

        asyncio.run(serve())

    @property
    def url(self):
        """The link for a first visit; its token can be used once."""
        base = f"http://{self.host}:{self.port}/"
        if self.keys.password is not None:
            return base
        return f"{base}#token={self.keys.new_token()}"

    def start(self):
        """Start to answer."""
        self._thread.start()
        return self

    def wait(self):
        """Wait until the person is done or interrupts."""
        while not self.finished.wait(0.5):
            if not self._thread.is_alive():
                return

    def stop(self):
        """Stop the server and end the session."""
        self._server.should_exit = True
        self._thread.join()
        store = self.session.store
        with suppress(sqlite3.Error):  # it is closed already, or cannot be written
            if store.fact("page") == self.address:
                store.note(page=None)
        self._socket.close()
        self.session.close()


def _in_url(host):
    """A host as it is written in an address."""
    if host == "localhost":
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host


def _bind(host, port, store):
    """A socket at a port: the given one, or the usual one of a store if it is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    digest = hashlib.sha256(os.path.realpath(store).encode()).digest()
    usual = 20_000 + int.from_bytes(digest[:4]) % 20_000
    address = "127.0.0.1" if host == "localhost" else host
    for wanted in (port,) if port is not None else (usual, 0):
        own = socket.socket(family, socket.SOCK_STREAM)
        if os.name == "posix":  # elsewhere it would let others take the port
            own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            own.bind((address, wanted))
            own.listen(128)
            return own
        except OSError as error:
            own.close()
            problem = error
    raise ValueError(
        f"Cannot use port {port} of {host}: {os.strerror(problem.errno).lower()}; "
        "choose another with --port, or leave it out."
    )
