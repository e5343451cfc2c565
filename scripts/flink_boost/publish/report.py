"""Gathers what the report of a run shows and writes the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from flink_boost.base.errors import UsageProblem
from flink_boost.base.files import make_folder, write_durably
from flink_boost.judge.ratio import DEFAULT_CONFIDENCE, check_harness, compare
from flink_boost.judge.series import build_series, settings_of, without_recipe
from flink_boost.judge.trend import detect
from flink_boost.measure import fork_files, store
from flink_boost.measure.history import History, HistoryReader
from flink_boost.measure.model import RunInfo
from flink_boost.measure.summary import RunSummary, gap_sentence
from flink_boost.publish.comparison import comparison_sheets, further_sheets, left_out
from flink_boost.publish.profile_links import copy_profiles
from flink_boost.publish.raw_data import pack_raw_data
from flink_boost.publish.report_page import AaSummary, ReportInput, render
from flink_boost.publish.sheet import markdown

LATEST = "latest"


@dataclass(frozen=True)
class WrittenReport:
    """Where the report of a run is: its own files, and the page that is the newest one's."""

    run_id: str
    newest: Path
    page: Path
    markdown: Path


def write_report(
    results: Path,
    reports: Path,
    run_id: str = LATEST,
    *,
    dashboard_url: str | None,
    made: datetime,
    tell: Callable[[str], None] = lambda _: None,
    reader: HistoryReader | None = None,
) -> WrittenReport:
    """Writes the page of that run, which must have ended, and its tables in Markdown.

    They go to ``<reports>/<run id>/``, and the page to ``<reports>/index.html`` as well; each
    replaces at once what was there. ``reader`` has perhaps read the runs before.

    Raises ``UsageProblem`` when there is no such run, or it has not ended.
    """
    if run_id != LATEST:
        _require_ended(results, run_id)
    history = (reader or HistoryReader(results)).load()
    for problem in history.broken:
        tell(problem)
    info = choose_run(history, run_id).info
    stored = fork_files.read_forks(results, info)
    gaps = gap_sentence(info, stored.missing)
    if gaps:
        tell(gaps)
    series = build_series(history.runs)
    shown = ReportInput(
        run=info,
        comparisons=compare(info, stored.forks),
        series=series,
        trends=detect(series),
        aa=newest_aa(results, history.runs, info),
        dashboard_url=dashboard_url,
        made=made,
        further=further_sheets(info, stored.forks, DEFAULT_CONFIDENCE),
        left_out=tuple(sentence for sentence in (gaps, left_out(info, stored.forks)) if sentence),
        profiles=copy_profiles(results, info, reports / info.run_id, tell),
        raw=pack_raw_data(results, info, reports / info.run_id),
    )
    written = WrittenReport(
        info.run_id,
        newest=reports / "index.html",
        page=reports / info.run_id / "index.html",
        markdown=reports / info.run_id / "report.md",
    )
    tables = comparison_sheets(info, stored.forks, DEFAULT_CONFIDENCE, as_grid=True)
    make_folder(written.page.parent)
    write_durably(written.markdown, "\n".join(markdown(table) for table in tables))
    write_durably(written.page, render(shown))
    write_durably(written.newest, render(shown, base=f"{quote(info.run_id)}/"))
    return written


def choose_run(history: History, run_id: str) -> RunSummary:
    """The run of that id; ``latest`` is the newest one of stock against patched, if there is one.

    Runs without a whole pair are the latest only where there are no others. Raises
    ``UsageProblem`` when there is no such run that has ended.
    """
    if run_id == LATEST:
        with_pairs = [run for run in history.runs if run.has_pairs] or list(history.runs)
        compared = [run for run in with_pairs if not run.is_aa]
        candidates = compared or with_pairs
    else:
        candidates = [run for run in history.runs if run.info.run_id == run_id]
    if candidates:
        return candidates[-1]
    if run_id == LATEST:
        raise UsageProblem(
            "There is no complete run to report on.", "Run `flink-boost bench` first."
        )
    raise UsageProblem(
        f"There is no complete run {run_id!r} that can be read.",
        f"`flink-boost runs show {run_id}` says more.",
    )


def _require_ended(results: Path, run_id: str) -> None:
    store.require_run(results, run_id)
    store.refuse_abandoned(results, run_id)
    if not store.state(results, run_id).is_final:
        raise UsageProblem(
            f"The run {run_id} has not ended.",
            f"Go on with `flink-boost bench --resume {run_id}`; `flink-boost compare {run_id}`"
            " shows what it has so far.",
        )


def newest_aa(results: Path, runs: Sequence[RunSummary], info: RunInfo) -> AaSummary | None:
    """The newest A/A run of the same group that was made like the given run, summarised."""
    wanted = info.group, without_recipe(settings_of(info))
    for other in reversed(runs):
        if other.is_aa and (other.info.group, settings_of(other.info)) == wanted:
            forks = fork_files.read_forks(results, other.info).forks
            return AaSummary(other.info, check_harness(compare(other.info, forks)))
    return None
