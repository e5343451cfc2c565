"""A release candidate from a folder of jars: whose classes it has, and what is wrong with one."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

import pytest
from installations import LINE, flink_boost, new_home

from flink_boost.base.errors import BrokenData, PatchedCodeChanged, UsageProblem
from flink_boost.flink.distribution import ensure_release_jars


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The official jars under the number of a candidate."""
    for jar in ensure_release_jars("2.3.0"):
        shutil.copy(jar, tmp_path / jar.name.replace("2.3.0", "2.4.0-rc1"))
    (tmp_path / "flink-core-2.4.0-rc1-sources.jar").write_bytes(b"no code")
    return tmp_path


def test_equal_classes_are_found_whatever_the_number(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert flink_boost("releases", "--jars", folder) == 0
    said = capsys.readouterr().out
    assert (
        "all 4 classes of strings that we patch are those of Flink 2.3.0, whose jar fits." in said
    )
    assert flink_boost("releases", "--jars", folder, "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["candidate"], answer["line"]) == ("2.4.0-rc1", "2.3.0")
    assert answer["off"] == []
    assert answer["jars"] == ["flink-core-2.4.0-rc1.jar", "flink-runtime-2.4.0-rc1.jar"]


def test_a_distribution_is_looked_into(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home = new_home(tmp_path / "flink")
    for place in (home, home / "lib"):
        assert flink_boost("releases", "--jars", place) == 0
        assert f"those of Flink {LINE.version}" in capsys.readouterr().out


def test_a_family_that_is_off_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for jar in ensure_release_jars("2.3.0"):
        changed = tmp_path / jar.name.replace("2.3.0", "2.4.0-rc1")
        with zipfile.ZipFile(jar) as old, zipfile.ZipFile(changed, "w") as new:
            for name in old.namelist():
                more = b"x" if name.endswith("/RowSerializer.class") else b""
                new.writestr(name, old.read(name) + more)
    assert flink_boost("releases", "--jars", tmp_path, "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["line"], answer["off"]) == ("2.3.0", ["records"])
    assert flink_boost("releases", "--jars", tmp_path) == 0
    assert "whose jar fits, with records off: their classes differ." in capsys.readouterr().out


@pytest.mark.test_all
def test_other_classes_are_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (old, _) = ensure_release_jars("1.20.2")
    shutil.copy(old, folder / "flink-core-2.4.0-rc1.jar")
    assert flink_boost("releases", "--jars", folder) == PatchedCodeChanged.exit_code
    said = capsys.readouterr().err
    assert "no jar fits as it is. Compared with Flink" in said
    assert "NonSpanningWrapper" in said or "StringValue" in said
    assert "`flink-boost line add 2.4.0-rc1` once it is released" in said


def test_what_is_no_such_folder_says_what_is_wrong(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    assert flink_boost("releases", "--jars", empty) == UsageProblem.exit_code
    assert "holds no jar of Flink's" in capsys.readouterr().err

    assert flink_boost("releases", "--jars", folder, "--look") == UsageProblem.exit_code
    assert "--jars stands alone" in capsys.readouterr().err

    core = folder / "flink-core-2.4.0-rc1.jar"
    second = folder / "flink-core-2.4.0-rc2.jar"
    shutil.copy(core, second)
    assert flink_boost("releases", "--jars", folder) == UsageProblem.exit_code
    assert "jars of several Flinks: 2.4.0-rc1, 2.4.0-rc2" in capsys.readouterr().err
    second.unlink()

    (old, _) = ensure_release_jars("1.20.2")
    other = folder / "flink-dist-2.4.0-rc1.jar"
    shutil.copy(old, other)
    assert flink_boost("releases", "--jars", folder) == UsageProblem.exit_code
    assert f"{core.name} and {other.name} have different classes" in capsys.readouterr().err
    other.unlink()

    core.write_bytes(core.read_bytes()[:1000])
    assert flink_boost("releases", "--jars", folder) == BrokenData.exit_code
    assert f"{core} cannot be read" in capsys.readouterr().err
