"""verify, install, uninstall and doctor where our classes are inside flink-dist."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from installations import (
    CARRIED,
    JAR,
    LINE,
    OTHER,
    everything_in,
    flink_boost,
    java_environment,
    new_home,
)
from small_distribution import entry_of

from flink_boost.base.errors import (
    BrokenData,
    FlinkBoostError,
    ReplacedClasses,
    SeveralDropIns,
    UsageProblem,
    VendorFlink,
)
from flink_boost.base.files import sha256
from flink_boost.flink.distribution import ensure_distribution
from flink_boost.flink.lines import Line
from flink_boost.operate.dist.jar import write_replaced
from flink_boost.operate.verify import judge_jar

pytestmark = pytest.mark.needs_jars


@pytest.fixture(scope="module")
def replaced_dist(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    jar = tmp_path_factory.mktemp("replaced") / "flink-dist-2.3.0.jar"
    with jar.open("wb") as file:
        write_replaced(official_dist(LINE), CARRIED.dropin(LINE), file.write)
    yield jar
    jar.unlink()


def official_dist(line: Line) -> Path:
    (jar,) = (ensure_distribution(line) / "lib").glob("flink-dist*.jar")
    return jar


@pytest.fixture
def replaced_home(replaced_dist: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JAVA_HOME", java_environment(LINE)["JAVA_HOME"])
    home = new_home(tmp_path / "flink")
    dist = home / "lib" / replaced_dist.name
    dist.unlink()
    os.link(replaced_dist, dist)
    return home


Answer = Callable[..., dict[str, Any]]


@pytest.fixture
def answer(capsys: pytest.CaptureFixture[str]) -> Answer:
    def call(*arguments: str | Path) -> dict[str, Any]:
        capsys.readouterr()
        flink_boost(*arguments, "--json")
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return found

    return call


@pytest.mark.usefixtures("fewer_strings")
def test_verify_proves_the_replaced_variant_with_the_official_jar_beside(
    replaced_home: Path, answer: Answer
) -> None:
    found = answer("verify", replaced_home, "--stock", official_dist(LINE))

    assert found["ok"], found
    assert found["jar"] == str(replaced_home / "lib" / "flink-dist-2.3.0.jar")
    details = {check["name"]: check["detail"] for check in found["checks"]}
    assert list(details) == [
        *("jar", "version", "classes", "stock", "bytes", "mode", "families", "options")
    ]
    assert details["jar"].startswith("flink-dist-2.3.0.jar is the official one with the classes of")
    assert "names this version, and the guard is in place" in details["version"]
    assert details["classes"] == "All 8 patched classes are loaded from flink-dist-2.3.0.jar."
    assert details["bytes"].startswith("5,000 strings")


def other_jar(home: Path) -> Path:
    return official_dist(OTHER)


def same_jar(home: Path) -> Path:
    return home / "lib" / "flink-dist-2.3.0.jar"


def rebuilt_jar(home: Path) -> Path:
    """A few classes, one of them from another compiler run."""
    jar = home.parent / "flink-dist-2.3.0.jar"
    with zipfile.ZipFile(official_dist(LINE)) as official, zipfile.ZipFile(jar, "w") as archive:
        for name in ("META-INF/MANIFEST.MF", *map(entry_of, LINE.classes)):
            content = official.read(name)
            archive.writestr(name, content.replace(b"StringValue.java", b"StringValu3.java"))
    return jar


def no_jar(home: Path) -> Path:
    file = home.parent / "flink-dist.jar"
    file.write_text("not a jar")
    return file


@pytest.mark.parametrize(
    ("choose", "error", "words"),
    [
        (other_jar, UsageProblem, "is Flink 1.20.5, but"),
        (same_jar, ReplacedClasses, "has flink-boost's classes inside"),
        (rebuilt_jar, VendorFlink, "StringValue is not the official one"),
        (no_jar, BrokenData, "cannot be read as Flink's jar"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_verify_takes_nothing_but_the_official_jar_to_compare_with(
    choose: Callable[[Path], Path],
    error: type[FlinkBoostError],
    words: str,
    replaced_home: Path,
    answer: Answer,
) -> None:
    found = answer("verify", replaced_home, "--stock", choose(replaced_home))

    assert found["exit_code"] == error.exit_code
    assert words in found["error"]
    assert found["next_step"]


def test_a_replaced_jar_with_one_other_byte_fails(replaced_dist: Path, tmp_path: Path) -> None:
    """In a class that is not ours, far from the strings."""
    jar = tmp_path / "flink-dist-2.3.0.jar"
    shutil.copyfile(replaced_dist, jar)
    with zipfile.ZipFile(jar) as archive:
        info = archive.getinfo("org/apache/flink/api/java/tuple/Tuple2.class")
    with jar.open("r+b") as file:
        file.seek(info.header_offset + 200)
        byte = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte[0] ^ 1]))
    dropin = CARRIED.dropin(LINE)

    assert judge_jar(replaced_dist, dropin, official_dist(LINE)).passed
    found = judge_jar(jar, dropin, official_dist(LINE))
    assert not found.passed
    assert f"{jar} (SHA-256 {sha256(jar)}) is not" in found.detail


def test_without_the_official_jar_each_command_says_so_and_changes_nothing(
    replaced_home: Path, answer: Answer
) -> None:
    before = everything_in(replaced_home)
    for command in ("install", "verify", "uninstall"):
        found = answer(command, replaced_home)
        assert found["exit_code"] == ReplacedClasses.exit_code, command
        assert "--stock JAR" in found["next_step"]
    assert everything_in(replaced_home) == before

    diagnosis = answer("doctor", replaced_home)
    assert diagnosis["ok"], diagnosis
    texts = [finding["text"] for finding in diagnosis["findings"]]
    assert any("has our classes inside" in text for text in texts)
    assert not any("No flink-boost jar is installed" in text for text in texts)


def test_a_jar_beside_the_replaced_classes_is_refused_and_can_be_removed(
    replaced_home: Path, answer: Answer
) -> None:
    before = everything_in(replaced_home)
    shutil.copy(CARRIED.dropin(LINE), replaced_home / "lib")

    refused = answer("verify", replaced_home, "--stock", official_dist(LINE))
    assert refused["exit_code"] == SeveralDropIns.exit_code
    assert f"and {replaced_home / 'lib'} holds {JAR} as well" in refused["error"]
    assert answer("doctor", replaced_home)["exit_code"] == SeveralDropIns.exit_code

    removed = answer("uninstall", replaced_home)
    assert removed["removed"] == [str(replaced_home / "lib" / JAR)]
    assert everything_in(replaced_home) == before
