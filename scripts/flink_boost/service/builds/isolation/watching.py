"""What the processes of a sandbox use: looked at from outside, a few times a second.

The kernel holds each process to its own limits; what all of them use together is added up here.
In a control group the kernel does the rest. Without one, memory that belongs to no process (files
in memory, shared segments, buffers of sockets, inodes) shows in the machine's own count: what that
has grown by, but for what others can be seen to have.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from flink_boost.base.errors import NoIsolation
from flink_boost.service.builds.isolation.cgroups import ControlGroup
from flink_boost.service.builds.isolation.sandbox import TEMPORARY, How, Limits

LEAST_AVAILABLE = 256 << 20  # bytes of memory that the machine keeps for everybody else
_LEAST_FREE = 512 << 20  # the same of the disk that ``work`` is on
MOST_DEPTH = 128  # folders in folders; Maven and Flink have about 20
MOST_FILES = 400_000
_MOST_TEMPORARY = 100_000  # files in each file system in memory: an empty one takes 1 KiB
_OTHERS_KERNEL = 128 << 20  # bytes of the kernel's memory that others may take meanwhile
# Lines of /proc/meminfo that are free, or belong to processes or to files.
_KNOWN = (
    "MemFree", "Buffers", "Cached", "SwapCached", "AnonPages", "KReclaimable", "Hugetlb", "Zswap",
    "Balloon",
)  # fmt: skip
# What a sandbox has of file systems in memory besides ``work``.
_IN_MEMORY = (TEMPORARY, Path("/var/tmp"), Path("/dev/shm"))  # noqa: S108 - its own
# A look that takes long, over many files, is taken more rarely: at most this part of the time.
_SHARE = 0.1
_PROC = Path("/proc")
_OCTAL = re.compile(rb"\\([0-7]{3})")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class TooManyFiles(Exception):
    """A folder holds more files, or deeper ones, than anybody needs."""


@dataclass(frozen=True)
class Beside:
    """Memory of the machine that belongs to no process, but for files of others.

    ``shared`` are files in memory and shared memory, ``kernel`` is what is neither free, nor of a
    process, nor of a file, nor given back when it is needed. ``work`` is none of it: it is *disk*.
    """

    shared: int
    kernel: int

    @staticmethod
    def now() -> Beside:
        """What there is now."""
        lines = _meminfo()
        others = sum(_file_systems_in_memory().values())
        known = sum(lines.get(name, 0) for name in _KNOWN) + _kept_free()
        return Beside(lines["Shmem"] - others, lines["MemTotal"] - known)

    def growth(self) -> int:
        """Bytes by which it has grown since."""
        now = Beside.now()
        kernel = now.kernel - self.kernel - _OTHERS_KERNEL
        return max(0, now.shared - self.shared) + max(0, kernel)


class Watch:
    """Looks at one command. ``root`` is the process that all of its processes descend from.

    ``before`` is what the machine had when nothing of it ran; ``group`` is the command's own.
    """

    def __init__(
        self,
        root: int,
        work: Path,
        limits: Limits,
        before: Beside,
        group: ControlGroup | None = None,
    ) -> None:
        self._root = root
        self._work = work
        self._limits = limits
        self._mounted = work.is_mount()
        self._before = before
        self._group = group
        self._next_walk = 0.0

    def look(self) -> How | None:
        """The limit that is broken now, None when all hold."""
        own: dict[int, int] = {}
        threads = 0
        for pid in tree(self._root):
            with suppress(OSError, ValueError):
                _, resident, shared, *_ = (_PROC / str(pid) / "statm").read_text().split()
                own[pid] = (int(resident) - int(shared)) * _PAGE
                threads += len(os.listdir(_PROC / str(pid) / "task"))  # noqa: PTH208 - names only
        # The kernel refuses one more: whoever stands at the limit wanted to pass it.
        if threads >= self._limits.processes:
            return "processes"
        if self._group and (broken := self._group.look()):
            return broken
        if self._holds_too_much(own):
            return "memory"
        if memory("MemAvailable") < LEAST_AVAILABLE or self._has_too_many_files():
            return "memory"
        return self.look_at_disk()

    def look_at_end(self) -> How | None:
        """What ended by running against a wall shows the wall."""
        return (self._group and self._group.look_at_memory()) or self.look_at_disk()

    def _holds_too_much(self, own: Mapping[int, int]) -> bool:
        """Whether it has more memory than it may; what is in ``work`` is ``disk``."""
        if self._group:
            disk = _used(self._work) if self._mounted else 0
            return self._group.held - disk > self._limits.memory
        left = self._limits.memory - self._before.growth()
        # What a process shares with the one that it was forked from is counted once only where it
        # matters: the exact count takes time, and stops the process meanwhile.
        return sum(own.values()) > left and sum(map(_proportional, own, own.values())) > left

    def _has_too_many_files(self) -> bool:
        """Whether empty files fill memory: no size holds them."""
        inside = _PROC / str(self._root) / "root"
        for folder in _IN_MEMORY:
            with suppress(OSError):
                found = os.statvfs(inside / folder.relative_to("/"))
                if found.f_files - found.f_ffree > _MOST_TEMPORARY:
                    return True
        return False

    def look_at_disk(self) -> How | None:
        """``disk`` when that limit is broken now."""
        return "disk" if self._is_full() else None

    def _is_full(self) -> bool:
        found = os.statvfs(self._work)
        if self._mounted:
            return found.f_bavail == 0 or (found.f_files > 0 and found.f_favail == 0)
        if found.f_bavail * found.f_frsize < _LEAST_FREE:
            return True
        now = time.monotonic()
        if now < self._next_walk:
            return False
        try:
            size = size_below(self._work)
        except TooManyFiles:
            return True
        took = time.monotonic() - now
        self._next_walk = now + took / _SHARE
        return size > self._limits.disk


def require_tree() -> None:
    """Raises ``NoIsolation`` where the kernel does not tell which processes descend from one."""
    if not (_PROC / "thread-self" / "children").exists():
        raise NoIsolation(
            "This kernel does not tell the children of a process, and so nobody can watch them.",
            "Use one that is built with CONFIG_PROC_CHILDREN, as Debian's are.",
        )


def tree(root: int) -> Iterator[int]:
    """The processes that descend from that one, itself among them; those that end meanwhile not."""
    waiting = [root]
    while waiting:
        pid = waiting.pop()
        yield pid
        with suppress(OSError):
            for thread in (_PROC / str(pid) / "task").iterdir():
                with suppress(OSError):
                    waiting.extend(map(int, (thread / "children").read_text().split()))


def first_inside(root: int) -> int | None:
    """The process below ``root`` that is the first of a pid namespace; None when there is none.

    Linux says under which number a process is known in each namespace that it is in.
    """
    for pid in tree(root):
        with suppress(OSError):
            for line in (_PROC / str(pid) / "status").read_text().splitlines():
                name, _, numbers = line.partition(":")
                if name == "NSpid" and len(found := numbers.split()) > 1 and found[-1] == "1":
                    return pid
    return None


def size_below(folder: Path) -> int:
    """Bytes on the disk below a folder that somebody may be changing; no link is followed.

    Raises ``TooManyFiles``, also for a folder that is closed to us: nobody gains by hiding.
    """
    try:
        top = os.open(folder, _FOLDER)
    except PermissionError as error:
        raise TooManyFiles from error
    try:
        return _sum(top, 0, [MOST_FILES])
    finally:
        os.close(top)


def _sum(folder: int, depth: int, left: list[int]) -> int:
    if depth > MOST_DEPTH:
        raise TooManyFiles
    size = 0
    below = []
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            left[0] -= 1
            if left[0] < 0:
                raise TooManyFiles
            with suppress(OSError):
                found = entry.stat(follow_symlinks=False)
                size += found.st_blocks * 512
                if stat.S_ISDIR(found.st_mode):
                    below.append(entry.name)
    for name in below:
        try:
            handle = os.open(name, _FOLDER, dir_fd=folder)
        except PermissionError as error:
            raise TooManyFiles from error
        except OSError:
            continue
        try:
            size += _sum(handle, depth + 1, left)
        finally:
            os.close(handle)
    return size


def _proportional(pid: int, own: int) -> int:
    """Bytes of anonymous memory of a process, each page divided by the processes that have it.

    All of its ``own`` where the kernel does not tell us: nobody gains by hiding.
    """
    with suppress(OSError):
        for line in (_PROC / str(pid) / "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss_Anon:"):
                return int(line.split()[1]) * 1024
    return own


def _file_systems_in_memory() -> dict[str, int]:
    """Bytes of each that we see, by its device: that of a sandbox is seen inside only."""
    found: dict[str, int] = {}
    for line in (_PROC / "self" / "mountinfo").read_bytes().splitlines():
        mounted, _, source = line.partition(b" - ")
        _, _, device, _, place, *_ = mounted.split()
        if source.startswith(b"tmpfs "):
            folder = _OCTAL.sub(lambda digits: bytes([int(digits[1], 8)]), place)
            # It may be gone, or another may be mounted above it.
            with suppress(OSError):
                there = os.lstat(folder).st_dev
                if f"{os.major(there)}:{os.minor(there)}" == device.decode():
                    found[device.decode()] = _used(folder)
    return found


def _kept_free() -> int:
    """Bytes of free memory that the processors keep, beside ``MemFree``.

    Since Linux 6.7 that is up to a GiB; what the kernel takes of it changes ``MemFree`` by nothing.
    """
    lines = (_PROC / "zoneinfo").read_text(encoding="ascii").splitlines()
    return sum(int(line.split()[1]) * _PAGE for line in lines if line.strip().startswith("count:"))


def _used(folder: Path | bytes) -> int:
    found = os.statvfs(folder)
    return (found.f_blocks - found.f_bfree) * found.f_frsize


def memory(name: str) -> int:
    """A line of the machine's count, in bytes."""
    return _meminfo()[name]


def _meminfo() -> dict[str, int]:
    lines = (_PROC / "meminfo").read_text(encoding="ascii").splitlines()
    return {
        name: int(rest.split()[0]) * 1024 for name, _, rest in (x.partition(":") for x in lines)
    }
