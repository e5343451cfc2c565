"""Finds the JVMs that run from an installation, and which of its jars they have.

A JVM keeps the jars that it has opened. One that was replaced since under the same name is still on
its class path by that name, but the file that it has open is another: ``/proc`` tells. One that was
written over in place is still that file, but its last change is younger than the process. One that
it may not read it skips without a word.
"""

from __future__ import annotations

import itertools
import math
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from flink_boost.flink.dropin import PREFIX
from flink_boost.flink.home import FlinkHome, is_dist

_PROC = Path("/proc")
_DELETED = " (deleted)"
_CLOCKS_DIFFER = 2.0
_CLASS_PATH = frozenset({"-cp", "-classpath", "--class-path"})


@dataclass(frozen=True)
class FlinkProcess:
    """A JVM that was started from an installation; ``dropins`` are our jars in its class path.

    ``outdated`` are those jars of the class path, ours and Flink's own, of which it has another
    file open than the one that is there now, or which were changed since it started; ``skipped``
    those of ours that it has not opened although it looked for classes behind them; ``unknown``
    those of which neither can be seen.
    """

    pid: int
    main_class: str
    dropins: tuple[Path, ...]
    outdated: tuple[Path, ...] = ()
    skipped: tuple[Path, ...] = ()
    unknown: tuple[Path, ...] = ()


class _State(Enum):
    CURRENT = "current"
    OUTDATED = "outdated"
    UNOPENED = "unopened"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class _OpenFile:
    """A file that a process has open: its name as the kernel knows it, device and inode.

    One of a network that was deleted on its server has no identity any more.
    """

    name: str
    identity: tuple[int, int] | None


def find_running(home: FlinkHome, proc: Path = _PROC) -> list[FlinkProcess]:
    """JVMs of this machine whose class path holds jars of the installation's ``lib/``."""
    found = []
    folders = (folder for folder in proc.glob("[0-9]*") if folder.name.isdecimal())
    for folder in sorted(folders, key=lambda folder: int(folder.name)):
        try:
            words = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue  # it has ended, or is another user's
        for option, value in itertools.pairwise(words):
            jars = _jars_of(home.lib, value, folder) if option in _CLASS_PATH else []
            if jars:
                found.append(_running(folder, _main_class(words, value), jars))
                break
    return found


def _jars_of(lib: Path, class_path: str, process: Path) -> list[Path]:
    """The jars of a class path that are in ``lib/`` or below it, by their names there."""
    real = Path(os.path.realpath(lib))
    found = []
    for entry in map(Path, class_path.split(os.pathsep)):
        if not entry.is_absolute():
            continue  # Flink's scripts make none
        folder = Path(os.path.realpath(entry.parent))
        if folder.is_relative_to(real) and not _elsewhere(folder, process):
            found.append(lib / folder.relative_to(real) / entry.name)
    return found


def _elsewhere(folder: Path, process: Path) -> bool:
    """Whether the process sees another folder at that path, as one in a container does."""
    root = process / "root"
    try:
        root.stat()
        ours = folder.stat()
    except OSError:
        return False  # it may not be looked at: the path has to do
    try:
        theirs = (root / folder.relative_to("/")).stat()
    except OSError as error:
        return isinstance(error, (FileNotFoundError, NotADirectoryError))
    return (theirs.st_dev, theirs.st_ino) != (ours.st_dev, ours.st_ino)


def sees_all(proc: Path = _PROC) -> bool:
    """Whether the processes of every user can be seen.

    The first process is always somebody's; where ``/proc`` hides those of others, it hides it.
    """
    try:
        (proc / "1" / "cmdline").read_bytes()
    except OSError:
        return False
    return True


def _running(folder: Path, main_class: str, jars: list[Path]) -> FlinkProcess:
    ours = tuple(jar for jar in jars if jar.name.startswith(PREFIX))
    watched = (*ours, *(jar for jar in jars if is_dist(jar)))
    try:
        opened = list(_open_files(folder / "fd"))
    except OSError:
        return FlinkProcess(int(folder.name), main_class, ours, unknown=watched)
    started = _started(folder)
    states = {jar: _state(jar, opened, started) for jar in watched}
    # A JVM opens its jars in their order, each when it first looks for a class there.
    seen = {_State.CURRENT, _State.OUTDATED}
    last = max((place for place, jar in enumerate(jars) if states.get(jar) in seen), default=-1)
    skipped = tuple(
        jar for jar in ours if states[jar] is _State.UNOPENED and jars.index(jar) < last
    )
    unclear = {_State.UNOPENED, _State.UNKNOWN}
    return FlinkProcess(
        int(folder.name),
        main_class,
        ours,
        outdated=tuple(jar for jar, state in states.items() if state is _State.OUTDATED),
        skipped=skipped,
        unknown=tuple(j for j, state in states.items() if state in unclear and j not in skipped),
    )


def _state(jar: Path, opened: Sequence[_OpenFile], started: float) -> _State:
    try:
        found = jar.stat()
        if (found.st_dev, found.st_ino) in {file.identity for file in opened}:
            # The time of writing can be set back, as `cp -p` does it; that of the change cannot.
            # But a new hard link is a change too, and whole Flinks are copied by hard links.
            is_ours = jar.name.startswith(PREFIX)
            changed = max(found.st_mtime, found.st_ctime) if is_ours else found.st_mtime
            return _State.OUTDATED if changed > started else _State.CURRENT
    except (FileNotFoundError, NotADirectoryError):
        pass  # taken out since it started; it may have it open all the same
    except OSError:
        return _State.UNKNOWN
    return _State.OUTDATED if any(_was(jar, file) for file in opened) else _State.UNOPENED


def _open_files(folder: Path) -> Iterator[_OpenFile]:
    """The open files of a process. Raises ``OSError`` when they may not be looked at."""
    for link in sorted(folder.iterdir()):
        try:
            name = str(link.readlink())
        except FileNotFoundError:
            continue  # closed in the meantime
        try:
            found = link.stat()
        except OSError:
            yield _OpenFile(name, None)
        else:
            yield _OpenFile(name, (found.st_dev, found.st_ino))


def _started(folder: Path) -> float:
    """When a process started, by the clock of files; the end of time when that is not told."""
    try:
        since_boot = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()[19]
        booted = re.search(r"^btime (\d+)$", (folder.parent / "stat").read_text(), re.MULTILINE)
    except (OSError, IndexError):
        return math.inf
    if booted is None:
        return math.inf
    # The kernel tells the time of its start in whole seconds.
    return int(booted[1]) + int(since_boot) / os.sysconf("SC_CLK_TCK") + _CLOCKS_DIFFER


def _was(jar: Path, file: _OpenFile) -> bool:
    """Whether an open file once had the jar's name; one taken out was first renamed aside."""
    name = Path(file.name.removesuffix(_DELETED)).name
    return name.lstrip(".").startswith(jar.name)


def _main_class(words: list[str], class_path: str) -> str:
    after = words[words.index(class_path) + 1 :]
    name = next((word for word in after if word and not word.startswith("-")), "java")
    return name.rpartition("/" if "/" in name else ".")[2]
