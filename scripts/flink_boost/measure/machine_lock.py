"""One lock for everything that measures on a machine, whatever folder it writes to.

Two benchmarks at once measure each other. JMH's own lock is a temporary file, and each fork has a
folder of its own for these; this one is at a path that containers mount: ``docker/compose.yaml``
does.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from flink_boost.base.errors import EnvironmentProblem, MachineBusy

VARIABLE = "FLINK_BOOST_MACHINE_LOCK"
USUAL_PLACE = Path("/var/tmp/flink-boost/measuring.lock")  # noqa: S108 shared by all users

_NOTE_BYTES = 300


def lock_file(environ: Mapping[str, str]) -> Path:
    """Where this machine's lock is."""
    return Path(environ.get(VARIABLE) or USUAL_PLACE)


@contextmanager
def machine_lock(path: Path, purpose: str) -> Iterator[None]:
    """Holds the lock; the kernel frees it when the process ends, however it ends.

    ``purpose`` is what the one who comes second is told. Raises ``MachineBusy``, without waiting,
    when somebody holds the lock, and ``EnvironmentProblem`` when the file cannot be used.
    """
    descriptor = _open(path)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            note = os.pread(descriptor, _NOTE_BYTES, 0).decode(errors="replace").strip()
            raise MachineBusy(
                f"Something else measures on this machine: {note or 'it left no note'};"
                " both would measure each other.",
                "Wait until it has ended, or stop it.",
            ) from None
        _note(descriptor, f"{purpose}, pid {os.getpid()} on {os.uname().nodename}\n")
        try:
            yield
        finally:
            _note(descriptor, "")
    finally:
        os.close(descriptor)


def _open(path: Path) -> int:
    """Opens the file for every user of the machine; a link in its place is refused."""
    try:
        _make_shared_folder(path.parent)
        problem = _what_is_wrong_with(path.parent) or "it is no file that this user may open"
        # Not created where it exists: in a shared folder the kernel refuses that to other users.
        # Not waited for: somebody may have put a pipe there.
        usual = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
        for flags in (os.O_RDWR, os.O_RDONLY, os.O_RDWR | os.O_CREAT):
            try:
                descriptor = os.open(path, flags | usual, 0o666)
            except (FileNotFoundError, PermissionError):
                continue
            found = os.fstat(descriptor)
            # A file with two names may be somebody's own: it is neither changed nor written to.
            if stat.S_ISREG(found.st_mode) and found.st_nlink == 1:
                if found.st_uid == os.geteuid():
                    os.fchmod(descriptor, 0o666)
                return descriptor
            os.close(descriptor)
            break
    except OSError as error:
        problem = str(error.strerror)
    raise EnvironmentProblem(
        f"The lock of this machine, {path}, cannot be used: {problem}.",
        f"As root run `install -d -m 1777 {path.parent}`, or set {VARIABLE} to a path that all who"
        " measure here share.",
    )


def _what_is_wrong_with(folder: Path) -> str:
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode):
        return f"{folder} is no folder"
    return "" if os.access(folder, os.W_OK) else f"{folder} is closed to this user"


def _make_shared_folder(folder: Path) -> None:
    if folder.is_dir():
        return
    folder.mkdir(parents=True, exist_ok=True)
    # As /tmp is: everybody may make the file, nobody may remove another's.
    folder.chmod(0o1777)


def _note(descriptor: int, text: str) -> None:
    # A file of somebody else may be open for reading only; the lock holds all the same.
    if fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDWR:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, text.encode(), 0)
