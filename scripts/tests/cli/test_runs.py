"""`flink-boost runs`: what is in the store is listed, given up and pruned, and results stay."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from stored_runs import store_complete_run
from synthetic import make_forks, make_run

from flink_boost.base.errors import UsageProblem
from flink_boost.base.text import size_text
from flink_boost.cli.main import main
from flink_boost.measure import fork_files, store
from flink_boost.measure.model import Purpose
from flink_boost.measure.store import RunState
from flink_boost.measure.summary import summarise
from flink_boost.publish.codespeed import entries_of
from flink_boost.publish.spool import Spool


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A complete night of long ago, an unfinished run by hand, and one whose plan is damaged."""
    folder = tmp_path / "results"
    night = make_run(0)
    store_complete_run(folder, night, make_forks(night))
    by_hand = make_run(1).model_copy(update={"purpose": Purpose.BY_HAND})
    started = store_complete_run(folder, by_hand, make_forks(by_hand)[:3])
    (started / "complete").unlink()
    damaged = make_run(2)
    store_complete_run(folder, damaged, ())
    (folder / damaged.run_id / "run.json").write_text("")
    return folder


def call(results: Path, *arguments: str) -> int:
    return main(["--results", str(results), "runs", *arguments])


def answer(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def test_every_run_is_listed_the_damaged_one_too(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(results) == 0
    table = capsys.readouterr().out
    rows = [line.split() for line in table.splitlines() if line.strip().startswith("2026")]
    assert [row[1] for row in rows] == ["nightly", "by-hand", "damaged"]
    assert "20/20" in rows[0]
    assert "3/20" in rows[1]
    assert call(results, "list", "--json") == 0
    listed = answer(capsys)["runs"]
    assert [run["state"] for run in listed][:2] == ["complete", "unfinished"]
    assert listed[0]["info"]["line"] == "2.3.0"
    assert listed[2]["info"] is None
    assert listed[2]["problem"]
    assert listed[0]["bytes"] == sum(
        file.stat().st_size for file in (results / listed[0]["run"]).rglob("*") if file.is_file()
    )


def test_only_the_newest_are_shown_unless_all_are_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for night in range(32):
        store_complete_run(tmp_path, make_run(night), ())
    assert call(tmp_path) == 0
    short = capsys.readouterr().out
    assert "30 of 32 runs" in short
    assert make_run(0).run_id not in short
    assert call(tmp_path, "list", "--all") == 0
    assert make_run(0).run_id in capsys.readouterr().out


def test_an_empty_store_says_what_fills_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(tmp_path) == 0
    assert "`flink-boost bench` makes one" in capsys.readouterr().out


def test_a_run_is_shown_with_the_logs_of_what_failed(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = make_run(1)
    missing = fork_files.missing_forks(results, store.load_run(results, run.run_id))[0]
    log = fork_files.log_path(results, run.run_id, missing)
    log.write_text("OutOfMemoryError")
    assert call(results, "show", run.run_id) == 0
    shown = capsys.readouterr().out
    assert "unfinished, 3 of 20 forks" in shown
    assert str(log) in shown
    assert f"flink-boost bench --resume {run.run_id}" in shown
    assert call(results, "show", run.run_id, "--json") == 0
    assert answer(capsys)["missing"] == [str(log)]


def test_an_abandoned_run_counts_nowhere_and_keeps_its_files(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_id = make_run(1).run_id
    before = sorted(file.name for file in (results / run_id / "forks").iterdir())
    assert call(results, "abandon", run_id) == 0
    assert store.state(results, run_id) is RunState.ABANDONED
    assert sorted(file.name for file in (results / run_id / "forks").iterdir()) == before
    with pytest.raises(UsageProblem, match="was abandoned"):
        store.refuse_abandoned(results, run_id)
    capsys.readouterr()
    assert call(results, "list", "--json") == 0
    assert [run["state"] for run in answer(capsys)["runs"]][1] == "abandoned"


@pytest.mark.parametrize("arguments", [("show",), ("abandon",)])
def test_a_run_that_is_not_there(
    arguments: tuple[str, ...], results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("nothing", "../results", ""):
        assert call(results, *arguments, name) == 2
    assert make_run(2).run_id in capsys.readouterr().err
    assert store.state(results, make_run(0).run_id) is RunState.COMPLETE


def test_latest_is_the_newest_run_for_abandon_too(results: Path) -> None:
    assert call(results, "abandon", "latest") == 0
    assert store.state(results, make_run(2).run_id) is RunState.ABANDONED


def test_what_waits_of_an_abandoned_run_is_not_sent_though_it_is_pruned(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And what was sent stays in Codespeed, which is said."""
    spool = Spool(tmp_path / "spool")
    runs = [make_run(0), make_run(3)]
    store_complete_run(results, runs[1], make_forks(runs[1]))
    for run in runs:
        for entry in entries_of(summarise(run, make_forks(run)), None):
            spool.add(entry)
    for key in spool.unsent_keys():
        if spool.load_unsent(key).run_id == runs[1].run_id:
            spool.mark_sent(key)
    options = ["--results", str(results), "--spool", str(tmp_path / "spool"), "runs"]
    assert main([*options, "abandon", *(run.run_id for run in runs)]) == 0
    told = capsys.readouterr().out
    assert told.count(f"Run {runs[0].run_id} was abandoned: its result") == 2
    assert f"Codespeed keeps the points of {runs[1].run_id}" in told
    assert f"Codespeed keeps the points of {runs[0].run_id}" not in told
    assert main([*options, "prune", "--yes"]) == 0
    assert spool.unsent_keys() == ()


def test_a_deletion_that_was_killed_is_ended_by_the_next_one(results: Path) -> None:
    half = results / ".deleted" / "20250101T000000Z-2.3.0" / "forks"
    half.mkdir(parents=True)
    assert make_run(0).run_id in store.run_ids(results)
    assert call(results, "prune", "--yes") == 0
    assert not (results / ".deleted").exists()


def test_a_link_to_a_run_is_not_followed_when_it_is_pruned(results: Path, tmp_path: Path) -> None:
    run_id = make_run(1).run_id
    (results / run_id).rename(tmp_path / "elsewhere")
    (results / run_id).symlink_to(tmp_path / "elsewhere")
    assert call(results, "abandon", run_id) == 0
    assert call(results, "prune", "--yes") == 2
    assert (tmp_path / "elsewhere" / "run.json").exists()


def test_nothing_is_abandoned_when_one_of_the_names_is_wrong(results: Path) -> None:
    assert call(results, "abandon", make_run(0).run_id, "nothing") == 2
    assert store.state(results, make_run(0).run_id) is RunState.COMPLETE


def test_prune_only_lists_without_yes_and_never_takes_a_result(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    everything = sorted(results.rglob("*"))
    assert call(results, "prune") == 0
    assert "There is nothing to prune." in capsys.readouterr().out
    run_id = make_run(1).run_id
    assert call(results, "abandon", run_id) == 0
    assert call(results, "prune", "--logs-older-than", "1") == 0
    assert "Would delete abandoned run" in capsys.readouterr().out
    assert set(everything) <= set(results.rglob("*"))

    assert call(results, "prune", "--yes", "--json") == 0
    assert [row["run"] for row in answer(capsys)["found"]] == [run_id]
    assert store.run_ids(results) == (make_run(0).run_id, make_run(2).run_id)
    assert not (results / run_id).exists()


def test_old_logs_go_when_asked_and_the_forks_stay(results: Path) -> None:
    night = make_run(0)
    forks = fork_files.load_forks(results, night.run_id)
    assert call(results, "prune", "--logs-older-than", "1", "--yes") == 0
    assert list((results / night.run_id / "forks").glob("*.log")) == []
    assert fork_files.load_forks(results, night.run_id) == forks
    assert list((results / make_run(1).run_id / "forks").glob("*.log")), "it may be resumed"


def test_sizes_are_said_in_the_largest_unit() -> None:
    texts = [size_text(size) for size in (0, 999, 1000, 4_234, 42_345, 42_345_678, 3 * 10**12)]
    assert texts == ["0 B", "999 B", "1.0 kB", "4.2 kB", "42 kB", "42 MB", "3.0 TB"]
