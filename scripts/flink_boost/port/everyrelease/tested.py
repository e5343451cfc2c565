"""What ``releases.toml`` says was tested, from the table's results; pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import date

from flink_boost.flink.releases import ON_JDK, KnownReleases, Release
from flink_boost.port.everyrelease.cells import CellResult, ReleaseCell, What

_TITLES = {What.CODEC: "codec", What.CLUSTER: "cluster", What.FLINKS: "Flink's tests"}


def with_tested(
    known: KnownReleases,
    results: Mapping[ReleaseCell, CellResult],
    classes: Mapping[str, str],
    only: Collection[str] = (),
) -> KnownReleases:
    """The releases, each with its cells that passed; ``classes`` are today's digits, by line.

    What no cell is for stays, and goes first. What passed with other code says nothing of a jar of
    today, which lists the releases that it was tested on; and nothing is said of a release on which
    something of today's failed. ``only`` leaves all other releases as they are.
    """
    releases = {
        version: release
        if only and version not in only
        else replace(release, tested=_tested(release, results, classes.get(release.classes)))
        for version, release in known.releases.items()
    }
    return replace(known, releases=releases)


def gained_and_lost(before: KnownReleases, after: KnownReleases) -> tuple[list[str], list[str]]:
    """The releases of which more is said to have passed, and those of which something is not."""
    pairs = [(each, after.releases[version]) for version, each in before.releases.items()]
    return (
        [new.version for old, new in pairs if set(new.tested) - set(old.tested)],
        [new.version for old, new in pairs if set(old.tested) - set(new.tested)],
    )


def _tested(
    release: Release, results: Mapping[ReleaseCell, CellResult], today: str | None
) -> dict[str, date]:
    found = {
        what: day
        for what, day in release.tested.items()
        if what.partition(ON_JDK)[0] not in _TITLES.values()
    }
    cells = [ReleaseCell(release.version, jdk, what) for what in What for jdk in release.jdks]
    known = [results[cell] for cell in cells if cell in results]
    of_today = [result for result in known if result.classes == today]
    if all(result.passed for result in of_today):
        for result in of_today:
            title = f"{_TITLES[result.cell.what]}{ON_JDK}{result.cell.jdk}"
            found[title] = date.fromisoformat(result.day)
    return found
