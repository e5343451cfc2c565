"""The totals at the end of `make test`: counted right, and biting."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from flink_boost.flink.lines import find_line, load_lines
from flink_boost.flink.maven import MODES
from flink_boost.totals import (
    Suite,
    Totals,
    expected_suites,
    flink_reports,
    main,
    read_totals,
)

LINES = tuple(load_lines())
SUITES = expected_suites([find_line(version) for version in LINES])
FLINKS = flink_reports([find_line(version) for version in LINES])


def suite(passed: int, failures: int = 0, errors: int = 0, skipped: int = 0) -> str:
    """A report as Surefire and pytest write it; the count of the suite is not to be trusted."""
    cases = ["<testcase/>"] * passed
    cases += ["<testcase><failure/></testcase>"] * failures
    cases += ["<testcase><error/></testcase>"] * errors
    cases += ['<testcase classname="C" name="left_out"><skipped/></testcase>'] * skipped
    return f'<testsuites><testsuite tests="0">{"".join(cases)}</testsuite></testsuites>'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A tree in which every suite of every line has passed two tests."""
    for expected in SUITES:
        write(tmp_path / expected.reports.replace("*", "a"), suite(2))
    for report in FLINKS.values():
        write(tmp_path / report, suite(7, skipped=3))
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def modes(suites: list[Suite]) -> dict[str, tuple[str, ...]]:
    """The modes that flink-core-patch has to run in, by line and JDK."""
    found: dict[str, tuple[str, ...]] = {}
    for expected in suites:
        if expected.name == "flink-core-patch":
            mode = expected.reports.split("/")[-2]
            found[expected.heading] = (*found.get(expected.heading, ()), mode)
    return found


def test_every_mode_has_to_run_somewhere_and_on_demand_on_every_line() -> None:
    two = ("opened", "not-opened")
    lines = [find_line(version) for version in ("1.9.3", "1.20.5", "2.3.0")]
    assert modes(expected_suites(lines)) == {
        "Flink 1.9.3 on JDK 11": two,
        "Flink 1.20.5 on JDK 11": two,
        "Flink 1.20.5 on JDK 17": ("opened",),
        "Flink 2.3.0 on JDK 17": MODES,
        "Flink 2.3.0 on JDK 21": ("opened",),
    }
    assert modes(expected_suites(lines, all_modes=True)) == {
        "Flink 1.9.3 on JDK 11": MODES,
        "Flink 1.20.5 on JDK 11": MODES,
        "Flink 1.20.5 on JDK 17": two,
        "Flink 2.3.0 on JDK 17": MODES,
        "Flink 2.3.0 on JDK 21": two,
    }
    assert len(flink_reports(lines)) == 3
    assert len(flink_reports(lines, all_modes=True)) == 5


def test_on_demand_the_modes_that_are_missing_are_an_error(root: Path) -> None:
    assert main(LINES, root) == 0
    assert main(("--all-modes", *LINES), root) == 1


def test_sums_all_suites(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(LINES, root) == 0
    shown = capsys.readouterr().out.splitlines()
    count = 2 * (len(list(root.rglob("*.xml"))) - len(FLINKS))
    assert count >= 2 * (2 * len(MODES) + 2 * 2 * 2 + 2 * 2 + 3 + 3)
    assert shown[-1] == f"{count} passed, 0 failed, 0 skipped"
    at = shown.index("Flink 1.9.3 on JDK 11")
    assert shown[at + 1].split()[:2] == ["flink-core-patch", "4"]
    assert shown[at + 4].split()[:2] == ["together", "10"]


def test_the_lines_that_are_named_are_enough(root: Path) -> None:
    shutil.rmtree(root / "flink-core-patch" / "target" / "1.9.3")
    assert main(["2.3.0", "1.20.5"], root) == 1, "weaver runs with the first line that is named"
    assert main(["1.9.3"], root) == 1
    write(root / "weaver/target/2.3.0/surefire-reports/TEST-a.xml", suite(1))
    assert main(["2.3.0", "1.20.5"], root) == 0


def test_counts_all_reports_of_a_suite(root: Path) -> None:
    folder = root / "weaver" / "target" / LINES[0] / "surefire-reports"
    write(folder / "TEST-b.xml", suite(3, failures=1, errors=1))
    assert read_totals(folder.glob("TEST-*.xml")) == Totals(passed=5, failed=2)


@pytest.mark.parametrize(
    "report", [suite(2, failures=1), suite(2, errors=1), suite(2, skipped=1), "<test"]
)
@pytest.mark.parametrize(
    "place",
    [
        "build/test-reports/scripts.xml",
        "flink-runtime-patch/target/1.20.5/surefire-reports/jdk-17/opened/TEST-b.xml",
    ],
)
def test_failed_skipped_or_cut_off_is_not_success(root: Path, place: str, report: str) -> None:
    write(root / place, report)
    assert main(LINES, root) == 1


def test_a_skipped_test_is_named(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(LINES, root) == 0
    assert "left_out" not in capsys.readouterr().out, "Flink skips tests of its own"
    write(root / "build/test-reports/scripts.xml", suite(2, skipped=1))
    assert main(LINES, root) == 1
    assert "C.left_out: skipped, which counts as failed." in capsys.readouterr().out


@pytest.mark.parametrize("missing", range(len(SUITES)), ids=[s.reports for s in SUITES])
def test_a_suite_that_did_not_run_is_a_failure(
    root: Path, missing: int, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = SUITES[missing]
    (root / expected.reports.replace("*", "a")).unlink()
    assert main(LINES, root) == 1
    shown = capsys.readouterr().out
    assert f"{expected.name}{expected.detail}: no report, these tests did not run." in shown
    assert shown.splitlines()[-1].endswith(" 1 failed, 0 skipped")


def test_a_report_without_tests_is_a_failure(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = "flink-core-patch/target/2.3.0/surefire-reports/jdk-17/not-opened/TEST-a.xml"
    write(root / place, suite(0))
    assert main(LINES, root) == 1
    assert (
        "Flink 2.3.0 on JDK 17, flink-core-patch, mode not-opened: no report, these tests did not"
        " run." in capsys.readouterr().out
    )


def test_flinks_own_tests_are_counted_apart(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Flink skips some of its tests; that must not look like a skipped test of ours."""
    assert main(LINES, root) == 0
    shown = capsys.readouterr().out.splitlines()
    at = next(n for n, text in enumerate(shown) if text.startswith("Flink's own tests"))
    rows = [" ".join(text.split()) for text in shown[at:]]
    assert rows[1] == "Flink 1.9.3 on JDK 11 7 passed 0 failed 3 skipped"
    assert rows[4] == "together 21 passed 0 failed 9 skipped"


@pytest.mark.parametrize(
    ("report", "complaint"),
    [
        (suite(7, failures=1), "Flink 2.3.0 on JDK 17 7 passed 1 failed 0 skipped"),
        (suite(0, skipped=3), "Flink's own tests, Flink 2.3.0 on JDK 17: no report"),
        ("", "Flink 2.3.0 on JDK 17: no report"),
    ],
)
def test_a_failing_test_of_flinks_is_a_failure(
    root: Path, report: str, complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    place = root / FLINKS["Flink 2.3.0 on JDK 17"]
    if report:
        write(place, report)
    else:
        place.unlink()
    assert main(LINES, root) == 1
    assert complaint in " ".join(capsys.readouterr().out.split())
