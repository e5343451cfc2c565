"""Whether a process runs on. One that is stopped or frozen answers nobody, and no signal either."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from flink_boost.base.errors import NotProfiled

# The file of a control group that says so, by the kind of its file system, and the words in it.
_FREEZERS = {
    "cgroup2": ("cgroup.events", ("frozen 1",)),
    "cgroup": ("freezer.state", ("FROZEN", "FREEZING")),
}


def require_running(pid: int, proc: Path) -> None:
    """Raises ``NotProfiled`` for a process that is stopped, held by a debugger, or frozen."""
    status = _read(proc / str(pid) / "status")
    state = re.search(r"^State:\s*(\w)", status, re.MULTILINE)
    if state is not None and state[1] == "T":
        raise NotProfiled(
            f"Process {pid} is stopped, by a signal as SIGSTOP.",
            f"Let it go on, and profile it then: kill -CONT {pid}",
        )
    if state is not None and state[1] == "t":
        tracer = re.search(r"^TracerPid:\s*(\d+)", status, re.MULTILINE)
        raise NotProfiled(
            f"Process {pid} is held by a debugger.",
            f"Let it go on there, or end the debugger: process {tracer[1] if tracer else '?'}.",
        )
    group = _frozen_group(pid, proc)
    if group is not None:
        raise NotProfiled(
            f"Process {pid} is frozen, with its control group {group}.",
            "Let it go on with what froze it: `docker unpause`, `podman unpause`,"
            " `systemctl thaw` …, and profile it then.",
        )


def _frozen_group(pid: int, proc: Path) -> Path | None:
    for line in _read(proc / str(pid) / "cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and "freezer" not in controllers.split(","):
            continue
        kind = "cgroup" if controllers else "cgroup2"
        file, words = _FREEZERS[kind]
        for folder in _folders(kind, path, proc):
            if any(word in _read(folder / file) for word in words):
                return folder
    return None


def _folders(kind: str, path: str, proc: Path) -> list[Path]:
    """Where we see a control group: a container may have mounted a part of them."""
    found = []
    for line in _read(proc / "self" / "mountinfo").splitlines():
        mount, _, source = line.partition(" - ")
        root, point = mount.split()[3:5]
        known = source.split()[0] == kind and (kind == "cgroup2" or "freezer" in source)
        if known and ".." not in path and PurePosixPath(path).is_relative_to(root):
            found.append(Path(point) / PurePosixPath(path).relative_to(root))
    return found


def _read(file: Path) -> str:
    """What cannot be read says nothing."""
    try:
        return file.read_text(errors="replace")
    except OSError:
        return ""
