"""Starts a job of 20 POJO classes again and again on a session cluster: what a TaskManager keeps.

    PYTHONPATH=..:cluster:. python -m cluster.restarts --restarts 1000 [--stock]

Memory of classes is looked at after a garbage collection.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from flink_installation import QUICK, FlinkInstallation
from running_job import RunningJob, build_jobs
from start_cost import processor_seconds

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.distribution import ensure_distribution
from flink_boost.flink.jdks import java_home
from flink_boost.flink.lines import default_line, find_line

CLASSES = 20
_RECORDS, _PAUSE_MILLIS = 60, 5
_LOADER = "org.apache.flink.util.ChildFirstClassLoader"
# A row of a histogram: number, instances, bytes, class, and its module if it is in a named one.
_ROW = re.compile(r"^ *\d+: +(\d+) +\d+ +(\S+)", re.MULTILINE)
_METASPACE = re.compile(r"^ *Metaspace +used (\d+)K", re.MULTILINE)
_COMMAND_SECONDS = 120


@dataclass(frozen=True)
class Kept:
    """What a TaskManager holds after that many restarts."""

    restarts: int
    metaspace_kib: int
    loaders: int
    generated: int
    processor_seconds: float


def restart_job(
    flink: FlinkInstallation, jar: Path, restarts: int, folder: Path, samples: int = 10
) -> Iterator[Kept]:
    """Starts the job, waits for its end, and starts it again; looks that many times."""
    folder.mkdir(parents=True)
    (pid,) = flink.task_managers()
    for number in range(1, restarts + 1):
        arguments = (folder / f"{number}.txt", str(_RECORDS), str(_PAUSE_MILLIS))
        RunningJob.submit_without_client(flink, jar, "RestartJob", *arguments).wait_for_end(0.1)
        if number * samples // restarts > (number - 1) * samples // restarts:
            yield look(pid, number)


def look(pid: int, restarts: int) -> Kept:
    """Collects garbage in a JVM and counts what is left."""
    # What a finalizer or cleaner keeps is gone one collection later; the histogram makes one, too.
    for _ in range(2):
        _jcmd(pid, "GC.run")
    counts = {name: int(count) for count, name in _ROW.findall(_jcmd(pid, "GC.class_histogram"))}
    generated = [count for name, count in counts.items() if "$FlinkBoostAccess" in name]
    used = _METASPACE.search(_jcmd(pid, "GC.heap_info"))
    assert used
    return Kept(
        restarts,
        int(used[1]),
        counts.get(_LOADER, 0),
        sum(generated),
        processor_seconds(pid),
    )


def _jcmd(pid: int, *command: str) -> str:
    done = subprocess.run(
        [str(java_home(17) / "bin" / "jcmd"), f"-J{QUICK}", str(pid), *command],
        capture_output=True,
        text=True,
        timeout=_COMMAND_SECONDS,
        check=True,
    )
    return done.stdout


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--restarts", type=int, default=1000)
    parser.add_argument("--stock", action="store_true")
    given = parser.parse_args()
    line = find_line(default_line())
    distribution = ensure_distribution(line)
    jars = list((PROJECT_ROOT / "build" / "jars").glob(f"flink-boost-{line.version}-*.jar"))
    with tempfile.TemporaryDirectory(prefix="restarts-") as name:
        folder = Path(name)
        jar = build_jobs(line, distribution, folder)
        home = java_home(line.jdks[0])
        with FlinkInstallation(
            *(distribution, home, folder / "flink", [] if given.stock else jars)
        ) as flink:
            flink.start_cluster()
            for kept in restart_job(flink, jar, given.restarts, folder / "runs"):
                sys.stdout.write(json.dumps(asdict(kept)) + "\n")
                sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
