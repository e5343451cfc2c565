"""The README's commands are real: they exist, and CI runs the one that it names for tests."""

from __future__ import annotations

import re
import subprocess

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.lines import load_lines

README = (PROJECT_ROOT / "README.md").read_text(encoding="utf-8")


def commands() -> list[str]:
    """The lines of the README's unmarked code blocks, comments cut off."""
    fences = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    blocks = [text for language, text in fences if not language]
    return [line.split("  #")[0].strip() for block in blocks for line in block.splitlines()]


def test_the_first_command_is_the_main_job() -> None:
    assert commands()[0] == "make run"


def test_ci_runs_the_test_command_of_the_readme_and_nothing_else() -> None:
    script = (PROJECT_ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    steps = [line for line in script if line and not line.startswith(("#", "set ", "cd "))]
    assert "make test" in commands()
    assert steps == ["exec make test"]


def test_make_knows_every_target_that_the_readme_names() -> None:
    targets = {word for word in re.findall(r"make ([a-z]+)", README) if word != "a"}
    assert {"run", "stop", "test", "help"} <= targets
    help_text = subprocess.run(
        ["make", "help"], cwd=PROJECT_ROOT, capture_output=True, text=True, timeout=60, check=True
    ).stdout
    for target in targets:
        assert f"make {target} " in help_text, target


def test_flink_boost_knows_every_command_that_the_readme_shows() -> None:
    shown = {line.split()[1] for line in commands() if line.startswith(".venv/bin/flink-boost ")}
    assert {"bench", "compare", "upload", "detect", "report", "serve"} <= shown
    listed = subprocess.run(
        [PROJECT_ROOT / ".venv" / "bin" / "flink-boost", "--help"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    ).stdout
    for name in shown:
        assert re.search(rf"^  {name} ", listed, re.MULTILINE), name


def test_the_readme_names_the_lines_that_are_switched_on() -> None:
    for version, line in load_lines().items():
        assert version in README
        if line.enabled:
            assert f"flink-boost-{version}-" in README


def test_nothing_is_left_to_be_filled_in() -> None:
    assert not re.search(r"@@|TODO|TBD|FIXME", README)
