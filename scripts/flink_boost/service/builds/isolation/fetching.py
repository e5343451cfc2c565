"""Takes files out of a folder that strangers have filled. Nothing in it is trusted, not even names.

Every part of a path is opened without following links, below the handle of the part before; only a
regular file with one name is read, and never more of it than the bound. The processes that wrote it
have ended, so that nothing changes meanwhile.
"""

from __future__ import annotations

import fnmatch
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from flink_boost.base.errors import RefusedResult
from flink_boost.base.files import PARTIAL_SUFFIX, publish

MOST_RESULT = 2 << 20  # bytes of a JSON file of JMH; ours have 5 KB
MOST_JAR = 256 << 20
_BLOCK = 1 << 20
_MOST_NAMES = 10_000  # looked at in one folder
_USUAL = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER = _USUAL | os.O_DIRECTORY
NEXT_STEP = "Nothing of it is used. Look at what the change does before you run it elsewhere."


def read_file(work: Path, name: str, *, most: int) -> bytes:
    """The content of a file below ``work``. Raises ``RefusedResult`` for anything but such a file.

    It has at most ``most`` bytes, a name that stays below ``work``, and no link on the way.
    """
    with _opened(work, name, most) as handle:
        content = bytearray()
        while block := os.read(handle, _BLOCK):
            content += block
            _require_size(name, len(content), most)
        return bytes(content)


def fetch_file(work: Path, name: str, target: Path, *, most: int) -> None:
    """Copies such a file to ``target``, which appears whole; it is ours and nobody else's.

    Raises ``RefusedResult`` as ``read_file`` does, and ``OSError`` when it cannot be written.
    """
    partial = target.with_name(f"{target.name}{PARTIAL_SUFFIX}")
    try:
        with _opened(work, name, most) as handle, partial.open("xb") as file:
            size = 0
            while block := os.read(handle, _BLOCK):
                size += len(block)
                _require_size(name, size, most)
                file.write(block)
        publish(partial, target)
    finally:
        partial.unlink(missing_ok=True)


def find_files(work: Path, pattern: str) -> tuple[str, ...]:
    """Names below ``work`` of the regular files that a pattern names, sorted.

    ``*``, ``?`` and ``[…]`` stand for a part of one name each. Links are neither followed nor
    named. Raises ``RefusedResult`` for a folder with more names than anybody needs.
    """
    parts = _parts(pattern)
    try:
        top = os.open(work, _FOLDER)
        try:
            return tuple(sorted(_matching(top, parts, "")))
        finally:
            os.close(top)
    except PermissionError as error:
        raise RefusedResult("A folder of it is closed.", NEXT_STEP) from error


def _matching(folder: int, parts: tuple[str, ...], before: str) -> Iterator[str]:
    first, *rest = parts
    names = []
    with os.scandir(folder) as entries:
        for count, entry in enumerate(entries):
            if count >= _MOST_NAMES:
                raise RefusedResult(f"{before or 'The folder'} holds too many files.", NEXT_STEP)
            if fnmatch.fnmatchcase(entry.name, first):
                names.append((entry.name, entry.stat(follow_symlinks=False).st_mode))
    for name, mode in names:
        if not rest and stat.S_ISREG(mode):
            yield f"{before}{name}"
        elif rest and stat.S_ISDIR(mode):
            handle = os.open(name, _FOLDER, dir_fd=folder)
            try:
                yield from _matching(handle, tuple(rest), f"{before}{name}/")
            finally:
                os.close(handle)


@contextmanager
def _opened(work: Path, name: str, most: int) -> Iterator[int]:
    *folders, last = _parts(name)
    try:
        handle = os.open(work, _FOLDER)
    except PermissionError as error:
        raise RefusedResult("Its folder is closed.", NEXT_STEP) from error
    try:
        for folder in folders:
            above, handle = handle, _below(handle, folder, _FOLDER, name)
            os.close(above)
        # O_NONBLOCK: a pipe of that name would let us wait for its writer.
        above, handle = handle, _below(handle, last, _USUAL | os.O_NONBLOCK, name)
        os.close(above)
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise RefusedResult(f"{_shown(name)} is no regular file.", NEXT_STEP)
        if found.st_nlink != 1:
            raise RefusedResult(f"{_shown(name)} has more than one name.", NEXT_STEP)
        _require_size(name, found.st_size, most)
        yield handle
    finally:
        os.close(handle)


def _below(folder: int, part: str, flags: int, name: str) -> int:
    try:
        return os.open(part, flags, dir_fd=folder)
    except FileNotFoundError as error:
        raise RefusedResult(f"{_shown(name)} was not written.", NEXT_STEP) from error
    except OSError as error:
        # ELOOP and ENOTDIR for a link, ENXIO for a socket.
        raise RefusedResult(f"{_shown(name)} is no file of its own.", NEXT_STEP) from error


def _parts(name: str) -> tuple[str, ...]:
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts or "\0" in name:
        raise RefusedResult(f"{_shown(name)} leads out of its folder.", NEXT_STEP)
    return parts


def _require_size(name: str, size: int, most: int) -> None:
    if size > most:
        raise RefusedResult(
            f"{_shown(name)} has {size} bytes or more, and may have {most}.", NEXT_STEP
        )


def _shown(name: str) -> str:
    return ascii(name[-80:])[1:-1]
