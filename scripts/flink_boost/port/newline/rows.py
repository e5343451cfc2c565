"""Enters releases that were looked at in ``releases.toml``, and tests one with a line's classes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path

from flink_boost.base.files import write_durably
from flink_boost.flink.lines import Line
from flink_boost.flink.releases import KnownReleases
from flink_boost.port.newline.distributions import LIBRARIES, PROJECT, with_distributions
from flink_boost.port.newline.look import Source, look_at, merge, render
from flink_boost.port.newline.suite import Step

_PROGRAM = (sys.executable, "-m", "flink_boost.port.everyrelease")


def looked_at(
    known: KnownReleases,
    versions: Sequence[str],
    lines: Mapping[str, Line],
    source: Source,
    tell: Callable[[str], None],
    today: date,
) -> KnownReleases:
    """What is known, with these releases in it: which line's jar fits, and their distributions.

    Raises what the source raises, and ``BrokenData`` when a jar is not the one seen before.
    """
    merged = merge(known, look_at(source, versions, lines, tell), lines, today)
    tell("Asked PyPI for their distributions")
    pinned = {version for version, line in lines.items() if line.distribution}
    listed = {project: source.files(project) for project in (PROJECT, LIBRARIES)}
    return with_distributions(merged, listed, pinned)


def write(file: Path, known: KnownReleases) -> None:
    """Writes ``releases.toml``, whole or not at all; one that says the same is left alone."""
    text = render(known).encode()
    if not file.exists() or file.read_bytes() != text:
        write_durably(file, text)


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
