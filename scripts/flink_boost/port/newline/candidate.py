"""Whether a release candidate, as a folder of jars, has the classes of a line; without network."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from flink_boost.base.errors import BrokenData, UsageProblem
from flink_boost.flink.lines import Line, load_patched
from flink_boost.flink.releases import class_checksums, fitting_line, patched_names
from flink_boost.flink.versions import distance, version_key

_SCALA_AND_VERSION = r"(_2\.\d+)?-(?P<version>\d[\w.-]*)\.jar"
_NO_CODE = ("-sources.jar", "-javadoc.jar", "-tests.jar", "-test-jar.jar")


@dataclass(frozen=True)
class Candidate:
    """What the folder holds. ``line`` is the one whose jar fits, or the nearest one.

    ``differing`` are the classes of strings that are not as in that line, or not there; none: the
    jar fits. ``without`` are the other families that are off then.
    """

    version: str
    jars: tuple[str, ...]
    line: Line
    differing: tuple[str, ...]
    without: tuple[str, ...] = ()


def look_into(folder: Path, lines: Mapping[str, Line]) -> Candidate:
    """Reads the jars of Flink in a folder, or in its ``lib/``, as a distribution has them.

    Raises ``UsageProblem`` when they are not there, are of several versions, or hold one class
    twice, and ``BrokenData`` for a jar that cannot be read.
    """
    usable = [line for line in lines.values() if line.enabled]
    jars = _jars(folder) or _jars(folder / "lib")
    if not jars:
        raise UsageProblem(
            f"{folder} holds no jar of Flink's.",
            "Name a folder with flink-core and flink-runtime, or with flink-dist.",
        )
    versions = sorted({version for version, _ in jars})
    if len(versions) > 1:
        raise UsageProblem(
            f"{folder} holds jars of several Flinks: {', '.join(versions)}.",
            "Leave those of one in it.",
        )
    found: dict[str, str] = {}
    owner: dict[str, str] = {}
    names = patched_names(usable)
    for _, jar in jars:
        for name, checksum in _checksums(jar, names).items():
            if found.setdefault(name, checksum) != checksum:
                raise UsageProblem(
                    f"{owner[name]} and {jar.name} have different classes {name}.",
                    "Leave one of them in the folder.",
                )
            owner.setdefault(name, jar.name)
    if not found:
        raise UsageProblem(
            f"The jars in {folder} hold none of the classes that we patch.",
            "Name a folder with flink-core and flink-runtime, or with flink-dist.",
        )
    line = fitting_line(found, usable) or _nearest(versions[0], found, usable)
    return Candidate(
        versions[0],
        tuple(jar.name for _, jar in jars),
        line,
        _differing(line, found),
        tuple(sorted(line.without(found))),
    )


def _jars(folder: Path) -> list[tuple[str, Path]]:
    artefacts = {"flink-dist", *(each.jar for each in load_patched().values())}
    own = re.compile(f"({'|'.join(map(re.escape, sorted(artefacts)))}){_SCALA_AND_VERSION}")
    return [
        (match["version"], path)
        for path in (sorted(folder.iterdir()) if folder.is_dir() else ())
        if (match := own.fullmatch(path.name)) and not path.name.endswith(_NO_CODE)
    ]


def _checksums(jar: Path, names: set[str]) -> dict[str, str]:
    try:
        with zipfile.ZipFile(jar) as archive:
            return class_checksums(archive, names)
    except (zipfile.BadZipFile, OSError) as error:
        raise BrokenData(f"{jar} cannot be read ({error}).", "Fetch it anew.") from error


def _nearest(version: str, found: Mapping[str, str], lines: list[Line]) -> Line:
    number = re.match(r"[\d.]*\d", version)
    plain = number[0] if number else version
    return min(
        lines,
        key=lambda line: (
            len(_differing(line, found)),
            *distance(plain, line.version),
            *(-part for part in version_key(line.version)),
        ),
    )


def _differing(line: Line, found: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(name for name in line.strings if not line.accepts(name, found.get(name)))
