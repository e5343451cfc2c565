"""How an installation's ``flink-dist`` is read."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from typing import Literal

import pytest
from installations import LINE, official_classes, small_dist, small_home

from flink_boost.flink.home import choose_line, open_home, opened
from flink_boost.flink.lines import load_lines

pytestmark = pytest.mark.needs_jars


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The jars whose table of contents was parsed."""
    found: list[Path] = []
    parse = zipfile.ZipFile

    def noted(file: Path, mode: Literal["r", "w"] = "r") -> zipfile.ZipFile:
        if mode == "r":
            found.append(file)
        return parse(file, mode)

    monkeypatch.setattr(zipfile, "ZipFile", noted)
    return found


def test_it_is_parsed_once(tmp_path: Path, parsed: list[Path]) -> None:
    folder = small_home(tmp_path / "flink")
    parsed.clear()
    for _ in range(2):
        home = open_home(folder)
        assert choose_line(home, load_lines()) == LINE
    assert parsed == [home.dist]


def test_it_is_parsed_anew_when_it_was_replaced_or_changed(
    tmp_path: Path, parsed: list[Path]
) -> None:
    home = open_home(small_home(tmp_path / "flink"))
    parsed.clear()
    small_dist(home.folder, "2.3.0", official_classes())
    opened(home.dist)
    os.utime(home.dist, (1, 1))
    opened(home.dist)
    assert parsed == [home.dist, home.dist]


def test_the_same_file_by_another_name_is_not_parsed_again(
    tmp_path: Path, parsed: list[Path]
) -> None:
    home = open_home(small_home(tmp_path / "flink"))
    other = tmp_path / "other.jar"
    other.hardlink_to(home.dist)
    parsed.clear()
    assert opened(other).namelist() == opened(home.dist).namelist()
    assert parsed == []
