"""The journal says how each night was judged, and no night is judged again by other rules."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from synthetic import JOB
from watched_nights import NOW, MadeBuilds, MadeReruns, confirmed, flat, make_nights

from flink_boost.base.errors import BrokenData
from flink_boost.judge.detection import suspicion, watcher
from flink_boost.judge.detection.memory import RULES
from flink_boost.judge.tracks import Track, build_tracks
from flink_boost.measure.summary import RunSummary
from flink_boost.service.detect.alarm_registry import AlarmRegistry, after_night
from flink_boost.service.detect.confirming import WatchedTrack, confirm
from flink_boost.service.detect.reruns.rerun_journal import NightJudged, RerunJournal

BACK_SOON = flat(40, n14=-0.06, n19=0.06, n30=-0.08)
LITTLE_BY_LITTLE = [-0.006 * min(max(0, night - 15), 12) for night in range(40)]
STEADY = flat(40)


def walked(folder: Path, levels: Sequence[float], pairs: int = 600) -> list[RunSummary]:
    made = {JOB: levels}
    nights, builds = make_nights(made), MadeBuilds(folder / "jars")
    for count in range(1, len(nights) + 1):
        confirmed(folder / "results", nights[:count], MadeReruns(made), builds, pairs)
    return nights


def journal_of(folder: Path, track: Track) -> Path:
    return folder / "results" / "reruns" / "journal" / f"{track.key}.jsonl"


def looked_at(folder: Path, nights: Sequence[RunSummary]) -> WatchedTrack:
    (found,) = confirm(build_tracks(nights), folder / "results", None, ()).tracks
    return found


@pytest.mark.parametrize(
    "levels", [BACK_SOON, LITTLE_BY_LITTLE, STEADY], ids=["back", "drift", "-"]
)
@pytest.mark.parametrize("pairs", [600, 10])
def test_night_by_night_is_the_same_as_all_nights_at_once(
    tmp_path: Path, levels: Sequence[float], pairs: int
) -> None:
    nights = walked(tmp_path, levels, pairs)
    known = looked_at(tmp_path, nights)
    assert (known.judged, known.kept) == ((), len(nights))
    path = journal_of(tmp_path, known.track)
    lines = path.read_text().splitlines()
    # A journal of an older version: answers only.
    path.write_text("".join(f"{line}\n" for line in lines if '"asked"' in line))
    again = looked_at(tmp_path, nights)
    assert len(again.judged) == len(nights)
    assert again.told == known.told
    assert again.decisions == known.decisions
    assert (again.pending is None) is (known.pending is None)
    if again.pending is not None and known.pending is not None:
        assert again.pending.evidence.differences == known.pending.evidence.differences


def test_each_night_is_there_with_its_decision_and_the_version_of_the_rules(tmp_path: Path) -> None:
    nights = walked(tmp_path, BACK_SOON)
    track = looked_at(tmp_path, nights).track
    judged = RerunJournal(tmp_path / "results", track.key).nights
    assert [one.night for one in judged] == [run.info.run_id for run in nights]
    assert {one.rules for one in judged} == {RULES}
    assert [one.decision for one in judged[:10]] == ["learning"] * 9 + [judged[9].decision]
    told = [number for number, one in enumerate(judged) if one.told]
    assert told == [14, 19, 30]
    assert {judged[number].decision for number in told} == {"confirmed"}
    quiet = next(one for one in judged[20:] if one.decision == "quiet" and one.memory is None)
    assert len(quiet.model_dump_json(exclude_defaults=True)) < 60, "most nights are quiet"


def test_other_rules_change_nothing_of_what_was_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    levels = {JOB: flat(30, n20=-0.06)}
    nights, builds = make_nights(levels), MadeBuilds(tmp_path / "jars")
    registry = AlarmRegistry()
    for count in range(9, 31):
        if count == 24:
            monkeypatch.setattr(watcher, "_MARGIN", 3)
            monkeypatch.setattr(suspicion, "LEAST_CHANGE", 0.2)
        found = confirmed(tmp_path / "results", nights[:count], MadeReruns(levels), builds)
        registry = after_night(registry, found, NOW)
    (alarm,) = (one for one in registry.alarms if one.was_told())
    assert (alarm.first, alarm.seen, len(alarm.history)) == (20, True, 1)
    assert [one.told for one in found.tracks if one.told], "detection still knows it"


def test_infinite_ends_of_an_interval_are_kept(tmp_path: Path) -> None:
    nights = walked(tmp_path, flat(22, n20=-0.06))
    journal = RerunJournal(tmp_path / "results", looked_at(tmp_path, nights).track.key)
    line = next(one for one in journal.nights if one.told)
    assert line.told is not None
    told = replace(line.told, high=math.inf)
    endless = line.model_copy(update={"told": told})
    assert NightJudged.model_validate_json(endless.model_dump_json()) == endless


def test_a_journal_of_newer_rules_is_refused(tmp_path: Path) -> None:
    nights = walked(tmp_path, flat(3))
    path = journal_of(tmp_path, build_tracks(nights)[0])
    path.write_text(path.read_text().replace(f'"rules":{RULES}', f'"rules":{RULES + 1}'))
    with pytest.raises(BrokenData, match="newer version"):
        looked_at(tmp_path, nights)
