"""``doctor`` on the jar and the class path: damaged, of another build, behind or beside others."""

from __future__ import annotations

import errno
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from installations import (
    CARRIED,
    JAR,
    LINE,
    OTHER,
    damage,
    new_home,
    place_of,
    problems,
    put_in_front,
    put_jar,
)

from flink_boost.base.errors import (
    BrokenData,
    EnvironmentProblem,
    HalfWritten,
    RenamedDropIn,
    VerificationFailed,
)
from flink_boost.flink.dropin import read_dropin, require_whole
from flink_boost.operate.contents import read_contents, require_orderly

pytestmark = pytest.mark.needs_jars


OUTPUT = "org.apache.flink.core.memory.DataOutputSerializer"
Answer = Callable[..., dict[str, Any]]


@pytest.mark.parametrize(
    "name",
    ["codec/VarintDecoder", pytest.param("guard/VersionGuard", marks=pytest.mark.test_all)],
)
def test_a_jar_that_is_damaged_in_the_middle(home: Path, answer: Answer, name: str) -> None:
    put_jar(home)
    assert problems(answer("doctor", home)) == []
    damage(home / "lib" / JAR, place_of(home / "lib" / JAR, name))

    found = answer("doctor", home)

    assert found["exit_code"] == BrokenData.exit_code
    assert problems(found)[0].startswith(f"{home / 'lib' / JAR} is damaged (")
    assert answer("install", home)["action"] == "replaced"
    assert answer("doctor", home)["ok"]


def test_every_damaged_place_has_a_sentence(tmp_path: Path) -> None:
    """Also where the record is, the table of contents, and the headers of entries."""
    jar = tmp_path / "lib" / JAR
    jar.parent.mkdir()
    whole = CARRIED.dropin(LINE)
    size = whole.stat().st_size
    for place in (0, 40, *range(1000, size, size // 200), size - 300, size - 40):
        shutil.copy(whole, jar)
        damage(jar, place, min(60, size - place))
        with pytest.raises((BrokenData, HalfWritten, RenamedDropIn)):
            require_sound(jar.parent)


def require_sound(lib: Path) -> None:
    """What doctor asks of the jar in ``lib/``."""
    known = [CARRIED.dropin(LINE)]
    found = require_orderly(read_contents(lib, known), lib.parent)
    assert found is not None
    require_whole(found, known)


def test_another_build_of_the_same_name(home: Path, answer: Answer) -> None:
    shutil.copy(CARRIED.dropin(LINE), home / "lib" / JAR)
    with zipfile.ZipFile(home / "lib" / JAR, "a") as archive:
        archive.writestr("more.txt", "one entry more")
    found = answer("doctor", home)
    assert found["exit_code"] == BrokenData.exit_code
    assert "is not the jar that this flink-boost carries (SHA-256" in problems(found)[0]


def test_without_a_jar_to_compare_with_the_checksums_inside_decide(tmp_path: Path) -> None:
    jar = tmp_path / JAR
    shutil.copy(CARRIED.dropin(LINE), jar)
    dropin = read_dropin(jar)
    assert dropin is not None
    assert require_whole(dropin, [CARRIED.dropin(LINE)]) is True
    assert require_whole(dropin, [CARRIED.dropin(OTHER)]) is False
    damage(jar)
    with pytest.raises(BrokenData, match="is damaged"):
        require_whole(dropin, [])


def test_a_jar_of_our_name_that_may_not_be_read(
    home: Path, monkeypatch: pytest.MonkeyPatch, answer: Answer
) -> None:
    put_jar(home)
    jar, open_file = home / "lib" / JAR, Path.open

    def refused(path: Path, *arguments: Any, **options: Any) -> Any:
        if path == jar:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return open_file(path, *arguments, **options)

    monkeypatch.setattr(Path, "open", refused)
    found = answer("doctor", home)
    assert found["exit_code"] == EnvironmentProblem.exit_code
    assert problems(found) == [f"{jar} cannot be read (Permission denied)."]


def test_jars_from_another_folder(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: Answer
) -> None:
    put_jar(home)
    other = new_home(tmp_path / "other") / "lib"
    monkeypatch.setenv("FLINK_LIB_DIR", str(other))
    found = answer("doctor", home)
    assert found["exit_code"] == EnvironmentProblem.exit_code
    assert problems(found)[0].startswith(f"FLINK_LIB_DIR is {other}: the scripts of {home} take")

    # The same folder by another name is no fault.
    (tmp_path / "current").symlink_to(home)
    monkeypatch.setenv("FLINK_LIB_DIR", str(tmp_path / "current" / "lib"))
    assert answer("doctor", home)["ok"]


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ([OUTPUT], f"its class {OUTPUT} is not patched: no process of this Flink will start"),
        (list(LINE.classes), "brings the classes that it replaces: stock's code runs"),
    ],
    ids=["one", "all"],
)
def test_classes_in_front_of_ours(names: list[str], words: str, home: Path, answer: Answer) -> None:
    put_jar(home)
    front = put_in_front(home, names)
    found = answer("doctor", home)
    assert found["exit_code"] == VerificationFailed.exit_code
    (problem,) = problems(found)
    assert problem.startswith(f"{front} stands before {home / 'lib' / JAR} on the class path")
    assert words in problem


def test_a_class_of_another_release_anywhere(home: Path, answer: Answer) -> None:
    """The guard compares what is behind our jar too."""
    put_jar(home)
    with zipfile.ZipFile(home / "lib" / "zzz-last.jar", "w") as archive:
        archive.writestr(f"{OUTPUT.replace('.', '/')}.class", b"another")
    found = answer("doctor", home)
    assert found["exit_code"] == VerificationFailed.exit_code
    assert problems(found)[0].startswith(f"{home}/lib/zzz-last.jar has a {OUTPUT} that is not")


def test_a_relocated_class_is_another_class(home: Path, answer: Answer) -> None:
    put_jar(home)
    with zipfile.ZipFile(home / "lib" / "aaa-first.jar", "w") as archive:
        archive.writestr(f"shaded/{OUTPUT.replace('.', '/')}.class", b"another")
    assert answer("doctor", home)["ok"]
