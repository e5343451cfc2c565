"""A real HTTP server that stands for a Codespeed in trouble.

It stores like Codespeed (overwriting by key), and follows a script of troubles, one per request.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

from serving import serving

TOKEN = "s3cret-token-of-the-test"

Key = tuple[str, str, str, str, str, str]


class Request(BaseHTTPRequestHandler):
    """Gives the server's next trouble a go at the request."""

    server: FailingCodespeed

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with self.server.guard:
            self.server.requests += 1
            trouble = self.server.script.pop(0) if self.server.script else self.server.default
        trouble(self, body)

    def do_GET(self) -> None:
        """``/healthz``: as well as the server says, whatever becomes of results."""
        with self.server.guard:
            self.server.health_questions += 1
        self.server.health(self, b"")

    def answer(self, status: int, text: str = "", **headers: str) -> None:
        data = text.encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def store(self, body: bytes) -> bool:
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return False
        if self.path == "/nights/add/":
            night = json.loads(body)
            with self.server.guard:
                self.server.nights[night["box"], night["night"]] = night
            return True
        if self.path == "/alarms/add/":
            with self.server.guard:
                self.server.alarms = json.loads(body)
            return True
        if self.path != "/result/add/json/":
            return False
        results = json.loads(parse_qs(body.decode())["json"][0])
        with self.server.guard:
            for result in results:
                key = key_of(result)
                self.server.stored[key] = result
                self.server.times_stored[key] += 1
        return True

    def log_message(self, *_: object) -> None:
        """Keeps the test's output clean."""


Trouble = Callable[[Request, bytes], None]


def key_of(result: dict[str, Any]) -> Key:
    """What Codespeed tells results apart by."""
    names = ("project", "branch", "commitid", "executable", "benchmark", "environment")
    values = tuple(str(result[name]) for name in names)
    assert len(values) == 6
    return values


class FailingCodespeed(ThreadingHTTPServer):
    """Runs on a free port of this machine."""

    daemon_threads = True

    def __init__(self, script: Sequence[Trouble], default: Trouble) -> None:
        super().__init__(("127.0.0.1", 0), Request)
        self.script = list(script)
        self.default = default
        self.guard = threading.Lock()
        self.over = threading.Event()
        self.requests = 0  # to store something
        self.health: Trouble = answer(200, "{}")
        self.health_questions = 0
        self.stored: dict[Key, dict[str, Any]] = {}
        self.times_stored: Counter[Key] = Counter()
        self.alarms: dict[str, Any] = {}
        self.nights: dict[tuple[str, str], dict[str, Any]] = {}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that was killed is part of the tests."""


def accept(request: Request, body: bytes) -> None:
    if request.store(body):
        request.answer(202, "All result data saved successfully")
    else:
        request.answer(401, f"who is {request.headers.get('Authorization')}?")


def answer(status: int, text: str = "", **headers: str) -> Trouble:
    """Stores nothing and says so."""
    return lambda request, _: request.answer(status, text, **headers)


def stall(request: Request, body: bytes) -> None:
    """Never answers, until the test is over."""
    request.server.over.wait(30)
    request.close_connection = True


def store_and_drop(request: Request, body: bytes) -> None:
    """Stores, then breaks the connection before a byte of the answer is out."""
    request.store(body)
    request.close_connection = True


def garbage(request: Request, body: bytes) -> None:
    """Answers with what is no HTTP."""
    request.wfile.write(b"\x00\xff not http at all \r\n\r\n")
    request.close_connection = True


def drip(request: Request, body: bytes) -> None:
    """Accepts, then sends the answer's body a byte at a time, without end."""
    request.store(body)
    request.send_response(202)
    request.end_headers()
    while not request.server.over.wait(0.05):
        request.wfile.write(b".")
        request.wfile.flush()


@contextmanager
def failing_codespeed(*script: Trouble, default: Trouble = accept) -> Iterator[FailingCodespeed]:
    """The server, running; troubles of the script come first, then the default one."""
    server = FailingCodespeed(script, default)
    with serving(server):
        try:
            yield server
        finally:
            server.over.set()
