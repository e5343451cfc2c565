"""Tells what a complete run found: on the terminal, and as JUnit XML for the totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

from flink_boost.base.files import make_folder, write_durably
from flink_boost.port.flinktests.blame import Blame, BlamedCase
from flink_boost.port.flinktests.outcome import Case, CaseStatus, from_our_jar
from flink_boost.port.flinktests.test_runner import Results

_ORDER = (Blame.OURS, Blame.STOCK_TOO, Blame.UNSTABLE)
_NAMES = 5
# XML 1.0 forbids most control characters even when escaped.
_NOT_IN_XML = {code: "�" for code in range(32) if code not in (9, 10, 13)}


@dataclass(frozen=True)
class Summary:
    """Counts and findings of a run, and whether it is good.

    ``loaded`` are the woven classes that at least one JVM loaded from our jar, ``patched_jvms``
    counts the runs in which a body of ours took the place of stock's. ``run_apart`` says of chunks
    whose classes had to run one by one why.
    """

    title: str
    passed: int
    skipped: int
    findings: tuple[BlamedCase, ...]
    stale_exclusions: tuple[str, ...]
    loaded: frozenset[str]
    jvms: int
    without_tests: tuple[str, ...]
    patched_jvms: int
    run_apart: tuple[tuple[str, str], ...]

    @property
    def ours(self) -> tuple[BlamedCase, ...]:
        """The failures that are ours."""
        return tuple(f for f in self.findings if f.verdict is Blame.OURS)

    @property
    def good(self) -> bool:
        """No failure is ours, and every exclusion is still justified."""
        return not self.ours and not self.stale_exclusions


def summarize(results: Results, dropin: Path) -> Summary:
    """Adds up a complete run.

    A case that failed counts by its verdict, not as passed. An exclusion is out of date when stock
    did not fail a single case of its class.
    """
    plan = results.plan
    counts = Counter(case.status for outcome in results.outcomes for case in outcome.cases)
    proven = {
        investigation.class_name
        for investigation in results.investigations
        if any(each.stock.failures for each in investigation.rounds)
    }
    excluded = [name for chunk in plan.chunks if chunk.excluded for name in chunk.classes]
    return Summary(
        title=f"Flink {plan.line}, JDK {plan.jdk}",
        passed=counts[CaseStatus.PASSED],
        skipped=counts[CaseStatus.SKIPPED],
        findings=tuple(f for each in results.investigations for f in each.findings),
        stale_exclusions=tuple(name for name in excluded if name not in proven),
        loaded=from_our_jar(results.outcomes, dropin),
        jvms=len(results.outcomes),
        without_tests=results.classes_without_tests,
        patched_jvms=sum(1 for outcome in results.outcomes if outcome.patched),
        run_apart=tuple(
            (chunk.id, outcome.run_apart)
            for chunk, outcome in zip(plan.chunks, results.outcomes, strict=True)
            if outcome.run_apart
        ),
    )


def describe(summary: Summary, woven: Collection[str], dropin: Path) -> Iterator[str]:
    """The lines to print: counts, proof, one per verdict of a class with failures, what to mend."""
    yield headline(summary)
    yield f"  {proof(summary, woven, dropin)}"
    yield from (f"  {text}" for text in describe_findings(summary.findings))
    yield from (f"  {text}" for text in remarks(summary))


def headline(summary: Summary) -> str:
    """What ran, and how much of it passed, failed by verdict, and was skipped."""
    by_verdict = Counter(finding.verdict for finding in summary.findings)
    counts = [f"{summary.passed} passed", f"{by_verdict[Blame.OURS]} {Blame.OURS}"]
    counts += [f"{by_verdict[v]} {v}" for v in _ORDER[1:] if by_verdict[v]]
    counts.append(f"{summary.skipped} skipped by Flink")
    return f"{summary.title}: {', '.join(counts)}"


def proof(summary: Summary, woven: Collection[str], dropin: Path) -> str:
    """That it was our jar that was tested."""
    return (
        f"{len(summary.loaded)} of {len(woven)} woven classes were loaded,"
        f" all from {dropin.name}, and their new code ran in {summary.patched_jvms} of"
        f" {summary.jvms} runs{_without_tests(summary.without_tests)}"
    )


def remarks(summary: Summary) -> Iterator[str]:
    """What had to run one by one, and which exclusions are out of date."""
    for name, why in summary.run_apart:
        yield f"run one by one: the classes of {name}, whose common JVM did not end well: {why}"
    for name in summary.stale_exclusions:
        yield f"out of date: {name} is excluded in flink-tests.toml but does not fail on stock"


def in_order(findings: Sequence[BlamedCase]) -> list[BlamedCase]:
    """Ours first, then by class; the order of a class's cases stays."""
    return sorted(findings, key=lambda one: (_ORDER.index(one.verdict), one.case.top_level_class))


def _without_tests(names: tuple[str, ...]) -> str:
    if not names:
        return ""
    simple = [name.rpartition(".")[2] for name in names[:_NAMES]]
    some = ", ".join(simple) + (", …" if len(names) > _NAMES else "")
    return f"; {len(names)} class{'es' * (len(names) > 1)} without a test: {some}"


def describe_findings(findings: Sequence[BlamedCase]) -> Iterator[str]:
    """One line per verdict and class, ours first: the first case, and how many more there are."""
    for verdict in _ORDER:
        groups: dict[str, list[BlamedCase]] = {}
        for finding in findings:
            if finding.verdict is verdict:
                groups.setdefault(finding.case.top_level_class, []).append(finding)
        for group in groups.values():
            more = f" [and {len(group) - 1} more of this class]" if len(group) > 1 else ""
            yield describe_finding(group[0]) + more


def describe_finding(finding: BlamedCase) -> str:
    """One line: the verdict, the case, how often it failed alone on each side, the message."""
    case = finding.case
    text = (
        f"{finding.verdict}: {case.class_name}.{case.name}"
        f" (alone: {finding.failed_patched} of {finding.rounds} with our jar,"
        f" {finding.failed_stock} of {finding.rounds} on stock): {case.kind}"
    )
    return f"{text}: {case.message}" if case.message else text


def write_junit_xml(results: Results, summary: Summary, path: Path) -> None:
    """One JUnit XML file for the whole run, in which only our failures are failures.

    A case that fails on stock as well, or is unstable, is ``skipped`` with its verdict as message;
    so are the tests that Flink itself skips, without one.
    """
    verdicts = {finding.case.key: finding for finding in summary.findings}
    suite = ET.Element("testsuite", name=f"Flink's own tests: {summary.title}")
    written = set()
    for outcome in results.outcomes:
        for case in outcome.cases:
            _add(suite, case, verdicts.get(case.key))
            written.add(case.key)
    for key, finding in verdicts.items():
        if key not in written:
            _add(suite, finding.case, finding)
    make_folder(path.parent)
    write_durably(path, ET.tostring(suite, encoding="unicode", xml_declaration=False))


def _add(suite: ET.Element, case: Case, finding: BlamedCase | None) -> None:
    element = ET.SubElement(
        suite,
        "testcase",
        classname=case.class_name.translate(_NOT_IN_XML),
        name=case.name.translate(_NOT_IN_XML),
        time=f"{case.seconds:.3f}",
    )
    if finding is not None:
        tag = "failure" if finding.verdict is Blame.OURS else "skipped"
        message = describe_finding(finding).translate(_NOT_IN_XML)
        ET.SubElement(element, tag, message=message)
    elif case.status is CaseStatus.SKIPPED:
        ET.SubElement(element, "skipped")
