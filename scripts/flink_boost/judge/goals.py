"""Goals that a run is held to: floors of ratios, cell by cell, and which of them are missed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from flink_boost.base.errors import BrokenData, EnvironmentProblem
from flink_boost.judge.comparators import AgainstComparator
from flink_boost.judge.outcomes import Comparison, GcComparison
from flink_boost.measure.model import Cell, Frozen, RunInfo
from flink_boost.measure.toml_file import read_toml


class Goal(Frozen):
    """A floor of one kind of ratio for the cells that it names, in the runs that it names."""

    name: str
    benchmark: str = Field(description="Class.method, * for any characters")
    params: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    of: Literal["speed", "gc-time", "comparator"] = "speed"
    floor: Annotated[float, Field(gt=0)] | None = None
    at_length: dict[str, Annotated[float, Field(gt=0)]] = Field(
        default_factory=dict, alias="at-length", description="floor by the parameter 'length'"
    )
    ours: dict[str, tuple[str, ...]] = Field(
        default_factory=dict, description="of a comparator's goal: what our cell may be"
    )
    opened: bool | None = Field(default=None, description="only for runs opened, or not opened")
    heap: bool | None = Field(default=None, description="only for runs with a heap given, or not")
    lines: tuple[str, ...] = Field(default=(), description="only for these lines")

    def applies_to(self, info: RunInfo) -> bool:
        """True when a run of these circumstances is held to the goal."""
        return (
            self.opened in (None, info.opened)
            and self.heap in (None, bool(info.heap))
            and (not self.lines or info.line in self.lines)
        )

    def floor_of(self, cell: Cell) -> float | None:
        """The floor of a cell; None when the goal says nothing about it."""
        if not fnmatchcase(cell.name.partition("[")[0], self.benchmark):
            return None
        if not _has(cell, self.params):
            return None
        return self.at_length.get(dict(cell.params).get("length", ""), self.floor)


def _has(cell: Cell, allowed: dict[str, tuple[str, ...]]) -> bool:
    params = dict(cell.params)
    return all(params.get(name) in values for name, values in allowed.items())


class State(StrEnum):
    """How a cell stands to its goal."""

    MET = "met"
    OPEN = "open"  # the interval holds the floor: more pairs would tell
    MISSED = "missed"


class Judged(Frozen):
    """A cell held to a goal."""

    goal: str
    name: str
    floor: float
    ratio: float
    low: float
    high: float
    pairs: int

    @property
    def state(self) -> State:
        """Met when the whole interval is at the floor or above it; a single pair is open."""
        if self.low >= self.floor:
            return State.MET
        return State.OPEN if self.high >= self.floor else State.MISSED


class _Goals(Frozen):
    goals: Annotated[tuple[Goal, ...], Field(min_length=1)]


def load_goals(path: Path) -> tuple[Goal, ...]:
    """The goals of a file.

    Raises ``EnvironmentProblem`` when it is missing, ``BrokenData`` naming what is wrong in it.
    """
    try:
        goals = read_toml(path, _Goals).goals
    except FileNotFoundError:
        raise EnvironmentProblem(f"{path} is missing.", "Name another one.") from None
    for goal in goals:
        if goal.floor is None and not goal.at_length:
            raise BrokenData(f"{path}: the goal {goal.name!r} has no floor.", "Give it one.")
    return goals


def judge_goals(
    info: RunInfo,
    rows: Sequence[Comparison],
    against: Sequence[AgainstComparator],
    goals: Sequence[Goal],
) -> tuple[tuple[Judged, ...], tuple[str, ...]]:
    """Every cell held to every goal that applies, and the names of goals that met no cell."""
    judged: list[Judged] = []
    unmeasured = []
    for goal in goals:
        if not goal.applies_to(info):
            continue
        found = list(_judge(goal, rows, against))
        judged += found
        unmeasured += [] if found else [goal.name]
    return tuple(judged), tuple(unmeasured)


def _judge(
    goal: Goal, rows: Sequence[Comparison], against: Sequence[AgainstComparator]
) -> Iterable[Judged]:
    if goal.of == "comparator":
        for one in against:
            floor = goal.floor_of(one.row.cell)
            if floor is not None and _has(one.ours, goal.ours):
                name = f"{one.ours.name} against {one.row.cell.method}"
                yield _judged(goal, name, floor, one.row, one.row.pairs)
        return
    for row in rows:
        floor = goal.floor_of(row.cell)
        value = row if goal.of == "speed" else row.gc
        if floor is not None and value is not None:
            yield _judged(goal, row.cell.name, floor, value, row.pairs)


def _judged(
    goal: Goal, name: str, floor: float, value: Comparison | GcComparison, pairs: int
) -> Judged:
    return Judged(
        goal=goal.name,
        name=name,
        floor=floor,
        ratio=value.ratio,
        low=value.low,
        high=value.high,
        pairs=pairs,
    )
