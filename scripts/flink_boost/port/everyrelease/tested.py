"""What ``releases.toml`` says was tested, from the table's results; pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date

from flink_boost.flink.releases import ON_JDK, KnownReleases, Release
from flink_boost.port.everyrelease.cells import CellResult, ReleaseCell, What

_TITLES = {What.CODEC: "codec", What.CLUSTER: "cluster", What.FLINKS: "Flink's tests"}


def with_tested(
    known: KnownReleases,
    results: Mapping[ReleaseCell, CellResult],
    classes: Mapping[str, str],
) -> KnownReleases:
    """The releases, each with its cells that passed; ``classes`` are today's digits, by line.

    What no cell is for stays, and goes first. What passed with other code says nothing of a jar of
    today, which lists the releases that it was tested on.
    """
    releases = {
        version: replace(release, tested=_tested(release, results, classes.get(release.classes)))
        for version, release in known.releases.items()
    }
    return replace(known, releases=releases)


def _tested(
    release: Release, results: Mapping[ReleaseCell, CellResult], today: str | None
) -> dict[str, date]:
    found = {
        what: day
        for what, day in release.tested.items()
        if what.partition(ON_JDK)[0] not in _TITLES.values()
    }
    for what in What:
        for jdk in release.jdks:
            result = results.get(ReleaseCell(release.version, jdk, what))
            if result is not None and result.passed and result.classes == today:
                found[f"{_TITLES[what]}{ON_JDK}{jdk}"] = date.fromisoformat(result.day)
    return found
