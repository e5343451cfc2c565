"""All of the lab that ``make test`` runs: calls that make tables exist, and one case is judged."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import click
import pytest

from flink_boost.cli.main import cli, main
from lab.__main__ import TABLES


@pytest.mark.parametrize("table", TABLES)
def test_a_table_is_made_by_commands_and_modules_that_exist(table: str, tmp_path: Path) -> None:
    tests = Path(__file__).parents[1]
    for python, dash, module, *words in TABLES[table](tmp_path):
        assert (python, dash) == (sys.executable, "-m")
        if module != "flink_boost.cli":
            assert (tests / module.replace(".", "/")).with_suffix(".py").is_file()
            continue
        command: click.Command | None = cli
        for word in words:
            if isinstance(command, click.Group) and not word.startswith("-"):
                command = command.get_command(click.Context(command), word) or command
        assert command is not None
        known = {name for one in command.params for name in one.opts}
        assert {word for word in words if word.startswith("--")} <= known


def test_a_step_is_told_and_scored(tmp_path: Path) -> None:
    truth, out = tmp_path / "truth.jsonl", tmp_path / "alarms.jsonl"
    words = ("make", str(tmp_path), "--copies", "1", "--nights", "70")
    kinds = ("--kind", "step-10", "--kind", "steady")
    assert main(["detection-cases", *words, *kinds]) == 0
    rerun = shlex.join((sys.executable, "-m", "flink_boost.cli", "detection-cases", "rerun"))
    files = {"cases": tmp_path / "cases.jsonl", "truth": truth, "out": out}
    options = [word for name, file in files.items() for word in (f"--{name}", str(file))]
    rerun += f" {shlex.quote(str(truth))}"
    sheet = tmp_path / "sheet.md"
    options += ["--rerun", rerun, "--sheet", str(sheet)]
    assert main(["evaluate-detection", *options]) == 0
    (alarm,) = map(json.loads, out.read_text(encoding="utf-8").splitlines())
    assert alarm["id"] == "step-10-1-0"
    assert "| step-10 | 1 | 100 % |" in sheet.read_text(encoding="utf-8")
