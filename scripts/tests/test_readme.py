"""The pages' commands are real: they exist, and CI runs the one that the README names for tests."""

from __future__ import annotations

import re
import subprocess

import click
import pytest
from pages import pages, section, table

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.cli.main import cli
from flink_boost.flink.lines import default_line, load_lines, load_patched
from flink_boost.flink.releases import load_releases

README = pages()["README.md"]


def commands(page: str = "README.md") -> list[str]:
    """The lines of a page's unmarked code blocks, comments cut off."""
    fences = re.findall(r"^```(\w*)\n(.*?)^```$", pages()[page], re.DOTALL | re.MULTILINE)
    blocks = [text for language, text in fences if not language]
    return [line.split("  #")[0].strip() for block in blocks for line in block.splitlines()]


def test_an_operators_commands_come_first_and_the_developers_later() -> None:
    names = [line.split()[:2] for line in commands()]
    assert names[:3] == [["pip", "install"], ["flink-boost", "install"], ["flink-boost", "verify"]]
    assert names.index(["make", "run"]) > 2


def test_what_a_taskmanager_does_when_the_jar_does_not_fit_is_in_bold() -> None:
    (bold,) = re.findall(r"^\*\*(A TaskManager[^*]*)\*\*", README, re.MULTILINE)
    assert "does not start" in bold


def test_ci_runs_the_test_command_of_the_readme_and_nothing_else() -> None:
    script = (PROJECT_ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    steps = [
        line for line in script if line and not line.startswith(("#", "set ", "cd ", "export CI="))
    ]
    assert "make test" in commands()
    assert steps == ["exec make test"]


def test_make_names_tests_that_exist() -> None:
    text = (PROJECT_ROOT / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"\btests/[\w/*]+(?:\.py)?", text))
    assert "tests/cluster" in named
    folders = [PROJECT_ROOT / "scripts", PROJECT_ROOT / "codespeed-config"]
    missing = {name for name in named if not any(list(folder.glob(name)) for folder in folders)}
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


@pytest.mark.parametrize("page", ["README.md", "docs/operating.md"])
def test_the_first_release_whose_records_move_is_named(page: str) -> None:
    (first,) = {each.since for each in load_patched().values() if each.family == "records"}
    assert re.findall(r"From Flink ([\d.]+)\s+and Java 16", pages()[page]) == [first]


@pytest.mark.parametrize("page", sorted(pages()))
def test_nothing_is_left_to_be_filled_in(page: str) -> None:
    assert not re.search(r"@@|TODO|TBD|FIXME", pages()[page])


_RATIO = re.compile(r"[\d.]+x \((?P<low>[\d.]+)–(?P<high>[\d.]+)\)")


def test_the_front_page_shows_sure_numbers_of_the_measured_tables() -> None:
    """Jobs first, then four rows of strings; each ratio is in docs/measured.md, within 20 %."""
    jobs, found, strings = section(README, "What was measured").partition("\nSingle strings")
    assert found
    measured = pages()["docs/measured.md"]
    said = [ratio[0] for ratio in _RATIO.finditer(jobs.partition("\n|")[0])]
    assert said
    assert not_measured(said, section(measured, "Jobs")) == []
    of_records = [row[1] for row in table(jobs)]
    assert len(of_records) == 9
    assert not_measured(of_records, section(measured, "Jobs of records")) == []
    rows = [row[-1] for row in table(strings)]
    assert len(rows) == 4
    assert not_measured(rows, section(measured, "Strings")) == []
    assert "separate run" not in section(measured, "Strings"), "the table is of one run"


def not_measured(ratios: list[str], tables: str) -> list[str]:
    """Ratios that are in no cell of the tables, or whose interval is wider than 20 % either way."""
    wrong = []
    for ratio in ratios:
        found = _RATIO.fullmatch(ratio)
        wide = found is None or float(found["high"]) > 1.2**2 * float(found["low"])
        if wide or f"| {ratio} |" not in tables:
            wrong.append(ratio)
    return wrong


def test_a_ratio_that_is_unsure_or_nowhere_measured_is_seen() -> None:
    tables = "| a | 1.50x (1.40–1.60) |\n| b | 2.00x (1.50–3.00) |\n"
    ratios = ["1.50x (1.40–1.60)", "2.00x (1.50–3.00)", "1.50x (1.41–1.60)", "1.50x"]
    assert not_measured(ratios, tables) == ratios[1:]
