"""Starts the dashboard's processes as forks of one that has Django: importing it takes a second.

What is started gets the arguments, the environment, the folder and the files that it would have
got; settings, models and all else of the dashboard it imports itself. A module that is about how
a dashboard starts says ``STARTS_AFRESH = True`` and does without.
"""

from __future__ import annotations

import fcntl
import gc
import importlib
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

_PROJECT = Path(__file__).resolve().parents[1]
_LIBRARIES = (
    *("django.core.wsgi", "django.core.management", "django.core.management.commands.migrate"),
    *("django.contrib.admin.sites", "django.db.backends.sqlite3.base", "django.forms"),
    *("django.template.loader_tags", "django.views.decorators.csrf", "django.test.signals"),
    *("gunicorn.app.wsgiapp", "waitress", "pydantic", "dj_database_url", "httpx"),
    *("flink_boost.measure.field_checks", "flink_boost.measure.night_record"),
)
_FILES = 16  # that may be handed on
_OUT_OF_THE_WAY = 200  # the least number of a file while those that are handed on get theirs
_REQUEST_BYTES = 1 << 17
_LOOK_SECONDS = 5.0


def main() -> None:
    """Forks for each that connects to the socket on the standard input, while its parent lives."""
    listener = socket.socket(fileno=os.dup(0))
    listener.settimeout(_LOOK_SECONDS)
    parent = os.getppid()
    for name in _LIBRARIES:
        importlib.import_module(name)
    gc.freeze()  # else the first collection of each fork copies all of it
    signal.signal(signal.SIGCHLD, lambda *_: _count_ended())
    while os.getppid() == parent:
        try:
            connection, _ = listener.accept()
        except TimeoutError:
            continue
        if os.fork() == 0:
            listener.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _serve(connection)
            return
        connection.close()


def _count_ended() -> None:
    """Waits for forks that have ended, so that their processor time counts as the tests'."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _serve(connection: socket.socket) -> None:
    """Starts what is asked for, and answers its number and, once it has ended, how."""
    request, files = _received(connection)
    child = os.fork()
    if child == 0:
        connection.close()
        _become(request, files)
        return
    for file in files:
        os.close(file)
    connection.send(f"{child}\n".encode())
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    connection.send(f"{status}\n".encode())
    os._exit(0)


def _received(connection: socket.socket) -> tuple[dict[str, Any], list[int]]:
    message, files, _, _ = socket.recv_fds(connection, _REQUEST_BYTES, _FILES)
    high = [fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, _OUT_OF_THE_WAY) for file in files]
    for file in files:
        os.close(file)
    return json.loads(message), high


def _become(request: dict[str, Any], files: Sequence[int]) -> None:
    if request["session"]:
        os.setsid()
    for file, number in zip(files, request["files"], strict=True):
        os.dup2(file, number, inheritable=True)
        os.close(file)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environ"])
    words: list[str] = request["words"]
    if words[0] == "-m":
        sys.argv = words[1:]
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = words
        runpy.run_path(words[0], run_name="__main__")


class Process:
    """As much of ``subprocess.Popen`` as is asked for."""

    def __init__(self, address: str, request: dict[str, Any], files: Sequence[int]) -> None:
        self._connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._connection.connect(address)
        socket.send_fds(self._connection, [json.dumps(request).encode()], files)
        self.pid = int(self._connection.recv(100))
        self.returncode: int | None = None

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            self._connection.settimeout(timeout)
            self.returncode = int(self._connection.recv(100))
            self._connection.close()
        return self.returncode

    def poll(self) -> int | None:
        try:
            return self.wait(0)
        except BlockingIOError:
            return None

    def terminate(self) -> None:
        if self.poll() is None:
            os.kill(self.pid, signal.SIGTERM)


class Forks:
    """Stands where a module has ``subprocess``; other programs than the dashboard's run as ever."""

    def __init__(self, address: str) -> None:
        self._address = address

    def __getattr__(self, name: str) -> Any:
        return getattr(subprocess, name)

    def Popen(self, command: list[str], **how: Any) -> Any:  # noqa: N802 as there
        if not _is_the_dashboards(command):
            return subprocess.Popen(command, **how)
        return self._started(command, how, (how["stdin"], how["stdout"], how["stderr"]))

    def run(self, command: list[str], **how: Any) -> subprocess.CompletedProcess[str]:
        if not _is_the_dashboards(command):
            return subprocess.run(command, **how)
        with ExitStack() as stack:
            streams = [stack.enter_context(_memory()) for _ in range(3)]
            os.pwrite(streams[0], how.get("input", "").encode(), 0)
            outputs = streams[1:]
            process = self._started(command, how, streams)
            try:
                code = process.wait(how["timeout"])
            except TimeoutError as error:
                os.kill(process.pid, signal.SIGKILL)
                raise subprocess.TimeoutExpired(command, how["timeout"]) from error
            said = [os.pread(output, os.fstat(output).st_size, 0).decode() for output in outputs]
        done = subprocess.CompletedProcess(command, code, *said)
        if how.get("check"):
            done.check_returncode()
        return done

    def _started(
        self, command: list[str], how: dict[str, Any], streams: Sequence[int | IO[bytes]]
    ) -> Process:
        request = {
            "words": command[1:],
            "environ": dict(how["env"]),
            "folder": str(how.get("cwd") or Path.cwd()),
            "session": how.get("start_new_session", False),
            "files": [0, 1, 2, *how.get("pass_fds", ())],
        }
        with Path(os.devnull).open("r+b") as nothing:
            known = {subprocess.DEVNULL: nothing, subprocess.STDOUT: streams[1]}
            files = [known.get(each, each) if isinstance(each, int) else each for each in streams]
            numbers = [each if isinstance(each, int) else each.fileno() for each in files]
            return Process(self._address, request, [*numbers, *how.get("pass_fds", ())])


def _is_the_dashboards(command: Sequence[str]) -> bool:
    return command[0] == sys.executable and (
        command[1].startswith(f"{_PROJECT}/")
        or (command[1] == "-m" and command[2] in ("gunicorn", "flink_boost.cli"))
    )


@contextmanager
def _memory() -> Iterator[int]:
    file = os.memfd_create("stream")
    try:
        yield file
    finally:
        os.close(file)


@contextmanager
def running(folder: Path) -> Iterator[Forks]:
    """Such a process, with its socket in that folder. What it has started outlives it."""
    address = str(folder / "socket")
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(address)
        listener.listen(50)
        process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=listener.fileno(),
            env={**os.environ, "PYTHONPATH": f"{_PROJECT}:{_PROJECT.parent / 'scripts'}"},
        )
    try:
        yield Forks(address)
    finally:
        process.kill()
        process.wait()


if __name__ == "__main__":
    main()
