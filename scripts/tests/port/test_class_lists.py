"""NOTICE lists the classes of ``[patched]``, and docs/operating.md says what changes in each."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from pages import pages, section

from flink_boost.base.errors import BrokenData
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.lines import load_patched
from flink_boost.port.class_lists import NOTICE, main, with_list

ROWS = "org.acme.Rows$Writer"


def test_the_list_is_that_of_lines_toml() -> None:
    """If not: ``make format`` writes it."""
    text = (PROJECT_ROOT / NOTICE).read_text(encoding="utf-8")
    assert with_list(text, load_patched().values()) == text


def unnamed(text: str) -> list[str]:
    """Patched classes, without their packages and outer classes, that a text does not name."""
    names = [name.rpartition(".")[2].rpartition("$")[2] for name in load_patched()]
    return [name for name in names if f"`{name}`" not in text]


def test_the_page_for_operators_names_each_class() -> None:
    text = section(pages()["docs/operating.md"], "What is patched")
    assert unnamed(text) == []
    assert unnamed(text.replace("`RowSerializer`", "")) == ["RowSerializer"]


def test_a_new_class_is_entered_and_a_lost_one_taken_out(tmp_path: Path) -> None:
    for path in (NOTICE, "lines.toml", "classes.lock"):
        shutil.copy(PROJECT_ROOT / path, tmp_path)
    before = (tmp_path / NOTICE).read_text()
    lines = (tmp_path / "lines.toml").read_text()
    entry = '{ jar = "flink-rows", family = "records", since = "1.20", until = "2.2" }'
    gone = next(line for line in lines.splitlines() if line.startswith('"org.apache.flink.types.S'))
    (tmp_path / "lines.toml").write_text(lines.replace(gone, f'"{ROWS}" = {entry}'))

    main(tmp_path)

    notice = (tmp_path / NOTICE).read_text()
    assert f"\n  {ROWS} (Flink 1.20 to 2.2 only)\n" in notice
    assert "StringValue" not in notice
    assert with_list(notice, load_patched().values()) == before


def test_a_file_without_its_list_is_refused() -> None:
    with pytest.raises(BrokenData, match=NOTICE.name):
        with_list("nothing\n", load_patched().values())
