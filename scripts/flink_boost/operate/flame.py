"""Takes a flame graph from a running Flink process, and says what of it is ours.

The process loads async-profiler for as long as it is profiled. Nothing is written into the
installation; the overhead is one sample for each 10 ms of CPU time.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from flink_boost.base.errors import BrokenData, EnvironmentProblem, NotProfiled
from flink_boost.base.files import make_folder
from flink_boost.base.scratch import scratch_folder
from flink_boost.flink.flamegraph import MARK_MEANS, draw, read_recording
from flink_boost.flink.home import FlinkHome
from flink_boost.flink.profiler import Profiler
from flink_boost.flink.stacks import Ours, Stack, by_method, ours_share, top
from flink_boost.operate.attach import find_target, load_library
from flink_boost.operate.flink_processes import find_running, sees_all
from flink_boost.operate.profiler_files import put_profiler

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
    with put_profiler(target, profiler) as files:
        inside = files.recording
        options = f"{EVENTS[event]},jfr,timeout={math.ceil(seconds) + _GRACE},file={inside}"
        load_library(target, files.library, f"start,{options}", proc)
        try:
            wait(seconds)
        finally:
            load_library(target, files.library, f"stop,file={inside}", proc)
        with scratch_folder() as folder:
            recording = folder / "recording.jfr"
            files.fetch(recording)
            stacks = _stacks(pid, profiler, java, recording, event)
    share = ours_share(stacks, ours)
    draw(
        *(profiler, java, stacks, page),
        title=f"{_UNITS[event]} of process {pid}, {seconds:g} s",
        notes=(f"{MARK_MEANS}: {share:.1%} of it is in or below them.",),
        ours=ours,
    )
    own = stacks if event == "cpu" else by_method(stacks)
    return Flame(pid, event, seconds, page, top(own, ours), share)


def _stacks(
    pid: int, profiler: Profiler, java: str, recording: Path, event: str
) -> dict[Stack, int]:
    try:
        return read_recording(profiler, java, recording, event)
    except BrokenData as error:
        raise NotProfiled(
            f"Process {pid} gave no samples of {_UNITS[event]}.",
            "It may have been idle: profile a job that runs, or for longer.",
        ) from error


def _require_writable(folder: Path) -> None:
    """Raises ``EnvironmentProblem`` early, not when everything is profiled."""
    try:
        make_folder(folder)
        writable = os.access(folder, os.W_OK)
    except OSError:
        writable = False
    if not writable:
        raise EnvironmentProblem(f"{folder} cannot be written to.", "Name a folder with --out.")
