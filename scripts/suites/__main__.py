"""``make test``: runs the suites whose inputs have changed since they passed, then the totals.

``python -m suites [--fresh] [--all-modes] [--only PATTERN] [LINE...]``; on CI, where ``CI`` is set
or nothing is remembered, all of them run. A suite that fails does not stop the others. Exit code 0
when all passed and every report is there, 1 otherwise.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

import click

from flink_boost.base.errors import EnvironmentProblem, FlinkBoostError, UsageProblem
from flink_boost.base.files import exclusive_lock
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.base.processes import end_supervised, has_ended, start_supervised
from flink_boost.flink.jdks import find_java
from flink_boost.flink.lines import Line, default_line, find_line, load_lines
from suites.catalogue import FLINKS, REPORTS, Suite, all_suites
from suites.inputs import digest, machine, tree
from suites.passed import Passed
from suites.schedule import run_all
from suites.totals import add_up, totals_of

_LIMIT_SECONDS = 2700.0
_TAIL_LINES = 300
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Runner:
    """Runs single suites and says how each ended; ``times``: seconds, and those of processors.

    ``files`` are those of the tree as they were at the start; None where nothing can be remembered.
    """

    root: Path
    passed: Passed
    machine: str
    files: Mapping[str, str] | None
    fresh: bool
    total: int = 0
    ended: dict[str, bool] = field(default_factory=dict)
    times: dict[str, tuple[float, float]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def unchanged(self, suite: Suite) -> bool:
        """Whether it passed on these inputs before, and what it left is still there."""
        if self.fresh or self.files is None or not self._left(suite):
            return False
        return self.passed.on(suite.name, self._digest(suite, self.files))

    def run(self, suite: Suite) -> bool:
        """Runs it, with its output in a log that is shown when it fails; says whether it passed."""
        try:
            good = self._run(suite)
        except (OSError, FlinkBoostError) as error:
            good = False
            with self._lock:
                self.times.setdefault(suite.name, (0.0, 0.0))
                click.echo(f"{suite.title} could not be run: {error}")
        self.ended[suite.name] = good
        return good

    def _run(self, suite: Suite) -> bool:
        if not self.unchanged(suite):
            # Make goes by times, and cannot see a file that was deleted or put back.
            for made in suite.makes:
                (self.root / made).unlink(missing_ok=True)
        self.passed.forget(suite.name)
        for report in self.root.glob(suite.counted.reports) if suite.counted else ():
            report.unlink()
        log = self.root / REPORTS / f"{suite.name}.log"
        began = time.monotonic()
        guard = start_supervised(suite.command, log, _environment(), self.root / suite.folder)
        try:
            ended = has_ended(guard, _LIMIT_SECONDS)
            processors = _processor_seconds(guard.pid)
        finally:
            end_supervised(guard)
        good = ended and guard.returncode == 0 and self._is_counted(suite)
        seconds = time.monotonic() - began
        with self._lock:
            self.times[suite.name] = (seconds, processors)
            self._tell(suite, good, ended, log)
        if good:
            self._remember(suite)
        return good

    def _remember(self, suite: Suite) -> None:
        """Unless what it ran on is not what is there: edited meanwhile, or not built."""
        if self.files is None or not all(self.ended.get(name, True) for name in suite.after):
            return
        before = self._digest(suite, self.files)
        if self._digest(suite, tree(self.root)) == before:
            self.passed.remember(suite.name, before)

    def _digest(self, suite: Suite, files: Mapping[str, str]) -> str:
        """Of everything that the suite's result depends on."""
        place = str(self.root / suite.folder)
        return digest(suite.inputs, files, self.machine, place, *suite.command)

    def _left(self, suite: Suite) -> bool:
        reports = not suite.counted or bool(list(self.root.glob(suite.counted.reports)))
        return reports and all((self.root / made).is_file() for made in suite.makes)

    def _is_counted(self, suite: Suite) -> bool:
        if suite.counted is None or suite.counted.heading == FLINKS:
            return True
        found = totals_of(suite.counted, self.root)
        return bool(found.passed) and not found.failed and not found.skipped

    def _tell(self, suite: Suite, good: bool, ended: bool, log: Path) -> None:
        seconds, processors = self.times[suite.name]
        click.echo(
            f"[{len(self.times):>2}/{self.total}] {'passed' if good else 'FAILED'}"
            f" {_minutes(seconds)} {_minutes(processors)}  {suite.title}"
        )
        if good:
            return
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        click.echo("\n".join(lines[-_TAIL_LINES:]))
        if not ended:
            click.echo(f"It did not end within {_LIMIT_SECONDS / 60:.0f} min and was stopped.")
        click.echo(f"The whole log: {log.relative_to(self.root)}")


def _environment() -> dict[str, str]:
    environment = {
        # What .mvn/jvm.config says for this project; tests run Maven in others as well, and Maven
        # itself ends before optimised code or a collector in parallel would pay.
        "MAVEN_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        **os.environ,
        # Hundreds of processes import the same modules, also where Python may leave no files.
        "PYTHONPYCACHEPREFIX": str(PROJECT_ROOT / "build" / "pycache"),
    }
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return environment


def _processor_seconds(pid: int) -> float:
    """Of a process that is not reaped yet and of all its children that have ended; proc(5)."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / _TICKS


def _minutes(seconds: float) -> str:
    return f"{int(seconds) // 60:>2}:{int(seconds) % 60:02}"


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("lines", nargs=-1)
@click.option(
    "--fresh", is_flag=True, envvar="FRESH", help="Also suites whose inputs have not changed."
)
@click.option(
    "--all-modes", is_flag=True, envvar="ALL_MODES", help="The codec in every mode on all lines."
)
@click.option("--only", metavar="PATTERN", help="Suites whose title matches; builds run always.")
@click.option("--list", "listing", is_flag=True, help="Say what would run.")
@click.option("--workers", type=click.IntRange(1), help="Suites at once; default: cores + 1.")
def main(
    lines: tuple[str, ...],
    fresh: bool,
    all_modes: bool,
    only: str | None,
    listing: bool,
    workers: int | None,
) -> None:
    """Run the test suites of these Flink lines; by default of all."""
    try:
        suites = _chosen(lines, all_modes, only)
        java = Path(shutil.which(find_java(None, os.environ)) or "java").resolve()
        passed = Passed.read(PROJECT_ROOT / REPORTS / "passed.json")
        here = machine(java, os.environ)
        fresh = fresh or bool(os.environ.get("CI"))
        runner = Runner(PROJECT_ROOT, passed, here, _files(), fresh)
        if listing:
            for suite in suites:
                kept = runner.unchanged(suite) and not suite.always
                click.echo(f"{'unchanged' if kept else 'to run':<9}  {suite.title}")
            return
        with exclusive_lock(PROJECT_ROOT / REPORTS / ".lock", "make test"):
            code = _run(runner, suites, workers or (os.cpu_count() or 1) + 1)
    except FlinkBoostError as error:
        raise SystemExit(f"{error}") from error
    sys.exit(code)


def _files() -> dict[str, str] | None:
    """The files of the tree, or None, with a word about it, where git cannot list them."""
    try:
        return tree(PROJECT_ROOT)
    except EnvironmentProblem as problem:
        click.echo(f"{problem} So all suites run, and none is remembered.")
        return None


def _chosen(versions: tuple[str, ...], all_modes: bool, only: str | None) -> list[Suite]:
    """The suites asked for; ``UsageProblem`` for a line or a pattern that is not one."""
    enabled = [line for line in load_lines().values() if line.enabled]
    # The default line first: most of the others wait for it only.
    every: list[Line] = sorted(enabled, key=lambda line: line.version != default_line())
    suites = all_suites([find_line(name) for name in versions] or every, every, all_modes)
    if only is None:
        return suites
    try:
        pattern = re.compile(only)
    except re.error as error:
        raise UsageProblem(f"{only!r} is not a regular expression ({error}).") from error
    found = [suite for suite in suites if pattern.search(suite.title)]
    if not found:
        titles = "; ".join(suite.title for suite in suites)
        raise UsageProblem(f"No suite is called {only!r}.", f"There are: {titles}.")
    needed = {name for suite in found for name in suite.after}
    return [suite for suite in suites if suite in found or suite.name in needed]


def _run(runner: Runner, suites: Sequence[Suite], workers: int) -> int:
    began = time.monotonic()
    kept = [suite for suite in suites if not suite.always and runner.unchanged(suite)]
    runs = [suite for suite in suites if suite not in kept]
    runner.total = len(runs)
    click.echo(f"{len(runs)} suites, {workers} at once (minutes:seconds, then those of processors)")
    try:
        passed = run_all(runs, runner.run, workers=workers, tell=_still_running)
    except KeyboardInterrupt:
        click.echo("Interrupted; what has passed is remembered.")
        sys.stdout.flush()
        # Not sys.exit, which waits for the threads; the guards of what they run end with us.
        os._exit(130)
    sheet = add_up(suites, runner.root)
    processors = sum(processor for _, processor in runner.times.values())
    click.echo("\n==> Totals")
    click.echo("\n".join(sheet.lines))
    if kept:
        click.echo(
            f"{len(kept)} of {len(suites)} suites were not run again: since they passed here,"
            " nothing that they depend on has changed. FRESH=1 runs all."
        )
    spent = _minutes(time.monotonic() - began).strip()
    click.echo(f"It took {spent} min; {_minutes(processors).strip()} min of processors.")
    failed = [suite.title for suite in runs if not passed[suite.name]]
    if failed:
        click.echo(f"Failed: {'; '.join(failed)}")
    return 0 if sheet.good and not failed else 1


def _still_running(suites: Sequence[Suite]) -> None:
    click.echo(f"        still running: {'; '.join(suite.title for suite in suites)}")


if __name__ == "__main__":
    main()
