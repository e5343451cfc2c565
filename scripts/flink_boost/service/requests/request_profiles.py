"""Differential flame graphs of what a request found to differ, and the frames that differ most."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from flink_boost.base.errors import BrokenData, NoProfiler, NotProfiled
from flink_boost.flink.lines import find_line
from flink_boost.flink.profiler import ensure_profiler
from flink_boost.flink.stacks import ours_of
from flink_boost.measure.classpaths import ClassPaths
from flink_boost.measure.profiles.profile_record import folder_of
from flink_boost.measure.profiles.take import ProfileSide, Recorder, remove_left_over, take
from flink_boost.service.requests.request import Measured
from flink_boost.service.requests.request_rows import rows_of

MOST = 3


def to_profile(measured: Measured) -> tuple[str, ...]:
    """Names of what became slower or faster, three at most; without any the first benchmark."""
    rows = rows_of(measured)
    found = [row.name for row in rows if row.told in ("slower", "faster")]
    return tuple(found[:MOST]) or measured.order.names[:1]


def with_profiles(
    measured: Measured,
    results: Path,
    paths: ClassPaths,
    java: str,
    environ: Mapping[str, str],
    record: Recorder | None = None,
) -> Measured:
    """The same with links to flame graphs, or with a word on why there are none.

    ``record`` starts the forks; without it they are processes of ours.
    """
    info = measured.first
    if info is None:
        return measured
    links: dict[str, str] = {}
    texts: dict[str, tuple[str, ...]] = {}
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
                    record=record,
                )
            except (NoProfiler, NotProfiled, BrokenData) as error:
                return measured.model_copy(update={"profile_note": error.message})
            page = folder_of(results, info.run_id, cell) / pair.difference
            links[f"Flame graph of {cell.name}"] = page.as_uri()
            texts[cell.name] = pair.text
    kept = {"profile_links": tuple(links.items()), "profile_texts": tuple(texts.items())}
    return measured.model_copy(update=kept)
