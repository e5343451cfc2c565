"""The folder of one request: fresh, of a limited size, owned by a user that nobody else is.

Root makes it a file system in memory of exactly the size that it may have, so that no command can
fill a disk that others use, not even for a moment, and nothing is left to be tidied up. Where it is
too large for that, or we are no root, it is a folder, and the watch adds up what is in it.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from flink_boost.base.commands import run_captured
from flink_boost.base.errors import EnvironmentProblem, NoIsolation
from flink_boost.base.files import make_folder
from flink_boost.service.builds.isolation.sandbox import Owners
from flink_boost.service.builds.isolation.watching import memory

_PREFIX = "work-"
_NAME = re.compile(rf"{_PREFIX}(\d+)\.[a-z0-9_]{{8}}")
_MOST_INODES = 400_000
_OF_MEMORY = 3  # at most a third of what is available
_RESERVE = 512 << 20  # bytes of the disk that others keep
_SECONDS = 300.0
_FIRST_WITHOUT_ROOT = 0


@contextmanager
def fresh_workplace(
    parent: Path, owners: Owners, *, disk: int, in_memory: bool = True
) -> Iterator[Path]:
    """A new empty folder below ``parent``; it is gone afterwards.

    ``disk`` is its size in bytes. What killed calls have left is removed first. Raises
    ``EnvironmentProblem`` without the space for it, ``NoIsolation`` when all owners are taken.
    """
    make_folder(parent)
    remove_left_over(parent)
    with _own_number(parent, owners) as owner:
        folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{owner}.", dir=parent))
        try:
            if owners.first is not None:
                _give(folder, owner, disk, in_memory=in_memory)
            if not folder.is_mount() and shutil.disk_usage(parent).free < disk + _RESERVE:
                raise EnvironmentProblem(
                    f"The disk of {parent} has less space than a request may use.",
                    f"Free {(disk + _RESERVE) >> 20} MiB there.",
                )
            yield folder
        finally:
            remove(folder)


def remove_left_over(parent: Path) -> None:
    """Removes the folders of calls that were killed: nobody holds the lock of their number."""
    for folder in sorted(parent.glob(f"{_PREFIX}*")):
        if found := _NAME.fullmatch(folder.name):
            with suppress(BlockingIOError), _locked(parent, int(found[1])):
                remove(folder)


def remove(folder: Path) -> None:
    """Removes a folder that strangers have filled; no link in it is followed.

    Raises ``EnvironmentProblem`` when something stays.
    """
    if not folder.is_symlink() and folder.is_mount():
        # Lazily: a process that is still ending may be in it. It is empty to everybody else.
        run_captured(("umount", "--lazy", str(folder)), _SECONDS)
    if not folder.exists():
        return
    with suppress(OSError):
        folder.rmdir()
        return
    # Not shutil.rmtree: it calls itself for every level, and strangers may have made thousands.
    for command in (
        ("chmod", "--recursive", "--quiet", "u+rwX", "--", str(folder)),
        ("rm", "-rf", "--one-file-system", "--", str(folder)),
    ):
        done = run_captured(command, _SECONDS)
    if done.returncode != 0 or folder.exists():
        raise EnvironmentProblem(f"{folder} could not be removed.", "Remove it by hand, as root.")


def give_all(folder: Path, uid: int | None) -> None:
    """Makes everything below a folder a user's own; no link is followed. None: nothing changes."""
    if uid is None:
        return
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            os.chown(Path(place, name), uid, uid, follow_symlinks=False)
    os.chown(folder, uid, uid, follow_symlinks=False)


def _give(folder: Path, owner: int, disk: int, *, in_memory: bool) -> None:
    if in_memory and disk <= memory("MemAvailable") // _OF_MEMORY:
        options = f"size={disk},nr_inodes={_MOST_INODES},mode=0700,uid={owner},gid={owner}"
        command = ("mount", "-t", "tmpfs", "-o", f"nosuid,nodev,{options}", "work", str(folder))
        # Where root may not mount, as in most containers, the watch is what there is.
        if run_captured(command, _SECONDS).returncode == 0:
            return
    os.chown(folder, owner, owner)


@contextmanager
def _own_number(parent: Path, owners: Owners) -> Iterator[int]:
    """A user of the range whom no other call has, until the end."""
    first = _FIRST_WITHOUT_ROOT if owners.first is None else owners.first
    with ExitStack() as held:
        for number in range(first, first + owners.count):
            with suppress(BlockingIOError):
                held.enter_context(_locked(parent, number))
                break
        else:
            raise NoIsolation(
                "All users for requests are taken.", "Wait until a request has ended."
            )
        yield number


@contextmanager
def _locked(parent: Path, number: int) -> Iterator[None]:
    make_folder(parent / "owners")
    handle = os.open(parent / "owners" / str(number), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)
