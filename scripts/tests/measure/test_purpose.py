"""What a run is for decides what it is a point of; where it ran is decided by the box's name."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from synthetic import make_forks, make_run

from flink_boost.flink.lines import find_line
from flink_boost.flink.side import Side
from flink_boost.judge.series import build_series
from flink_boost.measure.classpaths import ClassPaths
from flink_boost.measure.groups import find_group, load_groups
from flink_boost.measure.model import Box, Purpose, RunInfo
from flink_boost.measure.run_plan import plan_run, same_machine
from flink_boost.measure.summary import RunSummary, summarise
from flink_boost.publish.codespeed import branch, entries_of


def measured(night: int, **changes: object) -> RunSummary:
    info = make_run(night).model_copy(update=changes)
    return summarise(info, make_forks(info))


def points(*runs: RunSummary) -> set[str]:
    return {point.run_id for series in build_series(runs) for point in series.present}


@pytest.mark.parametrize(
    "purpose",
    [
        Purpose.REQUEST,
        Purpose.CONFIRMATION,
        Purpose.BISECT,
        Purpose.CANARY,
        Purpose.BY_HAND,
    ],
)
def test_only_nights_are_points_of_the_trend(purpose: Purpose) -> None:
    """The same box, line and options: nothing but the purpose tells such a run from a night."""
    nights = [measured(0), measured(2)]
    other = measured(1, purpose=purpose)
    assert points(*nights, other) == {night.info.run_id for night in nights}
    assert build_series([*nights, other]) == build_series(nights), "not even a gap"
    expected = "benchmark-request" if purpose is Purpose.REQUEST else purpose.value
    assert branch(other.info) == expected
    entries = entries_of(other, None)
    assert {result.branch for entry in entries for result in entry.results} == {expected}
    assert branch(nights[0].info) == "master"


def test_a_quick_look_does_not_take_the_place_of_a_night_on_the_dashboard() -> None:
    quick = measured(1, purpose=Purpose.QUICK_LOOK, quick_look=True)
    assert {one.branch for entry in entries_of(quick, None) for one in entry.results} == {
        "quick-look"
    }


def test_nor_does_one_that_is_called_a_night() -> None:
    quick = measured(1, purpose=Purpose.NIGHTLY, quick_look=True)
    assert branch(quick.info) == "quick-look"


def old_run(**changes: object) -> RunInfo:
    """A run as it was stored before purposes, builds and names of boxes were recorded."""
    document = json.loads(make_run(0).model_dump_json())
    for name in ("purpose", "subject", "baseline"):
        del document[name]
    for name in ("name", "fingerprint"):
        del document["box"][name]
    return RunInfo.model_validate_json(json.dumps({**document, **changes}))


def test_an_old_run_stays_the_point_that_it_was() -> None:
    old = old_run()
    assert old.purpose is Purpose.NIGHTLY
    assert old.box.label == old.box.hostname
    assert points(summarise(old, make_forks(old))) == {old.run_id}
    assert old_run(quick_look=True).purpose is Purpose.QUICK_LOOK
    assert RunInfo.model_validate_json(old.model_dump_json()) == old


def box(hostname: str, name: str) -> Box:
    return make_run(0).box.model_copy(update={"hostname": hostname, "name": name})


def test_the_same_box_under_two_host_names_is_one_series() -> None:
    """A container has another host name each night."""
    nights = [measured(n, box=box(f"container-{n}", "redbox")) for n in range(3)]
    for series in build_series(nights):
        assert len(series.present) == 3
        assert series.settings.environment == "redbox"
    names = {
        result.environment
        for night in nights
        for entry in entries_of(night, None)
        for result in entry.results
    }
    assert names == {"redbox"}
    # Without a name each would be a box of its own, and with another name it is one.
    assert len(build_series([measured(n, box=box(f"container-{n}", "")) for n in range(3)])) == 6
    assert len(build_series([*nights, measured(3, box=box("container-3", "bluebox"))])) == 4


def test_the_uploader_may_call_the_box_otherwise() -> None:
    night = measured(0)
    (entry, _) = entries_of(night, "elsewhere")
    assert {result.environment for result in entry.results} == {"elsewhere"}


@pytest.mark.parametrize(
    "purpose", [None, *(one for one in Purpose if one is not Purpose.QUICK_LOOK)]
)
def test_the_purpose_that_is_given_is_the_runs_in_a_quick_group_too(
    purpose: Purpose | None, tmp_path: Path
) -> None:
    """A request measured with the quick group would otherwise be a point of the trend."""
    jar = tmp_path / "any.jar"
    jar.write_bytes(b"jar")
    quick, usual = (
        plan_run(
            run_id="r",
            started=make_run(0).started,
            group=replace(group, quick_look=quick_look),
            line=find_line("2.3.0"),
            sides=(Side.STOCK, Side.PATCHED),
            pairs=3,
            opened=True,
            extra_options=(),
            class_paths=ClassPaths((jar,), jar),
            box=make_run(0).box,
            commit="0" * 40,
            version="0.2.0",
            purpose=purpose,
        )
        for group in [find_group(load_groups(), "quick")]
        for quick_look in (True, False)
    )
    assert quick.purpose is (purpose or Purpose.QUICK_LOOK)
    assert usual.purpose is (purpose or Purpose.BY_HAND)
    assert quick.baseline is not None
    assert (quick.baseline.project, quick.baseline.version) == ("flink", "2.3.0")


def test_a_resume_knows_the_machine_by_its_fingerprint_when_its_name_has_changed() -> None:
    then = box("container-1", "").model_copy(update={"fingerprint": "0123456789ab"})
    now = then.model_copy(update={"hostname": "container-2", "name": "redbox"})
    assert same_machine(now, then)
    assert not same_machine(now.model_copy(update={"fingerprint": "another"}), then)
    named = then.model_copy(update={"name": "redbox"})
    assert same_machine(now, named)
    assert not same_machine(now.model_copy(update={"name": "bluebox"}), named)
    old = then.model_copy(update={"fingerprint": ""})
    assert not same_machine(now, old)
    assert same_machine(old, old)
