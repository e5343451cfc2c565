"""Reads what was measured so far from the results store, passing over what cannot be read.

One broken run must not keep all others from being sent, judged or shown, so it becomes a sentence
in :attr:`History.broken` instead of an error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from flink_boost.base.errors import FlinkBoostError
from flink_boost.measure import store
from flink_boost.measure.model import MeasuredRun, RunInfo


@dataclass(frozen=True)
class History:
    """Complete runs, oldest first, and a sentence for each that cannot be read."""

    runs: tuple[MeasuredRun, ...]
    broken: tuple[str, ...]


def load_history(results: Path, wanted: Callable[[RunInfo], bool] = lambda _: True) -> History:
    """The complete runs in the store for which ``wanted`` holds."""
    runs: list[MeasuredRun] = []
    broken: list[str] = []
    for run_id in store.complete_run_ids(results):
        try:
            info = store.load_run(results, run_id)
            if wanted(info):
                runs.append(MeasuredRun(info, store.load_forks(results, run_id)))
        except FlinkBoostError as error:
            broken.append(f"Run {run_id} is left out: {error}")
    runs.sort(key=lambda run: (run.info.started, run.info.run_id))
    return History(tuple(runs), tuple(broken))
