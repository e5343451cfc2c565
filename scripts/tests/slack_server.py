"""A server of this machine that answers as Slack's incoming webhooks do."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from serving import serving

PATH = "/services/T0/B0/s3cret-of-the-webhook"
DROP = (0, "")  # takes the message, and breaks off without an answer


class _Request(BaseHTTPRequestHandler):
    server: SlackServer

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status, text, *headers = self.server.script.pop(0) if self.server.script else (200, "ok")
        if self.path != PATH:
            status, text = 404, "no_service"
        elif status in (0, 200):
            message = json.loads(body)
            if _is_valid(message):
                self.server.taken.append(message)
            else:
                status, text = 400, "invalid_blocks"
        if status == 0:
            self.close_connection = True
            return
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        """Keeps the test's output clean."""


def _is_valid(message: dict[str, Any]) -> bool:
    """Slack's limits: 50 blocks, 3000 characters in each."""
    blocks = message.get("blocks", [])
    texts = [block["text"]["text"] for block in blocks]
    return (
        bool(message.get("text")) and len(blocks) <= 50 and all(0 < len(t) <= 3000 for t in texts)
    )


class SlackServer(ThreadingHTTPServer):
    """``script`` are the next answers; afterwards it takes everything."""

    daemon_threads = True

    def __init__(self, script: Sequence[Any]) -> None:
        super().__init__(("127.0.0.1", 0), _Request)
        self.script = list(script)
        self.taken: list[dict[str, Any]] = []

    @property
    def webhook(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}{PATH}"

    def subjects(self) -> list[str]:
        return [message["text"].replace("\u200b", "") for message in self.taken]


@contextmanager
def slack_server(*script: Any) -> Iterator[SlackServer]:
    server = SlackServer(script)
    with serving(server):
        yield server
