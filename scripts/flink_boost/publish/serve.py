"""Starts, finds and stops the dashboard: Codespeed behind gunicorn, as a process of its own.

Everything it keeps is in one data folder (``build/codespeed``):

=================  ===============================================================================
``lock``           held by the server's processes as long as one of them lives; the kernel frees
                   it, so a crash leaves nothing that blocks the next start
``state.json``     pid, URL and instance of the server that holds the lock
``token``          made by the embedded server; never printed
``secret_key``     likewise
``db.sqlite3``     results, unless ``DATABASE_URL`` names another database
``server.log``     output of the server that runs in the background, and ``server.log.1``: what
                   was before; each is kept below 5 MB
=================  ===============================================================================

The lock and the listening socket are opened here and handed to gunicorn as file descriptors: from
the first moment to the last there is one owner of both.
"""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from flink_boost.base.errors import EnvironmentProblem, UsageProblem
from flink_boost.base.net import is_loopback
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.publish.liveness import (
    DEFAULT_HOST,
    POLL_SECONDS,
    START_SECONDS,
    STARTED,
    answering,
    cannot_be_written,
    try_lock,
    wait_until_answering,
)

DEFAULT_PORT = 8321
_PREPARE_SECONDS = 180.0
_LEAST_SPACE = 8 * 1024 * 1024  # bytes; the same is asked by the dashboard's health check
_LOG_LINES_SHOWN = 5
_DJANGO_PROJECT = PROJECT_ROOT / "codespeed-config"
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Address:
    """Where to listen. Port 0 lets the system choose."""

    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT


DEFAULT_ADDRESS = Address()


def ensure_running(
    data: Path,
    address: Address = DEFAULT_ADDRESS,
    *,
    environ: Mapping[str, str] = os.environ,
    tell: Tell = lambda _: None,
) -> str:
    """The URL of the dashboard on that data folder, started in the background if need be.

    Raises ``UsageProblem`` for a host that needs secrets which are not given, and
    ``EnvironmentProblem`` when the port belongs to somebody else or the server does not come up.
    """
    _require_safe(address, environ)
    deadline = time.monotonic() + START_SECONDS
    while True:
        with try_lock(data) as lock:
            if lock is not None:
                _start_in_background(data, address, environ, lock, tell)
        running = wait_until_answering(data, deadline)
        if running is not None:
            return running.url

        # What held the lock ended meanwhile: it was on its way out, or it failed to start.


def serve_in_foreground(
    data: Path, address: Address, *, environ: Mapping[str, str], tell: Tell
) -> str:
    """Becomes the server, for service supervisors; returns only when one runs already: its URL.

    Raises as :func:`ensure_running` does.
    """
    _require_safe(address, environ)
    deadline = time.monotonic() + START_SECONDS
    while True:
        with try_lock(data) as lock:
            if lock is not None:
                with _listen(address) as listener:
                    launch = _prepare(data, address, environ, lock, listener, tell)
                    tell(f"The dashboard is at {launch.url}")
                    launch.replace_this_process()
        running = wait_until_answering(data, deadline)
        if running is not None:
            return running.url


@dataclass(frozen=True)
class _Launch:
    """A gunicorn call that is ready to be made."""

    command: list[str]
    environ: dict[str, str]
    url: str
    descriptors: tuple[int, int]

    def replace_this_process(self) -> NoReturn:
        for descriptor in self.descriptors:
            os.set_inheritable(descriptor, True)
        os.chdir(_DJANGO_PROJECT)
        sys.stdout.flush()
        os.execve(self.command[0], self.command, self.environ)  # noqa: S606 no shell needed

    def start(self, log: Path) -> subprocess.Popen[bytes]:
        with log.open("ab") as output:
            return subprocess.Popen(
                self.command,
                env={**self.environ, "FLINK_BOOST_LOG": str(log.resolve())},
                cwd=_DJANGO_PROJECT,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                pass_fds=self.descriptors,
                start_new_session=True,  # closing the terminal must not end it
            )


def _start_in_background(
    data: Path, address: Address, environ: Mapping[str, str], lock: int, tell: Tell
) -> None:
    """Starts the server and waits until it has written its state or has ended."""
    log = data / "server.log"
    with _listen(address) as listener:
        launch = _prepare(data, address, environ, lock, listener, tell)
        try:
            process = launch.start(log)
        except OSError as error:
            raise cannot_be_written(data, error) from error
    STARTED.append(process)
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise EnvironmentProblem(
                f"The dashboard ended while it started: {_last_lines(log)}", f"Look at {log}."
            )
        running = answering(data)
        if running is not None and running.pid == process.pid:
            return
        time.sleep(POLL_SECONDS)
    process.terminate()
    raise EnvironmentProblem(
        f"The dashboard did not answer within {START_SECONDS:.0f} s.", f"Look at {log}."
    )


def _prepare(
    data: Path,
    address: Address,
    environ: Mapping[str, str],
    lock: int,
    listener: socket.socket,
    tell: Tell,
) -> _Launch:
    """Brings the database up to date and puts the call together."""
    _require_room(data)
    url = _url(address.host, listener.getsockname()[1])
    server_environ = {
        **environ,
        "DJANGO_SETTINGS_MODULE": "boost_dashboard.settings",
        "PYTHONPATH": str(_DJANGO_PROJECT),
        "FLINK_BOOST_DASHBOARD_DATA": str(data.resolve()),
        "FLINK_BOOST_STATE": str(data.resolve() / "state.json"),
        "FLINK_BOOST_INSTANCE": secrets.token_hex(8),
        "FLINK_BOOST_URL": url,
        "FLINK_BOOST_EMBEDDED": "1" if is_loopback(address.host) else "0",
        # Its cache of fonts; matplotlib would put it into the home folder.
        "MPLCONFIGDIR": str(data.resolve() / "matplotlib"),
    }
    tell("Preparing the dashboard's database")
    _run_prepare_command(server_environ, lock)
    (data / "state.json").unlink(missing_ok=True)
    descriptors = (lock, listener.fileno())
    command = [
        *(sys.executable, "-m", "gunicorn", "--config", str(_DJANGO_PROJECT / "gunicorn.conf.py")),
        *("--bind", f"fd://{listener.fileno()}", "boost_dashboard.wsgi:application"),
    ]
    return _Launch(command, server_environ, url, descriptors)


def _require_room(data: Path) -> None:
    """Writes something: a server that cannot would end without being able to say why."""
    try:
        with tempfile.TemporaryFile(dir=data) as draft:
            os.posix_fallocate(draft.fileno(), 0, _LEAST_SPACE)
    except OSError as error:
        raise cannot_be_written(data, error) from error


def _run_prepare_command(environ: dict[str, str], lock: int) -> None:
    """Prepares the database in a process that holds the lock too.

    It outlives a starter that is killed; no other start may touch the database before its end.
    """
    try:
        done = subprocess.run(
            [sys.executable, str(_DJANGO_PROJECT / "manage.py"), "prepare_dashboard"],
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_PREPARE_SECONDS,
            check=False,
            pass_fds=(lock,),
        )
    except subprocess.TimeoutExpired as error:
        raise EnvironmentProblem(
            f"The dashboard's database was not ready within {_PREPARE_SECONDS:.0f} s.",
            "See whether another process holds it, or whether DATABASE_URL can be reached.",
        ) from error
    if done.returncode != 0:
        lines = (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()
        reason = lines[-1].removeprefix("django.core.exceptions.ImproperlyConfigured: ")
        raise EnvironmentProblem(
            f"The dashboard cannot start: {reason}",
            "`.venv/bin/python codespeed-config/manage.py prepare_dashboard` shows all of it.",
        )


@contextmanager
def _listen(address: Address) -> Iterator[socket.socket]:
    """A bound socket. gunicorn listens on it later, so nobody connects before it can answer."""
    try:
        family, kind, protocol, _, endpoint = socket.getaddrinfo(
            address.host, address.port, type=socket.SOCK_STREAM
        )[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise EnvironmentProblem(
            f"{address.host} is no address to listen on ({error.strerror}).",
            "Choose another --host.",
        ) from error
    with listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(endpoint)
        except OSError as error:
            raise EnvironmentProblem(
                f"Port {address.port} on {address.host} cannot be used ({error.strerror}).",
                "Choose another one with --port.",
            ) from error
        yield listener


def _require_safe(address: Address, environ: Mapping[str, str]) -> None:
    if not 0 <= address.port <= 65535:
        raise UsageProblem(f"There is no port {address.port}.", "Use 1 to 65535.")
    if is_loopback(address.host):
        return
    missing = [
        name
        for name in ("FLINK_BOOST_SECRET_KEY", "FLINK_BOOST_TOKEN")
        if not environ.get(name, "").strip() and not environ.get(f"{name}_FILE", "").strip()
    ]
    if missing:
        raise UsageProblem(
            f"{address.host} can be reached from other machines, and the embedded secrets are for "
            "this machine only.",
            f"Set {' and '.join(missing)}, or listen on {DEFAULT_HOST}.",
        )


def _url(host: str, port: int) -> str:
    # A wildcard is an address to listen on, not one to connect to.
    wildcards = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 looked up, not bound
    name = wildcards.get(host, host)
    return f"http://[{name}]:{port}/" if ":" in name else f"http://{name}:{port}/"


def _last_lines(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return " / ".join(lines[-_LOG_LINES_SHOWN:]) or "it printed nothing"
