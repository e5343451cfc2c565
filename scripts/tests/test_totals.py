"""The totals at the end of `make test`: counted right, and biting."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_boost.totals import JAVA_MODULES, PYTHON_SUITES, Totals, main, read_totals


def suite(passed: int, failures: int = 0, errors: int = 0, skipped: int = 0) -> str:
    """A report as Surefire and pytest write it; the count of the suite is not to be trusted."""
    cases = ["<testcase/>"] * passed
    cases += ["<testcase><failure/></testcase>"] * failures
    cases += ["<testcase><error/></testcase>"] * errors
    cases += ["<testcase><skipped/></testcase>"] * skipped
    return f'<testsuites><testsuite tests="0">{"".join(cases)}</testsuite></testsuites>'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A tree in which every suite has passed two tests."""
    for module in JAVA_MODULES:
        write(tmp_path / module / "target" / "9.9" / "surefire-reports" / "TEST-a.xml", suite(2))
    for name in PYTHON_SUITES:
        write(tmp_path / "build" / "test-reports" / f"{name}.xml", suite(2))
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_sums_all_suites(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["9.9"], root) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "12 passed, 0 failed, 0 skipped"


def test_counts_nested_reports_of_other_modes(root: Path) -> None:
    folder = root / "weaver" / "target" / "9.9" / "surefire-reports"
    write(folder / "plain" / "TEST-a.xml", suite(3, failures=1, errors=1))
    assert read_totals(folder.rglob("TEST-*.xml")) == Totals(passed=5, failed=2)


@pytest.mark.parametrize(
    "report", [suite(2, failures=1), suite(2, errors=1), suite(2, skipped=1), "<test"]
)
def test_failed_skipped_or_cut_off_is_not_success(root: Path, report: str) -> None:
    write(root / "build" / "test-reports" / "scripts.xml", report)
    assert main(["9.9"], root) == 1


def test_a_suite_that_did_not_run_is_a_failure(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "build" / "test-reports" / "scripts.xml").unlink()
    assert main(["9.9"], root) == 1
    assert "scripts left no report" in capsys.readouterr().out
