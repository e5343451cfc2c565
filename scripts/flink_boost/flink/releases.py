"""The official Flink releases that were looked at, read from ``releases.toml``.

What identifies a Flink for us is its class files: releases whose patched classes of strings do the
same, as ``classes.lock`` says, have one *combination* of them, named after one of them. A line of
``lines.toml`` is a combination that a jar exists for, under the same name. Where the classes of
another family differ, a line of its own has them, or the jar leaves that family off.
"""

from __future__ import annotations

import hashlib
import tomllib
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from flink_boost.base.errors import UsageProblem
from flink_boost.flink.classes import LOCK, ClassLock, PatchedClass
from flink_boost.flink.lines import LINES_FILE, Line, PinnedFile, read_lock
from flink_boost.flink.versions import version_key

RELEASES_FILE = LINES_FILE.with_name("releases.toml")

# Between what passed on a release and the JDK, in its `tested`.
ON_JDK = ", JDK "


@dataclass(frozen=True)
class Release:
    """An official release; ``jars`` are SHA-256 by file name, ``tested`` what passed, and when.

    ``distribution`` are the files on PyPI of its whole distribution, where tests need it.
    """

    version: str
    classes: str
    jdks: tuple[int, ...]
    jars: Mapping[str, str]
    looked_at: date
    tested: Mapping[str, date]
    distribution: tuple[PinnedFile, ...] = ()

    @property
    def passed(self) -> str:
        """What passed on it, for people: ``codec (JDK 11, 17), cluster (JDK 17)``."""
        jdks: dict[str, list[str]] = {}
        for entry in self.tested:
            what, _, jdk = entry.partition(ON_JDK)
            jdks.setdefault(what, []).extend([jdk] if jdk else [])
        return ", ".join(
            f"{what} (JDK {', '.join(numbers)})" if numbers else what
            for what, numbers in jdks.items()
        )


@dataclass(frozen=True)
class KnownReleases:
    """All releases by version, oldest first, and the class files that they have.

    ``jdks`` are the JDKs that a release and those after it run on, by the first such release.
    """

    releases: Mapping[str, Release]
    jdks: Mapping[str, tuple[int, ...]]
    lock: ClassLock = field(default_factory=lambda: ClassLock({}))

    def has_all(self, version: str, patched: Iterable[PatchedClass]) -> bool:
        """Whether the class file of every class that is patched in a release is known."""
        names = {each.name for each in patched if each.is_in(version)}
        return names <= self.lock.of(version).keys()

    def jdks_of(self, version: str) -> tuple[int, ...]:
        """What a release of that number runs on, of the JDKs that can be had here."""
        return jdks_of(version, self.jdks)


@cache
def load_releases(path: Path = RELEASES_FILE) -> KnownReleases:
    """All that is known of releases, as it was when it was first asked for."""
    return read_releases(path)


def read_releases(path: Path) -> KnownReleases:
    """All that the file says now, for who is about to write it."""
    with path.open("rb") as file:
        return parse_releases(tomllib.load(file), read_lock(path.with_name(LOCK)))


def parse_releases(document: Mapping[str, Any], lock: ClassLock) -> KnownReleases:
    """The content of ``releases.toml``. Raises ``KeyError`` for a row that lacks something."""
    jdks = {first: tuple(numbers) for first, numbers in document["jdks"].items()}
    return KnownReleases(
        {
            version: Release(
                version=version,
                classes=row["classes"],
                jdks=jdks_of(version, jdks),
                jars=dict(row["jars"]),
                looked_at=row["looked-at"],
                tested=dict(row["tested"]),
                distribution=tuple(
                    PinnedFile(project, pin["version"], pin["file"], pin["sha256"])
                    for project, pin in row.get("distribution", {}).items()
                ),
            )
            for version, row in document["releases"].items()
        },
        jdks,
        lock,
    )


def line_of(release: Release, lines: Mapping[str, Line]) -> Line:
    """The line that has the release's classes, under the release's number: its JDKs, its files."""
    line = lines[release.classes]
    if release.version == line.version:
        return replace(line, jdks=release.jdks)
    return replace(
        line,
        version=release.version,
        jdks=release.jdks,
        distribution=release.distribution,
    )


def as_tested(line: Line, version: str, known: KnownReleases) -> Line:
    """The line with the JDKs that it is tested on under a release of that number.

    Those of the line's own tests count for its own release, and for a Flink of which nothing is
    known; a known release has those that something passed on, or else those of the line that Flink
    supports with it.
    """
    release = known.releases.get(version)
    if release is None or release.classes != line.version:
        return line
    passed = {int(e.rpartition(ON_JDK)[2]) for e in release.tested if ON_JDK in e}
    if version == line.version:
        passed |= set(line.jdks)
    return replace(line, jdks=tuple(sorted(passed or {*line.jdks} & {*release.jdks})))


def ranges_of(classes: str, known: KnownReleases) -> list[tuple[str, str]]:
    """First and last of each row of successive releases with these classes, oldest first."""
    found: list[tuple[str, str]] = []
    before = ""
    for release in known.releases.values():
        if release.classes == classes:
            first = found.pop()[0] if before == classes else release.version
            found.append((first, release.version))
        before = release.classes
    return found


def served(version: str, known: KnownReleases, lines: Mapping[str, Line]) -> tuple[Line, Line]:
    """The line whose jar a release gets, and the same as ``line_of`` has it.

    Raises ``UsageProblem`` for a release without a jar.
    """
    release = known.releases.get(version)
    line = lines.get(release.classes) if release else None
    if release is None or line is None or not line.enabled:
        raise UsageProblem(
            f"There is no jar for Flink {version}.", "`flink-boost releases` lists what there is."
        )
    return line, line_of(release, lines)


def jdks_of(version: str, first: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
    """The JDKs of the latest entry that is not later than the release; of none, no JDK."""
    not_later = [each for each in first if version_key(each) <= version_key(version)]
    return first[max(not_later, key=version_key)] if not_later else ()


def class_checksums(archive: zipfile.ZipFile, names: Iterable[str]) -> dict[str, str]:
    """SHA-256 of those of the class files that the jar has, by binary name."""
    present = archive.NameToInfo
    entries = {name: name.replace(".", "/") + ".class" for name in names}
    return {
        name: hashlib.sha256(archive.read(entry)).hexdigest()
        for name, entry in entries.items()
        if entry in present
    }


def patched_names(lines: Iterable[Line]) -> set[str]:
    """The binary names of all classes that a line patches."""
    return {name for line in lines for name in line.classes}


def fitting_line(found: Mapping[str, str], lines: Iterable[Line]) -> Line | None:
    """The line whose classes of strings do what those found do.

    Of several the one that has more of them, then the one with which fewer families are off, then
    the one with more of the very files, then the last.
    """
    fitting = [
        line
        for line in lines
        if line.strings and all(line.accepts(name, found.get(name)) for name in line.strings)
    ]

    def nearness(line: Line) -> tuple[int, int, int]:
        same = sum(found.get(name) == checksum for name, checksum in line.classes.items())
        return len(line.strings), -len(line.without(found)), same

    return max(reversed(fitting), key=nearness, default=None)
