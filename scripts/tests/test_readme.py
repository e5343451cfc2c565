"""The pages' commands are real: they exist, and CI runs the one that the README names for tests."""

from __future__ import annotations

import re
import subprocess

import click
import pytest
from pages import pages

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.cli.main import cli
from flink_boost.flink.lines import default_line, load_lines
from flink_boost.flink.releases import load_releases

README = pages()["README.md"]


def commands(page: str = "README.md") -> list[str]:
    """The lines of a page's unmarked code blocks, comments cut off."""
    fences = re.findall(r"^```(\w*)\n(.*?)^```$", pages()[page], re.DOTALL | re.MULTILINE)
    blocks = [text for language, text in fences if not language]
    return [line.split("  #")[0].strip() for block in blocks for line in block.splitlines()]


def test_the_first_command_is_the_main_job() -> None:
    assert commands()[0] == "make run"


def test_ci_runs_the_test_command_of_the_readme_and_nothing_else() -> None:
    script = (PROJECT_ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    steps = [
        line for line in script if line and not line.startswith(("#", "set ", "cd ", "export CI="))
    ]
    assert "make test" in commands()
    assert steps == ["exec make test"]


def test_make_names_tests_that_exist() -> None:
    text = (PROJECT_ROOT / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"\btests/[\w/]+(?:\.py)?", text))
    assert "tests/cluster" in named
    folders = [PROJECT_ROOT / "scripts", PROJECT_ROOT / "codespeed-config"]
    missing = {name for name in named if not any((folder / name).exists() for folder in folders)}
    assert missing == set()


def test_make_knows_every_target_that_a_page_names() -> None:
    named = {
        page: set(re.findall(r"(?:`|^|=\d )make ((?:[a-z]+-)*[a-z]+)", text, re.MULTILINE))
        for page, text in pages().items()
    }
    assert {"run", "stop", "test", "wheel"} <= named["README.md"]
    assert {"help", "jars", "test-cluster", "test-images"} <= named["docs/developing.md"]
    help_text = subprocess.run(
        ["make", "help"], cwd=PROJECT_ROOT, capture_output=True, text=True, timeout=60, check=True
    ).stdout
    for page, targets in named.items():
        for target in targets:
            assert re.search(rf"^  make {target} ", help_text, re.MULTILINE), (page, target)


def test_flink_boost_knows_every_command_that_a_page_shows() -> None:
    shown = {
        page: {
            line.removeprefix(".venv/bin/").split()[1]
            for line in commands(page)
            if line.removeprefix(".venv/bin/").startswith("flink-boost ")
        }
        for page in pages()
    }
    assert {"install", "verify"} <= shown["README.md"]
    assert {"bench", "compare", "upload", "detect", "report", "serve"} <= shown["docs/measuring.md"]
    known = cli.list_commands(click.Context(cli))
    for page, names in shown.items():
        assert names <= set(known), page


def test_the_first_and_the_last_release_that_a_jar_is_for_are_named() -> None:
    releases = list(load_releases().releases)
    assert f"every Flink from {releases[0]} to {releases[-1]}" in README
    assert all(release.classes in load_lines() for release in load_releases().releases.values())
    assert f"flink-boost-{default_line()}-" in pages()["docs/developing.md"]


@pytest.mark.parametrize("page", sorted(pages()))
def test_nothing_is_left_to_be_filled_in(page: str) -> None:
    assert not re.search(r"@@|TODO|TBD|FIXME", pages()[page])


def test_the_front_page_shows_what_was_measured_and_nothing_else() -> None:
    """The front page's table is a part of the one that names its command and its run."""
    measured_page = (PROJECT_ROOT / "docs" / "measured.md").read_text("utf-8")
    front = table(README, "| mixed |")
    whole = table(measured_page, "| characters |")
    section = measured_page[measured_page.index("## Strings") :].split("\n## ")[0]
    for text in (README, section):
        assert "separate run" not in text, "the table is of one run"
    lengths = front.pop("mixed")
    assert lengths[0] == "1 character"
    columns = whole.pop("characters")
    view = {"write": "serializer", "read": "network", "copy": "network"}
    for row, cells in front.items():
        method, kind = row.lower().split()
        measured = dict(zip(columns, whole[f"{method} {kind}, {view[method]}"], strict=True))
        wanted = [measured[length.removesuffix(" character")] for length in lengths]
        assert cells == wanted, row
    assert len(front) == 9


def table(page: str, start: str) -> dict[str, list[str]]:
    """The rows of the Markdown table whose first line begins so, by their first cells."""
    lines = page[page.index(start) :].split("\n\n")[0].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {first: rest for first, *rest in rows if set(first) - set(":-")}
