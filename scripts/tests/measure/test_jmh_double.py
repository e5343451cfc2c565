"""The double of JMH is like JMH in what our code sees of it: its JSON, and how it ends."""

from __future__ import annotations

import json
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest
from jmh_java import make_java
from synthetic import make_run

from flink_boost.flink.side import Side
from flink_boost.measure.jmh import parse_fork
from flink_boost.measure.model import Cell, RunInfo, Timing
from flink_boost.measure.runner import jmh_command

REAL = Path(__file__).parents[1] / "data" / "jmh-1.37.json"
TIMING = Timing(warmup_iterations=1, warmup_time_ms=10, iterations=3, iteration_time_ms=10)
WRITE = Cell(
    benchmark="org.apache.flink.benchmark.StringSerializationBenchmark.write",
    params=(("length", "16"), ("kind", "a,b")),
)
JOB = Cell(
    benchmark="org.apache.flink.benchmark.SerializationFrameworkMiniBenchmarks.serializerRow"
)


def asked(
    folder: Path, cell: Cell = WRITE, class_path: str = "stock.jar", **java: Any
) -> tuple[int, Path]:
    """What the double ends with, and where it was to write."""
    info: RunInfo = make_run(0).model_copy(update={"jvm_options": ("-XX:+UseG1GC",), "threads": 2})
    result = folder / "result.json"
    program = str(make_java(folder, **java))
    command = jmh_command(info, cell, TIMING, program, class_path, result, folder / "tmp")
    return subprocess.run(command, check=False, timeout=60).returncode, result


@pytest.mark.parametrize(("cell", "unit"), [(WRITE, "ns/op"), (JOB, "ops/ms")])
def test_it_is_read_as_a_fork_of_what_was_asked_for(tmp_path: Path, cell: Cell, unit: str) -> None:
    code, result = asked(tmp_path, cell)
    assert code == 0
    fork = parse_fork(result.read_bytes(), "result", cell, Side.STOCK, 1, threads=2)
    assert (fork.unit, len(fork.iterations)) == (unit, 3)
    assert fork.score == pytest.approx(100, rel=0.002)
    assert fork.alloc_bytes_per_op is not None
    assert fork.cpu_time_per_op is not None
    assert fork.gc_time_step is not None
    (content,) = json.loads(result.read_text())
    assert content["jvmArgs"] == [f"-Djava.io.tmpdir={tmp_path}/tmp", "-XX:+UseG1GC"]


def test_all_its_fields_are_those_of_jmh(tmp_path: Path) -> None:
    (real, *_) = json.loads(REAL.read_text(encoding="utf-8"))
    (double,) = json.loads(asked(tmp_path)[1].read_text(encoding="utf-8"))
    assert double.keys() <= real.keys() | {"params"}
    assert double["primaryMetric"].keys() <= real["primaryMetric"].keys()
    assert type(double["forks"]) is type(real["forks"])


def test_what_it_says_follows_from_the_class_path(tmp_path: Path) -> None:
    slow = tmp_path / "flink-core.jar"
    with zipfile.ZipFile(slow, "w") as jar:
        jar.writestr("org/apache/flink/types/StringValue.class", b"..onSpinWait..")
    for class_path, score in (
        ("flink-boost-2.3.0-0.2.0.jar:stock.jar", 40.0),
        (f"{slow}:stock.jar", 2000.0),
        ("slow-60.jar:stock.jar", 100.0),
    ):
        _, result = asked(tmp_path, class_path=class_path)
        (content,) = json.loads(result.read_text())
        assert content["primaryMetric"]["score"] == pytest.approx(score, rel=0.002)


def test_it_fails_when_it_is_told_to_and_is_java_for_all_else(tmp_path: Path) -> None:
    failing = {"failing": [2], "action": "echo broke; exit 3"}
    assert [asked(tmp_path, **failing)[0] for _ in range(3)] == [0, 3, 0]
    java = make_java(tmp_path / "other")
    said = subprocess.run(
        [java, "-version"], capture_output=True, text=True, timeout=60, check=True
    )
    assert "version" in said.stderr
