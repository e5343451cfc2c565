"""A test that fails once is named, and does not fail the run; one that fails twice does."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from made_suites import Make, suite, with_report

from suites.again import KEPT, MOST, _class
from suites.catalogue import REPORTS, Counted, Suite
from suites.totals import Case

# Each test fails in its first so many runs.
TESTS = """
import pathlib, pytest
@pytest.mark.parametrize("failures", {failures}, ids=lambda n: f"fails [{{n}}] times")
def test_now(failures, request):
    ran = pathlib.Path(request.node.nodeid.replace("/", "-"))
    runs = len(ran.read_text()) if ran.exists() else 0
    ran.write_text("x" * (runs + 1))
    assert runs >= failures
"""


@pytest.fixture(autouse=True)
def quick_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def of_pytest(root: Path, name: str, failures: list[int], more: str = "") -> Suite:
    """A suite of one file."""
    file = root / "work" / "tests" / f"test_{name}.py"
    file.parent.mkdir(exist_ok=True)
    file.write_text(TESTS.format(failures=failures) + more, encoding="utf-8")
    command = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    report = "--junitxml=../{}/{}/TEST-pytest.xml"
    return replace(
        suite(name, ""),
        command=(*command, report.format(REPORTS, name), f"tests/{file.name}"),
        again=(*command, report.format(REPORTS, f"{name}-again")),
        counted=Counted("", name, f"{REPORTS}/{name}/TEST-*.xml"),
    )


def runs_of(root: Path, number: int) -> int:
    """How often the test ran that fails so many times."""
    (found,) = (root / "work").glob(f"*fails ?{number}? times*")
    return len(found.read_text())


def test_what_fails_first_and_passes_alone_is_named_and_kept(make: Make, tmp_path: Path) -> None:
    suites = [of_pytest(tmp_path, "one", [0, 1]), of_pytest(tmp_path, "two", [0])]
    done = make(suites)
    assert done.exit_code == 0, done.output
    named = "tests.test_one.test_now[fails [1] times]"
    assert f"UNSTEADY: {named} failed first, passed alone" in done.output
    assert "3 passed, 0 failed, 0 skipped" in done.output
    assert "Failed:" not in done.output
    (kept,) = (tmp_path / KEPT).read_text().splitlines()
    assert json.loads(kept)["test"] == named
    assert runs_of(tmp_path, 1) == 2
    # It is not taken for passed: all of its suite runs the next time.
    again = make(suites)
    assert again.exit_code == 0
    assert "1 suites" in again.output
    assert "UNSTEADY" not in again.output


def test_what_always_fails_fails_the_run(make: Make, tmp_path: Path) -> None:
    done = make([of_pytest(tmp_path, "one", [1, 99]), of_pytest(tmp_path, "two", [2])])
    assert done.exit_code == 1
    assert "Failed: ONE; TWO" in done.output
    assert "UNSTEADY" not in done.output
    assert runs_of(tmp_path, 99) == 2
    assert (tmp_path / KEPT).read_text() == ""


def test_too_many_fail_at_once(make: Make, tmp_path: Path) -> None:
    done = make([of_pytest(tmp_path, "one", [1] * MOST), of_pytest(tmp_path, "two", [7])])
    assert done.exit_code == 1
    assert "Failed: ONE; TWO" in done.output
    assert runs_of(tmp_path, 7) == 1


@pytest.mark.parametrize(
    "more",
    [
        "def test_end():\n    import os\n    os._exit(1)",
        "def test_end():\n    pytest.exit('broken', 3)",
        "raise ValueError",
    ],
    ids=["killed", "another code", "not imported"],
)
def test_what_fails_otherwise_than_by_a_test_is_not_tried_again(
    more: str, make: Make, tmp_path: Path
) -> None:
    done = make([of_pytest(tmp_path, "one", [1], more)])
    assert done.exit_code == 1
    assert "Failed: ONE" in done.output
    assert ", alone" not in done.output


def test_a_skipped_test_fails_the_run_whatever_else_passes_alone(
    make: Make, tmp_path: Path
) -> None:
    skipped = "def test_end():\n    pytest.skip('not here')"
    done = make([of_pytest(tmp_path, "one", [1], skipped)])
    assert done.exit_code == 1
    assert "tests.test_one.test_end: skipped, which counts as failed." in done.output


def test_nothing_is_tried_again_beside_what_is_broken(make: Make, tmp_path: Path) -> None:
    done = make([of_pytest(tmp_path, "one", [1]), suite("lint", "exit 1")])
    assert done.exit_code == 1
    assert runs_of(tmp_path, 1) == 1


@pytest.mark.parametrize("found", ["nothing", "another"])
def test_a_second_run_that_does_not_find_the_test_fails(
    found: str, make: Make, tmp_path: Path
) -> None:
    one = of_pytest(tmp_path, "one", [1])
    again = (*one.again, "-k", "nothing")
    if found == "another":
        report = with_report("one-again").command[-1]
        again = ("sh", "-c", report)
    done = make([replace(one, again=again)])
    assert done.exit_code == 1
    assert "Failed: ONE" in done.output
    assert ("passed" if found == "another" else "FAILED") in done.output.partition("[ 2/2]")[2]


def test_a_class_of_java_is_named_in_full_with_what_it_encloses() -> None:
    pattern = _class(Case("org.x.StringTest$Short", "copies(int)[1]"), Path())
    assert re.fullmatch(pattern, "org.x.StringTest")
    assert not re.fullmatch(pattern, "org.x-StringTest")
