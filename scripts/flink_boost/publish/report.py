"""Gathers what the report of a run shows and writes the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from flink_boost.base.errors import UsageProblem
from flink_boost.base.files import make_folder, write_durably
from flink_boost.judge.ratio import DEFAULT_CONFIDENCE, check_harness, compare
from flink_boost.judge.series import build_series, settings_of
from flink_boost.judge.trend import detect
from flink_boost.measure.history import History, load_history
from flink_boost.measure.model import MeasuredRun
from flink_boost.publish.comparison import further_sheets
from flink_boost.publish.report_page import AaSummary, ReportInput, render

LATEST = "latest"


def write_report(
    results: Path,
    path: Path,
    run_id: str = LATEST,
    *,
    dashboard_url: str | None,
    made: datetime,
    tell: Callable[[str], None] = lambda _: None,
) -> Path:
    """Writes the page of that complete run to ``path``, replacing what was there at once.

    Raises ``UsageProblem`` when there is no such run.
    """
    history = load_history(results)
    for problem in history.broken:
        tell(problem)
    run = choose_run(history, run_id)
    series = build_series(history.runs)
    page = render(
        ReportInput(
            run=run.info,
            comparisons=compare(run.info, run.forks),
            series=series,
            trends=detect(series),
            aa=newest_aa(history.runs, run),
            dashboard_url=dashboard_url,
            made=made,
            further=further_sheets(run.info, run.forks, DEFAULT_CONFIDENCE),
        )
    )
    make_folder(path.parent)
    write_durably(path, page)
    return path


def choose_run(history: History, run_id: str) -> MeasuredRun:
    """The run of that id; ``latest`` is the newest one of stock against patched, if there is one.

    Raises ``UsageProblem`` when there is no such complete run.
    """
    if run_id == LATEST:
        compared = [run for run in history.runs if not run.is_aa]
        candidates = compared or list(history.runs)
    else:
        candidates = [run for run in history.runs if run.info.run_id == run_id]
    if candidates:
        return candidates[-1]
    if run_id == LATEST:
        raise UsageProblem(
            "There is no complete run to report on.", "Run `flink-boost bench` first."
        )
    known = ", ".join(run.info.run_id for run in history.runs[-5:]) or "none"
    raise UsageProblem(
        f"There is no complete run {run_id!r}.", f"The newest complete runs are: {known}."
    )


def newest_aa(runs: Sequence[MeasuredRun], run: MeasuredRun) -> AaSummary | None:
    """The newest A/A run of the same group that was made like the given run, summarised."""
    wanted = run.info.group, settings_of(run.info)
    for other in reversed(runs):
        if other.is_aa and (other.info.group, settings_of(other.info)) == wanted:
            return AaSummary(other.info, check_harness(compare(other.info, other.forks)))
    return None
