"""The one way out of a sandbox: to the package mirrors that the operator named.

A sandbox has no network. Where a build needs downloads, a proxy of ours listens on a Unix socket
that is bound into it. The proxy knows one request, ``CONNECT host:port``, and answers it for the
named hosts and ports alone, whose addresses it looks up itself.
"""

from __future__ import annotations

import re
import shutil
import socket
import socketserver
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from flink_boost.base.errors import NoIsolation, UsageProblem
from flink_boost.service.builds.isolation.workplace import give_all

VARIABLE = "FLINK_BOOST_MIRRORS"
_TEMPLATES = Path(__file__).with_name("templates")
_RELAY = _TEMPLATES / "relay.py"
_SETTINGS = _TEMPLATES / "etc" / "maven.xml"
_PORT = "3128"
_OPTIONS = "MAVEN_OPTS"
_MIRROR = re.compile(r"([a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?):([1-9][0-9]{0,4})")
_REQUEST = re.compile(rb"CONNECT ([A-Za-z0-9.-]{1,253}:[0-9]{1,5}) HTTP/1\.[01]\r?\n")
_MOST_HEAD = 8192
_MOST_CONNECTIONS = 32
_IDLE_SECONDS = 60.0
_BLOCK = 1 << 16


@dataclass(frozen=True)
class Way:
    """What a command gets to find the way out: a command in front of it, files and variables."""

    command: tuple[str, ...] = ()
    readable: tuple[Path, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)

    def added_to(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Both together; options of the JVM that both name are said one after the other."""
        both = {**self.environment, **environment}
        if found := [one[_OPTIONS] for one in (environment, self.environment) if _OPTIONS in one]:
            both[_OPTIONS] = " ".join(found)
        return both


@dataclass(frozen=True)
class Mirrors:
    """Hosts and ports that may be reached: ``("repo.maven.apache.org:443",)``."""

    hosts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for host in self.hosts:
            if not (found := _MIRROR.fullmatch(host)) or int(found[2]) > 65535:
                raise UsageProblem(
                    f"{host!r} is no mirror.", f"Give {VARIABLE} as host:port, separated by commas."
                )

    @contextmanager
    def served(self, work: Path, uid: int | None, *, wanted: bool) -> Iterator[Way]:
        """The way out while it is open. Raises ``NoIsolation`` when one is wanted and none named.

        ``work`` is where Maven keeps what it fetches, ``uid`` the user that may connect.
        """
        if not wanted:
            yield Way()
            return
        if not self.hosts:
            raise NoIsolation(
                "This build needs downloads, and no package mirror is named.",
                f"Set {VARIABLE}=repo.maven.apache.org:443, or build offline.",
            )
        # A path of a socket may have 107 bytes: not below ``work``.
        with tempfile.TemporaryDirectory(prefix="flink-boost-way-") as name:
            folder = Path(name)
            folder.chmod(0o755)
            place = folder / "socket"
            with Proxy(place, self.hosts):
                if uid is not None:
                    shutil.chown(place, uid, uid)
                # By way of the JVM: Maven before 3.9, Debian's and Flink's, has no MAVEN_ARGS.
                home = _home(work, uid)
                yield Way(
                    ("python3", "-I", str(_RELAY), str(place), _PORT),
                    (folder, _RELAY),
                    {
                        "https_proxy": f"http://127.0.0.1:{_PORT}",
                        _OPTIONS: f"-Duser.home={home} -Dmaven.repo.local={work / 'm2'}",
                    },
                )


def _home(work: Path, uid: int | None) -> Path:
    """A home with Maven's settings, where Maven looks for them by itself."""
    home = work / "home"
    settings = home / ".m2" / "settings.xml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(_SETTINGS, settings)
    give_all(home, uid)
    return home


class Proxy:
    """Answers on a Unix socket while it is entered; ``refused`` is what it was asked in vain."""

    def __init__(self, place: Path, hosts: tuple[str, ...]) -> None:
        self.refused: list[str] = []
        self._hosts = frozenset(hosts)
        self._free = threading.BoundedSemaphore(_MOST_CONNECTIONS)
        self._server = _Server(str(place), _handler(self))
        place.chmod(0o600)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True)

    def __enter__(self) -> Proxy:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, client: socket.socket) -> None:
        """Serves one connection to its end."""
        client.settimeout(_IDLE_SECONDS)
        if not self._free.acquire(blocking=False):
            client.sendall(b"HTTP/1.1 503 Too many connections\r\n\r\n")
            return
        try:
            with suppress(OSError):
                self._answer(client)
        finally:
            self._free.release()

    def _answer(self, client: socket.socket) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            block = client.recv(_BLOCK)
            head += block
            if not block or len(head) > _MOST_HEAD:
                return
        found = _REQUEST.match(head)
        asked = found[1].decode("ascii").lower() if found else head[:80].decode(errors="replace")
        # Nothing may follow the head: it would reach the mirror before the mirror was asked.
        if found is None or asked not in self._hosts or not head.endswith(b"\r\n\r\n"):
            if len(self.refused) < _MOST_CONNECTIONS:
                self.refused.append(asked)
            client.sendall(b"HTTP/1.1 403 Not one of the mirrors\r\nContent-Length: 0\r\n\r\n")
            return
        host, _, port = asked.rpartition(":")
        try:
            mirror = socket.create_connection((host, int(port)), _IDLE_SECONDS)
        except OSError:
            client.sendall(b"HTTP/1.1 502 The mirror is away\r\nContent-Length: 0\r\n\r\n")
            return
        with mirror:
            client.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
            back = threading.Thread(target=_hand_on, args=(mirror, client), daemon=True)
            back.start()
            _hand_on(client, mirror)
            back.join()


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    block_on_close = False


def _handler(proxy: Proxy) -> type[socketserver.BaseRequestHandler]:
    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            proxy.answer(self.request)

    return Handler


def _hand_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while block := source.recv(_BLOCK):
            target.sendall(block)
    for one in (source, target):
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
