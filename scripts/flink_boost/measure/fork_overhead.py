"""How long forks took besides their iterations, by when their files appeared."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from flink_boost.measure import fork_files
from flink_boost.measure.model import Cell, RunInfo

_LEAST_FORKS = 3
_LONGEST = 120.0  # seconds: beyond it the run was interrupted, or something hung


def start_seconds(results: Path, runs: Iterable[RunInfo]) -> dict[Cell, float]:
    """Median per benchmark; those with too few forks are not in it.

    A fork's file appears as it ends, and the next fork starts at once: the time between two files,
    less the iterations, is what starting took.
    """
    found: defaultdict[Cell, list[float]] = defaultdict(list)
    for info in runs:
        timings = dict(zip(info.cells, info.timings, strict=False))
        before: float | None = None
        for planned in fork_files.planned_forks(info):
            ended = _written(fork_files.json_path(results, info.run_id, planned))
            if before is not None and ended is not None and planned.cell in timings:
                start = ended - before - timings[planned.cell].seconds
                if 0 < start < _LONGEST:
                    found[planned.cell].append(start)
            before = ended
    return {
        cell: statistics.median(seconds)
        for cell, seconds in found.items()
        if len(seconds) >= _LEAST_FORKS
    }


def _written(path: Path) -> float | None:
    try:
        return path.stat().st_mtime
    except OSError:
        return None
