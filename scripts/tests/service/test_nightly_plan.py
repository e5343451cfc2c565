"""What a night is, without any of its forks: slots, shards, times, states, and the check."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from itertools import chain
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from flink_boost.base.errors import BrokenData, EnvironmentProblem, UsageProblem
from flink_boost.measure.groups import Group, find_group, load_groups
from flink_boost.measure.model import Cell, Timing
from flink_boost.measure.night_record import (
    NightRecord,
    NightState,
    Order,
    StepRecord,
    StepState,
)
from flink_boost.measure.runner import START_SECONDS
from flink_boost.service.nightly.checking import NightFinding, check_all, check_box, fetch_nights
from flink_boost.service.nightly.choose_night import Start, choose_night
from flink_boost.service.nightly.night import judged
from flink_boost.service.nightly.night_journal import NightJournal
from flink_boost.service.nightly.night_plan import NightPlan, parse_shard, plan_night, take_shard
from flink_boost.service.nightly.plan_table import fits, minutes, plan_sheets
from flink_boost.service.nightly.slots import night_id, parse_time, shard_of, slot_from_id, slot_of

AT = time(1, 0)
GRACE = timedelta(hours=2)
SLOT = datetime(2026, 11, 24, 1, tzinfo=UTC)


def group_of(seconds: list[int]) -> Group:
    """A group with a benchmark for each number of seconds of iterations."""
    return Group(
        name="made",
        title="made",
        quick_look=False,
        pairs=3,
        cells=tuple(Cell(benchmark=f"a.B.c{number}") for number in range(len(seconds))),
        timings=tuple(
            Timing(
                warmup_iterations=0, warmup_time_ms=1, iterations=1, iteration_time_ms=1000 * one
            )
            for one in seconds
        ),
    )


@given(st.lists(st.integers(1, 60), min_size=1, max_size=40), st.integers(1, 6))
def test_shards_are_disjoint_and_together_the_whole(seconds: list[int], count: int) -> None:
    group = group_of(seconds)
    if len(seconds) < count:
        with pytest.raises(UsageProblem, match="too small"):
            take_shard(group, count, count)
        return
    shards = [take_shard(group, number, count) for number in range(1, count + 1)]
    cells = list(chain.from_iterable(shard.cells for shard in shards))
    assert sorted(cells, key=lambda cell: cell.name) == sorted(
        group.cells, key=lambda cell: cell.name
    )
    for shard in shards:
        timing = dict(zip(group.cells, group.timings, strict=True))
        assert [timing[cell] for cell in shard.cells] == list(shard.timings)
    # No box has more to do than the fairest share and one benchmark besides.
    loads = [sum(t.seconds + START_SECONDS for t in shard.timings) for shard in shards]
    longest = max(seconds) + START_SECONDS
    assert max(loads) <= sum(loads) / count + longest


def test_a_shard_does_not_depend_on_the_order_of_the_group() -> None:
    group = find_group(load_groups(), "spine")
    other = replace(group, cells=group.cells[::-1], timings=group.timings[::-1])
    for number in (1, 2, 3):
        mine = set(take_shard(group, number, 3).cells)
        assert mine == set(take_shard(other, number, 3).cells)
        assert mine


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "1/", "/3", "a/b", "1/3/4", "-1/3", "1/100"])
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(UsageProblem, match="is no shard"):
        parse_shard(text)


@pytest.mark.parametrize(
    ("now", "slot"),
    [
        (datetime(2026, 11, 24, 1, 0, tzinfo=UTC), SLOT),
        (datetime(2026, 11, 24, 0, 59, 59, tzinfo=UTC), SLOT - timedelta(days=1)),
        (datetime(2026, 11, 25, 0, 59, tzinfo=UTC), SLOT),
        (datetime.fromisoformat("2026-11-24T01:30:00+01:00"), SLOT - timedelta(days=1)),
    ],
)
def test_the_slot_is_the_latest_that_has_come(now: datetime, slot: datetime) -> None:
    assert slot_of(now, AT) == slot
    assert slot_from_id(night_id(slot)) == slot


def test_times_of_day() -> None:
    assert parse_time("23:59") == time(23, 59)
    for text in ("24:00", "1:00", "01:60", "", "01:00:00"):
        with pytest.raises(UsageProblem, match="no time of day"):
            parse_time(text)


def plan(pairs: int | None = None) -> NightPlan:
    groups = {"1.9.3": group_of([1, 2]), "2.3.0": group_of([1, 2])}
    return plan_night(("1.9.3", "2.3.0"), groups, pairs, {"upload": 7.0})


def test_the_time_of_a_run_follows_from_its_group() -> None:
    seconds = {step.name: step.seconds for step in plan().steps}
    assert seconds["measure 2.3.0"] == 3 * 2 * (1 + START_SECONDS + 2 + START_SECONDS)
    assert seconds["upload"] == 7.0, "as on the night before"
    doubled = {step.name: step.seconds for step in plan(6).steps}
    assert doubled["measure 2.3.0"] == 2 * seconds["measure 2.3.0"]
    assert plan().expected == 4
    assert plan().seconds == sum(seconds.values())
    assert plan().seconds_after("prune") == 0


def test_every_need_comes_before_what_needs_it() -> None:
    seen: set[str] = set()
    for step in plan().steps:
        assert set(step.needs) <= seen
        seen.add(step.name)
    assert len(seen) == len(plan().steps)


def test_a_comparator_has_one_side() -> None:
    group = group_of([1])
    comparator = replace(group, cells=(Cell(benchmark="a.StringComparatorBenchmark.writeUtf"),))
    (cell,) = plan_night(("2.3.0",), {"2.3.0": comparator}).cells
    assert cell.seconds == 3 * (1 + START_SECONDS)


def test_the_plan_says_whether_it_fits() -> None:
    hours = plan().seconds / 3600
    assert "fits" in fits(plan(), hours + 0.1)
    assert "more than" in fits(plan(), hours - 0.1)
    steps, benchmarks = plan_sheets(plan(), 6, benchmarks=True)
    assert [row[0].text for row in steps.rows] == [step.name for step in plan().steps]
    assert steps.rows[-1][2].text == minutes(plan().seconds)
    assert len(benchmarks.rows) == 4
    assert minutes(59.6) == "1:00"
    assert minutes(3725) == "1:02:05"


def night(
    states: dict[str, StepState] | None = None,
    measured: int = 4,
    state: NightState = NightState.RUNNING,
    slot: datetime = SLOT,
    box: str = "box-1",
) -> NightRecord:
    given_states = states or {}
    return NightRecord(
        box=box,
        night=night_id(slot),
        slot=slot,
        state=state,
        expected=4,
        measured=measured,
        steps=tuple(
            StepRecord(
                name=name, state=given_states.get(name, StepState.DONE), note="It broke. Try."
            )
            for name in ("box", "measure 2.3.0", "upload")
        ),
    )


@pytest.mark.parametrize(
    ("states", "measured", "expected", "reason"),
    [
        ({}, 4, NightState.COMPLETE, ""),
        ({"upload": StepState.FAILED}, 4, NightState.FAILED, "upload failed: It broke"),
        ({"measure 2.3.0": StepState.FAILED}, 3, NightState.SHORT, "3 of 4"),
        ({"measure 2.3.0": StepState.FAILED}, 0, NightState.EMPTY, "nothing was measured"),
        ({"box": StepState.FAILED}, 0, NightState.REFUSED, "It broke"),
        ({"box": StepState.FAILED}, 3, NightState.REFUSED, "It broke"),
        ({"box": StepState.FAILED}, 4, NightState.FAILED, "everything was measured; box failed"),
        ({}, 3, NightState.SHORT, "3 of 4"),
    ],
)
def test_the_state_of_a_night(
    states: dict[str, StepState], measured: int, expected: NightState, reason: str
) -> None:
    found = judged(night(states, measured), final=True)
    assert found.state is expected
    assert reason in found.reason
    assert not found.reason.endswith(".")


def test_a_night_that_was_cut_off_is_never_complete() -> None:
    cut = judged(night({"upload": StepState.RUNNING}), final=False)
    assert cut.state is NightState.FAILED
    assert "cut off at upload" in cut.reason


@pytest.mark.parametrize(
    ("nights", "hours", "at_work", "finding"),
    [
        ([], 3, False, NightFinding.MISSING),
        (
            [night(state=NightState.COMPLETE, slot=SLOT - timedelta(days=1))],
            2,
            None,
            NightFinding.MISSING,
        ),
        # Two hours have not passed yet: that of yesterday counts.
        (
            [night(state=NightState.COMPLETE, slot=SLOT - timedelta(days=1))],
            1.9,
            None,
            NightFinding.WELL,
        ),
        ([night(state=NightState.COMPLETE)], 5, None, NightFinding.WELL),
        ([night(state=NightState.COMPLETE)], 24, None, NightFinding.WELL),
        ([night(state=NightState.COMPLETE)], 26.1, None, NightFinding.MISSING),
        ([night()], 3, True, NightFinding.RUNNING),
        ([night()], 3, False, NightFinding.STOPPED),
        ([night()], 3, None, NightFinding.RUNNING),
        ([night()], 13, None, NightFinding.STOPPED),
        ([night(state=NightState.SHORT)], 3, None, NightFinding.SHORT),
        ([night(state=NightState.EMPTY)], 3, None, NightFinding.EMPTY),
        ([night(state=NightState.REFUSED)], 3, None, NightFinding.REFUSED),
        ([night(state=NightState.FAILED)], 3, None, NightFinding.FAILED),
        ([night(state=NightState.MISSING)], 3, None, NightFinding.MISSING),
    ],
)
def test_the_check_of_a_box(
    nights: list[NightRecord], hours: float, at_work: bool | None, finding: NightFinding
) -> None:
    now = SLOT + timedelta(hours=hours)
    found = check_box("box-1", nights, now, AT, grace=GRACE, at_work=at_work)
    assert found.finding is finding
    assert found.finding.is_alarm == (finding not in (NightFinding.WELL, NightFinding.RUNNING))
    assert "box-1" in found.sentence


def served(status: int, content: object) -> httpx.Client:
    transport = httpx.MockTransport(lambda _: httpx.Response(status, json=content))
    return httpx.Client(transport=transport)


def test_the_dashboard_is_asked_for_its_nights_and_named_boxes_that_never_came_are_missed() -> None:
    rows = [
        {**one.model_dump(mode="json"), "of_a_newer_version": 1}
        for one in (night(state=NightState.COMPLETE), night(state=NightState.SHORT, box="box-2"))
    ]
    with served(200, {"nights": rows}) as client:
        nights, _ = fetch_nights("https://speed.example.org/", client)
    now = SLOT + timedelta(hours=4)
    found = {one.box: one.finding for one in check_all(nights, (), now, AT, GRACE)}
    assert found == {"box-1": NightFinding.WELL, "box-2": NightFinding.SHORT}
    (lost,) = check_all(nights, ("box-3",), now, AT, GRACE)
    assert lost.finding is NightFinding.MISSING


@pytest.mark.parametrize(
    ("of_row", "of_answer"),
    [({"retired": True}, {}), ({}, {"retired": ["box-1", "box-3"]})],
    ids=["as an older dashboard says", "though its nights are too old to be listed"],
)
def test_a_named_box_that_is_retired_is_said_to_be_and_is_no_alarm(
    of_row: dict[str, Any], of_answer: dict[str, Any]
) -> None:
    row = {**night(state=NightState.COMPLETE).model_dump(mode="json"), **of_row}
    with served(200, {"nights": [row], **of_answer}) as client:
        nights, retired = fetch_nights("https://speed.example.org/", client)
    assert nights == ()
    (found,) = check_all(nights, ("box-1",), SLOT + timedelta(days=9), AT, GRACE, retired)
    assert found.finding is NightFinding.RETIRED
    assert not found.finding.is_alarm
    assert found.sentence == "box-1 is retired: it owes no more nights."


@pytest.mark.parametrize(
    ("status", "content", "error"),
    [
        (500, {}, EnvironmentProblem),
        (404, {}, EnvironmentProblem),
        (200, [], BrokenData),
        (200, {"nights": [{"box": "b"}]}, BrokenData),
        (200, {"nights": 1}, BrokenData),
    ],
)
def test_a_dashboard_without_nights_is_no_good_news(
    status: int, content: object, error: type[Exception]
) -> None:
    with served(status, content) as client, pytest.raises(error):
        fetch_nights("https://speed.example.org/", client)


def night_of(name: str, state: NightState = NightState.COMPLETE, box: str = "box-1") -> NightRecord:
    return NightRecord(box=box, night=name, slot=slot_from_id(name), state=state)


def test_parts_of_a_night_have_names_of_their_own() -> None:
    assert night_id(SLOT, "2/3") == "2026-11-24T0100-2of3"
    assert night_id(SLOT, "10/12") == "2026-11-24T0100-10of12"
    for shard in ("1/1", "2/3", "10/12"):
        name = night_id(SLOT, shard)
        assert (slot_from_id(name), shard_of(name)) == (SLOT, shard)
        assert night_of(name).night == name
    with pytest.raises(ValidationError):
        NightRecord(box="box-1", night="2026-11-24T0100-0of3", slot=SLOT)


def test_each_part_of_a_night_is_checked_for_itself() -> None:
    nights = [
        night_of("2026-11-23T0100-1of2"),
        night_of("2026-11-23T0100-2of2"),
        night_of("2026-11-24T0100-1of2", NightState.SHORT),
    ]
    now = SLOT + timedelta(hours=3)
    found = {one.night: one.finding for one in check_all(nights, (), now, AT, GRACE)}
    assert found == {
        "2026-11-24T0100-1of2": NightFinding.SHORT,
        "2026-11-24T0100-2of2": NightFinding.MISSING,
    }
    # A box that measures the whole again owes no part any more, once two nights have gone by.
    nights += [night_of("2026-11-25T0100"), night_of("2026-11-26T0100")]
    now += timedelta(days=2)
    found = {one.night: one.finding for one in check_all(nights, (), now, AT, GRACE)}
    assert found == {"2026-11-26T0100": NightFinding.WELL}


def test_the_parts_of_a_night_are_begun_beside_each_other(tmp_path: Path) -> None:
    journal, said = NightJournal(tmp_path), list[str]()
    now = SLOT + timedelta(minutes=5)

    def choose(shard: str, *, resume: bool = False) -> Start | None:
        order = Order(lines=("2.3.0",), group="spine", shard=shard, strings=1)
        return choose_night(
            *(journal, now, AT, order, load_groups()),
            label="box-1", resume=resume, tell=said.append,
        )  # fmt: skip

    first, second = choose("1/2"), choose("2/2")
    assert first is not None
    assert second is not None
    assert not second.goes_on
    assert journal.nights() == ("2026-11-24T0100-1of2", "2026-11-24T0100-2of2")
    assert first.plan.expected + second.plan.expected == len(
        find_group(load_groups(), "spine").cells
    )
    again = choose("1/2")
    assert again is not None
    assert (again.night.night, again.goes_on) == (first.night.night, True)
    journal.write(second.night.model_copy(update={"state": NightState.COMPLETE}))
    assert choose("2/2") is None
    resumed = choose("1/2", resume=True)
    assert resumed is not None
    assert resumed.night.night == first.night.night
