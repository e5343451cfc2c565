"""The table of all releases as a page; pure."""

from __future__ import annotations

from collections.abc import Mapping

from flink_boost.flink.lines import Line
from flink_boost.flink.releases import KnownReleases, Release
from flink_boost.port.everyrelease.cells import CellResult, ReleaseCell, What, why_not

_HEAD = """\
# What was run on each release

For people who want to know what was run on their Flink: every official release from 1.9.0 on, [the
jar that fits it](operating.md#which-jar-for-which-flink), and what passed there.
`make test-releases` runs what is open and writes this page; the data are in
[releases.jsonl](releases.jsonl). {counts}

- **codec**: our tests of strings, views and records, with the release's own `flink-core` and
  `flink-runtime` as stock.
- **cluster**: the real distribution, with `install`, the kill switch and `uninstall`. Stock, our
  jar, our jar switched off and stock again count the same words and hand on the state of a job by
  savepoints (RocksDB); the jar of another line ends the process and names the one that fits.
- **Flink's tests**: Flink's own published tests of strings, views, serializers and records in
  `flink-core` and `flink-runtime`, with our jar in front. Counted is what passed; a test that fails
  runs again on stock, and only one that fails with our jar alone is a failure.
- Each runs on those of the JDKs 11, 17 and 21 that Flink supports with that release. Below 2.0
  Flink runs on Java 8, too, on which our jar [refuses to start](operating.md#compatibility).
- **{outdated}** stands where the jar has other code since, *open* where nothing has run. The class
  files of a release without a result do the same as those of one with.

| Flink | jar | codec | cluster | Flink's tests |
|---|---|---|---|---|
"""
_OUTDATED = "outdated"


def page(
    known: KnownReleases,
    lines: Mapping[str, Line],
    results: Mapping[ReleaseCell, CellResult],
    classes: Mapping[str, str],
) -> str:
    """The page; ``classes`` are the digits of today's jars, by line."""
    rows = [
        _row(release, lines, results, classes)
        for release in reversed(list(known.releases.values()))
    ]
    now = [r for r in results.values() if r.classes == classes.get(_line(r.cell, known))]
    failed = sum(not result.passed for result in now)
    counts = f"{len(now)} cells were run with the code of today, {failed} of them failed."
    return _HEAD.format(counts=counts, outdated=_OUTDATED) + "".join(f"{row}\n" for row in rows)


def _line(cell: ReleaseCell, known: KnownReleases) -> str:
    release = known.releases.get(cell.release)
    return "" if release is None else release.classes


def _row(
    release: Release,
    lines: Mapping[str, Line],
    results: Mapping[ReleaseCell, CellResult],
    classes: Mapping[str, str],
) -> str:
    cells = [
        "; ".join(
            f"JDK {jdk}: {words}"
            for jdk in release.jdks
            if (words := _words(release, jdk, what, lines, results, classes))
        )
        for what in What
    ]
    jar = release.classes if release.classes in lines else "not yet"
    return f"| {release.version} | {jar} | {' | '.join(cells)} |"


def _words(
    release: Release,
    jdk: int,
    what: What,
    lines: Mapping[str, Line],
    results: Mapping[ReleaseCell, CellResult],
    classes: Mapping[str, str],
) -> str:
    result = results.get(ReleaseCell(release.version, jdk, what))
    reason = why_not(release, what, lines)
    if reason:
        return reason
    if result is None:
        return "*open*"
    said = f"{result.tests} on {result.day}" if result.passed else f"**failed** on {result.day}"
    today = result.classes == classes.get(release.classes)
    return said if today else f"{said}, **{_OUTDATED}**"
