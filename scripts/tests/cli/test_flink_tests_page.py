"""The report of Flink's own tests: what failed and whose failure it is, in every form."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from flink_boost.cli.flink_tests_page import FlinkTestRun, document_of, sheet_of, write_pages
from flink_boost.port.flinktests.blame import Blame, BlamedCase
from flink_boost.port.flinktests.outcome import Case, CaseStatus
from flink_boost.port.flinktests.test_summary import Summary
from flink_boost.publish.sheet import Tone

GOOD = Summary(
    title="Flink 2.3.0, JDK 17",
    passed=120,
    skipped=3,
    findings=(),
    stale_exclusions=(),
    loaded=frozenset({"org.apache.flink.types.StringValue"}),
    jvms=4,
    without_tests=(),
    patched_jvms=2,
    run_apart=(),
)


def blamed(name: str, verdict: Blame, message: str = "") -> BlamedCase:
    case = Case(
        class_name=f"org.apache.flink.{name}",
        name="writes()",
        status=CaseStatus.FAILED,
        seconds=0.1,
        kind="java.lang.AssertionError",
        message=message,
    )
    return BlamedCase(case=case, verdict=verdict, rounds=3, failed_patched=3, failed_stock=0)


@pytest.fixture
def tested(tmp_path: Path) -> FlinkTestRun:
    findings = (
        blamed("StockTest", Blame.STOCK_TOO),
        blamed("OursTest", Blame.OURS, "a | b\n\t<script>alert(1)</script>\u2028 c"),
    )
    summary = replace(
        GOOD,
        findings=findings,
        stale_exclusions=("org.apache.flink.OldTest",),
        run_apart=(("core-001", "it hung"),),
    )
    report = tmp_path / "flink" / "2.3.0-jdk17-all.xml"
    return FlinkTestRun("2.3.0", 17, summary, ("a", "b"), Path("/jars/ours.jar"), report)


def test_ours_come_first_and_stand_out(tested: FlinkTestRun) -> None:
    sheet = sheet_of(tested)
    assert [row[1].text for row in sheet.rows] == [
        "org.apache.flink.OursTest",
        "org.apache.flink.StockTest",
    ]
    assert [row[0].tone for row in sheet.rows] == [Tone.BAD, Tone.PLAIN]
    assert sheet.title.startswith("Flink 2.3.0, JDK 17: 120 passed, 1 failed only with our jar, 1")
    assert any("1 of 2 woven classes were loaded, all from ours.jar" in n for n in sheet.notes)
    assert any("core-001" in note and "it hung" in note for note in sheet.notes)
    assert any("out of date: org.apache.flink.OldTest" in note for note in sheet.notes)


def test_both_pages_say_the_same_and_nothing_in_them_acts(tested: FlinkTestRun) -> None:
    write_pages(tested)
    html, text = tested.page.read_text("utf-8"), tested.markdown.read_text("utf-8")
    assert "&lt;script&gt;" in html
    assert "<script>" not in html
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert len(table) == 4
    assert r"a \| b &lt;script>alert(1)&lt;/script> c |" in table[2]
    assert {line.replace(r"\|", "").count("|") for line in table} == {7}


def test_where_nothing_failed_there_is_no_empty_table(tested: FlinkTestRun) -> None:
    good = replace(tested, summary=GOOD)
    write_pages(good)
    assert "|" not in good.markdown.read_text("utf-8")
    assert "0 failed only with our jar" in good.page.read_text("utf-8")


def test_a_program_learns_each_failure(tested: FlinkTestRun) -> None:
    found = json.loads(json.dumps(document_of(tested), default=str))
    assert (found["good"], found["passed"], found["skipped"]) == (False, 120, 3)
    assert [one["verdict"] for one in found["failures"]] == [Blame.OURS, Blame.STOCK_TOO]
    assert found["failures"][0]["failed_patched"] == 3
    assert found["loaded"] == ["org.apache.flink.types.StringValue"]
