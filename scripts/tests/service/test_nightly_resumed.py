"""Nights that begin late, wait, or go on after they were cut off: each is done once."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from night_world import AT, GRACE, LINE, MEASURE, ORDER, SHORT, SLOT, Silent, World, silent

from flink_boost.base.errors import EnvironmentProblem, MachineBusy, NightRunning, NoisyBox
from flink_boost.flink.lines import Line
from flink_boost.measure import store
from flink_boost.measure.machine_lock import machine_lock
from flink_boost.measure.night_record import NightState, StepState
from flink_boost.measure.runner import EndedFork
from flink_boost.measure.store import RunState
from flink_boost.service.nightly import steps
from flink_boost.service.nightly.check_calls import check_here
from flink_boost.service.nightly.checking import NightFinding
from flink_boost.service.nightly.night import Waiting
from flink_boost.service.nightly.night_parts import BoxFinding

pytestmark = pytest.mark.needs_jars


def test_a_clock_set_back_makes_no_second_night_and_no_time_before_the_slot(world: World) -> None:
    first = world.service().run(SHORT, AT, resume=False)
    assert first is not None
    assert first.night.state is NightState.COMPLETE
    world.now = SLOT - timedelta(minutes=55)
    assert world.service().run(SHORT, AT, resume=False) is None
    assert any("clock was" in line for line in world.said)
    assert world.service().journal.nights() == (first.night.night,)

    # Set back while a night is under way: it goes on, and its run is not dated before its slot.
    shutil.rmtree(world.folder / "nights")
    shutil.rmtree(world.results)
    world.now = SLOT + timedelta(minutes=5)
    service = world.service()

    def set_back() -> Any:
        world.now = SLOT - timedelta(minutes=55)
        return silent()

    ended = replace(service, shown=set_back).run(SHORT, AT, resume=False)
    assert ended is not None
    assert ended.night.state is NightState.COMPLETE
    (run_id,) = ended.night.runs
    assert store.load_run(world.results, run_id).started >= SLOT
    assert all((step.seconds or 0) >= 0 for step in ended.night.steps)
    journal = service.journal
    journal.write(ended.night.model_copy(update={"state": NightState.RUNNING}))
    again = world.service().run(SHORT, AT, resume=False)
    assert again is not None
    assert again.night.night == ended.night.night
    assert again.night.runs == ended.night.runs


def test_an_older_night_that_was_cut_off_is_closed_with_its_gaps_and_told(world: World) -> None:
    service = world.service()

    class CutOff(Silent):
        def ended(self, _info: object, step: EndedFork) -> None:
            if step.number == 3:
                raise KeyboardInterrupt

    @contextmanager
    def cutting() -> Iterator[CutOff]:
        yield CutOff()

    order = ORDER.model_copy(update={"pairs": 3})
    with pytest.raises(KeyboardInterrupt):
        replace(service, shown=cutting).run(order, AT, resume=False)
    assert world.night().state is NightState.RUNNING
    assert check_here(world.service(), world.now, AT, GRACE).finding is NightFinding.STOPPED
    assert "was stopped" in world.told.nights[-1].reason
    world.told.nights.clear()

    world.now += timedelta(days=1)
    ended = world.service().run(ORDER, AT, resume=False)
    assert ended is not None
    assert ended.night.state is NightState.COMPLETE
    old = world.night()
    assert old.state is NightState.FAILED, "its one benchmark has a whole pair"
    assert f"cut off at {MEASURE}" in old.reason
    (old_run,) = old.runs
    assert store.state(world.results, old_run) is RunState.WITH_FAILURES
    assert [one.night for one in world.told.nights] == [old.night, ended.night.night]
    assert len({key[2] for key in world.server.stored}) == 2, "what it had is sent"


def test_a_missing_night_is_told_and_may_still_come(world: World) -> None:
    world.service().run(SHORT, AT, resume=False)
    world.told.nights.clear()
    world.now = SLOT + timedelta(days=1, hours=3)
    found = check_here(world.service(), world.now, AT, GRACE)
    assert (found.finding, found.night) == (NightFinding.MISSING, "2026-11-25T0100")
    assert [one.state for one in world.told.nights] == [NightState.MISSING]
    box = world.night("2026-11-24T0100").box
    assert world.server.nights[box, "2026-11-25T0100"]["state"] == "missing"
    late = world.service().run(SHORT, AT, resume=False)
    assert late is not None
    assert (late.night.night, late.night.state) == ("2026-11-25T0100", NightState.COMPLETE)
    assert world.server.nights[box, "2026-11-25T0100"]["state"] == "complete"


def test_a_second_nightly_says_so_and_another_measurement_is_waited_for(world: World) -> None:
    service = world.service()
    with service.journal.held(), pytest.raises(NightRunning, match=str(os.getpid())):
        service.run(SHORT, AT, resume=False)
    lock = service.waiting.lock
    slept: list[float] = []
    with machine_lock(lock, "a request"):
        busy = Waiting(lock, 60, clock=lambda: sum(slept), sleep=slept.append)
        with pytest.raises(MachineBusy, match="a request"):
            replace(service, waiting=busy).run(SHORT, AT, resume=False)
    assert 60 <= sum(slept) < 70
    assert world.night().state is NightState.REFUSED
    assert sum("Waiting up to 1 min" in line for line in world.said) == 1
    # The same night is taken up once the machine is free.
    ended = service.run(SHORT, AT, resume=False)
    assert ended is not None
    assert ended.night.state is NightState.COMPLETE


def test_jars_that_change_within_a_night_give_the_run_up_and_measure_anew(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new run is of the commit that the new jars are of, and only once these are verified."""
    monkeypatch.setattr(steps, "current_commit", lambda: "a" * 40)
    ended = world.service().run(SHORT, AT, resume=False)
    assert ended is not None
    (before,) = ended.night.runs
    assert store.load_run(world.results, before).commit == "a" * 40
    monkeypatch.setattr(steps, "current_commit", lambda: "b" * 40)
    plan_file = world.results / before / "run.json"
    plan_file.write_text(
        re.sub(r'"dropin_sha256": "\w+"', f'"dropin_sha256": "{"0" * 64}"', plan_file.read_text())
    )
    (world.results / before / "complete").unlink()
    service, verified = world.service(), []

    def verify(line: Line, *_: object) -> str:
        verified.append(line.version)
        return "equal"

    service = replace(service, parts=replace(service.parts, verify=verify))
    service.journal.note_jar(ended.night.night, LINE, "0" * 64)
    half = ended.night.with_step(
        ended.night.step(MEASURE).model_copy(update={"state": StepState.RUNNING})
    )
    service.journal.write(half.model_copy(update={"state": NightState.RUNNING}))
    again = service.run(SHORT, AT, resume=False)
    assert again is not None
    (after,) = again.night.runs
    assert after != before
    assert store.state(world.results, before) is RunState.ABANDONED
    assert store.is_complete(world.results, after)
    assert service.journal.runs(again.night.night).given_up == (before,)
    assert store.load_run(world.results, after).commit == "b" * 40
    assert verified == [LINE]


def test_what_is_done_of_a_night_stays_done_where_its_jar_is_the_same(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another commit that is checked out since makes no other jar."""
    monkeypatch.setattr(steps, "current_commit", lambda: "a" * 40)
    ended = world.service().run(SHORT, AT, resume=False)
    assert ended is not None
    service = world.service()
    half = ended.night.with_step(
        ended.night.step(MEASURE).model_copy(update={"state": StepState.RUNNING})
    )
    service.journal.write(half.model_copy(update={"state": NightState.RUNNING}))
    service = replace(service, parts=replace(service.parts, build=_fails, verify=_fails))
    monkeypatch.setattr(steps, "current_commit", lambda: "b" * 40)
    again = service.run(SHORT, AT, resume=False)
    assert again is not None
    assert again.night.state is NightState.COMPLETE
    assert again.night.runs == ended.night.runs
    assert service.journal.runs(again.night.night).commits == {LINE: "a" * 40}


def _fails(*_: object) -> Any:
    raise AssertionError("nothing of it is left to do")


def test_a_night_that_goes_on_measures_nothing_while_the_box_is_not_quiet(world: World) -> None:
    ended = world.service().run(SHORT, AT, resume=False)
    assert ended is not None
    shutil.rmtree(world.results)
    waits = ended.night.with_step(
        ended.night.step(MEASURE).model_copy(update={"state": StepState.WAITING})
    )
    service = world.service()
    service.journal.write(waits.model_copy(update={"state": NightState.RUNNING, "measured": 0}))

    def busy(*_: object) -> BoxFinding:
        raise NoisyBox("Something else computes here.", "Stop it.")

    service = replace(service, parts=replace(service.parts, check_box=busy))
    again = service.run(SHORT, AT, resume=False)
    assert again is not None
    assert again.night.step(MEASURE).note == "skipped: box failed"
    assert again.night.state is NightState.REFUSED
    assert store.run_ids(world.results) == ()
    # Once it is quiet the night begins where it stood.
    last = world.service().run(SHORT, AT, resume=False)
    assert last is not None
    assert last.night.state is NightState.COMPLETE


def test_a_check_without_any_night_is_a_wrong_call(world: World) -> None:
    with pytest.raises(Exception, match="holds no nights"):
        check_here(world.service(), world.now, AT, GRACE)


def test_a_night_whose_machine_cannot_be_locked_says_why(tmp_path: Path, world: World) -> None:
    place = tmp_path / "no folder"
    place.write_text("")
    waiting = Waiting(place / "lock", 60)
    with pytest.raises(EnvironmentProblem, match="cannot be used"):
        world.service(waiting=waiting).run(SHORT, AT, resume=False)
    assert world.night().state is NightState.REFUSED
