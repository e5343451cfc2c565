"""What one commit gave for one line: jars that go in front of stock's class path."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from flink_boost.flink.lines import Line
from flink_boost.flink.side import Side
from flink_boost.measure.classpaths import ClassPaths, sha256_of_all
from flink_boost.measure.model import Built


@dataclass(frozen=True)
class Build:
    """A build on disk, which nobody changes any more.

    ``jars`` go in front of stock's class path in this order; none of them is stock itself.
    ``digest`` is over their names and bytes, empty without jars.
    """

    built: Built
    line: str
    jars: tuple[Path, ...]
    digest: str


@dataclass(frozen=True)
class BuildPair:
    """What a run of a recipe compares: the reference, perhaps the release itself, and tonight's."""

    reference: Build
    candidate: Build

    def class_paths(self, stock: tuple[Path, ...]) -> ClassPaths:
        """What the sides of such a run load; it has no drop-in jar."""
        sides = ((Side.STOCK, self.reference.jars), (Side.PATCHED, self.candidate.jars))
        return ClassPaths(stock, Path(), builds=sides)


def stock_build(line: Line) -> Build:
    """The official release as a build."""
    return Build(Built(project="flink", version=line.version), line.version, (), "")


def build_of(built: Built, line: str, jars: tuple[Path, ...]) -> Build:
    """The build that consists of these jars."""
    return Build(built, line, jars, sha256_of_all(jars) if jars else "")
