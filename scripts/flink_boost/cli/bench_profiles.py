"""What ``bench --profile`` does beside measuring: says early what is missing, and profiles late."""

from __future__ import annotations

import os
from pathlib import Path

from rich.console import Console

from flink_boost.base.errors import BrokenData, NoProfiler, NotProfiled
from flink_boost.flink.lines import find_line
from flink_boost.flink.profiler import Profiler, ensure_profiler
from flink_boost.flink.stacks import ours_of
from flink_boost.measure.classpaths import ClassPaths
from flink_boost.measure.model import Cell, RunInfo
from flink_boost.measure.profiles.profile_record import folder_of, read_profile
from flink_boost.measure.profiles.take import ProfileSide, remove_left_over, take


class Profiling:
    """The profiles of a run's benchmarks, on its two main sides.

    A missing profiler is told at once, not after hours of measuring; the run goes on without.
    """

    def __init__(
        self, results: Path, info: RunInfo, paths: ClassPaths, java: str, console: Console
    ) -> None:
        self._results, self._info, self._paths = results, info, paths
        self._java, self._console = java, console
        self._problem: NoProfiler | None = None
        self._profiler: Profiler | None = None
        try:
            self._profiler = ensure_profiler()
        except NoProfiler as error:
            self._problem = error
            console.out(f"No profiles will be taken. {error}")

    def take_missing(self) -> None:
        """Profiles each benchmark that has no profile yet; one that fails costs no other.

        Raises ``NoProfiler``, or ``NotProfiled`` when some are still missing.
        """
        if self._problem is not None:
            raise NoProfiler(
                f"Everything was measured, but not profiled: {self._problem.message}",
                self._problem.next_step,
            )
        remove_left_over(self._results, self._info.run_id)
        cells = [cell for cell in self._info.cells if not cell.is_comparator and self._lacks(cell)]
        failed = []
        for number, cell in enumerate(cells, start=1):
            self._console.out(f"[{number}/{len(cells)}] profiling {cell.name}")
            try:
                self._take(cell)
            except (NotProfiled, NoProfiler, BrokenData) as error:
                failed.append(cell.name)
                self._console.out(f"FAILED: {error}")
        if failed:
            raise NotProfiled(
                f"{len(failed)} of {len(cells)} benchmarks were not profiled: {failed[0]}"
                + (" and others." if len(failed) > 1 else "."),
                f"Run `flink-boost bench --resume {self._info.run_id} --profile` to try again.",
            )

    def _lacks(self, cell: Cell) -> bool:
        try:
            return read_profile(self._results, self._info.run_id, cell) is None
        except BrokenData:
            return True

    def _take(self, cell: Cell) -> None:
        info = self._info
        first, second = (
            ProfileSide(info.title_of(side), self._paths.of(side)) for side in info.main_sides
        )
        if self._profiler is None:
            raise NoProfiler("There is no profiler.")
        pair = take(
            *(self._results, info, cell, (first, second)),
            profiler=self._profiler,
            java=self._java,
            environment=os.environ,
            ours=ours_of(find_line(info.line).classes),
        )
        page = folder_of(self._results, info.run_id, cell) / pair.difference
        self._console.out("\n".join("  " + line for line in pair.text))
        self._console.out(f"  {page.as_uri()}")
