"""``flink-boost releases``: Which Flink releases there is a jar for, and what ran on each."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from flink_boost import __version__
from flink_boost.base.errors import PatchedCodeChanged, UsageProblem
from flink_boost.base.places import CARRIED, PROJECT_ROOT
from flink_boost.cli.answers import json_option, print_json
from flink_boost.flink.distribution import find_jar_of_distribution
from flink_boost.flink.lines import Line, load_lines, load_patched
from flink_boost.flink.releases import KnownReleases, Release, load_releases
from flink_boost.operate.carried import carried
from flink_boost.port.newline.candidate import Candidate, look_into
from flink_boost.port.newline.equal import comparing, with_equal
from flink_boost.port.newline.look import published
from flink_boost.port.newline.registries import Registries
from flink_boost.port.newline.rows import enter, look_for, releases_lock

_NOT_YET = "not yet"


@click.command(name="releases")
@click.argument("versions", nargs=-1)
@click.option(
    "--look", is_flag=True, help="Fetch what is missing; write releases.toml and classes.lock anew."
)
@click.option(
    "--jars",
    metavar="FOLDER",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Look at a release candidate: a folder with flink-core and flink-runtime, or flink-dist.",
)
@json_option
def command(versions: tuple[str, ...], look: bool, jars: Path | None, as_json: bool) -> None:
    """Print the official Flink releases, whose line's jar fits each, and what was run on it.

    A release belongs to the line whose class files do the same. So do those of a release without a
    test, on which nobody ran anything; "not yet" means that no jar fits. With --look the releases
    of Maven Central that are not listed, or VERSIONS, are fetched and compared, and what PyPI has
    of their distributions is written down (source tree only).
    With --jars a release that is not published yet is compared, and nothing is fetched or written;
    exit code 7: no jar fits it as it is.

    \b
    Examples:
      flink-boost releases              all of them
      flink-boost releases 1.20.2       one
      flink-boost releases --look       after a release of Flink
      flink-boost releases --jars ~/flink-2.4.0-rc1/lib
      flink-boost releases --json
    """
    lines = load_lines()
    if jars is not None:
        if versions or look:
            raise UsageProblem("--jars stands alone.", "Leave VERSIONS and --look out.")
        _tell_of(look_into(jars, lines), as_json=as_json)
        return
    known = load_releases()
    if look:
        known = _look(known, versions, lines, quiet=as_json)
    unknown = [version for version in versions if version not in known.releases]
    if unknown:
        raise UsageProblem(
            f"Flink {unknown[0]} is not among the releases that were looked at.",
            "`flink-boost releases` lists all, `releases --look` in the source tree fetches new"
            " ones. `flink-boost install FLINK_HOME` goes by the classes, not by this list.",
        )
    chosen = [known.releases[each] for each in versions] or list(known.releases.values())
    if as_json:
        rows = [_row(release, lines) for release in chosen]
        print_json(0, {"releases": rows})
    else:
        _show(chosen, lines)


def _tell_of(candidate: Candidate, *, as_json: bool) -> None:
    """What a candidate is. Raises ``PatchedCodeChanged`` when no jar fits."""
    line = candidate.line.version
    jars = " and ".join(candidate.jars)
    if candidate.differing:
        raise PatchedCodeChanged(
            f"{jars}: no jar fits as it is. Compared with Flink {line},"
            f" {len(candidate.differing)} of {len(candidate.line.strings)} classes are others:"
            f" {', '.join(candidate.differing)}.",
            "`flink-boost weave` on the whole distribution says whether they do the same, and makes"
            f" a jar; `flink-boost line add {candidate.version}` once it is released.",
        )
    off = " and ".join(candidate.without)
    sentence = (
        f"{jars}: all {len(candidate.line.strings)} classes of strings that we patch are those of"
        f" Flink {line}, whose jar fits{f', with {off} off: their classes differ' if off else ''}."
        " Next: flink-boost install and verify --job on the whole"
        " distribution."
    )
    if as_json:
        answer = {
            "candidate": candidate.version,
            "line": line,
            "jars": candidate.jars,
            "off": candidate.without,
        }
        print_json(0, answer, sentence)
    else:
        click.echo(sentence)


def line_name(release: Release, lines: dict[str, Line]) -> str | None:
    """The line whose jar fits the release, None when there is none yet."""
    line = lines.get(release.classes)
    return line.version if line is not None and line.enabled else None


def _row(release: Release, lines: dict[str, Line]) -> dict[str, object]:
    return {
        "release": release.version,
        "line": line_name(release, lines),
        "classes": release.classes,
        "jdks": list(release.jdks),
        "tested": {what: day.isoformat() for what, day in release.tested.items()},
        "looked_at": release.looked_at.isoformat(),
        "jars": dict(release.jars),
    }


def _show(releases: list[Release], lines: dict[str, Line]) -> None:
    rows = [("release", "line", "JDKs", "run on it")]
    for release in releases:
        last = max(release.tested.values(), default=None)
        tested = f"{last}: {release.passed}" if last else ""
        name = line_name(release, lines)
        rows.append(
            (
                release.version,
                name or _NOT_YET,
                ", ".join(map(str, release.jdks)),
                tested or ("nothing; same classes" if name else "nothing"),
            )
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo("  ".join(cells).rstrip())


def _look(
    known: KnownReleases, versions: tuple[str, ...], lines: dict[str, Line], *, quiet: bool
) -> KnownReleases:
    if CARRIED.is_dir():
        raise UsageProblem("--look needs the source tree.", "Run it in a checkout of flink-boost.")
    # Looking takes minutes: refused before, not only when it is written.
    with releases_lock(PROJECT_ROOT):
        pass
    source = Registries(PROJECT_ROOT / ".cache")
    patched = load_patched()
    wanted = list(versions) or [
        each
        for each in published(source)
        if each not in known.releases or not known.has_all(each, patched.values())
    ]

    def told(step: str) -> None:
        if not quiet:
            click.echo(step, err=True)

    looked = with_equal(
        look_for(wanted, patched, source, told, find_jar_of_distribution),
        known.lock,
        source,
        comparing(carried(__version__).weaver),
        patched.values(),
        find_jar_of_distribution,
    )
    return enter(PROJECT_ROOT, looked, lines, datetime.now(UTC).date())
