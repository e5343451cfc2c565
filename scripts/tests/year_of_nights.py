"""Writes a year of nights into a results store: summaries of runs whose forks are long gone.

``python tests/year_of_nights.py FOLDER`` writes 365 nights of 200 benchmarks.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from synthetic import make_run

from flink_boost.flink.side import Side
from flink_boost.measure import finalize, store
from flink_boost.measure.model import Cell, Mode
from flink_boost.measure.store import RunState
from flink_boost.measure.summary import CellSummary, RunSummary, SideScores

SUITE = "org.apache.flink.benchmark.StringSerializationBenchmark"


def store_year(results: Path, nights: int = 365, benchmarks: int = 200, pairs: int = 5) -> None:
    """Runs that have ended, with a summary each; the last benchmark becomes slower at the end."""
    cells = tuple(
        Cell(benchmark=f"{SUITE}.write", params=(("kind", "ascii"), ("length", str(number))))
        for number in range(benchmarks)
    )
    source = random.Random(1)
    for night in range(nights):
        run = make_run(night, cells=cells, pairs=pairs)
        folder = results / run.run_id
        folder.mkdir(parents=True)
        store.run_path(results, run.run_id).write_text(run.model_dump_json(), encoding="utf-8")
        is_slow = night >= nights - 3

        def level(cell: Cell, side: Side, is_slow: bool = is_slow) -> float:
            return 150.0 if is_slow and cell is cells[-1] and side is Side.PATCHED else 100.0

        measured = tuple(
            CellSummary(
                cell=cell,
                mode=Mode.AVERAGE_TIME,
                unit="ns/op",
                sides=tuple(
                    SideScores(
                        side=side,
                        forks=tuple(
                            (pair, level(cell, side) * source.lognormvariate(0.0, 0.01), 48.0)
                            for pair in range(1, pairs + 1)
                        ),
                    )
                    for side in run.sides
                ),
            )
            for cell in cells
        )
        summary = RunSummary(
            plan=finalize.plan_stamp(results, run.run_id), info=run, cells=measured
        )
        (folder / finalize.SUMMARY_FILE).write_text(summary.model_dump_json(), encoding="utf-8")
        (folder / RunState.COMPLETE.value).touch()


if __name__ == "__main__":
    store_year(Path(sys.argv[1]))
