"""Runs Flink's test classes in one JVM with the JUnit Platform console launcher."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from flink_boost.errors import BrokenData
from flink_boost.files import make_folder
from flink_boost.flinktests.classpath import ModuleTests
from flink_boost.flinktests.outcome import (
    Case,
    Outcome,
    lost_case,
    read_reports,
    read_sources,
    require_side,
)
from flink_boost.model import Side
from flink_boost.supervise import CommandTimeoutError, run_supervised

LAUNCHER = "org.junit.platform.console.ConsoleLauncher"
# The launcher's last words; a test that calls System.exit keeps it from saying them.
FINISHED = "Test run finished after"
TESTS_FAILED = 1
# Variables from which a JVM takes options that stock and patched might not share.
HIDDEN_OPTIONS = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")

_TAIL_LINES = 4
_TAIL_LENGTH = 500
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

    def run(self, side: Side, classes: Sequence[str], log: Path, timeout: float) -> Outcome:
        """Runs the classes and reads what they left; ``log`` gets what the JVM printed.

        When the JVM does not come to its end within ``timeout`` seconds, or leaves no reports,
        every class is lost. Raises ``FlinkTestsInvalid`` when woven classes came from elsewhere.
        """
        self._empty_scratch()
        make_folder(log.parent)
        began = time.monotonic()
        try:
            code = run_supervised(self._command(side, classes), log, self._environment(), timeout)
            why = self._why_unfinished(code, log)
        except CommandTimeoutError:
            why = f"did not end within {timeout:.0f} s"
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
            *("env", f"--chdir={self.scratch}", self.java),
            *self.options,
            f"-Djava.io.tmpdir={self.scratch / 'tmp'}",
            f"-Xlog:class+load=info:file={self._loaded}:none:filecount=0",
            *("-cp", os.pathsep.join(map(str, self.tests.class_path(dropin)))),
            *(LAUNCHER, "execute", "--disable-banner", "--disable-ansi-colors"),
            *("--details=summary", f"--reports-dir={self._reports}"),
            *(f"--select-class={name}" for name in classes),
        ]

    def _environment(self) -> dict[str, str]:
        return {name: v for name, v in self.environment.items() if name not in HIDDEN_OPTIONS}

    def _empty_scratch(self) -> None:
        """A fresh working folder that looks to the tests like a module's in Flink's own build."""
        shutil.rmtree(self.scratch, ignore_errors=True)
        for folder in ("target", "src/test", "tmp"):
            make_folder(self.scratch / folder)
        (self.scratch / "target" / "test-classes").symlink_to(self.tests.folder)
        (self.scratch / "src" / "test" / "resources").symlink_to(self.tests.folder)

    def _why_unfinished(self, code: int, log: Path) -> str:
        output = log.read_text(encoding="utf-8", errors="replace")
        if code in (0, TESTS_FAILED) and FINISHED in output:
            return ""
        return f"its JVM ended with code {code} before all tests had: {_tail(output)}"

    def _sources(self) -> tuple[dict[str, tuple[str, ...]], bool]:
        try:
            with self._loaded.open(encoding="utf-8", errors="replace") as log:
                return read_sources(log, self.woven)
        except FileNotFoundError:
            return {}, False


def _tail(output: str) -> str:
    """The exceptions that the JVM printed last, else its last lines."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    telling = [line for line in lines if _EXCEPTION.match(line)] or lines
    return " / ".join(telling[-_TAIL_LINES:])[:_TAIL_LENGTH] or "it printed nothing"
