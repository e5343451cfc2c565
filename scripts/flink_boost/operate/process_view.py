"""Which jars of an installation's ``lib/`` a process has, by the folder itself, not by its path.

A bind mount gives two installations one ``lib/``, a container has another one at the same path, and
a link leads there by another path. The device and inode of the folder tell.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from flink_boost.base.files import PARTIAL_SUFFIX

Identity = tuple[int, int]

CLASS_PATH_OPTIONS = frozenset({"-cp", "-classpath", "--class-path"})
_CLASS_PATH_IS = "--class-path="
_SUFFIXES = (".jar", ".JAR")
DELETED = " (deleted)"
_ASIDE = re.compile(rf"\.(.+)\.\d+{re.escape(PARTIAL_SUFFIX)}")
_MOST_LINKS = 40


@dataclass(frozen=True)
class SeenJars:
    """Jars of ``lib/``, by their names there.

    ``named`` stand on a command line, in that order. ``possible`` are those that a wildcard there
    stands for now, and those that are open without being named. ``lib`` is the path by which the
    process has the folder.
    """

    named: tuple[Path, ...]
    possible: tuple[Path, ...]
    lib: Path | None


def folders_of(lib: Path) -> dict[Identity, Path]:
    """The folder and those below it, where Flink's scripts look for jars, too."""
    return {
        (found.st_dev, found.st_ino): Path(folder)
        for folder, _, _ in os.walk(lib)
        for found in (Path(folder).stat(),)
    }


def jars_of(
    process: Path, words: Sequence[str], opened: Iterable[str], folders: Mapping[Identity, Path]
) -> SeenJars | None:
    """What a process of ``/proc`` has of those folders; None for one that runs elsewhere.

    ``words`` are its command line, ``opened`` the names of its open files. Only a JVM counts by
    these alone: a tool for class paths of its own loads ``lib/`` without naming it.
    """

    @cache
    def place(folder: Path) -> Path | None:
        identity = _identity(folder, process)
        return None if identity is None else folders.get(identity)

    named: list[Path] = []
    possible: list[Path] = []
    by: Path | None = None
    for entry in _entries(words, process):
        for folder in dict.fromkeys((entry.parent, Path(os.path.realpath(entry)).parent)):
            there = place(folder)
            if there is None:
                continue
            by = by or folder
            if entry.name == "*":
                possible += (jar for jar in there.iterdir() if jar.suffix in _SUFFIXES)
            else:
                named.append(there / entry.name)
            break
    on_command_line = by is not None
    for file in map(_former_name, opened):
        there = place(file.parent) if file.suffix in _SUFFIXES else None
        if there is not None:
            by = by or file.parent
            possible.append(there / file.name)
    if by is None or not (on_command_line or _is_jvm(process)):
        return None
    return SeenJars(tuple(named), tuple(jar for jar in possible if jar not in named), by)


def _entries(words: Sequence[str], process: Path) -> Iterator[Path]:
    """What the class path on a command line names; ``*`` stays the name of a wildcard."""
    values = [value for option, value in itertools.pairwise(words) if option in CLASS_PATH_OPTIONS]
    values += [w.removeprefix(_CLASS_PATH_IS) for w in words if w.startswith(_CLASS_PATH_IS)]
    for entry in (Path(e) for value in values for e in value.split(os.pathsep) if e):
        if entry.is_absolute():
            yield entry
        else:
            try:
                yield (process / "cwd").readlink() / entry
            except OSError:
                continue  # it may not be looked at


def _former_name(opened: str) -> Path:
    """The path of an open file; one that is taken out is renamed aside first."""
    path = Path(opened.removesuffix(DELETED))
    aside = _ASIDE.fullmatch(path.name)
    return path.with_name(aside[1]) if aside else path


def _identity(folder: Path, process: Path) -> Identity | None:
    """Device and inode of what the process sees at a path; None when it sees nothing there."""
    root = process / "root"
    try:
        root.stat()
        found = _behind_links(folder, root).stat()
    except (FileNotFoundError, NotADirectoryError):
        if root.exists():
            return None
        found = None
    except OSError:
        found = None
    if found is None:
        # It may not be looked at: the path has to do.
        try:
            found = folder.stat()
        except OSError:
            return None
    return found.st_dev, found.st_ino


def _behind_links(path: Path, root: Path) -> Path:
    """What a path leads to for a process with that root, where its absolute links lead, too."""
    rest = list(path.parts[1:])
    at = root
    links = 0
    while rest:
        part = rest.pop(0)
        step = at / part
        if part == "..":
            at = at if at == root else at.parent
        elif links < _MOST_LINKS and step.is_symlink():
            links += 1
            target = step.readlink()
            at = root if target.is_absolute() else at
            rest = [*(p for p in target.parts if p != "/"), *rest]
        else:
            at = step
    return at


def _is_jvm(process: Path) -> bool:
    try:
        return b"/libjvm.so" in (process / "maps").read_bytes()
    except OSError:
        return False
