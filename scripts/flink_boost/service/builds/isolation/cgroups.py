"""A control group for one sandbox, where systemd has given us a group to divide (``Delegate=yes``).

The kernel counts in it whatever belongs to its processes: pages, files in memory, buffers of
sockets and pipes, page tables. At the limit it ends all of them together. A group that systemd has
not handed over is not ours to divide, root's or not.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from flink_boost.base.errors import NoIsolation
from flink_boost.service.builds.isolation.sandbox import How, Limits

DELEGATED = ("user.delegate", "trusted.delegate")  # attributes that systemd marks such a group with
_MOUNT = Path("/sys/fs/cgroup")
_MEMBERSHIP = Path("/proc/self/cgroup")
_OURS = "service"  # only groups without processes can have others below that are limited
_PREFIX = "sandbox-"
_NEEDED = ("memory", "pids")
# What Linux before 5.18 tells instead of a sum.
_KERNEL = ("slab_reclaimable", "slab_unreclaimable", "kernel_stack", "pagetables", "percpu")
_DIVIDE_SECONDS = 10.0
_END_SECONDS = 20.0
_PAUSE = 0.02


@dataclass(frozen=True)
class ControlGroup:
    """The group of one sandbox."""

    folder: Path

    @property
    def entering(self) -> tuple[str, ...]:
        """Words in front of a command: all of it then runs in the group."""
        return ("/bin/sh", "-c", 'echo $$ >"$0" && exec "$@"', str(self.folder / "cgroup.procs"))

    @property
    def held(self) -> int:
        """Bytes of processes, each page once, of files in memory, and of the kernel's that are not
        given back when needed.

        At its limit the group may go round in circles, in which nothing is ended: so it is looked
        at as well.
        """
        found = _numbers(self.folder / "memory.stat")
        kernel = found.get("kernel", sum(found.get(name, 0) for name in _KERNEL))
        pages = found["anon"] + found["shmem"] + found.get("sock", 0)
        return pages + kernel - found.get("slab_reclaimable", 0)

    def look(self) -> How | None:
        """The limit that the kernel has held it to."""
        if _numbers(self.folder / "pids.events").get("max", 0):
            return "processes"
        return self.look_at_memory()

    def look_at_memory(self) -> How | None:
        """``memory`` when the kernel has ended it for that."""
        return "memory" if _numbers(self.folder / "memory.events").get("oom_kill", 0) else None


@contextmanager
def fresh_group(
    name: str,
    limits: Limits,
    *,
    files: int,
    mount: Path = _MOUNT,
    membership: Path = _MEMBERSHIP,
) -> Iterator[ControlGroup | None]:
    """A group of that name with these limits; None where no group is ours to divide.

    ``files`` is what it may have of memory beside its limit, for a workplace that is memory. Raises
    ``NoIsolation`` where the group is ours and cannot be divided.
    """
    top = delegated(mount, membership)
    if top is None:
        yield None
        return
    group = ControlGroup(top / f"{_PREFIX}{name}")
    try:
        _divide(top)
        _remove_left_over(top)
        group.folder.mkdir()
        _write(group.folder / "memory.max", limits.memory + files)
        _write(group.folder / "memory.oom.group", 1)
        with suppress(FileNotFoundError):  # a kernel without swap
            _write(group.folder / "memory.swap.max", 0)
        _write(group.folder / "pids.max", limits.processes)
    except OSError as error:
        raise NoIsolation(
            f"The control group {top} cannot be divided: {error.strerror}.",
            "Install the unit of this version, and start the service anew: docs/requests-setup.md.",
        ) from error
    try:
        yield group
    finally:
        _end(group.folder)


def delegated(mount: Path = _MOUNT, membership: Path = _MEMBERSHIP) -> Path | None:
    """The group that systemd has handed over to this process, None where there is none."""
    with suppress(OSError):
        lines = membership.read_text(encoding="utf-8").splitlines()
        for path in (line.removeprefix("0::/") for line in lines if line.startswith("0::/")):
            # Once it is divided, we are in a part of it.
            for folder in (mount / path, (mount / path).parent):
                if _is_marked(folder) and os.access(folder / "cgroup.subtree_control", os.W_OK):
                    there = (folder / "cgroup.controllers").read_text(encoding="utf-8").split()
                    return folder if set(_NEEDED) <= set(there) else None
    return None


def _is_marked(folder: Path) -> bool:
    for name in DELEGATED:
        with suppress(OSError):
            if os.getxattr(folder, name) == b"1":
                return True
    return False


def _divide(top: Path) -> None:
    """Moves all processes of the group into a part of it; then other parts can be limited."""
    wanted = " ".join(f"+{name}" for name in _NEEDED)
    until = time.monotonic() + _DIVIDE_SECONDS
    while True:
        ours = top / _OURS
        ours.mkdir(exist_ok=True)
        for pid in (top / "cgroup.procs").read_text(encoding="ascii").split():
            with suppress(ProcessLookupError):
                _write(ours / "cgroup.procs", pid)
        try:
            _write(top / "cgroup.subtree_control", wanted)
        except OSError as error:
            # Somebody has started a process meanwhile.
            if error.errno != errno.EBUSY or time.monotonic() > until:
                raise
            time.sleep(_PAUSE)
        else:
            return


def _remove_left_over(top: Path) -> None:
    for folder in top.glob(f"{_PREFIX}*"):
        with suppress(OSError):  # of a sandbox that runs now
            folder.rmdir()


def _end(folder: Path) -> None:
    """Ends what is in the group, and removes it once the kernel has let all of it go."""
    with suppress(OSError):
        _write(folder / "cgroup.kill", 1)
    until = time.monotonic() + _END_SECONDS
    while time.monotonic() < until:
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(_PAUSE)
        else:
            return


def _write(file: Path, value: object) -> None:
    # Never made: a group that lacks the file has no such limit.
    with file.open("r+", encoding="ascii") as opened:
        opened.write(f"{value}\n")


def _numbers(file: Path) -> dict[str, int]:
    lines = file.read_text(encoding="ascii").splitlines()
    return {name: int(number) for name, number in (line.split() for line in lines)}
