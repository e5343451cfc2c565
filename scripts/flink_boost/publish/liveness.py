"""Which dashboard runs on a data folder: its lock, whether it answers, and its end."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from flink_boost.base.errors import EnvironmentProblem

DEFAULT_HOST = "127.0.0.1"
START_SECONDS = 60.0
STOP_SECONDS = 25.0
_HEALTH_SECONDS = 5.0
POLL_SECONDS = 0.1

# Servers that this process has started: they outlive it, and nobody waits for them.
STARTED: list[subprocess.Popen[bytes]] = []


@dataclass(frozen=True)
class Running:
    """A dashboard of ours that answers."""

    pid: int
    url: str
    instance: str


def find_running(data: Path) -> Running | None:
    """The dashboard on that data folder, when it answers at this moment."""
    with try_lock(data) as lock:
        if lock is not None:
            return None
    return answering(data)


def stop(data: Path) -> bool:
    """Ends the dashboard on that data folder; false when there was none.

    Raises ``EnvironmentProblem`` when it does not end in time.
    """
    signalled: set[int] = set()
    deadline = time.monotonic() + STOP_SECONDS
    while time.monotonic() < deadline:
        with try_lock(data) as lock:
            if lock is not None:
                (data / "state.json").unlink(missing_ok=True)
                return bool(signalled)
        state = _read_state(data)
        # A server that is only just starting has not written its state yet: then we wait for it.
        if state is not None and state.pid not in signalled and _holds_lock(state.pid, data):
            os.kill(state.pid, signal.SIGTERM)
            signalled.add(state.pid)
        time.sleep(POLL_SECONDS)
    pids = ", ".join(map(str, sorted(signalled))) or "unknown"
    raise EnvironmentProblem(
        f"The dashboard (process {pids}) does not end.", f"Look at {data / 'server.log'}."
    )


@contextmanager
def try_lock(data: Path) -> Iterator[int | None]:
    """The lock's descriptor, or None when a server or a starter of ours holds it.

    Closing our descriptor does not free the lock while a server that inherited it lives.
    """
    try:
        data.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(data / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise cannot_be_written(data, error) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield None
        else:
            yield descriptor
    finally:
        os.close(descriptor)


def cannot_be_written(data: Path, error: OSError) -> EnvironmentProblem:
    """What to say of a folder on a full disk, or one that may only be read."""
    return EnvironmentProblem(
        f"The dashboard's folder {data} cannot be written ({error.strerror}).",
        "Free some space or mend its permissions.",
    )


def wait_until_answering(data: Path, deadline: float) -> Running | None:
    """The server that holds the lock, once it answers; None when the lock became free."""
    while time.monotonic() < deadline:
        running = answering(data)
        if running is not None:
            return running
        with try_lock(data) as lock:
            if lock is not None:
                return None
        time.sleep(POLL_SECONDS)
    raise EnvironmentProblem(
        f"A dashboard was started on {data} but does not answer.",
        "Run `flink-boost stop` and try again.",
    )


def answering(data: Path) -> Running | None:
    state = _read_state(data)
    # Workers of a killed server answer for a moment longer: the server itself has to be there.
    if state is None or not _holds_lock(state.pid, data):
        return None
    try:
        # No proxy from the environment: this is a question to the machine itself.
        answer = httpx.get(
            f"{state.url}healthz",
            headers={"Host": DEFAULT_HOST},  # allowed whatever names the server goes by
            timeout=_HEALTH_SECONDS,
            trust_env=False,
        ).json()
    except (httpx.HTTPError, ValueError):
        return None
    ours = isinstance(answer, dict) and answer.get("instance") == state.instance
    return state if ours else None


def _read_state(data: Path) -> Running | None:
    try:
        document = json.loads((data / "state.json").read_text(encoding="utf-8"))
        return Running(int(document["pid"]), str(document["url"]), str(document["instance"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _holds_lock(pid: int, data: Path) -> bool:
    """True when that process has our lock file open: a pid may long belong to somebody else."""
    lock = (data / "lock").resolve()
    try:
        return any(entry.readlink() == lock for entry in Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return False
