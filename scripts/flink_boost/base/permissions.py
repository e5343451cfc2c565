"""Who can change a file: by its own permissions, and by those of what leads to it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

_ACCESS_LIST = "system.posix_acl_access"
_MOST_LINKS = 40


def is_readable_like(path: Path, other: Path) -> bool:
    """Whether all who may read ``other``, by its owner, group and permissions, may read it, too."""
    one, two = path.stat(), other.stat()
    same_owner = (one.st_uid, one.st_gid) == (two.st_uid, two.st_gid)
    by_all = stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH
    return not two.st_mode & ~one.st_mode & by_all and (
        same_owner or bool(one.st_mode & stat.S_IROTH)
    )


def changers_of(paths: Iterable[Path]) -> dict[int | None, Path]:
    """Who beside root can change these files, or put others in their places, and one of them each.

    None stands for a group or for everybody. What is not there can be changed by whoever can write
    to the folder that it would be in.
    """
    found: dict[int | None, Path] = {}
    seen: set[tuple[Path, bool]] = set()
    for path in paths:
        for step, leads_on in _steps(path):
            if (step, leads_on) not in seen:
                seen.add((step, leads_on))
                with suppress(OSError):
                    for uid in _changers(step, leads_on=leads_on):
                        found.setdefault(uid, step)
    return found


def _steps(path: Path) -> Iterator[tuple[Path, bool]]:
    """The folders and links that lead to a path, and itself, each with whether it only leads on."""
    rest = [*path.absolute().parts[1:]]
    at = Path("/")
    links = 0
    yield at, True
    while rest:
        part = rest.pop(0)
        at = at.parent if part == ".." else at / part
        yield at, bool(rest)
        if at.is_symlink() and links < _MOST_LINKS:
            links += 1
            target = at.readlink()
            rest = [*(p for p in target.parts if p != "/"), *rest]
            at = Path("/") if target.is_absolute() else at.parent


def _changers(path: Path, *, leads_on: bool) -> Iterator[int | None]:
    found = path.lstat()
    if found.st_uid != 0:
        yield found.st_uid
    # In a sticky folder nobody can replace what is another's; but who looks what is in it finds
    # what anybody has put there. A link has no permissions of its own.
    if stat.S_ISLNK(found.st_mode) or (leads_on and found.st_mode & stat.S_ISVTX):
        return
    group = found.st_mode & stat.S_IWGRP and (found.st_gid != 0 or _has_access_list(path))
    if group or found.st_mode & stat.S_IWOTH:
        yield None


def _has_access_list(path: Path) -> bool:
    try:
        return _ACCESS_LIST in os.listxattr(path)
    except OSError:
        return False
