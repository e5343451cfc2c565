"""Differential flame graphs of what a request found to differ; of trusted commits only.

A profiler's file is read by a parser that was not made for an enemy's, and its fork runs beside us:
so a request from a comment takes none, and its answer says how to take them by hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from flink_boost.base.errors import BrokenData, NoProfiler, NotProfiled
from flink_boost.flink.lines import find_line
from flink_boost.flink.profiler import ensure_profiler
from flink_boost.flink.stacks import ours_of
from flink_boost.measure.classpaths import ClassPaths
from flink_boost.measure.profiles.model import folder_of
from flink_boost.measure.profiles.take import ProfileSide, remove_left_over, take
from flink_boost.service.requests.model import Measured
from flink_boost.service.requests.rows import rows_of
from flink_boost.service.requests.verdicts import RowVerdict

MOST = 3
_TOLD = (RowVerdict.SLOWER, RowVerdict.FASTER)


def to_profile(measured: Measured) -> tuple[str, ...]:
    """Names of what became slower or faster, three at most; without any the first benchmark."""
    rows = rows_of(measured)
    found = [row.name for row in rows if row.verdict in _TOLD]
    return tuple(found[:MOST]) or measured.order.names[:1]


def with_profiles(
    measured: Measured,
    results: Path,
    paths: ClassPaths,
    java: str,
    environ: Mapping[str, str],
) -> Measured:
    """The same with links to flame graphs, or with a word on why there are none."""
    info = measured.first
    if info is None:
        return measured
    links: dict[str, str] = {}
    remove_left_over(results, info.run_id)
    first, second = (ProfileSide(info.title_of(side), paths.of(side)) for side in info.main_sides)
    for cell in info.cells:
        if cell.name in to_profile(measured):
            try:
                pair = take(
                    *(results, info, cell, (first, second)),
                    profiler=ensure_profiler(),
                    java=java,
                    environment=environ,
                    ours=ours_of(find_line(info.line).classes),
                )
            except (NoProfiler, NotProfiled, BrokenData) as error:
                return measured.model_copy(update={"profile_note": error.message})
            page = folder_of(results, info.run_id, cell) / pair.difference
            links[f"Flame graph of {cell.name}"] = page.as_uri()
    return measured.model_copy(update={"profile_links": tuple(links.items())})
