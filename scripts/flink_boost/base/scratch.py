"""Temporary folders of a run that may be large: deleted at its end, or by the next run after it.

A run that ends by ``kill -9`` cannot tidy up. It held a lock on its folder, which the kernel has
freed, so that the next run can tell a dead run's folder from a living one's. A lock says nothing
beyond the kernel that holds it, so each locked folder says which one that was.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from flink_boost.base.errors import EnvironmentProblem, FlinkBoostError, VerificationFailed
from flink_boost.base.users import User, may

PREFIX = "flink-boost-scratch-"
MARKER = ".flink-boost-owner"

DISK_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})

# What a file system answers that has no locks, or none for folders.
_NO_LOCKS = frozenset({errno.ENOLCK, errno.EOPNOTSUPP, errno.EBADF})

# The names that mkdtemp makes.
_NAME = re.compile(re.escape(PREFIX) + "[a-z0-9_]{8}")
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_LONGEST_MARKER = 1 << 10
_TRIES = 100
_ENTERED = 0o711
_MODES = frozenset({0o700, _ENTERED})

# With less than this left the programs of a run fail, and seldom say why.
_LEAST_FREE = 1 << 20


@contextmanager
def scratch_folder(visitor: User | None = None) -> Iterator[Path]:
    """A folder of this call's own, below ``TMPDIR``; it is deleted at the end.

    A ``visitor`` may enter it, but neither list it nor write there. What dead runs of the same user
    left there, since this machine was started, is deleted first.
    Raises ``EnvironmentProblem`` when there is no space for what is written into the folder, or
    when a file cannot be copied there. ``VerificationFailed`` stays a verdict, and says so too.
    """
    parent = _parent()
    remove_left_over(parent)
    with _no_space_told(parent):
        folder, lock = _new_folder(parent)
    try:
        with _no_space_told(parent):
            if visitor is not None:
                _let_in(visitor, folder)
            yield folder
    finally:
        _delete(folder)
        os.close(lock)


def _parent() -> Path:
    try:
        return Path(tempfile.gettempdir())
    except FileNotFoundError as error:
        # Python has tried to write into each.
        raise EnvironmentProblem(
            f"No folder takes temporary files ({error.strerror}).",
            "Free some space, or set TMPDIR to a folder that may be written to.",
        ) from error


def _let_in(visitor: User, folder: Path) -> None:
    folder.chmod(_ENTERED)
    if not may(visitor, "-x", folder):
        raise EnvironmentProblem(
            f"{visitor.name} may not enter {folder.parent}, where temporary files go.",
            "Set TMPDIR to a folder that every user may enter, as /tmp is.",
        )


def remove_left_over(parent: Path) -> None:
    """Deletes the folders of dead runs of this user on this machine; whatever else is there stays.

    A folder that does not say where its lock was held is nobody's that we know.
    """
    marker = _this_machine()
    with suppress(OSError):
        if marker is None or _is_last_resort(parent):
            return
        for path in sorted(parent.iterdir()):
            if _NAME.fullmatch(path.name):
                _remove_dead(path, marker)


def _remove_dead(path: Path, marker: bytes) -> None:
    with suppress(OSError):
        handle = os.open(path, _FOLDER)
        try:
            found = os.fstat(handle)
            if found.st_uid != os.geteuid() or found.st_mode & 0o777 not in _MODES:
                return
            # Fails for a folder that a living process holds.
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _marker_in(handle) == marker:
                _delete(path)
        finally:
            os.close(handle)


def _new_folder(parent: Path) -> tuple[Path, int]:
    """A new folder and the handle that its lock lives with."""
    for _ in range(_TRIES):
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        # A program that tidies up may have been faster than we are.
        with suppress(BlockingIOError, FileNotFoundError):
            return folder, _claim(folder)
    raise EnvironmentProblem(
        f"No temporary folder can be had in {parent}: another program takes each new one.",
        "Set TMPDIR to another folder.",
    )


def _claim(folder: Path) -> int:
    """Locks and marks a new folder; if that fails, it is gone.

    It is marked once it is locked, so that one without a lock is never taken for a dead run's.
    """
    handle = os.open(folder, _FOLDER)
    try:
        marker = _this_machine()
        if _lock(handle) and marker is not None:
            (folder / MARKER).write_bytes(marker)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(handle)
        raise
    return handle


def _lock(handle: int) -> bool:
    """Whether the file system has locks. Raises ``BlockingIOError`` when this one is held."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
        return False
    return True


def _delete(folder: Path) -> None:
    """The marker goes last: what a deletion that is killed leaves, the next run can delete."""
    with suppress(OSError):
        for path in folder.iterdir():
            if path.name == MARKER:
                continue
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)


def _marker_in(folder: int) -> bytes:
    # O_NONBLOCK: a pipe of that name would let us wait for its writer.
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
    with os.fdopen(os.open(MARKER, flags, dir_fd=folder), "rb") as file:
        return file.read(_LONGEST_MARKER)


def _this_machine() -> bytes | None:
    """Names the running kernel, whose locks are all that we can see; None where it has no name."""
    try:
        return f"{os.uname().nodename}\n{_BOOT_ID.read_text().strip()}\n".encode()
    except OSError:
        return None


def _is_last_resort(parent: Path) -> bool:
    """Whether it is the current folder, which Python takes when there is none for such files."""
    named = [os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP")]
    usual = [*filter(None, named), "/tmp", "/var/tmp", "/usr/tmp"]  # noqa: S108 - as tempfile has
    return parent == Path.cwd() and str(parent) not in map(os.path.abspath, usual)


@contextmanager
def _no_space_told(parent: Path) -> Iterator[None]:
    """A full disk has many faces: copies, a JVM, a cluster fail each in its own words."""
    try:
        yield
    except VerificationFailed as error:
        if not _is_full(parent):
            raise
        told = f"There is no space left in {parent} either: free some, and check again."
        raise VerificationFailed(error.message, f"{told} {error.next_step}".strip()) from error
    except (OSError, FlinkBoostError) as error:
        if getattr(error, "errno", None) in DISK_FULL or _is_full(parent):
            raise _no_space(parent) from error
        if isinstance(error, shutil.Error):
            source, target, why = error.args[0][0]
            raise EnvironmentProblem(
                f"{source} cannot be copied to {target} ({why}).",
                "Correct the permissions of the installation or of TMPDIR.",
            ) from error
        raise


def require_space(parent: Path) -> None:
    """For a program that failed and gave no reason: ``EnvironmentProblem`` if the disk is full."""
    if _is_full(parent):
        raise _no_space(parent)


def _no_space(parent: Path) -> EnvironmentProblem:
    return EnvironmentProblem(
        f"There is no space left in {parent}, where temporary files go.",
        "Free some space there, or set TMPDIR to a folder on another disk.",
    )


def _is_full(folder: Path) -> bool:
    try:
        found = os.statvfs(folder)
    except OSError:
        return False
    # Some blocks are kept for root alone.
    blocks = found.f_bfree if os.geteuid() == 0 else found.f_bavail
    return blocks * found.f_frsize < _LEAST_FREE
