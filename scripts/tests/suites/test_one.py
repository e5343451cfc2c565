"""`make test T=…`: finds one test by its name, and runs it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from flink_boost.base.errors import UsageProblem
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.lines import find_line
from suites.one import OneTest, find_test, run_test

LINE = find_line("1.20.5")
MEASURED = ("1.20.5", "1.9.3", "2.3.0")
JAVA = ("-m", "flink_boost.flink.javatests", "1.20.5")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("StringCopyTest", ("flink-patch", "StringCopyTest")),
        (
            "StringCopyTest.copiesNothing",
            ("flink-patch", "StringCopyTest", "--method", "copiesNothing"),
        ),
        ("OwnBuildTest", ("weaver", "OwnBuildTest", "--jdk", "17")),
    ],
)
def test_a_class_of_java_and_its_method(name: str, words: tuple[str, ...]) -> None:
    found = find_test(name, PROJECT_ROOT, LINE)
    assert found == OneTest((sys.executable, *JAVA, *words), "scripts", ("1.20.5",))


def test_java_on_a_jdk_in_a_mode() -> None:
    found = find_test("StringCopyTest", PROJECT_ROOT, LINE, 17, "not-opened")
    assert found.command[4:] == (
        *("flink-patch", "StringCopyTest", "--jdk", "17", "--mode", "not-opened"),
    )


@pytest.mark.parametrize(
    ("name", "folder", "test", "builds"),
    [
        ("judge/test_ratio.py", "scripts", "tests/judge/test_ratio.py", ()),
        ("scripts/tests/judge/test_ratio.py", "scripts", "tests/judge/test_ratio.py", ()),
        ("test_wheel.py", "scripts", "tests/operate/test_wheel.py", MEASURED),
        ("test_token.py", "codespeed-config", "tests/test_token.py", ()),
        ("test_mixed.py::test_x", "scripts", "tests/cluster/test_mixed.py::test_x", ("1.20.5",)),
        (
            "test_sums_all_suites",
            "scripts",
            "tests/suites/test_totals.py::test_sums_all_suites",
            (),
        ),
        (
            "test_own_fields.py",
            "scripts",
            "tests/operate/test_own_fields.py",
            ("1.11.3", *MEASURED),
        ),
    ],
)
def test_a_file_or_a_function_of_python(
    name: str, folder: str, test: str, builds: tuple[str, ...]
) -> None:
    found = find_test(name, PROJECT_ROOT, LINE)
    assert (found.folder, found.command[-1], found.builds) == (folder, test, builds)


@pytest.mark.parametrize("name", ["NoSuchTest", "test_no_such.py", "test_no_such_function"])
def test_a_name_of_no_test_says_what_a_name_is(name: str) -> None:
    with pytest.raises(UsageProblem, match=f"There is no test '{name}'") as caught:
        find_test(name, PROJECT_ROOT, LINE)
    assert caught.value.next_step.startswith("Name ")


def test_a_name_that_two_have_is_not_guessed() -> None:
    with pytest.raises(UsageProblem, match=r"is in scripts/tests/requesting/.*, codespeed"):
        find_test("test_postgresql.py", PROJECT_ROOT, LINE)


def test_it_says_how_it_was_started_and_keeps_what_was_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "scripts").mkdir()
    program = "import sys; print('said'); print('wrong', file=sys.stderr); sys.exit(3)"
    test = OneTest((sys.executable, "-c", program), "scripts", ())
    assert run_test(test, tmp_path) == 3
    shown = capsys.readouterr().out
    assert shown.startswith("cd scripts && ../.venv/bin/python -c ")
    assert shown.endswith("FAILED, code 3; log: build/test-reports/one.log\n")
    assert "said\n" in shown
    assert (tmp_path / "build/test-reports/one.log").read_text() in (
        "said\nwrong\n",
        "wrong\nsaid\n",
    )


def test_without_its_build_it_does_not_run(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("build:\n\t@exit 1\n")
    test = OneTest((sys.executable, "-c", "open('ran', 'w')"), ".", ("1.20.5",))
    assert run_test(test, tmp_path) == 1
    assert not (tmp_path / "ran").exists()
