"""The totals of all suites, from the JUnit XML that they leave behind.

A suite that left nothing is an error: a test run that did not happen must not look like one that
passed. Flink's own tests are shown apart: Flink skips tests of its own, and some fail on stock too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree as ET

from suites.catalogue import FLINKS, Counted, Suite


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
    """The totals as text, and whether all suites ran, none failed and none of ours was skipped."""

    lines: tuple[str, ...]
    good: bool
    passed: int


def read_totals(reports: Iterable[Path]) -> Totals:
    """Sum over JUnit XML files; a file that is cut off counts as one failure."""
    total = Totals()
    for report in reports:
        try:
            root = ET.parse(report).getroot()  # noqa: S314 - written by our own tests
        except ET.ParseError:
            total += Totals(failed=1)
            continue
        for case in root.iter("testcase"):
            if case.find("failure") is not None or case.find("error") is not None:
                total += Totals(failed=1)
            elif case.find("skipped") is not None:
                name = f"{case.get('classname')}.{case.get('name')}"
                total += Totals(skipped=1, passed_over=frozenset([name]))
            else:
                total += Totals(passed=1)
    return total


def totals_of(counted: Counted, root: Path) -> Totals:
    """What the reports of a suite say; all zero when it left none."""
    return read_totals(sorted(root.glob(counted.reports)))


def add_up(suites: Sequence[Suite], root: Path) -> Sheet:
    """A line per suite, the sum of each heading, and the sum of all but Flink's own tests."""
    counted = [suite.counted for suite in suites if suite.counted]
    ours = [each for each in counted if each.heading != FLINKS]
    flinks = [each for each in counted if each.heading == FLINKS]
    headings = list(dict.fromkeys(each.heading for each in ours))
    lines: list[str] = []
    missing: list[str] = []
    total = Totals()
    for heading in headings:
        parts = [each for each in ours if each.heading == heading]
        rows, together, absent = _rows(parts, root)
        lines += _block(heading, rows, together)
        missing += absent
        total += together
    bad = False
    if flinks:
        rows, together, absent = _rows(flinks, root)
        title = f"{FLINKS}, with our jar in front (skipped by Flink, or failing on stock as well)"
        lines += _block(title, rows, together)
        missing += absent
        bad = bool(together.failed)
    lines += [f"{what}: no report, these tests did not run." for what in missing]
    lines += [f"{name}: skipped, which counts as failed." for name in sorted(total.passed_over)]
    failed = total.failed + len(missing)
    lines.append(f"{total.passed} passed, {failed} failed, {total.skipped} skipped")
    return Sheet(tuple(lines), not (failed or total.skipped or bad), total.passed)


def _rows(parts: Sequence[Counted], root: Path) -> tuple[dict[str, Totals], Totals, list[str]]:
    """The totals of each row, their sum, and the suites that left nothing."""
    rows: dict[str, Totals] = {}
    missing = []
    for part in parts:
        found = totals_of(part, root)
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
