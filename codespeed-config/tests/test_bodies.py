"""Bodies that are too long, of no clear length, or from strangers."""

from __future__ import annotations

import json
import subprocess
import time
from typing import Any
from urllib.parse import urlencode

import pytest

from conftest import Dashboard, result
from raw_http import SHORT, answer, ask, connect, head, status

pytestmark = pytest.mark.quiet

MEGABYTE = b"x" * 1024 * 1024
LIMIT = 16 * 1024 * 1024


def chunked(body: bytes, size: int = 100) -> bytes:
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in [*pieces, b""])


@pytest.mark.parametrize("expect", [(), ("Expect: 100-continue",)], ids=["", "expect"])
@pytest.mark.parametrize("length", [LIMIT + 1, 50 * 1024 * 1024])
def test_a_body_that_is_too_long_is_answered_while_it_is_sent(
    dashboard: Dashboard, length: int, expect: tuple[str, ...]
) -> None:
    """The sender is one that reads only when it has sent all."""
    whole, rest = divmod(length, len(MEGABYTE))
    pieces = [MEGABYTE] * whole + [MEGABYTE[:rest]]

    told = ask(dashboard, head(dashboard.token, f"Content-Length: {length}", *expect), *pieces)

    assert status(told) == 413, told[:200]
    assert b"larger than the 16,777,216 bytes" in told
    assert b"100 Continue" not in told


@pytest.mark.parametrize("path", ["", "healthz", "nowhere", "timeline/", "static/boost/boost.css"])
@pytest.mark.parametrize("version", ["1.1", "1.0"])
def test_a_head_has_no_body(dashboard: Dashboard, path: str, version: str) -> None:
    """Else the body is read as the beginning of the next answer."""
    asked = f"HEAD /{path} HTTP/{version}\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"

    told = ask(dashboard, asked.encode())

    assert status(told) == dashboard.get(path).status_code
    assert told.partition(b"\r\n\r\n")[2] == b""


def test_a_refused_head_has_no_body_either(start: Any) -> None:
    dashboard: Dashboard = start(**SHORT)
    asked = b"HEAD / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999\r\n\r\n"

    told = ask(dashboard, asked)

    assert status(told) == 413
    assert told.partition(b"\r\n\r\n")[2] == b""


def test_a_body_of_exactly_the_limit_is_read(dashboard: Dashboard) -> None:
    body = b"json=" + b"+" * (LIMIT - 5)

    told = ask(
        dashboard, head(dashboard.token, f"Content-Length: {LIMIT}", "Connection: close"), body
    )

    assert status(told) == 400
    assert b"JSON" in told


@pytest.mark.parametrize("expect", [(), ("Expect: 100-continue",)], ids=["", "expect"])
def test_the_body_of_a_stranger_is_not_wanted(
    dashboard: Dashboard, expect: tuple[str, ...]
) -> None:
    told = ask(
        dashboard, head("", f"Content-Length: {50 * len(MEGABYTE)}", *expect), *[MEGABYTE] * 50
    )

    assert status(told) == 401
    assert b"token" in told
    assert b"100 Continue" not in told


def test_a_stranger_is_refused_before_the_body_comes(dashboard: Dashboard) -> None:
    with connect(dashboard) as connection:
        connection.sendall(head("", "Content-Length: 1000"))

        assert status(connection.recv(65536)) == 401


def test_whoever_asks_first_may_send(dashboard: Dashboard) -> None:
    body = urlencode({"json": json.dumps([result(benchmark="asked")])}).encode()
    with connect(dashboard) as connection:
        connection.sendall(
            head(dashboard.token, f"Content-Length: {len(body)}", "Expect: 100-continue")
        )
        assert connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(body)
        assert status(connection.recv(65536)) == 202


def test_curl_is_told_too(dashboard: Dashboard, tmp_path: Any) -> None:
    (tmp_path / "body").write_bytes(MEGABYTE * 40)

    done = subprocess.run(
        [
            *("curl", "--silent", "--show-error", "--max-time", "60"),
            *("--data-binary", f"@{tmp_path / 'body'}"),
            *("--header", f"Authorization: Bearer {dashboard.token}"),
            *("--write-out", "%{http_code}", f"{dashboard.url}result/add/json/"),
        ],
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("413")
    assert "send fewer results" in done.stdout


def test_a_chunked_upload_is_stored(dashboard: Dashboard) -> None:
    body = urlencode({"json": json.dumps([result(benchmark="chunked")])}).encode()
    start = head(dashboard.token, "Transfer-Encoding: chunked", "Connection: close")

    told = ask(dashboard, start, chunked(body))

    assert status(told) == 202, told
    assert len(dashboard.timeline("chunked", "1")) == 1


def test_a_chunked_upload_that_is_too_long_is_cut(dashboard: Dashboard) -> None:
    with connect(dashboard) as connection:
        connection.sendall(head(dashboard.token, "Transfer-Encoding: chunked"))
        piece = b"%x\r\n%s\r\n" % (len(MEGABYTE), MEGABYTE)
        for _ in range(30):
            connection.sendall(piece)
        connection.sendall(b"0\r\n\r\n")

        assert status(answer(connection)) == 413


@pytest.mark.parametrize("token", [False, True], ids=["stranger", "token"])
def test_a_chunked_upload_without_end_is_cut(start: Any, token: bool) -> None:
    dashboard: Dashboard = start(**SHORT)
    began = time.monotonic()

    told = ask(
        dashboard,
        head(dashboard.token if token else "", "Transfer-Encoding: chunked"),
        b"5\r\njson=\r\n",
    )

    assert status(told) == (408 if token else 401)
    assert time.monotonic() - began < 25


@pytest.mark.parametrize(
    "headers",
    [
        ("Content-Length: 5", "Transfer-Encoding: chunked"),
        ("Transfer-Encoding: chunked", "Content-Length: 5"),
        ("Content-Length: 5", "Content-Length: 6"),
        ("Content-Length: 5", "Content-Length: 5"),
        ("Content-Length: -5",),
        ("Content-Length: +5",),
        ("Content-Length: 0x5",),
        ("Content-Length: 5, 5",),
        ("Transfer-Encoding: chunked", "Transfer-Encoding: chunked"),
        ("Transfer-Encoding: chunked, chunked",),
        ("Transfer-Encoding : chunked", "Content-Length: 5"),
        ("Content-Length: 5", "X-Folded: a\r\n b"),
        ("Content-Length: 5", "X-Bare: a\nTransfer-Encoding: chunked"),
    ],
    ids=repr,
)
def test_a_body_of_no_clear_length_is_refused(
    dashboard: Dashboard, headers: tuple[str, ...]
) -> None:
    second = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"

    told = ask(dashboard, head(dashboard.token, *headers), b"0\r\n\r\n", second)

    assert status(told) == 400, told
    assert told.count(b"HTTP/1.") == 1  # what follows is not taken for a request


@pytest.mark.parametrize(
    "other", ["gzip", "chunked, gzip", "identity", "chunked\r\nTransfer-Encoding: identity"]
)
def test_other_encodings_of_a_body_are_refused(dashboard: Dashboard, other: str) -> None:
    told = ask(dashboard, head(dashboard.token, f"Transfer-Encoding: {other}"), b"0\r\n\r\n")

    assert status(told) in (400, 501)


@pytest.mark.parametrize("version", ["HTTP/0.9", "HTTP/2.0", "HTTP/1.0"])
def test_another_version_cannot_hide_a_body(dashboard: Dashboard, version: str) -> None:
    start = head(dashboard.token, "Transfer-Encoding: chunked").replace(
        b"HTTP/1.1", version.encode(), 1
    )

    told = ask(dashboard, start, b"0\r\n\r\n")

    assert b" 400 " in told[:20]


def test_a_head_without_end_is_refused(dashboard: Dashboard) -> None:
    told = ask(dashboard, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n", b"X: y\r\n" * 20_000)

    assert b" 431 " in told[:20]


def test_a_get_brings_no_megabytes(dashboard: Dashboard) -> None:
    start = head("", f"Content-Length: {len(MEGABYTE)}", method="GET")

    assert status(ask(dashboard, start, MEGABYTE)) == 413
