"""The release of Flink that a run measured, which may be another than its line's own."""

from __future__ import annotations

from flink_boost.measure.model import RunInfo


def release_of(info: RunInfo) -> str:
    """The release of Flink that a run measured: its line's own, or another one."""
    stock = info.baseline
    apart = stock is not None and stock.project == "flink" and not stock.commit
    return (stock.version if stock and apart else "") or info.line


def is_on_its_line(info: RunInfo) -> bool:
    """Whether a run measured the release that its line is named after, as those of a trend do."""
    return release_of(info) == info.line


def flink_of(info: RunInfo) -> str:
    """The same for people; a release that is no line with the line whose jar it has."""
    release = release_of(info)
    return release if release == info.line else f"{release} with the jar of {info.line}"
