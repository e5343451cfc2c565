"""The sources of our own lines, and which line is nearest to another release."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from flink_boost.base.errors import EnvironmentProblem
from flink_boost.flink.distribution import ensure_artifact
from flink_boost.flink.lines import Line, PinnedFile
from flink_boost.port.sources.tree import SourceTree, read_jars


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
