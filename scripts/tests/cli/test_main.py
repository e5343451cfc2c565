"""The command line: lazy subcommands and the one mapping of errors to sentences and exit codes."""

from __future__ import annotations

import errno
import re
import subprocess
import sys
from pathlib import Path

import pytest

from flink_boost import __version__
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.base.scratch import DISK_FULL
from flink_boost.cli import commands
from flink_boost.cli import main as main_module
from flink_boost.cli.main import CARRIED_COMMANDS, OTHERS, SECTIONS, main

FAILING = '''
"""Fail in the way that the argument says."""
import os
import click
from flink_boost.base.errors import *

ERRORS = {
    "usage": UsageProblem("No such thing.", "Choose another."),
    "broken": BrokenData("It is cut off.", "Delete it."),
    "environment": EnvironmentProblem("The port is busy.", "Free it."),
    "upload": UploadFailed("It answered 500.", "Try later."),
    "benchmark": BenchmarkFailed("A fork failed.", "Read the log."),
    "interrupt": KeyboardInterrupt(),
    "full": OSError(28, "No space left on device", "/data/file"),
    "missing": OSError(2, "No such file or directory", "/data/file"),
    "bug": ZeroDivisionError("division by zero"),
}

@click.command()
@click.argument("how")
def command(how):
    raise ERRORS[how]
'''


@pytest.fixture
def failing_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fail.py").write_text(FAILING, encoding="utf-8")
    monkeypatch.setattr(commands, "__path__", [*commands.__path__, str(tmp_path)])
    monkeypatch.delitem(sys.modules, "flink_boost.cli.commands.fail", raising=False)


@pytest.mark.usefixtures("failing_command")
@pytest.mark.parametrize(
    ("how", "exit_code", "sentence"),
    [
        ("usage", 2, "No such thing. Choose another."),
        ("broken", 3, "It is cut off. Delete it."),
        ("environment", 4, "The port is busy. Free it."),
        ("upload", 5, "It answered 500. Try later."),
        ("benchmark", 6, "A fork failed. Read the log."),
        ("interrupt", 130, "Interrupted; what was finished is kept."),
        (
            "full",
            4,
            (
                "There is no space left on the disk while writing /data/file."
                " Free some space and run the same command again; what was finished is kept."
            ),
        ),
    ],
)
def test_an_error_is_one_sentence_and_an_exit_code(
    how: str, exit_code: int, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fail", how]) == exit_code
    printed = capsys.readouterr()
    # Click starts a new line after the ^C that the terminal shows.
    assert printed.err.lstrip("\n") == f"flink-boost: {sentence}\n"
    assert printed.out == ""


@pytest.mark.usefixtures("failing_command")
@pytest.mark.parametrize("how", ["missing", "bug"])
def test_an_unexpected_error_says_how_to_see_its_traceback(
    how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fail", how]) == 1
    printed = capsys.readouterr().err
    assert "Traceback" not in printed
    assert "--debug" in printed
    assert printed.count("\n") == 1


@pytest.mark.usefixtures("failing_command")
@pytest.mark.parametrize("how", ["usage", "bug", "interrupt"])
def test_debug_adds_the_traceback(how: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--debug", "fail", how])
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_an_unknown_command_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nothing"]) == 2
    assert "No such command 'nothing'" in capsys.readouterr().err


def sections(help_text: str) -> dict[str, list[str]]:
    """Commands of each section of the help, in its order; the options are none."""
    found: dict[str, list[str]] = {}
    for line in help_text.partition("\nOptions:\n")[2].splitlines():
        if head := re.fullmatch(r"(\w[\w ]*):", line):
            found[head[1]] = []
        elif (name := re.match(r"  ([a-z][\w-]*)  ", line)) and found:
            found[list(found)[-1]].append(name[1])
    return found


def test_help_lists_exactly_the_modules_that_exist(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = sections(capsys.readouterr().out)
    folders = (Path(commands.__path__[0]), PROJECT_ROOT / "scripts" / "lab" / "commands")
    modules = {path.stem for folder in folders for path in folder.glob("*.py")} - {"__init__"}
    listed = [name for names in shown.values() for name in names]
    assert sorted(listed) == sorted(module.replace("_", "-") for module in modules)
    assert {title: tuple(names) for title, names in shown.items()} == SECTIONS


@pytest.mark.usefixtures("failing_command")
def test_a_command_that_no_section_names_is_listed_last(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--help"]) == 0
    shown = sections(capsys.readouterr().out)
    assert list(shown) == [*SECTIONS, OTHERS]
    assert shown[OTHERS] == ["fail"]


def test_a_wheel_lists_what_works_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(main_module, "CARRIED", tmp_path)
    assert main(["--help"]) == 0
    shown = sections(capsys.readouterr().out)
    assert shown == {
        "Installations": ["install", "weave", "verify", "doctor", "flame", "uninstall"],
        "Other Flink releases": ["releases"],
    }
    assert {name for names in shown.values() for name in names} == CARRIED_COMMANDS


@pytest.mark.parametrize("name", ["bench", "compare"])
def test_every_command_has_help_with_examples(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([name, "--help"]) == 0
    assert f"flink-boost {name}" in capsys.readouterr().out.partition("Examples:")[2]


def test_version_and_help_import_no_subcommand() -> None:
    script = (
        "import sys; from flink_boost.cli.main import main; main(['--version']); main(['--help']);"
        "heavy = {'scipy', 'matplotlib', 'django', 'httpx'} & set(sys.modules);"
        "assert not heavy, heavy"
    )
    answer = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.startswith(f"flink-boost, version {__version__}\n")


@pytest.mark.parametrize("command", ["nightly", "request", "detect", "alarm"])
def test_what_is_asked_now_and_then_is_not_loaded_before(command: str) -> None:
    script = (
        f"import sys; import flink_boost.cli.commands.{command};"
        "slow = {'scipy.stats', 'githubkit', 'slack_sdk'} & set(sys.modules);"
        "assert not slow, slow"
    )
    answer = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert answer.returncode == 0, answer.stderr


def test_the_error_numbers_of_a_full_disk() -> None:
    assert {errno.ENOSPC, errno.EDQUOT} <= DISK_FULL
    assert errno.ENOENT not in DISK_FULL
