"""Writes runs into a results store file by file, as its description in the model says.

They have no summary, like the runs of a store from before there were any.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from flink_boost.measure import store
from flink_boost.measure.fork import Fork
from flink_boost.measure.model import RunInfo


def complete_run_ids(results: Path) -> tuple[str, ...]:
    """The runs that ended with all their forks, oldest first."""
    return tuple(each for each in store.run_ids(results) if store.is_complete(results, each))


def store_complete_run(results: Path, run: RunInfo, forks: Sequence[Fork]) -> Path:
    """The folder of the run, with one JMH file per fork."""
    folder = results / run.run_id
    (folder / "forks").mkdir(parents=True)
    (folder / "run.json").write_text(run.model_dump_json(indent=1), encoding="utf-8")
    for fork in forks:
        name = f"p{fork.pair:02}.{fork.side.value}.{fork.cell.slug}"
        (folder / "forks" / f"{name}.json").write_text(
            json.dumps([jmh_of(fork, run.threads)]), encoding="utf-8"
        )
        (folder / "forks" / f"{name}.log").write_text("", encoding="utf-8")
    (folder / "complete").touch()
    return folder


def store_forks(results: Path, run: RunInfo, forks: Sequence[Fork]) -> None:
    """Further forks of a run that is there already, as if they had just been measured."""
    for fork in forks:
        path = fork_path(results, run, fork)
        path.write_text(json.dumps([jmh_of(fork, run.threads)]), encoding="utf-8")


def fork_path(results: Path, run: RunInfo, fork: Fork) -> Path:
    """Where the JMH file of a fork is."""
    name = f"p{fork.pair:02}.{fork.side.value}.{fork.cell.slug}.json"
    return results / run.run_id / "forks" / name


def jmh_of(fork: Fork, threads: int = 1) -> dict[str, Any]:
    """One result in the shape of JMH's JSON."""
    entry: dict[str, Any] = {
        "jmhVersion": "1.37",
        "benchmark": fork.cell.benchmark,
        "mode": fork.mode.value,
        "threads": threads,
        "forks": 1,
        "jvm": "/usr/bin/java",
        "jvmArgs": [],
        "jdkVersion": "17.0.9",
        "vmName": "OpenJDK 64-Bit Server VM",
        "vmVersion": "17.0.9+9",
        "warmupIterations": 1,
        "warmupTime": "1 s",
        "warmupBatchSize": 1,
        "measurementIterations": len(fork.iterations),
        "measurementTime": "1 s",
        "measurementBatchSize": 1,
        "primaryMetric": _metric(fork.score, fork.unit, fork.iterations),
        "secondaryMetrics": {
            "gc.alloc.rate.norm": _metric(
                fork.alloc_bytes_per_op or 0.0, "B/op", [fork.alloc_bytes_per_op or 0.0]
            )
        },
    }
    if fork.cpu_time_per_op is not None:
        cpu = fork.cpu_time_per_op
        entry["secondaryMetrics"]["cpu.time.norm"] = _metric(cpu, "ns/op", [cpu])
    if fork.gc_time_step:
        operations = 1e6 / fork.gc_time_step
        milliseconds = (fork.gc_time_per_op or 0.0) / fork.gc_time_step
        entry["secondaryMetrics"] |= {
            "operations": _metric(operations, "ops", [operations]),
            "gc.count": _metric(fork.gc_count or 0.0, "counts", [fork.gc_count or 0.0]),
            # JMH leaves it out when nothing was collected.
            **({"gc.time": _metric(milliseconds, "ms", [milliseconds])} if milliseconds else {}),
        }
    if fork.cell.params:
        entry["params"] = dict(fork.cell.params)
    return entry


def _metric(score: float, unit: str, raw: Sequence[float]) -> dict[str, Any]:
    return {
        "score": score,
        "scoreError": "NaN",
        "scoreConfidence": ["NaN", "NaN"],
        "scorePercentiles": {"0.0": score, "50.0": score, "100.0": score},
        "scoreUnit": unit,
        "rawData": [list(raw)],
    }
