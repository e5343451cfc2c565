"""The cells of the table: a release, one of its JDKs, and what runs there; results on disk.

``docs/releases.jsonl`` has a line for each cell that was run, sorted; it is replaced as a whole.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from flink_boost.base.errors import BrokenData
from flink_boost.base.files import write_durably
from flink_boost.flink.lines import Line
from flink_boost.flink.releases import KnownReleases, Release, line_of
from flink_boost.flink.versions import version_key

_DIGITS = 12


class What(StrEnum):
    """What runs: our tests of the codec and of records, Flink's own, or a real cluster."""

    CODEC = "codec"
    CLUSTER = "cluster"
    FLINKS = "flinks-tests"


@dataclass(frozen=True)
class ReleaseCell:
    """Something that runs on a release and a JDK."""

    release: str
    jdk: int
    what: What

    @property
    def name(self) -> str:
        """For files and people."""
        return f"{self.release}-jdk{self.jdk}-{self.what}"

    def shares_release(self, other: ReleaseCell) -> bool:
        """Whether both run the same on one release, and use what was fetched of it."""
        return (self.release, self.what) == (other.release, other.what)


@dataclass(frozen=True)
class CellResult:
    """What came of a cell: ``tests`` passed and ``failed``, with the jar of those ``classes``."""

    cell: ReleaseCell
    tests: int
    failed: int
    classes: str
    day: str

    @property
    def passed(self) -> bool:
        """Whether something ran, and all of it was well."""
        return self.tests > 0 and not self.failed


def cells_of(known: KnownReleases, lines: Mapping[str, Line]) -> list[ReleaseCell]:
    """Every cell that can be run, in order.

    Of each line its newest release first, and JDKs that `make test` leaves out last. Otherwise
    clusters of one release stand together, because its distribution is fetched for them.
    """
    served = [r for r in known.releases.values() if has_jar(r, lines)]
    newest = {r.classes: r.version for r in sorted(served, key=lambda r: version_key(r.version))}

    def rank(cell: ReleaseCell) -> tuple[object, ...]:
        release = known.releases[cell.release]
        is_newest = newest[release.classes] == cell.release
        is_usual = is_newest or cell.jdk in lines[release.classes].jdks
        age = [-part for part in version_key(cell.release)]
        return not is_newest, not is_usual, list(What).index(cell.what), age, cell.jdk

    found = [
        ReleaseCell(release.version, jdk, what)
        for release in served
        for jdk in release.jdks
        for what in What
        if not why_not(release, what, lines)
    ]
    return sorted(found, key=rank)


def has_jar(release: Release, lines: Mapping[str, Line]) -> bool:
    """Whether a line that is switched on has the release's classes."""
    line = lines.get(release.classes)
    return line is not None and line.enabled


def why_not(release: Release, what: What, lines: Mapping[str, Line]) -> str:
    """The reason why nothing can be run there; empty when it can."""
    if not has_jar(release, lines):
        return "no jar"
    if what is not What.CLUSTER or line_of(release, lines).distribution:
        return ""
    return "not on PyPI"


def code_of(jar: Path) -> str:
    """Digits for the class files of a jar of ours: they change when its code does.

    The list of tested releases inside does not count.
    """
    digest = hashlib.sha256()
    with zipfile.ZipFile(jar) as archive:
        for name in sorted(archive.namelist()):
            if name.endswith(".class"):
                digest.update(name.encode() + hashlib.sha256(archive.read(name)).digest())
    return digest.hexdigest()[:_DIGITS]


def read_results(file: Path) -> dict[ReleaseCell, CellResult]:
    """What is known of cells. Raises ``BrokenData`` for a file that is none of ours."""
    found = {}
    try:
        for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
            row = json.loads(line)
            cell = ReleaseCell(row["release"], row["jdk"], What(row["what"]))
            found[cell] = CellResult(cell, row["tests"], row["failed"], row["classes"], row["day"])
    except (ValueError, KeyError, TypeError) as error:
        raise BrokenData(
            f"{file} cannot be read ({type(error).__name__}: {error}).",
            "Take it from git again, or delete it to run everything anew.",
        ) from error
    return found


def write_results(file: Path, results: Iterable[CellResult]) -> None:
    """Writes them sorted, whole or not at all."""
    rows = []
    for result in sorted(results, key=lambda r: (version_key(r.cell.release), r.cell.name)):
        row = asdict(result)
        rows.append(json.dumps({**row.pop("cell"), **row}))
    write_durably(file, "".join(f"{row}\n" for row in rows))
