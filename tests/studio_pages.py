"""A running page, and a client without a browser."""

import http.client
import json
from urllib.parse import urlsplit

from widemargin.studio.server import PageServer
from widemargin.studio.session import Session
from widemargin.studio.store import Store


def start_page(source, path, *, who="ann", learns=True, **options):
    """A server of a source, on any free port, with labels in a file."""
    session = Session(source, Store(path), who)
    if learns:
        session.start()
    return PageServer(session, **{"port": 0, **options}).start()


class Client:
    """Sends what a browser would send, or anything else."""

    def __init__(self, server, login=True):
        self.address = urlsplit(server.url)
        self.host = f"127.0.0.1:{server.port}"
        self.headers = {"Host": self.host, "Origin": f"http://{self.host}"}
        self.n_batches = 0
        if login:
            self.login(self.address.fragment.partition("=")[2])

    def request(self, method, path, body=None, **headers):
        """Status, headers and body of an answer; a header of None is not sent."""
        sent = {**self.headers, **{k.replace("_", "-"): v for k, v in headers.items()}}
        connection = http.client.HTTPConnection(self.host, timeout=60)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        if data is not None:
            sent.setdefault("Content-Length", str(len(data)))
        for name, value in sent.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders(data)
        answer = connection.getresponse()
        found = answer.status, dict(answer.getheaders()), answer.read()
        connection.close()
        return found

    def login(self, token):
        status, headers, _ = self.request("POST", "/api/login", {"token": token})
        if status == 204:
            self.headers["Cookie"] = headers["set-cookie"].partition(";")[0]
        return status

    def get(self, path):
        status, _, body = self.request("GET", path)
        assert status == 200, body
        return json.loads(body)

    def post(self, path, **body):
        status, _, answer = self.request("POST", path, body)
        assert status in (200, 204), answer
        return json.loads(answer) if answer else None

    def act(self, kind, **body):
        self.n_batches += 1
        body = {"batch": f"{id(self)}-{self.n_batches}", "who": "ann", **body}
        return self.post("/api/act", kind=kind, **body)

    def next(self, window="w", **body):
        return self.post("/api/next", window=window, who="ann", **body)
