"""Runs single suites: each as a process with a log, and remembers those that passed."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp
from threading import Lock

import click

from flink_boost.base.errors import FlinkBoostError
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.base.processes import end_supervised, has_ended, start_supervised
from suites.catalogue import FLINKS, REPORTS, Suite
from suites.inputs import digest, tree
from suites.passed import Passed
from suites.totals import totals_of

_LIMIT_SECONDS = 5400.0
_TAIL_LINES = 300
TESTS_FAILED = 1  # the exit code of pytest and of JUnit's launcher
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Runner:
    """Runs single suites and says how each ended: ``codes`` of those that did by themselves.

    ``times``: seconds, and those of processors.

    ``files`` are those of the tree as they were at the start; None where nothing can be remembered.
    """

    root: Path
    passed: Passed
    machine: str
    files: Mapping[str, str] | None
    fresh: bool
    total: int = 0
    ended: dict[str, bool] = field(default_factory=dict)
    codes: dict[str, int | None] = field(default_factory=dict)
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
        # Of its own: several pytests that tidy up in one folder disturb each other.
        temporary = mkdtemp(prefix="fb-")
        environment = {**_environment(), "PYTEST_DEBUG_TEMPROOT": temporary}
        guard = start_supervised(suite.command, log, environment, self.root / suite.folder)
        try:
            ended = has_ended(guard, _LIMIT_SECONDS)
            processors = _processor_seconds(guard.pid)
        finally:
            end_supervised(guard)
        self.codes[suite.name] = guard.returncode if ended else None
        good = ended and guard.returncode == 0 and self._is_counted(suite)
        seconds = time.monotonic() - began
        with self._lock:
            self.times[suite.name] = (seconds, processors)
            self._tell(suite, good, ended, log)
        if good or not any(Path(temporary).iterdir()):
            shutil.rmtree(temporary, ignore_errors=True)
        else:
            click.echo(f"What its tests left: {temporary}")
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
            f" {minutes(seconds)} {minutes(processors)}  {suite.title}"
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


def minutes(seconds: float) -> str:
    return f"{int(seconds) // 60:>2}:{int(seconds) % 60:02}"
