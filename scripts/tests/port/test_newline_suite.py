"""The suite of a new line: what runs, and what is said when a step of it fails."""

from __future__ import annotations

import os
import re
import shlex
import sys
import time
from pathlib import Path

import pytest

from flink_boost.base.errors import EnvironmentProblem, FlinkBoostError, PatchedCodeChanged
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.lines import load_lines
from flink_boost.port.newline import suite as linesuite
from flink_boost.port.newline.suite import Step, copy_tree, run_step, steps_of
from suites.catalogue import Choice, all_suites

FAILED_TEST = """\
JUnit Jupiter > AllocationTest > writes() :: SUCCESSFUL
JUnit Jupiter > AllocationTest > reads() :: FAILED
\torg.opentest4j.AssertionFailedError: expected 1
\t\tat a.B.c(B.java:1)
"""


def test_the_suite_is_that_of_make_test(tmp_path: Path) -> None:
    line = load_lines()["2.3.0"]
    build, *tests, benchmarks, flinks = steps_of(line, tmp_path, True)
    assert build.command[0] == "scripts/mvn"
    assert f"-Dmaven.repo.local={tmp_path}/.cache/m2" in build.command
    assert build.command[-2:] == ("package", "-DskipTests")
    assert benchmarks.command[2:] == ("flink_boost.flink.javatests", "2.3.0", "benchmarks")
    assert flinks.command[3:] == ("flink-tests", "--line", "2.3.0", "--jdk", "17")
    of_make_test = [
        tuple(word for word in suite.command[2:-2] if word not in ("--brief", "--fewer"))
        for suite in all_suites(Choice((line,)))
        # The default line alone tests its codec on JDKs that no line runs on.
        if "--mode" in suite.command and not suite.name.startswith("2.3.0-jdk25")
    ]
    assert [step.command[2:] for step in tests] == of_make_test
    assert len(steps_of(line, tmp_path, False)) == len(of_make_test) + 2


def test_the_copy_has_what_the_build_reads_and_nothing_that_was_built(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    (copy / "left").mkdir(parents=True)
    copy_tree(PROJECT_ROOT, copy)
    assert (copy / "flink-core-patch/src/main/java").is_dir()
    assert (copy / ".mvn/checksums/checksums.sha256").is_file()
    assert (copy / "scripts/flink_boost/flink/maven.py").is_file()
    assert (copy / ".cache").resolve() == (PROJECT_ROOT / ".cache").resolve()
    assert not (copy / "left").exists()
    assert not list(copy.glob("*/target"))


def run(script: str, folder: Path, told: list[str] | None = None) -> int:
    step = Step("tests on JDK 17", ("sh", "-c", script), "step.log")
    tell = (told if told is not None else []).append
    return run_step(step, folder, folder, dict(os.environ), tell)


def test_a_step_runs_in_the_tree_and_says_how_it_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linesuite, "_TELL_SECONDS", 0.2)
    told: list[str] = []
    script = (
        'test "$PWD/scripts" = "$PYTHONPATH" || exit 1\n'
        "for n in 1 2 3 4 5 6 7; do\n"
        'echo "JUnit Jupiter > BTest > reads(int) > [$n] :: STARTED"\n'
        'echo "JUnit Jupiter > BTest > reads(int) > [$n] :: SUCCESSFUL"\n'
        "done; sleep 1; echo; echo '[         7 tests successful      ]'"
    )
    assert run(script, tmp_path, told) >= 1
    assert any("7 tests passed so far" in text for text in told)
    assert re.fullmatch(r"tests on JDK 17: passed in 0 min \d\d s, 7 tests", told[-1])


def test_flinks_own_tests_are_counted_by_their_batches(tmp_path: Path) -> None:
    told: list[str] = []
    script = (
        'echo "[1/2] core-001: 1252 passed, 150 failed in 21 s, about 4 min left"\n'
        'echo "[2/2] runtime-001: 180 passed in 29 s"\n'
        'echo "Flink 2.2.1, JDK 17: 1432 passed, 0 failed only with our jar"'
    )
    run(script, tmp_path, told)
    assert told[-1].endswith(", 1432 tests")


@pytest.mark.parametrize(
    ("output", "kind", "sentence"),
    [
        (
            "weaver: a.B is not the class of Flink 7: expected SHA-256 1, found 2.\n",
            PatchedCodeChanged,
            "A patch does not apply: a.B is not the class of Flink 7: expected SHA-256 1, found 2.",
        ),
        (
            FAILED_TEST,
            PatchedCodeChanged,
            "failed (AllocationTest.reads(): org.opentest4j.AssertionFailedError: expected 1).",
        ),
        (
            "[ERROR] Failed to execute goal: Could not transfer artifact a:b:jar:1 from central\n",
            EnvironmentProblem,
            "not everything could be fetched",
        ),
        (
            "[ERROR] COMPILATION ERROR :\n[ERROR] /x/benchmarks/src/line/7/A.java:[5,7] no B\n",
            PatchedCodeChanged,
            "failed (/x/benchmarks/src/line/7/A.java:[5,7] no B).",
        ),
        (
            "jqwik (JUnit Platform) > PropertyTest > holds :: FAILED\n\tjava.lang.Error: no\n",
            PatchedCodeChanged,
            "failed (PropertyTest.holds: java.lang.Error: no).",
        ),
        ("Killed\n", PatchedCodeChanged, "tests on JDK 17 failed (Killed)."),
        ("", PatchedCodeChanged, "tests on JDK 17 failed (no output)."),
    ],
)
def test_a_step_that_fails_names_the_first_thing_that_went_wrong(
    output: str, kind: type[FlinkBoostError], sentence: str, tmp_path: Path
) -> None:
    (tmp_path / "output").write_text(output, encoding="utf-8")
    with pytest.raises(kind) as caught:
        run("cat output; exit 1", tmp_path)
    assert sentence in caught.value.message
    assert str(tmp_path / "step.log") in caught.value.next_step
    assert ("put into benchmarks/src/line/7 is kept" in str(caught.value)) == ("/line/7" in output)


def test_what_the_machine_lacks_is_no_difference_of_the_release(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem) as caught:
        run("echo 'Another make test-releases (pid 7) is using it. Wait.'; exit 4", tmp_path)
    said = "tests on JDK 17: Another make test-releases (pid 7) is using it. Wait."
    assert caught.value.message == said
    assert str(tmp_path / "step.log") in caught.value.next_step


def test_a_step_that_does_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linesuite, "_TELL_SECONDS", 0.1)
    monkeypatch.setattr(linesuite, "_STEP_SECONDS", 0.5)
    program = f"{shlex.quote(sys.executable)} -c 'import time; time.sleep(100)'"
    with pytest.raises(EnvironmentProblem, match="did not end within 0 min 00 s"):
        run(f"{program} & echo $! > pid; wait", tmp_path)
    pid = int((tmp_path / "pid").read_text(encoding="ascii"))
    deadline = time.monotonic() + 60
    while Path(f"/proc/{pid}").exists():
        assert time.monotonic() < deadline, "it was not killed"
        time.sleep(0.1)
