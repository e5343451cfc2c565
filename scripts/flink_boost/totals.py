"""The totals of all test suites: ``python -m flink_boost.totals [--all-modes] LINE...``.

Reads the JUnit XML that Surefire and pytest leave behind, and apart from them that of Flink's own
tests, which ``flink-boost flink-tests`` writes. A suite that left nothing, on any line,
JDK and mode that it has to run in, is an error: a test run that did not happen must not look like
one that passed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from xml.etree import ElementTree as ET

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.lines import Line, default_line, find_line
from flink_boost.flink.maven import modes_of_tests

CODEC_MODULES = ("flink-core-patch", "flink-runtime-patch")
FLINKS = "Flink's own tests"
PYTHON_SUITES = ("scripts", "clusters", "installations", "codespeed-config")


@dataclass(frozen=True)
class Suite:
    """Tests that must have run: ``reports`` match a pattern below the project's root.

    Suites of one ``heading`` are shown and summed up together, those of one ``name`` below it on
    one line.
    """

    heading: str
    name: str
    reports: str
    detail: str = ""


@dataclass(frozen=True)
class Totals:
    """Counts of one suite. Errors count as failures; ``passed_over`` names the skipped tests."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    passed_over: frozenset[str] = field(default=frozenset(), compare=False)

    def __add__(self, other: Totals) -> Totals:
        return Totals(
            self.passed + other.passed,
            self.failed + other.failed,
            self.skipped + other.skipped,
            self.passed_over | other.passed_over,
        )


def expected_suites(lines: Sequence[Line], all_modes: bool = False) -> list[Suite]:
    """Every suite that a run for these lines leaves reports of."""
    weaver = f"weaver/target/{lines[0].version}/surefire-reports/TEST-*.xml"
    suites = [Suite("", "weaver", weaver)]
    for line in lines:
        for number, jdk in enumerate(line.jdks):
            heading = f"Flink {line.version} on JDK {jdk}"
            folder = f"target/{line.version}/surefire-reports/jdk-{jdk}"
            suites += [
                Suite(heading, module, f"{module}/{folder}/{mode}/TEST-*.xml", f", mode {mode}")
                for module in CODEC_MODULES
                for mode in modes_of_tests(line, jdk, all_modes)
            ]
            if number == 0:
                suites.append(Suite(heading, "benchmarks", f"benchmarks/{folder}/TEST-*.xml"))
    suites += [Suite("", name, f"build/test-reports/{name}.xml") for name in PYTHON_SUITES]
    return suites


def flink_reports(lines: Sequence[Line], all_modes: bool = False) -> dict[str, str]:
    """Where the reports of Flink's own tests must be, below the project's root, by line and JDK."""
    return {
        f"Flink {line.version} on JDK {jdk}": (
            f"build/test-reports/flink/{line.version}-jdk{jdk}-selection.xml"
        )
        for line in lines
        for jdk in (line.jdks if all_modes else line.jdks[:1])
    }


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
                name = f"{case.get('classname')}.{case.get('name')}"
                total += Totals(skipped=1, passed_over=frozenset([name]))
            else:
                total += Totals(passed=1)
    return total


def main(arguments: Sequence[str] = (), root: Path = PROJECT_ROOT) -> int:
    """Prints a line per suite, the sum of each line and JDK, and the sum of all.

    Flink's own tests are shown and summed up apart. Returns 0 when all suites ran, no test failed
    and none of ours was skipped.
    """
    all_modes = "--all-modes" in arguments
    versions = [argument for argument in arguments if argument != "--all-modes"]
    lines = [find_line(version) for version in versions or (default_line(),)]
    total = Totals()
    missing = []
    for heading, suites in groupby(expected_suites(lines, all_modes), lambda suite: suite.heading):
        if heading:
            print(heading)
        together = Totals()
        for name, parts in groupby(suites, lambda suite: suite.name):
            counted = Totals()
            for part in parts:
                reports = read_totals(sorted(root.glob(part.reports)))
                if reports == Totals():
                    missing.append(f"{heading}, {name}{part.detail}".removeprefix(", "))
                counted += reports
            print(_row(f"  {name}" if heading else name, counted))
            together += counted
        if heading:
            print(_row("  together", together))
        total += together
    flinks = {
        name: read_totals(sorted(root.glob(report)))
        for name, report in flink_reports(lines, all_modes).items()
    }
    _print_flinks(flinks)
    missing += [f"{FLINKS}, {name}" for name, counted in flinks.items() if not counted.passed]
    for what in missing:
        print(f"{what}: no report, these tests did not run.")
    for name in sorted(total.passed_over):
        print(f"{name}: skipped, which counts as failed.")
    print(f"{total.passed} passed, {total.failed + len(missing)} failed, {total.skipped} skipped")
    bad = total.failed or total.skipped or missing or any(each.failed for each in flinks.values())
    return 1 if bad else 0


def _print_flinks(flinks: Mapping[str, Totals]) -> None:
    # Flink skips tests of its own, and some fail on stock as well: neither is an error of ours.
    print(f"{FLINKS}, with our jar in front (skipped by Flink, or failing on stock as well)")
    together = Totals()
    for name, counted in flinks.items():
        print(_row(f"  {name}", counted))
        together += counted
    print(_row("  together", together))


def _row(name: str, totals: Totals) -> str:
    return (
        f"{name:<22} {totals.passed:>6} passed {totals.failed:>3} failed"
        f" {totals.skipped:>3} skipped"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
