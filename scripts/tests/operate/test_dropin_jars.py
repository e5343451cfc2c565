"""What `make jars` leaves: a jar per line with that line's classes, woven and of its Java level."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

import pytest
from installations import VERSION

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.downloads import CACHE
from flink_boost.flink.dropin import ASIDE, DOOR
from flink_boost.flink.line_jars import jar_path, patched_jars
from flink_boost.flink.lines import Line, load_lines

JAVA_8, JAVA_11 = 52, 55
# Flink 1 is compiled for Java 8, Flink 2 for Java 11.
LEVELS = {
    version: 52 if version.startswith("1.") else 55
    for version, line in load_lines().items()
    if line.enabled
}
OURS = "org/apache/flink/boost/"


@pytest.fixture(params=[pytest.param(each, marks=pytest.mark.needs_jars(each)) for each in LEVELS])
def line(request: pytest.FixtureRequest) -> Line:
    return load_lines()[request.param]


@pytest.fixture
def classes(line: Line) -> dict[str, bytes]:
    """The class files of the drop-in jar by name of the entry."""
    jar = PROJECT_ROOT / "build" / "jars" / f"flink-boost-{line.version}-{VERSION}.jar"
    assert jar.is_file(), "Run `make jars` first."
    return class_files(jar)


def class_files(jar: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(jar) as archive:
        names = [name for name in archive.namelist() if name.endswith(".class")]
        return {name: archive.read(name) for name in names}


def level(class_file: bytes) -> int:
    magic, _, major = struct.unpack(">IHH", class_file[:8])
    assert magic == 0xCAFEBABE
    return int(major)


def entry(class_name: str) -> str:
    return class_name.replace(".", "/") + ".class"


def place(class_name: str, line: Line) -> str:
    """Those of families that may be off where strings are on lie aside."""
    return entry(class_name) if class_name in line.strings else f"{ASIDE}{entry(class_name)}"


def test_it_holds_our_classes_and_the_patched_ones_of_the_line_and_no_others(
    line: Line, classes: dict[str, bytes]
) -> None:
    others = {name for name in classes if not name.startswith(OURS)}
    expected = {place(name, line) for name in line.classes}
    # What defines a class that lies aside is of that class's package.
    aside = [name.removeprefix(ASIDE) for name in expected if name.startswith(ASIDE)]
    expected |= {name.rpartition("/")[0] + DOOR for name in aside}
    # And so there is no second form of a class for a newer Java.
    assert others == expected


def test_what_loads_before_java_8_is_refused_is_made_for_it(classes: dict[str, bytes]) -> None:
    ours = {name: level(content) for name, content in classes.items() if name.startswith(OURS)}
    assert len(ours) > 20
    early = {name for name in ours if name.startswith((f"{OURS}guard/", f"{OURS}woven/"))}
    assert len(early) > 20
    assert {ours[name] for name in early} == {JAVA_8}, ours
    assert {ours[name] for name in set(ours) - early} == {JAVA_11}, ours


def test_patched_classes_keep_the_level_of_stocks(line: Line, classes: dict[str, bytes]) -> None:
    jars = [jar_path(line, jar, CACHE) for jar in patched_jars(line)]
    stock = {name: content for jar in jars for name, content in class_files(jar).items()}
    for name in line.classes:
        ours, stocks = classes[place(name, line)], stock[entry(name)]
        assert ours != stocks
        assert b"$flinkBoostStock" in ours or b"org/apache/flink/boost/" in ours
        assert level(ours) == level(stocks) == LEVELS[line.version], name
