"""Reads what was measured so far from the results store, passing over what cannot be read.

One broken run must not keep all others from being sent, judged or shown, so it becomes a sentence
in :attr:`History.broken` instead of an error. A run that lacks some of its forks counts with what
it has, and a sentence in :attr:`History.gaps` says so.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from pydantic import ValidationError

from flink_boost.base.errors import FlinkBoostError, UsageProblem
from flink_boost.measure import store
from flink_boost.measure.finalize import SUMMARY_FILE, load_summary
from flink_boost.measure.model import RunInfo
from flink_boost.measure.schema import RUN_FILES, is_newer
from flink_boost.measure.summary import RunSummary, gap_sentence

_Files: TypeAlias = tuple[tuple[int, int, int] | None, ...]


@dataclass(frozen=True)
class History:
    """Runs that have ended, oldest first, and a sentence for each that cannot be read."""

    runs: tuple[RunSummary, ...]
    broken: tuple[str, ...]

    @property
    def gaps(self) -> tuple[str, ...]:
        """A sentence for each run that lacks some of its forks, oldest first."""
        sentences = (gap_sentence(run.info, run.missing) for run in self.runs)
        return tuple(sentence for sentence in sentences if sentence)


class HistoryReader:
    """Reads each run of a store once; later calls read only what is new or was changed since."""

    def __init__(self, results: Path) -> None:
        self.results = results
        self._read: dict[str, tuple[_Files, RunSummary]] = {}

    def load(self, wanted: Callable[[RunInfo], bool] | None = None) -> History:
        """The runs in the store that have ended, with or without failures, and are wanted.

        Opens one file per run where the summaries are in order. Of a run that is not wanted, that
        is its plan: who looks for a few of them need not hold all results in memory.
        """
        broken: list[str] = []
        before, self._read = self._read, {}
        with _collector_paused():
            for run_id in store.final_run_ids(self.results):
                files = self._files(run_id)
                if run_id in before and before[run_id][0] == files:
                    self._read[run_id] = before[run_id]
                    continue
                if wanted is not None and not self._may_be(run_id, wanted):
                    continue
                try:
                    summary = load_summary(self.results, run_id)
                except FlinkBoostError as error:
                    broken.append(f"Run {run_id} is left out: {error}")
                    continue
                # As they were before it was read: what changes meanwhile is read again.
                self._read[run_id] = (files, summary)
        found = [summary for _, summary in self._read.values()]
        runs = [one for one in found if wanted is None or wanted(one.info)]
        runs.sort(key=lambda run: (run.info.started, run.info.run_id))
        return History(tuple(runs), tuple(broken))

    def _may_be(self, run_id: str, wanted: Callable[[RunInfo], bool]) -> bool:
        """Whether its plan is wanted, or something cannot be read: who reads all of it says why."""
        if any(is_newer(self.results / run_id / name) for name in RUN_FILES):
            return True
        try:
            plan = store.run_path(self.results, run_id).read_bytes()
            return wanted(RunInfo.model_validate_json(plan))
        except (OSError, ValidationError):
            return True

    def _files(self, run_id: str) -> _Files:
        paths = (store.run_path(self.results, run_id), self.results / run_id / SUMMARY_FILE)
        return tuple(_identity(path) for path in paths)


def load_history(results: Path, wanted: Callable[[RunInfo], bool] | None = None) -> History:
    """The same for who reads them once."""
    return HistoryReader(results).load(wanted)


def _identity(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Without cyclic garbage collection: a year is a million values, none of them in a cycle.

    Looking through them again and again would take four times as long as reading them.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def newest_run(
    results: Path, tell: Callable[[str], None], wanted: Callable[[RunInfo], bool] = lambda _: True
) -> RunInfo:
    """The newest run that has ended with something to compare; tells of broken ones before it.

    Where no run has a whole pair it is the newest without. Raises ``UsageProblem`` when there is
    none at all.
    """
    without_pairs: RunInfo | None = None
    for run_id in reversed(store.final_run_ids(results)):
        try:
            summary = load_summary(results, run_id)
        except FlinkBoostError as error:
            tell(f"Run {run_id} is left out: {error}")
            continue
        if wanted(summary.info) and summary.has_pairs:
            return summary.info
        if wanted(summary.info) and without_pairs is None:
            without_pairs = summary.info
    if without_pairs is not None:
        return without_pairs
    raise UsageProblem(
        f"There is no complete run in {results}.", "Run `flink-boost bench --group quick` first."
    )
