"""Runs the cells that are open, some at once; what was run stays when it is killed."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

from flink_boost.base.files import make_folder
from flink_boost.base.processes import CommandTimeoutError, run_supervised
from flink_boost.base.text import describe_left
from flink_boost.flink.downloads import prepared_aside
from flink_boost.flink.javatests import CODEC_MODULE
from flink_boost.flink.lines import Line
from flink_boost.flink.releases import KnownReleases
from flink_boost.port.everyrelease.cells import CellResult, ReleaseCell, What

_SECONDS = 1800.0
_TEST_OF_CLUSTER = "tests/cluster/test_release_of_a_line.py"
_USUAL = {What.CODEC: 60.0, What.CLUSTER: 150.0, What.FLINKS: 240.0}  # seconds


@dataclass(frozen=True)
class Bench:
    """Where cells run: ``scripts`` of the tree, and a folder for logs and reports.

    ``beside`` gives the jars that a release's own need beside those of its line.
    """

    scripts: Path
    folder: Path
    environment: Mapping[str, str]
    beside: Callable[[str], Sequence[Path]] = lambda _: ()

    def commands(self, cell: ReleaseCell, line: str) -> list[list[str]]:
        """What is called for a cell; each writes JUnit's XML into the cell's folder."""
        reports = self.folder / cell.name
        if cell.what is What.CLUSTER:
            return [
                [
                    *(sys.executable, "-m", "pytest", "-q", "--all-platforms", "--every-release"),
                    f"--junitxml={reports}/TEST-cluster.xml",
                    *(_TEST_OF_CLUSTER, "-k", f"[{cell.release}-jdk{cell.jdk}]"),
                ]
            ]
        if cell.what is What.FLINKS:
            command = (sys.executable, "-m", "flink_boost.cli", "flink-tests")
            chosen = ("--release", cell.release, "--jdk", str(cell.jdk))
            return [[*command, *chosen, "--reports", str(reports)]]
        also = [f"--also={jar}" for jar in self.beside(cell.release)]
        return [
            [
                *(sys.executable, "-m", "flink_boost.flink.javatests", line, CODEC_MODULE),
                *("--jdk", str(cell.jdk), "--mode", "opened", "--release", cell.release),
                *("--reports", str(reports), *also),
            ]
        ]

    def run(self, cell: ReleaseCell, line: str) -> tuple[int, int]:
        """Tests that passed and that failed; a command that breaks off counts as one failure."""
        reports = self.folder / cell.name
        make_folder(reports)
        for old in reports.rglob("*.xml"):
            old.unlink()
        broken = 0
        for number, command in enumerate(self.commands(cell, line)):
            log = self.folder / f"{cell.name}-{number}.log"
            environment = {**self.environment, "PYTHONPATH": str(self.scripts)}
            guarded = [*("env", "-C", str(self.scripts)), *command]
            try:
                broken += run_supervised(guarded, log, environment, _SECONDS) != 0
            except CommandTimeoutError:
                broken += 1
        passed, failed = counted(reports)
        return passed, max(failed, broken)


def remove_distribution(
    cell: ReleaseCell, known: KnownReleases, lines: Mapping[str, Line], cache: Path
) -> None:
    """Takes a release's distribution out of the cache again: of 60 it would be some 40 GB.

    Only clusters fetch it: after another cell one may be running on it. Those of lines stay,
    because other tests start them. What is there is always whole, whenever this is killed.
    """
    if cell.what is not What.CLUSTER or cell.release in lines:
        return
    for pin in known.releases[cell.release].distribution:
        (cache / "downloads" / pin.file).unlink(missing_ok=True)
    distribution = cache / f"flink-{cell.release}"
    with prepared_aside(distribution) as aside, suppress(FileNotFoundError):
        distribution.rename(aside / distribution.name)


def counted(reports: Path) -> tuple[int, int]:
    """Tests that passed, and those that did not, of all JUnit reports below a folder.

    One that is not whole, as a JVM leaves it that is killed while it writes, is a failure.
    """
    passed = failed = 0
    for report in reports.rglob("*.xml"):
        try:
            root = ET.parse(report).getroot()  # noqa: S314 - written by our own tests
        except ET.ParseError:
            failed += 1
            continue
        for case in root.iter("testcase"):
            kinds = {child.tag for child in case}
            failed += bool(kinds & {"failure", "error"})
            passed += not kinds & {"failure", "error", "skipped"}
    return passed, failed


def run_open(
    cells: Sequence[ReleaseCell],
    known: Mapping[ReleaseCell, CellResult],
    classes: Callable[[ReleaseCell], str],
    run: Callable[[ReleaseCell], tuple[int, int]],
    keep: Callable[[CellResult], None],
    leave: Callable[[ReleaseCell], None],
    tell: Callable[[str], None],
    *,
    day: str,
    seconds: float,
    workers: int = 1,
    clock: Callable[[], float] = time.monotonic,
) -> list[CellResult]:
    """Runs what has no result with the jar of today; what failed before runs again.

    At most ``workers`` run at once, each in a thread; ``keep``, ``leave`` and ``tell`` are called
    in the caller's. ``keep`` gets each result at once, ``leave`` a cell after which no other of its
    kind and release is to run. Begins nothing after ``seconds``, and nothing after a cell that
    could not be run: what runs then is waited for and kept, and that cell's exception is raised.
    Ctrl-C waits for nothing.
    """
    began = clock()
    wanted = [cell for cell in cells if not _is_done(known.get(cell), classes(cell))]
    if len(wanted) < len(cells):
        tell(f"{len(cells) - len(wanted)} of {len(cells)} are done already")
    pending = deque(wanted)
    running: dict[Future[tuple[int, int]], ReleaseCell] = {}
    done: list[CellResult] = []
    problems: list[Exception] = []
    pool = ThreadPoolExecutor(workers)
    try:
        while True:
            begin = not problems and clock() - began < seconds
            while begin and pending and len(running) < workers:
                cell = pending.popleft()
                running[pool.submit(run, cell)] = cell
            if not running:
                break
            for cell, counts in _ended(running, problems, tell):
                result = CellResult(cell, *counts, classes(cell), day)
                keep(result)
                done.append(result)
                pace = (clock() - began) / sum(_USUAL[one.cell.what] for one in done)
                left = pace * sum(_USUAL[one.what] for one in (*running.values(), *pending))
                tell(f"[{len(done)}/{len(wanted)}] {_said(result, left)}")
                if not any(map(cell.shares_release, (*running.values(), *pending))):
                    leave(cell)
    finally:
        # After an interrupt nobody waits for what still runs.
        pool.shutdown(wait=False, cancel_futures=True)
    if problems:
        raise problems[0]
    for cell in _begun(done, pending):
        leave(cell)
    if pending:
        tell(f"The time is over; the same command goes on with {len(pending)}.")
    return done


def _ended(
    running: dict[Future[tuple[int, int]], ReleaseCell],
    problems: list[Exception],
    tell: Callable[[str], None],
) -> Iterator[tuple[ReleaseCell, tuple[int, int]]]:
    """Waits for the next that end, and takes them out of those that run."""
    futures, _ = wait(running, return_when=FIRST_COMPLETED)
    for future in futures:
        cell = running.pop(future)
        problem = future.exception()
        if isinstance(problem, Exception):
            problems.append(problem)
            tell(f"{cell.name} could not be run; nothing more begins.")
        else:
            yield cell, future.result()


def _begun(done: Sequence[CellResult], pending: Iterable[ReleaseCell]) -> list[ReleaseCell]:
    """A cell of each kind and release of which some have run, and others are to run."""
    ran = {(one.cell.release, one.cell.what): one.cell for one in done}
    return [cell for cell in ran.values() if any(map(cell.shares_release, pending))]


def _said(result: CellResult, seconds_left: float) -> str:
    tests = result.tests + result.failed
    said = f"{result.tests} passed" if result.passed else f"FAILED ({result.failed} of {tests})"
    left = describe_left(seconds_left)
    return f"{result.cell.name}: {said}{f'; {left}' if left else ''}"


def _is_done(result: CellResult | None, classes: str) -> bool:
    return result is not None and result.passed and result.classes == classes
