"""The way out of a sandbox: to the named mirrors and nowhere else. Needs bubblewrap."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from flink_boost.base.errors import NoIsolation, UsageProblem
from flink_boost.flink.pinned_maven import ensure_maven
from flink_boost.service.builds.isolation import mirrors
from flink_boost.service.builds.isolation.choosing import choose_sandbox
from flink_boost.service.builds.isolation.mirrors import VARIABLE, Mirrors, Proxy
from flink_boost.service.builds.isolation.sandbox import Ended, Limits
from flink_boost.service.builds.isolation.workplace import fresh_workplace

LIMITS = Limits(seconds=60, disk=8 << 20, output=1 << 20)


@pytest.fixture
def server() -> Iterator[int]:
    """The port of a server that says what it was told."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            while True:
                try:
                    client, _ = listener.accept()
                except OSError:
                    return
                with client:
                    client.sendall(b"heard " + client.recv(100))

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


def ask(place: Path, request: bytes, then: bytes = b"") -> bytes:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(10)
        client.connect(str(place))
        client.sendall(request)
        answer = client.recv(1000)
        if then and b" 200 " in answer:
            client.sendall(then)
            while block := client.recv(1000):
                answer += block
        return answer


def test_only_named_hosts_and_ports_are_reached(server: int, tmp_path: Path) -> None:
    place = tmp_path / "s"
    with Proxy(place, (f"localhost:{server}",)) as proxy:
        asked = f"localhost:{server}".encode()
        assert ask(place, b"CONNECT %b HTTP/1.1\r\nHost: x\r\n\r\n" % asked, b"this").endswith(
            b"heard this"
        )
        assert b" 200 " in ask(place, b"CONNECT LOCALHOST:%d HTTP/1.1\r\n\r\n" % server)
        for request in (
            b"CONNECT 127.0.0.1:%d HTTP/1.1\r\n\r\n" % server,
            b"CONNECT localhost:22 HTTP/1.1\r\n\r\n",
            b"CONNECT localhost:0%d HTTP/1.1\r\n\r\n" % server,
            b"CONNECT example.org:%d HTTP/1.1\r\n\r\n" % server,
            b"CONNECT localhost.example.org:443 HTTP/1.1\r\nHost: %b\r\n\r\n" % asked,
            b"CONNECT %b@example.org:443 HTTP/1.1\r\n\r\n" % asked,
            b"CONNECT %b HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n" % asked,
            b"GET http://%b/ HTTP/1.1\r\n\r\n" % asked,
            b"\xff\x00\r\n\r\n",
        ):
            assert ask(place, request).startswith(b"HTTP/1.1 403 "), request
        assert "localhost:22" in proxy.refused
        assert ask(place, b"CONNECT " + b"x" * 10_000) == b""
    with pytest.raises(OSError, match=r"refused|No such file"):
        ask(place, b"")


@pytest.mark.parametrize(
    "name", ["", "host", "host:0", "host:99999", "*:443", "a b:443", "http://host:80", "host:443\n"]
)
def test_what_is_no_mirror_is_refused(name: str) -> None:
    with pytest.raises(UsageProblem, match=VARIABLE) as told:
        Mirrors((name,))
    assert told.value.exit_code == 2


def test_inside_there_is_one_way_out_and_only_when_it_is_wanted(
    server: int, open_folder: Path
) -> None:
    sandbox = choose_sandbox({VARIABLE: f"localhost:{server}, example.org:443"})
    program = f"""
import os, socket
for asked in ("localhost:{server}", "localhost:22"):
    with socket.create_connection(("127.0.0.1", 3128), 10) as way:
        way.sendall(f"CONNECT {{asked}} HTTP/1.1\\r\\n\\r\\n".encode())
        print(way.recv(100).split(b"\\r\\n")[0].decode())
        way.sendall(b"inside")
        print(way.recv(100).decode()[:20])
try:
    socket.create_connection(("127.0.0.1", {server}), 5)
except OSError as error:
    print(type(error).__name__)
raise SystemExit(7)
"""

    def run(wanted: bool) -> Ended:
        with fresh_workplace(open_folder / "places", sandbox.owners, disk=LIMITS.disk) as work:
            return sandbox.run(
                ("python3", "-I", "-c", program), work=work, readable=(), environment={},
                limits=LIMITS, log=open_folder / "log", mirrors=wanted,
            )  # fmt: skip

    assert run(True).code == 7
    lines = (open_folder / "log").read_text().splitlines()
    assert lines[:3] == [
        "HTTP/1.1 200 Connected",
        "heard inside",
        "HTTP/1.1 403 Not one of the mirrors",
    ]
    assert lines[-1] == "ConnectionRefusedError"
    assert run(False).code == 1
    assert "ConnectionRefusedError" in (open_folder / "log").read_text()


def test_a_way_out_that_nobody_named_is_not_opened(tmp_path: Path) -> None:
    with (
        pytest.raises(NoIsolation, match="no package mirror is named"),
        Mirrors().served(tmp_path, None, wanted=True),
    ):
        pass


@pytest.mark.parametrize("hidden", [(), ("env", "-u", "MAVEN_ARGS")])
@pytest.mark.parametrize("named", [{}, {"MAVEN_OPTS": "-Xmx200m"}])
def test_maven_asks_for_the_way_out_whatever_its_age(
    hidden: tuple[str, ...],
    named: dict[str, str],
    open_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without MAVEN_ARGS it is as those before 3.9, which do not know that variable."""
    opened: list[Proxy] = []

    class Watched(Proxy):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            opened.append(self)

    monkeypatch.setattr(mirrors, "Proxy", Watched)
    sandbox = choose_sandbox({VARIABLE: "localhost:1"})
    maven = ensure_maven()
    limits = replace(LIMITS, disk=32 << 20)
    with fresh_workplace(open_folder / "places", sandbox.owners, disk=limits.disk) as work:
        (work / "pom.xml").write_text(
            "<project><modelVersion>4.0.0</modelVersion><groupId>x</groupId>"
            "<artifactId>x</artifactId><version>1</version></project>"
        )
        (work / "pom.xml").chmod(0o644)
        ended = sandbox.run(
            (*hidden, str(maven), "--batch-mode", "package"), work=work,
            readable=(maven.parents[1],), environment=named, limits=limits,
            log=open_folder / "log", mirrors=True,
        )  # fmt: skip
        assert (work / "m2").is_dir(), ended.said
    assert ended.code == 1
    (proxy,) = opened
    assert set(proxy.refused) == {"repo.maven.apache.org:443"}
