"""Puts the drop-in jar into an installation and takes it out again: all of it, or nothing.

A process that starts at any moment finds the old jar, the new one, or none; never half of one and
never two, with which Flink would refuse to start.
"""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from flink_boost.base.errors import (
    EnvironmentProblem,
    FlinkRunning,
    NotInstalled,
    ReadOnlyInstallation,
)
from flink_boost.base.files import PARTIAL_SUFFIX, sha256, write_durably
from flink_boost.base.permissions import is_readable_like
from flink_boost.flink.home import FlinkHome, require_own_library, require_stock_dist
from flink_boost.flink.lines import Line
from flink_boost.operate.classpath import require_place
from flink_boost.operate.contents import (
    Contents,
    read_contents,
    require_orderly,
    require_removable,
    require_replaceable,
)
from flink_boost.operate.families import Family, missed
from flink_boost.operate.flink_processes import FlinkProcess
from flink_boost.operate.guard import Outlook
from flink_boost.operate.own_lines import fits
from flink_boost.operate.releases_to_leave import notes_on_leaving

# Asks for the processes that run from an installation.
Running = Callable[[], Sequence[FlinkProcess]]

_FORBIDDEN = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


class Action(StrEnum):
    """What a call did."""

    INSTALLED = "installed"
    REPLACED = "replaced"
    REMOVED = "removed"
    UNCHANGED = "unchanged"


@dataclass(frozen=True)
class LibraryChange:
    """What a call did to ``lib/``; ``running`` are processes that still have the old classes.

    ``built_for`` is the release that the jar is named after, ``misfits`` are those of the removed
    jars that were for other classes. ``notes`` are sentences about the release whose jar was
    replaced or removed, and about what could not be looked at. ``woven_like`` is the line whose
    patches are in a jar that was made for this installation. ``families`` are what the guard will
    decide for each; none where it was not asked.
    """

    action: Action
    jar: Path | None
    sha256: str | None
    removed: tuple[Path, ...]
    running: tuple[FlinkProcess, ...]
    notes: tuple[str, ...] = ()
    built_for: str = ""
    misfits: tuple[str, ...] = ()
    woven_like: str = ""
    families: tuple[Family, ...] = ()


def install(
    home: FlinkHome,
    line: Line,
    source: Path,
    known: Sequence[Path],
    running: Running,
    *,
    rolling: bool,
    beforehand: Callable[[], Outlook] = Outlook,
) -> LibraryChange:
    """Leaves exactly the jar ``source`` of that line in ``lib/``; does nothing when it is there.

    Other jars of ours, as an upgrade leaves them there, and halves are removed. The jar gets the
    permissions of ``flink-dist``, so that whoever runs Flink can read it. ``known`` are all drop-in
    jars that we have; ``running`` is asked just before the change, and ``rolling`` allows one under
    running processes; ``beforehand`` is called first, and tells what is to be expected or raises.
    Raises the errors of ``require_own_library``, ``require_replaceable`` and ``require_place``,
    ``ReadOnlyInstallation``, and ``FlinkRunning``; then nothing has changed.
    """
    with _alone(home, known) as contents:
        target = home.lib / source.name
        content = source.read_bytes()
        present = require_replaceable(contents, home.folder)
        there = (*(dropin.path for dropin in present), *contents.remains)
        require_place(home, target, line.strings, there)
        others = [file for file in there if file != target]
        # Whom Flink runs as may not be who copied the jar: a JVM skips one that it may not read.
        same = (
            target in there
            and target.read_bytes() == content
            and is_readable_like(target, home.dist)
        )
        change = LibraryChange(
            Action.UNCHANGED, target, sha256(source), (), (), built_for=line.version
        )
        if same and not others:
            return replace(change, running=tuple(running()))
        outlook = Outlook() if same else beforehand()
        with _changing(home, running, rolling) as processes:
            if same:
                _remove_all(others)
            elif not others:
                write_durably(target, content, like=home.dist)
            else:
                _exchange(others, target, content, home.dist)
        return replace(
            change,
            action=Action.REPLACED if there else Action.INSTALLED,
            removed=tuple(others),
            running=processes,
            families=outlook.families,
            notes=(
                *outlook.doubts,
                *(f"Of its families, {family.told}." for family in missed(outlook.families)),
                *notes_on_leaving(dropin.boost_version for dropin in present),
            ),
            misfits=tuple(
                dropin.flink_version
                for dropin in present
                if dropin.path in others and not fits(home, dropin)
            ),
        )


def require_changeable(
    home: FlinkHome, known: Sequence[Path], running: Running, *, rolling: bool
) -> None:
    """Raises what ``install`` would raise because of ``lib/`` or of what runs from there."""
    with _alone(home, known) as contents:
        require_replaceable(contents, home.folder)
        with _changing(home, running, rolling):
            if not os.access(home.lib, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def uninstall(
    home: FlinkHome, known: Sequence[Path], running: Running, *, rolling: bool
) -> LibraryChange:
    """Removes every jar of ours from ``lib/``, and what a half-done installation left.

    Jars under another name count too. Raises ``LinkedLibrary``, ``ReadOnlyInstallation``,
    ``FlinkRunning``, what ``require_removable`` raises, and when there is nothing but classes
    inside ``flink-dist`` ``ReplacedClasses``; then nothing has changed.
    """
    with _alone(home, known) as contents:
        require_removable(contents)
        ours = (*(dropin.path for dropin in contents.dropins), *contents.remains)
        if not ours:
            require_stock_dist(home)
            return LibraryChange(Action.UNCHANGED, None, None, (), tuple(running()))
        with _changing(home, running, rolling) as processes:
            _remove_all(ours)
        notes = notes_on_leaving(dropin.boost_version for dropin in contents.dropins)
        return LibraryChange(Action.REMOVED, None, None, ours, processes, notes)


def require_installed(contents: Contents, home: FlinkHome) -> Path:
    """The path of our jar. Raises ``NotInstalled`` and the errors of ``require_orderly``."""
    dropin = require_orderly(contents, home.folder)
    if dropin is None:
        raise NotInstalled(
            f"{home.lib} holds no flink-boost jar.",
            f"Run `flink-boost install {home.quoted}` first.",
        )
    return dropin.path


def _exchange(old: Sequence[Path], new: Path, content: bytes, dist: Path) -> None:
    """Puts a jar in the place of others: for a moment there is none, never is there one more."""
    partial = _aside(new)
    try:
        write_durably(partial, content, like=dist)
        with _moved_aside(old, is_done=lambda: not partial.exists()):
            partial.rename(new)
    finally:
        with suppress(FileNotFoundError):
            partial.unlink()


def _remove_all(files: Sequence[Path]) -> None:
    """Renames all before it deletes the first, so that a failure can be taken back."""
    with _moved_aside(files, is_done=lambda: False):
        pass


@contextmanager
def _moved_aside(files: Sequence[Path], is_done: Callable[[], bool]) -> Iterator[None]:
    """Renames files, and deletes them at the end; or gives all their names back.

    A signal is heard when a call has ended: what it did may be done, or not be noted yet.
    """
    moved = [(f, f if f.name.endswith(PARTIAL_SUFFIX) else _aside(f)) for f in files]
    try:
        for file, aside in moved:
            file.rename(aside)
        yield
    except BaseException:
        if is_done():
            _delete(aside for _, aside in moved)
        else:
            for file, aside in moved:
                with suppress(FileNotFoundError):
                    aside.rename(file)
        raise
    _delete(aside for _, aside in moved)


def _delete(files: Iterable[Path]) -> None:
    for file in files:
        file.unlink(missing_ok=True)


def _aside(path: Path) -> Path:
    """A name that Flink's scripts do not take for a jar, and that we know again."""
    return path.with_name(f".{_named(path)}.{os.getpid()}{PARTIAL_SUFFIX}")


def _named(path: Path) -> str:
    # A jar that was renamed by somebody is to be known again too.
    return path.name if path.name.startswith("flink-boost-") else f"flink-boost-{path.name}"


@contextmanager
def _alone(home: FlinkHome, known: Sequence[Path]) -> Iterator[Contents]:
    """What is in ``lib/`` now. One flink-boost at a time, without leaving a lock file there."""
    require_own_library(home)
    handle = os.open(home.lib, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise EnvironmentProblem(
                f"Another flink-boost is changing {home.lib}.", "Wait until it has ended."
            ) from None
        yield read_contents(home.lib, known)
    finally:
        os.close(handle)


@contextmanager
def _changing(
    home: FlinkHome, running: Running, rolling: bool
) -> Iterator[tuple[FlinkProcess, ...]]:
    """What runs from there now: nothing may, unless it is rolling.

    A read-only folder becomes a sentence.
    """
    processes = tuple(running())
    if processes and not rolling:
        listed = ", ".join(process.named for process in processes)
        raise FlinkRunning(
            f"Flink runs from {home.folder}: {listed}.",
            "Stop it first; or pass --rolling to change the jar now and restart its processes one"
            " by one: until then each keeps the classes that it has.",
        )
    try:
        yield processes
    except OSError as error:
        if error.errno not in _FORBIDDEN:
            raise
        raise ReadOnlyInstallation(
            f"{home.lib} may not be changed ({error.strerror}).",
            "Run the command as the user who owns the installation, or make the folder writable.",
        ) from error
