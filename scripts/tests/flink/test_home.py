"""How an installation's ``flink-dist`` is read."""

from __future__ import annotations

import hashlib
import os
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from installations import LINE, official_classes, small_dist, small_home

from flink_boost.flink.home import FlinkHome, choose_line, home_checksums, open_home, opened
from flink_boost.flink.lines import Line, load_lines

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


ROWS = "org.apache.flink.table.Rows"


def with_rows(line: Line, content: bytes) -> Line:
    """The line with a class of a family beside strings, which is in no ``flink-dist``."""
    return replace(
        line,
        classes={**line.classes, ROWS: hashlib.sha256(content).hexdigest()},
        family_of={**line.family_of, ROWS: "rows"},
    )


def put_rows(home: FlinkHome, name: str, content: bytes, *more: str) -> None:
    with zipfile.ZipFile(home.lib / name, "w") as jar:
        for each in (ROWS.replace(".", "/") + ".class", *more):
            jar.writestr(each, content)


def test_a_class_of_another_jar_is_found_in_lib_and_its_family_is_off_without_it(
    tmp_path: Path,
) -> None:
    home = open_home(small_home(tmp_path / "flink"))
    line = with_rows(LINE, b"rows")
    (home.lib / "broken.jar").write_text("no jar")
    assert ROWS not in home_checksums(home, [line])
    assert choose_line(home, {line.version: line}) == LINE

    put_rows(home, "flink-table-runtime.jar", b"rows")
    assert choose_line(home, {line.version: line}) == line
    # The first of two counts.
    put_rows(home, "a-shaded-flink.jar", b"other")
    assert choose_line(home, {line.version: line}) == LINE


def test_a_class_of_strings_counts_in_flink_dist_alone_and_no_jar_of_ours_counts(
    tmp_path: Path,
) -> None:
    home = open_home(small_home(tmp_path / "flink"))
    line = with_rows(LINE, b"rows")
    put_rows(home, "ours.jar", b"rows", "org/apache/flink/boost/guard/BoostMode.class")
    assert ROWS not in home_checksums(home, [line])
    put_rows(home, "flink-table-runtime.jar", b"rows")
    assert ROWS in home_checksums(home, [line])
    of_strings = replace(line, family_of={**line.family_of, ROWS: "strings"})
    assert ROWS not in home_checksums(home, [of_strings])
