"""Years of nights in a database, and how long the pages take with them.

``.venv/bin/python codespeed-config/tests/scale.py`` fills a database of its own with 2,000 nights
of 300 benchmarks and ends with 1 when a page passes its limit or a worker's memory grows; ``make
test-scale`` calls it. The suite does the same with fewer nights: ``test_scale.py``.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx

PROJECT_ROOT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.path.insert(0, str(PROJECT_ROOT / "scripts"))

from flink_boost.publish import liveness, serve  # noqa: E402
from years_of_nights import (  # noqa: E402
    RATIO,
    Size,
    alarm_id,
    benchmark_names,
    commit_ids,
    executables,
    fill,
    night_ids,
)

LIMIT = 1.0  # s of server time for each page that has one
LIMITED = (
    *("/", "/timeline/", "/timeline/json/", "/timeline/points/", "/changes/table/"),
    *("/alarms/", "/alarms.json", "/nights/", "/nights.json"),
)
LARGEST_GROWTH = 32.0  # MB of a worker's memory, over all requests after the first ones
WARM_UP, ROUNDS = 3, 20


def addresses(database: Path, size: Size) -> dict[str, str]:
    """What is asked for, by the page's name and what is special about it."""
    connection = sqlite3.connect(database, timeout=20)
    try:
        stock, patched = executables(connection)
    finally:
        connection.close()
    name = benchmark_names(size)[-1]
    newest = commit_ids(size)[-1]
    both = f"exe={stock},{patched}&env=1"
    change = f"exe={patched}&env=1&rev={newest}"
    return {
        "/": "",
        "/timeline/": "timeline/",
        "/timeline/ of one": f"timeline/?ben={name}&env=1",
        "/timeline/json/ 50": f"timeline/json/?{both}&ben={name}&revs=50",
        "/timeline/json/ 200": f"timeline/json/?{both}&ben={name}&revs=200",
        "/timeline/json/ 1000": f"timeline/json/?{both}&ben={name}&revs=1000",
        "/timeline/json/ ratio": f"timeline/json/?{both}&ben={name}{RATIO}&revs=200",
        "/timeline/json/ grid": f"timeline/json/?{both}&ben=grid&revs=50",
        "/changes/": f"changes/?{change}",
        "/changes/table/ 10": f"changes/table/?{change}&tre=10",
        "/changes/table/ 50": f"changes/table/?{change}&tre=50",
        "/timeline/points/ 2000": f"timeline/points/?{both}&bran=master&ben=1&revs=2000",
        "/alarms/": "alarms/",
        "/alarms/ of one": f"alarms/{alarm_id(0)}/",
        "/alarms.json": "alarms.json",
        "/nights/": "nights/",
        "/nights/ 1000": "nights/?most=1000",
        "/nights/ of one": f"nights/{night_ids(size)[-1]}/",
        "/nights.json 5000": "nights.json?most=5000",
        "/feeds/latest/": "feeds/latest/",
        "/comparison/": "comparison/",
    }


@dataclass(frozen=True)
class Page:
    """What a page took: seconds until its last byte, bytes of its answer, and its status."""

    name: str
    seconds: tuple[float, ...]
    size: int
    status: int

    @property
    def too_slow(self) -> bool:
        """Whether its median passes the limit; a page without a limit never does."""
        path = self.name.split(" ")[0]
        return path in LIMITED and statistics.median(self.seconds) > LIMIT


@dataclass(frozen=True)
class Figures:
    """What was found: pages, and the workers' memory in MB before and after all requests."""

    pages: tuple[Page, ...]
    memory: tuple[float, float]

    @property
    def failures(self) -> list[str]:
        """A sentence for each page and limit that is not as it should be."""
        slow = [
            f"{page.name} took {statistics.median(page.seconds):.2f} s, limit {LIMIT} s"
            for page in self.pages
            if page.too_slow
        ]
        broken = [
            f"{page.name} answered {page.status}" for page in self.pages if page.status != 200
        ]
        grown = self.memory[1] - self.memory[0]
        growth = [f"the worker grew by {grown:.0f} MB"] if grown > LARGEST_GROWTH else []
        return slow + broken + growth


def measure(url: str, pages: Mapping[str, str], worker: int, rounds: int = ROUNDS) -> Figures:
    """Asks for every page in turn, so that none of them is the only one in the caches."""
    with httpx.Client(base_url=url, timeout=120, headers={"Accept": "text/html"}) as client:
        for _ in range(WARM_UP):
            for address in pages.values():
                client.get(address)
        before = resident(worker)
        taken: dict[str, list[float]] = {name: [] for name in pages}
        answers: dict[str, httpx.Response] = {}
        for _ in range(rounds):
            for name, address in pages.items():
                started = time.perf_counter()
                answers[name] = client.get(address)
                taken[name].append(time.perf_counter() - started)
    return Figures(
        tuple(
            Page(name, tuple(taken[name]), len(one.content), one.status_code)
            for name, one in answers.items()
        ),
        (before, resident(worker)),
    )


def resident(pid: int) -> float:
    """Memory of a process in MB."""
    for row in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if row.startswith("VmRSS:"):
            return int(row.split()[1]) / 1024
    raise ProcessLookupError(pid)


def only_worker(data: Path) -> int:
    """The pid of the one worker of a dashboard."""
    running = liveness.find_running(data)
    if running is None:
        raise ProcessLookupError(f"no dashboard on {data}")
    children = Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text(encoding="ascii")
    (worker,) = children.split()
    return int(worker)


def report(figures: Figures) -> str:
    """A table for people."""
    lines = [f"{'page':<26} {'median s':>9} {'most s':>9} {'bytes':>10} status"]
    lines += [
        f"{page.name:<26} {statistics.median(page.seconds):>9.3f} {max(page.seconds):>9.3f}"
        f" {page.size:>10} {page.status}"
        for page in figures.pages
    ]
    asked = sum(len(page.seconds) for page in figures.pages)
    lines.append(
        f"The worker's memory: {figures.memory[0]:.1f} MB, after {asked} requests"
        f" {figures.memory[1]:.1f} MB"
    )
    return "\n".join([*lines, *(f"FAILED: {failure}" for failure in figures.failures)])


def run(data: Path, size: Size, rounds: int) -> Figures:
    """A dashboard on that folder, filled when it is empty, measured and stopped."""
    environ = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("FLINK_BOOST_", "DJANGO_")) and key != "DATABASE_URL"
    } | {"WEB_CONCURRENCY": "1"}
    url = serve.ensure_running(data, serve.Address(port=0), environ=environ)
    try:
        database = data / "db.sqlite3"
        connection = sqlite3.connect(database)
        filled = connection.execute("SELECT 1 FROM codespeed_result LIMIT 1").fetchone()
        connection.close()
        if not filled:
            started = time.perf_counter()
            fill(database, size)
            sys.stdout.write(
                f"{size.results:,} results in {time.perf_counter() - started:.0f} s,"
                f" {database.stat().st_size / 1e6:.0f} MB\n"
            )
        return measure(url, addresses(database, size), only_worker(data), rounds)
    finally:
        liveness.stop(data)


def main(arguments: Sequence[str] | None = None) -> int:
    """Fills, measures and prints; 1 when something is not as it should be."""
    parser = argparse.ArgumentParser(description="Pages with years of nights.")
    parser.add_argument("--nights", type=int, default=Size.nights)
    parser.add_argument("--benchmarks", type=int, default=Size.benchmarks)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--data", type=Path, help="a folder to keep and to go on with")
    options = parser.parse_args(arguments)
    size = Size(options.nights, options.benchmarks)
    with tempfile.TemporaryDirectory(prefix="flink-boost-scale-") as folder:
        figures = run((options.data or Path(folder) / "codespeed").absolute(), size, options.rounds)
    sys.stdout.write(report(figures) + "\n")
    return 1 if figures.failures else 0


if __name__ == "__main__":
    sys.exit(main())
