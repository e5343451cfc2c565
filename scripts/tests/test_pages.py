"""The pages hang together: links lead somewhere, each page is listed, copies of numbers agree."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path

from pages import anchors, broken_links, pages, section, table

import flink_boost
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.side import Side
from flink_boost.judge.trend import TrendKind

FRONT = "README.md"
MEASURED = "docs/measured.md"
# Two screens.
FRONT_LINES = 100

# Notes that are in no clone of the project; put together, or this line would be a citation.
CITATION = re.compile("DES" + "IGN(?:\\.md)?\\s*§|\\bROO" + "MS\\.md")
ELSEWHERE = {".git", ".venv", ".cache", "build", "target", "__pycache__", "node_modules"}


def test_every_link_leads_somewhere() -> None:
    broken = {page: broken_links(page, text) for page, text in pages().items()}
    assert {page: links for page, links in broken.items() if links} == {}


def test_a_broken_link_is_seen(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A b, `c`\n\n## 1.0\n\n```\n# no heading\n```\n")
    text = (
        "[1](docs/a.md) [2](docs/a.md#a-b-c) [3](docs/a.md#10) [4](https://example.org/x#y)"
        " [5](docs/b.md) [6](docs/a.md#no-heading) [7](#mine)\n\n`[8](code.md)`\n"
    )
    (tmp_path / "README.md").write_text(text + "\n## Mine\n")
    assert broken_links("README.md", text, tmp_path) == ["docs/b.md", "docs/a.md#no-heading"]
    assert anchors("## What `it` does, 2 %!\n") == {"what-it-does-2-"}


def test_the_list_of_pages_is_whole() -> None:
    listed = set(re.findall(r"(?m)^- \[([\w-]+\.md)\]", pages()["docs/README.md"]))
    there = {Path(page).name for page in pages() if page.startswith("docs/")}
    assert listed == there - {"README.md"}


_NAMED_TEST = re.compile(r"`(?:[\w/.]*::)?(test_\w+)`")


def unknown_tests(text: str, known: set[str]) -> set[str]:
    """Tests that a page names and nobody has written."""
    return set(_NAMED_TEST.findall(text)) - known


def test_tests_that_pages_name_are_there() -> None:
    files = [path for name in ("scripts", "codespeed-config") for path in files_of_tests(name)]
    written = {
        found for path in files for found in re.findall(r"(?m)^def (test_\w+)", path.read_text())
    }
    text = pages()["docs/threat-model.md"]
    assert len(_NAMED_TEST.findall(text)) > 30
    assert unknown_tests(text, written) == set()
    assert unknown_tests("`test_a.py::test_b` and `test_c`", {"test_c"}) == {"test_b"}


def files_of_tests(name: str) -> list[Path]:
    """Files with Python tests of a folder of the project."""
    return sorted((PROJECT_ROOT / name / "tests").rglob("test_*.py"))


def citations(root: Path) -> list[str]:
    """Places below a folder, ``file:line``, that cite notes which nobody outside has."""
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in ELSEWHERE]
        for name in files:
            path = Path(folder) / name
            if path.is_symlink() or path.stat().st_size > 1_000_000:
                continue
            text = path.read_text(encoding="utf-8", errors="replace")
            lines = [text.count("\n", 0, hit.start()) + 1 for hit in CITATION.finditer(text)]
            found += [f"{path.relative_to(root)}:{line}" for line in lines]
    return found


def test_nothing_cites_what_an_outsider_does_not_have() -> None:
    assert citations(PROJECT_ROOT) == []


def test_a_citation_is_seen(tmp_path: Path) -> None:
    (tmp_path / "A.java").write_text("//\n// as written (DES" + "IGN\u00a0§4)\n")
    (tmp_path / "b.py").write_text("# DESIGN of a class\n")
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "c.md").write_text("DES" + "IGN §1\n")
    assert citations(tmp_path) == ["A.java:2"]


def test_the_front_page_fits_two_screens() -> None:
    assert len(pages()[FRONT].splitlines()) <= FRONT_LINES


def test_the_rooms_are_those_that_exist() -> None:
    text = section(pages()["docs/architecture.md"], "Rooms of the Python package")
    package = Path(flink_boost.__path__[0])
    rooms = {path.parent.name for path in package.glob("*/__init__.py")}
    assert {row[0].strip("`") for row in table(text)} == rooms
    configured = tomllib.loads((PROJECT_ROOT / "scripts" / "pyproject.toml").read_text())
    contracts = configured["tool"]["importlinter"]["contracts"]
    layers = [contract["layers"] for contract in contracts if contract["type"] == "layers"]
    assert re.findall(r"`(\w[^`]* > .+?)`", text) == [" > ".join(each) for each in layers]


def test_the_modules_that_are_said_to_be_changed_are_there() -> None:
    package = Path(flink_boost.__path__[0])
    rows = table(pages()["scripts/README.md"])
    named = [name for _, modules in rows for name in re.findall(r"`([\w./]+)`", modules)]
    assert len(named) > 20
    for name in named:
        path = package / name
        assert path.is_dir() if name.endswith("/") else path.with_suffix(".py").is_file(), name


def test_the_folders_are_those_that_exist() -> None:
    rows = table(section(pages()["docs/architecture.md"], "Folders"))
    named = {re.findall(r"[\w-]+", row[0])[0] for row in rows}
    there = {path.parent.name for name in ("README.md", "pom.xml") for path in modules(name)}
    assert named == there - {"docs"}


def modules(name: str) -> list[Path]:
    """Files of that name directly below the project's visible folders."""
    found = PROJECT_ROOT.glob(f"*/{name}")
    return [path for path in found if not path.parent.name.startswith(".")]


def test_the_glossary_has_the_words_of_the_code() -> None:
    text = pages()["docs/glossary.md"]
    trends = {kind.value.partition("-")[0] for kind in TrendKind}
    for word in (*(side.value for side in Side), *trends, "line", "release", "pair", "alarm"):
        assert f"**{word}**" in text, word


COUNTED = re.compile(
    r"Of (\d+) cells (\d+) are faster, (?:(\d+) the same, )?(?:(\d+) undecided, )?(none|\d+) slower"
)


def counted_wrongly(text: str) -> list[str]:
    """What the sentence above a table says of its cells and the table does not bear out."""
    fields = [field for row in table(text) for field in row[1:]]
    marks = [field.rpartition(")")[2].strip() for field in fields]
    said = COUNTED.search(" ".join(text.split()))
    if said is None:
        return ["nothing is said"]
    numbers = [int(number) if number not in (None, "none") else 0 for number in said.groups()]
    right = [len(fields), *map(marks.count, ("", "=", "?"))]
    right.append(sum(mark in ("▼", "▼▼", "▽") for mark in marks))
    return [f"{a}, not {b}" for a, b in zip(numbers, right, strict=True) if a != b]


def test_what_is_said_of_all_cells_is_counted() -> None:
    assert counted_wrongly(section(pages()[MEASURED], "Strings")) == []


def test_a_wrong_count_is_seen() -> None:
    rows = "| a | 1 | 4 |\n|---|---|---|\n| b | 2x (1–3) | 1x (0.96–1.01) = |\n"
    said = "Of 2 cells 1 are faster, 1 the same, none\nslower"
    assert counted_wrongly(f"{said}.\n\n{rows}") == []
    assert counted_wrongly(f"{said}.\n\n{rows.replace('=', '?')}") == ["1, not 0", "0, not 1"]
    assert counted_wrongly(rows) == ["nothing is said"]


def told_as_history(text: str) -> list[str]:
    """Words of a page that tell what was before, and not what is true now."""
    return re.findall(
        r"the codecs? that followed|had (?:been|read)|\bruns? of (?:their|its) own|behind later",
        " ".join(text.split()),
    )


def test_pages_say_what_is_true_now() -> None:
    logs = ("EXPERIMENTS.md", "CHANGELOG.md")
    told = {page: told_as_history(text) for page, text in pages().items()}
    assert {page for page, words in told.items() if words and not page.endswith(logs)} == set()
    assert told_as_history("Rows are from runs\nof their own; one had been 0.88x") == [
        "runs of their own",
        "had been",
    ]
