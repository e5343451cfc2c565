"""`make test` itself, on suites that take no time."""

from __future__ import annotations

import dataclasses
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from eventual import eventually
from made_suites import Make, began, suite, with_report

from flink_boost.base.errors import EnvironmentProblem
from flink_boost.base.files import exclusive_lock
from flink_boost.base.places import PROJECT_ROOT
from suites import __main__ as program
from suites import runner
from suites.catalogue import Counted
from suites.inputs import Inputs


def test_what_passed_runs_again_only_when_its_inputs_change(make: Make, tmp_path: Path) -> None:
    suites = [with_report("one"), with_report("two")]
    first = make(suites)
    assert first.exit_code == 0, first.output
    assert began(tmp_path) == {"one", "two"}
    assert "2 passed, 0 failed, 0 skipped" in first.output

    again = make(suites)
    assert again.exit_code == 0
    assert began(tmp_path) == set()
    assert "2 passed, 0 failed, 0 skipped" in again.output
    assert "2 of 2 suites were not run again" in again.output

    (tmp_path / "two").write_text("changed", encoding="utf-8")
    assert make(suites).exit_code == 0
    assert began(tmp_path) == {"two"}


@pytest.mark.parametrize("how", ["fresh", "ci", "report", "memory", "command"])
def test_reasons_to_run_all_the_same(
    how: str, make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suites = [with_report("one")]
    make(suites)
    arguments = ["--fresh"] if how == "fresh" else []
    if how == "ci":
        monkeypatch.setenv("CI", "true")
    if how == "report":
        (tmp_path / "build/test-reports/one/TEST-a.xml").unlink()
    if how == "memory":
        (tmp_path / "build/test-reports/passed.json").write_text("[", encoding="utf-8")
    if how == "command":
        suites = [with_report("one", "<system-out/>")]
    assert make(suites, *arguments).exit_code == 0
    assert began(tmp_path) == {"one"}


@pytest.mark.parametrize(
    ("inside", "code"), [("<failure/>", 0), ("<skipped/>", 0), ("", 3), ("<error/>", 1)]
)
def test_what_did_not_pass_is_not_remembered(
    inside: str, code: int, make: Make, tmp_path: Path
) -> None:
    suites = [with_report("bad", inside, code), with_report("good")]
    for _ in range(2):
        done = make(suites)
        assert done.exit_code == 1
        assert "bad" in began(tmp_path)
        assert "Failed: BAD" in done.output
    assert began(tmp_path) == {"bad"}


def test_the_end_names_what_failed_and_what_it_said(make: Make) -> None:
    inside = '<failure message="&#10;expected 1&#10;but was 2">at A.java</failure>'
    done = make([with_report("bad", inside, 1), with_report("worse", "<error>\nlost</error>", 1)])
    assert done.output.splitlines()[-4:-1] == [
        "Failed: BAD; WORSE",
        "  A.a: expected 1",
        "  A.a: lost",
    ]


def test_of_many_failures_the_first_are_named(make: Make, tmp_path: Path) -> None:
    cases = "".join(f'<testcase classname="A" name="t{at}"><error/></testcase>' for at in range(11))
    (tmp_path / "many").write_text(f"<testsuite>{cases}</testsuite>", encoding="utf-8")
    counted = Counted("", "many", "build/test-reports/many/TEST-*.xml")
    place = "../build/test-reports/many"
    done = make(
        [suite("many", f"mkdir -p {place}; cp ../many {place}/TEST-a.xml; exit 1", counted=counted)]
    )
    named = [line for line in done.output.splitlines() if line.startswith("  A.t")]
    assert len(named) == 8
    assert "  and 3 more" in done.output


def test_a_suite_without_reports_passes_by_its_exit_code_and_one_that_leaves_none_fails(
    make: Make,
) -> None:
    assert make([suite("lint", "exit 0"), with_report("one")]).exit_code == 0
    done = make([suite("lint", "echo what is wrong; exit 1"), with_report("one")])
    assert done.exit_code == 1
    assert "what is wrong" in done.output
    counted = Counted("", "empty", "build/test-reports/empty/TEST-*.xml")
    done = make([suite("empty", "exit 0", counted=counted)])
    assert done.exit_code == 1
    assert "empty: no report, these tests did not run." in done.output


def test_an_edit_while_it_runs_is_not_taken_for_tested(make: Make, tmp_path: Path) -> None:
    suites = [suite("one", "echo edit > ../one")]
    assert make(suites).exit_code == 0
    make(suites)
    assert began(tmp_path) == {"one"}


def test_what_others_need_is_asked_for_every_time(make: Make, tmp_path: Path) -> None:
    suites = [suite("build", "exit 0", always=True), suite("lint", "exit 0", after=("build",))]
    make(suites)
    make(suites)
    assert began(tmp_path) == {"build"}


@pytest.mark.parametrize("how", ["same", "changed", "deleted", "fresh"])
def test_make_starts_afresh_unless_the_inputs_are_those_it_was_made_of(
    how: str, make: Make, tmp_path: Path
) -> None:
    script = "test -f ../stamp && echo kept > ../how || echo anew > ../how; touch ../stamp"
    suites = [suite("build", script, always=True, makes=("stamp",))]
    (tmp_path / "stamp").write_text("of an earlier day", encoding="utf-8")
    make(suites)
    assert (tmp_path / "how").read_text(encoding="utf-8") == "anew\n"
    if how == "changed":
        (tmp_path / "build.java").write_text("", encoding="utf-8")
        suites = [dataclasses.replace(suites[0], inputs=Inputs(("build.java",)))]
    if how == "deleted":
        (tmp_path / "stamp").unlink()
    make(suites, *(["--fresh"] if how == "fresh" else []))
    expected = "kept\n" if how == "same" else "anew\n"
    assert (tmp_path / "how").read_text(encoding="utf-8") == expected


def test_what_ran_on_an_old_build_is_not_taken_for_tested(make: Make, tmp_path: Path) -> None:
    """The build failed for want of a network; the tests passed on what an earlier one had left."""
    broken = suite("build", "exit 1", always=True)
    tests = dataclasses.replace(with_report("tests"), after=("build",))
    done = make([broken, tests])
    assert done.exit_code == 1
    assert "Failed: BUILD" in done.output
    assert make([suite("build", "exit 0", always=True), tests]).exit_code == 0
    assert "tests" in began(tmp_path)


def test_without_git_all_runs_and_nothing_is_remembered(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(_: Path) -> dict[str, str]:
        raise EnvironmentProblem("git is not installed.", "Install it.")

    monkeypatch.setattr(program, "tree", none)
    for _ in range(2):
        done = make([with_report("one")])
        assert done.exit_code == 0
        assert "git is not installed. Install it. So all suites run" in done.output
        assert began(tmp_path) == {"one"}


def test_a_suite_that_cannot_be_started_fails_and_the_others_run(
    make: Make, tmp_path: Path
) -> None:
    (tmp_path / "build" / "test-reports" / "one.log").mkdir(parents=True)
    done = make([with_report("one"), with_report("two")])
    assert done.exit_code == 1
    assert "ONE could not be run: " in done.output
    assert "Failed: ONE" in done.output
    assert began(tmp_path) == {"two"}


def test_two_at_once_in_one_tree_are_refused(make: Make, tmp_path: Path) -> None:
    with exclusive_lock(tmp_path / "build" / "test-reports" / ".lock", "make test"):
        done = make([with_report("one")])
    assert "Another make test" in str(done.exception)
    assert began(tmp_path) == set()


def test_an_interrupt_ends_it_at_once_with_all_that_runs(tmp_path: Path) -> None:
    script = (
        "import sys, pathlib\n"
        "from suites import __main__ as program\n"
        "from suites.catalogue import Suite\n"
        "from suites.inputs import Inputs\n"
        "root = pathlib.Path(sys.argv[1])\n"
        "long = Suite('long', 'LONG', ('sh', '-c', 'echo $$ > pid; sleep 100'), Inputs(('x',)))\n"
        "program.PROJECT_ROOT = root\n"
        "program.tree = lambda _: {}\n"
        "program.all_suites = lambda *_, **__: [long]\n"
        "program.main([])\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)],
        cwd=PROJECT_ROOT / "scripts",
        stdout=subprocess.PIPE,
        text=True,
    )
    pid = tmp_path / "pid"
    assert eventually(lambda: pid.is_file() and pid.read_text().strip() != "", 30)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Interrupted; what has passed is remembered." in output
    started = Path("/proc") / pid.read_text().strip()
    assert eventually(lambda: not started.exists(), 30)


def test_an_old_report_does_not_count_for_a_run_that_left_none(make: Make) -> None:
    assert make([with_report("one")]).exit_code == 0
    counted = with_report("one").counted
    done = make([suite("one", "exit 0", counted=counted)])
    assert done.exit_code == 1
    assert "one: no report" in done.output


def test_a_suite_that_does_not_end_is_ended(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "_LIMIT_SECONDS", 0.5)
    done = make([suite("long", f"{shlex.quote(sys.executable)} -c 'import time; time.sleep(100)'")])
    assert done.exit_code == 1
    assert "FAILED" in done.output
    assert "It did not end within 0 min and was stopped." in done.output


def test_only_what_is_asked_for_runs_with_what_it_needs(make: Make, tmp_path: Path) -> None:
    suites = [
        suite("build", "exit 0", always=True),
        with_report("two"),
        suite("three", "exit 0", after=("build",)),
    ]
    assert make(suites, "--only", "THREE").exit_code == 0
    assert began(tmp_path) == {"build", "three"}
    wrong = make(suites, "--only", "nothing")
    assert wrong.exit_code != 0
    assert "No suite is called 'nothing'. There are: BUILD; TWO; THREE." in str(wrong.exception)


def test_what_would_run_is_listed_and_nothing_runs(make: Make, tmp_path: Path) -> None:
    make([with_report("one")])
    shown = make([with_report("one"), with_report("two")], "--list")
    assert shown.output.split() == ["unchanged", "ONE", "to", "run", "TWO"]
    assert began(tmp_path) == set()


def test_an_unknown_line_is_refused_in_one_sentence(make: Make) -> None:
    done = make([], "1.0.0")
    assert done.exit_code != 0
    assert "There is no Flink line '1.0.0'" in str(done.exception)


def test_only_a_whole_run_is_noted_and_only_of_what_stayed_as_it_was(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program.whole, "clean_commit", lambda _: "0a1b")
    for wrong in (["--record"], ["--all", "--record", "--only", "ONE"]):
        assert "Only a whole `make test-all` is noted" in str(make([], *wrong).exception)
    noted = tmp_path / "docs" / "test-all.json"
    edits = make([suite("edits", "echo 2 > ../edits"), with_report("one")], "--all", "--record")
    assert "Files were edited while it ran: it is not noted as passed." in edits.output
    assert not noted.exists()
    assert make([with_report("one", "<failure/>")], "--all", "--record").exit_code == 1
    assert not noted.exists()
    done = make([with_report("one")], "--all", "--record")
    assert "Noted in docs/test-all.json: commit it" in done.output
    assert '"tests": 1' in noted.read_text()


def test_what_a_failed_test_left_is_kept_and_named(make: Make) -> None:
    left = "touch $PYTEST_DEBUG_TEMPROOT/log; "
    assert "What its tests left" not in make([suite("good", f"{left}exit 0")]).output
    done = make([suite("bad", f"{left}exit 1")])
    (folder,) = re.findall(r"What its tests left: (\S+)", done.output)
    assert (Path(folder) / "log").exists()
    shutil.rmtree(folder)
