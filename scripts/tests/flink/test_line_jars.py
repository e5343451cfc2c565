"""Which jars of Flink's a line is built with, where they come from and where they lie."""

from __future__ import annotations

import hashlib
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from flink_boost.base.errors import BrokenData, EnvironmentProblem, UsageProblem
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink import line_jars
from flink_boost.flink.line_build import ensure_further_jars
from flink_boost.flink.line_jars import class_path_jar, further_jars, jars_arguments, patched_jars
from flink_boost.flink.lines import Line, artefacts_of, load_lines

LINE = load_lines()["1.20.5"]
ROWS, TYPES = "flink-table-runtime-1.20.5.jar", "flink-table-common-1.20.5.jar"
PATCHED = (
    '"org.apache.flink.table.Rows" ='
    ' { jar = "flink-table-runtime", family = "records", since = "1.20" }\n'
)


@pytest.fixture
def lines_file(tmp_path: Path) -> Path:
    """A class of a third jar, which the distribution has, and what that refers to."""
    text = (PROJECT_ROOT / "lines.toml").read_text(encoding="utf-8")
    rows, types = (hashlib.sha256(name.encode()).hexdigest() for name in (ROWS, TYPES))
    text = text.replace("[patched]\n", f"[patched]\n{PATCHED}")
    head = '[lines."1.20.5".jars]\n'
    text = text.replace(head, f'{head}"lib/{ROWS}" = "{rows}"\n"{TYPES}" = "{types}"\n')
    (tmp_path / "classes.lock").write_bytes((PROJECT_ROOT / "classes.lock").read_bytes())
    file = tmp_path / "lines.toml"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.fixture
def line(lines_file: Path, monkeypatch: pytest.MonkeyPatch) -> Line:
    monkeypatch.setattr(line_jars, "artefacts_of", lambda each: artefacts_of(each, lines_file))
    return load_lines(lines_file)["1.20.5"]


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """One in which both jars are."""
    folder = tmp_path / ".cache"
    for place, name in ((folder / "flink-1.20.5" / "lib", ROWS), (folder / "jars", TYPES)):
        place.mkdir(parents=True)
        (place / name).write_bytes(name.encode())
    return folder


def test_a_line_without_further_jars_asks_for_none(tmp_path: Path) -> None:
    assert further_jars(LINE) == ()
    assert ensure_further_jars(LINE, tmp_path / "none") == []
    assert not [word for word in jars_arguments(LINE, tmp_path) if word.startswith("-Dfurther")]


def test_what_is_woven_follows_from_the_patched_classes(
    line: Line, lines_file: Path, tmp_path: Path
) -> None:
    core, runtime = "flink-core-1.20.5.jar", "flink-runtime-1.20.5.jar"
    assert patched_jars(line) == (core, runtime, ROWS)
    assert artefacts_of("1.19.3", lines_file) == ("flink-core", "flink-runtime")
    m2 = f"{tmp_path}/.cache/m2/org/apache/flink"
    lib = f"{tmp_path}/.cache/flink-1.20.5/lib"
    patches = f"{tmp_path}/flink-table-runtime-patch/src"
    types = f"{tmp_path}/flink-table-common-patch/src"
    assert jars_arguments(line, tmp_path) == [
        (
            f"-Dstock.jars={m2}/flink-core/1.20.5/{core}:{m2}/flink-runtime/1.20.5/{runtime}"
            f":{lib}/{ROWS}"
        ),
        f"-Dfurther.jars={tmp_path}/.cache/line-jars/1.20.5.jar",
        f"-Dfurther.class.path={lib}/{ROWS}:{tmp_path}/.cache/jars/{TYPES}",
        f"-Dfurther.sources={patches}/main/java,{types}/main/java",
        f"-Dfurther.tests={patches}/test/java,{types}/test/java",
    ]


def test_a_line_that_lacks_the_jar_of_a_patched_class_cannot_be_built(line: Line) -> None:
    without = replace(line, jars={name: line.jars[name] for name in line.jars if name != ROWS})
    with pytest.raises(UsageProblem, match=r"no flink-table-runtime of Flink 1\.20\.5.*\.jars\]"):
        patched_jars(without)


def test_one_jar_names_all_others(line: Line, cache: Path) -> None:
    assert ensure_further_jars(line, cache) == [
        cache / "flink-1.20.5" / "lib" / ROWS,
        cache / "jars" / TYPES,
    ]
    jar = class_path_jar(line, cache)
    with zipfile.ZipFile(jar) as archive:
        text = archive.read("META-INF/MANIFEST.MF").decode()
    assert max(map(len, text.split("\r\n"))) <= 72
    (named,) = [
        each.removeprefix("Class-Path: ")
        for each in text.replace("\r\n ", "").splitlines()
        if each.startswith("Class-Path: ")
    ]
    assert [(jar.parent / name).read_text() for name in named.split()] == [ROWS, TYPES]
    before = jar.stat()
    ensure_further_jars(line, cache)
    assert jar.stat().st_mtime_ns == before.st_mtime_ns


@pytest.mark.parametrize("place", [f"flink-1.20.5/lib/{ROWS}", f"jars/{TYPES}"])
def test_a_jar_with_another_checksum_is_refused(line: Line, cache: Path, place: str) -> None:
    (cache / place).write_text("another")
    with pytest.raises(BrokenData, match=rf"{Path(place).name}"):
        ensure_further_jars(line, cache)
    assert not class_path_jar(line, cache).exists()


def test_a_distribution_without_the_jar_and_no_distribution_are_told(
    line: Line, cache: Path, tmp_path: Path
) -> None:
    (cache / "flink-1.20.5" / "lib" / ROWS).unlink()
    with pytest.raises(BrokenData, match=rf"{ROWS} is missing"):
        ensure_further_jars(line, cache)
    with pytest.raises(EnvironmentProblem, match=r"pins no distribution for Flink 1\.20\.5"):
        ensure_further_jars(replace(line, distribution=()), tmp_path / "empty")
