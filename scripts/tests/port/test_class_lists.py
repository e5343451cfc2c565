"""NOTICE and docs/operating.md list the classes of ``[patched]``, and nothing else."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from flink_boost.base.errors import BrokenData
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.classes import PatchedClass
from flink_boost.flink.lines import load_patched
from flink_boost.port.class_lists import NOTICE, PAGE, main, with_lists, without_words

ROWS = "org.acme.Rows$Writer"
FILES = (NOTICE, PAGE, Path("lines.toml"), Path("classes.lock"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for path in FILES:
        (tmp_path / path).parent.mkdir(exist_ok=True)
        shutil.copy(PROJECT_ROOT / path, tmp_path / path)
    return tmp_path


def test_the_lists_are_those_of_lines_toml() -> None:
    """If not: ``make format`` writes them."""
    for path, text in with_lists(PROJECT_ROOT, load_patched().values()).items():
        assert (PROJECT_ROOT / path).read_text(encoding="utf-8") == text


def test_each_class_has_words() -> None:
    assert without_words((PROJECT_ROOT / PAGE).read_text(encoding="utf-8")) == []


def test_a_new_class_is_entered_and_a_lost_one_taken_out(root: Path) -> None:
    before = (root / NOTICE).read_text()
    lines = (root / "lines.toml").read_text()
    entry = '{ jar = "flink-rows", family = "records", since = "1.20", until = "2.2" }'
    gone = next(line for line in lines.splitlines() if line.startswith('"org.apache.flink.types.S'))
    (root / "lines.toml").write_text(lines.replace(gone, f'"{ROWS}" = {entry}'))

    main(root)

    notice, page = ((root / path).read_text() for path in (NOTICE, PAGE))
    assert f"\n  {ROWS} (Flink 1.20 to 2.2 only)\n" in notice
    assert "\n| `Rows.Writer` | flink-rows | 1.20 to 2.2 |  |\n" in page
    assert without_words(page) == ["Rows.Writer"]
    for text in (notice, page):
        assert "StringValue" not in text.partition("changed as follows")[2].partition("Some of")[0]
    assert "| `StringValue` |" not in page
    assert "| `RecordWriter` | flink-runtime | to 1.9 | a record goes to its network" in page
    again = with_lists(root, load_patched().values())
    assert again[NOTICE] == before
    assert without_words(again[PAGE]) == ["StringValue"]


@pytest.mark.parametrize("path", [NOTICE, PAGE])
def test_a_file_without_its_list_is_refused(path: Path, root: Path) -> None:
    (root / path).write_text("nothing\n")
    with pytest.raises(BrokenData, match=path.name):
        with_lists(root, (PatchedClass(ROWS, "flink-rows", "records"),))
