"""The report of Flink's own tests with our jar: a table per line and JDK, or the same as JSON."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from flink_boost.base.files import make_folder, write_durably
from flink_boost.base.text import one_line
from flink_boost.port.flinktests.blame import Blame, BlamedCase
from flink_boost.port.flinktests.test_summary import Summary, headline, in_order, proof, remarks
from flink_boost.publish.sheet import Column, Entry, Sheet, Tone, html, markdown

_TONES = {Blame.OURS: Tone.BAD, Blame.STOCK_TOO: Tone.PLAIN, Blame.UNSTABLE: Tone.OPEN}
_COLUMNS = (
    *map(Column, ("verdict", "class", "test")),
    Column("alone, with our jar", True),
    Column("alone, on stock", True),
    Column("failure"),
)


@dataclass(frozen=True)
class FlinkTestRun:
    """A line that was tested on a JDK; ``report`` is its JUnit XML, the pages stand beside it."""

    line: str
    jdk: int
    summary: Summary
    woven: Collection[str]
    dropin: Path
    report: Path

    @property
    def page(self) -> Path:
        """The report in HTML."""
        return self.report.with_suffix(".html")

    @property
    def markdown(self) -> Path:
        """The same in Markdown."""
        return self.report.with_suffix(".md")


def sheet_of(tested: FlinkTestRun) -> Sheet:
    """Each case that failed, ours first; without one there are no columns, only sentences."""
    rows = tuple(map(_row, in_order(tested.summary.findings)))
    notes = [proof(tested.summary, tested.woven, tested.dropin), *remarks(tested.summary)]
    return Sheet(
        headline(tested.summary),
        _COLUMNS if rows else (),
        rows,
        tuple(f"{one_line(note)}." for note in notes),
    )


def write_pages(tested: FlinkTestRun) -> None:
    """Writes both; each replaces at once what was there."""
    sheet = sheet_of(tested)
    make_folder(tested.report.parent)
    # Not every program that shows Markdown keeps tags out of it.
    write_durably(tested.markdown, markdown(sheet).replace("<", "&lt;"))
    write_durably(tested.page, html([sheet]))


def document_of(tested: FlinkTestRun) -> dict[str, object]:
    """For a program."""
    summary = tested.summary
    return {
        "line": tested.line,
        "jdk": tested.jdk,
        "good": summary.good,
        "passed": summary.passed,
        "skipped": summary.skipped,
        "failures": [
            {
                "verdict": one.verdict.value,
                "class": one.case.class_name,
                "test": one.case.name,
                "rounds": one.rounds,
                "failed_patched": one.failed_patched,
                "failed_stock": one.failed_stock,
                "kind": one.case.kind,
                "message": one.case.message,
            }
            for one in in_order(summary.findings)
        ],
        "stale_exclusions": list(summary.stale_exclusions),
        "loaded": sorted(summary.loaded),
        "woven": sorted(tested.woven),
        "patched_jvms": summary.patched_jvms,
        "jvms": summary.jvms,
        "dropin": tested.dropin,
        "page": tested.page,
        "markdown": tested.markdown,
        "junit": tested.report,
    }


def _row(one: BlamedCase) -> tuple[Entry, ...]:
    case = one.case
    failure = f"{case.kind}: {case.message}" if case.message else case.kind
    return (
        Entry(one.verdict.value, _TONES[one.verdict]),
        Entry(case.class_name),
        Entry(one_line(case.name)),
        Entry(f"{one.failed_patched} of {one.rounds}"),
        Entry(f"{one.failed_stock} of {one.rounds}"),
        Entry(one_line(failure)),
    )
