"""Measures what the jar costs at the start of a TaskManager, and its check alone.

    PYTHONPATH=..:cluster:. python -m cluster.start_cost --line 2.3.0 --starts 20

Starts with and without the jar take turns: with, without, without, with. The processes run with
Flink's own options, so both tiers of the compiler.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from flink_installation import START_SECONDS, FlinkInstallation, eventually

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.distribution import ensure_distribution
from flink_boost.flink.jdks import java_home
from flink_boost.flink.lines import default_line, find_line

_TICKS = os.sysconf("SC_CLK_TCK")
_PROBE = Path(__file__).with_name("GuardProbe.java")
PRODUCTION = "-Xlog:disable -Xlog:all=warning:stdout -XX:TieredStopAtLevel=4"

Cost = tuple[float, float]  # milliseconds by the clock, and of processors


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--line", default=default_line())
    parser.add_argument("--starts", type=int, default=20)
    given = parser.parse_args()
    line = find_line(given.line)
    home = java_home(line.jdks[0])
    (jar,) = (PROJECT_ROOT / "build" / "jars").glob(f"flink-boost-{line.version}-*.jar")
    distribution = ensure_distribution(line)
    with (
        tempfile.TemporaryDirectory(prefix="start-cost-") as folder,
        FlinkInstallation(
            *(distribution, home, Path(folder) / "stock"),
            java_options=PRODUCTION,
            quick_scripts=False,
        ) as stock,
        FlinkInstallation(
            *(distribution, home, Path(folder) / "patched", [jar]),
            java_options=PRODUCTION,
            joins=stock,
            quick_scripts=False,
        ) as patched,
    ):
        started = stock.run("jobmanager.sh", "start", seconds=START_SECONDS)
        assert started.exit_code == 0, started.output
        assert eventually(lambda: _answers(stock), START_SECONDS), stock.everything_logged()
        starts: dict[bool, list[Cost]] = {False: [], True: []}
        for number in range(given.starts):
            for with_jar in (True, False) if number % 2 else (False, True):
                chosen = patched if with_jar else stock
                starts[with_jar].append(_start(stock, chosen, f"tm{number}"))
                _say(
                    f"start {number + 1} of {given.starts}, {_which(with_jar)}",
                    starts[with_jar][-1],
                )
        checks = [_check(home, patched.home, Path(folder)) for _ in range(given.starts)]
    answer = {
        "line": line.version,
        "jdk": line.jdks[0],
        "starts": given.starts,
        **{_which(with_jar): _medians(costs) for with_jar, costs in starts.items()},
        "difference": _differences(starts[True], starts[False]),
        "check_alone": _medians(checks),
    }
    sys.stdout.write(json.dumps(answer, indent=1) + "\n")
    return 0


def _which(with_jar: bool) -> str:
    return "with_jar" if with_jar else "without_jar"


def _answers(flink: FlinkInstallation) -> bool:
    try:
        return "slots-total" in flink.ask("/overview")
    except OSError:
        return False


def _start(cluster: FlinkInstallation, flink: FlinkInstallation, name: str) -> Cost:
    """From the script until the JobManager has the slot; the TaskManager is stopped then."""
    assert eventually(lambda: cluster.slots() == 0, START_SECONDS)
    began = time.monotonic()
    pid = flink.start_task_manager(name)
    assert eventually(lambda: cluster.slots() > 0, START_SECONDS, 0.02), flink.everything_logged()
    clock = time.monotonic() - began
    processors = processor_seconds(pid)
    flink.stop_task_manager(name)
    return 1000 * clock, 1000 * processors


def processor_seconds(pid: int) -> float:
    """What a process has used of processors."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / _TICKS


def _check(home: Path, flink: Path, folder: Path) -> Cost:
    """The check in a JVM that has done nothing else."""
    probe = folder / "GuardProbe.class"
    path = f"{flink}/lib/*"
    if not probe.exists():
        compile_it = ["javac", "--release", "11", "-cp", path, "-d", str(folder), str(_PROBE)]
        subprocess.run(compile_it, check=True, timeout=120)
    run_it = [str(home / "bin" / "java"), "-cp", f"{path}:{folder}", "GuardProbe"]
    done = subprocess.run(run_it, check=True, timeout=120, capture_output=True, text=True)
    clock, processors = map(float, done.stdout.splitlines()[-1].split())
    return clock, processors


def _medians(costs: Sequence[Cost]) -> dict[str, float]:
    return {
        "clock_ms": round(statistics.median(clock for clock, _ in costs), 1),
        "processor_ms": round(statistics.median(processors for _, processors in costs), 1),
    }


def _differences(ours: Sequence[Cost], stocks: Sequence[Cost]) -> dict[str, float]:
    """The median over pairs of starts that followed each other."""
    pairs = zip(ours, stocks, strict=True)
    return _medians([(a[0] - b[0], a[1] - b[1]) for a, b in pairs])


def _say(what: str, cost: Cost) -> None:
    sys.stderr.write(f"{what}: {cost[0]:.0f} ms, {cost[1]:.0f} ms of processors\n")


if __name__ == "__main__":
    sys.exit(main())
