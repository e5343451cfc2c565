"""`repeat`: the same plan again, and what cannot be repeated."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jmh_java import BY_DOUBLE_AND_JMH
from stored_runs import complete_run_ids, store_complete_run
from synthetic import make_forks, make_run

from flink_boost.cli.commands.repeat import repeated_plan
from flink_boost.cli.main import main
from flink_boost.flink.side import Side
from flink_boost.measure import store
from flink_boost.measure.model import Built, Purpose, RunInfo, Timing

COMMAND = Path(sys.executable).with_name("flink-boost")
TIMING = Timing(warmup_iterations=1, warmup_time_ms=10, iterations=1, iteration_time_ms=10)

pytestmark = [pytest.mark.needs_jars, pytest.mark.usefixtures("jmh")]


def put(results: Path, run: RunInfo, ratio: float = 2.0) -> RunInfo:
    store_complete_run(results, run, make_forks(run, ratio=ratio, noise=0.001))
    return run


def repeat(results: Path, *arguments: str) -> int:
    return main(["--results", str(results), "repeat", *arguments])


@BY_DOUBLE_AND_JMH
def test_measures_the_same_and_compares(tmp_path: Path, by: str) -> None:
    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [COMMAND, "--results", tmp_path, *arguments],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    smoke = ("bench", "--group", "smoke", "StringSerializationBenchmark.write")
    first = call(*smoke, "--pairs", "2", "--jvm-arg", "-XX:-UsePerfData")
    assert first.returncode == 0, first.stderr
    (run_id,) = complete_run_ids(tmp_path)
    answer = call("repeat", run_id, "--json")
    assert answer.returncode == 0, answer.stderr
    document: dict[str, Any] = json.loads(answer.stdout)
    then, now = (store.load_run(tmp_path, one) for one in complete_run_ids(tmp_path))
    assert (document["then"], document["now"]) == (then.run_id, now.run_id) == (run_id, now.run_id)
    for name in ("cells", "timings", "pairs", "cell_pairs", "jvm_options", "sides", "group"):
        assert getattr(then, name) == getattr(now, name)
    (row,) = document["benchmarks"]
    assert row["change"] == pytest.approx(row["now"] / row["then"])
    assert row["low"] < row["change"] < row["high"]
    assert document["differences"] == []
    assert "-XX:-UsePerfData" in now.jvm_options


def test_with_another_run_nothing_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    then, now = put(tmp_path, make_run(0)), put(tmp_path, make_run(1), ratio=1.5)
    assert repeat(tmp_path, then.run_id, "--with", now.run_id) == 0
    shown = capsys.readouterr().out
    assert "0.75" in shown
    assert shown.count("clearly slower") == 2
    assert "commit" in shown
    assert repeat(tmp_path, then.run_id, "--with", then.run_id, "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["differences"] == []
    assert {row["verdict"] for row in document["benchmarks"]} == {"the same within 5 %"}
    assert len(store.run_ids(tmp_path)) == 2


@pytest.mark.parametrize(
    ("other", "what"),
    [
        ({"line": "1.20.5"}, "Flink line"),
        ({"sides": (Side.STOCK, Side.CONTROL)}, "sides"),
        ({"jdk": "21.0.1"}, "JDK"),
        ({"threads": 8}, "threads"),
        ({"heap": "64m"}, "heap"),
        ({"opened": False}, "opened modules"),
    ],
)
def test_a_run_that_repeats_nothing_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], other: dict[str, Any], what: str
) -> None:
    then, now = put(tmp_path, make_run(0)), put(tmp_path, make_run(1, **other))
    assert repeat(tmp_path, then.run_id, "--with", now.run_id) == 2
    assert what in capsys.readouterr().err


def test_another_release_of_the_same_line_is_another_flink(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    then, now = (
        put(
            tmp_path,
            make_run(night).model_copy(
                update={
                    "timings": (TIMING, TIMING),
                    "baseline": Built(project="flink", version=release),
                }
            ),
        )
        for night, release in enumerate(("2.2.0", "2.3.0"))
    )
    assert repeat(tmp_path, then.run_id, "--with", now.run_id) == 2
    assert "Flink line" in capsys.readouterr().err
    assert repeat(tmp_path, then.run_id) == 2
    assert "--release 2.2.0" in capsys.readouterr().err
    assert len(store.run_ids(tmp_path)) == 2


def test_other_timings_are_no_repetition(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    longer = TIMING.model_copy(update={"iterations": 9})
    then, now = (
        put(tmp_path, make_run(night).model_copy(update={"timings": (one, one)}))
        for night, one in enumerate((TIMING, longer))
    )
    assert repeat(tmp_path, then.run_id, "--with", now.run_id) == 2
    assert "timings" in capsys.readouterr().err


def test_what_cannot_be_the_same_is_refused_before_anything_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = put(tmp_path, make_run(0))
    assert repeat(tmp_path, old.run_id) == 2
    assert "how long it measured" in capsys.readouterr().err
    timings = {"timings": (TIMING, TIMING)}
    gone = put(tmp_path, make_run(1, line="1.0.0").model_copy(update=timings))
    assert repeat(tmp_path, gone.run_id) == 2
    assert "1.0.0" in capsys.readouterr().err
    (tmp_path / gone.run_id / "complete").unlink()
    assert repeat(tmp_path, gone.run_id) == 2
    assert "unfinished" in capsys.readouterr().err
    assert len(store.run_ids(tmp_path)) == 2


def test_the_plan_is_of_then_and_the_circumstances_are_of_now() -> None:
    then = make_run(0, pairs=5).model_copy(update={"jvm_options": ("-Xint",)})
    fresh = make_run(9, pairs=1, jvm_options=("-Xcomp",)).model_copy(
        update={"purpose": Purpose.BY_HAND, "dropin_sha256": "ff" * 32}
    )
    plan = repeated_plan(then, fresh)
    assert (plan.pairs, plan.jvm_options, plan.cells) == (5, ("-Xint",), then.cells)
    assert (plan.run_id, plan.dropin_sha256) == (fresh.run_id, "ff" * 32)
    assert plan.purpose is Purpose.BY_HAND
