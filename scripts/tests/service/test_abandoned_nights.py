"""A night that is abandoned later changes nothing of what was told, and hides nothing new."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pytest
from synthetic import JOB
from watched_nights import NOW, MadeBuilds, MadeReruns, confirmed, flat, make_nights

from flink_boost.judge.alarm_record import AlarmDecision, AlarmRecord, AlarmState, decided
from flink_boost.service.detect.alarm_registry import AlarmRegistry, after_night

LEVELS = {JOB: flat(27, n20=-0.04, n22=-0.15)}


def told(
    folder: Path, gone: Collection[int], since: int, decision: AlarmState | None
) -> list[AlarmRecord]:
    """What is told of -4 % in night 20, decided at once, and of -15 % in night 22."""
    nights, builds = make_nights(LEVELS), MadeBuilds(folder / "jars")
    registry = AlarmRegistry()
    for newest in range(10, 27):
        left = [
            run
            for number, run in enumerate(nights[: newest + 1])
            if newest < since or number not in gone
        ]
        found = confirmed(folder / "results", left, MadeReruns(LEVELS), builds)
        registry = after_night(registry, found, NOW)
        if newest == 20 and decision is not None:
            (first,) = (one for one in registry.alarms if one.was_told())
            made = AlarmDecision(state=decision, by="me", reason="No.", when=NOW)
            registry = registry.replaced(decided(first, made))
    return [one for one in registry.alarms if one.was_told()]


@pytest.mark.parametrize("decision", [AlarmState.REJECTED, AlarmState.ACCEPTED, None])
@pytest.mark.parametrize(
    ("gone", "since"), [((12,), 21), ((16,), 22), ((20,), 21), ((20,), 22), ((20, 21), 22)]
)
def test_a_regression_beside_what_was_told_is_told(
    tmp_path: Path, gone: Collection[int], since: int, decision: AlarmState | None
) -> None:
    alarms = told(tmp_path, gone, since, decision)
    first, *_, newest = alarms
    assert (first.state, round(first.effect, 2)) == (decision or AlarmState.OPEN, 0.96)
    if decision is not None:
        assert first.since_run.startswith("20260321"), "as it was looked at"
        assert first.seen or 20 in gone, "other nights take nothing away from it"
    assert newest.state is AlarmState.OPEN
    assert newest.effect < 0.88
    assert newest.told.startswith("20260323"), "in its night"


@pytest.mark.parametrize("decision", [AlarmState.ACCEPTED, None])
def test_an_alarm_whose_night_is_given_up_is_the_same_in_the_next_one(
    tmp_path: Path, decision: AlarmState | None
) -> None:
    levels = {JOB: flat(40, n25=-0.05)}
    nights, builds = make_nights(levels), MadeBuilds(tmp_path / "jars")
    registry = AlarmRegistry()
    for newest in range(20, 40):
        left = nights[: newest + 1] if newest < 32 else nights[:25] + nights[26 : newest + 1]
        found = confirmed(tmp_path / "results", left, MadeReruns(levels), builds)
        registry = after_night(registry, found, NOW)
        if newest == 31 and decision is not None:
            (one,) = registry.alarms
            made = AlarmDecision(state=decision, by="me", reason="Meant.", when=NOW)
            registry = registry.replaced(decided(one, made))
    (alarm,) = (one for one in registry.alarms if one.was_told())
    assert alarm.state is (decision or AlarmState.OPEN)
    assert alarm.reruns, "what was measured of it stays"
