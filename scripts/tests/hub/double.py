"""A GitHub on a port of this machine, whose answers are held against GitHub's own description."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from serving import serving

from hub.calls import Call, Reply, answer
from hub.description import request_violations, violations
from hub.faults import Fault
from hub.state import REPOSITORY_ID, GitHubState

TOKEN = "t0ken-of-ours"

_SECONDS = 0.2  # between two bytes of an answer that trickles


class GitHubDouble(ThreadingHTTPServer):
    """``state`` is what is on it, ``faults`` what goes wrong next, ``calls`` what it was asked.

    ``violations`` are answers and calls that the description does not allow.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self, state: GitHubState | None = None, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.state = state or GitHubState()
        self.faults: list[Fault] = []
        self.calls: list[Call] = []
        self.violations: list[str] = []
        self.lock = threading.RLock()
        self.over = threading.Event()

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def asked(self, method: str, path: str = "") -> list[Call]:
        """The calls of one kind that came; ``path`` is a regular expression."""
        return [c for c in self.calls if c.method == method and re.search(path, c.path)]

    def environ(self, token: str = TOKEN) -> dict[str, str]:
        """The variables with which flink-boost speaks to it."""
        self.state.tokens.setdefault(token, self.state.us)
        return {"FLINK_BOOST_GITHUB_API": self.url, "FLINK_BOOST_GITHUB_TOKEN": token}

    def handle_error(self, *_: Any) -> None:
        """A client that goes away is no error of the server."""


@contextmanager
def github_double(state: GitHubState | None = None) -> Iterator[GitHubDouble]:
    """Runs one; at the end all that it said has to be as GitHub describes it."""
    server = GitHubDouble(state)
    with serving(server):
        try:
            yield server
        finally:
            server.over.set()
    if server.violations:
        raise AssertionError("\n".join(server.violations))


class _Handler(BaseHTTPRequestHandler):
    server: GitHubDouble
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def do_PATCH(self) -> None:
        self._serve()

    def _serve(self) -> None:
        server = self.server
        call = self._call()
        with server.lock:
            server.calls.append(call)
            fault = next((f for f in server.faults if f.hits(call.method, call.path)), None)
            if fault is not None and fault.way in ("answer", "drop", "hang"):
                reply = Reply(fault.status, fault.body, dict(fault.headers))
            else:
                reply = self._work(call)
        if fault is not None and fault.way == "drop":
            self.close_connection = True
        elif fault is not None and fault.way == "hang":
            server.over.wait()
            self.close_connection = True
        else:
            way, valid = (fault.way, fault.valid) if fault else ("answer", True)
            self._send(call, reply, way, valid=valid)

    def _call(self) -> Call:
        parts = urlsplit(self.path)
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        return Call(
            self.command,
            parts.path,
            parse_qs(parts.query, keep_blank_values=True),
            json.loads(raw) if raw else None,
            {name.lower(): value for name, value in self.headers.items()},
        )

    def _work(self, call: Call) -> Reply:
        moved = self._moved(call)
        if moved is not None:
            return moved
        prefix = f"/repositories/{REPOSITORY_ID}"
        path = call.path
        if path == prefix or path.startswith(prefix + "/"):
            path = f"/repos/{self.server.state.repository}{path.removeprefix(prefix)}"
        self.server.violations += request_violations(call.method, path, call.query, call.body)
        return answer(self.server.state, call, path, self.server.url)

    def _moved(self, call: Call) -> Reply | None:
        old = self.server.state.old_name
        if old is None or not (call.path + "/").startswith(f"/repos/{old}/"):
            return None
        rest = call.path.removeprefix(f"/repos/{old}")
        query = f"?{urlencode(call.query, doseq=True)}" if call.query else ""
        target = f"{self.server.url}/repositories/{REPOSITORY_ID}{rest}{query}"
        status = 301 if call.method == "GET" else 307
        told = {"message": "Moved Permanently", "url": target}
        return Reply(status, told, {"Location": target})

    def _send(self, call: Call, reply: Reply, way: str, *, valid: bool) -> None:
        if isinstance(reply.body, str):
            content = reply.body.encode()
        else:
            content = b"" if reply.body is None else json.dumps(reply.body).encode()
        headers = dict(reply.headers)
        if reply.status == 200 and call.method == "GET":
            etag = f'W/"{hashlib.sha256(content).hexdigest()}"'
            headers["ETag"] = etag
            if call.headers.get("if-none-match") == etag:
                reply, content = Reply(304, None), b""
        if valid:
            found = violations(call.method, call.path, reply.status, reply.body)
            self.server.violations += found
        self.send_response(reply.status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        with suppress(OSError):
            self._send_content(content, way)

    def _send_content(self, content: bytes, way: str) -> None:
        if way == "cut":
            self.wfile.write(content[: len(content) // 2])
            self.close_connection = True
        elif way == "trickle":
            for place in range(len(content)):
                self.wfile.write(content[place : place + 1])
                if self.server.over.wait(_SECONDS):
                    return
        else:
            self.wfile.write(content)

    def date_time_string(self, timestamp: float | None = None) -> str:
        """GitHub's clock, which is not ours."""
        when: datetime = self.server.state.now() + timedelta(seconds=timestamp or 0)
        return format_datetime(when, usegmt=True)

    def log_message(self, *_: object) -> None:
        """Keeps the test's output clean."""
