"""Puts the profiler where a process sees it, and takes what it has recorded.

Both are in a folder for temporary files of the process, not of ours. All is made anew there, by the
process's user and for it alone, and removed at the end.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from flink_boost.base.errors import NotProfiled
from flink_boost.flink.profiler import LIBRARY_NAME, Profiler
from flink_boost.operate.attach import JvmProcess
from flink_boost.operate.view import FOLDER, acting_as, open_folder, opened_root

_RECORDING = "recording.jfr"
# Root would fill its own disk with whatever the process's user has put there.
_MOST = 2 << 30
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK: a pipe would let us wait for its writer.
_PRESENT = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True)
class ProfilerFiles:
    """``library`` and ``recording`` are paths as the process sees them."""

    target: JvmProcess
    library: str
    recording: str
    folder: int

    def fetch(self, copy: Path) -> None:
        """Copies the recording. Raises ``NotProfiled`` when there is none that can be trusted."""
        pid = self.target.pid
        try:
            with acting_as(self.target.uid, self.target.gid):
                handle = os.open(_RECORDING, _PRESENT, dir_fd=self.folder)
        except FileNotFoundError:
            raise NotProfiled(
                f"Process {pid} has left no recording.", "Is there space where it writes it?"
            ) from None
        except OSError as error:
            raise NotProfiled(
                f"{self.recording} was replaced ({error.strerror}).", f"Do not trust process {pid}."
            ) from error
        with os.fdopen(handle, "rb") as source, copy.open("wb") as target:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode):
                raise NotProfiled(f"{self.recording} is no file.", f"Do not trust process {pid}.")
            if found.st_size > _MOST:
                raise NotProfiled(
                    f"The recording of process {pid} is larger than {_MOST >> 30} GiB.",
                    "Profile for a shorter time.",
                )
            # No more than that: it may grow meanwhile, without an end.
            left = found.st_size
            while part := source.read(min(left, 1 << 20)):
                target.write(part)
                left -= len(part)


@contextmanager
def put_profiler(target: JvmProcess, profiler: Profiler) -> Iterator[ProfilerFiles]:
    """The profiler in the first folder that will do: ``TMPDIR``, ``/tmp``, ``/var/tmp``.

    Raises ``NotProfiled`` when there is none, with what is wrong with each.
    """
    with opened_root(target.root, target.uid, target.gid) as root, ExitStack() as stack:
        yield _put(stack, root, target, profiler)


def _put(stack: ExitStack, root: int, target: JvmProcess, profiler: Profiler) -> ProfilerFiles:
    own = os.environ.get("TMPDIR", "")
    refused = []
    for path in dict.fromkeys([*([own] if own.startswith("/") else []), "/tmp", "/var/tmp"]):  # noqa: S108
        try:
            return stack.enter_context(_put_into(path, root, target, profiler))
        except OSError as error:
            refused.append(f"{path}: {error.strerror}")
    raise NotProfiled(
        f"The profiler cannot be put where process {target.pid} sees it ({', '.join(refused)}).",
        "Name a folder that it sees, where its user may write and load libraries from:"
        f" TMPDIR=/srv/tmp flink-boost flame {target.pid}",
    )


@contextmanager
def _put_into(
    path: str, root: int, target: JvmProcess, profiler: Profiler
) -> Iterator[ProfilerFiles]:
    content = profiler.library.read_bytes()
    made = f"flink-boost-flame-{secrets.token_hex(8)}"
    # The same in each call, as a JVM does not load a library of the same name twice.
    library = f"{profiler.library.parent.name}-{target.inner_pid}.so"
    with ExitStack() as stack:
        with acting_as(target.uid, target.gid):
            parent = open_folder(root, path)
            stack.callback(os.close, parent)
            if os.statvfs(parent).f_flag & os.ST_NOEXEC:
                raise PermissionError(errno.EPERM, "it is mounted noexec")
            os.mkdir(made, 0o700, dir_fd=parent)
            stack.callback(_remove, target, (os.rmdir, made, parent))
            folder = os.open(made, FOLDER, dir_fd=parent)
            stack.callback(os.close, folder)
            files = ((library, parent), (_RECORDING, folder), (LIBRARY_NAME, folder))
            stack.callback(_remove, target, *((os.unlink, *file) for file in files))
            try:
                _write(content, library, parent)
            except FileExistsError:
                library = f"{made}/{LIBRARY_NAME}"
                _write(content, LIBRARY_NAME, folder)
        yield ProfilerFiles(target, f"{path}/{library}", f"{path}/{made}/{_RECORDING}", folder)


def _write(content: bytes, name: str, folder: int) -> None:
    """Makes a new file; one of a call that was killed is removed, if its user may do that."""
    with suppress(OSError):
        os.unlink(name, dir_fd=folder)
    with os.fdopen(os.open(name, _NEW, 0o700, dir_fd=folder), "wb") as file:
        file.write(content)


def _remove(target: JvmProcess, *what: tuple[Callable[..., None], str, int]) -> None:
    """Nothing but what has been made here, by its name in an open folder."""
    with acting_as(target.uid, target.gid):
        for how, name, folder in what:
            with suppress(OSError):
                how(name, dir_fd=folder)
