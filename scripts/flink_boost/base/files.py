"""Files that survive a crash: they appear whole or not at all, and one process writes at a time."""

from __future__ import annotations

import fcntl
import hashlib
import os
import pwd
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from flink_boost.base.errors import EnvironmentProblem, FlinkBoostError, InUse

_BLOCK = 1 << 20
PARTIAL_SUFFIX = ".partial"
_END_IT = "Wait until it has ended, or stop it."


def write_durably(path: Path, content: str | bytes, like: Path | None = None) -> None:
    """Writes a file so that a reader sees the old content or the new, even after a power cut.

    The folder must exist. Text is written as UTF-8. Permissions and group are those of the file
    ``like``, and when root writes its owner too; without one, what the umask allows. Raises
    ``OSError``; then the old file is untouched and nothing else is left in the folder.
    """
    data = content.encode() if isinstance(content, str) else content
    handle, name = tempfile.mkstemp(
        dir=path.parent, prefix=f".{path.name[:100]}.", suffix=PARTIAL_SUFFIX
    )
    partial = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            if like is None:
                os.fchmod(file.fileno(), 0o666 & ~_umask())
            else:
                _make_like(file.fileno(), like.stat())
        publish(partial, path)
    except BaseException:
        with suppress(FileNotFoundError):
            partial.unlink()
        raise


def publish(partial: Path, path: Path) -> None:
    """Gives a finished file its final name: fsync, atomic rename, fsync of the folder.

    Both names must be on one file system. What was at ``path`` is replaced.
    """
    with partial.open("rb") as file:
        os.fsync(file.fileno())
    partial.replace(path)
    _fsync_folder(path.parent)


def make_folder(path: Path) -> None:
    """Creates a folder and its parents, durably; an existing one is left as it is."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    path.mkdir(parents=True, exist_ok=True)
    for folder in missing:
        _fsync_folder(folder.parent)


@contextmanager
def exclusive_lock(
    path: Path, purpose: str, held: type[FlinkBoostError] = InUse, then: str = _END_IT
) -> Iterator[None]:
    """Holds an exclusive lock file; the kernel frees it when the process ends, however it ends.

    ``purpose`` names the holder in the message to the one who comes second: "flink-boost bench".
    Raises ``InUse``, or ``held``, without waiting, when another process holds the lock, and
    ``EnvironmentProblem`` when this user may not write there. ``then`` is the next step.
    """
    try:
        make_folder(path.parent)
        # Opened without truncating: the file holds the pid of whoever has the lock.
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except PermissionError as error:
        raise EnvironmentProblem(
            f"{error.filename} may not be written by this user: it is another one's.",
            f"Run it as the user whose it is, or as root `chown -R USER: {path.parent}`.",
        ) from error
    with os.fdopen(handle, "r+", encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = file.read().strip() or "unknown"
            raise held(f"Another {purpose} (pid {holder}) is using {path.parent}.", then) from None
        file.seek(0)
        file.truncate()
        file.write(f"{os.getpid()}\n")
        file.flush()
        try:
            yield
        finally:
            file.seek(0)
            file.truncate()


def refuse_root(folder: Path) -> None:
    """Raises ``EnvironmentProblem`` for root where the folder is, or would be, another user's.

    What root writes there would lock that user out, whose service finds it days later.
    """
    there = next(one for one in (folder, *folder.parents) if one.exists())
    owner = there.stat().st_uid
    if os.geteuid() != 0 or owner == 0:
        return
    try:
        name = pwd.getpwuid(owner).pw_name
    except KeyError:
        name = f"#{owner}"
    raise EnvironmentProblem(
        f"{there} belongs to {name}: what root writes there would lock {name} out.",
        f"Start it as that user: `sudo -u '{name}' …`.",
    )


def sha256(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _fsync_folder(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _make_like(handle: int, model: os.stat_result) -> None:
    owner = model.st_uid if os.geteuid() == 0 else -1
    # Not every root may do so, and a group has to be one's own; the permissions then have to do.
    with suppress(OSError):
        os.fchown(handle, owner, model.st_gid)
    os.fchmod(handle, stat.S_IMODE(model.st_mode) & 0o777)


def _umask() -> int:
    # mkstemp's 0600 would hide results from other users. The call that gives the mask also sets it,
    # for all threads at once, so that another one might create a file with the wrong one.
    with suppress(OSError), Path("/proc/thread-self/status").open(encoding="ascii") as status:
        for line in status:
            if line.startswith("Umask:"):
                return int(line.split()[1], 8)
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
