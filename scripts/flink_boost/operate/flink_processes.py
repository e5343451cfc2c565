"""Finds the JVMs that run from an installation, and which of its jars they have.

A JVM keeps the jars that it has opened. One that was replaced since under the same name is still on
its class path by that name, but the file that it has open is another: ``/proc`` tells. One that was
written over in place is still that file, but its last change is younger than the process; where
only the time of the change is, its permissions may have changed, or its content. One that it may
not read it skips without a word.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path

from flink_boost.base.files import PARTIAL_SUFFIX
from flink_boost.flink.dropin import PREFIX
from flink_boost.flink.home import FlinkHome, is_dist
from flink_boost.flink.jvm_options import in_effect
from flink_boost.flink.switches import switches_in
from flink_boost.operate.process_view import (
    CLASS_PATH_OPTIONS,
    DELETED,
    SeenJars,
    folders_of,
    jars_of,
)

_PROC = Path("/proc")
_CLOCKS_DIFFER = 2.0
_ROLES = {
    "TaskManagerRunner": "taskmanager",
    "StandaloneSessionClusterEntrypoint": "jobmanager",
    "StandaloneApplicationClusterEntryPoint": "jobmanager",
    "StandaloneJobClusterEntryPoint": "jobmanager",
}


@dataclass(frozen=True)
class FlinkProcess:
    """A JVM that was started from an installation; ``dropins`` are our jars in its class path.

    ``outdated`` are those jars of the class path, ours and Flink's own, of which it has another
    file open than the one that is there now, or which were written since it started; ``touched``
    those of ours of which something was changed since, perhaps the content; ``skipped`` those of
    ours that it has not opened although it looked for classes behind them; ``unknown`` those of
    which neither can be seen; ``behind`` those of ours that stand behind Flink's own jar, as no
    script of Flink's puts them. ``lib`` is the path by which it has ``lib/``, where that is another
    one than the installation's. ``switches`` are the properties of ours that it was started with;
    ``sees_variables``: those in variables of its environment are among them.
    """

    pid: int
    main_class: str
    dropins: tuple[Path, ...]
    outdated: tuple[Path, ...] = ()
    touched: tuple[Path, ...] = ()
    skipped: tuple[Path, ...] = ()
    unknown: tuple[Path, ...] = ()
    behind: tuple[Path, ...] = ()
    lib: Path | None = field(default=None, compare=False)
    switches: Mapping[str, str] = field(default_factory=dict, compare=False)
    sees_variables: bool = field(default=False, compare=False)

    @property
    def role(self) -> str:
        """As the scripts know it; empty for what is started by others than ``bin/flink-daemon``."""
        return _ROLES.get(self.main_class, "")

    @property
    def named(self) -> str:
        """The process as a sentence names it."""
        by = "" if self.lib is None else f", by the path {self.lib}"
        return f"{self.main_class} (pid {self.pid}{by})"


class _State(Enum):
    CURRENT = "current"
    OUTDATED = "outdated"
    TOUCHED = "touched"
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
    """JVMs of this machine that have jars of the installation's ``lib/``, by whatever path."""
    libraries = folders_of(home.lib)
    found = []
    folders = (folder for folder in proc.glob("[0-9]*") if folder.name.isdecimal())
    for folder in sorted(folders, key=lambda folder: int(folder.name)):
        try:
            words = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue  # it has ended, or is another user's
        try:
            opened = list(_open_files(folder / "fd"))
        except OSError:
            opened = None
        jars = jars_of(folder, words, (file.name for file in opened or ()), libraries)
        if jars is not None:
            lib = None if jars.lib in libraries.values() else jars.lib
            process = _running(folder, _main_class(words), jars, opened)
            options, whole = _options(folder, words)
            switches = switches_in(options)
            found.append(replace(process, lib=lib, switches=switches, sees_variables=whole))
    return found


def sees_all(proc: Path = _PROC) -> bool:
    """Whether the processes of every user can be seen.

    The first process is always somebody's; where ``/proc`` hides those of others, it hides it.
    """
    try:
        (proc / "1" / "cmdline").read_bytes()
    except OSError:
        return False
    return True


def _running(
    folder: Path, main_class: str, jars: SeenJars, opened: Sequence[_OpenFile] | None
) -> FlinkProcess:
    if opened is None:
        watched = _watched((*jars.named, *jars.possible))
        ours = tuple(jar for jar in watched if jar.name.startswith(PREFIX))
        return FlinkProcess(int(folder.name), main_class, ours, unknown=watched)
    started = _started(folder)
    seen = {_State.CURRENT, _State.OUTDATED, _State.TOUCHED}
    states = {jar: _state(jar, opened, started) for jar in _watched(jars.named)}
    # A JVM opens its jars in their order, each when it first looks for a class there.
    last = max((at for at, jar in enumerate(jars.named) if states.get(jar) in seen), default=-1)
    skipped = tuple(
        jar
        for at, jar in enumerate(jars.named)
        if jar.name.startswith(PREFIX) and states[jar] is _State.UNOPENED and at < last
    )
    dist = next((at for at, jar in enumerate(jars.named) if is_dist(jar)), len(jars.named))
    # Of a wildcard's jars it has those that it had open, in an order of its own.
    found = {jar: _state(jar, opened, started) for jar in _watched(jars.possible)}
    states |= {jar: state for jar, state in found.items() if state in seen}
    unclear = {_State.UNOPENED, _State.UNKNOWN}
    return FlinkProcess(
        int(folder.name),
        main_class,
        tuple(jar for jar in states if jar.name.startswith(PREFIX)),
        outdated=tuple(jar for jar, state in states.items() if state is _State.OUTDATED),
        touched=tuple(jar for jar, state in states.items() if state is _State.TOUCHED),
        skipped=skipped,
        behind=tuple(jar for jar in jars.named[dist:] if jar.name.startswith(PREFIX)),
        unknown=tuple(j for j, state in states.items() if state in unclear and j not in skipped),
    )


def _watched(jars: Sequence[Path]) -> tuple[Path, ...]:
    ours = [jar for jar in jars if jar.name.startswith(PREFIX)]
    return (*ours, *(jar for jar in jars if is_dist(jar)))


def _state(jar: Path, opened: Sequence[_OpenFile], started: float) -> _State:
    try:
        found = jar.stat()
        if (found.st_dev, found.st_ino) in {file.identity for file in opened}:
            if found.st_mtime > started:
                return _State.OUTDATED
            # The time of writing can be set back, as `cp -p` does it; that of the change cannot.
            # But other permissions are a change too, and so is a new hard link, by which whole
            # Flinks are copied.
            changed = found.st_ctime > started and jar.name.startswith(PREFIX)
            return _State.TOUCHED if changed else _State.CURRENT
    except (FileNotFoundError, NotADirectoryError):
        pass  # taken out since it started; it may have it open all the same
    except OSError:
        return _State.UNKNOWN
    return _State.OUTDATED if any(_was(jar, file) for file in opened) else _State.UNOPENED


def _open_files(folder: Path) -> Iterator[_OpenFile]:
    """The jars that a process has open. Raises ``OSError`` when they may not be looked at."""
    for link in sorted(folder.iterdir()):
        try:
            name = str(link.readlink())
        except FileNotFoundError:
            continue  # closed in the meantime
        if not name.removesuffix(DELETED).endswith((".jar", ".JAR", PARTIAL_SUFFIX)):
            continue
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
    name = Path(file.name.removesuffix(DELETED)).name
    return name.lstrip(".").startswith(jar.name)


def _options(folder: Path, words: Sequence[str]) -> tuple[list[str], bool]:
    """A JVM's options as they come into effect; false where its environment may not be seen."""
    try:
        text = (folder / "environ").read_bytes().decode(errors="replace")
    except OSError:
        return [*words], False
    environment = dict(entry.partition("=")[::2] for entry in text.split("\0"))
    return [word for word, _ in in_effect(words, environment)], True


def _main_class(words: Sequence[str]) -> str:
    at = next((at for at, word in enumerate(words) if word in CLASS_PATH_OPTIONS), -1)
    after = words[at + 2 :] if at >= 0 else words[1:]
    name = next((word for word in after if word and not word.startswith("-")), "java")
    return name.rpartition("/" if "/" in name else ".")[2]
