"""Installations that install and uninstall refuse, each with a sentence and a code of its own."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from installations import (
    CARRIED,
    JAR,
    LINE,
    OTHER,
    VERSION,
    everything_in,
    flink_boost,
    java_environment,
    official_classes,
    small_dist,
    small_home,
    without_record,
)

from flink_boost.base.errors import (
    BrokenData,
    FlinkBoostError,
    FlinkRunning,
    HalfWritten,
    LinkedLibrary,
    NotAFlinkHome,
    ReadOnlyInstallation,
    RenamedDropIn,
    ReplacedClasses,
    SeveralDropIns,
    UnsupportedFlink,
    VendorFlink,
)
from flink_boost.flink.home import choose_line, open_home
from flink_boost.flink.lines import load_lines
from flink_boost.flink.releases import load_releases

pytestmark = pytest.mark.needs_jars


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("os.environ", java_environment(LINE))
    return small_home(tmp_path / "flink")


def test_a_release_whose_classes_no_jar_fits_yet_is_named(home: Path) -> None:
    known = load_releases()
    row = replace(known.releases["1.18.0"], classes="made")
    classes = rebuilt_classes()
    table = {name: hashlib.sha256(content).hexdigest() for name, content in classes.items()}
    small_dist(home, "1.18.0", classes)
    made = replace(known, releases={"1.18.0": row}, lock=known.lock.having("1.18.0", table))
    with pytest.raises(UnsupportedFlink, match=r"Flink 1\.18\.0, which .* has no jar for yet"):
        choose_line(open_home(home), load_lines(), made)


def no_folder(home: Path) -> None:
    shutil.rmtree(home)


def no_scripts(home: Path) -> None:
    shutil.rmtree(home / "bin")


def no_dist(home: Path) -> None:
    (home / "lib" / "flink-dist-2.3.0.jar").unlink()


def two_dists(home: Path) -> None:
    shutil.copy(home / "lib" / "flink-cep-2.3.0.jar", home / "lib" / "flink-dist-2.2.0.jar")


def unreadable_dist(home: Path) -> None:
    (home / "lib" / "flink-dist-2.3.0.jar").unlink()
    (home / "lib" / "flink-dist-2.3.0.jar").write_text("no zip file")


def unknown_release(home: Path) -> None:
    small_dist(home, "1.8.3", {})


def longer_number(home: Path) -> None:
    small_dist(home, "2.3.01", {})


def vendor_number(home: Path) -> None:
    small_dist(home, "2.3.0-vendor4", rebuilt_classes())


def vendor_rebuild(home: Path) -> None:
    small_dist(home, "2.3.0", rebuilt_classes())


def rebuild_of_a_release_without_a_jar(home: Path) -> None:
    small_dist(home, "1.18.1", rebuilt_classes())


def rebuilt_classes() -> dict[str, bytes]:
    classes = official_classes()
    name = "org.apache.flink.types.StringValue"
    classes[name] = classes[name].replace(b"StringValue.java", b"StringValu3.java")
    return classes


def class_missing(home: Path) -> None:
    classes = official_classes()
    del classes["org.apache.flink.core.memory.DataOutputSerializer"]
    small_dist(home, "2.3.0", classes)


def signed(home: Path) -> None:
    small_dist(home, "2.3.0", official_classes())
    with zipfile.ZipFile(home / "lib" / "flink-dist-2.3.0.jar", "a") as archive:
        archive.writestr("META-INF/SIGNER.SF", b"")


def shaded(home: Path) -> None:
    classes = {f"com.example.shaded.{name}": code for name, code in official_classes().items()}
    small_dist(home, "2.3.0", classes)


def replaced_classes(home: Path) -> None:
    small_dist(home, "2.3.0", {"org.apache.flink.boost.guard.BoostMode": b""})


def two_of_our_jars(home: Path) -> None:
    shutil.copy(CARRIED.dropin(LINE), home / "lib")
    shutil.copy(CARRIED.dropin(OTHER), home / "lib")


def two_equal_jars(home: Path) -> None:
    shutil.copy(CARRIED.dropin(LINE), home / "lib")
    shutil.copy(CARRIED.dropin(LINE), home / "lib" / "copy-of-boost.jar")


def renamed(home: Path) -> None:
    shutil.copy(CARRIED.dropin(LINE), home / "lib" / "boost.jar")


def moved_below(home: Path) -> None:
    (home / "lib" / "more").mkdir()
    shutil.copy(CARRIED.dropin(LINE), home / "lib" / "more")


def cut_off(home: Path) -> None:
    content = CARRIED.dropin(LINE).read_bytes()
    (home / "lib" / JAR).write_bytes(content[: len(content) // 2])


def empty(home: Path) -> None:
    (home / "lib" / JAR).touch()


def left_aside(home: Path) -> None:
    content = CARRIED.dropin(LINE).read_bytes()
    (home / "lib" / f".{JAR}.x7.partial").write_bytes(content[:1000])


def not_ours(home: Path) -> None:
    (home / "lib" / JAR).write_text("something else of that name")


def packed_into_theirs(home: Path) -> None:
    jar = home / "lib" / "acme-platform.jar"
    shutil.copy(CARRIED.dropin(LINE), jar)
    with zipfile.ZipFile(jar, "a") as archive:
        archive.writestr("com/acme/Platform.class", b"theirs")


def packed_beside_ours(home: Path) -> None:
    packed_into_theirs(home)
    shutil.copy(CARRIED.dropin(LINE), home / "lib")
    shutil.copy(CARRIED.dropin(OTHER), home / "lib")


def linked_lib(home: Path) -> None:
    (home / "lib").rename(home.parent / "shared")
    (home / "lib").symlink_to(home.parent / "shared")


BAD_INPUT: dict[Callable[[Path], None], tuple[type[FlinkBoostError], str]] = {
    no_folder: (NotAFlinkHome, "There is no folder"),
    no_scripts: (NotAFlinkHome, "it has no bin/config.sh"),
    no_dist: (NotAFlinkHome, "one flink-dist jar, found none"),
    two_dists: (NotAFlinkHome, "found flink-dist-2.2.0.jar, flink-dist-2.3.0.jar"),
    unreadable_dist: (BrokenData, "cannot be read as Flink's jar"),
    unknown_release: (UnsupportedFlink, "holds Flink 1.8.3, which flink-boost has no jar for"),
    longer_number: (UnsupportedFlink, "holds Flink 2.3.01"),
    vendor_number: (VendorFlink, "holds Flink 2.3.0-vendor4, a vendor's build of 2.3.0"),
    rebuild_of_a_release_without_a_jar: (VendorFlink, "calls itself Flink 1.18.1, but its class"),
    vendor_rebuild: (VendorFlink, "its class org.apache.flink.types.StringValue is not"),
    class_missing: (VendorFlink, "DataOutputSerializer is not the official one (SHA-256 absent"),
    signed: (VendorFlink, "flink-dist-2.3.0.jar is signed (META-INF/SIGNER.SF)"),
    shaded: (VendorFlink, "StringValue is not the official one (SHA-256 absent"),
    replaced_classes: (ReplacedClasses, "has flink-boost's classes inside"),
    two_of_our_jars: (SeveralDropIns, f"flink-boost-1.20.5-{VERSION}.jar and {JAR}"),
    two_equal_jars: (SeveralDropIns, f"copy-of-boost.jar and {JAR}"),
    renamed: (RenamedDropIn, f"boost.jar is {JAR} under another name"),
    moved_below: (RenamedDropIn, "in another place"),
    cut_off: (HalfWritten, f"{JAR} is cut off: it has the first "),
    empty: (HalfWritten, f"{JAR} is cut off: it has the first 0 of the "),
    left_aside: (HalfWritten, f"was cut off and left .{JAR}.x7.partial"),
    not_ours: (BrokenData, "cannot be read, and has nothing of one inside"),
    packed_into_theirs: (
        BrokenData,
        f"acme-platform.jar has {JAR} packed inside, beside com/acme/Platform.class, which",
    ),
    packed_beside_ours: (BrokenData, f"acme-platform.jar has {JAR} packed inside"),
    without_record: (BrokenData, "acme-job.jar has flink-boost's classes inside, but not their"),
    linked_lib: (LinkedLibrary, "is a link to"),
}


@pytest.mark.parametrize(
    ("command", "spoil"),
    [
        (command, spoil)
        for spoil in BAD_INPUT
        for command in ("install", "verify")
        # Installing puts these right: test_upgrades.py, test_lib_copies.py.
        if command != "install" or spoil not in (two_of_our_jars, cut_off, empty, left_aside)
    ],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_bad_input_has_its_own_sentence_and_code_and_changes_nothing(
    command: str,
    spoil: Callable[[Path], None],
    home: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    error, words = BAD_INPUT[spoil]
    spoil(home)
    before = everything_in(home)

    assert flink_boost(command, home, "--json") == error.exit_code

    printed = capsys.readouterr()
    assert words in printed.err
    assert printed.err.count("\n") == 1
    answer = json.loads(printed.out)
    assert (answer["ok"], answer["exit_code"]) == (False, error.exit_code)
    assert words in answer["error"]
    assert answer["next_step"]
    assert everything_in(home) == before


def test_every_bad_input_has_a_code_of_its_own() -> None:
    codes = {error: error.exit_code for error, _ in BAD_INPUT.values()}
    codes[ReadOnlyInstallation] = ReadOnlyInstallation.exit_code
    codes[FlinkRunning] = FlinkRunning.exit_code
    assert len(set(codes.values())) == len(codes) == 11


@pytest.mark.parametrize(
    "spoil",
    [two_of_our_jars, two_equal_jars, renamed, moved_below, cut_off, empty, left_aside],
    ids=lambda spoil: spoil.__name__,
)
def test_uninstall_tidies_up_what_is_ours(spoil: Callable[[Path], None], home: Path) -> None:
    (home / "lib" / "more").mkdir(exist_ok=True)
    before = everything_in(home)
    (home / "lib" / "more").rmdir()
    spoil(home)
    assert flink_boost("uninstall", home) == 0
    (home / "lib" / "more").mkdir(exist_ok=True)
    assert everything_in(home) == before


def test_uninstall_works_on_a_release_that_we_have_no_jar_for(home: Path) -> None:
    """Flink was upgraded in place, and the jar in ``lib/`` now keeps it from starting."""
    unknown_release(home)
    before = everything_in(home)
    shutil.copy(CARRIED.dropin(LINE), home / "lib")
    assert flink_boost("uninstall", home) == 0
    assert everything_in(home) == before


@pytest.mark.parametrize(
    "spoil",
    [not_ours, packed_into_theirs, packed_beside_ours, without_record, linked_lib],
    ids=lambda spoil: spoil.__name__,
)
def test_uninstall_leaves_what_it_does_not_recognise(
    spoil: Callable[[Path], None], home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil(home)
    before = everything_in(home)
    error, words = BAD_INPUT[spoil]
    assert flink_boost("uninstall", home) == error.exit_code
    assert words in capsys.readouterr().err
    assert everything_in(home) == before
