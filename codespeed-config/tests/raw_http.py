"""Sockets for tests of clients that no HTTP library would be."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

from conftest import Dashboard

SHORT = {"FLINK_BOOST_READ_SECONDS": "2"}
HALF_HEAD = b"GET / HTTP/1.1\r\nHost: 127"


def half_body(token: str = "") -> bytes:
    """A head with the beginning of a body that is said to be longer."""
    return head(token, "Content-Length: 1000") + b"json="


def head(token: str = "", *headers: str, method: str = "POST") -> bytes:
    """The head of a request that sends results."""
    lines = [f"{method} /result/add/json/ HTTP/1.1", "Host: 127.0.0.1", *headers]
    lines += ["Content-Type: application/x-www-form-urlencoded"]
    lines += [f"Authorization: Bearer {token}"] if token else []
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def connect(dashboard: Dashboard) -> socket.socket:
    """A connection with 30 seconds for each step."""
    parts = urlsplit(dashboard.url)
    assert parts.hostname is not None
    return socket.create_connection((parts.hostname, parts.port or 80), timeout=30)


@contextmanager
def held(dashboard: Dashboard, count: int, beginning: bytes) -> Iterator[list[socket.socket]]:
    """Connections that have sent so much, and no more."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(connect(dashboard)) for _ in range(count)]
        for one in sockets:
            if beginning:
                one.sendall(beginning)
        yield sockets


def answer(connection: socket.socket) -> bytes:
    """All that comes until the server closes."""
    parts = []
    while part := connection.recv(65536):
        parts.append(part)
    return b"".join(parts)


def next_answer(connection: socket.socket) -> bytes:
    """One answer with a length, on a connection that stays open."""
    received = b""
    while b"\r\n\r\n" not in received:
        part = connection.recv(65536)
        assert part, received
        received += part
    found = re.search(rb"(?i)\r\ncontent-length: (\d+)", received)
    assert found is not None, received
    whole = received.index(b"\r\n\r\n") + 4 + int(found[1])
    while len(received) < whole:
        part = connection.recv(65536)
        assert part, received
        received += part
    return received


def ask(dashboard: Dashboard, *pieces: bytes) -> bytes:
    """Sends the pieces and returns all that comes back, reset or not."""
    with connect(dashboard) as connection:
        for piece in pieces:
            connection.sendall(piece)
        return answer(connection)


def status(received: bytes) -> int:
    """The status of an answer; 0 when there is none."""
    return (
        int(received.split(b" ", 2)[1]) if received.startswith((b"HTTP/1.0 ", b"HTTP/1.1 ")) else 0
    )


def closed_within(sockets: list[socket.socket], seconds: float) -> bool:
    """True once the server has closed all of them, whatever it said before."""
    deadline = time.monotonic() + seconds
    for one in sockets:
        one.settimeout(max(0.01, deadline - time.monotonic()))
        try:
            answer(one)
        except TimeoutError:
            return False
        except ConnectionResetError:
            continue
    return True
