"""What a JVM full of tests left behind: JUnit XML reports and its log of loaded classes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from urllib.parse import unquote, urlparse
from xml.etree import ElementTree as ET

from pydantic import Field

from flink_boost.base.errors import BrokenData, FlinkTestsInvalid
from flink_boost.flink.side import Side
from flink_boost.measure.model import Frozen

BOOST_PACKAGE = "org.apache.flink.boost."
# Holds the bodies that run in place of stock's: loaded with the first call, and not at all when the
# kill switch is off, unlike the interfaces of the woven classes.
PATCH = "Patch"
WHOLE_CLASS = "(whole class)"
LOST = "NoResult"

_MESSAGE_LENGTH = 300
# Printed in names of parameterized tests: Foo@1b2c3d differs from JVM to JVM.
_IDENTITY_HASH = re.compile(r"@[0-9a-f]{4,8}\b")


class CaseStatus(StrEnum):
    """How a test case ended; errors are failures."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


class Case(Frozen):
    """One test case. ``kind`` is the class of the exception, ``message`` its first line."""

    class_name: str
    name: str
    status: CaseStatus
    seconds: float = 0.0
    kind: str = ""
    message: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """What it is called in every JVM."""
        return self.class_name, self.name

    @property
    def top_level_class(self) -> str:
        """The class that was selected to run it."""
        return self.class_name.partition("$")[0]


class Outcome(Frozen):
    """What running some test classes on one side gave.

    ``lost`` says for each class without a result why its JVM gave none; each of them also has a
    failed case. ``run_apart`` says why the classes had to run one by one: what became of the JVM
    that they had shared, and whether stock's ended well; empty where they did not. ``sources`` says
    where each woven class was loaded from, ``patched`` whether a body of ours ran in place of one
    of stock's.
    """

    side: Side
    cases: tuple[Case, ...]
    lost: dict[str, str] = Field(default_factory=dict)
    run_apart: str = ""
    sources: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    patched: bool = False
    seconds: float = 0.0

    @property
    def failures(self) -> tuple[Case, ...]:
        """The cases that failed."""
        return tuple(case for case in self.cases if case.status is CaseStatus.FAILED)

    def count(self, status: CaseStatus) -> int:
        """How many cases ended so."""
        return sum(1 for case in self.cases if case.status is status)


def merge(outcomes: Sequence[Outcome]) -> Outcome:
    """One outcome for classes that ran in several JVMs of one side."""
    sources: dict[str, tuple[str, ...]] = {}
    for outcome in outcomes:
        for name, found in outcome.sources.items():
            sources[name] = tuple(dict.fromkeys((*sources.get(name, ()), *found)))
    return Outcome(
        side=outcomes[0].side,
        cases=tuple(case for outcome in outcomes for case in outcome.cases),
        lost={name: why for outcome in outcomes for name, why in outcome.lost.items()},
        sources=sources,
        patched=any(outcome.patched for outcome in outcomes),
        seconds=sum(outcome.seconds for outcome in outcomes),
    )


def lost_case(class_name: str, why: str) -> Case:
    """The failed case that stands for a class whose JVM gave no result."""
    return Case(
        class_name=class_name, name=WHOLE_CLASS, status=CaseStatus.FAILED, kind=LOST, message=why
    )


def read_reports(folder: Path) -> tuple[Case, ...]:
    """The cases of the JUnit XML files of a folder. Raises ``BrokenData`` for one that is cut off.

    A case that is there several times (a repeated test) has failed if it failed once.
    """
    found: dict[tuple[str, str], Case] = {}
    for report in sorted(folder.glob("TEST-*.xml")):
        try:
            root = ET.parse(report).getroot()  # noqa: S314 - written by our own JVM
        except ET.ParseError as error:
            raise BrokenData(f"{report} is cut off ({error}).", "Run the tests again.") from error
        for element in root.iter("testcase"):
            case = _case(element)
            known = found.get(case.key)
            if known is None or known.status is not CaseStatus.FAILED:
                found[case.key] = case
    return tuple(found.values())


def _case(element: ET.Element) -> Case:
    problem = element.find("failure")
    if problem is None:
        problem = element.find("error")
    status = CaseStatus.PASSED
    if problem is not None:
        status = CaseStatus.FAILED
    elif element.find("skipped") is not None:
        status = CaseStatus.SKIPPED
    return Case(
        class_name=element.get("classname", ""),
        name=_IDENTITY_HASH.sub("@", element.get("name", "")),
        status=status,
        seconds=float(element.get("time", "0").replace(",", "") or 0),
        kind=(problem.get("type", "") if problem is not None else "").rpartition(".")[2],
        message=_first_line(problem) if problem is not None else "",
    )


def _first_line(problem: ET.Element) -> str:
    text = problem.get("message") or problem.text or ""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return " ".join(lines[:4])[:_MESSAGE_LENGTH]


def read_sources(
    log: Iterable[str], woven: Iterable[str]
) -> tuple[dict[str, tuple[str, ...]], bool]:
    """Where each woven class came from, and whether a body of ours ran.

    ``log`` is what ``-Xlog:class+load`` writes, a line per class: ``name source: file:/…/x.jar``.
    A class that a test defines from bytes has no file there; what it names instead is kept.
    """
    wanted = frozenset(woven)
    sources: dict[str, tuple[str, ...]] = {}
    patched = False
    for line in log:
        name, separator, source = line.strip().partition(" source: ")
        if not separator:
            continue
        if name in wanted:
            sources[name] = tuple(dict.fromkeys((*sources.get(name, ()), source)))
        patched = patched or (name.startswith(BOOST_PACKAGE) and name.endswith(PATCH))
    return sources, patched


def require_side(outcome: Outcome, dropin: Path) -> None:
    """Refuses a result that was not got from the classes that it claims to test.

    On the patched side every woven class that was loaded from a file must come from ``dropin``; on
    stock none may, and no body of ours may run. Raises ``FlinkTestsInvalid``.
    """
    for name, sources in outcome.sources.items():
        for source in sources:
            if not source.startswith("file:"):
                continue
            ours = Path(unquote(urlparse(source).path)) == dropin
            if ours is not (outcome.side is Side.PATCHED):
                raise FlinkTestsInvalid(
                    f"A run on the {outcome.side} side loaded {name} from {source}.",
                    f"Only the patched side may, and must, load it from {dropin.name}.",
                )
    if outcome.patched and outcome.side is not Side.PATCHED:
        raise FlinkTestsInvalid("A run on stock called a body of ours.", "Check its class path.")


def from_our_jar(outcomes: Iterable[Outcome], dropin: Path) -> frozenset[str]:
    """The woven classes that at least one JVM loaded from our jar."""
    return frozenset(
        name
        for outcome in outcomes
        for name, sources in outcome.sources.items()
        if any(Path(unquote(urlparse(source).path)) == dropin for source in sources)
    )
