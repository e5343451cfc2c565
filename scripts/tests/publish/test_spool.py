"""Entries: what Codespeed gets, under keys that never change."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from synthetic import COMPARATOR, JOB, THREE, WRITE, make_forks, make_run

from flink_boost.base.errors import BrokenData, EnvironmentProblem, UsageProblem
from flink_boost.flink.side import Side
from flink_boost.measure.fork import Fork
from flink_boost.measure.model import Cell, Mode
from flink_boost.measure.summary import summarise
from flink_boost.publish.codespeed import (
    CodespeedResult,
    SpoolEntry,
    benchmark_name,
    commit_id,
    entries_of,
    entry_keys,
    executable,
    form_of,
)
from flink_boost.publish.spool import Spool


def make_entries(night: int = 0, environment: str = "box-1") -> tuple[SpoolEntry, ...]:
    run = make_run(night)
    return entries_of(summarise(run, make_forks(run, noise=0.05, seed=night)), environment)


def scores_of(entry: SpoolEntry) -> list[CodespeedResult]:
    return [result for result in entry.results if result.units != "x"]


def ratios_of(entry: SpoolEntry) -> list[CodespeedResult]:
    return [result for result in entry.results if result.units == "x"]


def test_a_run_becomes_one_entry_per_executable_with_codespeeds_fields() -> None:
    run = make_run(commit="0123456789abcdef" * 2 + "01234567-dirty")
    forks = make_forks(run, noise=0.05, seed=3)
    stock, patched = entries_of(summarise(run, forks), "lab box")
    assert [entry.results[0].executable for entry in (stock, patched)] == [
        "stock 2.3.0",
        "patched 2.3.0",
    ]
    scores = [fork.score for fork in forks if fork.side is Side.PATCHED and fork.cell == WRITE]
    assert json.loads(form_of(patched)["json"])[0] == {
        "commitid": commit_id(run),
        "branch": "master",
        "project": "Flink",
        "executable": "patched 2.3.0",
        "benchmark": "write.ascii.16",
        "environment": "lab box",
        "result_value": pytest.approx(statistics.geometric_mean(scores)),
        "std_dev": pytest.approx(statistics.stdev(scores)),
        "min": min(scores),
        "max": max(scores),
        "units": "ns/op",
        "units_title": "Time",
        "lessisbetter": True,
        "revision_date": "2026-03-01 22:30:05",
        "description": "",
    }
    job = json.loads(form_of(patched)["json"])[1]
    assert (job["benchmark"], job["lessisbetter"], job["units_title"]) == (
        "serializerTuple",
        False,
        "Throughput",
    )


def test_the_commit_id_leads_to_the_commit_and_differs_per_run() -> None:
    run = make_run(commit="0123456789" * 4)
    assert commit_id(run).startswith("01234567-20260301T223005-")
    dirty = make_run(commit="0123456789" * 4 + "-dirty")
    assert commit_id(dirty).startswith("01234567-dirty-2026")
    same_second = run.model_copy(update={"run_id": run.run_id + "-2"})
    ids = {commit_id(one) for one in (run, dirty, same_second, make_run(1, commit=run.commit))}
    assert len(ids) == 4
    assert max(map(len, ids)) <= 42, "Codespeed has room for 42 characters"


def test_the_commit_id_does_not_depend_on_the_time_zone() -> None:
    run = make_run()
    moved = run.model_copy(update={"started": datetime.fromisoformat("2026-03-02T00:30:05+02:00")})
    assert moved.started.astimezone(UTC) == run.started
    assert commit_id(moved) == commit_id(run)


def test_benchmark_names_are_upstreams() -> None:
    run = make_run()
    assert benchmark_name(WRITE, run) == "write.ascii.16", "parameters in the order of their names"
    assert benchmark_name(JOB, run) == "serializerTuple"
    long = Cell(benchmark="a.B.c", params=(("p", "x" * 200),))
    longer = Cell(benchmark="a.B.c", params=(("p", "x" * 201),))
    assert len(benchmark_name(long, run)) == len(benchmark_name(longer, run)) == 94
    assert benchmark_name(long, run) != benchmark_name(longer, run)


def test_threads_and_heap_are_part_of_the_benchmarks_name() -> None:
    crowded = make_run(threads=8, heap="64m")
    assert benchmark_name(WRITE, crowded) == "write.ascii.16.8threads.heap64m"
    assert benchmark_name(JOB, crowded) == "serializerTuple.8threads.heap64m"


def test_a_third_side_and_another_jdk_are_executables_of_their_own() -> None:
    run = make_run(sides=THREE, line="1.9.3", jdk="11.0.28+6", opened=False)
    entries = entries_of(summarise(run, make_forks(run)), "box-1")
    assert [entry.results[0].executable for entry in entries] == [
        "stock 1.9.3 j11 not opened",
        "patched 1.9.3 j11 not opened",
        "upstream 1.9.3 j11 not opened",
    ]
    assert tuple(entry.key for entry in entries) == entry_keys(summarise(run, make_forks(run)))
    longest = make_run(sides=THREE, line="1.20.5", jdk="11.0.28+6", opened=False)
    assert max(len(executable(longest, side)) for side in THREE) == 30


def test_another_build_as_the_third_side_is_not_sent() -> None:
    run = make_run(sides=THREE).model_copy(update={"third": "/before/flink-boost.jar"})
    entries = entries_of(summarise(run, make_forks(run)), "box-1")
    assert [entry.results[0].executable for entry in entries] == ["stock 2.3.0", "patched 2.3.0"]
    assert tuple(entry.key for entry in entries) == entry_keys(summarise(run, make_forks(run)))


def test_a_comparator_is_a_result_of_the_patched_side_alone() -> None:
    run = make_run(cells=(WRITE, COMPARATOR))
    stock, patched = entries_of(summarise(run, make_forks(run)), "box-1")
    assert [result.benchmark for result in stock.results] == ["write.ascii.16"]
    assert [result.benchmark for result in ratios_of(patched)] == ["write.ascii.16.ratio"]
    assert [result.benchmark for result in scores_of(patched)] == [
        "write.ascii.16",
        "writeUtf.ascii.16",
    ]
    alone = make_run(cells=(COMPARATOR,))
    (entry,) = entries_of(summarise(alone, make_forks(alone)), "box-1")
    assert (entry.key,) == entry_keys(summarise(alone, make_forks(alone)))
    assert entry.results[0].executable == "patched 2.3.0"


def test_two_benchmarks_with_one_name_are_refused() -> None:
    twin = Cell(benchmark="org.apache.flink.benchmark.Other.serializerTuple")
    run = make_run(cells=(JOB, twin))
    with pytest.raises(BrokenData, match=r"serializerTuple.*Other\.serializerTuple"):
        entries_of(summarise(run, make_forks(run)), "box-1")


def test_stock_against_stock_is_not_for_the_dashboard() -> None:
    run = make_run(sides=(Side.STOCK, Side.CONTROL))
    assert entries_of(summarise(run, make_forks(run)), "box-1") == ()
    assert entry_keys(summarise(run, make_forks(run))) == ()


def test_runs_without_opened_modules_have_curves_of_their_own() -> None:
    run = make_run(opened=False)
    entries = entries_of(summarise(run, make_forks(run)), "box-1")
    assert [entry.results[0].executable for entry in entries] == [
        "stock 2.3.0 not opened",
        "patched 2.3.0 not opened",
    ]
    assert all(len(entry.results[0].executable) <= 30 for entry in entries)


@pytest.mark.parametrize("score", [math.nan, math.inf, 0.0, -1.0])
def test_a_score_that_is_no_positive_number_costs_its_pair_on_both_sides(score: float) -> None:
    run = make_run(cells=(JOB,), pairs=3)
    forks = list(make_forks(run, modes=(Mode.THROUGHPUT,), noise=0.1))
    assert (forks[0].pair, forks[0].side) == (1, Side.STOCK)
    forks[0] = forks[0].model_copy(update={"score": score})
    assert_means_are_of(entries_of(summarise(run, forks), "box-1"), forks[2:])


def test_means_are_over_whole_pairs_so_that_both_sides_have_as_many_forks() -> None:
    run = make_run(cells=(JOB,), pairs=3)
    forks = list(make_forks(run, modes=(Mode.THROUGHPUT,), noise=0.1))
    whole = [fork for fork in forks if fork.pair != 2]
    half = [fork for fork in forks if fork.pair == 2 and fork.side is Side.STOCK]
    assert_means_are_of(entries_of(summarise(run, [*whole, *half]), "box-1"), whole)


def assert_means_are_of(entries: tuple[SpoolEntry, ...], forks: Sequence[Fork]) -> None:
    for entry, side in zip(entries, (Side.STOCK, Side.PATCHED), strict=True):
        scores = [fork.score for fork in forks if fork.side is side]
        (result,) = scores_of(entry)
        assert result.result_value == pytest.approx(statistics.geometric_mean(scores))
        assert (result.min, result.max) == (min(scores), max(scores))
        assert result.std_dev == pytest.approx(statistics.stdev(scores))


def test_a_benchmark_without_a_whole_pair_is_not_sent_and_the_others_are() -> None:
    run = make_run()
    forks = [fork for fork in make_forks(run) if fork.cell != JOB or fork.side is Side.STOCK]
    for entry in entries_of(summarise(run, forks), "box-1"):
        assert [result.benchmark for result in scores_of(entry)] == ["write.ascii.16"]


def test_a_run_without_any_whole_pair_has_no_entry() -> None:
    run = make_run()
    summary = summarise(run, [fork for fork in make_forks(run) if fork.side is Side.STOCK])
    assert entries_of(summary, "box-1") == ()
    assert entry_keys(summary) == ()


def test_a_third_sides_mean_is_over_the_pairs_that_it_has_with_stock() -> None:
    run = make_run(cells=(WRITE,), sides=THREE, pairs=3)
    forks = make_forks(run, noise=0.1)
    gone = {(1, Side.STOCK), (2, Side.PATCHED), (3, Side.UPSTREAM)}
    left = [fork for fork in forks if (fork.pair, fork.side) not in gone]
    entries = entries_of(summarise(run, left), "box-1")
    scores = {(fork.pair, fork.side): fork.score for fork in forks}
    assert [entry.results[0].result_value for entry in entries] == pytest.approx(
        [scores[3, Side.STOCK], scores[3, Side.PATCHED], scores[2, Side.UPSTREAM]]
    )


def test_a_single_fork_has_no_deviation() -> None:
    run = make_run(pairs=1)
    assert entries_of(summarise(run, make_forks(run)), "box-1")[0].results[0].std_dev is None


@pytest.mark.parametrize("environment", ["", "  ", "x" * 101])
def test_an_unusable_environment_name_is_refused(environment: str) -> None:
    with pytest.raises(UsageProblem, match="environment"):
        make_entries(environment=environment)


def test_spooling_twice_keeps_one_entry_whatever_the_environment_is_called(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    first = make_entries()
    assert [spool.add(entry) for entry in first] == [True, True]
    assert [spool.add(entry) for entry in make_entries(environment="renamed")] == [False, False]
    assert spool.load_unsent(first[0].key) == first[0]
    spool.mark_sent(first[0].key)
    assert spool.add(first[0]) is False
    assert spool.unsent_keys() == (first[1].key,)
    assert spool.sent_keys() == (first[0].key,)
    assert {entry.key for entry in first} == set(
        entry_keys(summarise(make_run(), make_forks(make_run())))
    )


@pytest.mark.parametrize(
    "content", [b"", b'{"key": "', b"[]", b"\xff\xfe", b'{"schema_version": 1}']
)
def test_an_entry_that_cannot_be_read_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "unsent").mkdir()
    (tmp_path / "unsent" / "broken.json").write_bytes(content)
    with pytest.raises(BrokenData, match=r"broken\.json"):
        Spool(tmp_path).load_unsent("broken")


def test_an_entry_under_a_foreign_name_is_refused(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    entry = make_entries()[0]
    spool.add(entry)
    (tmp_path / "unsent" / f"{entry.key}.json").rename(tmp_path / "unsent" / "other.json")
    with pytest.raises(BrokenData, match="holds the entry"):
        spool.load_unsent("other")


def test_only_one_sender_at_a_time(tmp_path: Path) -> None:
    naps: list[float] = []
    with (
        Spool(tmp_path).sender_lock(),
        pytest.raises(EnvironmentProblem, match="Another flink-boost upload"),
        Spool(tmp_path).sender_lock(wait_seconds=1.0, sleep=naps.append),
    ):
        pytest.fail("both hold the lock")
    assert sum(naps) == pytest.approx(1.0)
    with Spool(tmp_path).sender_lock(wait_seconds=0.0):
        pass
