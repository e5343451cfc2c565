"""A build of Flink is known by its classes; its number may be anything."""

from __future__ import annotations

import json
import re
import zipfile
from functools import cache
from pathlib import Path

import pytest
from installations import LINE, VERSION, flink_boost, java_environment, new_home, our_jars
from own_flinks import compiled, repacked, with_entries

from flink_boost.base.errors import PatchedCodeChanged, UnsupportedFlink
from flink_boost.base.text import printable, version_text
from flink_boost.flink.distribution import ensure_distribution
from flink_boost.flink.dropin import RECORD, read_dropin
from flink_boost.flink.home import open_home
from flink_boost.flink.versions import is_apache

NUMBERS = ("trunk", "vvr-8.0.9-flink-1.17", "1.2.0-acme", "1.2.0")
HOSTILE = ("../../x", "9" * 300, "1.17.2\x1b[31m\x07", "1.17.2\nEvil: x", "a/b\\c d\u202e")
SINCE_1_9 = "org/apache/flink/core/plugin/PluginManager.class"
NETTY = "org/apache/flink/shaded/netty4/io/netty"
STRING_VALUE = "org.apache.flink.types.StringValue"

pytestmark = pytest.mark.needs_jars


@pytest.fixture(autouse=True)
def java_of_the_line(fewer_strings: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.environ", java_environment(LINE))


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Stock's classes from another compilation, by name."""
    folder = compiled(tmp_path_factory.mktemp("compiled"), LINE.classes)
    return {
        ".".join(file.relative_to(folder).with_suffix("").parts): file.read_bytes()
        for file in folder.rglob("*.class")
    }


def manifest(number: str) -> bytes:
    """As ``jar`` writes it: no line has more than 72 bytes."""
    line = f"Implementation-Version: {number}".encode()
    parts = [line[:70], *(line[start : start + 69] for start in range(70, len(line), 69))]
    return b"Manifest-Version: 1.0\r\n" + b"\r\n ".join(parts) + b"\r\n"


def numbered(home: Path, number: str, classes: dict[str, bytes]) -> None:
    """Gives an installation that number and those classes."""
    more = {"META-INF/MANIFEST.MF": manifest(number), **netty()}
    repacked(home, more, classes, manifest=False)


@cache
def netty() -> dict[str, bytes]:
    """What the buffers extend, and a class that no older Flink has."""
    shaded = tuple(
        f"org/apache/flink/shaded/netty4/io/netty/{name}/" for name in ("buffer", "util")
    )
    (dist,) = (ensure_distribution(LINE) / "lib").glob("flink-dist*.jar")
    with zipfile.ZipFile(dist) as archive:
        return {n: archive.read(n) for n in archive.namelist() if n.startswith(shaded)}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return new_home(tmp_path / "flink")


@pytest.mark.parametrize(
    "number",
    [NUMBERS[0], *(pytest.param(number, marks=pytest.mark.test_all) for number in NUMBERS[1:])],
)
def test_the_classes_decide_whatever_the_number(
    number: str, home: Path, classes: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    numbered(home, number, classes)

    assert flink_boost("weave", home, "--dry-run", "--json") == 0, capsys.readouterr().err

    answer = json.loads(capsys.readouterr().out)
    assert (answer["like"], answer["flink_version"]) == (LINE.version, number)


@pytest.mark.parametrize(
    "number", ["trunk", pytest.param("1.2.0-acme", marks=pytest.mark.test_all)]
)
def test_what_differs_is_told_against_the_line_that_it_comes_from(
    number: str, home: Path, classes: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    numbered(home, number, {**classes, STRING_VALUE: b"no class"})

    assert flink_boost("weave", home, "--dry-run") == PatchedCodeChanged.exit_code

    assert f"compared with Flink {LINE.version}, {STRING_VALUE}: " in capsys.readouterr().err


@pytest.mark.parametrize("number", ["1.8.3", "1.8-SNAPSHOT", "1.8.0-rc3"])
def test_an_old_release_is_refused_by_name_before_anything_is_compared(
    number: str,
    home: Path,
    classes: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    numbered(home, number, classes)
    (dist,) = (home / "lib").glob("flink-dist*.jar")
    older = dist.with_suffix(".older")
    with zipfile.ZipFile(dist) as source, zipfile.ZipFile(older, "w") as target:
        for name in source.namelist():
            if name != SINCE_1_9:
                target.writestr(name, source.read(name))
    older.replace(dist)
    monkeypatch.setattr("flink_boost.operate.own_build.ask_jdk", pytest.fail)

    assert flink_boost("weave", home, "--dry-run") == UnsupportedFlink.exit_code

    said = capsys.readouterr().err
    assert f"holds Flink {number}, which is older than 1.9, the first that there are" in said


def said(capsys: pytest.CaptureFixture[str], *words: str | Path) -> str:
    """What a command prints, which a terminal may be shown."""
    flink_boost(*words)
    found = capsys.readouterr()
    printed = found.out + found.err
    assert printed.replace("\n", "") == printable(printed.replace("\n", ""))
    return printed


@pytest.mark.parametrize(
    "number",
    [HOSTILE[0], *(pytest.param(each, marks=pytest.mark.test_all) for each in HOSTILE[1:])],
    ids=range(len(HOSTILE)),
)
def test_a_number_does_no_harm_in_messages(
    number: str, home: Path, classes: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    numbered(home, number, classes)
    shown = open_home(home).version
    assert re.fullmatch(r"[0-9A-Za-z_.+~-]{1,64}", shown)
    for words in (("doctor", home), ("install", home), ("weave", home, "--dry-run")):
        printed = said(capsys, *words)
        assert number not in printed
        assert shown in printed or "a jar can be made" in printed


@pytest.mark.test_all
def test_a_number_does_no_harm_in_names_of_files(
    home: Path, classes: dict[str, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither beside the jar nor in its name is anything of it."""
    number = f"../../x\x1b[31m{'9' * 300}"
    whole(home, number, classes)
    out = tmp_path / "a" / "b" / "out"
    out.mkdir(parents=True)

    def outside() -> list[Path]:
        return sorted(path for path in tmp_path.rglob("*") if home not in path.parents)

    before = outside()
    assert f"Wrote {out}" in said(capsys, "weave", home, "--out", out)
    assert "Flink .._.._x__31m99" in said(capsys, "install", home, "--weave")
    said(capsys, "doctor", home)

    (jar,) = our_jars(home)
    assert re.fullmatch(rf"flink-boost-{LINE.version}-own-[0-9a-f]{{12}}-{VERSION}.jar", jar)
    assert outside() == sorted([*before, out / jar])


def whole(home: Path, number: str, classes: dict[str, bytes]) -> None:
    """As ``numbered``, with all of Flink."""
    changed = {f"{name.replace('.', '/')}.class": code for name, code in classes.items()}
    with_entries(home, {**changed, "META-INF/MANIFEST.MF": manifest(number)})


def test_a_jar_may_say_what_it_likes_of_itself(tmp_path: Path) -> None:
    jar = tmp_path / "x.jar"
    record = f"flink.version=../../x\x1b[0m\nboost.version={'y/' * 200}\nclass.A=0\n"
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr(RECORD, record)
    found = read_dropin(jar)
    assert found is not None
    assert re.fullmatch(r"flink-boost-\.\._\.\._x__0m-[y_]{64}\.jar", found.proper_name)


def test_words_of_others_are_shown_without_what_a_terminal_obeys() -> None:
    assert printable("a\x1b]0;b\x07\u202ec\u00e9 \u4e2d") == "a?]0;b??c\u00e9 \u4e2d"
    assert version_text(" 1.20.5-own-0123456789ab ") == "1.20.5-own-0123456789ab"
    assert version_text("../x\n") == ".._x"


def test_the_form_of_apaches_numbers() -> None:
    apache = ("1.8", "1.8.3", "2.4-SNAPSHOT", "1.9.0-rc1")
    other = ("", "trunk", "1.2.0-acme", "1", "1.2.3.4", "vvr-1.17.2", "9" * 10 + ".1", "1.8.3\n")
    assert [each for each in (*apache, *other) if is_apache(each)] == [*apache]
