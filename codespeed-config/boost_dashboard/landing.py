"""What the first page says of a run: rows, groups, counts. Pure: values in, values out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from boost_dashboard.natural_order import group_of, natural_key
from boost_dashboard.reading.rows import RATIO_SUFFIX
from flink_boost.judge.verdict import Verdict, by_chance, judge

if TYPE_CHECKING:
    from boost_dashboard.notes import Note

SPARK_WIDTH, SPARK_HEIGHT = 96, 20
_MOST_OPEN_ROWS = 40  # with more, the groups are folded


@dataclass(frozen=True)
class Measured:
    """A stored result of the run that is shown."""

    benchmark: str
    value: float
    low: float | None
    high: float | None
    units: str
    less_is_better: bool
    description: str


@dataclass(frozen=True)
class Row:
    """One benchmark of a run; ``ratio`` is above 1 when patched is faster, None when unknown.

    ``spark`` are the points of a small plot of the latest ratios, as SVG's polyline takes them.
    """

    benchmark: str
    description: str
    stock: float | None
    patched: float | None
    units: str
    ratio: float | None
    low: float | None
    high: float | None
    verdict: Verdict
    spark: str

    @property
    def shown_benchmark(self) -> str:
        """The benchmark whose timeline says most: that of the ratio, where it was sent."""
        return self.benchmark + RATIO_SUFFIX if self.low is not None else self.benchmark

    @property
    def stock_text(self) -> str:
        """Stock's value with three digits that count."""
        return in_digits(self.stock)

    @property
    def patched_text(self) -> str:
        """Patched's value with three digits that count."""
        return in_digits(self.patched)

    @property
    def ratio_text(self) -> str:
        """The ratio, such as ``2.31x``."""
        return "–" if self.ratio is None else f"{self.ratio:.2f}x"

    @property
    def interval_text(self) -> str:
        """Both ends of the interval, such as ``2.28–2.35``."""
        if self.low is None or self.high is None:
            return "–"
        return f"{self.low:.2f}–{self.high:.2f}"

    @property
    def significant(self) -> bool:
        """Whether the interval says something."""
        return self.verdict.is_faster or self.verdict.is_slower


@dataclass(frozen=True)
class Group:
    """Benchmarks of one kind, in the natural order of their names."""

    name: str
    rows: tuple[Row, ...]

    @property
    def counts(self) -> tuple[tuple[Verdict, int], ...]:
        """How many rows have each verdict, worst first; those that occur."""
        return count(self.rows)


@dataclass(frozen=True)
class Run:
    """The newest run of one pair of executables on one box and branch; ``date`` is in UTC.

    ``branch`` is empty for the one whose runs are the nights.
    """

    environment: str
    environment_id: int
    branch: str
    line: str
    commit: str
    date: datetime
    note: Note | None
    groups: tuple[Group, ...]

    @property
    def anchor(self) -> str:
        """Its place in the page."""
        words = f"{self.environment_id} {self.line} {self.branch}"
        return "run-" + re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")

    @property
    def timeline_query(self) -> str:
        """What leads to a timeline on the same box and branch; the benchmark is missing."""
        chosen: dict[str, object] = {"env": self.environment_id}
        return urlencode({**chosen, "bran": self.branch} if self.branch else chosen)

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows, group by group."""
        return tuple(row for group in self.groups for row in group.rows)

    @property
    def by_chance(self) -> int:
        """How many of its rows chance alone would call faster or slower, at the 95 % level."""
        return round(by_chance(sum(row.low is not None for row in self.rows), 0.95))

    @property
    def counts(self) -> tuple[tuple[Verdict, int], ...]:
        """How many rows have each verdict, worst first; those that occur."""
        return count(self.rows)

    @property
    def folded(self) -> bool:
        """Whether there are too many rows to show them all at once."""
        return len(self.rows) > _MOST_OPEN_ROWS


def count(rows: Iterable[Row]) -> tuple[tuple[Verdict, int], ...]:
    """How many rows have each verdict, worst first; those that occur."""
    found = Counter(row.verdict for row in rows)
    return tuple((verdict, found[verdict]) for verdict in Verdict if found[verdict])


def in_digits(value: float | None) -> str:
    """A number as people compare it: ``3.05``, ``20.8``, ``1,234``; a dash for None."""
    if value is None:
        return "–"
    if value == 0 or 0.01 <= value < 1e9:
        decimals = 2 if value < 10 else 1 if value < 100 else 0
        return f"{value:,.{decimals}f}"
    return f"{value:.2e}"


def rows_of(
    stock: Iterable[Measured],
    patched: Sequence[Measured],
    history: Mapping[str, Sequence[float]],
) -> tuple[Row, ...]:
    """A row per benchmark. ``history`` are the latest ratios by benchmark, oldest first.

    Where no ratio was sent, it is that of the two values, and has no interval.
    """
    before = {one.benchmark: one for one in stock}
    after = {one.benchmark: one for one in patched if not one.benchmark.endswith(RATIO_SUFFIX)}
    ratios = {
        one.benchmark.removesuffix(RATIO_SUFFIX): one
        for one in patched
        if one.benchmark.endswith(RATIO_SUFFIX)
    }
    rows = []
    for name in before.keys() | after.keys():
        first, second, sent = before.get(name), after.get(name), ratios.get(name)
        known = second or before[name]
        low, high = (sent.low, sent.high) if sent else (None, None)
        rows.append(
            Row(
                benchmark=name,
                description=known.description,
                stock=first.value if first else None,
                patched=second.value if second else None,
                units=known.units,
                ratio=sent.value if sent else _ratio(first, second),
                low=low,
                high=high,
                verdict=judge(low, high),
                spark=sparkline(history.get(name, ())),
            )
        )
    return tuple(sorted(rows, key=lambda row: natural_key(row.benchmark)))


def grouped(rows: Sequence[Row]) -> tuple[Group, ...]:
    """The rows by kind, in the order of their names; those of no kind last."""
    kinds = {group_of(row.benchmark) for row in rows}
    names = sorted(kinds, key=lambda name: (name == "other", natural_key(name)))
    return tuple(
        Group(name, tuple(row for row in rows if group_of(row.benchmark) == name)) for name in names
    )


def sparkline(values: Sequence[float], width: int = SPARK_WIDTH, height: int = SPARK_HEIGHT) -> str:
    """Points of a polyline in a box of that many pixels; empty below two values."""
    if len(values) < 2:
        return ""
    least, most = min(values), max(values)
    # A change of less than 5 % would otherwise look like a cliff.
    middle, reach = (least + most) / 2, max(most - least, 0.05 * most) or 1.0
    step = (width - 4) / (len(values) - 1)
    points = (
        (2 + step * index, height / 2 - (value - middle) / reach * (height - 4))
        for index, value in enumerate(values)
    )
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _ratio(stock: Measured | None, patched: Measured | None) -> float | None:
    """Patched over stock for throughput, stock over patched for time."""
    if stock is None or patched is None or not stock.value or not patched.value:
        return None
    if stock.less_is_better:
        return stock.value / patched.value
    return patched.value / stock.value
