"""One benchmark over time: a table with a small plot for terminals, and a page. Pure."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from flink_boost.base.text import NOTHING, interval_text
from flink_boost.judge.ratio import DEFAULT_CONFIDENCE, Interval, interval
from flink_boost.judge.series import Point, Series, pair_log_ratios
from flink_boost.judge.trend import Change, TrendVerdict
from flink_boost.measure.summary import RunSummary
from flink_boost.publish.nightly.words import counted
from flink_boost.publish.plot import HEIGHT, LEFT, RIGHT, WIDTH, chart_of
from flink_boost.publish.sheet import Column, Entry, Sheet, Tone, templates
from flink_boost.publish.trends import settings_text

_PLOT_WIDTH = 41


@dataclass(frozen=True)
class Lookback:
    """A series, an interval per run (None for a gap), and what detection says of it."""

    series: Series
    intervals: tuple[Interval | None, ...]
    trend: TrendVerdict

    @property
    def changes(self) -> dict[str, Change]:
        """The changes of level by the first run on the new one."""
        found = (*self.trend.earlier_changes, self.trend.change)
        return {change.after_run: change for change in found if change is not None}


def look_back(
    series: Iterable[Series], trends: Iterable[TrendVerdict], runs: Iterable[RunSummary]
) -> tuple[Lookback, ...]:
    """The series with their intervals; ``trends`` are those of the series, in the same order."""
    by_id = {run.info.run_id: run for run in runs}
    return tuple(
        Lookback(one, tuple(_interval(one, point, by_id) for point in one.points), trend)
        for one, trend in zip(series, trends, strict=True)
    )


def _interval(series: Series, point: Point | None, runs: dict[str, RunSummary]) -> Interval | None:
    if point is None:
        return None
    run = runs[point.run_id]
    measured = (series.cell, series.mode, series.unit)
    cell = next(one for one in run.cells if (one.cell, one.mode, one.unit) == measured)
    return interval(pair_log_ratios(cell, run.info.main_sides), DEFAULT_CONFIDENCE)


def lookback_sheet(found: Lookback, last: int) -> Sheet:
    """The newest ``last`` runs, newest at the bottom, each with its place on one scale."""
    shown = list(zip(found.series.points, found.intervals, strict=True))[-last:]
    low, high = _range([one for _, one in shown if one is not None])
    rows = tuple(_row(found, point, one, low, high) for point, one in shown)
    settings = found.series.settings
    return Sheet(
        f"{found.series.cell.name}: {f'{settings.project} on ' if settings.project else ''}"
        f"Flink {settings_text(settings)}",
        (
            Column("run began (UTC)"),
            Column("commit"),
            Column("ratio", True),
            Column("interval", True),
            Column("pairs", True),
            Column(f"{low:.2f}x{' ' * (_PLOT_WIDTH - 12)}{high:.2f}x"),
            Column("change"),
        ),
        rows,
        (_sentence(found),),
    )


def lookback_document(found: Lookback) -> dict[str, Any]:
    """The same for programs; a missing run is null."""
    return {
        "name": found.series.cell.name,
        "settings": json.loads(found.series.settings.model_dump_json()),
        "unit": found.series.unit,
        "less_is_better": found.series.mode.less_is_better,
        "verdict": found.trend.kind.value,
        "points": [
            None
            if point is None or one is None
            else {
                **json.loads(point.model_dump_json()),
                "ratio": one.ratio,
                "low": one.low if point.pairs > 1 else None,
                "high": one.high if point.pairs > 1 else None,
            }
            for point, one in zip(found.series.points, found.intervals, strict=True)
        ],
        "changes": [json.loads(change.model_dump_json()) for change in found.changes.values()],
    }


def lookback_page(found: Sequence[Lookback], pattern: str, most_runs: int) -> str:
    """A page that is complete in itself, with a plot per series."""
    return (
        templates()
        .get_template("lookback.html.j2")
        .render(
            pattern=pattern,
            figures=[
                (
                    lookback_sheet(one, most_runs),
                    chart_of(one.series, tuple(one.changes), most_runs),
                )
                for one in found
                if any(one.series.points[-most_runs:])
            ],
            size={"width": WIDTH, "height": HEIGHT, "left": LEFT, "right": WIDTH - RIGHT},
        )
    )


def _row(
    found: Lookback, point: Point | None, one: Interval | None, low: float, high: float
) -> tuple[Entry, ...]:
    if point is None or one is None:
        return (Entry("missing", Tone.OPEN), *(Entry(""),) * 6)
    change = found.changes.get(point.run_id)
    words = "" if change is None else f"◄ {change.ratio - 1:+.1%}"
    tone = Tone.PLAIN
    if change is not None:
        tone = Tone.GOOD if change.ratio > 1 else Tone.BAD
    return (
        Entry(f"{point.started:%Y-%m-%d %H:%M}"),
        Entry(point.commit[:8]),
        Entry(f"{one.ratio:.3f}x"),
        Entry(interval_text(one.low, one.high, point.pairs)),
        Entry(str(point.pairs)),
        Entry(whisker(one, low, high), tone),
        Entry(words, tone),
    )


def whisker(one: Interval, low: float, high: float, width: int = _PLOT_WIDTH) -> str:
    """``  ├──●──┤  ``: where a ratio and its interval lie between two ends."""

    def place(value: float) -> int:
        share = (value - low) / (high - low)
        return min(width - 1, max(0, round(share * (width - 1))))

    line = [" "] * width
    if one.low > 0 and math.isfinite(one.high):
        start, end = place(one.low), place(one.high)
        line[start : end + 1] = "─" * (end + 1 - start)
        # An interval that goes on beyond the end of the scale has no end mark there.
        line[start] = "├" if one.low >= low else "─"
        line[end] = "┤" if one.high <= high else "─"
    line[place(one.ratio)] = "●"
    return "".join(line).rstrip()


def _range(shown: Sequence[Interval]) -> tuple[float, float]:
    """The ends of the scale: all ratios, and of their intervals as much as twice that."""
    if not shown:
        return 0.9, 1.1
    lowest, highest = (end(one.ratio for one in shown) for end in (min, max))
    margin = max(highest - lowest, 0.05 * highest)
    ends = [one for one in shown if one.low > 0 and math.isfinite(one.high)]
    low = min([lowest, *(max(one.low, lowest - margin) for one in ends)])
    high = max([highest, *(min(one.high, highest + margin) for one in ends)])
    return (low, high) if high > low else (0.95 * low, 1.05 * high)


def _sentence(found: Lookback) -> str:
    trend = found.trend
    points = counted(trend.points, "run")
    gaps = f", {trend.gaps} missing" if trend.gaps else ""
    return f"{trend.kind.value} ({points}{gaps}); {NOTHING} is a single pair, without an interval."
