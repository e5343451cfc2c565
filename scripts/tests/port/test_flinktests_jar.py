"""The classes of Flink's own tests: which our jar replaces, and what is missing is said."""

from __future__ import annotations

import dataclasses
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from flink_boost import __version__
from flink_boost.base.errors import BrokenData, EnvironmentProblem
from flink_boost.base.files import sha256
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.dropin import ASIDE
from flink_boost.flink.lines import find_line
from flink_boost.port.flinktests.test_class_path import (
    ensure_tests,
    in_place,
    replaced_classes,
    unpack_tests,
)

pytestmark = [pytest.mark.test_all, pytest.mark.needs_jars, pytest.mark.quiet]


LINE = find_line("2.3.0")
JAR = f"flink-boost-{LINE.version}-{__version__}.jar"
DROPIN = PROJECT_ROOT / "build" / "jars" / JAR


def test_the_jar_says_which_classes_it_replaces(tmp_path: Path) -> None:
    assert "org.apache.flink.types.StringValue" in replaced_classes(DROPIN)
    assert set(replaced_classes(DROPIN)) <= set(LINE.classes)
    nothing = tmp_path / "nothing.jar"
    with zipfile.ZipFile(nothing, "w") as archive:
        archive.writestr("org/apache/flink/boost/Only.class", b"")
    with pytest.raises(BrokenData, match="replaces no class of Flink"):
        replaced_classes(nothing)
    nothing.write_bytes(b"not a jar")
    with pytest.raises(BrokenData, match="is not a jar"):
        replaced_classes(nothing)


def test_classes_that_lie_aside_are_tested_where_they_are_in_effect(tmp_path: Path) -> None:
    jar = in_place(DROPIN, LINE, tmp_path / "of-line" / DROPIN.name)
    assert set(replaced_classes(jar)) == set(LINE.classes)
    pojos = "org/apache/flink/api/java/typeutils/runtime/PojoSerializer.class"
    with zipfile.ZipFile(DROPIN) as ours, zipfile.ZipFile(jar) as copy:
        assert copy.read(pojos) == ours.read(ASIDE + pojos)
        assert len(copy.namelist()) == len(ours.namelist())
    other = dataclasses.replace(LINE, classes=LINE.strings)
    assert in_place(DROPIN, other, tmp_path / DROPIN.name) == DROPIN
    assert set(replaced_classes(DROPIN)) == set(LINE.strings)


def test_a_line_without_a_pom_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match=r"flink-2\.3\.0\.xml is missing"):
        ensure_tests(LINE, "core", tmp_path, poms=tmp_path)


def test_maven_errors_are_told_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "flink-2.3.0.xml").write_text("<project>", encoding="utf-8")
    told = r"Maven could not fetch Flink's tests \(Non-readable POM .*flink-2\.3\.0\.xml"
    with pytest.raises(EnvironmentProblem, match=told):
        ensure_tests(LINE, "core", tmp_path, poms=tmp_path)


def test_two_calls_at_once_both_find_all_of_it(tmp_path: Path) -> None:
    jar = tmp_path / "tests.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        for number in range(300):
            archive.writestr(f"org/Test{number}.class", b"x" * 100)
    folder = tmp_path / "unpacked"

    def unpack(_: int) -> int:
        unpack_tests(jar, sha256(jar), folder)
        return len(list(folder.rglob("*.class")))

    for _ in range(5):
        with ThreadPoolExecutor(8) as together:
            assert set(together.map(unpack, range(8))) == {300}
        folder.with_name("unpacked.sha256").unlink()
