"""Builds the series of a benchmark over time: one control-adjusted score per run.

A run's score is the mean of its paired log-ratios, patched against stock of the same run. The stock
forks are the control: what moves both sides is the box, not the code, and cancels out. A third
side, where a run has one, is no part of a series. A score
above 0 always means that the patched side is faster, for throughput and for time alike.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TypeAlias

from pydantic import Field, FiniteFloat

from flink_boost.flink.side import Side
from flink_boost.measure.model import Cell, Frozen, Mode, RunInfo, Timing
from flink_boost.measure.release import is_on_its_line
from flink_boost.measure.summary import CellSummary, RunSummary


class SeriesSettings(Frozen):
    """What must agree for two runs to be points of one series."""

    line: str
    environment: str = Field(description="name of the box")
    opened: bool
    quick_look: bool
    jvm_options: tuple[str, ...]
    jdk: int = Field(description="feature number: an update of the same JDK goes on with a series")
    threads: int
    heap: str
    project: str = Field(default="", description="whose commits, by a recipe; empty: ours")
    reference: str = Field(default="", description="'build': that of another commit; empty: stock")

    @property
    def identity(self) -> str:
        """The same for ever: what was added later counts where it is not the usual."""
        return self.model_dump_json(exclude_defaults=True)


class Point(Frozen):
    """One benchmark in one run."""

    run_id: str
    started: datetime
    commit: str
    pairs: int
    log_ratio: FiniteFloat = Field(description="mean of ln(speed patched ÷ speed stock) over pairs")
    effects: tuple[FiniteFloat, ...] = Field(exclude=True, description="the same of each pair")
    stock: FiniteFloat = Field(description="geometric mean of the scores, in the series' unit")
    patched: FiniteFloat = Field(description="geometric mean of the scores, in the series' unit")


class Series(Frozen):
    """One benchmark over time, oldest first.

    A run of the same settings that lacks the benchmark is a gap: ``None``, neither zero nor the
    value of the night before.
    """

    cell: Cell
    settings: SeriesSettings
    mode: Mode
    unit: str
    points: tuple[Point | None, ...]
    noise: FiniteFloat | None = Field(
        description="A/A noise of one point, as a standard deviation of ln ratio; None if unknown"
    )

    @property
    def present(self) -> tuple[Point, ...]:
        """The points without the gaps."""
        return tuple(point for point in self.points if point is not None)


def settings_of(run: RunInfo) -> SeriesSettings:
    """The settings that decide which series a run belongs to."""
    return SeriesSettings(
        line=run.line,
        environment=run.box.label,
        opened=run.opened,
        quick_look=run.quick_look,
        jvm_options=run.jvm_options,
        jdk=run.jdk_feature,
        threads=run.threads,
        heap=run.heap,
        project=run.recipe_project,
        reference="build" if run.recipe_project and run.baseline and run.baseline.commit else "",
    )


def build_series(runs: Iterable[RunSummary]) -> tuple[Series, ...]:
    """All series in the given runs, in the order in which benchmarks first appear.

    Runs whose purpose makes no point (requests, confirmations, measured by hand) are passed over,
    and those on another release than their line's. A/A runs give no points; they give the noise of
    the series with the same settings.
    """
    of_lines = (run for run in runs if is_on_its_line(run.info))
    ordered = sorted(of_lines, key=lambda run: (run.info.started, run.info.run_id))
    compared: defaultdict[SeriesSettings, list[RunSummary]] = defaultdict(list)
    controls: defaultdict[SeriesSettings, list[RunSummary]] = defaultdict(list)
    for run in ordered:
        if run.is_aa:
            controls[settings_of(run.info)].append(run)
        elif run.info.purpose.makes_a_point:
            compared[settings_of(run.info)].append(run)
    return tuple(
        series
        for settings, group in compared.items()
        for series in _series_of(settings, group, controls[without_recipe(settings)])
    )


def without_recipe(settings: SeriesSettings) -> SeriesSettings:
    """The settings of A/A runs: stock against stock is the same, whatever is compared with it."""
    return settings.model_copy(update={"project": "", "reference": ""})


def pair_log_ratios(cell: CellSummary, sides: tuple[Side, Side]) -> tuple[float, ...]:
    """ln(speed of the second side ÷ speed of the first), per pair that has both forks."""
    return _log_ratios(cell, cell.paired_scores(sides))


def _log_ratios(cell: CellSummary, pairs: Iterable[tuple[float, float]]) -> tuple[float, ...]:
    sign = -1 if cell.mode.less_is_better else 1
    return tuple(sign * math.log(second / first) for first, second in pairs)


def _series_of(
    settings: SeriesSettings, runs: Sequence[RunSummary], controls: Sequence[RunSummary]
) -> Iterable[Series]:
    per_run = [_by_measure(run) for run in runs]
    measures = dict.fromkeys(measure for cells in per_run for measure in cells)
    control_cells = [_by_measure(run) for run in controls]
    for measure in measures:
        cell, mode, unit, _ = measure
        points = tuple(
            _point(run, cells[measure]) if measure in cells else None
            for run, cells in zip(runs, per_run, strict=True)
        )
        present = [point for point in points if point is not None]
        if not present:
            continue
        aa_ratios = [
            ratio
            for run, cells in zip(controls, control_cells, strict=True)
            if measure in cells
            for ratio in pair_log_ratios(cells[measure], run.info.main_sides)
        ]
        yield Series(
            cell=cell,
            settings=settings,
            mode=mode,
            unit=unit,
            points=points,
            noise=_noise(aa_ratios, [point.pairs for point in present]),
        )


Measure: TypeAlias = tuple[Cell, Mode, str, Timing | None]


def _by_measure(run: RunSummary) -> dict[Measure, CellSummary]:
    """A benchmark whose unit, direction or timing was changed starts a series of its own."""
    timings = dict(zip(run.info.cells, run.info.timings, strict=False))
    return {(one.cell, one.mode, one.unit, timings.get(one.cell)): one for one in run.cells}


def _point(run: RunSummary, cell: CellSummary) -> Point | None:
    pairs = cell.paired_scores(run.info.main_sides)
    if not pairs:
        return None
    ratios = _log_ratios(cell, pairs)
    return Point(
        run_id=run.info.run_id,
        started=run.info.started,
        commit=run.info.subject_commit,
        pairs=len(ratios),
        log_ratio=statistics.fmean(ratios),
        effects=ratios,
        stock=statistics.geometric_mean([first for first, _ in pairs]),
        patched=statistics.geometric_mean([second for _, second in pairs]),
    )


def _noise(aa_ratios: Sequence[float], pairs: Sequence[int]) -> float | None:
    """Standard deviation that a point of that many pairs has when nothing differs.

    The true mean of an A/A log-ratio is 0, so the pairs of all A/A runs are pooled around 0.
    """
    if len(aa_ratios) < 2:
        return None
    per_pair = math.sqrt(statistics.fmean(ratio * ratio for ratio in aa_ratios))
    return per_pair / math.sqrt(statistics.median(pairs))
