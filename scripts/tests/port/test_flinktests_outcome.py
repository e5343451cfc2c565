"""What a JVM full of tests left behind: reports, the log of loaded classes, whose classes ran."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_boost.base.errors import BrokenData, FlinkTestsInvalid
from flink_boost.flink.side import Side
from flink_boost.port.flinktests.outcome import (
    LOST,
    Case,
    CaseStatus,
    Outcome,
    from_our_jar,
    lost_case,
    merge,
    read_reports,
    read_sources,
    require_side,
)

DROPIN = Path("/boost jars/flink-boost-2.3.0.jar")
OURS = "file:/boost%20jars/flink-boost-2.3.0.jar"
STOCK = "file:/m2/flink-core-2.3.0.jar"
STRING_VALUE = "org.apache.flink.types.StringValue"

REPORT = """\
<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="JUnit Jupiter" tests="5" skipped="1" failures="1" errors="1" time="1,233.5">
<testcase name="works(Path)[1]" classname="a.FirstTest" time="1,233.25"/>
<testcase name="given Foo@1b2c3d4e" classname="a.FirstTest$Nested" time="0"/>
<testcase name="off()" classname="a.FirstTest" time="0"><skipped/></testcase>
<testcase name="wrong()" classname="a.SecondTest" time="0.5">
<failure message="expected: &lt;1&gt;&#10;&#10; but was: &lt;2&gt;" type="org.opentest4j.AssertionFailedError"><![CDATA[stack]]></failure>
</testcase>
<testcase name="broken()" classname="a.SecondTest" time="0.5">
<error type="java.io.IOException"><![CDATA[java.io.IOException
	at a.SecondTest]]></error>
</testcase>
</testsuite>
"""  # noqa: E501 - as the launcher writes it


def outcome(side: Side, **sources: tuple[str, ...]) -> Outcome:
    named = {f"org.apache.flink.{name}": where for name, where in sources.items()}
    return Outcome(side=side, cases=(), sources=named)


def test_reads_a_report(tmp_path: Path) -> None:
    (tmp_path / "TEST-junit-jupiter.xml").write_text(REPORT, encoding="utf-8")
    first, nested, off, wrong, broken = read_reports(tmp_path)
    assert first == Case(
        class_name="a.FirstTest", name="works(Path)[1]", status=CaseStatus.PASSED, seconds=1233.25
    )
    assert nested.name == "given Foo@", "an identity hash differs from JVM to JVM"
    assert nested.top_level_class == "a.FirstTest"
    assert off.status is CaseStatus.SKIPPED
    assert (wrong.status, wrong.kind) == (CaseStatus.FAILED, "AssertionFailedError")
    assert wrong.message == "expected: <1> but was: <2>"
    assert (broken.status, broken.kind) == (CaseStatus.FAILED, "IOException")
    assert broken.message.startswith("java.io.IOException")


def test_a_report_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    (tmp_path / "TEST-junit-jupiter.xml").write_text(REPORT[:500], encoding="utf-8")
    with pytest.raises(BrokenData, match="cut off"):
        read_reports(tmp_path)


def test_a_case_that_failed_once_has_failed(tmp_path: Path) -> None:
    """Both engines may report one name; a pass must not hide a failure, in either order."""
    bad = '<testcase name="t" classname="C"><failure type="E">m</failure></testcase>'
    good = '<testcase name="t" classname="C"/>'
    for number, content in enumerate((bad + good, good + bad)):
        folder = tmp_path / str(number)
        folder.mkdir()
        report = f"<testsuite>{content}</testsuite>"
        (folder / "TEST-x.xml").write_text(report, encoding="utf-8")
        assert [case.status for case in read_reports(folder)] == [CaseStatus.FAILED]


def test_finds_where_woven_classes_came_from() -> None:
    log = [
        "java.lang.Object source: jrt:/java.base\n",
        f"{STRING_VALUE} source: {OURS}\n",
        f"{STRING_VALUE} source: {OURS}\n",
        f"{STRING_VALUE}$$Lambda$1 source: {STOCK}\n",
        f"{STRING_VALUE} source: __JVM_DefineClass__\n",
        "cut off in the mid",
    ]
    assert read_sources(log, [STRING_VALUE]) == (
        {STRING_VALUE: (OURS, "__JVM_DefineClass__")},
        False,
    )
    interface = "org.apache.flink.boost.woven.DataOutputSerializerMemory source: x"
    assert read_sources([interface], [STRING_VALUE]) == ({}, False)
    body = "org.apache.flink.boost.woven.StringValuePatch source: x"
    assert read_sources([interface, body], [STRING_VALUE]) == ({}, True)


def test_each_side_must_load_its_own_classes() -> None:
    require_side(outcome(Side.PATCHED, A=(OURS,)), DROPIN)
    require_side(outcome(Side.STOCK, A=(STOCK,)), DROPIN)
    require_side(outcome(Side.PATCHED), DROPIN)
    # A class that a test defines from bytes has no file.
    require_side(outcome(Side.PATCHED, A=("__JVM_DefineClass__",)), DROPIN)


@pytest.mark.parametrize(
    ("side", "sources"),
    [
        (Side.PATCHED, (STOCK,)),
        (Side.PATCHED, (OURS, STOCK)),
        (Side.STOCK, (OURS,)),
        (Side.STOCK, (STOCK, OURS)),
    ],
)
def test_classes_of_the_other_side_are_refused(side: Side, sources: tuple[str, ...]) -> None:
    with pytest.raises(FlinkTestsInvalid, match=f"{side} side loaded org.apache.flink.A from"):
        require_side(outcome(side, A=sources), DROPIN)


def test_a_body_of_ours_on_stock_is_refused() -> None:
    with pytest.raises(FlinkTestsInvalid, match="called a body of ours"):
        require_side(Outcome(side=Side.STOCK, cases=(), patched=True), DROPIN)


def test_only_our_jar_counts_as_proof() -> None:
    outcomes = [outcome(Side.PATCHED, A=("__JVM_DefineClass__",), B=(OURS,)), outcome(Side.PATCHED)]
    assert from_our_jar(outcomes, DROPIN) == {"org.apache.flink.B"}


def test_merges_jvms() -> None:
    lost = lost_case("a.BTest", "did not end")
    one = Outcome(
        side=Side.PATCHED,
        cases=(lost,),
        lost={"a.BTest": "did not end"},
        sources={"A": (OURS,)},
        patched=True,
        seconds=2,
    )
    two = Outcome(
        side=Side.PATCHED,
        cases=(Case(class_name="a.CTest", name="t", status=CaseStatus.PASSED),),
        sources={"A": (OURS, "other")},
        seconds=3,
    )
    both = merge([one, two])
    assert [case.status for case in both.cases] == [CaseStatus.FAILED, CaseStatus.PASSED]
    assert both.lost == {"a.BTest": "did not end"}
    assert both.sources == {"A": (OURS, "other")}
    assert (both.patched, both.seconds) == (True, 5)
    assert both.failures[0].kind == LOST
