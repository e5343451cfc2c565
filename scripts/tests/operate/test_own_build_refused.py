"""``weave`` of builds that no jar can work with or that need none: refused or left as they are."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from installations import (
    CARRIED,
    JAR,
    LINE,
    VERSION,
    everything_in,
    flink_boost,
    java_environment,
    new_home,
    official_classes,
    our_jars,
    small_dist,
)
from own_flinks import own_home, repacked

from flink_boost.base.errors import (
    BrokenData,
    FlinkBoostError,
    HalfWritten,
    NotAFlinkHome,
    PatchedCodeChanged,
    ReplacedClasses,
    UnsupportedFlink,
    UsageProblem,
    VendorFlink,
)
from flink_boost.flink.dropin import ASIDE, read_dropin

pytestmark = pytest.mark.needs_jars


STRING_VALUE = "org.apache.flink.types.StringValue"
WRITTEN = ("out.write((lenToWrite >>> 28));", "out.write((lenToWrite >>> 27));")
ROWS = "org.apache.flink.api.java.typeutils.runtime.RowSerializer"
ROWS_FILLED = "fillMask(length, record, mask, supportsRowKind, rowKindOffset);"
OTHER_ROWS = (ROWS_FILLED, ROWS_FILLED.replace("Offset", "Offset + 0"))
UNRELATED = ("return startsWith(prefix, 0);", "return startsWith(prefix, 1);")


@pytest.fixture(autouse=True)
def java_of_the_line(fewer_strings: None, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in java_environment(LINE).items():
        monkeypatch.setenv(name, value)


def test_half_a_woven_jar_is_to_be_woven_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = new_home(tmp_path / "flink")
    half = home / "lib" / f"flink-boost-{LINE.version}-own-0123456789ab-{VERSION}.jar"
    half.write_bytes(CARRIED.dropin(LINE).read_bytes()[:20_000])
    assert flink_boost("verify", home) == HalfWritten.exit_code
    assert f"`flink-boost install {home} --weave`" in capsys.readouterr().err


def test_a_folder_that_is_not_there_does_not_become_a_jar(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = new_home(tmp_path / "flink")
    assert flink_boost("weave", home, "--out", f"{tmp_path}/build/") == UsageProblem.exit_code
    assert f"There is no folder {tmp_path}/build." in capsys.readouterr().err
    assert not (tmp_path / "build").exists()


@pytest.mark.test_all
def test_another_compiler_and_unrelated_code_make_no_difference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = own_home(tmp_path, ("-g", "-parameters"), {STRING_VALUE: UNRELATED})
    assert flink_boost("weave", home, "--dry-run") == 0
    assert "a jar can be made" in capsys.readouterr().out


@pytest.mark.test_all
def test_one_other_instruction_is_refused_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = own_home(tmp_path, ("-g:none",), {STRING_VALUE: WRITTEN})
    before = everything_in(home)
    out = tmp_path / "own.jar"
    for words in (("weave", home, "--out", out), ("install", home, "--weave")):
        assert flink_boost(*words) == PatchedCodeChanged.exit_code
        said = capsys.readouterr().err
        assert f"compared with Flink {LINE.version}, {STRING_VALUE}: writeString(" in said
        assert "is `push integer 27`, expected `push integer 28`" in said
        assert "Nothing was changed." in said
    assert everything_in(home) == before
    assert not out.exists()


def test_other_serializers_of_records_are_left_as_they_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = own_home(tmp_path, ("-g:none",), {ROWS: OTHER_ROWS})
    assert flink_boost("install", home, "--weave", "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    (note,) = answer["notes"]
    assert note.startswith(f"Without records: {ROWS}: ")
    dropin = read_dropin(Path(answer["jar"]))
    assert dropin is not None
    assert dropin.families == ("strings",)
    assert dropin.classes.keys() == LINE.strings.keys()
    with zipfile.ZipFile(dropin.path) as jar:
        left = [n for n in jar.namelist() if "/records/" in n or n.startswith(ASIDE)]
        assert all(name.endswith("/package-info.class") for name in left)
    assert flink_boost("verify", home) == 0, capsys.readouterr().out
    assert "Strings on." in capsys.readouterr().out
    assert flink_boost("doctor", home) == 0, capsys.readouterr().out
    assert "records" not in capsys.readouterr().out


@pytest.mark.test_all
def test_a_neighbour_that_is_not_as_it_was_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hidden = ("public boolean isFreed() {", "boolean isFreed() {")
    name = "org.apache.flink.core.memory.MemorySegment"
    home = own_home(tmp_path, ("-g:none",), {name: hidden})
    assert flink_boost("weave", home, "--dry-run") == PatchedCodeChanged.exit_code
    assert (
        f"{name}.isFreed()boolean is package method, expected public method"
        in capsys.readouterr().err
    )


def test_an_official_release_gets_its_official_jar(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = new_home(tmp_path / "flink")
    out = tmp_path / "out.jar"
    assert flink_boost("weave", home, "--out", out) == 0
    assert f"{JAR} fits as it is" in capsys.readouterr().out
    assert out.read_bytes() == CARRIED.dropin(LINE).read_bytes()
    assert flink_boost("install", home, "--weave") == 0
    assert our_jars(home) == [JAR]


def none_of_the_classes(home: Path) -> None:
    small_dist(home, "2.3.0", {"org.apache.flink.Other": b"x"})


def moved(home: Path) -> None:
    named = {f"com.example.shaded.{name}": code for name, code in official_classes().items()}
    small_dist(home, "2.3.0", named)


def two_dists(home: Path) -> None:
    (home / "lib" / "flink-dist-2.2.0.jar").write_bytes(b"")


def signed(home: Path) -> None:
    repacked(home, {"META-INF/SIGNER.SF": b""})


def cut_off(home: Path) -> None:
    (dist,) = (home / "lib").glob("flink-dist*.jar")
    content = dist.read_bytes()[:1_000_000]
    dist.unlink()
    dist.write_bytes(content)


def no_class_files(home: Path) -> None:
    small_dist(home, "2.3.0", dict.fromkeys(LINE.classes, b"no class"))


def too_old(home: Path) -> None:
    old = {name: code + b"!" for name, code in official_classes().items()}
    small_dist(home, "1.8.3", old)


def for_newer_javas(home: Path) -> None:
    again = f"META-INF/versions/17/{STRING_VALUE.replace('.', '/')}.class"
    repacked(home, {again: b"another"}, {STRING_VALUE: b"x"})


def ours_inside(home: Path) -> None:
    inside = {"org.apache.flink.boost.guard.BoostMode": b"ours"}
    small_dist(home, "2.3.0", official_classes() | inside)


def no_home(home: Path) -> None:
    (home / "bin" / "config.sh").unlink()


BAD_INPUT: dict[Callable[[Path], None], tuple[type[FlinkBoostError], str]] = {
    none_of_the_classes: (PatchedCodeChanged, "has none of the classes that our jar replaces."),
    moved: (PatchedCodeChanged, "were they moved to another package?"),
    two_dists: (NotAFlinkHome, "lib/ has to hold one flink-dist jar"),
    signed: (VendorFlink, "is signed (META-INF/SIGNER.SF)"),
    cut_off: (BrokenData, "flink-dist-2.3.0.jar"),
    no_class_files: (PatchedCodeChanged, "it is no class file that can be read"),
    too_old: (UnsupportedFlink, "older than 1.9"),
    for_newer_javas: (PatchedCodeChanged, "a second form for newer Javas"),
    ours_inside: (ReplacedClasses, "inside"),
    no_home: (NotAFlinkHome, "it has no bin/config.sh"),
}


@pytest.mark.parametrize("spoil", BAD_INPUT, ids=lambda spoil: spoil.__name__)
def test_what_no_jar_can_work_with_is_refused_with_its_reason(
    spoil: Callable[[Path], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    error, words = BAD_INPUT[spoil]
    home = new_home(tmp_path / "flink")
    spoil(home)
    before = everything_in(home)
    out = tmp_path / "own.jar"
    assert flink_boost("weave", home, "--out", out) == error.exit_code, capsys.readouterr().err
    said = capsys.readouterr().err
    assert words in said
    assert "Traceback" not in said
    assert everything_in(home) == before
    assert not out.exists()


def test_a_jar_without_a_manifest_is_known_by_its_classes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = new_home(tmp_path / "flink")
    repacked(home, {}, manifest=False)
    assert flink_boost("weave", home, "--dry-run") == 0, capsys.readouterr().err
    assert f"{JAR} fits as it is" in capsys.readouterr().out
    repacked(home, {}, {STRING_VALUE: b"no class"}, manifest=False)
    assert flink_boost("weave", home, "--dry-run") == PatchedCodeChanged.exit_code
    said = capsys.readouterr().err
    assert f"compared with Flink {LINE.version}" in said
    assert f"{STRING_VALUE}: it is no class file that can be read" in said


@pytest.mark.parametrize("place", ["lib/flink-dist-2.3.0.jar", "lib", "lib/new.jar", "own.jar"])
def test_no_jar_is_written_into_the_installation(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = new_home(tmp_path / "flink")
    (tmp_path / "link").symlink_to(home)
    before = everything_in(home)
    for out in (home / place, tmp_path / "link" / place):
        assert flink_boost("weave", home, "--out", out) == UsageProblem.exit_code
        said = capsys.readouterr().err
        assert f"{out} is inside {home}, which `flink-boost weave` does not change." in said
        assert f"Run `flink-boost install {home} --weave`" in said
    assert everything_in(home) == before


@pytest.mark.test_all
def test_only_a_jar_of_ours_is_written_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = new_home(tmp_path / "flink")
    out = tmp_path / "kept.jar"
    for content in (b"", b"somebody's"):
        out.write_bytes(content)
        assert flink_boost("weave", home, "--out", out) == UsageProblem.exit_code
        assert f"{out} is there already and is no flink-boost jar." in capsys.readouterr().err
        assert out.read_bytes() == content
    named = tmp_path / JAR
    named.write_bytes(b"somebody's")
    assert flink_boost("weave", home, "--out", tmp_path) == UsageProblem.exit_code
    assert named.read_bytes() == b"somebody's"
    out.unlink()
    for _ in range(2):
        assert flink_boost("weave", home, "--out", out) == 0
    assert out.read_bytes() == CARRIED.dropin(LINE).read_bytes()
