"""Nights gone through with reruns: told once, resumable, in any order, within a budget."""

from __future__ import annotations

import math
import random
from datetime import timedelta
from pathlib import Path

import pytest
from synthetic import JOB, WRITE
from watched_nights import (
    NOW,
    MadeBuilds,
    MadeReruns,
    commit_of,
    confirmed,
    flat,
    make_nights,
)

from flink_boost.base.errors import BrokenData
from flink_boost.judge.alarm_record import AlarmDecision, AlarmRecord, AlarmState, decided, figures
from flink_boost.judge.tracks import build_tracks, newest_runs
from flink_boost.service.detect.alarm_registry import AlarmRegistry, after_night
from flink_boost.service.detect.confirming import NightReruns, confirm
from flink_boost.service.detect.reruns.bench import BuildQuestion
from flink_boost.service.detect.reruns.rerun_journal import RerunJournal
from flink_boost.service.nightly.suspects import learning_of

STEP = -0.06


def night_by_night(
    folder: Path,
    levels: dict,  # type: ignore[type-arg]
    pairs: int = 600,
    shuffled: int | None = None,
    builds: MadeBuilds | None = None,
) -> tuple[AlarmRegistry, list[AlarmRegistry]]:
    """The registry after each night from the tenth on."""
    nights = make_nights(levels)
    made = builds or MadeBuilds(folder / "jars")
    registry, history = AlarmRegistry(), []
    for count in range(9, len(nights) + 1):
        runs = nights[:count]
        if shuffled is not None:
            random.Random(shuffled + count).shuffle(runs)
        found = confirmed(folder / "results", runs, MadeReruns(levels), made, pairs)
        registry = after_night(registry, found, NOW + timedelta(days=count))
        history.append(registry)
    return registry, history


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_step_is_told_in_its_night_and_once(tmp_path: Path) -> None:
    levels = {JOB: flat(30, n20=STEP), WRITE: flat(30)}
    registry, history = night_by_night(tmp_path, levels)
    (alarm,) = [one for one in registry.alarms if one.was_told()]
    assert alarm.cell == JOB
    assert (alarm.kind, alarm.direction, alarm.state) == ("step", "regression", AlarmState.OPEN)
    assert alarm.effect == pytest.approx(math.exp(STEP), abs=0.01)
    assert alarm.first == 20
    assert alarm.commits[1] == commit_of(20)
    assert alarm.low is not None
    assert alarm.high is not None
    assert alarm.low < math.exp(STEP) < alarm.high < 1
    assert alarm.delay == 0
    assert any(one.outcome == "confirmed" for one in alarm.reruns)
    # Told after the night with number 20, neither earlier nor again.
    told = [len([one for one in each.alarms if one.was_told()]) for each in history]
    assert told == [0] * 12 + [1] * 10
    assert [event.note for event in alarm.history] == ["confirmed by reruns"]


def test_order_changes_nothing(tmp_path: Path) -> None:
    levels = {JOB: flat(26, n15=STEP), WRITE: flat(26, n18=0.07)}
    first, _ = night_by_night(tmp_path / "a", levels)
    expected = files(tmp_path / "a" / "results")
    assert expected
    for seed in (1, 2):
        again, _ = night_by_night(tmp_path / f"b{seed}", levels, shuffled=seed)
        assert again.model_dump_json() == first.model_dump_json()
        assert files(tmp_path / f"b{seed}" / "results") == expected


@pytest.fixture(autouse=True)
def _folders(tmp_path: Path) -> None:
    for name in ("a", "b1", "b2"):
        (tmp_path / name).mkdir()


@pytest.mark.parametrize("after", [1, 2, 3])
def test_a_call_that_was_killed_goes_on_and_asks_nothing_twice(tmp_path: Path, after: int) -> None:
    levels = {JOB: flat(21, n20=-0.03)}
    runs, builds = make_nights(levels), MadeBuilds(tmp_path / "jars")
    whole = MadeReruns(levels)
    expected = confirmed(tmp_path / "whole", runs, whole, builds)
    assert len(whole.asked) > 3
    killed = MadeReruns(levels, interrupted_after=after)
    with pytest.raises(KeyboardInterrupt):
        confirmed(tmp_path / "killed", runs, killed, builds)
    again = MadeReruns(levels)
    assert confirmed(tmp_path / "killed", runs, again, builds).tracks[0].told == (
        expected.tracks[0].told
    )
    assert killed.asked + again.asked == whole.asked
    assert files(tmp_path / "killed") == files(tmp_path / "whole")
    # A third call finds all of it in the journal.
    third = MadeReruns(levels)
    assert confirmed(tmp_path / "killed", runs, third, builds).tracks[0].told
    assert third.asked == []


def test_most_suspicious_first_and_the_rest_the_next_night(tmp_path: Path) -> None:
    levels = {JOB: flat(23, n20=-0.04), WRITE: flat(23, n20=-0.2)}
    nights, builds = make_nights(levels), MadeBuilds(tmp_path / "jars")
    bench = MadeReruns(levels)
    first = confirmed(tmp_path / "results", nights[:21], bench, builds, pairs=20)
    assert bench.asked[0][0] == WRITE.name
    assert first.pairs <= 20
    told = {one.track.cell for one in first.tracks if one.told}
    assert WRITE in told
    # The night's pairs are not there a second time.
    again = confirmed(tmp_path / "results", nights[:21], MadeReruns(levels), builds, pairs=20)
    assert again.pairs == first.pairs
    for count in (22, 23):
        last = confirmed(tmp_path / "results", nights[:count], MadeReruns(levels), builds, pairs=60)
    assert {one.track.cell for one in last.tracks if one.told} == {JOB, WRITE}


def test_equal_builds_are_cleared_without_a_fork(tmp_path: Path) -> None:
    levels = {JOB: flat(21, n20=-0.2)}
    bench = MadeReruns(levels)
    builds = MadeBuilds(tmp_path / "jars", one_build=True)
    found = confirmed(tmp_path / "results", make_nights(levels), bench, builds)
    assert bench.asked == []
    assert found.tracks[0].told == ()
    (answer,) = RerunJournal(tmp_path / "results", found.tracks[0].track.key).answers
    assert answer.same


def test_a_commit_that_does_not_build_is_tried_once_and_nobody_is_told(tmp_path: Path) -> None:
    levels = {JOB: flat(21, n20=-0.2), WRITE: flat(21, n20=-0.2)}
    builds = MadeBuilds(tmp_path / "jars", failing=[commit_of(20)])
    found = confirmed(tmp_path / "results", make_nights(levels), MadeReruns(levels), builds)
    assert [one.told for one in found.tracks] == [(), ()]
    assert builds.asked.count(commit_of(20)) == 1
    assert "other bytes" in found.problems[0], "which stops nothing"
    assert "could not be built" in found.why


def test_a_rerun_shows_what_was_decided_and_not_what_its_interval_seems_to_say(
    tmp_path: Path,
) -> None:
    levels = {JOB: flat(21, n20=-0.04)}
    nights, builds = make_nights(levels), MadeBuilds(tmp_path / "jars")
    shown = []
    for pairs in (8, 12, 100):  # of one night, together
        found = confirmed(tmp_path / "results", nights, MadeReruns(levels), builds, pairs=pairs)
        (record,) = after_night(AlarmRegistry(), found, NOW).alarms
        rerun = next(one for one in record.reruns if one.after == commit_of(20))
        shown.append((record.state, rerun.outcome, rerun.high is not None and rerun.high < 1))
    assert shown[0] == (AlarmState.WATCHING, "inconclusive", True), "5 % is not what it takes"
    assert shown[-1] == (AlarmState.OPEN, "confirmed", True)


def test_what_an_earlier_call_gave_up_is_said_again(tmp_path: Path) -> None:
    class Crashing(MadeReruns):
        def rerun(self, question: BuildQuestion, known: int, pairs: int) -> tuple[float, ...]:
            super().rerun(question, known, pairs)
            return ()

    levels = {JOB: flat(21, n20=-0.2)}
    bench, builds = Crashing(levels), MadeBuilds(tmp_path / "jars")
    for _ in range(2):
        found = confirmed(tmp_path / "results", make_nights(levels), bench, builds)
        assert [one.waits for one in found.tracks] == [True]
        assert found.why == f"{JOB.name} was given up: no pair of its forks was whole."
    assert len(bench.asked) == 1


def test_series_that_are_too_short_to_be_judged_are_counted(tmp_path: Path) -> None:
    builds = MadeBuilds(tmp_path / "jars")
    for count, lacking in ((1, 9), (9, 1), (10, None)):
        levels = {JOB: flat(count), WRITE: flat(count)}
        found = confirmed(tmp_path / "results", make_nights(levels), MadeReruns(levels), builds)
        newest = {one.track.runs[-1].run_id for one in found.tracks}
        young = learning_of(found, newest)
        assert (young and (young.count, young.nights)) == (lacking and (2, lacking))
        assert learning_of(found, ()) is None, "of another night"


def test_without_reruns_nobody_is_told(tmp_path: Path) -> None:
    levels = {JOB: flat(30, n20=-0.2)}
    found = confirm(build_tracks(make_nights(levels)), tmp_path / "results", None, ())
    assert [one.told for one in found.tracks] == [()]
    assert found.tracks[0].urgency > 0
    assert not (tmp_path / "results").exists()


def test_another_box_s_nights_are_not_rerun_here(tmp_path: Path) -> None:
    levels = {JOB: flat(21, n20=-0.2)}
    bench, builds = MadeReruns(levels), MadeBuilds(tmp_path / "jars")
    reruns = NightReruns(
        tmp_path / "results", builds, "flink-boost", bench, pairs=100, now=lambda: NOW
    )
    tracks = build_tracks(make_nights(levels))
    assert newest_runs(tracks, "box-1") == {tracks[0].runs[-1].run_id}
    confirm(tracks, tmp_path / "results", reruns, newest_runs(tracks, "box-2"))
    assert bench.asked == []


def test_after_an_accepted_step_there_is_no_second_page_and_the_next_step_is_found(
    tmp_path: Path,
) -> None:
    levels = {JOB: flat(40, n15=-0.22, n32=-0.05)}
    nights, builds = make_nights(levels), MadeBuilds(tmp_path / "jars")
    registry = AlarmRegistry()
    for count in range(9, 41):
        found = confirmed(tmp_path / "results", nights[:count], MadeReruns(levels), builds)
        registry = after_night(registry, found, NOW)
        open_ones = [one for one in registry.alarms if one.state is AlarmState.OPEN]
        if count == 17:
            (step,) = open_ones
            registry = registry.replaced(accepted(step))
        elif 17 < count <= 32:
            assert open_ones == []
    first, second = (one for one in registry.alarms if one.was_told())
    assert (first.state, first.first) == (AlarmState.ACCEPTED, 15)
    assert (second.state, second.first) == (AlarmState.OPEN, 32)
    assert second.effect == pytest.approx(math.exp(-0.05), abs=0.015)
    counted = figures(registry.alarms, registry.rerun_pairs)
    assert (counted.told, counted.accepted) == (2, 1)
    assert counted.rerun_pairs > 0


def accepted(record: AlarmRecord) -> AlarmRecord:
    decision = AlarmDecision(
        state=AlarmState.ACCEPTED, by="somebody", reason="The price of a fix.", when=NOW
    )
    return decided(record, decision)


def test_a_way_back_closes_the_alarm_which_stays(tmp_path: Path) -> None:
    registry, _ = night_by_night(tmp_path, {JOB: flat(34, n16=-0.08, n26=0.08)})
    told = [one for one in registry.alarms if one.was_told()]
    assert [(one.kind, one.state) for one in told] == [
        ("step", AlarmState.RECOVERED),
        ("recovery", AlarmState.RECOVERED),
    ]
    assert "back on the level" in told[0].history[-1].note
    assert figures(registry.alarms, 0).told == 1
    assert figures(registry.alarms, 0).recovered == 1


@pytest.mark.parametrize("accept", [False, True])
def test_what_has_become_slower_again_is_told(tmp_path: Path, accept: bool) -> None:
    levels = {JOB: flat(44, n16=0.08, n26=-0.08, n36=0.08)}
    nights, builds = make_nights(levels), MadeBuilds(tmp_path / "jars")
    registry = AlarmRegistry()
    for count in range(9, 45):
        found = confirmed(tmp_path / "results", nights[:count], MadeReruns(levels), builds)
        registry = after_night(registry, found, NOW + timedelta(days=count))
        if count == 18 and accept:
            (faster,) = (one for one in registry.alarms if one.state is AlarmState.OPEN)
            registry = registry.replaced(accepted(faster))
        if count == 34:
            (slower,) = (one for one in registry.alarms if one.state is AlarmState.OPEN)
            assert (slower.kind, slower.direction, slower.first) == ("step", "regression", 26)
    end = AlarmState.ACCEPTED if accept else AlarmState.RECOVERED
    assert [(one.kind, one.state) for one in registry.alarms if one.was_told()] == [
        ("step", end),
        ("step", AlarmState.RECOVERED),
        ("recovery", AlarmState.RECOVERED),
    ]


def test_steps_that_are_undone_one_after_the_other_are_all_closed(tmp_path: Path) -> None:
    levels = {JOB: flat(54, n16=-0.15, n26=-0.06, n36=0.06, n46=0.15)}
    registry, _ = night_by_night(tmp_path, levels)
    told = [(one.kind, one.first, one.state) for one in registry.alarms if one.was_told()]
    assert told == [
        ("step", 16, AlarmState.RECOVERED),
        ("step", 26, AlarmState.RECOVERED),
        ("recovery", 36, AlarmState.RECOVERED),
        ("recovery", 46, AlarmState.RECOVERED),
    ]


def test_an_alarm_outlives_its_benchmark_s_name_and_is_closed_by_the_way_back(
    tmp_path: Path,
) -> None:
    new = JOB.model_copy(update={"benchmark": "org.example.NewBenchmark.run"})
    ratios = flat(34, n16=-0.08, n26=0.08)
    nights = make_nights({JOB: ratios})[:20] + make_nights({new: ratios}, start=20)
    registry, builds = AlarmRegistry(), MadeBuilds(tmp_path / "jars")
    for count in range(9, 35):
        renamed = {JOB.benchmark: new.benchmark} if count > 20 else {}
        tracks = build_tracks(nights[:count], renamed)
        bench = MadeReruns({JOB: ratios, new: ratios})
        reruns = NightReruns(
            tmp_path / "results", builds, "flink-boost", bench, pairs=600, now=lambda: NOW
        )
        findings = confirm(tracks, tmp_path / "results", reruns, newest_runs(tracks, "box-1"))
        registry = after_night(registry, findings, NOW)
    told = [(one.kind, one.first, one.state, one.cell) for one in registry.alarms]
    assert told == [
        ("step", 16, AlarmState.RECOVERED, new),
        ("recovery", 26, AlarmState.RECOVERED, new),
    ]


@pytest.mark.parametrize("count", [1, 2, 9, 10, 11, 30])
def test_a_few_nights_are_no_reason_to_stop(tmp_path: Path, count: int) -> None:
    found = confirmed(
        tmp_path / "results",
        make_nights({JOB: flat(count)}),
        MadeReruns({JOB: flat(count)}),
        MadeBuilds(tmp_path / "jars"),
    )
    assert [one.told for one in found.tracks] == [()]
    assert confirm((), tmp_path / "results", None, ()).tracks == ()


def test_a_broken_journal_is_told(tmp_path: Path) -> None:
    (track,) = build_tracks(make_nights({JOB: flat(2)}))
    place = tmp_path / "results" / "reruns" / "journal" / f"{track.key}.jsonl"
    place.parent.mkdir(parents=True)
    place.write_text('{"asked": 3}\n', encoding="utf-8")
    with pytest.raises(BrokenData, match="no answer of a rerun"):
        confirm([track], tmp_path / "results", None, ())
