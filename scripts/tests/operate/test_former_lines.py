"""Releases of one line whose class files differ in bytes, and jars of lines that are one since."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from installations import (
    CARRIED,
    OTHER,
    VERSION,
    flink_boost,
    guard_says,
    neighbours,
    new_home,
    our_jars,
    put_jar,
    small_dist,
    texts,
)

from flink_boost.base.errors import VendorFlink
from flink_boost.flink.dropin import RECORD
from flink_boost.flink.lines import load_lines
from flink_boost.flink.releases import class_checksums, load_releases

# 1.16.3 was a line of its own: its wrapper is another file than that of 1.18.1, and does the same.
# So does that of 1.11.3, which is at hand.
FORMER = "1.16.3"
LINE = load_lines()["1.18.1"]
LATEST = load_lines()["2.3.0"]
WRAPPER = "org.apache.flink.runtime.io.network.api.serialization.NonSpanningWrapper"
JAR = LINE.dropin_name(VERSION)

pytestmark = pytest.mark.needs_jars("1.11.3", "1.18.1")


def put_dist(home: Path, wrapper: bytes) -> None:
    """What the line needs of 1.16.3, with that class file."""
    own = {name: CARRIED.stock_class(LINE, name) for name in LINE.classes}
    small_dist(home, FORMER, {**neighbours(LINE), **own, WRAPPER: wrapper})


@pytest.fixture
def wrapper() -> bytes:
    return CARRIED.stock_class(load_lines()["1.11.3"], WRAPPER)


@pytest.fixture
def home(tmp_path: Path, wrapper: bytes) -> Path:
    home = new_home(tmp_path / "flink", OTHER)
    put_dist(home, wrapper)
    return home


def put_former(home: Path, version: str) -> Path:
    """The jar of the former line, which knows its own class files alone."""
    jar = home / "lib" / f"flink-boost-{FORMER}-{version}.jar"
    (dist,) = (home / "lib").glob("flink-dist*.jar")
    with zipfile.ZipFile(dist) as archive:
        found = class_checksums(archive, LINE.classes)
    with zipfile.ZipFile(CARRIED.dropin(LINE)) as ours, zipfile.ZipFile(jar, "w") as former:
        for name in ours.namelist():
            content = ours.read(name)
            if name == RECORD:
                text = content.decode()
                for class_name, checksum in found.items():
                    key = re.escape(f"class.{class_name}=")
                    text, count = re.subn(rf"(?m)^({key}).*$", rf"\g<1>{checksum}", text)
                    assert count == 1
                for key, value in (("flink.version", FORMER), ("boost.version", version)):
                    text, count = re.subn(rf"(?m)^({key}=).*$", rf"\g<1>{value}", text)
                    assert count == 1
                content = text.encode()
            former.writestr(name, content)
    return jar


def answer_of(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> dict[str, Any]:
    capsys.readouterr()
    flink_boost(*arguments, "--json")
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


def test_a_release_gets_the_jar_of_a_line_whose_classes_do_the_same(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert load_releases().releases[FORMER].classes == LINE.version
    assert flink_boost("install", home) == 0
    assert our_jars(home) == [JAR]
    assert guard_says(home).startswith("fits: ")
    diagnosis = answer_of(capsys, "doctor", home)
    assert diagnosis["ok"], diagnosis
    told = "Its classes do what those of Flink 1.18.1 do, whose jar fits; "
    assert any(text.startswith(told) for text in texts(diagnosis))


@pytest.mark.parametrize("version", ["0.2.0", VERSION])
def test_a_jar_of_the_former_line_fits_and_is_replaced_and_removed(
    home: Path, version: str, capsys: pytest.CaptureFixture[str]
) -> None:
    former = put_former(home, version)
    assert guard_says(home).startswith("fits: ")
    diagnosis = answer_of(capsys, "doctor", home)
    assert diagnosis["ok"], diagnosis
    not_compared = f"{former.name} is installed and not damaged; this flink-boost carries none of"
    assert any(text.startswith(not_compared) for text in texts(diagnosis))

    answer = answer_of(capsys, "install", home)
    assert (answer["action"], answer["misfits"]) == ("replaced", [])
    assert our_jars(home) == [JAR]

    put_former(home, version)
    told = texts(answer_of(capsys, "doctor", home))
    both = f"{former.name} is of flink-boost {version} for Flink {FORMER}: it fits this Flink"
    assert any(text.startswith(both) for text in told), told
    assert flink_boost("uninstall", home) == 0
    assert our_jars(home) == []


# One jar was for both. Before 1.19 PojoSerializer is another, as that of 2.3.0 is.
@pytest.mark.needs_jars("1.19.3", "2.3.0")
@pytest.mark.parametrize(("release", "fitting"), [("1.18.1", "1.18.1"), ("1.19.3", "1.19.3")])
def test_each_half_of_a_line_that_was_split_gets_its_own_jar(
    home: Path, release: str, fitting: str, capsys: pytest.CaptureFixture[str]
) -> None:
    wide, own = load_lines()["1.19.3"], load_lines()[fitting]
    classes = {name: CARRIED.stock_class(wide, name) for name in wide.classes}
    if release == "1.18.1":
        records = wide.classes.keys() - wide.strings.keys()
        classes |= {name: CARRIED.stock_class(LATEST, name) for name in records}
    small_dist(home, release, {**neighbours(wide), **classes})
    former = put_jar(home, wide)
    assert load_releases().releases[release].classes == fitting
    assert guard_says(home).startswith("fits: ")
    answer = answer_of(capsys, "install", home)
    assert answer["action"] == ("unchanged" if own == wide else "replaced")
    assert our_jars(home) == [own.dropin_name(VERSION)]
    assert former.exists() == (own == wide)
    diagnosis = answer_of(capsys, "doctor", home)
    assert diagnosis["ok"], diagnosis


def test_a_file_that_does_the_same_and_is_of_no_release_is_that_of_an_own_build(
    home: Path, wrapper: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    # The name of the source file, for debuggers only.
    own = wrapper.replace(b"NonSpanningWrapper.java", b"NonSpanningWrapper.mine")
    assert own != wrapper
    former = put_former(home, "0.2.0")
    put_dist(home, own)
    assert not guard_says(home).startswith("fits: ")
    found = texts(answer_of(capsys, "doctor", home))
    assert any(f"{former.name} is built for Flink {FORMER}: no process" in text for text in found)
    former.unlink()

    assert flink_boost("install", home) == VendorFlink.exit_code
    assert our_jars(home) == []
    assert f"`flink-boost install {home} --weave` makes a jar" in capsys.readouterr().err
