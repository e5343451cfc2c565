"""How many pairs each benchmark of a group gets in a given time. Pure.

Each begins with ``FEWEST``. Then pair after pair goes to the benchmark whose 95 % interval it
narrows most for its time, until the time is used up. A benchmark that reaches the wanted width, or
has ``MOST`` pairs, gets no more. So what scatters more gets more pairs, but not all the time: equal
widths for all would leave nothing to those that can tell a small change.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import scipy

from flink_boost.measure.groups import Group
from flink_boost.measure.model import Cell, Timing
from flink_boost.measure.pair_scatter import Scatter, ScatterTable

FEWEST = 5
MOST = 30
WANTED = 0.02  # half an interval, as a share: a ratio of 1.00 is known as 0.98 to 1.02
_CONFIDENCE = 0.95


@dataclass(frozen=True)
class CellPlan:
    """What one benchmark gets."""

    cell: Cell
    pairs: int
    seconds: float
    half_interval: float  # expected, on the logarithm
    spread: float
    measured: bool  # whether its scatter was measured on this box

    @property
    def half_interval_share(self) -> float:
        """The same as a share of the ratio: 0.02 is ±2 %."""
        return math.expm1(self.half_interval)


@dataclass(frozen=True)
class Allotment:
    """The plan of a night's group: one entry per benchmark that is measured, in order."""

    group: Group
    cells: tuple[CellPlan, ...]
    left_out: tuple[Cell, ...]
    seconds: float
    budget: float
    fits: bool
    notes: tuple[str, ...]


def allot(
    group: Group,
    scatter: ScatterTable,
    *,
    cores: int,
    budget: float,
    wanted: float = WANTED,
    most: int = MOST,
) -> Allotment:
    """The pairs of each benchmark so that all take no more than ``budget`` seconds.

    Benchmarks that ask for more cores are left out, unless all do. When even the fewest pairs take
    longer ``fits`` is false, and ``notes`` says how long it takes.
    """
    asked = group.cores or (1,) * len(group.cells)
    kept = {cell for cell, wants in zip(group.cells, asked, strict=True) if wants <= cores}
    part = group.only(kept) if kept else group
    left_out = tuple(cell for cell in group.cells if kept and cell not in kept)
    works = [
        _Work(cell, scatter.of(cell), _fork_seconds(timing, scatter.of(cell)), _forks(cell))
        for cell, timing in zip(part.cells, part.timings, strict=True)
    ]
    pairs = _share_out(works, math.log1p(wanted), budget, most)
    plans = tuple(_plan(*one, scatter) for one in zip(works, pairs, strict=True))
    seconds = sum(plan.seconds for plan in plans)
    return Allotment(
        group=part.with_pairs([plan.pairs for plan in plans]),
        cells=plans,
        left_out=left_out,
        seconds=seconds,
        budget=budget,
        fits=seconds <= budget,
        notes=_notes(plans, left_out, cores, seconds, budget, wanted),
    )


@dataclass(frozen=True)
class _Work:
    cell: Cell
    scatter: Scatter
    fork_seconds: float
    forks: int  # in a pair

    def seconds(self, pairs: int) -> float:
        return pairs * self.forks * self.fork_seconds


def _fork_seconds(timing: Timing, scatter: Scatter) -> float:
    return timing.seconds + scatter.start


def _forks(cell: Cell) -> int:
    # As RunInfo.sides_of: other people's code is measured on the patched side only.
    return 1 if cell.is_comparator else 2


def half_interval(spread: float, pairs: int) -> float:
    """Half the width of the 95 % interval of a mean of so many pairs; infinite for one."""
    return spread * _factor(pairs)


@cache
def _factor(pairs: int) -> float:
    if pairs < 2:
        return math.inf
    return float(scipy.special.stdtrit(pairs - 1, (1 + _CONFIDENCE) / 2)) / math.sqrt(pairs)


def _share_out(works: Sequence[_Work], wanted: float, budget: float, most: int) -> list[int]:
    pairs = [FEWEST] * len(works)
    left = budget - sum(work.seconds(FEWEST) for work in works)
    waiting: list[tuple[float, int]] = []

    def line_up(place: int) -> None:
        work, has = works[place], pairs[place]
        width = half_interval(work.scatter.spread, has)
        if has < most and width > wanted:
            gain = width - half_interval(work.scatter.spread, has + 1)
            heapq.heappush(waiting, (-gain / work.seconds(1), place))

    for place in range(len(works)):
        line_up(place)
    while waiting:
        _, place = heapq.heappop(waiting)
        if works[place].seconds(1) <= left:
            left -= works[place].seconds(1)
            pairs[place] += 1
            line_up(place)
    return pairs


def _plan(work: _Work, pairs: int, scatter: ScatterTable) -> CellPlan:
    return CellPlan(
        cell=work.cell,
        pairs=pairs,
        seconds=work.seconds(pairs),
        half_interval=half_interval(work.scatter.spread, pairs),
        spread=work.scatter.spread,
        measured=scatter.is_measured(work.cell),
    )


def _notes(
    plans: Sequence[CellPlan],
    left_out: Sequence[Cell],
    cores: int,
    seconds: float,
    budget: float,
    wanted: float,
) -> tuple[str, ...]:
    notes = []
    if left_out:
        few = "1 core" if cores == 1 else f"{cores} cores"
        notes.append(
            f"A shorter group: {len(left_out)} of {len(left_out) + len(plans)} benchmarks are left"
            f" out, because they need more than the {few} of this box."
        )
    if seconds > budget:
        notes.append(
            f"It does not fit: even the fewest pairs take {seconds / 3600:.1f} h,"
            f" and there are {budget / 3600:.1f} h."
        )
    coarse = sum(plan.half_interval_share > wanted for plan in plans)
    if coarse:
        notes.append(
            f"{coarse} of {len(plans)} benchmarks are expected to be known less exactly than"
            f" ±{wanted:.0%}."
        )
    rough = sum(not plan.measured for plan in plans)
    if rough:
        notes.append(
            f"The scatter of {rough} of {len(plans)} benchmarks was measured elsewhere:"
            " `flink-boost plan --from-results` takes that of this box."
        )
    return tuple(notes)
