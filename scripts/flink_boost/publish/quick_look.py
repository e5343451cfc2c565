"""What ``make run`` does after the build: measure a little, then publish what was measured.

Publishing is a row of steps that do not depend on each other's success: a dashboard that cannot
start or refuses does not cost the report. Each problem is told when it happens and kept, so that
the caller can still end with its exit code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from flink_boost.base.errors import FlinkBoostError
from flink_boost.flink.lines import Line
from flink_boost.flink.side import Side
from flink_boost.judge.series import build_series
from flink_boost.judge.trend import TrendVerdict, detect
from flink_boost.measure import classpaths, run_plan, store
from flink_boost.measure.groups import Group
from flink_boost.measure.model import Box, RunInfo
from flink_boost.measure.release import is_on_its_line
from flink_boost.measure.store import RunState
from flink_boost.publish import serve
from flink_boost.publish.report import write_report
from flink_boost.publish.run_places import Places
from flink_boost.publish.spool import Spool
from flink_boost.publish.spool_runs import spool_new_runs
from flink_boost.publish.target import URL_VARIABLE, checked_url, find_target
from flink_boost.publish.trends import FILE_NAME, store_verdicts
from flink_boost.publish.upload import RetryPolicy, make_client, send_unsent

GROUP = "quick"
SIDES = (Side.STOCK, Side.PATCHED)

Tell = Callable[[str], None]
T = TypeVar("T")


@dataclass(frozen=True)
class Published:
    """What became of a run; ``problems`` is empty when every step went well."""

    report: Path | None
    dashboard_url: str | None
    trends: tuple[TrendVerdict, ...]
    problems: tuple[FlinkBoostError, ...]


def find_interrupted(
    results: Path, build: Path, group: Group, line: Line, box: Box, commit: str
) -> str | None:
    """The newest unfinished quick look that this call would start again in exactly the same way.

    Same plan, same commit, same jars, machine and JDK; anything else is left for
    ``flink-boost bench --resume``, and so is one that has a complete one behind it.
    """
    for run_id in reversed(store.run_ids(results)):
        try:
            state = store.state(results, run_id)
            info = store.load_run(results, run_id)
            if info.commit == commit and _is_this_quick_look(info, group, line):
                if state is RunState.COMPLETE:
                    return None
                if state is RunState.ABANDONED:
                    continue
                paths = classpaths.find_class_paths(line, build, info.boost_version, info.sides)
                run_plan.require_same_circumstances(info, paths, box)
                return run_id
        except FlinkBoostError:
            continue  # such a run cannot go on
    return None


def _is_this_quick_look(info: RunInfo, group: Group, line: Line) -> bool:
    planned = (info.group, info.pairs, info.cell_pairs, info.cells, info.timings)
    return (
        planned == (group.name, group.pairs, group.cell_pairs, group.cells, group.timings)
        and (info.line, info.sides, info.opened) == (line.version, SIDES, True)
        and is_on_its_line(info)
        and (info.threads, info.heap) == (1, "")
        and info.jvm_options == (*run_plan.FORK_OPTIONS, *line.jvm_options)
    )


def publish(
    run_id: str,
    places: Places,
    *,
    environment: str | None,
    address: serve.Address,
    environ: Mapping[str, str],
    policy: RetryPolicy,
    clock: Callable[[], datetime],
    tell: Tell,
) -> Published:
    """Spools, starts the dashboard, uploads, detects and reports; never raises for one of them.

    With ``FLINK_BOOST_CODESPEED_URL`` set, results go there and no dashboard is started.
    """
    steps = _Steps(tell)
    steps.run(lambda: _spool(places, environment, tell))
    url = steps.run(lambda: _dashboard(places, address, environ, tell))
    if url is None:
        tell("The results wait in the spool: run `flink-boost upload` to send them later.")
    else:
        steps.run(lambda: _upload(places, url, environ, policy, tell))
    trends = steps.run(lambda: _detect(places, clock(), tell)) or ()
    report = steps.run(
        lambda: (
            write_report(
                places.results,
                places.build / "report",
                run_id,
                dashboard_url=url,
                made=clock(),
            ).newest
        )
    )
    return Published(report, url, trends, tuple(steps.problems))


class _Steps:
    """Runs steps and keeps what goes wrong."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self.problems: list[FlinkBoostError] = []

    def run(self, step: Callable[[], T]) -> T | None:
        try:
            return step()
        except FlinkBoostError as problem:
            self._tell(str(problem))
            self.problems.append(problem)
            return None


def _dashboard(
    places: Places, address: serve.Address, environ: Mapping[str, str], tell: Tell
) -> str:
    named = environ.get(URL_VARIABLE)
    if named:
        return checked_url(named)
    return serve.ensure_running(places.codespeed, address, environ=environ, tell=tell)


def _spool(places: Places, environment: str | None, tell: Tell) -> None:
    for sentence in spool_new_runs(Spool(places.spool), places.results, environment).sentences:
        tell(sentence)


def _upload(
    places: Places, url: str, environ: Mapping[str, str], policy: RetryPolicy, tell: Tell
) -> None:
    target = find_target(environ, places.codespeed / "token", url)
    with make_client(target, policy) as client:
        report = send_unsent(Spool(places.spool), target, client, policy, tell=tell)
    if report.sent:
        tell(f"Sent {len(report.sent)} results to {target.url}")
    report.require_all_sent()


def _detect(places: Places, made: datetime, tell: Tell) -> tuple[TrendVerdict, ...]:
    history = places.history.load()
    for problem in history.broken:
        tell(problem)
    trends = detect(build_series(history.runs))
    store_verdicts(places.build / FILE_NAME, trends, made)
    return trends
