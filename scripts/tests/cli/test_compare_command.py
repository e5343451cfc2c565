"""``flink-boost compare`` on stored runs: every format, published tables, goals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from stored_runs import store_complete_run
from synthetic import JOB, THREE, WRITE, make_forks, make_run

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.cli.main import main
from flink_boost.measure.model import Cell

FLOORS = str(PROJECT_ROOT / "benchmarks" / "floors.toml")
LONGER = WRITE.model_copy(update={"params": (("length", "1024"), ("kind", "ascii"))})


def compare(results: Path, *arguments: str) -> int:
    return main(["--results", str(results), "compare", *arguments])


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A run of 2.3.0 with a grid of strings, and one of 1.9.3 with three sides."""
    run = make_run(0, cells=[WRITE, LONGER, JOB], pairs=3)
    store_complete_run(tmp_path, run, make_forks(run, noise=0.02, seed=1))
    old = make_run(1, cells=[string_cell(), JOB], sides=THREE, line="1.9.3", jdk="11.0.28+6")
    store_complete_run(tmp_path, old, make_forks(old, ratio=3.0, third_ratio=1.5))
    return tmp_path


def string_cell() -> Cell:
    params = (("length", "16"), ("kind", "ascii"), ("profile", "pure"), ("view", "serializer"))
    return WRITE.model_copy(update={"params": params})


NEW = make_run(0).run_id
OLD = make_run(1, line="1.9.3").run_id


def test_text_has_rows_and_markdown_a_grid(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compare(results, NEW) == 0
    assert LONGER.name in capsys.readouterr().out
    assert compare(results, NEW, "--format", "markdown") == 0
    grid = capsys.readouterr().out
    assert "| characters | 16 | 1,024 |" in grid
    assert f"| {JOB.name} |" in grid
    assert LONGER.name not in grid
    assert compare(results, NEW, "--format", "markdown", "--layout", "rows") == 0
    assert f"| {LONGER.name} |" in capsys.readouterr().out
    assert compare(results, NEW, "--layout", "grid") == 0
    assert "characters" in capsys.readouterr().out
    assert compare(results, NEW, "--format", "html") == 0
    assert capsys.readouterr().out.count("<table") == 2


def test_three_sides(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert compare(results, OLD) == 0
    out = capsys.readouterr().out
    for contrast, ratio in (
        ("patched against stock", "3.00x"),
        ("upstream 1.10.0 against stock", "1.50x"),
        ("patched against upstream 1.10.0", "2.00x"),
    ):
        _, _, after = out.partition(contrast)
        assert ratio in after.splitlines()[4], contrast


def test_missed_goals_are_listed_and_the_exit_code_stays_0(
    results: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    floors = tmp_path / "floors.toml"
    floors.write_text('[[goals]]\nname = "far"\nbenchmark = "*"\nfloor = 99.0\n')
    assert compare(results, NEW, "--floors", str(floors)) == 0
    out = capsys.readouterr().out
    assert "Goals of floors.toml: 0 met, 0 open, 3 missed" in out
    assert out.count("missed\n") >= 1
    assert compare(results, NEW, "--floors", str(floors), "--format", "json") == 0
    document = json.loads(capsys.readouterr().out)
    assert [goal["state"] for goal in document["goals"]] == ["missed"] * 3
    assert compare(results, NEW, "--floors", FLOORS) == 0
    assert "Goals of floors.toml" in capsys.readouterr().out


@pytest.mark.parametrize("form", ["text", "markdown", "html", "json"])
def test_a_reference_shows_every_published_row(
    results: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compare(results, "--reference", "flink-15171", "--format", form) == 0
    out = capsys.readouterr().out
    if form == "json":
        rows = json.loads(out)["rows"]
        assert [row["outcome"] for row in rows].count("met") == 2
        assert len(rows) == 20
        assert {row["run_id"] for row in rows} == {"", OLD}
        return
    assert out.count("no run yet") == 18
    assert "2 met, 0 not met, 18 no run." in out
    assert OLD in out
    assert NEW not in out
    assert "patched against upstream 1.10.0" in out


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_the_record_path_shows_all_its_rows(
    tmp_path: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run = make_run(0, cells=[JOB], line="1.9.3")
    store_complete_run(tmp_path, run, make_forks(run, ratio=1.5))
    assert compare(tmp_path, "--reference", "flink-11859", "--format", form) == 0
    out = capsys.readouterr().out
    assert "1 met, 0 not met, 23 no run." in out
    assert out.count("no run yet") == 23
    assert "100 → 150 (0.67x)" in out, "CPU time"
    assert "clearly faster" in out


def test_a_quick_look_only_fills_gaps_of_a_reference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    thorough = make_run(0, cells=[JOB], line="1.9.3")
    quick = make_run(1, cells=[JOB, string_cell()], line="1.9.3", quick_look=True)
    for run in (thorough, quick):
        store_complete_run(tmp_path, run, make_forks(run))
    assert compare(tmp_path, "--reference", "flink-15171", "--format", "json") == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    used = {row["ours"]["cell"]["benchmark"]: row["run_id"] for row in rows if row["ours"]}
    assert used == {JOB.benchmark: thorough.run_id, WRITE.benchmark: quick.run_id}
    assert compare(tmp_path, quick.run_id, "--reference", "flink-15171", "--format", "json") == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {row["run_id"] for row in rows} == {"", quick.run_id}


def test_a_reference_without_any_run_is_shown_all_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compare(tmp_path, "--reference", "flink-15171") == 0
    assert "0 met, 0 not met, 20 no run." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        (
            ["--reference", "x"],
            2,
            "There is no reference 'x'. Choose one of: flink-11859, flink-15171.",
        ),
        (["--reference", "flink-15171", "--floors", FLOORS], 2, "Give one of them."),
        ([NEW, "--floors", "/nothing.toml"], 4, "/nothing.toml is missing."),
        ([NEW, OLD], 2, "differ in their line."),
    ],
)
def test_a_wrong_call_is_one_sentence(
    results: Path,
    arguments: list[str],
    code: int,
    complaint: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert compare(results, *arguments) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert complaint in captured.err
