"""The totals of all suites, from the JUnit XML that they leave behind.

A suite that left nothing is an error: a test run that did not happen must not look like one that
passed. Flink's own tests are shown apart: Flink skips tests of its own, and some fail on stock too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree as ET

from suites.catalogue import FLINKS, Counted, Suite


@dataclass(frozen=True)
class Case:
    """A test in a report: its class, or file with dots, and its own name."""

    of: str
    name: str

    def __str__(self) -> str:
        return f"{self.of}.{self.name}"


Outcome = Literal["passed", "failed", "skipped"]

# Where little more than the end of a run is shown, this has to be in it.
_NAMED = 8
_SAID = 200


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


@dataclass(frozen=True)
class Sheet:
    """The totals as text, and whether all suites ran, none failed and none of ours was skipped.

    ``unsteady``: names of tests that failed, and passed alone.
    """

    lines: tuple[str, ...]
    good: bool
    passed: int
    unsteady: tuple[str, ...] = ()


def read_totals(reports: Iterable[Path], unsteady: frozenset[Case] = frozenset()) -> Totals:
    """Sum over JUnit XML files; a file that is cut off counts as one failure.

    What failed of ``unsteady`` has passed alone, and counts so.
    """
    total = Totals()
    for case, outcome, _ in _outcomes(reports):
        if outcome == "skipped":
            total += Totals(skipped=1, passed_over=frozenset([str(case)]))
        elif outcome == "failed" and case not in unsteady:
            total += Totals(failed=1)
        else:
            total += Totals(passed=1)
    return total


def _outcomes(reports: Iterable[Path]) -> Iterator[tuple[Case, Outcome, str]]:
    """Each test with its outcome, and the first line of its failure."""
    for report in reports:
        try:
            root = ET.parse(report).getroot()  # noqa: S314 - written by our own tests
        except ET.ParseError as error:
            yield Case("", report.name), "failed", f"the report cannot be read: {error}"
            continue
        for element in root.iter("testcase"):
            case = Case(element.get("classname", ""), element.get("name", ""))
            failure = element.find("failure")
            if failure is None:
                failure = element.find("error")
            if failure is not None:
                yield case, "failed", _first_line(failure)
            else:
                yield case, "passed" if element.find("skipped") is None else "skipped", ""


def _first_line(failure: ET.Element) -> str:
    said = f"{failure.get('message', '')}\n{failure.text or ''}".split("\n")
    return next((line.strip() for line in said if line.strip()), "")[:_SAID]


def cases_of(counted: Counted, root: Path, wanted: Outcome) -> frozenset[Case]:
    """The tests of a suite with that outcome."""
    found = _outcomes(sorted(root.glob(counted.reports)))
    return frozenset(case for case, outcome, _ in found if outcome == wanted)


def totals_of(counted: Counted, root: Path, unsteady: frozenset[Case] = frozenset()) -> Totals:
    """What the reports of a suite say; all zero when it left none."""
    return read_totals(sorted(root.glob(counted.reports)), unsteady)


def failed_tests(counted: Counted, root: Path) -> list[str]:
    """A line for each of the first tests that failed: its name, and the begin of what it said."""
    found = _outcomes(sorted(root.glob(counted.reports)))
    lines = sorted(f"  {case}: {said}" for case, outcome, said in found if outcome == "failed")
    more = len(lines) - _NAMED
    return [*lines[:_NAMED], *([f"  and {more} more"] if more > 0 else [])]


def add_up(
    suites: Sequence[Suite], root: Path, unsteady: Mapping[str, frozenset[Case]] | None = None
) -> Sheet:
    """A line per suite, the sum of each heading, and the sum of all but Flink's own tests.

    ``unsteady``: by the name of a suite, what failed in it and passed alone.
    """
    forgiven = {
        suite.counted: (unsteady or {}).get(suite.name, frozenset())
        for suite in suites
        if suite.counted
    }
    ours = [each for each in forgiven if each.heading != FLINKS]
    flinks = [each for each in forgiven if each.heading == FLINKS]
    headings = list(dict.fromkeys(each.heading for each in ours))
    lines: list[str] = []
    missing: list[str] = []
    total = Totals()
    for heading in headings:
        parts = [each for each in ours if each.heading == heading]
        rows, together, absent = _rows(parts, root, forgiven)
        lines += _block(heading, rows, together)
        missing += absent
        total += together
    bad = False
    if flinks:
        rows, together, absent = _rows(flinks, root, forgiven)
        title = f"{FLINKS}, with our jar in front (skipped by Flink, or failing on stock as well)"
        lines += _block(title, rows, together)
        missing += absent
        bad = bool(together.failed)
    lines += [f"{what}: no report, these tests did not run." for what in missing]
    lines += [f"{name}: skipped, which counts as failed." for name in sorted(total.passed_over)]
    failed = total.failed + len(missing)
    lines.append(f"{total.passed} passed, {failed} failed, {total.skipped} skipped")
    return Sheet(tuple(lines), not (failed or total.skipped or bad), total.passed)


def _rows(
    parts: Sequence[Counted], root: Path, unsteady: Mapping[Counted, frozenset[Case]]
) -> tuple[dict[str, Totals], Totals, list[str]]:
    """The totals of each row, their sum, and the suites that left nothing."""
    rows: dict[str, Totals] = {}
    missing = []
    for part in parts:
        found = totals_of(part, root, unsteady[part])
        if not found.passed and not found.failed:
            missing.append(f"{part.heading}, {part.row}{part.detail}".removeprefix(", "))
        rows[part.row] = rows.get(part.row, Totals()) + found
    return rows, sum(rows.values(), Totals()), missing


def _block(heading: str, rows: Mapping[str, Totals], together: Totals) -> Iterator[str]:
    if heading:
        yield heading
    for name, totals in rows.items():
        yield _line(f"  {name}" if heading else name, totals)
    if heading:
        yield _line("  together", together)


def _line(name: str, totals: Totals) -> str:
    return (
        f"{name:<22} {totals.passed:>6} passed {totals.failed:>3} failed"
        f" {totals.skipped:>3} skipped"
    )
