"""Geometry of the report's plots: where every line, dot and label of an SVG goes.

The markup is in ``templates/plot.svg.j2``; colours are the page's, so that a plot follows its light
and dark mode. That, and dots that tell their values without a script, is why the plots are not
drawn by a plotting library. Lengths are in units of the SVG's view box.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC

from flink_boost.base.text import short_number
from flink_boost.judge.series import Point, Series

WIDTH, HEIGHT = 480.0, 310.0
LEFT, RIGHT = 56.0, 10.0
SCORE_TOP, SCORE_BOTTOM = 24.0, 160.0
RATIO_TOP, RATIO_BOTTOM = 200.0, 274.0


@dataclass(frozen=True)
class Dot:
    """One measured value; ``text`` is shown when it is pointed at."""

    x: float
    y: float
    text: str


@dataclass(frozen=True)
class Curve:
    """One side over time; ``lines`` are SVG polyline points, broken where a run is missing."""

    name: str
    lines: tuple[str, ...]
    dots: tuple[Dot, ...]


@dataclass(frozen=True)
class Tick:
    """A labelled place on an axis."""

    at: float
    label: str


@dataclass(frozen=True)
class Panel:
    """A vertical axis and the curves drawn against it."""

    title: str
    top: float
    bottom: float
    ticks: tuple[Tick, ...]
    curves: tuple[Curve, ...]
    level: float | None = None


@dataclass(frozen=True)
class Chart:
    """The whole plot of one benchmark: scores of both sides above, their ratio below."""

    title: str
    panels: tuple[Panel, Panel]
    dates: tuple[Tick, ...]
    changes: tuple[Tick, ...]
    values: tuple[str, ...]
    left_out: int


def chart_of(series: Series, changed_runs: Sequence[str] = (), most_runs: int = 90) -> Chart:
    """Lays out a series; runs are evenly spaced, oldest left, ``changed_runs`` get a mark.

    Only the newest ``most_runs`` are drawn; there must be a point among them.
    """
    left_out = max(0, len(series.points) - most_runs)
    series = series.model_copy(update={"points": series.points[left_out:]})
    count = len(series.points)
    places = [_place(index, count) for index in range(count)]
    return Chart(
        title=series.cell.name,
        panels=(_score_panel(series, places), _ratio_panel(series, places)),
        dates=_dates(series, places),
        changes=tuple(
            Tick(x, "change of level")
            for x, point in zip(places, series.points, strict=True)
            if point is not None and point.run_id in changed_runs
        ),
        values=tuple(_values(point, series.unit) for point in series.present),
        left_out=left_out,
    )


def nice_ticks(low: float, high: float, wanted: int = 4) -> tuple[float, ...]:
    """Round numbers (1, 2 or 5 times a power of ten apart) that lie within ``low`` … ``high``."""
    rough = (high - low) / wanted
    power = 10.0 ** math.floor(math.log10(rough))
    step = power * next(factor for factor in (1, 2, 5, 10) if factor * power >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return tuple(index * step for index in range(first, last + 1))


def _score_panel(series: Series, places: Sequence[float]) -> Panel:
    # From zero, so that the distance between the curves is the ratio and not a zoomed-in part.
    high = 1.08 * max(max(point.stock, point.patched) for point in series.present)
    scale = _scale(0.0, high, SCORE_TOP, SCORE_BOTTOM)
    better = "less is better" if series.mode.less_is_better else "more is better"
    return Panel(
        title=f"{series.unit} ({better})",
        top=SCORE_TOP,
        bottom=SCORE_BOTTOM,
        ticks=tuple(Tick(scale(value), f"{value:,.6g}") for value in nice_ticks(0.0, high)),
        curves=(
            _curve("stock", series, places, lambda point: point.stock, scale, series.unit),
            _curve("patched", series, places, lambda point: point.patched, scale, series.unit),
        ),
    )


def _ratio_panel(series: Series, places: Sequence[float]) -> Panel:
    ratios = [math.exp(point.log_ratio) for point in series.present]
    low, high = min(1.0, *ratios), max(1.0, *ratios)
    margin = max(0.1 * (high - low), 0.02)
    scale = _scale(low - margin, high + margin, RATIO_TOP, RATIO_BOTTOM)
    # "No difference" is always labelled, at the cost of round numbers too close to it.
    values = {1.0} | {
        value
        for value in nice_ticks(low - margin, high + margin, wanted=3)
        if value > 0 and abs(scale(value) - scale(1.0)) > 14
    }
    return Panel(
        title="ratio (above 1: patched is faster)",
        top=RATIO_TOP,
        bottom=RATIO_BOTTOM,
        ticks=tuple(Tick(scale(value), f"{value:.6g}x") for value in sorted(values)),
        curves=(
            _curve("ratio", series, places, lambda point: math.exp(point.log_ratio), scale, "x"),
        ),
        level=scale(1.0),
    )


def _curve(
    name: str,
    series: Series,
    places: Sequence[float],
    value_of: Callable[[Point], float],
    scale: Callable[[float], float],
    unit: str,
) -> Curve:
    located = [
        None if point is None else (x, scale(value_of(point)), point)
        for x, point in zip(places, series.points, strict=True)
    ]
    return Curve(
        name=name,
        lines=tuple(
            " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in part) for part in _unbroken(located)
        ),
        dots=tuple(
            Dot(x, y, _dot_text(name, point, value_of(point), unit))
            for x, y, point in (place for place in located if place is not None)
        ),
    )


def _dot_text(name: str, point: Point, value: float, unit: str) -> str:
    shown = f"{value:.3f}x" if unit == "x" else f"{short_number(value)} {unit}"
    return f"{name} {shown}, {_when(point)}"


def _values(point: Point, unit: str) -> str:
    return (
        f"{_when(point)}: stock {short_number(point.stock)}, "
        f"patched {short_number(point.patched)} {unit}, ratio {math.exp(point.log_ratio):.3f}x "
        f"({point.pairs} pairs)"
    )


def _when(point: Point) -> str:
    day = point.started.astimezone(UTC).strftime("%Y-%m-%d %H:%M")
    return f"{day}, commit {point.commit[:8]}"


Located = tuple[float, float, Point]


def _unbroken(located: Sequence[Located | None]) -> Iterator[list[Located]]:
    part: list[Located] = []
    for place in [*located, None]:
        if place is not None:
            part.append(place)
        elif part:
            yield part
            part = []


def _dates(series: Series, places: Sequence[float]) -> tuple[Tick, ...]:
    known = [
        (x, point) for x, point in zip(places, series.points, strict=True) if point is not None
    ]
    chosen = sorted({0, len(known) // 2, len(known) - 1}) if len(known) > 2 else range(len(known))
    starts = [point.started.astimezone(UTC) for _, point in known]
    one_day = starts[0].date() == starts[-1].date()
    return tuple(
        Tick(known[i][0], starts[i].strftime("%m-%d %H:%M" if one_day else "%Y-%m-%d"))
        for i in chosen
    )


def _place(index: int, count: int) -> float:
    inner = WIDTH - LEFT - RIGHT
    margin = 50.0  # room for the first and last date
    if count == 1:
        return LEFT + inner / 2
    return LEFT + margin + (inner - 2 * margin) * index / (count - 1)


def _scale(low: float, high: float, top: float, bottom: float) -> Callable[[float], float]:
    return lambda value: bottom - (value - low) / (high - low) * (bottom - top)
