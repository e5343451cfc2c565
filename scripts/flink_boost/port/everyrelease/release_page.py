"""The table of all releases as a page; pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from itertools import groupby

from flink_boost.flink.lines import Line
from flink_boost.flink.releases import KnownReleases, Release
from flink_boost.port.everyrelease.cells import CellResult, ReleaseCell, What, why_not

_HEAD = """\
# What was run on each release

For people who want to know what was run on their Flink: every official release from 1.9.0 on, [the
jar that fits it](operating.md#which-jar-for-which-flink), and how many tests passed.
{counts}

- **codec**: our tests of strings, views and records, with the release's own classes as stock.
- **cluster**: the real distribution with `install`, kill switch and `uninstall`. Word counts and
  savepoints (RocksDB) go from stock to our jar, to our jar switched off, and to stock again.
- **Flink's tests**: those of strings, views, serializers and records, with our jar in front, that
  pass on stock.
- **outdated**: something of the row ran with an older jar. *open*: nothing has run.

All ran on each JDK that is named. On Java 8 our jar [refuses to start](operating.md#compatibility).
`make test-releases` runs what is open and writes this page out of [releases.jsonl](releases.jsonl).

| Flink | jar | JDK | codec | cluster | Flink's tests | run on |
|---|---|---|---|---|---|---|
"""
_OUTDATED = "outdated"


class _State(StrEnum):
    PASSED = "passed"
    FAILED = "**failed**"
    OPEN = "*open*"


def page(
    known: KnownReleases,
    lines: Mapping[str, Line],
    results: Mapping[ReleaseCell, CellResult],
    classes: Mapping[str, str],
) -> str:
    """The page; ``classes`` are the digits of today's jars, by line.

    Neighbours of one minor version of Flink with one jar, on which the same passed, are one row.
    """

    def alike(release: Release) -> tuple[object, ...]:
        minor = release.version.rpartition(".")[0]
        told = [_told(release, what, lines, results) for what in What]
        return minor, release.classes, release.jdks, told

    rows = [
        _row(list(group), lines, results, classes)
        for _, group in groupby(reversed(list(known.releases.values())), alike)
    ]
    now = [r for r in results.values() if r.classes == classes.get(_line(r.cell, known))]
    failed = sum(not result.passed for result in now)
    counts = f"{len(now)} cells were run with the code of today, {failed} of them failed."
    return _HEAD.format(counts=counts) + "".join(f"{row}\n" for row in rows)


def _line(cell: ReleaseCell, known: KnownReleases) -> str:
    release = known.releases.get(cell.release)
    return "" if release is None else release.classes


def _told(
    release: Release,
    what: What,
    lines: Mapping[str, Line],
    results: Mapping[ReleaseCell, CellResult],
) -> str:
    """What came of it on each JDK, in words; empty where all passed."""
    if reason := why_not(release, what, lines):
        return reason
    states = {
        jdk: _state(results.get(ReleaseCell(release.version, jdk, what))) for jdk in release.jdks
    }
    if set(states.values()) == {_State.PASSED}:
        return ""
    return "; ".join(f"JDK {jdk}: {state}" for jdk, state in states.items())


def _state(result: CellResult | None) -> _State:
    if result is None:
        return _State.OPEN
    return _State.PASSED if result.passed else _State.FAILED


def _row(
    releases: Sequence[Release],
    lines: Mapping[str, Line],
    results: Mapping[ReleaseCell, CellResult],
    classes: Mapping[str, str],
) -> str:
    newest, oldest = releases[0], releases[-1]
    named = newest.version
    if newest is not oldest:
        named = f"{oldest.version} to {newest.version}"
    jar = newest.classes if newest.classes in lines else "not yet"
    jdks = ", ".join(map(str, newest.jdks))
    versions = {release.version for release in releases}
    of_row = [result for cell, result in results.items() if cell.release in versions]
    cells = [
        _told(newest, what, lines, results)
        or _span([result.tests for result in of_row if result.cell.what is what])
        for what in What
    ]
    days = _span([result.day for result in of_row]) or "–"
    if any(result.classes != classes.get(newest.classes) for result in of_row):
        days += f", **{_OUTDATED}**"
    return f"| {named} | {jar} | {jdks} | {' | '.join(cells)} | {days} |"


def _span(values: Sequence[int] | Sequence[str]) -> str:
    """The least and the most of them; one where they are the same."""
    ends = (min(values), max(values)) if values else ()
    return " to ".join(str(end) for end in dict.fromkeys(ends))
