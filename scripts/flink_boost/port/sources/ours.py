"""The sources of our own lines, and which line is nearest to another release."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from flink_boost.base.errors import EnvironmentProblem
from flink_boost.flink.distribution import ensure_artifact
from flink_boost.flink.lines import Line, PinnedFile
from flink_boost.port.sources.tree import SourceTree, read_jars

_PARTS = 3


def fetch_sources(pin: PinnedFile, cache: Path) -> Path:
    """A sources jar on Maven Central; raises what ``ensure_artifact`` raises."""
    return ensure_artifact(pin, cache, classifier="sources", folder="sources")


def sources_of(
    line: Line, cache: Path, fetch: Callable[[PinnedFile, Path], Path] = fetch_sources
) -> SourceTree:
    """The sources of a line's patched jars, fetched when they are not in the cache.

    Raises ``EnvironmentProblem`` when ``lines.toml`` pins none, and what ``fetch`` raises.
    """
    if not line.sources:
        raise EnvironmentProblem(
            f"lines.toml pins no sources of Flink {line.version}.",
            f'Add [lines."{line.version}".sources] to it.',
        )
    return read_jars([fetch(pin, cache) for pin in line.sources], f"Flink {line.version}")


def version_key(version: str) -> tuple[int, ...]:
    """Numbers of a release, for sorting: ``1.20.5`` → (1, 20, 5), ``2.4-SNAPSHOT`` → (2, 4, 0)."""
    numbers = [int(number) for number in re.findall(r"\d+", version.partition("-")[0])]
    return tuple((numbers + [0] * _PARTS)[:_PARTS])


def distance(version: str, other: str) -> tuple[int, ...]:
    """How far two releases are apart: major number first; of two at one distance the later wins."""
    theirs = version_key(other)
    apart = [abs(a - b) for a, b in zip(version_key(version), theirs, strict=True)]
    return (*apart, *(-number for number in theirs))


def nearest_line(version: str, lines: Iterable[Line]) -> Line:
    """The switched-on line whose number is nearest to that release."""
    return min(
        (line for line in lines if line.enabled), key=lambda line: distance(version, line.version)
    )
