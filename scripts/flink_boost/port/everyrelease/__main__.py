"""``make test-releases``: runs what is open on every release, and writes docs/releases.md."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import click

from flink_boost import __version__
from flink_boost.base.errors import EnvironmentProblem, FlinkBoostError, UsageProblem
from flink_boost.base.files import write_durably
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.downloads import CACHE
from flink_boost.flink.lines import load_lines
from flink_boost.flink.releases import (
    ON_JDK,
    RELEASES_FILE,
    KnownReleases,
    Release,
    load_releases,
    read_releases,
)
from flink_boost.port.everyrelease.cells import (
    CellResult,
    ReleaseCell,
    What,
    cells_of,
    code_of,
    read_results,
    write_results,
)
from flink_boost.port.everyrelease.release_page import page
from flink_boost.port.everyrelease.running import Bench, remove_distribution, run_open
from flink_boost.port.flinktests.ofrelease import jars_beside
from flink_boost.port.newline.registries import Registries
from flink_boost.port.newline.rows import releases_lock, write

DATA = PROJECT_ROOT / "docs" / "releases.jsonl"
PAGE = PROJECT_ROOT / "docs" / "releases.md"
FOLDER = PROJECT_ROOT / "build" / "releases"

# A release's tests take dozens of calls of Maven: 4.0 s -> 2.1 s of processors each.
_QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
_TITLES = {What.CODEC: "codec", What.CLUSTER: "cluster", What.FLINKS: "Flink's tests"}


def classes_of_jars(jars: Path = PROJECT_ROOT / "build" / "jars") -> dict[str, str]:
    """The digits of each line's jar of this flink-boost, as ``make jars`` left it."""
    found = {}
    for line in load_lines().values():
        jar = jars / line.dropin_name(__version__)
        if line.enabled and not jar.is_file():
            raise EnvironmentProblem(
                f"There is no {jar.name} for Flink {line.version}.",
                f"Run `make build LINE={line.version}`.",
            )
        if line.enabled:
            found[line.version] = code_of(jar)
    return found


def _require_known(only: tuple[str, ...]) -> None:
    unknown = [version for version in only if version not in load_releases().releases]
    if unknown:
        raise UsageProblem(
            f"There is no release {unknown[0]} in releases.toml.",
            "`flink-boost releases` lists all.",
        )


def _record(only: tuple[str, ...]) -> None:
    before = read_releases(RELEASES_FILE)
    after = with_tested(before, read_results(DATA), classes_of_jars(), only)
    write(RELEASES_FILE, after)
    gained, lost = gained_and_lost(before, after)
    click.echo(f"More has passed on {', '.join(gained) or 'no release'}.")
    if lost:
        click.echo(
            f"No longer said to have passed, with code of today: something on {', '.join(lost)}."
        )


def _run(only: tuple[str, ...], minutes: float, workers: int, *, write_only: bool) -> int:
    lines, known = load_lines(), load_releases()
    classes = classes_of_jars()
    results = read_results(DATA)
    cells = [c for c in cells_of(known, lines) if not only or c.release in only]
    source = Registries(CACHE)
    bench = Bench(
        *(PROJECT_ROOT / "scripts", FOLDER, {"MAVEN_OPTS": _QUICK, **os.environ}),
        lambda version: jars_beside(version, source, CACHE),
    )

    def line_of(cell: ReleaseCell) -> str:
        return known.releases[cell.release].classes

    def keep(result: CellResult) -> None:
        results[result.cell] = result
        write_results(DATA, results.values())
        write_durably(PAGE, page(known, lines, results, classes))

    if write_only:
        write_durably(PAGE, page(known, lines, results, classes))
        return 0
    done = run_open(
        *(cells, dict(results), lambda cell: classes[line_of(cell)]),
        *(lambda cell: bench.run(cell, line_of(cell)), keep),
        *(lambda cell: remove_distribution(cell, known, lines, CACHE), click.echo),
        day=datetime.now(UTC).date().isoformat(),
        seconds=60 * minutes,
        workers=workers,
    )
    failed = [result.cell.name for result in done if not result.passed]
    if failed:
        click.echo(
            f"Failed: {', '.join(failed)}. Logs: {FOLDER.relative_to(PROJECT_ROOT)}.", err=True
        )
    return 1 if failed else 0


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--only", multiple=True, metavar="VERSION", help="This release, repeatable.")
@click.option("--minutes", type=click.FloatRange(0), default=1e6, help="Begin nothing after that.")
@click.option("--workers", type=click.IntRange(1), help="Cells at once; default: cores + 1.")
@click.option("--page", "write_only", is_flag=True, help="Run nothing; write the page anew.")
@click.option("--record", is_flag=True, help="Run nothing; enter what passed in releases.toml.")
def main(
    only: tuple[str, ...], minutes: float, workers: int | None, write_only: bool, record: bool
) -> None:
    """Run our tests on every official release of Flink that a jar is for (hours).

    What has passed with the code of today is not run again; a call that is killed goes on with the
    next. Results: docs/releases.jsonl and docs/releases.md. When all have run, --record enters them
    in releases.toml, from which `make jars`, `flink-boost releases` and `doctor` have them.
    """
    try:
        with releases_lock(PROJECT_ROOT):
            _require_known(only)
            if record:
                _record(only)
                return
            at_once = workers or (os.cpu_count() or 1) + 1
            code = _run(only, minutes, at_once, write_only=write_only)
    except FlinkBoostError as error:
        click.echo(f"{error}", err=True)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        click.echo("Interrupted; the same command goes on.")
        sys.stdout.flush()
        # Not sys.exit, which waits for the threads; the guards of what they run end with us.
        os._exit(130)
    sys.exit(code)


if __name__ == "__main__":
    main()


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
