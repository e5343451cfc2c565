"""A night that finds the canary quiet opens the alarms that wait for it; nothing else does."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from stored_runs import store_complete_run
from synthetic import JOB
from watched_nights import NOW, MadeBuilds, MadeReruns, confirmed, flat, forks_of_night, make_nights

from flink_boost.cli.main import main
from flink_boost.judge.alarm_record import AlarmState
from flink_boost.measure.night_record import (
    CanaryRecord,
    NightRecord,
    StepRecord,
    StepState,
)
from flink_boost.service.detect.alarm_registry import (
    AlarmRegistry,
    after_night,
    load_registry,
    store_registry,
)
from flink_boost.service.nightly.canaries import NONE_KEPT, moved_lately
from flink_boost.service.nightly.night_journal import NightJournal
from flink_boost.service.nightly.slots import night_id

SLOT = datetime(2026, 11, 24, 1, tzinfo=UTC)
STEADY, MOVED = CanaryRecord(moved=False), CanaryRecord(moved=True)


def write_night(build: Path, days: int, canary: CanaryRecord | None = None, note: str = "") -> str:
    slot = SLOT + timedelta(days=days)
    state = StepState.DONE if canary else StepState.SKIPPED
    step = StepRecord(name="canary", state=state, note=note)
    night = NightRecord(box="box-1", night=night_id(slot), slot=slot, canary=canary, steps=(step,))
    NightJournal(build / "nights").write(night)
    return night.night


def test_detection_by_hand_opens_no_alarm_that_the_canary_withholds(tmp_path: Path) -> None:
    levels = {JOB: flat(21, n20=-0.08)}
    for number in range(21):
        store_complete_run(tmp_path / "results", *forks_of_night(levels, number))
    bench, builds = MadeReruns(levels), MadeBuilds(tmp_path / "jars")
    found = confirmed(tmp_path / "results", make_nights(levels), bench, builds)
    store_registry(tmp_path, after_night(AlarmRegistry(), found, NOW, canary_moved=True))

    def state() -> AlarmState:
        (alarm,) = load_registry(tmp_path).alarms
        return alarm.state

    assert state() is AlarmState.WITHHELD
    write_night(tmp_path, 0, MOVED)
    assert main(["--build", str(tmp_path), "detect", "--confirm"]) == 0
    assert state() is AlarmState.WITHHELD
    write_night(tmp_path, 1, STEADY)
    assert main(["--build", str(tmp_path), "detect", "--confirm"]) == 0
    assert state() is AlarmState.OPEN


@pytest.mark.parametrize(
    ("note", "moved"),
    [
        ("The canary of 2.3.0 failed.", True),
        ("skipped: box failed", True),
        (f"skipped: {NONE_KEPT}", False),
    ],
)
def test_a_night_without_a_canary_says_nothing_of_it(
    tmp_path: Path, note: str, moved: bool
) -> None:
    journal = NightJournal(tmp_path / "nights")
    assert not moved_lately(journal)
    first = write_night(tmp_path, 0, STEADY)
    write_night(tmp_path, 1, MOVED)
    write_night(tmp_path, 2, note=note)
    assert moved_lately(journal) is moved
    assert not moved_lately(journal, until=first)
