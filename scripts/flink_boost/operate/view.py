"""Files as another process sees them, touched with no more rights than its user has.

It may have another root than we, or a ``/tmp`` of its own on the same one. What is below that root
is in its hands: it can put a link anywhere, at any time, and an absolute one would lead into *our*
root. So a path is walked from one open folder to the next, and what a link says is looked up from
the process's root again, never by the kernel from ours.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import TypeVar

from flink_boost.base.errors import NotProfiled

Found = TypeVar("Found")

FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_MOST_LINKS = 40


@contextmanager
def acting_as(uid: int, gid: int) -> Iterator[None]:
    """As root: for a moment that user, as a JVM listens to no other, and may be a trap for root.

    Raises ``NotProfiled`` where this root may not become that user.
    """
    before = os.geteuid(), os.getegid()
    if before == (uid, gid) or before[0] != 0:
        yield
        return
    groups = os.getgroups()
    try:
        os.setgroups([])
        os.setegid(gid)
        os.seteuid(uid)
    except OSError as error:
        _become(*before, groups)
        raise NotProfiled(
            f"This root may not act as the user {uid} ({error.strerror}).",
            "Run this as the user whom the process runs as.",
        ) from error
    try:
        yield
    finally:
        _become(*before, groups)


def _become(uid: int, gid: int, groups: list[int]) -> None:
    os.seteuid(uid)
    os.setegid(gid)
    if os.getgroups() != groups:
        os.setgroups(groups)


def looked_at(uid: int, gid: int, look: Callable[[], Found]) -> Found:
    """What a process of that user lets us see; the root of a container may see less than the user.

    Raises ``OSError``, and ``NotProfiled`` as ``acting_as``.
    """
    try:
        return look()
    except PermissionError:
        with acting_as(uid, gid):
            return look()


@contextmanager
def opened_root(root: Path, uid: int, gid: int) -> Iterator[int]:
    """The root of a process, ``/proc/PID/root``: a link of the kernel's, which nobody can change.

    Raises ``NotProfiled`` when it may not be looked at.
    """
    try:
        flags = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
        handle = looked_at(uid, gid, lambda: os.open(root, flags))
    except OSError as error:
        raise NotProfiled(
            f"The files of the process cannot be looked at ({root}: {error.strerror}).",
            "If it has not ended, run this as its user in its container, or as root on its host.",
        ) from error
    try:
        yield handle
    finally:
        os.close(handle)


def open_folder(root: int, path: str) -> int:
    """A folder by its absolute path below an opened root, as whoever has that root finds it.

    Raises ``OSError``.
    """
    way = [os.dup(root)]
    rest = _names(path)
    links = 0
    try:
        while rest:
            name = rest.pop(0)
            if name == "..":
                if len(way) > 1:
                    os.close(way.pop())
                continue
            link = _link(name, way[-1])
            if link is None:
                way.append(os.open(name, FOLDER, dir_fd=way[-1]))
                continue
            links += 1
            if links > _MOST_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
            while link.startswith("/") and len(way) > 1:
                os.close(way.pop())
            rest = [*_names(link), *rest]
        return os.dup(way[-1])
    finally:
        for handle in way:
            os.close(handle)


def _names(path: str) -> list[str]:
    return [name for name in PurePosixPath(path).parts if not name.startswith("/")]


def _link(name: str, folder: int) -> str | None:
    try:
        return os.readlink(name, dir_fd=folder)
    except OSError as error:
        if error.errno == errno.EINVAL:
            return None
        raise
