"""Drifts that end: what is closed then, what is not, and what is told of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from synthetic import JOB
from test_anchor_reruns import Months, decide
from watched_nights import MadeBuilds, commit_of, flat

from flink_boost.flink.lines import Line
from flink_boost.judge.alarm_record import AlarmState
from flink_boost.judge.tracks import build_tracks
from flink_boost.measure.commit_jars import Build
from flink_boost.service.detect.reruns.rerun_journal import RerunJournal


def crept(first: int, until: int, nights: int, *, pace: float, most: float) -> list[float]:
    """Log-ratios that sink from night ``first`` on, to ``-most``, and are 0 again ``until``."""
    return [
        -min(pace * (night - first + 1), most) if first <= night < until else 0.0
        for night in range(nights)
    ]


def test_a_step_beside_a_drift_stays_open_when_the_drift_is_mended(tmp_path: Path) -> None:
    drift = crept(14, 34, 37, pace=0.006, most=0.045)
    step = flat(37, n26=-0.1)
    months = Months(tmp_path, {JOB: [one + other for one, other in zip(drift, step, strict=True)]})
    for count in range(10, 38):
        months.night(count)
    assert [(one.kind, one.first, one.state) for one in months.told] == [
        ("drift", 15, AlarmState.RECOVERED),
        ("step", 26, AlarmState.OPEN),
        ("recovery", 34, AlarmState.RECOVERED),
    ]


MENDED = 45
SLOW = crept(1, MENDED, 50, pace=0.0012, most=0.036)
ENDED = [("drift", 1, AlarmState.RECOVERED), ("recovery", MENDED, AlarmState.RECOVERED)]


def test_a_drift_that_is_mended_after_a_release_has_recovered(tmp_path: Path) -> None:
    months = Months(tmp_path, {JOB: SLOW})
    months.release(36)
    for count in range(9, 51):
        months.night(count)
    assert [(one.kind, one.first, one.state) for one in months.told] == ENDED


class Reverting(MadeBuilds):
    """From a night on the build is that of the first night."""

    def __init__(self, folder: Path, since: int = MENDED) -> None:
        super().__init__(folder)
        self._since = since

    def build(self, commit: str, line: Line) -> Build:
        reverted = commit >= commit_of(self._since)
        return super().build(commit_of(0) if reverted else commit, line)


def test_a_drift_whose_commits_are_reverted_has_recovered(tmp_path: Path) -> None:
    months = Months(tmp_path, {JOB: SLOW})
    months.builds = Reverting(tmp_path / "jars")
    for count in range(9, 51):
        months.night(count)
    assert [(one.kind, one.first, one.state) for one in months.told] == ENDED


def test_a_step_that_is_reverted_while_no_pairs_are_left_is_no_drift(tmp_path: Path) -> None:
    months = Months(tmp_path, {JOB: flat(36, n18=-0.1, n30=0.1)})
    months.builds = Reverting(tmp_path / "jars", since=30)
    for count in range(10, 37):
        months.night(count, pairs=0 if count == 31 else 600)
    assert [(one.kind, one.first, one.state) for one in months.told] == [
        ("step", 18, AlarmState.RECOVERED),
        ("recovery", 30, AlarmState.RECOVERED),
    ]


@pytest.mark.parametrize("state", [AlarmState.REJECTED, AlarmState.ENVIRONMENT])
def test_a_drift_that_people_rejected_keeps_no_release_from_being_the_anchor(
    tmp_path: Path, state: AlarmState
) -> None:
    months = Months(tmp_path, {JOB: crept(1, 99, 60, pace=0.0012, most=0.036)})
    months.release(45)
    for count in range(9, 41):
        months.night(count)
    (drift,) = months.told
    assert drift.kind == "drift"
    decide(months, drift, state, 40)
    for count in range(41, 61):
        months.night(count)
    track, *_ = build_tracks(months.runs)
    (newest, *_) = reversed(RerunJournal(months.results, track.key).held)
    assert newest.before == months.runs[44].info.run_id
