"""Starts programs as another user, and takes what they leave without trusting it.

For root, who asks a program that another user may change: it must not run as root, and whatever
is in a folder of that user's may be a link by the time that root opens it.
"""

from __future__ import annotations

import errno
import os
import pwd
import shutil
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flink_boost.base.errors import EnvironmentProblem
from flink_boost.base.permissions import changers_of

_SECONDS = 60.0
# What the kernel answers where a process may not become that user, or does not know the number.
_REFUSED = frozenset({errno.EPERM, errno.EINVAL})


@dataclass(frozen=True)
class User:
    """An account with its groups; ``name`` is as ``sudo -u`` takes it: ``flink``, ``#9999``."""

    uid: int
    gid: int
    groups: tuple[int, ...]
    name: str
    home: str


def user_of(uid: int, gid: int) -> User:
    """The account with that number; where it has no name, ``gid`` is its group, unless root's."""
    try:
        known = pwd.getpwuid(uid)
    except KeyError:
        return User(uid, gid or uid, (), f"#{uid}", "/")
    groups = tuple(os.getgrouplist(known.pw_name, known.pw_gid))
    return User(uid, known.pw_gid, groups, known.pw_name, known.pw_dir)


def start_options(user: User | None) -> dict[str, Any]:
    """What ``subprocess`` has to be told to start something as that user; nothing for None.

    In a session of its own: on the caller's terminal it could type for the caller.
    """
    if user is None:
        return {}
    return {
        "user": user.uid,
        "group": user.gid,
        "extra_groups": list(user.groups),
        "cwd": "/",
        "start_new_session": True,
    }


def may(user: User, what: str, path: Path) -> bool:
    """Whether a user may read (``-r``) or enter (``-x``) something, asked as that user.

    Raises ``PermissionError`` when this process cannot become that user.
    """
    try:
        asked = subprocess.run(
            ["test", what, str(path)],
            env={"PATH": os.defpath},
            stdin=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
            **start_options(user),
        )
    except OSError as error:
        if error.errno in _REFUSED:
            raise PermissionError(errno.EPERM, os.strerror(errno.EPERM)) from error
        raise
    return asked.returncode == 0


def lent(file: Path, folder: Path, user: User | None) -> Path:
    """A file of ours where a program of that user can read it: itself, or a copy in ``folder``."""
    if user is None or may(user, "-r", file):
        return file
    copy = folder / file.name
    shutil.copyfile(file, copy)
    copy.chmod(0o644)
    return copy


def lent_of_others(file: Path, folder: Path, user: User | None) -> Path:
    """The same for a file that is not ours.

    Raises ``EnvironmentProblem`` for an unreadable one that others than root can change: it may be
    a link by now, and root would copy for that user what it leads to.
    """
    if user is None or may(user, "-r", file):
        return file
    if changers_of([file]):
        raise EnvironmentProblem(
            f"{user.name} may not read {file}, and root does not copy what other users can change.",
            "Let that user read it, or put it where root alone can write.",
        )
    return lent(file, folder, user)


def open_to(folder: Path, user: User | None) -> None:
    """Lets a user list a folder of root's, whatever root's mask was when it was made."""
    if user is not None:
        folder.chmod(0o755)


def hand_over(folder: Path, user: User | None) -> None:
    """Gives a folder with all that is in it to a user; from then on root writes nothing there."""
    if user is None:
        return
    # The folder itself last: until then nobody else has been in it.
    for parent, folders, files in os.walk(folder, topdown=False):
        for name in (*folders, *files):
            os.lchown(Path(parent, name), user.uid, user.gid)
    folder.chmod(0o700)
    os.lchown(folder, user.uid, user.gid)


def copy_into(sources: list[Path], folder: Path, user: User | None) -> None:
    """Copies files and folders into a folder that was handed over, with that user's own rights.

    Root would copy for the user what a link leads to. Raises ``shutil.Error`` for what may not be
    read.
    """
    if user is None:
        for source in sources:
            try:
                if source.is_dir():
                    shutil.copytree(source, folder / source.name)
                else:
                    shutil.copy2(source, folder)
            except shutil.Error:
                raise
            except OSError as error:
                raise _not_copied(source, folder, error.strerror or str(error)) from error
    elif sources:
        copied = subprocess.run(
            ["cp", "-R", "-L", "--", *map(str, sources), str(folder)],
            env={"PATH": os.defpath},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
            **start_options(user),
        )
        if copied.returncode != 0:
            words = copied.stderr.strip().splitlines() or ["cp failed"]
            raise _not_copied(sources[0].parent, folder, words[0])


def _not_copied(source: Path, target: Path, why: str) -> shutil.Error:
    return shutil.Error([(str(source), str(target), why)])


def read_left(file: Path, user: User | None) -> bytes:
    """What a program of that user has written into a file of its own.

    Raises ``OSError`` for a link, for what is no file, and for a file of somebody else's.
    """
    if user is None:
        return file.read_bytes()
    # O_NONBLOCK: a pipe would let us wait for its writer.
    handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as content:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != user.uid:
            raise PermissionError(errno.EACCES, f"it is no file of {user.name}'s", str(file))
        return content.read()
