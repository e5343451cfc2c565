"""Clients that are slow, idle or many: others are answered, and they are sent away."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import codespeed
import pytest

from conftest import Dashboard, result
from raw_http import (
    HALF_HEAD,
    SHORT,
    closed_within,
    connect,
    half_body,
    head,
    held,
    next_answer,
    status,
)

pytestmark = pytest.mark.quiet

WIDE = 25.0  # seconds; what has to end after two ends well before


def answers_others(dashboard: Dashboard) -> bool:
    """Whether both the health check and the first page come, each within ten seconds."""
    began = time.monotonic()
    codes = [dashboard.get(path).status_code for path in ("healthz", "")]
    return codes == [200, 200] and time.monotonic() - began < 20


@pytest.mark.parametrize("count", [4, 200])
@pytest.mark.parametrize(
    "beginning", [b"", HALF_HEAD, half_body()], ids=["idle", "half-head", "half-body"]
)
def test_half_requests_of_strangers_stop_nobody_and_are_ended(
    start: Any, count: int, beginning: bytes
) -> None:
    dashboard: Dashboard = start(**SHORT)

    with held(dashboard, count, beginning) as sockets:
        assert answers_others(dashboard)
        assert closed_within(sockets, WIDE)


def test_half_bodies_with_the_token_stop_nobody_and_are_told_why(start: Any) -> None:
    dashboard: Dashboard = start(**SHORT)

    with held(dashboard, 40, half_body(dashboard.token)) as sockets:
        assert answers_others(dashboard)
        told = [one.recv(65536) for one in sockets]
        assert {status(text) for text in told} == {408}
        assert closed_within(sockets, WIDE)
    assert dashboard.upload([result()]).status_code == 202


@pytest.mark.parametrize("with_token", [False, True], ids=["head", "body"])
def test_a_byte_now_and_then_does_not_keep_a_connection(start: Any, with_token: bool) -> None:
    """What counts is when the request began, not when its last byte came."""
    dashboard: Dashboard = start(FLINK_BOOST_READ_SECONDS="1")
    beginning = half_body(dashboard.token) if with_token else HALF_HEAD

    with held(dashboard, 1, beginning) as (connection,):
        began = time.monotonic()
        connection.settimeout(0.2)
        while time.monotonic() - began < WIDE:
            try:
                connection.sendall(b"a")
                if not connection.recv(100):
                    break
            except TimeoutError:
                continue
            except (BrokenPipeError, ConnectionResetError):
                break
        assert time.monotonic() - began < WIDE


def test_clients_that_do_not_read_stop_nobody(start: Any) -> None:
    dashboard: Dashboard = start(**SHORT)
    folder = Path(codespeed.__file__).parent / "static"
    large = max(folder.rglob("*.js"), key=lambda file: file.stat().st_size).relative_to(folder)
    assert dashboard.get(f"static/{large}").status_code == 200
    asked = f"GET /static/{large} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()

    # Answers that nobody takes, as many as one may ask for at once.
    with held(dashboard, 40, asked * 4) as sockets:
        assert answers_others(dashboard)
        time.sleep(2)
        assert answers_others(dashboard)
        assert status(sockets[0].recv(100)) == 200


def test_clients_that_ask_for_ever_more_and_take_nothing_are_closed(start: Any) -> None:
    """Else each would hold a thread, and a hundred open files."""
    dashboard: Dashboard = start(FLINK_BOOST_READ_SECONDS="300")
    folder = Path(codespeed.__file__).parent / "static"
    large = max(folder.rglob("*.js"), key=lambda file: file.stat().st_size).relative_to(folder)
    asked = f"GET /static/{large} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
    with held(dashboard, 40, asked * 200) as sockets:
        assert answers_others(dashboard)
        assert closed_within(sockets, WIDE)


def test_several_requests_at_once_are_answered_in_their_order(start: Any) -> None:
    dashboard: Dashboard = start(**SHORT)
    asked = [f"GET /{path} HTTP/1.1\r\nHost: 127.0.0.1\r\n" for path in ("healthz", "gone") * 2]
    with connect(dashboard) as connection:
        connection.sendall(("\r\n".join(asked) + "Connection: close\r\n\r\n").encode())
        answers = b""
        while part := connection.recv(65536):
            answers += part
    assert re.findall(rb"HTTP/1\.1 (\d+)", answers) == [b"200", b"404"] * 2


def test_half_bodies_of_those_who_only_read_hold_no_place(start: Any) -> None:
    """Nobody asks them for a token."""
    dashboard: Dashboard = start(
        FLINK_BOOST_CONNECTIONS="20",
        FLINK_BOOST_READ_SECONDS="300",
    )

    with held(dashboard, 80, head("", "Content-Length: 1000", method="GET") + b"x") as sockets:
        assert answers_others(dashboard)
        assert closed_within(sockets[:30], WIDE)


def test_more_connections_than_the_server_takes_push_out_the_idle_ones(start: Any) -> None:
    """Somebody who opens sockets all day long cannot keep others out."""
    dashboard: Dashboard = start(FLINK_BOOST_CONNECTIONS="20")

    with held(dashboard, 60, HALF_HEAD) as sockets:
        assert answers_others(dashboard)
        assert closed_within(sockets[:30], WIDE)
        sockets[-1].sendall(b".0.0.1\r\n\r\n")
        assert status(sockets[-1].recv(65536)) == 200


def test_an_upload_is_not_pushed_out_by_idle_connections(start: Any) -> None:
    dashboard: Dashboard = start(FLINK_BOOST_CONNECTIONS="20")

    with connect(dashboard) as upload:
        upload.sendall(head(dashboard.token, "Content-Length: 7") + b"json=")
        with held(dashboard, 60, HALF_HEAD):
            assert answers_others(dashboard)
            upload.sendall(b"[{")
            assert status(next_answer(upload)) == 400  # no JSON; but answered


def test_a_connection_is_used_again(start: Any) -> None:
    dashboard: Dashboard = start(**SHORT)

    with connect(dashboard) as connection:
        for _ in range(3):
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert status(next_answer(connection)) == 200
            time.sleep(1)
