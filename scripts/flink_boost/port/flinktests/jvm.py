"""Runs Flink's test classes in one JVM with the JUnit Platform console launcher."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from flink_boost.base.errors import BrokenData
from flink_boost.base.files import make_folder
from flink_boost.base.processes import bare_environment, end_supervised, has_ended, start_supervised
from flink_boost.flink.side import Side
from flink_boost.port.flinktests.outcome import (
    Case,
    Outcome,
    lost_case,
    read_reports,
    read_sources,
    require_side,
)
from flink_boost.port.flinktests.test_class_path import ModuleTests

LAUNCHER = "org.junit.platform.console.ConsoleLauncher"
# The launcher's last words; a test that calls System.exit keeps it from saying them.
FINISHED = "Test run finished after"
TESTS_FAILED = 1
# Variables from which a JVM takes options that stock and patched might not share.

_LOOK_SECONDS = 1.0
# The JVM prints its stacks within a moment, or is in no state to do it at all.
_STACKS_SECONDS = 3.0

_TAIL_LINES = 4
_TAIL_LENGTH = 500
_STARTED = re.compile(r"^JUnit \w+ > (.+) :: STARTED$", re.MULTILINE)
_EXCEPTION = re.compile(r"(Caused by: )?[\w.$]+(Exception|Error)\b")


@dataclass(frozen=True)
class FlinkTestJvm:
    """How to start a JVM for one module's tests, and where it may write.

    ``scratch`` is emptied before every JVM and is its working folder; ``woven`` are the names of
    the classes that the drop-in jar replaces.
    """

    java: str
    tests: ModuleTests
    options: tuple[str, ...]
    dropin: Path
    woven: tuple[str, ...]
    scratch: Path
    environment: Mapping[str, str]

    def run(
        self, side: Side, classes: Sequence[str], log: Path, timeout: float, silence: float
    ) -> Outcome:
        """Runs the classes and reads what they left; ``log`` gets what the JVM printed.

        When the JVM does not come to its end within ``timeout`` seconds, prints nothing for
        ``silence`` seconds though it tells of every test that begins or ends, or leaves no reports,
        every class is lost; the log of one that is stopped ends with its stacks. Raises
        ``FlinkTestsInvalid`` when woven classes came from elsewhere.
        """
        self._empty_scratch()
        make_folder(log.parent)
        began = time.monotonic()
        guard = start_supervised(
            self._command(side, classes), log, bare_environment(self.environment), self.scratch
        )
        try:
            why = _why_stopped(guard, log, timeout, silence)
        finally:
            end_supervised(guard)
        why = why or _why_unfinished(guard.returncode, log)
        cases: tuple[Case, ...] = ()
        if not why:
            try:
                cases = read_reports(self._reports)
            except BrokenData as error:
                why = error.message
        sources, patched = self._sources()
        outcome = Outcome(
            side=side,
            cases=tuple(lost_case(name, why) for name in classes) if why else cases,
            lost=dict.fromkeys(classes, why) if why else {},
            sources=sources,
            patched=patched,
            seconds=round(time.monotonic() - began, 1),
        )
        require_side(outcome, self.dropin)
        shutil.rmtree(self.scratch, ignore_errors=True)
        return outcome

    @property
    def _reports(self) -> Path:
        return self.scratch / "reports"

    @property
    def _loaded(self) -> Path:
        return self.scratch / "loaded-classes.log"

    def _command(self, side: Side, classes: Sequence[str]) -> list[str]:
        dropin = self.dropin if side is Side.PATCHED else None
        return [
            self.java,
            *self.options,
            f"-Djava.io.tmpdir={self.scratch / 'tmp'}",
            f"-Xlog:class+load=info:file={self._loaded}:none:filecount=0",
            *("-cp", os.pathsep.join(map(str, self.tests.class_path(dropin)))),
            *(LAUNCHER, "execute", "--disable-banner", "--disable-ansi-colors"),
            *("--details=testfeed", f"--reports-dir={self._reports}"),
            *(f"--select-class={name}" for name in classes),
        ]

    def _empty_scratch(self) -> None:
        """A fresh working folder that looks to the tests like a module's in Flink's own build."""
        shutil.rmtree(self.scratch, ignore_errors=True)
        for folder in ("target", "src/test", "tmp"):
            make_folder(self.scratch / folder)
        (self.scratch / "target" / "test-classes").symlink_to(self.tests.folder)
        (self.scratch / "src" / "test" / "resources").symlink_to(self.tests.folder)

    def _sources(self) -> tuple[dict[str, tuple[str, ...]], bool]:
        try:
            with self._loaded.open(encoding="utf-8", errors="replace") as log:
                return read_sources(log, self.woven)
        except FileNotFoundError:
            return {}, False


def _why_stopped(guard: subprocess.Popen[bytes], log: Path, timeout: float, silence: float) -> str:
    """Waits for the end of the JVM; why it has to be stopped, or "" when it has ended."""
    began = heard = time.monotonic()
    size = 0
    while not has_ended(guard, _LOOK_SECONDS):
        now = time.monotonic()
        grown = log.stat().st_size
        if grown != size:
            size, heard = grown, now
        why = ""
        if now - began > timeout:
            why = f"did not end within {timeout:.0f} s"
        elif now - heard > silence:
            why = f"it told of no test for {silence:.0f} s"
        if why:
            last = _last_started(log.read_text(encoding="utf-8", errors="replace"))
            _print_stacks(guard)
            return f"{why}; it was in {last}" if last else why
    return ""


def _last_started(output: str) -> str:
    """The test that began last; ``JUnit Jupiter > FooTest > bar() :: STARTED`` is FooTest.bar()."""
    started = _STARTED.findall(output)
    return started[-1].replace(" > ", ".") if started else ""


def _print_stacks(guard: subprocess.Popen[bytes]) -> None:
    """Makes the JVM print the stacks of its threads, so that its log tells where it hangs."""
    children = Path(f"/proc/{guard.pid}/task/{guard.pid}/children")
    for pid in children.read_text().split() if children.exists() else ():
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(pid), signal.SIGQUIT)
    has_ended(guard, _STACKS_SECONDS)


def _why_unfinished(code: int, log: Path) -> str:
    """Why a JVM that has ended gives no result, or "" when all its tests have ended."""
    output = log.read_text(encoding="utf-8", errors="replace")
    if code in (0, TESTS_FAILED) and FINISHED in output:
        return ""
    return f"its JVM ended with code {code} before all tests had: {_tail(output)}"


def _tail(output: str) -> str:
    """The exceptions that the JVM printed last, else its last lines."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    telling = [line for line in lines if _EXCEPTION.match(line)] or lines
    return " / ".join(telling[-_TAIL_LINES:])[:_TAIL_LENGTH] or "it printed nothing"
