"""The totals of all test suites: ``python -m flink_boost.totals LINE``.

Reads the JUnit XML that Surefire and pytest leave behind. A suite that left nothing is an error:
a test run that did not happen must not look like one that passed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

from flink_boost.lines import PROJECT_ROOT, default_line

JAVA_MODULES = ("weaver", "flink-core-patch", "flink-runtime-patch", "benchmarks")
PYTHON_SUITES = ("scripts", "codespeed-config")


@dataclass(frozen=True)
class Totals:
    """Counts of one suite. Errors count as failures."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: Totals) -> Totals:
        return Totals(
            self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped
        )


def read_totals(reports: Iterable[Path]) -> Totals:
    """Sum over JUnit XML files; a file that is cut off counts as one failure."""
    total = Totals()
    for report in reports:
        try:
            root = ET.parse(report).getroot()  # noqa: S314 - written by our own tests
        except ET.ParseError:
            total += Totals(failed=1)
            continue
        # Not the counts of the suites: Surefire writes 0 there for classes with parameters.
        for case in root.iter("testcase"):
            if case.find("failure") is not None or case.find("error") is not None:
                total += Totals(failed=1)
            elif case.find("skipped") is not None:
                total += Totals(skipped=1)
            else:
                total += Totals(passed=1)
    return total


def main(arguments: list[str] | None = None, root: Path = PROJECT_ROOT) -> int:
    """Prints a line per suite and the sum; 0 when all ran and none failed or was skipped."""
    line = (arguments or [default_line()])[0]
    suites = {
        module: sorted((root / module / "target" / line / "surefire-reports").rglob("TEST-*.xml"))
        for module in JAVA_MODULES
    }
    suites |= {
        suite: sorted((root / "build" / "test-reports").glob(f"{suite}.xml"))
        for suite in PYTHON_SUITES
    }
    total = Totals()
    missing = []
    for name, reports in suites.items():
        counted = read_totals(reports)
        total += counted
        if counted == Totals():
            missing.append(name)
        print(
            f"{name:<20} {counted.passed:>5} passed {counted.failed:>3} failed"
            f" {counted.skipped:>3} skipped"
        )
    for name in missing:
        print(f"{name} left no report: its tests did not run.")
    print(f"{total.passed} passed, {total.failed + len(missing)} failed, {total.skipped} skipped")
    return 1 if total.failed or missing or total.skipped else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
