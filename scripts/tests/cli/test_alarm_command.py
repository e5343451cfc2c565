"""What people ask of alarms, and what they decide about them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from synthetic import JOB, WRITE
from watched_nights import NOW, MadeBuilds, MadeReruns, confirmed, flat, make_nights

from flink_boost.base.errors import BrokenData
from flink_boost.cli.main import main
from flink_boost.judge.alarm_record import AlarmState
from flink_boost.service.detect.alarm_registry import (
    AlarmRegistry,
    after_night,
    load_registry,
    registry_lock,
    store_registry,
)

Call = Callable[..., tuple[int, str, str]]
LEVELS = {JOB: flat(24, n20=-0.08), WRITE: flat(24, n20=-0.2)}


@pytest.fixture
def build(tmp_path: Path) -> Path:
    """A build folder whose last night told two alarms of one commit."""
    found = confirmed(
        tmp_path / "results",
        make_nights(LEVELS)[:21],
        MadeReruns(LEVELS),
        MadeBuilds(tmp_path / "jars"),
    )
    store_registry(tmp_path, after_night(AlarmRegistry(), found, NOW))
    return tmp_path


@pytest.fixture
def call(build: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    def called(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main(["--build", str(build), "alarm", *arguments])
        said = capsys.readouterr()
        return code, said.out, said.err

    return called


def ids(call: Call, *arguments: str) -> list[str]:
    code, said, _ = call("list", "--json", *arguments)
    assert code == 0
    return [one["id"] for one in json.loads(said)["alarms"]]


def test_alarms_of_one_commit_stand_together_the_worst_first(call: Call, build: Path) -> None:
    code, said, _ = call()
    assert code == 0
    assert "2 open alarms" in said
    rows = [line for line in said.splitlines() if "patched 2.3.0" in line]
    assert len(rows) == 2
    assert "write.ascii.16" in rows[0]
    assert "-18." in rows[0]
    assert "-7." in rows[1]
    code, said, _ = call("list", "--json")
    figures = json.loads(said)["figures"]
    assert figures["told"] == 2
    assert figures["median_delay_nights"] == 0
    assert figures["rerun_pairs"] == load_registry(build).rerun_pairs > 0


def test_one_alarm_is_shown_with_its_reruns_and_history(call: Call) -> None:
    first = ids(call)[0]
    code, said, _ = call("show", first[:6])
    assert code == 0
    for words in ("State:    open", "Rerun:", "confirmed", "History:", "Measure:  flink-"):
        assert words in said


@pytest.mark.parametrize(
    ("name", "state"),
    [("accept", "accepted"), ("reject", "rejected"), ("environment", "environment")],
)
def test_a_person_closes_an_alarm_and_it_stays(
    call: Call, build: Path, name: str, state: str
) -> None:
    first, second = ids(call)
    code, said, _ = call(name, first, "--reason", "  As\n agreed. ", "--by", "somebody")
    assert code == 0
    assert f"{first} is {state}" in said
    assert ids(call) == [second]
    assert sorted(ids(call, "--all")) == sorted([first, second])
    record = load_registry(build).find(first)
    assert record.decision is not None
    assert (record.decision.by, record.decision.reason) == ("somebody", "As agreed.")
    assert record.history[-1].state is AlarmState(state)
    # The next night's call does not open it again.
    found = confirmed(
        build / "results",
        make_nights(LEVELS)[:22],
        MadeReruns(LEVELS),
        MadeBuilds(build / "jars"),
    )
    again = after_night(load_registry(build), found, NOW)
    assert again.find(first).state is AlarmState(state)
    assert len(again.alarms) == 2


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("show", "a"), 2, "2 alarms begin with"),
        (("show", ""), 2, "There is no alarm"),
        (("show", "nothing"), 2, "There is no alarm"),
        (("accept", "a0", "--reason", " "), 2, "--reason has to be"),
        (("accept", "a0", "--reason", "x" * 501), 2, "--reason has to be"),
        (("accept", "a0", "--reason", "\x1b[31mred"), 2, "--reason has to be"),
        (("accept", "a0"), 2, "--reason"),
        (("accept", "a0", "--reason", "x", "--by", ""), 2, "a name has 1 to 100"),
        (("accept", "a0", "--reason", "x", "--by", "x" * 101), 2, "a name has 1 to 100"),
        (("accept", "a0", "--reason", "x", "--by", "<b>me"), 2, "a name has 1 to 100"),
    ],
)
def test_a_wrong_call_changes_nothing(
    call: Call, build: Path, arguments: tuple[str, ...], code: int, words: str
) -> None:
    before = load_registry(build)
    found, _, said = call(*arguments)
    assert found == code
    assert words in said
    assert load_registry(build) == before


def test_an_alarm_that_may_have_been_meant_is_named(call: Call) -> None:
    first, *_ = ids(call)
    wrong = first[:-1] + ("0" if first[-1] != "0" else "1")
    code, _, said = call("show", wrong)
    assert code == 2
    assert "Near are: " in said
    assert first in said
    assert "`flink-boost alarm list --all` lists them." in said


def test_nobody_writes_while_another_call_changes_alarms(call: Call, build: Path) -> None:
    first = ids(call)[0]
    with registry_lock(build):
        code, _, said = call("accept", first, "--reason", "Why not.")
    assert code == 4
    assert "call that changes alarms" in said
    assert load_registry(build).find(first).state is AlarmState.OPEN


def test_a_damaged_registry_is_told_and_left(call: Call, build: Path) -> None:
    path = build / "alarms" / "registry.json"
    path.write_text('{"schema_version": 9}', encoding="utf-8")
    code, said, _ = call("list", "--json")
    assert code == 3
    assert json.loads(said)["ok"] is False
    assert path.read_text(encoding="utf-8") == '{"schema_version": 9}'
    with pytest.raises(BrokenData, match="newer version"):
        load_registry(build)


def test_without_a_night_there_is_a_next_step(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--build", str(tmp_path), "alarm"]) == 0
    assert "detect --confirm" in capsys.readouterr().out
    store_registry(tmp_path, AlarmRegistry(made=NOW))
    assert main(["--build", str(tmp_path), "alarm"]) == 0
    assert "No alarm is open, as of 2026-04-01" in capsys.readouterr().out
