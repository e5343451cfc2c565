"""What a finished run has measured, in one value: all that a history of runs is judged by. Pure.

The summary of a run is made from its forks once, when the run ends, and kept beside them
(``flink_boost.measure.finalize``). Detection and the upload read summaries only, so a year of
nights is a file per night and not a file per fork.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Annotated, TypeAlias

from pydantic import Field

from flink_boost.flink.side import Side
from flink_boost.measure.fork import Fork
from flink_boost.measure.model import RUN_SCHEMA, Cell, Frozen, Mode, RunInfo

_NAMED = 3  # so many missing forks are named one by one

Score = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class SideScores(Frozen):
    """The forks of one cell on one side, by ascending pair."""

    side: Side
    forks: tuple[tuple[int, Score, float | None], ...] = Field(
        description="pair, score in the cell's unit, allocation in B/op"
    )

    @property
    def scores(self) -> tuple[float, ...]:
        """The scores alone."""
        return tuple(score for _, score, _ in self.forks)


class CellSummary(Frozen):
    """One benchmark in one run."""

    cell: Cell
    mode: Mode = Field(description="JMH's: thrpt, more is better; avgt, less is better")
    unit: str = Field(description="of the scores, as JMH prints it: 'ns/op', 'ops/ms'")
    sides: tuple[SideScores, ...] = Field(description="in the order of the plan")

    def of(self, side: Side) -> SideScores | None:
        """The forks of that side; None when there is none."""
        for one in self.sides:
            if one.side is side:
                return one
        return None

    def paired_scores(self, sides: tuple[Side, Side]) -> tuple[tuple[float, float], ...]:
        """The scores of the whole pairs, by ascending pair; a half counts for nothing."""
        first, second = self.of(sides[0]), self.of(sides[1])
        if first is None or second is None:
            return ()
        others = {pair: score for pair, score, _ in second.forks}
        return tuple((score, others[pair]) for pair, score, _ in first.forks if pair in others)


class MissingFork(Frozen):
    """A planned fork that gave no result, or whose file is damaged."""

    cell: Cell
    side: Side
    pair: int = Field(description="from 1")
    damage: str = Field(default="", description="what is wrong with its file; empty without one")


class PlanStamp(Frozen):
    """Which ``run.json`` a summary belongs to; size and time alone spare reading it."""

    size: int = Field(default=0, description="in bytes")
    mtime_ns: int = Field(default=0, description="when it was written, in ns since 1970")
    sha256: str = Field(default="", description="of its content")


class RunSummary(Frozen):
    """A finished run: plan, scores, and what is missing."""

    schema_version: int = Field(
        default=RUN_SCHEMA, ge=1, le=RUN_SCHEMA, description="of summary.json: as of run.json"
    )
    revision: int = Field(default=1, ge=1, description="grows when a repair changes the scores")
    plan: PlanStamp = Field(default=PlanStamp(), description="which run.json it was made of")
    info: RunInfo = Field(description="the plan, as in run.json")
    cells: tuple[CellSummary, ...] = Field(description="what was measured")
    missing: tuple[MissingFork, ...] = Field(default=(), description="planned forks without result")

    @property
    def is_aa(self) -> bool:
        """True when both sides were stock."""
        return Side.CONTROL in self.info.sides

    @property
    def has_pairs(self) -> bool:
        """True when there is a benchmark to compare."""
        return any(cell.paired_scores(self.info.main_sides) for cell in self.cells)


_Measured: TypeAlias = tuple[Cell, Mode, str]


def summarise(
    info: RunInfo,
    forks: Iterable[Fork],
    missing: Sequence[MissingFork] = (),
    *,
    revision: int = 1,
    plan: PlanStamp | None = None,
) -> RunSummary:
    """The summary of a run with these forks, cells and sides in the order of the plan.

    A fork whose score is no positive number counts for nothing.
    """
    found: defaultdict[_Measured, defaultdict[Side, dict[int, Fork]]]
    found = defaultdict(lambda: defaultdict(dict))
    for fork in forks:
        if math.isfinite(fork.score) and fork.score > 0:
            found[fork.cell, fork.mode, fork.unit][fork.side][fork.pair] = fork
    place = {cell: number for number, cell in enumerate(info.cells)}
    measured = sorted(found, key=lambda one: place.get(one[0], len(place)))
    return RunSummary(
        revision=revision,
        plan=plan or PlanStamp(),
        info=info,
        cells=tuple(
            CellSummary(
                cell=cell,
                mode=mode,
                unit=unit,
                sides=tuple(
                    _side_scores(side, found[cell, mode, unit][side])
                    for side in info.sides
                    if side in found[cell, mode, unit]
                ),
            )
            for cell, mode, unit in measured
        ),
        missing=tuple(missing),
    )


def gap_sentence(info: RunInfo, missing: Sequence[MissingFork]) -> str:
    """What is missing in a run and how to measure it again; empty when nothing is.

    The same words in every command that leaves something out.
    """
    if not missing:
        return ""
    return (
        f"Run {info.run_id} has gaps: {len(missing)} of {info.forks_planned} forks are missing "
        f"({named_forks(info, missing)});"
        f" `flink-boost bench --resume {info.run_id}` measures them again."
    )


def named_forks(info: RunInfo, missing: Sequence[MissingFork]) -> str:
    """Some of them by name, and how many more there are."""
    # What is damaged comes first: nobody would look for it otherwise.
    ordered = sorted(missing, key=lambda one: not one.damage)
    named = "; ".join(_name(info, one) for one in ordered[:_NAMED])
    return named + (f"; and {len(missing) - _NAMED} more" if len(missing) > _NAMED else "")


def _name(info: RunInfo, fork: MissingFork) -> str:
    name = f"{fork.cell.name}, {info.title_of(fork.side)}, pair {fork.pair}"
    return f"{name}: {fork.damage}" if fork.damage else name


def _side_scores(side: Side, by_pair: dict[int, Fork]) -> SideScores:
    forks = [by_pair[pair] for pair in sorted(by_pair)]
    return SideScores(
        side=side,
        forks=tuple((fork.pair, fork.score, fork.alloc_bytes_per_op) for fork in forks),
    )
