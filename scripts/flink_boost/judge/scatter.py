"""The scatter of each benchmark from what was measured on a box. Pure."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from flink_boost.judge.series import pair_log_ratios
from flink_boost.measure.model import Cell
from flink_boost.measure.pair_scatter import Scatter, ScatterTable
from flink_boost.measure.summary import RunSummary

LEAST_DEGREES = 6  # of freedom: fewer say less than a table that was measured elsewhere
_SMALLEST = 0.001  # a spread of nothing would be a promise that nobody can keep


def measured_scatter(
    table: ScatterTable, runs: Iterable[RunSummary], starts: Mapping[Cell, float]
) -> ScatterTable:
    """The table with the figures of these runs, which should be of one box and line.

    The spread is pooled within the runs, so that a change between two of them does not count.
    ``starts`` has the seconds of a fork besides its iterations, where they are known. Benchmarks
    with too few pairs keep what the table says.
    """
    squares: defaultdict[Cell, float] = defaultdict(float)
    degrees: defaultdict[Cell, int] = defaultdict(int)
    for run in runs:
        for cell in run.cells:
            ratios = pair_log_ratios(cell, run.info.main_sides)
            if len(ratios) >= 2:
                squares[cell.cell] += statistics.variance(ratios) * (len(ratios) - 1)
                degrees[cell.cell] += len(ratios) - 1
    measured = {
        cell.name: Scatter(
            spread=max(_SMALLEST, math.sqrt(squares[cell] / count)),
            start=starts.get(cell, table.of(cell).start),
        )
        for cell, count in degrees.items()
        if count >= LEAST_DEGREES
    }
    return replace(table, measured={**table.measured, **measured})
