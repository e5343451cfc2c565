"""JMH's JSON is read exactly, and anything else is refused with the file's name."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_boost.base.errors import BrokenData
from flink_boost.flink.side import Side
from flink_boost.measure.fork import Fork
from flink_boost.measure.jmh import parse_fork
from flink_boost.measure.model import Cell, Mode

# Written by JMH 1.37 for one fork of our suite, percentiles shortened.
RECORDED = (Path(__file__).parents[1] / "data" / "jmh-1.37.json").read_text(encoding="utf-8")
CELL = Cell(
    benchmark="org.apache.flink.benchmark.StringSerializationBenchmark.write",
    params=(("length", "16"), ("kind", "ascii"), ("profile", "pure"), ("view", "serializer")),
)


def parse(content: str | bytes, cell: Cell = CELL) -> Fork:
    return parse_fork(content, "forks/x.json", cell, Side.PATCHED, 2)


def changed(**changes: Any) -> str:
    results = copy.deepcopy(json.loads(RECORDED))
    results[0].update(changes)
    return json.dumps(results)


def test_a_recorded_file() -> None:
    fork = parse(RECORDED)
    assert fork.cell is CELL
    assert (fork.side, fork.pair) == (Side.PATCHED, 2)
    assert (fork.mode, fork.unit) == (Mode.AVERAGE_TIME, "ns/op")
    assert fork.score == 32.33318083781249
    assert fork.iterations == (32.33318083781249,)
    assert fork.alloc_bytes_per_op == 0.003988020793237528
    assert fork.cpu_time_per_op == 25.24063793188309


def with_metrics(**metrics: dict[str, Any]) -> str:
    known = json.loads(RECORDED)[0]["secondaryMetrics"]
    return changed(secondaryMetrics={**known, **metrics})


def test_time_in_collections_is_divided_by_all_operations() -> None:
    fork = parse(
        with_metrics(
            operations={"score": 2e6, "scoreUnit": "ops"},
            **{
                "gc.count": {"score": 12.0, "scoreUnit": "counts"},
                "gc.time": {"score": 30.0, "scoreUnit": "ms"},
            },
        )
    )
    assert fork.gc_time_per_op == pytest.approx(30e6 / 2e6)
    assert fork.gc_time_step == pytest.approx(1e6 / 2e6)
    assert fork.gc_count == 12


def test_without_a_collection_the_time_is_nothing_and_without_a_count_unknown() -> None:
    operations = {"score": 2e6, "scoreUnit": "ops"}
    none = {"gc.count": {"score": 0.0, "scoreUnit": "counts"}}
    assert parse(with_metrics(operations=operations, **none)).gc_time_per_op == 0
    metrics = json.loads(RECORDED)[0]["secondaryMetrics"]
    without = {name: value for name, value in metrics.items() if not name.startswith("gc.")}
    fork = parse(changed(secondaryMetrics={**without, "operations": operations}))
    assert (fork.gc_time_per_op, fork.gc_count) == (None, None)
    assert parse(RECORDED).gc_time_per_op is None, "an older suite counts no operations"


def test_what_ended_threads_allocated_is_not_told_where_it_is_not_counted() -> None:
    none = {"score": 0.0, "scoreUnit": "threads"}
    some = {"score": 7.0, "scoreUnit": "threads"}
    known = 0.003988020793237528
    assert parse(with_metrics(**{"threads.uncounted": none})).alloc_bytes_per_op == known
    fork = parse(with_metrics(**{"threads.uncounted": some}))
    assert fork.alloc_bytes_per_op is None
    assert fork.cpu_time_per_op == 25.24063793188309


def test_another_number_of_threads_is_refused() -> None:
    with pytest.raises(BrokenData, match="measured with 4 threads, not 1"):
        parse(changed(threads=4))
    assert parse_fork(changed(threads=4), "x", CELL, Side.STOCK, 1, threads=4).pair == 1


def test_parameters_in_another_order_and_unasked_ones_are_the_same_cell() -> None:
    cell = Cell(benchmark=CELL.benchmark, params=(("view", "serializer"), ("length", "16")))
    assert parse(RECORDED, cell).cell is cell


def test_the_dotted_names_of_older_releases() -> None:
    metrics = json.loads(RECORDED)[0]["secondaryMetrics"]
    dotted = {f"·{name}": metric for name, metric in metrics.items()}
    assert parse(changed(secondaryMetrics=dotted)).alloc_bytes_per_op == 0.003988020793237528


def test_profiler_results_may_be_absent_or_not_a_number() -> None:
    assert parse(changed(secondaryMetrics={})).cpu_time_per_op is None
    nan = {"gc.alloc.rate.norm": {"score": "NaN", "scoreUnit": "B/op", "rawData": [["NaN"]]}}
    assert parse(changed(secondaryMetrics=nan)).alloc_bytes_per_op is None
    other_unit = {"cpu.time.norm": {"score": 3.0, "scoreUnit": "us/op"}}
    assert parse(changed(secondaryMetrics=other_unit)).cpu_time_per_op is None


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "is not a result file of JMH"),
        ("[]", "holds 0 results instead of one"),
        ("{}", "is not a result file of JMH"),
        ("<html></html>", "is not a result file of JMH"),
        ('[{"benchmark": "a.B.c"}]', "is not a result file of JMH"),
        (b"\xff\xfe\x00", "is not a result file of JMH"),
        (json.dumps(json.loads(RECORDED) * 2), "holds 2 results instead of one"),
        (changed(benchmark="a.B.c"), "is of B.c"),
        (changed(params={"length": "1024"}), r"is of .*length=1024.*, not of .*length=16"),
        (changed(mode="sample"), "is not a result file of JMH"),
        (changed(forks=2), "is not a result file of JMH"),
        (changed(primaryMetric={"score": 0.0, "scoreUnit": "ns/op", "rawData": [[1]]}), "score 0"),
        (changed(primaryMetric={"score": -1, "scoreUnit": "ns/op", "rawData": [[1]]}), "score -1"),
        (
            changed(primaryMetric={"score": "NaN", "scoreUnit": "ns/op", "rawData": [[1]]}),
            "score nan",
        ),
        (
            changed(primaryMetric={"score": 1.0, "scoreUnit": "ns/op", "rawData": [[1, "NaN"]]}),
            "score nan",
        ),
        (
            changed(primaryMetric={"score": 1.0, "scoreUnit": "ns/op", "rawData": [[]]}),
            "no measured iterations",
        ),
    ],
)
def test_other_content_is_refused(content: str | bytes, complaint: str) -> None:
    with pytest.raises(BrokenData, match=complaint) as caught:
        parse(content)
    assert caught.value.message.startswith("forks/x.json ")
    assert "--resume" in caught.value.next_step


@given(st.integers(min_value=0, max_value=len(RECORDED.rstrip()) - 1))
def test_a_file_cut_off_anywhere_is_refused(length: int) -> None:
    with pytest.raises(BrokenData, match="is not a result file of JMH"):
        parse(RECORDED[:length])
