"""Alarms are raised once, keep id and fate, and end by a recovery or a person."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import ValidationError
from seen_alarms import seen
from synthetic import WRITE

from flink_boost.base.errors import UsageProblem
from flink_boost.judge.alarm_record import (
    AlarmDecision,
    AlarmRecord,
    AlarmState,
    decided,
    figures,
    grouped,
)
from flink_boost.judge.merging import NO_LONGER_SEEN, merge

NOW = datetime(2026, 3, 1, 6, tzinfo=UTC)
LATER = NOW + timedelta(days=1)


def test_the_register_takes_no_field_that_it_would_lose() -> None:
    with pytest.raises(ValidationError, match="mood"):
        seen(mood="good")
    with pytest.raises(ValidationError, match="effect"):
        seen(effect=0)


@pytest.mark.parametrize("moved", [-2, -1, 1, 2])
def test_an_alarm_survives_its_change_point_moving_by_two_nights(moved: int) -> None:
    (first,) = merge((), [seen()], NOW)
    kept = first.model_copy(update={"report": "https://example.org/report"})
    (again,) = merge([kept], [seen(first=20 + moved, effect=0.93)], LATER)
    assert (again.id, again.told, again.report) == (first.id, first.told, kept.report)
    assert (again.first, again.effect, again.since) == (20 + moved, 0.93, f"c{20 + moved}")
    assert again.history == first.history


@pytest.mark.parametrize(
    "other",
    [seen(first=23), seen(series="other"), seen(first=21, direction="improvement", effect=1.1)],
    ids=["three nights on", "another benchmark", "another direction"],
)
def test_another_change_is_another_alarm(other: AlarmRecord) -> None:
    known = merge((), [seen()], NOW)
    assert len(merge(known, [seen(), other], LATER)) == 2


def test_two_steps_next_to_each_other_stay_two() -> None:
    both = [seen(first=20), seen(first=22)]
    known = merge((), both, NOW)
    again = merge(known, both, LATER)
    assert [one.first for one in again] == [20, 22]
    assert again == known


def test_what_was_told_stays_and_says_once_that_detection_sees_it_no_more() -> None:
    known = merge((), [seen()], NOW)
    (gone,) = merge(known, [], LATER)
    assert (gone.id, gone.state, gone.seen) == (known[0].id, AlarmState.OPEN, False)
    assert [event.note for event in gone.history][1:] == [NO_LONGER_SEEN]
    assert merge([gone], [], LATER) == (gone,)
    (again,) = merge([gone], [seen()], LATER)
    assert (again.seen, again.history[-1].note) == (True, "seen again")
    assert merge(known, [], LATER, series={"other": ()}) == known, "not looked through"


STATES = [AlarmState.OPEN, AlarmState.ACCEPTED, AlarmState.REJECTED, AlarmState.ENVIRONMENT]


def as_decided(state: AlarmState, **changes: Any) -> AlarmRecord:
    (known,) = merge((), [seen(**changes)], NOW)
    if state is AlarmState.OPEN:
        return known
    return decided(known, AlarmDecision(state=state, by="me", reason="So.", when=NOW))


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("first", [19, 20, 21])
@pytest.mark.parametrize("suspected", ["run20", "run21"], ids=["the same id", "another id"])
def test_another_size_is_another_alarm_beside_the_one_that_was_told(
    state: AlarmState, first: int, suspected: str
) -> None:
    known = as_decided(state)
    worse = seen(first=first, suspected=suspected, effect=0.85, low=0.83, high=0.87)
    kept, told = merge([known], [worse], LATER)
    if kept.id != known.id:
        kept, told = told, kept
    assert (kept.state, kept.first, kept.effect, kept.seen) == (state, 20, 0.95, False)
    assert (told.state, told.first, told.effect) == (AlarmState.OPEN, first, 0.85)
    assert told.beside == known.id
    assert known.id in told.history[-1].note
    # The next night sees the same.
    assert merge([kept, told], [worse], LATER) == merge([known], [worse], LATER)


@pytest.mark.parametrize("state", STATES[1:])
def test_another_night_is_another_alarm_beside_one_that_was_decided(state: AlarmState) -> None:
    known = as_decided(state)
    again = merge([known], [seen(first=21)], LATER)
    assert {one.state for one in again} == {state, AlarmState.OPEN}
    (same,) = merge([known], [seen(suspected="run22", nights=9)], LATER)
    assert (same.id, same.state, same.nights) == (known.id, state, 9)


def crept(growth: int, first: int = 20) -> AlarmRecord:
    """Little by little, 3 % at first and with each growth."""
    effect = round(0.97 - 0.03 * growth, 2)
    return seen(
        first=first,
        suspected="run40",
        kind="drift",
        growth=growth,
        effect=effect,
        low=effect - 0.005,
        high=effect + 0.005,
        since_run=f"run{40 + 20 * growth}",
    )


def test_what_has_grown_is_the_same_alarm_and_says_how_large_it_is() -> None:
    known = merge((), [crept(0)], NOW)
    for growth in (1, 1, 2):
        known = merge(known, [crept(growth)], LATER)
    (alarm,) = known
    assert (alarm.effect, alarm.since_run, alarm.seen) == (0.91, "run80", True)
    assert [event.note for event in alarm.history[1:]] == [
        "has grown to 6.0 %: confirmed by reruns", "has grown to 9.0 %: confirmed by reruns",
    ]  # fmt: skip


@pytest.mark.parametrize("state", [AlarmState.ACCEPTED, AlarmState.REJECTED])
def test_what_grows_after_somebody_decided_is_one_alarm_beside_it(state: AlarmState) -> None:
    (first,) = merge((), [crept(0)], NOW)
    decision = AlarmDecision(state=state, by="me", reason="No.", when=NOW)
    known = (decided(first, decision),)
    for growth in (0, 1, 1, 2):
        known = merge(known, [crept(growth)], LATER)
    old, new = sorted(known, key=lambda one: one.growth)
    assert (old.id, old.state, old.effect) == (first.id, state, 0.97)
    assert (new.state, new.effect, new.beside) == (AlarmState.OPEN, 0.91, first.id)


def test_two_new_alarms_near_a_known_one_stay_two() -> None:
    known = merge((), [seen(first=21)], NOW)
    again = merge(known, [seen(first=20), seen(first=22)], LATER)
    assert sorted(one.first for one in again) == [20, 22]
    assert known[0].id in {one.id for one in again}


def test_what_is_looked_at_once_more_does_not_change_what_was_told() -> None:
    known = as_decided(AlarmState.REJECTED)
    assert merge([known], [seen(state=AlarmState.WATCHING, effect=0.5)], LATER) == (known,)


def test_a_way_back_closes_all_that_it_undoes() -> None:
    steps = [seen(first=5), seen(first=10), seen(first=20)]
    back = seen(first=30, kind="recovery", direction="improvement", effect=1.2, back_to=10)
    states = {one.first: one.state for one in merge((), [*steps, back], NOW)}
    assert states == {
        5: AlarmState.OPEN,
        **dict.fromkeys((10, 20, 30), AlarmState.RECOVERED),
    }


def test_a_way_back_to_a_night_between_alarms_closes_no_older_one() -> None:
    back = seen(first=30, kind="recovery", direction="improvement", effect=1.02, back_to=20)
    states = {one.first: one.state for one in merge((), [seen(first=5), back], NOW)}
    assert states[5] is AlarmState.OPEN


@pytest.mark.parametrize(("steps_back_to", "closed"), [(30, [10, 20]), (25, [10, 20, 26])])
def test_a_way_back_of_what_crept_leaves_the_steps_beside_it(
    steps_back_to: int, closed: list[int]
) -> None:
    small = {"effect": 0.975, "low": 0.97, "high": 0.98}
    parts = [seen(first=10, kind="drift", effect=0.96), seen(first=20, **small)]
    steps = [seen(first=15, effect=0.9), seen(first=26, effect=0.9)]
    back = seen(
        first=30,
        kind="recovery",
        direction="improvement",
        effect=1.04,
        back_to=10,
        steps_back_to=steps_back_to,
    )
    found = merge((), [*parts, *steps, back], NOW)
    recovered = [one.first for one in found if one.state is AlarmState.RECOVERED]
    assert recovered == [*closed, 30]


def test_a_way_back_closes_nothing_that_is_told_after_it() -> None:
    step = seen(first=16, effect=0.9)
    back = seen(first=27, kind="recovery", direction="improvement", effect=1.1, back_to=16)
    known = merge((), [step, back], NOW)
    drift = seen(first=19, suspected="run48", kind="drift", told="night48", delay=29)
    after = {one.first: one.state for one in merge(known, [step, back, drift], LATER)}
    assert after == {
        16: AlarmState.RECOVERED,
        19: AlarmState.OPEN,
        27: AlarmState.RECOVERED,
    }


def test_a_suspicion_that_was_cleared_is_gone_and_one_that_was_confirmed_keeps_its_id() -> None:
    watching = seen(state=AlarmState.WATCHING)
    (known,) = merge((), [watching], NOW)
    assert known.state is AlarmState.WATCHING
    assert merge([known], [], LATER) == ()
    (told,) = merge([known], [seen(told="night21", delay=1)], LATER)
    assert (told.id, told.state, told.told, told.delay) == (known.id, AlarmState.OPEN, "night21", 1)
    assert [event.state for event in told.history] == [AlarmState.WATCHING, AlarmState.OPEN]


def test_a_new_suspicion_beside_a_told_alarm_does_not_change_it() -> None:
    known = merge((), [seen()], NOW)
    beside = seen(first=22, state=AlarmState.WATCHING, effect=0.5)
    again = {one.state: one for one in merge(known, [seen(), beside], LATER)}
    assert again[AlarmState.OPEN] == known[0]
    assert again[AlarmState.WATCHING].effect == 0.5


def test_the_canary_withholds_an_alarm_until_it_is_quiet() -> None:
    (held,) = merge((), [seen()], NOW, canary_moved=True)
    assert held.state is AlarmState.WITHHELD
    assert not held.was_told()
    (still,) = merge([held], [seen()], LATER, canary_moved=True)
    assert still.state is AlarmState.WITHHELD
    (told,) = merge([still], [seen()], LATER)
    assert told.state is AlarmState.OPEN
    assert "canary" in told.history[-1].note


def test_what_was_withheld_until_it_was_back_was_told_to_nobody() -> None:
    step = seen()
    known = merge((), [step], NOW, canary_moved=True)
    back = seen(first=21, kind="recovery", direction="improvement", effect=1.05, back_to=20)
    withheld, recovery = merge(known, [step, back], LATER)
    assert (withheld.state, withheld.was_told()) == (AlarmState.RECOVERED, False)
    assert recovery.was_told()
    assert (figures([withheld], 0).told, figures([withheld], 0).right) == (0, 0)
    told = merge(merge((), [step], NOW), [step, back], LATER)[0]
    assert (told.state, told.was_told()) == (AlarmState.RECOVERED, True)
    assert (figures([told], 0).told, figures([told], 0).right) == (1, 1)


def test_a_recovery_closes_the_newest_open_alarm_only() -> None:
    steps = [seen(first=10), seen(first=20), seen(series="other", first=20, cell=WRITE)]
    known = merge((), steps, NOW)
    back = seen(first=30, kind="recovery", direction="improvement", effect=1.05)
    after = {(one.series, one.first): one for one in merge(known, [*steps, back], LATER)}
    assert after["s", 20].state is AlarmState.RECOVERED
    assert after["s", 10].state is AlarmState.OPEN
    assert after["other", 20].state is AlarmState.OPEN
    assert after["s", 30].state is AlarmState.RECOVERED
    # And only once: the night after changes nothing.
    everything = [*steps, back]
    again = merge(tuple(after.values()), everything, LATER)
    assert {one.id: one for one in again} == {one.id: one for one in after.values()}


def test_order_of_known_and_seen_changes_nothing() -> None:
    known = merge((), [seen(first=10), seen(series="b"), seen(series="c", first=12)], NOW)
    newer = [seen(first=11), seen(series="b", first=21), seen(series="d"), seen(first=30)]
    expected = merge(known, newer, LATER)
    for number in range(10):
        source = random.Random(number)
        mixed, others = list(known), list(newer)
        source.shuffle(mixed)
        source.shuffle(others)
        assert merge(mixed, others, LATER) == expected


def test_a_person_decides_what_was_told() -> None:
    decision = AlarmDecision(state=AlarmState.REJECTED, by="me", reason="Noise.", when=LATER)
    (known,) = merge((), [seen()], NOW)
    rejected = decided(known, decision)
    assert rejected.state is AlarmState.REJECTED
    assert rejected.history[-1].note == "Noise."
    (again,) = merge([rejected], [seen()], LATER)
    assert again.state is AlarmState.REJECTED
    assert figures([again], 12).model_dump() == {
        "told": 1,
        "accepted": 0,
        "rejected": 1,
        "environment": 0,
        "recovered": 0,
        "median_delay_nights": 0.0,
        "rerun_pairs": 12,
        "missed": 0,
    }
    (watching,) = merge((), [seen(state=AlarmState.WATCHING)], NOW)
    with pytest.raises(UsageProblem, match="has not been told yet"):
        decided(watching, decision)
    assert figures([watching], 0).median_delay_nights is None


def test_what_has_recovered_cannot_be_accepted_but_be_called_a_false_alarm() -> None:
    back = seen(first=30, kind="recovery", direction="improvement", effect=1.05)
    for known in merge(merge((), [seen()], NOW), [seen(), back], LATER):
        decision = AlarmDecision(state=AlarmState.ACCEPTED, by="me", reason="So.", when=LATER)
        with pytest.raises(UsageProblem, match="no new speed to accept"):
            decided(known, decision)
        for state in (AlarmState.REJECTED, AlarmState.ENVIRONMENT):
            other = decided(known, decision.model_copy(update={"state": state}))
            assert other.state is state
            with pytest.raises(UsageProblem, match="no new speed to accept"):
                decided(other, decision)


def test_alarms_of_the_same_commits_are_one_group() -> None:
    records = merge((), [seen(), seen(series="b", effect=0.8), seen(series="c", first=25)], NOW)
    assert [[one.series for one in group] for group in grouped(records)] == [["c"], ["b", "s"]]
