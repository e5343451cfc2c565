"""Enters releases that were looked at in ``releases.toml``, and tests one with a line's classes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from flink_boost.base.files import exclusive_lock, write_durably
from flink_boost.flink.classes import LOCK, PatchedClass
from flink_boost.flink.lines import LINES_FILE, Line, load_patched
from flink_boost.flink.package_index import IndexFile
from flink_boost.flink.releases import RELEASES_FILE, KnownReleases, read_releases
from flink_boost.port.newline.distributions import LIBRARIES, PROJECT, with_distributions
from flink_boost.port.newline.look import (
    Elsewhere,
    Look,
    Source,
    look_at,
    merge,
    nowhere,
    render,
)
from flink_boost.port.newline.suite import Step

_PROGRAM = (sys.executable, "-m", "flink_boost.port.everyrelease")


@dataclass(frozen=True)
class Looked:
    """What Maven Central has of some releases, and what PyPI lists of all, by project.

    ``equal`` are new checksums of class files that do what one with a known checksum does.
    """

    looks: tuple[Look, ...]
    listed: Mapping[str, Sequence[IndexFile]]
    equal: Mapping[str, str] = field(default_factory=dict)


def look_for(
    versions: Sequence[str],
    patched: Mapping[str, PatchedClass],
    source: Source,
    tell: Callable[[str], None],
    elsewhere: Elsewhere = nowhere,
) -> Looked:
    """Asks for these releases, which takes minutes. Raises what the source raises."""
    looks = tuple(look_at(source, versions, patched.values(), tell, elsewhere))
    tell("Asked PyPI for their distributions")
    return Looked(looks, {project: list(source.files(project)) for project in (PROJECT, LIBRARIES)})


def with_looked(
    known: KnownReleases,
    looked: Looked,
    lines: Mapping[str, Line],
    patched: Mapping[str, PatchedClass],
    today: date,
) -> KnownReleases:
    """What is known, with these releases in it: which line's jar fits, and their distributions.

    Raises ``BrokenData`` when a jar is not the one seen before.
    """
    pinned = {version for version, line in lines.items() if line.distribution}
    return with_distributions(
        merge(known, looked.looks, lines, patched, today, looked.equal), looked.listed, pinned
    )


def releases_lock(tree: Path) -> AbstractContextManager[None]:
    """Held while tests of releases run in the tree, or ``releases.toml`` is written.

    Raises ``EnvironmentProblem`` when another process holds it.
    """
    return exclusive_lock(tree / "build" / "releases" / ".lock", "make test-releases")


def enter(tree: Path, looked: Looked, lines: Mapping[str, Line], today: date) -> KnownReleases:
    """Writes them into the tree's files of releases, with what others have entered meanwhile.

    Raises ``EnvironmentProblem`` while tests of releases run, whose jars are made from it, and as
    ``with_looked``.
    """
    file = tree / RELEASES_FILE.name
    with releases_lock(tree):
        patched = load_patched(tree / LINES_FILE.name)
        known = with_looked(read_releases(file), looked, lines, patched, today)
        write(file, known)
    return known


def write(file: Path, known: KnownReleases) -> None:
    """Writes ``releases.toml`` and ``classes.lock`` beside it.

    Each appears whole or not at all; one that says the same is left alone.
    """
    # The lock first: a release that has a row has its class files there.
    for path, text in ((file.with_name(LOCK), known.lock.render()), (file, render(known))):
        if not path.exists() or path.read_bytes() != text.encode():
            write_durably(path, text.encode())


def row(known: KnownReleases, version: str) -> str:
    """What ``releases.toml`` says of a release, for people."""
    text = render(known)
    begin = text.index(f'[releases."{version}"]')
    # Its own tables follow; the next release begins behind an empty line.
    return text[begin:].partition("\n\n")[0].rstrip() + "\n"


def steps_of_release(version: str) -> list[Step]:
    """What ``make test-releases`` does for one release that has its row, and enters what passed."""
    return [
        Step("jars of all lines", ("make", "jars"), "jars.log"),
        Step(f"tests on Flink {version}", (*_PROGRAM, "--only", version), "test-releases.log"),
        Step("what passed", (*_PROGRAM, "--only", version, "--record"), "record.log"),
    ]
