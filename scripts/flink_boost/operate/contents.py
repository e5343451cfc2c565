"""What of ours is in an installation's ``lib/``, and whether it is in order.

Nothing here changes anything. Our jars are recognised by what is in them, whatever they are called.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from flink_boost.base.errors import (
    BrokenData,
    HalfWritten,
    RenamedDropIn,
    SeveralDropIns,
)
from flink_boost.base.files import PARTIAL_SUFFIX
from flink_boost.flink.dropin import OWN_BUILD, PREFIX, RECORD, DropIn, read_dropin
from flink_boost.flink.home import FlinkHome, holds_own_classes, is_dist, whole
from flink_boost.operate.lib_jars import HalfJar, half_jar, told_first


@dataclass(frozen=True)
class Contents:
    """What of ours is in ``lib/``.

    ``partial`` are files of an installation that was cut off, ``halves`` jars of ours that cannot
    be opened, ``unreadable`` those that have our name and nothing of ours inside. ``shared`` are
    jars of somebody else's that ours was packed into, ``unrecorded`` those that have our classes
    without their record.
    """

    dropins: tuple[DropIn, ...]
    partial: tuple[Path, ...]
    unreadable: tuple[Path, ...]
    shared: tuple[DropIn, ...] = ()
    unrecorded: tuple[Path, ...] = ()
    halves: tuple[HalfJar, ...] = ()

    @property
    def remains(self) -> tuple[Path, ...]:
        """Files of ours that are no whole jars."""
        return (*self.partial, *(half.path for half in self.halves))


def read_contents(lib: Path, known: Iterable[Path]) -> Contents:
    """Finds what is ours in ``lib/``, also below it, because Flink's scripts look there too.

    ``known`` are drop-in jars that we have, to compare damaged ones with. Flink's own jar counts as
    Flink's, even with our classes inside. Raises ``EnvironmentProblem`` for a jar of our name that
    this user may not read.
    """
    dropins: list[DropIn] = []
    partial: list[Path] = []
    unreadable: list[Path] = []
    shared: list[DropIn] = []
    unrecorded: list[Path] = []
    halves: list[HalfJar] = []
    for file in sorted(_files(lib)):
        if file.name.lstrip(".").startswith(PREFIX) and file.name.endswith(PARTIAL_SUFFIX):
            partial.append(file)
        elif file.suffix == ".jar" and not (file.parent == lib and is_dist(file)):
            try:
                dropin = read_dropin(file)
                if dropin is None and holds_own_classes(file):
                    unrecorded.append(file)
            except (zipfile.BadZipFile, BrokenData, OSError):
                half = half_jar(file, known)
                if half is not None:
                    halves.append(half)
                elif file.name.startswith(PREFIX):
                    unreadable.append(file)
                continue
            if dropin is not None:
                (shared if dropin.foreign else dropins).append(dropin)
    return Contents(
        *(tuple(dropins), tuple(partial), tuple(unreadable), tuple(shared), tuple(unrecorded)),
        tuple(halves),
    )


def require_removable(contents: Contents) -> None:
    """Raises ``BrokenData`` when something of ours is in a file that is not ours to delete."""
    if contents.unreadable:
        raise BrokenData(
            f"{contents.unreadable[0]} has the name of a flink-boost jar but cannot be read, and"
            " has nothing of one inside.",
            "Look at it, and delete it by hand if it is not yours.",
        )
    for dropin in contents.shared:
        raise BrokenData(
            f"{dropin.path} has {dropin.proper_name} packed inside, beside {dropin.foreign}, which"
            " is not ours.",
            "Build it without flink-boost, or take it out of lib/.",
        )
    for jar in contents.unrecorded:
        raise BrokenData(
            f"{jar} has flink-boost's classes inside, but not their record, {RECORD}: while"
            " it is there, a process of this Flink does not start, or runs classes that nothing"
            " has compared with it.",
            "Take it out of lib/, or build it without flink-boost.",
        )


def require_orderly(contents: Contents, folder: Path) -> DropIn | None:
    """The one jar of ours in an installation, or None when there is none.

    Raises ``HalfWritten``, ``SeveralDropIns``, ``RenamedDropIn`` and what ``require_removable``
    raises.
    """
    named = quote(str(folder))
    require_removable(contents)
    misplaced = [each for each in contents.dropins if not _in_place(each, folder)]
    weave = " --weave" if _is_own_build(contents) else ""
    clean = f"Run `flink-boost uninstall {named} && flink-boost install {named}{weave}`."
    mend = clean if misplaced else f"Run `flink-boost install {named}{weave}`"
    if contents.remains:
        told = _told_remains(contents)
        raise HalfWritten(
            told, clean if misplaced else f"{mend}, which leaves the one whole jar that fits."
        )
    if len(contents.dropins) > 1:
        names = _names(dropin.path for dropin in contents.dropins)
        raise SeveralDropIns(
            f"{folder / 'lib'} holds {len(contents.dropins)} flink-boost jars: {names};"
            f" {told_first(contents.dropins)} comes first on the class path, and Flink refuses to"
            " start with more than one.",
            clean
            if misplaced
            else f"{mend}, which leaves the one that fits. Or `uninstall`, which removes all.",
        )
    for dropin in contents.dropins:
        if not _in_place(dropin, folder):
            raise RenamedDropIn(
                f"{dropin.path} is {dropin.proper_name} under another name or in another place.",
                f"Rename it back. Or: {clean}",
            )
        return dropin
    return None


def require_replaceable(contents: Contents, folder: Path) -> tuple[DropIn, ...]:
    """The jars of ours that an installation may take the place of: each where we put such a jar.

    An upgrade leaves an old one beside a new one. Raises the errors of ``require_orderly``, but
    ``SeveralDropIns`` and ``HalfWritten`` only when one has another name or place than we give.
    """
    require_removable(contents)
    if not all(_in_place(dropin, folder) for dropin in contents.dropins):
        require_orderly(contents, folder)
    return contents.dropins


def require_nothing_beside(contents: Contents, home: FlinkHome) -> Path:
    """The ``flink-dist`` that has our classes inside.

    Raises ``SeveralDropIns`` when a jar of ours is in ``lib/`` as well, and the errors of
    ``require_orderly``.
    """
    if contents.dropins:
        names = _names(dropin.path for dropin in contents.dropins)
        raise SeveralDropIns(
            f"{home.dist} has flink-boost's classes inside, and {home.lib} holds {names} as well:"
            " Flink refuses to start with more than one.",
            f"Run `flink-boost uninstall {home.quoted}`, which removes the jar in lib/ only.",
        )
    if contents.remains:
        raise HalfWritten(_told_remains(contents), f"Run `flink-boost uninstall {home.quoted}`.")
    require_orderly(contents, home.folder)
    return home.dist


def read_inside(home: FlinkHome) -> DropIn:
    """What our classes inside ``flink-dist`` say about themselves. Raises ``BrokenData``."""
    with whole(home.dist):
        found = read_dropin(home.dist)
    if found is None:
        raise BrokenData(
            f"{home.dist} has flink-boost's classes inside, but not their record.",
            "Put the official jar in its place.",
        )
    return found


def _is_own_build(contents: Contents) -> bool:
    """Whether one of ours was made for somebody's own build: no other jar fits that."""
    made = any(dropin.own_line for dropin in contents.dropins)
    return made or any(OWN_BUILD in file.name for file in contents.remains)


def _in_place(dropin: DropIn, folder: Path) -> bool:
    return dropin.path == folder / "lib" / dropin.proper_name


def _told_remains(contents: Contents) -> str:
    told = [half.told for half in contents.halves]
    if contents.halves:
        runs = (
            told_first(contents.dropins) + " is loaded" if contents.dropins else "stock's code runs"
        )
        told.append(f"A JVM passes over such a file without a word: {runs}.")
    if contents.partial:
        told.append(
            f"A former installation was cut off and left {_names(contents.partial)} in"
            f" {contents.partial[0].parent}."
        )
    return " ".join(told)


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def _names(paths: Iterable[Path]) -> str:
    return " and ".join(path.name for path in paths)
