"""A third side that is another jar of ours is called so wherever people or programs read it."""

from __future__ import annotations

from pathlib import Path

import pytest
from stored_runs import store_complete_run
from synthetic import THREE, make_forks, make_run

from flink_boost.cli.main import main
from flink_boost.flink.side import Side
from flink_boost.measure import fork_files
from flink_boost.measure.fork import Fork
from flink_boost.measure.model import RunInfo
from flink_boost.measure.runner import EndedFork
from flink_boost.publish.progress import describe_step

JAR = "/before/flink-boost-2.3.0-0.1.0.jar"


@pytest.fixture
def run() -> RunInfo:
    changes = {"third": JAR, "third_title": "other build 0.1.0"}
    return make_run(sides=THREE).model_copy(update=changes)


@pytest.fixture
def forks(run: RunInfo) -> list[Fork]:
    return list(make_forks(run))


def test_a_line_of_progress(run: RunInfo, forks: list[Fork]) -> None:
    third = next(one for one in fork_files.planned_forks(run) if one.side is Side.UPSTREAM)
    fork = next(one for one in forks if one.side is Side.UPSTREAM)
    said = describe_step(run, EndedFork(3, 30, third, fork, 0.0))
    assert " other build 0.1.0 " in said
    assert "upstream" not in said


@pytest.mark.parametrize(
    "command", [("runs", "list"), ("runs", "show"), ("compare",), ("export",), ("report",)]
)
def test_tables_files_and_pages(
    run: RunInfo,
    forks: list[Fork],
    command: tuple[str, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    results = tmp_path / "results"
    store_complete_run(results, run, forks[:-1])  # the last one, of the third side, is a gap
    assert forks[-1].side is Side.UPSTREAM
    about = {("runs", "list"): "--all", ("export",): str(tmp_path / "report" / "forks.csv")}
    (tmp_path / "report").mkdir()
    asked = [*command, about.get(command, run.run_id)]
    assert main(["--build", str(tmp_path), "--results", str(results), *asked]) == 0
    said = capsys.readouterr()
    files = (tmp_path / "report").rglob("*")
    texts = [path.read_text() for path in files if path.suffix in (".csv", ".html", ".md")]
    shown = "\n".join((said.out, said.err, *texts))
    assert "other" in shown
    assert "upstream" not in shown
