"""Runs on a release of Flink that is no measured line: its own distribution, its line's jar.

The benchmarks are those of the release's line, or of the oldest measured line with the same major
number, whose calls later releases still answer. The distribution's jars stand before Flink's jars
of that line, so that every class of Flink is the release's. Those with a class that our jar
replaces are left out: our code stays off where it finds a copy that is another release's.
``RunInfo.line`` is then the line that the jar is of, and the version of its baseline is the
release.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from flink_boost.base.errors import EnvironmentProblem, UsageProblem
from flink_boost.flink.distribution import ensure_distribution
from flink_boost.flink.lines import Line, load_lines, measured_lines
from flink_boost.flink.releases import load_releases, served
from flink_boost.flink.side import Side
from flink_boost.flink.versions import version_key
from flink_boost.measure.classpaths import ClassPaths, build_step, find_class_paths

# Flink itself, and what it has of other projects under names of its own, up to 1.15 in jars apart.
_JARS = ("flink-dist*.jar", "flink-shaded-*.jar")


def is_of_a_line(line: Line, own: Line) -> bool:
    """Whether a release is a measured line: then the build has its class path."""
    return line.measured and own.version == line.version


def find_release(version: str) -> tuple[Line, Line]:
    """The line whose jar a release gets, and the same under the release's number.

    Raises ``UsageProblem`` for a release without jar or distribution.
    """
    line, own = served(version, load_releases(), load_lines())
    if not own.distribution:
        raise UsageProblem(
            f"Flink {version} cannot be measured: PyPI has no distribution of it.",
            "docs/releases.md names the others of its line.",
        )
    return line, own


def benchmarks_for(line: Line, measured: Sequence[Line]) -> Line:
    """The measured line whose benchmarks run on releases of a line."""
    if line in measured:
        return line
    major = version_key(line.version)[0]
    same = [each for each in measured if version_key(each.version)[0] == major]
    return min(same, key=lambda each: version_key(each.version))


def class_paths_on(
    line: Line, own: Line, build: Path, version: str, sides: Sequence[Side]
) -> ClassPaths:
    """The class paths of a run on a release, as ``find_release`` has it.

    Raises as ``find_class_paths`` for what is not built, as ``ensure_distribution`` else.
    """
    benchmarks = benchmarks_for(line, measured_lines())
    ours, *others = find_class_paths(benchmarks, build, version, ()).stock
    dropin = build / "jars" / line.dropin_name(version)
    if Side.PATCHED in sides and not dropin.exists():
        raise EnvironmentProblem(f"{dropin} is missing.", build_step(line))
    lib = ensure_distribution(own) / "lib"
    flink = [jar for pattern in _JARS for jar in sorted(lib.glob(pattern))]
    rest = [jar for jar in others if not _has_one_of(jar, own.classes)]
    return ClassPaths((ours, *flink, *rest), dropin)


def _has_one_of(jar: Path, classes: Iterable[str]) -> bool:
    with zipfile.ZipFile(jar) as archive:
        return any(f"{name.replace('.', '/')}.class" in archive.NameToInfo for name in classes)
