"""A PostgreSQL of the tests' own: Debian's programs, a temporary folder, a port of loopback."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

PROGRAMS = Path("/usr/lib/postgresql")
INSTALL = "run `scripts/bootstrap-venv --browser` as root, or `apt-get install --yes postgresql`"
UNPRIVILEGED = "postgres"  # Debian's user: PostgreSQL does not run as root
SECONDS = 60


@dataclass
class PostgreSQL:
    """A server; ``start`` after ``kill`` is what a restart after a power cut is."""

    programs: Path
    folder: Path
    port: int
    durable: bool
    password: str = field(default_factory=lambda: f"pw-{secrets.token_hex(12)}", repr=False)
    _server: subprocess.Popen[bytes] | None = None

    def url(self, database: str) -> str:
        """What ``DATABASE_URL`` is for one of its databases."""
        return f"postgres://speed:{self.password}@127.0.0.1:{self.port}/{database}"

    def new_database(self, name: str) -> str:
        """The URL of an empty database."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"'.encode())
        return self.url(name)

    def create(self) -> None:
        """Makes the cluster's files."""
        secret = self.folder / "password"
        secret.write_text(self.password, encoding="ascii")
        _give_away(self.folder)
        _give_away(secret)
        done = subprocess.run(
            [
                *(self.programs / "initdb", "--pgdata", self.folder / "data"),
                *("--username=speed", f"--pwfile={secret}", "--auth=scram-sha-256"),
                *("--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"),
            ],
            user=_user(),
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        secret.unlink()
        assert done.returncode == 0, done.stderr

    def start(self) -> None:
        """Starts it and waits until it answers."""
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": "",
            "fsync": "on" if self.durable else "off",
            "deadlock_timeout": "1s",
        }
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            self._server = subprocess.Popen(
                [self.programs / "postgres", "-D", self.folder / "data", *options],
                user=_user(),
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        deadline = time.monotonic() + SECONDS
        while True:
            try:
                psycopg.connect(self.url("postgres"), connect_timeout=5).close()
            except psycopg.OperationalError:
                assert self._server.poll() is None, self.log
                assert time.monotonic() < deadline, self.log
                time.sleep(0.1)
            else:
                return

    def kill(self) -> None:
        """SIGKILL for all of its processes, as when the machine goes down."""
        assert self._server is not None
        pid = self._server.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
        self._server.kill()
        for child in map(int, children):
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self._server.wait(SECONDS)

    def stop(self) -> None:
        """Ends it, connections included."""
        if self._server is not None and self._server.poll() is None:
            self._server.send_signal(signal.SIGINT)  # "fast": clients are thrown out
            self._server.wait(SECONDS)

    @property
    def log(self) -> str:
        """What it said."""
        return (self.folder / "log").read_text(encoding="utf-8", errors="replace")


@contextmanager
def running(*, durable: bool = False) -> Iterator[PostgreSQL]:
    """A server that is gone, files included, at the end.

    Fails, and skips nothing, on a machine without PostgreSQL.
    """
    found = sorted(PROGRAMS.glob("*/bin/initdb"), key=lambda one: float(one.parts[-3]))
    if not found:
        raise AssertionError(f"PostgreSQL is not installed: {INSTALL}.")
    # pytest's own folders are closed to the user that it runs as.
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    folder = Path(tempfile.mkdtemp(prefix="flink-boost-postgresql-", dir="/tmp"))
    server = PostgreSQL(found[-1].parent, folder, port, durable)
    try:
        server.create()
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder)


def _user() -> str | None:
    return UNPRIVILEGED if os.geteuid() == 0 else None


def _give_away(path: Path) -> None:
    if os.geteuid() == 0:
        user = pwd.getpwnam(UNPRIVILEGED)
        os.chown(path, user.pw_uid, user.pw_gid)
