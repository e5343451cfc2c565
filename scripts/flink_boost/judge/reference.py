"""Published tables beside ours: every row as published, and what the same benchmark gave here.

A reference is ``references/<name>.toml`` with the CSV files that it names. Published scores carry
an error, and so does their ratio: the errors are half-widths of 99.9 % intervals, as JMH prints
them, over a known number of iterations. Relative errors add up as squares; the sum is brought to
the confidence of our own interval, and is symmetric on the logarithm of the ratio, like ours.
"""

from __future__ import annotations

import csv
import math
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import scipy
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from flink_boost.base.errors import BrokenData, UsageProblem
from flink_boost.flink.side import Side
from flink_boost.judge.outcomes import Comparison
from flink_boost.judge.pool import one_plan, pool
from flink_boost.judge.ratio import Interval, compare, contrasts
from flink_boost.measure.fork import Fork
from flink_boost.measure.model import Cell, Frozen, Mode, Purpose, RunInfo
from flink_boost.measure.release import is_on_its_line

REFERENCES = Path(__file__).with_name("references")
JMH_CONFIDENCE = 0.999
Run = tuple[RunInfo, Sequence[Fork]]


class PublishedRow(Frozen):
    """One row as it was published, and the cells of ours that it stands for."""

    label: str
    mode: Mode
    unit: str
    before: Annotated[float, Field(gt=0)]
    before_error: Annotated[float, Field(ge=0)]
    after: Annotated[float, Field(gt=0)]
    after_error: Annotated[float, Field(ge=0)]
    iterations: int
    benchmark: str
    params: tuple[tuple[str, str], ...]

    def stands_for(self, cell: Cell) -> bool:
        """True when that cell of ours measures the same thing."""
        return cell.benchmark == self.benchmark and set(self.params) <= set(cell.params)

    def ratio(self, confidence: float) -> Interval:
        """After against before, above 1 when after is faster, with its propagated interval."""
        ratio = self.after / self.before
        if self.mode.less_is_better:
            ratio = 1 / ratio
        error = math.hypot(self.before_error / self.before, self.after_error / self.after)
        freedom = self.iterations - 1
        quantiles = scipy.special.stdtrit(freedom, [(1 + confidence) / 2, (1 + JMH_CONFIDENCE) / 2])
        half = error * float(quantiles[0] / quantiles[1])
        return Interval(ratio, ratio * math.exp(-half), ratio * math.exp(half))


@dataclass(frozen=True)
class Reference:
    """Published tables of one change."""

    name: str
    title: str
    line: str
    rows: tuple[PublishedRow, ...]


class Standing(StrEnum):
    """What our ratio is to a published one."""

    MET = "met"  # inside the published interval, or above it
    NOT_MET = "not met"
    NO_RUN = "no run"


class ReferenceRow(Frozen):
    """A published row and ours beside it; ``ours`` is None when there is no run of it."""

    published: PublishedRow
    ratio: float = Field(description="published")
    low: float
    high: float
    run_id: str = Field(default="", description="the run that ours is of")
    ours: Comparison | None = None
    third_title: str = ""
    third: Comparison | None = Field(default=None, description="the third side against stock")
    against_third: Comparison | None = Field(default=None, description="ours against it")

    @property
    def outcome(self) -> Standing:
        """``met`` when our ratio is inside or above the published interval."""
        if self.ours is None:
            return Standing.NO_RUN
        return Standing.MET if self.ours.ratio >= self.low else Standing.NOT_MET


class _Cells(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    when: dict[str, str] = Field(default_factory=dict)
    benchmark: str
    params: dict[str, str] = Field(default_factory=dict)


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str
    label: str
    cells: Annotated[list[_Cells], Field(min_length=1)]


class _Mapping(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    line: str
    iterations: Annotated[int, Field(ge=2)]
    tables: Annotated[list[_Table], Field(min_length=1)]


def load_reference(name: str, folder: Path = REFERENCES) -> Reference:
    """The reference of that name.

    Raises ``UsageProblem`` naming those that exist, ``BrokenData`` for a file that does not fit.
    """
    known = sorted(path.stem for path in folder.glob("*.toml"))
    if name not in known:
        raise UsageProblem(
            f"There is no reference {name!r}.", f"Choose one of: {', '.join(known)}."
        )
    path = folder / f"{name}.toml"
    try:
        mapping = _Mapping.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
        rows = [row for table in mapping.tables for row in _rows(table, mapping, folder)]
    except (tomllib.TOMLDecodeError, ValidationError, KeyError, OSError) as error:
        raise BrokenData(
            f"{path} does not fit its tables: {type(error).__name__}: {error}.",
            "Correct the file.",
        ) from error
    return Reference(name, mapping.title, mapping.line, tuple(rows))


def _rows(table: _Table, mapping: _Mapping, folder: Path) -> Iterable[PublishedRow]:
    with (folder / table.file).open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            cells = _first_that_holds(table.cells, line)
            params = {name: text.format_map(line) for name, text in cells.params.items()}
            yield PublishedRow(
                label=" ".join(table.label.format_map(line).split()),
                benchmark=cells.benchmark.format_map(line),
                params=tuple((name, value) for name, value in params.items() if value),
                iterations=mapping.iterations,
                **{name: line[name] for name in _FACTS},  # type: ignore[arg-type]
            )


_FACTS = ("mode", "unit", "before", "before_error", "after", "after_error")


def _first_that_holds(cells: Sequence[_Cells], line: Mapping[str, str]) -> _Cells:
    for one in cells:
        if all(line[name] == value for name, value in one.when.items()):
            return one
    raise KeyError(f"no entry of cells holds for {dict(line)}")


def wants(reference: Reference) -> Callable[[RunInfo], bool]:
    """Which runs are looked at when none is named: of that line, in usual circumstances."""

    def wanted(info: RunInfo) -> bool:
        return (
            info.line == reference.line
            and is_on_its_line(info)
            and Side.CONTROL not in info.sides
            and info.opened
            # Of a canary the jar is a frozen one, of a recipe the commits are others'.
            and info.purpose is not Purpose.CANARY
            and not info.recipe_project
            and (info.threads, info.heap) == (1, "")
        )

    return wanted


def set_beside(
    reference: Reference, runs: Sequence[Run], confidence: float
) -> tuple[ReferenceRow, ...]:
    """Every published row, with every cell of ours that it stands for.

    ``runs`` come best first. Runs of one plan are pooled; among different ones the first that
    measured a cell is taken.
    """
    pooled = [pool(group) for group in _of_one_plan(runs)]
    rows: list[ReferenceRow] = []
    for published in reference.rows:
        span = published.ratio(confidence)
        plain = ReferenceRow(published=published, ratio=span.ratio, low=span.low, high=span.high)
        found: dict[Cell, ReferenceRow] = {}
        for info, forks in pooled:
            own = [cell for cell in info.cells if published.stands_for(cell)]
            for cell in own:
                if cell not in found and (beside := _beside(plain, info, forks, cell, confidence)):
                    found[cell] = beside
        rows += found.values() or [plain]
    return tuple(rows)


def _of_one_plan(runs: Sequence[Run]) -> list[list[Run]]:
    groups: list[list[Run]] = []
    for run in runs:
        for group in groups:
            if one_plan(group[0][0], run[0]):
                group.append(run)
                break
        else:
            groups.append([run])
    return groups


def _beside(
    plain: ReferenceRow, info: RunInfo, forks: Sequence[Fork], cell: Cell, confidence: float
) -> ReferenceRow | None:
    own = [fork for fork in forks if fork.cell == cell]
    only = info.model_copy(update={"cells": (cell,)})
    compared = [compare(only, own, confidence, sides) for sides in contrasts(info)]
    if not compared[0] or compared[0][0].mode.less_is_better != plain.published.mode.less_is_better:
        return None
    further = [rows[0] if rows else None for rows in compared[1:]]
    return plain.model_copy(
        update={
            "run_id": info.run_id,
            "ours": compared[0][0],
            "third_title": info.title_of(info.sides[2]) if further else "",
            "third": further[0] if further else None,
            "against_third": further[1] if further else None,
        }
    )
