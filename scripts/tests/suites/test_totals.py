"""The totals at the end of `make test`: counted right, and biting."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_boost.flink.lines import load_lines
from suites.catalogue import FLINKS, Choice, Counted, all_suites
from suites.totals import Totals, add_up, read_totals

ENABLED = [line for line in load_lines().values() if line.enabled]
SUITES = all_suites(Choice(tuple(ENABLED), whole=True))
COUNTED = [suite.counted for suite in SUITES if suite.counted]
OURS = [counted for counted in COUNTED if counted.heading != FLINKS]
OF_FLINK = [counted for counted in COUNTED if counted.heading == FLINKS]


def report(passed: int, failures: int = 0, errors: int = 0, skipped: int = 0) -> str:
    """A report as JUnit and pytest write it; the count of the suite is not to be trusted."""
    cases = ["<testcase/>"] * passed
    cases += ["<testcase><failure/></testcase>"] * failures
    cases += ["<testcase><error/></testcase>"] * errors
    cases += ['<testcase classname="C" name="left_out"><skipped/></testcase>'] * skipped
    return f'<testsuites><testsuite tests="0">{"".join(cases)}</testsuite></testsuites>'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A tree in which every suite of every line has passed two tests."""
    for counted in OURS:
        write(tmp_path, counted, report(2))
    for counted in OF_FLINK:
        write(tmp_path, counted, report(7, skipped=3))
    return tmp_path


def write(root: Path, counted: Counted, text: str, name: str = "a") -> Path:
    path = root / counted.reports.replace("*", name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def shown(root: Path) -> list[str]:
    return [" ".join(line.split()) for line in add_up(SUITES, root).lines]


def find(row: str, heading: str = "") -> Counted:
    return next(each for each in OURS if each.row == row and each.heading.startswith(heading))


def test_sums_all_suites(root: Path) -> None:
    assert add_up(SUITES, root).good
    lines = shown(root)
    assert lines[-1] == f"{2 * len(OURS)} passed, 0 failed, 0 skipped"
    at = lines.index("Flink 1.9.3 on JDK 11")
    assert lines[at + 1] == "flink-patch 4 passed 0 failed 0 skipped"
    assert lines[at + 3] == "together 6 passed 0 failed 0 skipped"
    assert "python-all 2 passed 0 failed 0 skipped" in lines


def test_counts_all_reports_of_a_suite(root: Path) -> None:
    weaver = find("weaver")
    write(root, weaver, report(3, failures=1, errors=1), "b")
    assert read_totals(root.glob(weaver.reports)) == Totals(passed=5, failed=2)


@pytest.mark.parametrize(
    "text", [report(2, failures=1), report(2, errors=1), report(2, skipped=1), "<test"]
)
@pytest.mark.parametrize("row", ["python-all", "clusters-all", "flink-patch", "weaver"])
def test_failed_skipped_or_cut_off_is_not_success(root: Path, row: str, text: str) -> None:
    write(root, find(row), text, "b" if "b" in row else "pytest")
    assert not add_up(SUITES, root).good


def test_a_skipped_test_is_named(root: Path) -> None:
    assert "left_out" not in "".join(shown(root)), "Flink skips tests of its own"
    write(root, find("python-all"), report(2, skipped=1))
    assert "C.left_out: skipped, which counts as failed." in shown(root)


@pytest.mark.parametrize("counted", OURS, ids=[each.reports for each in OURS])
def test_a_suite_that_did_not_run_is_a_failure(root: Path, counted: Counted) -> None:
    (root / counted.reports.replace("*", "a")).unlink()
    sheet = add_up(SUITES, root)
    assert not sheet.good
    text = f"{counted.row}{counted.detail}: no report, these tests did not run."
    assert [line for line in sheet.lines if line.endswith(text)]
    assert sheet.lines[-1].endswith(" 1 failed, 0 skipped")


def test_a_report_without_tests_is_a_failure(root: Path) -> None:
    place = next(c for c in OURS if c.row == "flink-patch" and "not-opened" in c.detail)
    write(root, place, report(0))
    text = f"{place.heading}, flink-patch, mode not-opened: no report"
    assert [line for line in shown(root) if line.startswith(text)]


def test_flinks_own_tests_are_counted_apart(root: Path) -> None:
    """Flink skips some of its tests; that must not look like a skipped test of ours."""
    assert add_up(SUITES, root).good
    lines = shown(root)
    at = next(n for n, text in enumerate(lines) if text.startswith("Flink's own tests"))
    assert "Flink 1.9.3 on JDK 11 7 passed 0 failed 3 skipped" in lines[at : at + 4]
    assert lines[at + 4] == "together 21 passed 0 failed 9 skipped"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (report(7, failures=1), "7 passed 1 failed 0 skipped"),
        (report(0, skipped=3), "no report, these tests did not run."),
        (None, "no report, these tests did not run."),
    ],
)
def test_a_failing_test_of_flinks_is_a_failure(
    root: Path, text: str | None, complaint: str
) -> None:
    place = write(root, OF_FLINK[0], text or "")
    if text is None:
        place.unlink()
    assert not add_up(SUITES, root).good
    assert [line for line in shown(root) if line.endswith(complaint)]
