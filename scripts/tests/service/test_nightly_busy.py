"""Nights while another process writes to the same results: they wait, and none is lost."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from synthetic import make_run

from flink_boost.base.errors import EnvironmentProblem, MachineBusy, UsageProblem
from flink_boost.measure import store
from flink_boost.measure.night_record import (
    NightRecord,
    NightState,
    Order,
    Runs,
    StepRecord,
    StepState,
)
from flink_boost.measure.store import RunState
from flink_boost.publish.run_places import Places
from flink_boost.publish.upload import RetryPolicy
from flink_boost.service.nightly.night import (
    Act,
    NightEnd,
    Waiting,
    carry_out,
    close_older,
    resumed,
)
from flink_boost.service.nightly.night_journal import NightJournal
from flink_boost.service.nightly.night_parts import Parts, StepSkipped
from flink_boost.service.nightly.night_plan import NightPlan, PlannedStep
from flink_boost.service.nightly.service import NightService
from flink_boost.service.retention.retention_settings import Retention

SLOT = datetime(2026, 11, 24, 1, tzinfo=UTC)
NIGHT = "2026-11-24T0100"


def begun(folder: Path) -> NightJournal:
    """A night that was cut off, with a run that has no fork yet."""
    journal = NightJournal(folder / "nights")
    night = NightRecord(box="box-1", night=NIGHT, slot=SLOT, expected=1)
    journal.begin(night, Order(lines=("2.3.0",), group="smoke", strings=1))
    info = make_run()
    store.create_run(folder, info)
    journal.write_runs(NIGHT, Runs(by_line={"2.3.0": info.run_id}))
    return journal


def test_who_measures_by_hand_keeps_no_night_from_beginning(tmp_path: Path) -> None:
    journal = begun(tmp_path)
    (run_id,) = store.run_ids(tmp_path)
    said: list[str] = []
    with store.lock(tmp_path):
        (closed,) = close_older(journal, tmp_path, SLOT + timedelta(days=1), said.append)
    assert closed.state is NightState.EMPTY
    assert store.state(tmp_path, run_id) is RunState.UNFINISHED
    assert f"The runs of {NIGHT} are closed by the next night." in said[0]
    # The next one does so, though the night is closed already.
    assert close_older(journal, tmp_path, SLOT + timedelta(days=2), said.append) == ()
    assert store.state(tmp_path, run_id) is RunState.ABANDONED
    # Where nothing is left to close nobody has to be waited for.
    count = len(said)
    with store.lock(tmp_path):
        assert close_older(journal, tmp_path, SLOT + timedelta(days=3), said.append) == ()
    assert len(said) == count


def test_a_night_that_cannot_be_read_keeps_no_other_from_beginning(tmp_path: Path) -> None:
    journal = begun(tmp_path)
    (journal.folder / NIGHT / "runs.json").write_text("{", encoding="utf-8")
    said: list[str] = []
    assert close_older(journal, tmp_path, SLOT + timedelta(days=1), said.append) == ()
    assert f"The night {NIGHT} cannot be closed: " in said[0]


def test_what_hangs_on_a_new_measurement_is_done_again_also_after_a_kill(tmp_path: Path) -> None:
    kinds = ("measure", "confirm", "report", "notify")
    journal = NightJournal(tmp_path / "nights")
    plan = NightPlan(tuple(PlannedStep(kind, kind, "", 1.0) for kind in kinds), ())
    waiting = Waiting(tmp_path / "lock", 60)
    done: list[str] = []
    killed_in = ""

    def act(night: NightRecord, step: PlannedStep) -> tuple[NightRecord, str]:
        if step.kind == killed_in:
            raise KeyboardInterrupt
        done.append(step.kind)
        return night, ""

    def sitting(night: NightRecord) -> NightRecord:
        done.clear()
        acts: dict[str, Act] = dict.fromkeys(kinds, act)
        begun = resumed(night, kinds)
        return carry_out(begun, plan, acts, journal, tmp_path, waiting, lambda _: None).night

    night = sitting(NightRecord(box="box-1", night=NIGHT, slot=SLOT))
    assert done == list(kinds)
    assert sitting(night) == night
    assert done == []
    # Its gaps are measured, and it is killed behind that.
    killed_in = "confirm"
    with pytest.raises(KeyboardInterrupt):
        sitting(night.with_step(StepRecord(name="measure")))
    assert done == ["measure"]
    killed_in = ""
    sitting(journal.load(NIGHT))
    assert done == ["confirm", "report", "notify"]


def test_halves_of_files_that_a_killed_call_left_go(tmp_path: Path) -> None:
    journal = begun(tmp_path)
    half = journal.folder / NIGHT / ".night.json.abcdefgh.partial"
    half.write_text("{")
    journal.write(journal.load(NIGHT))
    assert not half.exists()
    assert journal.load(NIGHT).night == NIGHT


@pytest.mark.parametrize("failing", ["canary", "old-against-new", "detect", "confirm"])
def test_what_hangs_on_a_step_that_failed_is_done_again_after_it(
    tmp_path: Path, failing: str
) -> None:
    """Else its alarms were in no report, and nobody was told of them before the next night."""
    kinds = ("canary", "old-against-new", "measure", "detect", "confirm", "report", "notify")
    # What was measured counts whatever the canary says.
    again = [kind for kind in kinds[kinds.index(failing) + 1 :] if kind in kinds[3:]]
    journal = NightJournal(tmp_path / "nights")
    plan = NightPlan(tuple(PlannedStep(kind, kind, "", 1.0) for kind in kinds), ())
    waiting = Waiting(tmp_path / "lock", 60)
    fails, done = True, list[str]()

    def act(night: NightRecord, step: PlannedStep) -> tuple[NightRecord, str]:
        if fails and step.kind == failing:
            raise EnvironmentProblem("Git does not answer.", "Try again.")
        done.append(step.kind)
        return night, ""

    def sitting(night: NightRecord) -> NightRecord:
        done.clear()
        acts: dict[str, Act] = dict.fromkeys(kinds, act)
        begun = resumed(night, kinds)
        return carry_out(begun, plan, acts, journal, tmp_path, waiting, lambda _: None).night

    night = sitting(NightRecord(box="box-1", night=NIGHT, slot=SLOT))
    assert done == [kind for kind in kinds if kind != failing]
    fails = False
    night = sitting(journal.load(NIGHT))
    assert done == [failing, *again]
    sitting(night)
    assert done == []


@pytest.mark.parametrize("box_fails", [False, True])
def test_a_step_that_has_nothing_to_do_undoes_nothing(tmp_path: Path, box_fails: bool) -> None:
    """As where no canary is kept, which is so in most nights."""
    kinds = ("box", "canary", "measure", "upload", "confirm", "report", "notify")
    needs = {"canary": ("box",), "confirm": ("box",)}
    steps = tuple(PlannedStep(kind, kind, "", 1.0, needs=needs.get(kind, ())) for kind in kinds)
    journal = NightJournal(tmp_path / "nights")
    failing, done = {"upload"}, list[str]()

    def act(night: NightRecord, step: PlannedStep) -> tuple[NightRecord, str]:
        if step.kind == "canary":
            raise StepSkipped("no canary is kept")
        if step.kind in failing:
            raise EnvironmentProblem("It does not answer.", "Try again.")
        done.append(step.kind)
        return night, ""

    def sitting(night: NightRecord) -> NightRecord:
        done.clear()
        acts: dict[str, Act] = dict.fromkeys(kinds, act)
        waiting = Waiting(tmp_path / "lock", 60)
        begun = resumed(night, kinds)
        plan = NightPlan(steps, ())
        return carry_out(begun, plan, acts, journal, tmp_path, waiting, lambda _: None).night

    night = sitting(NightRecord(box="box-1", night=NIGHT, slot=SLOT))
    assert done == [kind for kind in kinds if kind not in ("canary", "upload")]
    failing = {"box"} if box_fails else set()
    night = sitting(night)
    assert set(done) <= {"box", "upload"}
    assert night.step("confirm").state is StepState.DONE
    assert journal.load(NIGHT).step("notify").state is StepState.DONE


def test_who_is_killed_while_a_closed_night_is_told_tells_of_it_again(tmp_path: Path) -> None:
    journal = begun(tmp_path)
    told: list[NightState] = []

    def killed(_: NightRecord) -> str:
        raise KeyboardInterrupt

    def tell(night: NightRecord) -> str:
        told.append(night.state)
        return ""

    def begin_the_next(notify: Callable[[NightRecord], str]) -> None:
        service = NightService(
            places=Places(tmp_path, tmp_path / "spool", tmp_path),
            parts=cast("Parts", SimpleNamespace(notify=notify)),
            clock=lambda: SLOT + timedelta(days=1),
            groups={},
            environ={},
            policy=RetryPolicy(),
            waiting=Waiting(tmp_path / "lock", 60),
            shown=nullcontext,
            tell=lambda _: None,
            retention=Retention(),
        )
        # There is no such group: older nights are closed, and none begins.
        with pytest.raises(UsageProblem, match="smoke"):
            service.run(
                Order(lines=("2.3.0",), group="smoke", strings=1), SLOT.time(), resume=False
            )

    with pytest.raises(KeyboardInterrupt):
        begin_the_next(killed)
    for _ in range(2):
        begin_the_next(tell)
    assert told == [NightState.EMPTY]
    assert journal.load(NIGHT).state is NightState.EMPTY


@pytest.mark.parametrize("kind", ["canary", "measure", "confirm"])
def test_a_step_waits_for_whoever_writes_to_the_results(tmp_path: Path, kind: str) -> None:
    said: list[str] = []
    with ExitStack() as other:
        other.enter_context(store.lock(tmp_path))
        ended = carried_out(tmp_path, kind, said, on_sleep=other.close)
    assert ended.night.step(kind).state is StepState.DONE
    assert ended.problems == ()
    assert sum("Waiting up to 1 min" in line for line in said) == 1


def test_a_step_that_waited_long_enough_fails_and_says_for_whom(tmp_path: Path) -> None:
    with store.lock(tmp_path):
        ended = carried_out(tmp_path, "canary", [], on_sleep=lambda: None)
    (problem,) = ended.problems
    assert isinstance(problem, MachineBusy)
    assert ended.night.step("canary").state is StepState.FAILED


def carried_out(
    folder: Path, kind: str, said: list[str], *, on_sleep: Callable[[], None]
) -> NightEnd:
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        on_sleep()

    def act(night: NightRecord, _step: PlannedStep) -> tuple[NightRecord, str]:
        with store.lock(folder):
            return night, ""

    acts: dict[str, Act] = {kind: act}
    journal = NightJournal(folder / "nights")
    plan = NightPlan((PlannedStep(kind, kind, "", 1.0),), ())
    night = resumed(NightRecord(box="box-1", night=NIGHT, slot=SLOT), [kind])
    waiting = Waiting(folder / "lock", 60, clock=lambda: sum(slept), sleep=sleep)
    return carry_out(night, plan, acts, journal, folder, waiting, said.append)
