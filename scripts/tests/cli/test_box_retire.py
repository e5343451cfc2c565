"""A box that measures no more: what it left is closed, and people read so."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from seen_alarms import seen

from flink_boost.cli.main import main
from flink_boost.judge.alarm_record import (
    AlarmEvent,
    AlarmFigures,
    AlarmRecord,
    AlarmState,
    figures,
)
from flink_boost.judge.merging import merge
from flink_boost.judge.retirement import left_behind
from flink_boost.measure.night_record import NightRecord, NightState, Order
from flink_boost.publish.nightly.changes import news_of
from flink_boost.publish.nightly.night_report import kept_nights
from flink_boost.publish.run_places import Places
from flink_boost.service.detect.alarm_registry import (
    AlarmRegistry,
    after_night,
    document_of,
    load_registry,
    store_registry,
)
from flink_boost.service.detect.confirming import Findings
from flink_boost.service.nightly.night_journal import NightJournal
from flink_boost.service.nightly.night_messages import People
from flink_boost.service.nightly.slots import night_id

TODAY = datetime(2026, 11, 25, 1, tzinfo=UTC)
LEFT = ("open", "watching", "withheld")


@pytest.fixture
def build(tmp_path: Path) -> Path:
    """Alarms in every state on redbox, one open on bluebox, and a night of greenbox."""
    alarms = [
        seen(
            state.value,
            box="redbox",
            state=state,
            history=(AlarmEvent(when=TODAY, state=state, note="as it was"),),
        )
        for state in AlarmState
        if state is not AlarmState.RETIRED
    ]
    blue = seen("blue", box="bluebox")
    store_registry(tmp_path, AlarmRegistry(made=TODAY, alarms=(*alarms, blue)))
    night(tmp_path, "greenbox", TODAY)
    return tmp_path


def night(build: Path, box: str, slot: datetime) -> NightRecord:
    made = NightRecord(box=box, night=night_id(slot), slot=slot, state=NightState.COMPLETE)
    order = Order(lines=("2.3.0",), group="smoke", strings=1000)
    NightJournal(build / "nights").begin(made, order)
    return made


def states(build: Path) -> dict[str, str]:
    return {one.series: one.state.value for one in load_registry(build).alarms}


def retire(build: Path, *arguments: str) -> int:
    return main(["--build", str(build), "box", "retire", *arguments])


def test_what_a_box_left_open_is_closed_once_and_nothing_else(
    build: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = states(build)
    told = figures(load_registry(build).alarms, 0).told
    assert retire(build, "redbox", "--by", "Ada") == 0
    assert "alarms closed now: 3" in capsys.readouterr().out
    assert states(build) == before | dict.fromkeys(LEFT, "retired")
    registry = load_registry(build)
    last = [one.history[-1] for one in registry.alarms if one.state is AlarmState.RETIRED]
    assert {one.note for one in last} == {"the box redbox was retired by Ada"}
    assert registry.figures.told == told, "what nobody had been told counts as told"

    kept = (build / "alarms" / "registry.json").read_bytes()
    assert retire(build, "redbox", "--by", "Bob", "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["closed"] == []
    assert answer["retired"]["by"] == "Ada"
    assert (build / "alarms" / "registry.json").read_bytes() == kept


def test_an_unknown_box_is_refused_with_those_that_may_be_meant(
    build: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert retire(build, "redbx") == 2
    said = capsys.readouterr().err
    assert "There is no box 'redbx' here" in said
    assert "There is: redbox." in said
    assert load_registry(build).retired == ()
    assert retire(build, "greenbox") == 0  # it has a night, and never had an alarm


def test_a_night_on_a_retired_box_says_so_and_opens_nothing(build: Path) -> None:
    retire(build, "redbox", "--by", "Ada")
    findings = Findings((), 0, ())
    registry = load_registry(build)
    late = registry.model_copy(update={"alarms": (*registry.alarms, seen("late", box="redbox"))})
    store_registry(build, after_night(late, findings, TODAY + timedelta(days=1)))
    assert states(build)["late"] == "retired"

    warnings = reported(build, TODAY + timedelta(days=1))
    assert len(warnings) == 1
    assert "The box redbox was retired on" in warnings[0]
    assert "`flink-boost box retire redbox --undo`" in warnings[0]
    assert retire(build, "redbox", "--undo") == 0
    assert reported(build, TODAY + timedelta(days=2)) == ()


def test_a_box_retired_by_mistake_gets_back_what_was_not_decided(
    build: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    retire(build, "redbox")
    assert retire(build, "redbox", "--undo") == 0
    assert "alarms open or watched again: 3" in capsys.readouterr().out
    assert [states(build)[name] for name in LEFT] == ["open", "watching", "watching"]

    registry = load_registry(build)
    again = [seen(name, box="redbox", effect=0.94) for name in LEFT]
    merged = merge(registry.alarms, again, TODAY + timedelta(days=1))
    told = {one.series: (one.state.value, one.was_told()) for one in merged}
    assert {told[name] for name in LEFT} == {("open", True)}, "somebody has to be told"


def test_what_a_night_finds_on_a_retired_box_is_told_to_nobody_until_it_is_taken_back(
    build: Path,
) -> None:
    retire(build, "redbox")
    told = load_registry(build).figures.told

    def night_that_sees(*found: AlarmRecord) -> tuple[AlarmRecord, AlarmFigures]:
        """As ``after_night``, of which no run is needed here."""
        registry, now = load_registry(build), datetime.now(UTC)
        merged = merge(registry.alarms, found, now, series={"late": ()})
        alarms = left_behind(merged, registry.retired, now)
        registry = registry.model_copy(update={"alarms": alarms})
        store_registry(build, registry)
        return next(one for one in alarms if one.series == "late"), registry.figures

    late = seen("late", box="redbox")
    found, counted = night_that_sees(late)
    assert (found.state, counted.told) == (AlarmState.RETIRED, told)
    times = [event.when for event in found.history]
    assert len(times) == 2
    assert times == sorted(times)
    for _ in range(2):  # whatever stands in its history by then
        retire(build, "redbox", "--undo")
        retire(build, "redbox")
        assert load_registry(build).figures.told == told
    retire(build, "redbox", "--undo")
    found, counted = night_that_sees(late)
    assert (found.state, counted.told) == (AlarmState.OPEN, told + 1)


def test_a_box_whose_disk_is_gone_is_retired_from_another(
    build: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert retire(build, "stranger") == 2
    assert "--unknown" in capsys.readouterr().err
    assert retire(build, "stranger", "--unknown") == 0
    registry = load_registry(build)
    document = document_of(registry, ["bluebox"], TODAY, None)
    assert document is not None
    assert "stranger" not in document.boxes, "that would delete its alarms on the dashboard"
    assert [one.box for one in document.retired] == ["stranger"]

    assert retire(build, "stranger", "--undo") == 0
    registry = load_registry(build)
    assert registry.retirement("stranger") is None
    document = document_of(registry, ["bluebox"], TODAY, None)
    assert document is not None
    assert [bool(one.back) for one in document.retired] == [True]
    assert retire(build, "stranger") == 0, "it has been named before"
    assert len(load_registry(build).retired) == 1


def test_that_the_alarms_of_a_box_were_closed_is_news_of_the_next_night_on_another(
    build: Path,
) -> None:
    reported(build, TODAY, "bluebox")
    retire(build, "redbox")
    reported(build, TODAY + timedelta(days=1), "bluebox")
    newest = kept_nights(build / "report").reports[0]
    closed = news_of(newest).closed
    assert len(closed) == 1, "two of them nobody had been told of"
    assert "its box was retired" in closed[0].title


def reported(build: Path, slot: datetime, box: str = "redbox") -> tuple[str, ...]:
    """Warnings of the report of a night."""
    places = Places(build / "results", build / "spool", build)
    People(places, {}, lambda: slot).write(night(build, box, slot))
    return kept_nights(build / "report").reports[0].warnings
