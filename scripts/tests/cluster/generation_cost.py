"""Measures what generated code costs a TaskManager: in its first job, and in one more.

    PYTHONPATH=..:cluster:. python -m cluster.generation_cost --starts 10

TaskManagers with and without the jar take turns: with, without, without, with. Each runs two jobs
of 20 POJO classes with a class loader each. The processes run with Flink's own options, so both
tiers of the compiler.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from flink_installation import START_SECONDS, FlinkInstallation, eventually
from restarts import CLASSES
from running_job import RunningJob, build_jobs
from start_cost import PRODUCTION, processor_seconds

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.distribution import ensure_distribution
from flink_boost.flink.jdks import java_home
from flink_boost.flink.lines import default_line, find_line

# Long enough that all classes are generated while it runs.
_RECORDS, _PAUSE_MILLIS = 400, 5
# The thread that generates has ended by then, so that the next job has one of its own.
_BETWEEN_SECONDS = 3


@dataclass(frozen=True)
class JobCost:
    """Of one job in milliseconds: to its first record, of processors, and of generation."""

    first_record: float
    processor: float
    generation: float


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--line", default=default_line())
    parser.add_argument("--starts", type=int, default=10)
    given = parser.parse_args()
    line = find_line(given.line)
    home = java_home(line.jdks[0])
    (jar,) = (PROJECT_ROOT / "build" / "jars").glob(f"flink-boost-{line.version}-*.jar")
    distribution = ensure_distribution(line)
    with tempfile.TemporaryDirectory(prefix="generation-cost-") as name:
        folder = Path(name)
        jobs = build_jobs(line, distribution, folder)
        production = {"java_options": PRODUCTION, "quick_scripts": False}
        with (
            FlinkInstallation(distribution, home, folder / "stock", **production) as stock,
            FlinkInstallation(
                distribution, home, folder / "patched", [jar], joins=stock, **production
            ) as patched,
        ):
            stock.start_cluster()
            # The JobManager's first job is its slowest.
            run_job(stock, stock.task_managers()[0], jobs, folder / "warm")
            stock.stop_task_manager("test")
            costs: dict[bool, list[Sequence[JobCost]]] = {False: [], True: []}
            for number in range(given.starts):
                for with_jar in (True, False) if number % 2 else (False, True):
                    chosen = patched if with_jar else stock
                    runs = jobs_in_a_new_task_manager(stock, chosen, jobs, folder / f"{number}")
                    costs[with_jar].append(runs)
                    sys.stderr.write(f"{number + 1}, {'with' if with_jar else 'without'}: {runs}\n")
    answer = {
        "line": line.version,
        "jdk": line.jdks[0],
        "starts": given.starts,
        **{f"{job}_job": compared(costs, at) for at, job in enumerate(("first", "second"))},
        "generation_once_ms": round(
            statistics.median(a.generation - b.generation for a, b in costs[True]), 1
        ),
        "generation_per_class_ms": round(
            statistics.median(b.generation for _, b in costs[True]) / CLASSES, 2
        ),
    }
    sys.stdout.write(json.dumps(answer, indent=1) + "\n")
    return 0


def jobs_in_a_new_task_manager(
    cluster: FlinkInstallation, flink: FlinkInstallation, jar: Path, file: Path
) -> list[JobCost]:
    """Two jobs, one after the other, in a TaskManager that is stopped then."""
    assert eventually(lambda: cluster.slots() == 0, START_SECONDS)
    name = f"tm{file.name}"
    pid = flink.start_task_manager(name)
    assert eventually(lambda: cluster.slots() > 0, START_SECONDS), flink.everything_logged()
    found = []
    for job in ("first", "second"):
        time.sleep(_BETWEEN_SECONDS)
        found.append(run_job(cluster, pid, jar, file.with_name(f"{pid}-{job}")))
    flink.stop_task_manager(name)
    return found


def run_job(cluster: FlinkInstallation, pid: int, jar: Path, file: Path) -> JobCost:
    """What one job costs the TaskManager."""
    cluster.upload(jar)
    before, began = processor_seconds(pid), time.time()
    arguments = (file, str(_RECORDS), str(_PAUSE_MILLIS))
    RunningJob.submit_without_client(cluster, jar, "RestartJob", *arguments).wait_for_end()
    processor = processor_seconds(pid) - before
    first, generation = map(int, file.read_text().split())
    return JobCost(first - 1000 * began, 1000 * processor, generation / 1e6)


def compared(costs: dict[bool, list[Sequence[JobCost]]], at: int) -> dict[str, float]:
    """Medians of both, and of the differences of starts that followed each other."""
    found = {}
    for what in ("first_record", "processor"):
        ours, stocks = ([getattr(run[at], what) for run in costs[side]] for side in (True, False))
        differences = [a - b for a, b in zip(ours, stocks, strict=True)]
        for name, values in (("with", ours), ("without", stocks), ("difference", differences)):
            found[f"{what}_{name}_ms"] = round(statistics.median(values), 1)
    found["generation_ms"] = round(statistics.median(r[at].generation for r in costs[True]), 1)
    return found


if __name__ == "__main__":
    sys.exit(main())
