"""A name that does not exist: the answer names what may have been meant, and the next step."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from stored_runs import store_complete_run
from synthetic import make_forks, make_run

from flink_boost.cli.main import main
from flink_boost.measure import store

COMPLETE, UNFINISHED, ABANDONED = (make_run(night) for night in range(3))


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A run that is complete, one that is not, and one that was given up."""
    folder = tmp_path / "build" / "results"
    store_complete_run(folder, COMPLETE, make_forks(COMPLETE))
    store_complete_run(folder, UNFINISHED, make_forks(UNFINISHED)[:3])
    (folder / UNFINISHED.run_id / "complete").unlink()
    store.create_run(folder, ABANDONED)
    store.abandon(folder, ABANDONED.run_id)
    return folder


def call(results: Path, *arguments: str) -> int:
    return main(["--build", str(results.parent), *arguments])


@pytest.mark.parametrize(
    "command",
    [
        ("report",),
        ("compare",),
        ("runs", "show"),
        ("runs", "abandon"),
        ("bench", "--resume"),
    ],
)
def test_runs_that_may_be_meant_are_named(
    results: Path, capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    assert call(results, *command, COMPLETE.run_id.replace("-2.3.0", "-2.3.1")) == 2
    error = capsys.readouterr().err
    assert f"Near are: {COMPLETE.run_id}" in error
    assert "`flink-boost runs` lists them" in error
    assert call(results, *command, "nosuch") == 2
    assert f"The newest are: {ABANDONED.run_id}, " in capsys.readouterr().err


def test_a_run_that_has_not_ended_has_no_report_yet(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(results, "report", UNFINISHED.run_id) == 2
    error = capsys.readouterr().err
    assert f"The run {UNFINISHED.run_id} has not ended." in error
    assert f"flink-boost bench --resume {UNFINISHED.run_id}" in error
    assert call(results, "report", ABANDONED.run_id) == 2
    assert "was abandoned" in capsys.readouterr().err


def test_compare_answers_in_json_when_it_fails_too(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for asked in (("--json",), ("--format", "json")):
        assert call(results, "compare", "nosuch", *asked) == 2
        answer = json.loads(capsys.readouterr().out)
        assert (answer["command"], answer["ok"], answer["exit_code"]) == ("compare", False, 2)
        assert COMPLETE.run_id in answer["next_step"]


def test_an_alarm_that_does_not_exist(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(results, "alarm", "show", "a0123") == 2
    error = capsys.readouterr().err
    assert "There is no alarm 'a0123'. There is none yet; `flink-boost detect --confirm`" in error


@pytest.mark.parametrize("version", ["abc", "2.4", "2.4.0-SNAPSHOT", "../2.3.0", ""])
def test_what_is_no_release_is_not_looked_for(
    results: Path, capsys: pytest.CaptureFixture[str], version: str
) -> None:
    assert call(results, "line", "add", "--dry-run", "--", version) == 2
    told = capsys.readouterr()
    assert f"{version!r} is not a Flink release. Name one as in 2.3.0." in told.err
    assert told.out == ""


NAMES = (
    "StringSerializationBenchmark.write[length=16,kind=ascii]",
    "org.apache.flink.benchmark.StringSerializationBenchmark.write",
    "write.ascii.16",
    "write.ascii.16.ratio",
    COMPLETE.cells[0].slug,
)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_of_a_benchmark_chooses_it(
    results: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert call(results, "compare", COMPLETE.run_id, "--only", name, "--json") == 0
    (row,) = json.loads(capsys.readouterr().out)["comparisons"]
    assert call(results, "history", name, "--json") == 0
    (series,) = json.loads(capsys.readouterr().out)["series"]
    assert row["name"] == series["name"] == NAMES[0]


def test_benchmarks_that_may_be_meant_are_named(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in (
        ("compare", COMPLETE.run_id, "--only"),
        ("history",),
        ("nightly", "--dry-run", "--group", "spine", "--only"),
    ):
        assert call(results, *command, "org.apache.flink.benchmark.WrongBenchmark.wirte") == 2
        error = capsys.readouterr().err
        assert "called 'org.apache.flink.benchmark.WrongBenchmark.wirte'. Near are: " in error
        assert "StringSerializationBenchmark.write" in error


def test_a_part_of_a_run_is_asked_neither_for_goals_nor_for_a_reference(results: Path) -> None:
    assert call(results, "compare", "--only", "write", "--reference", "flink-15171") == 2


def test_no_history_yet_is_said_with_the_next_step(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--build", str(tmp_path), "history", "write"]) == 2
    assert "`flink-boost nightly`" in capsys.readouterr().err
