"""The steps of a night: what they leave and tell, and what one that fails costs the others."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from failing_codespeed import answer, failing_codespeed
from night_world import AT, GRACE, LINE, MEASURE, ORDER, SHORT, World

from flink_boost.base.errors import BenchmarkFailed, CodecMismatch, UploadFailed
from flink_boost.measure import run_plan, store
from flink_boost.measure.night_record import NightState, StepState
from flink_boost.publish.spool import Spool
from flink_boost.service.nightly import steps
from flink_boost.service.nightly.check_calls import check_here
from flink_boost.service.nightly.checking import NightFinding
from flink_boost.service.nightly.source_tree import box_label

pytestmark = pytest.mark.needs_jars


@pytest.mark.forks
def test_a_whole_night_is_done_once_and_told_to_the_dashboard(world: World) -> None:
    ended = world.service().run(ORDER, AT, resume=False)
    assert ended is not None
    assert ended.problems == (), world.said
    night = ended.night
    assert (night.state, night.expected, night.measured) == (NightState.COMPLETE, 1, 1)
    states = {step.name: step.state for step in night.steps}
    assert states.pop("canary") is states.pop("confirm") is StepState.SKIPPED
    assert states.pop("old-against-new") is StepState.SKIPPED
    assert states.pop("profiles") is StepState.SKIPPED
    assert set(states.values()) == {StepState.DONE}
    assert "2,000 strings" in night.step(f"verify {LINE}").note
    assert all(step.seconds is None or step.seconds >= 0 for step in night.steps)

    (run_id,) = night.runs
    info = store.load_run(world.results, run_id)
    assert info.purpose.makes_a_point
    assert store.is_complete(world.results, run_id)
    assert len(world.server.stored) == 3, "both sides and the ratio"
    assert world.server.nights[night.box, night.night]["state"] == "complete"
    assert all(Path(page).is_file() for page in night.step("report").note.split(", "))
    assert [one.state for one in world.told.nights] == [NightState.COMPLETE]

    before = (world.folder / "nights" / night.night / "night.json").read_bytes()
    assert world.service().run(ORDER, AT, resume=False) is None
    assert (world.folder / "nights" / night.night / "night.json").read_bytes() == before
    assert len(store.run_ids(world.results)) == 1

    # Killed after its last step: the next start sends the record, although nothing is left to do.
    (world.folder / "nights" / night.night / "sent.sha256").unlink()
    world.server.nights.clear()
    assert world.service().run(ORDER, AT, resume=False) is None
    assert world.server.nights[night.box, night.night]["state"] == "complete"
    assert check_here(world.service(), world.now, AT, GRACE).finding is NightFinding.WELL


def test_a_dashboard_that_is_down_all_night_costs_nothing_and_gets_it_with_the_next(
    tmp_path: Path, world: World
) -> None:
    with failing_codespeed(default=answer(503)) as down:
        # 503 for records of nights as well: only ``accept`` stores any.
        world.server = down
        ended = world.service().run(SHORT, AT, resume=False)
    assert ended is not None
    assert {type(problem) for problem in ended.problems} == {UploadFailed}
    assert ended.night.state is NightState.FAILED
    assert "upload failed" in ended.night.reason
    assert ended.night.step("report").state is StepState.DONE
    waiting = len(Spool(world.folder / "spool").unsent_keys())
    assert waiting == 2

    with failing_codespeed() as up:
        world.server = up
        world.now += timedelta(days=1)
        after = world.service().run(SHORT, AT, resume=False)
        assert after is not None
        assert after.problems == ()
        commits = {key[2] for key in up.stored}
        assert len(commits) == 2, "both nights"
        assert set(up.times_stored.values()) == {1}
        assert {name for _, name in up.nights} == {"2026-11-24T0100", "2026-11-25T0100"}


def test_a_fork_that_hangs_is_a_gap_and_the_night_goes_on(world: World) -> None:
    environ = world.java([2], "sleep 300")
    ended = world.service(environ=environ, fork_seconds=10).run(ORDER, AT, resume=False)
    assert ended is not None
    assert [type(problem) for problem in ended.problems] == [BenchmarkFailed]
    night = ended.night
    assert night.step(MEASURE).state is StepState.FAILED
    assert night.measured == 1, "one pair is whole"
    assert night.step("upload").state is StepState.DONE
    assert len(world.server.stored) == 3
    assert check_here(world.service(), world.now, AT, GRACE).finding is NightFinding.FAILED

    again = world.service(environ=environ).run(ORDER, AT, resume=True)
    assert again is not None
    assert again.problems == ()
    assert again.night.state is NightState.COMPLETE
    assert again.night.runs == night.runs
    assert len(store.run_ids(world.results)) == 1


def test_what_does_not_verify_is_not_measured_and_all_else_goes_on(world: World) -> None:
    def differs(*_: object) -> str:
        raise CodecMismatch("Case 7 of seed 1 differs.", "Repeat it.")

    service = world.service()
    broken = replace(service, parts=replace(service.parts, verify=differs))
    ended = broken.run(SHORT, AT, resume=False)
    assert ended is not None
    assert ended.night.state is NightState.EMPTY
    assert "Case 7 of seed 1 differs" in ended.night.reason
    assert ended.night.step(MEASURE).note == f"skipped: verify {LINE} failed"
    assert ended.night.step("detect").state is StepState.DONE
    assert store.run_ids(world.results) == ()


def test_a_step_that_fails_in_a_way_nobody_foresaw_costs_no_other(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        # As a name of a file that is no text, and as long as pydantic's.
        raise ValueError("a number\nthat is none \udcff" + " x" * 2000)

    monkeypatch.setattr(steps, "detect", broken)
    service = world.service()
    ended = service.run(SHORT, AT, resume=False)
    assert ended is not None
    assert ended.night.state is NightState.FAILED
    assert "everything was measured; detect failed: A fault of flink-boost" in ended.night.reason
    states = {step.name: step.state for step in ended.night.steps}
    assert states.pop("detect") is StepState.FAILED
    assert states.pop("confirm") is StepState.SKIPPED
    assert {states[name] for name in ("report", "notify", "prune")} == {StepState.DONE}
    (problem,) = ended.problems
    assert "ValueError: a number that is none" in str(problem)
    log = service.places.build / "nights" / ended.night.night / "logs" / "detect.log"
    assert "in broken" in log.read_text(encoding="utf-8")
    assert str(log) in str(problem)
    assert world.told.nights[-1].step("detect").state is StepState.FAILED


def test_a_box_that_is_another_is_refused_and_a_later_start_of_the_slot_tries_again(
    tmp_path: Path, world: World
) -> None:
    file = tmp_path / "box.toml"
    file.write_text('name = "box-9"\nfingerprint = "000000000000"\n')
    ended = world.service(environ={"FLINK_BOOST_BOX": str(file)}).run(SHORT, AT, resume=False)
    assert ended is not None
    assert ended.night.state is NightState.REFUSED
    assert ended.night.box == "box-9"
    assert ended.night.step(f"build {LINE}").note == "skipped: box failed"
    assert world.server.nights["box-9", ended.night.night]["state"] == "refused"
    assert world.told.nights[-1].state is NightState.REFUSED
    again = world.service().run(SHORT, AT, resume=False)
    assert again is not None
    assert again.night.state is NightState.COMPLETE


def test_a_run_has_the_commit_that_its_jars_were_built_from(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    built, checked_out_since = "a" * 40, "b" * 40
    monkeypatch.setattr(steps, "current_commit", lambda: built)
    monkeypatch.setattr(run_plan, "current_commit", lambda: checked_out_since)
    ended = world.service().run(SHORT, AT, resume=False)
    assert ended is not None
    (run_id,) = ended.night.runs
    assert store.load_run(world.results, run_id).commit == built


def test_boxes_that_share_a_night_have_runs_of_their_own_names(world: World) -> None:
    """They begin in the same second, and the dashboard knows a run by its name."""
    ended = world.service().run(SHORT.model_copy(update={"shard": "1/2"}), AT, resume=False)
    assert ended is not None
    (run_id,) = ended.night.runs
    assert run_id.endswith(f"Z-{LINE}-1of2")


def test_a_box_with_another_name_on_the_dashboard_has_its_alarms_there(world: World) -> None:
    service = world.service()
    assert service.box() == box_label(service.environ)
    service.run(SHORT.model_copy(update={"environment": "other"}), AT, resume=False)
    assert service.box() == "other"
