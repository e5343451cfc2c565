"""Copies of ``lib/`` on volumes: half a jar of ours, an old one beside the new, what mends it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from installations import (
    CARRIED,
    JAR,
    LINE,
    OTHER,
    VERSION,
    former_dropin,
    our_jars,
    problems,
    put_jar,
    small_home,
    texts,
)

from flink_boost.base.errors import BrokenData, HalfWritten, SeveralDropIns
from flink_boost.base.files import sha256
from flink_boost.operate.contents import read_contents, require_orderly, require_replaceable

Answer = Callable[..., dict[str, Any]]

pytestmark = pytest.mark.needs_jars

WHOLE = CARRIED.dropin(LINE)
SIZE = WHOLE.stat().st_size if WHOLE.is_file() else 0
FORMER = "flink-boost-2.3.0-0.0.9.jar"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return small_home(tmp_path / "flink")


def put(home: Path, content: bytes, name: str = JAR) -> Path:
    jar = home / "lib" / name
    jar.write_bytes(content)
    return jar


def beginning(home: Path) -> tuple[Path, str]:
    jar = put(home, WHOLE.read_bytes()[:70_000])
    return (
        jar,
        f"is cut off: it has the first 70,000 of the {SIZE:,} bytes that were built (SHA-256",
    )


def beginning_under_another_name(home: Path) -> tuple[Path, str]:
    jar = put(home, WHOLE.read_bytes()[:70_000], "boost.jar")
    return (
        jar,
        f"is cut off: it has the first 70,000 of the {SIZE:,} bytes that were built (SHA-256",
    )


def nothing_but_length(home: Path) -> tuple[Path, str]:
    jar = put(home, bytes(SIZE))
    return jar, f"it has {SIZE:,} bytes, and of the {SIZE:,} that were built the first 0 only"


def zeros_at_the_end(home: Path) -> tuple[Path, str]:
    jar = put(home, WHOLE.read_bytes()[:70_000] + bytes(SIZE - 70_000))
    return jar, f"it has {SIZE:,} bytes, and of the {SIZE:,} that were built the first 70,0"


def of_another_version(home: Path) -> tuple[Path, str]:
    jar = put(home, former_dropin(home / "tmp", "0.0.9").read_bytes()[:70_000], FORMER)
    return jar, "a JVM cannot open its 70,000 bytes (SHA-256"


HALVES = [
    beginning,
    beginning_under_another_name,
    nothing_but_length,
    zeros_at_the_end,
    of_another_version,
]


@pytest.mark.parametrize("spoil", HALVES, ids=lambda spoil: spoil.__name__)
def test_half_a_jar_is_told_for_what_it_is(
    spoil: Callable[[Path], tuple[Path, str]], home: Path
) -> None:
    jar, words = spoil(home)
    contents = read_contents(home / "lib", [WHOLE, CARRIED.dropin(OTHER)])
    with pytest.raises(HalfWritten) as raised:
        require_orderly(contents, home)
    assert f"{jar} is " in raised.value.message
    assert words in raised.value.message
    assert sha256(jar) in raised.value.message
    assert (sha256(WHOLE) in raised.value.message) is (spoil is not of_another_version)
    assert require_replaceable(contents, home) == ()


@pytest.mark.parametrize("beside", [True, False], ids=["beside an old one", "alone"])
def test_half_a_jar_is_mended_by_one_command(beside: bool, home: Path, answer: Answer) -> None:
    jar, words = (beginning_under_another_name if beside else beginning)(home)
    if beside:
        shutil.copy(CARRIED.dropin(OTHER), home / "lib")

    found = answer("doctor", home)
    assert found["exit_code"] == HalfWritten.exit_code
    (problem,) = [f for f in found["findings"] if f["level"] == "problem" and words in f["text"]]
    runs = f"{OTHER.dropin_name(VERSION)} is loaded" if beside else "stock's code runs"
    assert f"A JVM passes over such a file without a word: {runs}." in problem["text"]
    assert problem["next_step"].startswith(f"Run `flink-boost install {home}`, which")
    assert (
        f"of flink-boost {VERSION} for Flink 1.20.5: it does not" in str(texts(found))
    ) is beside

    assert answer("install", home)["action"] == "replaced"
    assert our_jars(home) == [JAR]
    assert jar.exists() is (jar.name == JAR)
    assert answer("doctor", home)["ok"]


def test_what_a_killed_installation_left_is_mended_by_the_next_one(
    home: Path, answer: Answer
) -> None:
    left = put(home, WHOLE.read_bytes()[:1000], f".{JAR}.x7.partial")
    put_jar(home)
    assert problems(answer("doctor", home))[0].startswith("A former installation was cut off")
    assert answer("install", home)["removed"] == [str(left)]
    assert our_jars(home) == [JAR]
    assert answer("doctor", home)["ok"]


def test_an_older_jar_beside_the_new_one_is_told_with_what_comes_first(
    home: Path, tmp_path: Path, answer: Answer
) -> None:
    put_jar(home)
    former = Path(shutil.copy(former_dropin(tmp_path, "0.0.9"), home / "lib"))

    found = answer("doctor", home)

    assert found["exit_code"] == SeveralDropIns.exit_code
    (problem,) = problems(found)
    assert f"{FORMER} and {JAR}; {FORMER} comes first on the class path" in problem
    (old,) = [text for text in texts(found) if text.startswith(f"{FORMER} is of flink-boost 0.0.9")]
    size = former.stat().st_size
    assert f"It has {size:,} bytes (SHA-256 {sha256(former)}); this flink-boost carries no" in old
    assert answer("install", home)["action"] == "replaced"
    assert answer("doctor", home)["ok"]


def test_a_renamed_copy_beside_ours_is_mended_by_one_line(home: Path, answer: Answer) -> None:
    put_jar(home)
    shutil.copy(WHOLE, home / "lib" / "copy.jar")
    (step,) = [f["next_step"] for f in answer("doctor", home)["findings"] if f["exit_code"]]
    assert step == f"Run `flink-boost uninstall {home} && flink-boost install {home}`."


@pytest.mark.parametrize("name", ["acme-platform.jar", "flink-boost-notes.jar"])
def test_what_is_broken_and_not_ours_stays(name: str, home: Path, answer: Answer) -> None:
    """Theirs may hold our classes, too."""
    ours = WHOLE.read_bytes() if name.startswith("acme") else b""
    jar = put(home, b"PK\x03\x04theirs" + ours[:90_000], name)
    assert read_contents(home / "lib", [WHOLE]).halves == ()
    refused = BrokenData.exit_code if name.startswith("flink-boost") else 0
    assert answer("install", home)["exit_code"] == refused
    assert jar.exists()
