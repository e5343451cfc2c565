"""Takes a flame graph from a running Flink process, and says what of it is ours.

The process loads async-profiler for as long as it is profiled. Nothing is written into the
installation; the overhead is one sample for each 10 ms of CPU time.
"""

from __future__ import annotations

import math
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from flink_boost.base.errors import BrokenData, EnvironmentProblem, NotProfiled
from flink_boost.base.files import make_folder
from flink_boost.flink.flamegraph import MARK_MEANS, draw, read_recording
from flink_boost.flink.home import FlinkHome
from flink_boost.flink.profiler import LIBRARY_NAME, Profiler
from flink_boost.flink.stacks import Ours, by_method, ours_share, top
from flink_boost.operate.attach import JvmProcess, find_target, load_library
from flink_boost.operate.flink_processes import find_running, sees_all

EVENTS: Mapping[str, str] = {
    "cpu": "event=itimer,interval=10ms",
    "alloc": "event=alloc,alloc=512k",
    "lock": "event=lock,lock=1ms",
}
_UNITS = {"cpu": "CPU time", "alloc": "allocated bytes", "lock": "waiting for locks"}
# Started by Flink's scripts, by YARN, by Kubernetes.
_TASK_MANAGERS = ("TaskManagerRunner", "YarnTaskExecutorRunner", "KubernetesTaskExecutorRunner")
# Should we be killed, the profiler ends by itself, so many seconds after its time.
_GRACE = 60


@dataclass(frozen=True)
class Flame:
    """What a profile of a process gave; ``ours`` is the part of it with our code on the stack."""

    pid: int
    event: str
    seconds: float
    page: Path
    top: tuple[tuple[str, float], ...]
    ours: float


def task_managers(home: FlinkHome, proc: Path = Path("/proc")) -> list[int]:
    """The TaskManagers that run from an installation. Raises ``NotProfiled`` when there is none."""
    found = [one.pid for one in find_running(home, proc) if one.main_class in _TASK_MANAGERS]
    if not found:
        unseen = "" if sees_all(proc) else ", as far as this user can see"
        raise NotProfiled(
            f"No TaskManager runs from {home.folder}{unseen}.",
            "Start the cluster, or run this as the user whom Flink runs as, where its processes"
            " are: in their container, if they are in one.",
        )
    return found


def take_flame(
    pid: int,
    *,
    event: str,
    seconds: float,
    page: Path,
    profiler: Profiler,
    java: str,
    ours: Ours,
    wait: Callable[[float], None] = time.sleep,
    proc: Path = Path("/proc"),
) -> Flame:
    """Profiles a JVM for some seconds and writes the flame graph to ``page``.

    Whatever happens, the profile in the process is ended. Raises ``NotProfiled`` when it cannot be
    taken, with what to do.
    """
    target = find_target(pid, proc)
    _require_writable(page.parent)
    with_library, folder = _prepare(target, profiler)
    try:
        recording = folder / "recording.jfr"
        inside = "/" / recording.relative_to(_outside(target))
        options = f"{EVENTS[event]},jfr,timeout={math.ceil(seconds) + _GRACE},file={inside}"
        load_library(target, with_library, f"start,{options}", proc)
        try:
            wait(seconds)
        finally:
            load_library(target, with_library, f"stop,file={inside}", proc)
        # As root we would read for the process what it may not read itself.
        if recording.is_symlink():
            raise NotProfiled(
                f"{recording} was replaced by a link.", f"Do not trust process {pid}."
            )
        try:
            stacks = read_recording(profiler, java, recording, event)
        except BrokenData as error:
            idle = "It may have been idle: profile a job that runs, or for longer."
            raise NotProfiled(f"Process {pid} gave no samples of {_UNITS[event]}.", idle) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    share = ours_share(stacks, ours)
    draw(
        *(profiler, java, stacks, page),
        title=f"{_UNITS[event]} of process {pid}, {seconds:g} s",
        notes=(f"{MARK_MEANS}: {share:.1%} of it is in or below them.",),
        ours=ours,
    )
    own = stacks if event == "cpu" else by_method(stacks)
    return Flame(pid, event, seconds, page, top(own, ours), share)


def _require_writable(folder: Path) -> None:
    """Raises ``EnvironmentProblem`` early, not when everything is profiled."""
    try:
        make_folder(folder)
        writable = os.access(folder, os.W_OK)
    except OSError:
        writable = False
    if not writable:
        raise EnvironmentProblem(f"{folder} cannot be written to.", "Name a folder with --out.")


def _outside(target: JvmProcess) -> Path:
    return target.root if target.contained else Path("/")


def _prepare(target: JvmProcess, profiler: Profiler) -> tuple[str, Path]:
    """A folder that the process may write to, and the library's path as the process sees it."""
    outside = _outside(target)
    temporary = outside / "tmp" if target.contained else Path(tempfile.gettempdir())
    if temporary.is_symlink():
        # It would lead out of the container.
        raise NotProfiled(f"{temporary} is a link.", "Give the container a /tmp of its own.")
    try:
        folder = Path(tempfile.mkdtemp(prefix="flink-boost-flame-", dir=temporary))
        library = folder / LIBRARY_NAME
        shutil.copyfile(profiler.library, library)
        library.chmod(0o755)
        if os.geteuid() == 0:
            for path in (folder, library):
                os.chown(path, target.uid, target.gid)
    except OSError as error:
        raise NotProfiled(
            f"The profiler cannot be put where process {target.pid} sees it ({error}).",
            "Make its /tmp writable, or free some space there.",
        ) from error
    # The same file as of an earlier call, so that the JVM does not load it twice.
    kept = temporary / f"{profiler.library.parent.name}-{target.uid}.so"
    with suppress(OSError):
        _keep(library, kept, target.uid)
        return str("/" / kept.relative_to(outside)), folder
    return str("/" / library.relative_to(outside)), folder


def _keep(library: Path, kept: Path, uid: int) -> None:
    """Gives the library a lasting name, if what has that name is not somebody else's.

    Raises ``OSError`` otherwise.
    """
    if kept.is_symlink() or (kept.exists() and kept.stat().st_uid not in (uid, os.geteuid())):
        raise PermissionError(f"{kept} is another user's")
    if kept.exists() and kept.read_bytes() == library.read_bytes():
        return
    library.replace(kept)
