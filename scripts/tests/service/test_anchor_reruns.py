"""Nights in which a benchmark is held against its anchor: one a night, told as one that grows."""

from __future__ import annotations

import math
import shutil
from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from synthetic import JOB, WRITE
from watched_nights import (
    NOW,
    MadeBuilds,
    MadeReruns,
    commit_of,
    flat,
    forks_of_night,
    make_nights,
)

from flink_boost.judge.alarm_record import AlarmDecision, AlarmRecord, AlarmState, decided
from flink_boost.judge.detection import anchor
from flink_boost.judge.tracks import build_tracks, newest_runs
from flink_boost.measure.model import Cell
from flink_boost.measure.summary import summarise
from flink_boost.service.detect.alarm_registry import AlarmRegistry, after_night
from flink_boost.service.detect.anchor_reruns import agreements, drifts, hold
from flink_boost.service.detect.confirming import Findings, NightReruns, confirm
from flink_boost.service.detect.reruns.rerun_journal import RerunJournal

NIGHTS = 60
LATER = 5
CREEPING = [-0.0012 * night for night in range(NIGHTS + LATER)]


class Months:
    """Nights of two benchmarks, one of which creeps, gone through from the tenth on."""

    def __init__(
        self, folder: Path, levels: Mapping[Cell, Sequence[float]], failing: Sequence[str] = ()
    ) -> None:
        folder.mkdir(exist_ok=True)
        self.results = folder / "results"
        self.levels = levels
        self.runs = make_nights(levels)
        self.builds = MadeBuilds(folder / "jars", failing)
        self.registry = AlarmRegistry()

    def night(self, count: int, bench: MadeReruns | None = None, pairs: int = 600) -> Findings:
        tracks = build_tracks(self.runs[:count])
        reruns = NightReruns(
            self.results,
            self.builds,
            "flink-boost",
            bench or MadeReruns(self.levels),
            pairs=pairs,
            now=lambda: NOW,
        )
        tonight = newest_runs(tracks, "box-1")
        found = confirm(tracks, self.results, reruns, tonight)
        alarms = self.registry.alarms
        agreed, drifting = agreements(alarms), drifts(alarms)
        findings = hold(found, self.results, reruns, tonight, agreed, drifting)
        self.registry = after_night(self.registry, findings, NOW + timedelta(days=count))
        return findings

    def release(self, first: int) -> None:
        """From that night on the version is another one."""
        for number, run in enumerate(self.runs):
            info = run.info
            version = "0.2.0" if number < first else "0.3.0"
            subject = info.subject and info.subject.model_copy(update={"version": version})
            later = info.model_copy(update={"boost_version": version, "subject": subject})
            self.runs[number] = run.model_copy(update={"info": later})

    def copied(self, folder: Path, gone: Collection[int] = ()) -> Months:
        """The same machine elsewhere, with some of its nights abandoned."""
        copy = Months(folder, self.levels)
        shutil.copytree(self.results, copy.results)
        copy.registry = self.registry
        copy.runs = [run for number, run in enumerate(self.runs) if number not in gone]
        return copy

    def held(self) -> list[str]:
        """The nights in which something was held against its anchor."""
        tracks = build_tracks(self.runs)
        journals = [RerunJournal(self.results, track.key) for track in tracks]
        return [name for one in journals for name in sorted({held.asked for held in one.held})]

    @property
    def told(self) -> list[AlarmRecord]:
        return [one for one in self.registry.alarms if one.was_told()]


@pytest.fixture(scope="module")
def crept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Months, list[AlarmRecord]]:
    """All of these nights, and the alarm after each in which there is one."""
    months = Months(tmp_path_factory.mktemp("x"), {JOB: CREEPING, WRITE: flat(NIGHTS + LATER)})
    seen = []
    for count in range(9, NIGHTS + 1):
        months.night(count)
        seen += months.told
    return months, seen


def test_what_creeps_is_one_alarm_with_the_whole_change(
    crept: tuple[Months, list[AlarmRecord]],
) -> None:
    months, seen = crept
    (alarm,) = months.told
    assert (alarm.cell, alarm.kind, alarm.state) == (JOB, "drift", AlarmState.OPEN)
    last = int(alarm.commits[1], 16) - 1
    assert alarm.effect == pytest.approx(math.exp(CREEPING[last]), abs=0.01)
    assert alarm.effect < 0.96
    assert alarm.commits[0] < alarm.commits[1]
    assert alarm.growth >= 1
    assert {one.id for one in seen} == {alarm.id}
    grown = [event.note for event in alarm.history if "has grown" in event.note]
    assert len(grown) == alarm.growth
    assert len({one.notice for one in seen}) == alarm.growth + 1


def test_one_benchmark_a_night_is_held_in_turn(crept: tuple[Months, list[AlarmRecord]]) -> None:
    months, _ = crept
    nights = months.held()
    tracks = build_tracks(months.runs)
    counts = [
        len({one.asked for one in RerunJournal(months.results, track.key).held}) for track in tracks
    ]
    assert len(nights) <= NIGHTS - 9 + 5, "besides the turn, only what was confirmed to be small"
    assert abs(counts[0] - counts[1]) <= 8
    assert min(counts) >= 15


def test_a_benchmark_that_crashes_every_night_does_not_take_the_turn_of_others(
    tmp_path: Path,
) -> None:
    levels = {JOB: flat(20), WRITE: flat(20)}
    months = Months(tmp_path, levels)
    for number in range(15, 20):
        run, forks = forks_of_night(levels, number)
        months.runs[number] = summarise(run, [fork for fork in forks if fork.cell != WRITE])
    for count in range(10, 21):
        months.night(count)
    tonight = [run.info.run_id for run in months.runs[16:]]
    assert set(tonight) <= set(months.held())


def test_a_second_call_in_a_night_asks_for_nothing(
    crept: tuple[Months, list[AlarmRecord]],
) -> None:
    months, _ = crept
    before = months.registry
    again = MadeReruns(months.levels)
    months.night(NIGHTS, again)
    assert again.asked == []
    assert months.registry.alarms == before.alarms


def test_a_call_that_was_killed_goes_on(tmp_path: Path) -> None:
    levels = {JOB: flat(14), WRITE: flat(14)}
    whole, killed = Months(tmp_path / "a", levels), Months(tmp_path / "b", levels)
    for one in (whole, killed):
        for count in range(9, 14):
            one.night(count)
    bench = MadeReruns(levels)
    whole.night(14, bench)
    assert bench.asked
    cut, rest = MadeReruns(levels, interrupted_after=1), MadeReruns(levels)
    with pytest.raises(KeyboardInterrupt):
        killed.night(14, cut)
    killed.night(14, rest)
    assert cut.asked + rest.asked == bench.asked
    assert killed.held() == whole.held()


def test_an_anchor_that_does_not_build_is_told_and_stands_in_nobody_s_way(tmp_path: Path) -> None:
    levels = {JOB: flat(14), WRITE: flat(14)}
    months = Months(tmp_path, levels, failing=[commit_of(0)])
    for count in range(10, 15):
        problems = months.night(count).problems
        assert f"{commit_of(0)[:12]} could not be built. Read its log." in problems
        assert any(one.endswith("was not held against its anchor for that.") for one in problems)
    assert months.told == []
    tracks = build_tracks(months.runs)
    assert all(RerunJournal(months.results, track.key).held for track in tracks)


@pytest.mark.parametrize("gone", [(), (0,), (20, 31)])
def test_neither_other_rules_nor_an_abandoned_night_change_what_was_told(
    crept: tuple[Months, list[AlarmRecord]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    gone: Collection[int],
) -> None:
    months, _ = crept
    (before,) = months.told
    copy = months.copied(tmp_path, gone)
    monkeypatch.setattr(anchor, "LEAST", 0.2)
    for count in range(NIGHTS + 1, NIGHTS + 4):
        copy.night(count - len(gone))
    (after,) = copy.told
    assert (after.id, after.growth, after.seen) == (before.id, before.growth, True)
    assert after.history == before.history
    assert (after.effect, after.since_run) == (before.effect, before.since_run)


def test_a_step_of_a_night_that_was_killed_is_no_part_of_what_creeps(tmp_path: Path) -> None:
    levels = {JOB: flat(26, n18=-0.1)}
    months = Months(tmp_path, levels)
    for count in range(10, 19):
        months.night(count)
    tracks = build_tracks(months.runs[:19])
    reruns = NightReruns(
        months.results, months.builds, "flink-boost", MadeReruns(levels), pairs=600, now=lambda: NOW
    )
    found = confirm(tracks, months.results, reruns, newest_runs(tracks, "box-1"))
    assert [alarm.first for one in found.tracks for alarm in one.told] == [18]
    for count in range(20, 27):
        months.night(count)
    (alarm,) = months.told
    assert (alarm.first, alarm.kind) == (18, "step")


def test_what_people_accepted_stays_the_anchor_though_they_take_it_back(
    crept: tuple[Months, list[AlarmRecord]], tmp_path: Path
) -> None:
    months, _ = crept
    (alarm,) = months.told
    copy = months.copied(tmp_path)
    decide(copy, alarm, AlarmState.ACCEPTED)
    copy.night(NIGHTS + 1)
    copy.night(NIGHTS + 2)
    assert held_against(copy, alarm.series) == alarm.since_run
    decide(copy, copy.registry.find(alarm.id), AlarmState.REJECTED)
    copy.night(NIGHTS + 3)
    copy.night(NIGHTS + 4)
    assert held_against(copy, alarm.series) == alarm.since_run
    (still,) = copy.told
    assert (still.id, still.state, still.seen) == (alarm.id, AlarmState.REJECTED, True)
    assert (still.effect, still.growth) == (alarm.effect, alarm.growth)


def decide(months: Months, alarm: AlarmRecord, state: AlarmState, night: int = NIGHTS) -> None:
    when = months.runs[night].info.started - timedelta(hours=1)
    decision = AlarmDecision(state=state, by="x", reason="It has to be.", when=when)
    months.registry = months.registry.replaced(decided(alarm, decision))


def held_against(months: Months, series: str) -> str:
    return RerunJournal(months.results, series).held[-1].before


def test_what_people_accepted_is_the_next_anchor(crept: tuple[Months, list[AlarmRecord]]) -> None:
    months, _ = crept
    (alarm,) = months.told
    when = months.runs[-1].info.started - timedelta(hours=1)
    decision = AlarmDecision(state=AlarmState.ACCEPTED, by="x", reason="It has to be.", when=when)
    (agreed,) = agreements([decided(alarm, decision)])[alarm.series]
    assert agreed.run == alarm.since_run
    assert agreements([alarm]).get(alarm.series) is None


def test_the_last_night_of_a_release_is_an_anchor(tmp_path: Path) -> None:
    levels = {JOB: flat(15)}
    months = Months(tmp_path, levels)
    months.release(11)
    (track,) = build_tracks(months.runs)
    against = []
    for count in (11, 12, 13, 15):
        months.night(count)
        against.append(held_against(months, track.key))
    names = [run.info.run_id for run in months.runs]
    assert against == [names[0], names[10], names[10], names[10]]


def test_what_no_anchor_can_add_up_is_told_part_by_part(tmp_path: Path) -> None:
    levels = {JOB: flat(50, n20=-0.027, n30=-0.027, n40=-0.027)}
    months = Months(tmp_path, levels, failing=[commit_of(0)])
    for count in range(10, 51):
        months.night(count)
    assert [one.first for one in months.told] == [20, 30, 40]
    assert math.prod(one.effect for one in months.told) == pytest.approx(math.exp(-0.081), abs=0.02)


def test_suspicions_leave_pairs_for_an_anchor(tmp_path: Path) -> None:
    levels = {JOB: flat(12)}
    months = Months(tmp_path, levels)
    (track,) = build_tracks(months.runs)
    journal = RerunJournal(months.results, track.key)
    reruns = NightReruns(
        months.results, months.builds, "flink-boost", MadeReruns(levels), pairs=20, now=lambda: NOW
    )
    first, *_, newest = track.runs
    assert len(reruns.answer(track, journal, first, newest, 40) or ()) == 16
    assert reruns.answer(track, journal, first, newest, 40) == ()
    assert len(reruns.answer(track, journal, first, newest, 40, held=True) or ()) == 4
    assert reruns.answer(track, journal, first, newest, 40, held=True) == ()
    *_, said = reruns.problems
    assert said == f"No pair was left to hold {JOB.name} against its anchor."


def test_a_step_of_the_night_that_becomes_the_anchor_is_not_told_again(tmp_path: Path) -> None:
    levels = {JOB: flat(16, n4=-0.1)}
    months = Months(tmp_path / "a", levels)
    for count in range(2, 12):
        months.night(count)
    (before,) = months.told
    copy = months.copied(tmp_path / "b", gone=range(4))
    for count in range(13, 17):
        copy.night(count - 4)
    (after,) = copy.told
    assert (after.id, after.kind) == (before.id, "step")


def test_what_is_taken_back_and_comes_again_is_told_as_that(tmp_path: Path) -> None:
    levels = {JOB: flat(36, n12=0.1, n20=-0.1, n28=0.1)}
    months = Months(tmp_path, levels)
    for count in range(10, 37):
        months.night(count)
    assert [(one.kind, one.first) for one in months.told] == [
        ("step", 12), ("step", 20), ("recovery", 28)
    ]  # fmt: skip
