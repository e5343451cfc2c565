"""``install`` and ``uninstall``: the right jar, all of it or nothing, and no trace afterwards."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from installations import (
    CARRIED,
    JAR,
    LINE,
    LINES,
    OTHER,
    VERSION,
    everything_in,
    flink_boost,
    java_environment,
    neighbours,
    new_home,
    official_classes,
    our_jars,
    small_dist,
    small_home,
    without_record,
)
from java_programs import SLEEPER, classes_of
from signalled import run_signalled_at

from flink_boost.base.errors import (
    BrokenData,
    EnvironmentProblem,
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
    VerificationFailed,
)
from flink_boost.cli import library
from flink_boost.cli.commands import doctor as doctor_command
from flink_boost.cli.commands import install as install_command
from flink_boost.flink.home import choose_line, open_home
from flink_boost.flink.lines import Line, load_lines
from flink_boost.flink.releases import load_releases
from flink_boost.operate.guard import Outlook

pytestmark = pytest.mark.needs_jars


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("os.environ", java_environment(LINE))
    return small_home(tmp_path / "flink")


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.version)
def test_each_line_gets_its_own_jar_and_loses_it_without_a_trace(
    line: Line, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = new_home(tmp_path / "flink", line)
    before = everything_in(home)
    jar = CARRIED.dropin(line)

    assert flink_boost("install", home) == 0
    assert our_jars(home) == [jar.name]
    installed = home / "lib" / jar.name
    assert installed.read_bytes() == jar.read_bytes()
    assert installed.stat().st_mode & 0o444 == 0o444
    assert everything_in(home).keys() - before.keys() == {f"lib/{jar.name}"}
    assert f"Flink {line.version}: put {jar.name} into {home}/lib." in capsys.readouterr().out

    assert flink_boost("uninstall", home) == 0
    assert everything_in(home) == before
    assert f"Removed {jar.name}" in capsys.readouterr().out


def test_a_next_step_can_be_pasted_whatever_the_folder_is_called(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = small_home(tmp_path / "é it's $HOME")
    steps = []
    flink_boost("verify", home)
    steps += re.findall(r"`(flink-boost install .*?)` first", capsys.readouterr().err)
    assert flink_boost("install", home) == 0
    steps += re.findall(r"Next: (flink-boost verify .*)", capsys.readouterr().out)
    assert [shlex.split(step) for step in steps] == [
        ["flink-boost", "install", str(home)],
        ["flink-boost", "verify", str(home)],
    ]


def test_both_may_be_called_again(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert flink_boost("install", home) == 0
    first = everything_in(home)
    inode = (home / "lib" / JAR).stat().st_ino
    capsys.readouterr()
    assert flink_boost("install", home) == 0
    assert everything_in(home) == first
    assert (home / "lib" / JAR).stat().st_ino == inode
    assert "nothing changed" in capsys.readouterr().out

    assert flink_boost("uninstall", home) == 0
    before = everything_in(home)
    assert flink_boost("uninstall", home) == 0
    assert everything_in(home) == before
    assert "nothing changed" in capsys.readouterr().out


@pytest.mark.parametrize("old", [None, "flink-boost-2.3.0-0.0.9.jar"])
def test_whoever_runs_flink_may_read_the_jar(old: str | None, home: Path) -> None:
    """Also when somebody installs it whose files are nobody else's."""
    (home / "lib" / "flink-dist-2.3.0.jar").chmod(0o644)
    if old is not None:
        put_old_jar(home, old)
    before = os.umask(0o077)
    try:
        assert flink_boost("install", home) == 0
    finally:
        os.umask(before)
    assert (home / "lib" / JAR).stat().st_mode & 0o777 == 0o644


def test_a_linked_home_is_the_installation_behind_it(home: Path, tmp_path: Path) -> None:
    (tmp_path / "current").symlink_to(home)
    assert flink_boost("install", tmp_path / "current") == 0
    assert our_jars(home) == [JAR]


@pytest.mark.parametrize("old", ["flink-boost-2.3.0-0.0.9.jar", OTHER.dropin_name(VERSION)])
def test_an_older_jar_and_one_for_another_release_are_replaced(
    old: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put_old_jar(home, old)
    assert flink_boost("install", home, "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["ok"] is True
    assert answer["action"] == "replaced"
    assert answer["removed"] == [str(home / "lib" / old)]
    assert our_jars(home) == [JAR]


def test_a_jar_of_our_name_with_other_content_is_replaced(home: Path) -> None:
    put_old_jar(home, JAR)
    assert flink_boost("install", home) == 0
    assert (home / "lib" / JAR).read_bytes() == CARRIED.dropin(LINE).read_bytes()


def put_old_jar(home: Path, name: str) -> None:
    """A jar as a former flink-boost of that version would have left it."""
    if name == OTHER.dropin_name(VERSION):
        shutil.copy(CARRIED.dropin(OTHER), home / "lib" / name)
        return
    version = name.removesuffix(".jar").rpartition("-")[2]
    shutil.copy(CARRIED.dropin(LINE), home / "lib" / name)
    record = "META-INF/flink-boost/weave.properties"
    text = f"boost.version={version}\nflink.version=2.3.0\n"
    text += "".join(f"class.{name}=00\n" for name in LINE.classes)
    folder = home / "tmp" / "record"
    (folder / record).parent.mkdir(parents=True)
    (folder / record).write_text(text)
    subprocess.run(
        [sys.executable, "-c", REWRITE, home / "lib" / name, record, folder / record],
        timeout=60,
        check=True,
    )
    shutil.rmtree(folder)


REWRITE = """
import sys, zipfile
jar, name, file = sys.argv[1:]
with zipfile.ZipFile(jar) as old:
    entries = {i.filename: old.read(i) for i in old.infolist()}
entries[name] = open(file, "rb").read()
with zipfile.ZipFile(jar, "w") as new:
    for entry, content in entries.items():
        new.writestr(entry, content)
"""


@pytest.mark.parametrize(
    "version",
    [
        "2.3.6",
        "",
        *(
            pytest.param(version, marks=pytest.mark.test_all)
            for version in ("2.3.7", "2.1.1", "2.3.0-vendor4")
        ),
    ],
)
def test_equal_classes_are_enough_whatever_the_number(
    version: str,
    home: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = load_releases()
    tested = replace(known.releases["2.3.0"], version="2.3.6")
    later = replace(known, releases={**known.releases, "2.3.6": tested})
    monkeypatch.setattr("flink_boost.operate.doctor.load_releases", lambda: later)
    small_dist(home, version, official_classes())
    assert flink_boost("install", home, "--json") == 0
    assert json.loads(capsys.readouterr().out)["flink_version"] == version
    assert our_jars(home) == [JAR]
    assert flink_boost("doctor", home) == 0
    said = capsys.readouterr().out
    # The official 2.1.1, on which something was run, has other classes.
    how = f"{tested.passed} passed on it" if version == "2.3.6" else "nothing was run on"
    assert f"Its classes do what those of Flink 2.3.0 do, whose jar fits; {how}" in said


def test_a_dist_without_a_manifest_is_known_by_its_classes(home: Path) -> None:
    (dist,) = (home / "lib").glob("flink-dist*.jar")
    with zipfile.ZipFile(dist, "w") as archive:
        for name, content in {**neighbours(LINE), **official_classes()}.items():
            archive.writestr(name.replace(".", "/") + ".class", content)
    assert flink_boost("install", home) == 0
    assert our_jars(home) == [JAR]


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


SOME = "org.apache.flink.types.StringValue"


def jar_of(home: Path, name: str, classes: dict[str, bytes]) -> Path:
    jar = home / "lib" / name
    jar.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(jar, "w") as archive:
        for each, content in classes.items():
            archive.writestr(each.replace(".", "/") + ".class", content)
    return jar


@pytest.mark.parametrize("how", [(), ("--weave",)], ids=["plain", "weave"])
@pytest.mark.parametrize("name", ["acme-hotfix.jar", "zz-hotfix.jar", "more/hotfix.jar"])
def test_a_jar_that_changes_a_class_keeps_ours_out(
    name: str, how: tuple[str, ...], home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put_old_jar(home, "flink-boost-2.3.0-0.0.9.jar")
    jar = jar_of(home, name, {SOME: b"another"})
    before = everything_in(home)
    assert flink_boost("install", home, *how) == VerificationFailed.exit_code
    assert (
        f"{jar} has a {SOME} that is not the one which {JAR} replaces: with it no process of this"
        f" Flink would start. Nothing was changed. Take Flink's classes out of {jar}, then install"
    ) in capsys.readouterr().err
    assert everything_in(home) == before


@pytest.mark.parametrize(
    ("count", "effect"), [(1, "no process of this Flink would start"), (5, "stock's code would")]
)
def test_a_jar_that_hides_classes_keeps_ours_out(
    count: int, effect: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    classes = dict(list(official_classes().items())[:count])
    jar = jar_of(home, "acme.jar", classes)
    before = everything_in(home)
    assert flink_boost("install", home) == VerificationFailed.exit_code
    said = capsys.readouterr().err
    assert f"{jar} has {next(iter(classes))} and would stand before {JAR} on the class path" in said
    assert effect in said
    assert everything_in(home) == before
    # Behind ours it does nothing.
    jar.rename(home / "lib" / "zz.jar")
    assert flink_boost("install", home) == 0


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


@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_a_read_only_installation_is_left_as_it_is(command: str, home: Path) -> None:
    if command == "uninstall":
        assert flink_boost("install", home) == 0
    before = everything_in(home)
    script = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$1" "$2" "$0"'
    done = subprocess.run(
        [
            *("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script),
            *(str(home), str(Path(sys.executable).with_name("flink-boost")), command),
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == ReadOnlyInstallation.exit_code, done.stderr
    assert f"{home}/lib may not be changed (Read-only file system)." in done.stderr
    assert everything_in(home) == before


def test_a_running_process_forbids_a_change_unless_it_is_a_rolling_one(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with running_jvm(home) as pid:
        assert flink_boost("install", home) == FlinkRunning.exit_code
        assert f"Flink runs from {home}: Sleeper (pid {pid})." in capsys.readouterr().err
        assert our_jars(home) == []

        assert flink_boost("install", home, "--rolling") == 0
        assert f"Restart Sleeper (pid {pid})" in capsys.readouterr().out
        # Nothing to change, so nothing stands against it.
        assert flink_boost("install", home) == 0

        assert flink_boost("uninstall", home) == FlinkRunning.exit_code
        assert our_jars(home) == [JAR]
        assert flink_boost("uninstall", home, "--rolling") == 0
        assert our_jars(home) == []


def test_a_process_that_starts_meanwhile_is_seen(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Asking the guard takes seconds, weaving a minute."""
    with ExitStack() as started:

        def slow(*_: object) -> Outlook:
            started.enter_context(running_jvm(home))
            return Outlook()

        monkeypatch.setattr(install_command, "outlook", slow)
        assert flink_boost("install", home) == FlinkRunning.exit_code
        assert f"Flink runs from {home}: Sleeper" in capsys.readouterr().err
        assert our_jars(home) == []
        assert flink_boost("install", home, "--rolling") == 0
        assert "Restart Sleeper" in capsys.readouterr().out


def test_where_processes_of_others_are_hidden_that_is_told(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(library, "sees_all", lambda: False)
    for name in ("install", "uninstall"):
        assert flink_boost(name, home) == 0
        assert "if Flink runs from here as another user, restart it." in capsys.readouterr().out
        # Nothing is left to do, and nothing to tell.
        assert flink_boost(name, home) == 0
        assert "as another user" not in capsys.readouterr().out


def test_the_way_back_needs_nothing_that_is_carried(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A wheel may have lost its jars, and a source tree may have none built."""
    assert flink_boost("install", home) == 0

    def lost(_line: Line) -> Path:
        raise EnvironmentProblem("our.jar is missing.", "Install the wheel anew.")

    for module in (library, doctor_command):
        monkeypatch.setattr(module, "carried", lambda _: replace(CARRIED, dropin=lost))
    assert flink_boost("doctor", home) == 0
    assert "has no jar: our.jar is missing" in capsys.readouterr().out
    assert flink_boost("uninstall", home) == 0
    assert our_jars(home) == []
    assert flink_boost("install", home) == EnvironmentProblem.exit_code
    assert our_jars(home) == []


class running_jvm:  # noqa: N801 - reads like a function
    """A real JVM whose class path is the installation's ``lib/``."""

    def __init__(self, home: Path) -> None:
        class_path = f"{home}/lib/flink-dist-2.3.0.jar:{classes_of('Sleeper', SLEEPER)}"
        self._process = subprocess.Popen(
            ["java", "-XX:TieredStopAtLevel=1", "-cp", class_path, "Sleeper"],
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> int:
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n"
        return self._process.pid

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate(timeout=20)


@pytest.mark.parametrize(
    "old",
    [
        pytest.param("nothing", marks=pytest.mark.test_all),
        "an older jar",
        pytest.param("ours", marks=pytest.mark.test_all),
    ],
)
def test_a_call_that_is_killed_leaves_no_half_jar_and_no_second_one(
    old: str, home: Path, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    command = "uninstall" if old == "ours" else "install"
    clean = everything_in(home)
    killed = 0
    # An older jar is put aside first, and all that has moments of its own.
    stride = 3 if old == "an older jar" and not request.config.getoption("--test-all") else 1
    for step in range(1, 20, stride):
        if old == "an older jar":
            put_old_jar(home, "flink-boost-2.3.0-0.0.9.jar")
        elif old == "ours":
            assert flink_boost("install", home) == 0
        code = run_signalled_at(signal.SIGKILL, step, command, home).returncode
        assert len(our_jars(home)) <= 1
        if code == 0:
            break
        assert code == -signal.SIGKILL
        killed += 1
        assert flink_boost("install", home) == 0
        assert our_jars(home) == [JAR]
        assert flink_boost("uninstall", home) == 0
        assert everything_in(home) == clean
    assert killed >= 2
    assert our_jars(home) == ([] if command == "uninstall" else [JAR])
    capsys.readouterr()


def test_a_jar_that_flinks_user_may_not_read_is_made_like_flinks_own(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (dist,) = (home / "lib").glob("flink-dist-*.jar")
    dist.chmod(0o644)
    assert flink_boost("install", home) == 0
    jar = home / "lib" / JAR
    jar.chmod(0o600)
    capsys.readouterr()
    flink_boost("doctor", home)
    assert f"Not all who may read {dist.name} may read {JAR}" in capsys.readouterr().out
    assert flink_boost("install", home) == 0
    assert jar.stat().st_mode & 0o777 == 0o644
    capsys.readouterr()
    assert flink_boost("install", home) == 0
    assert "nothing" in capsys.readouterr().out


def test_two_calls_at_once_do_not_meet(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    handle = os.open(home / "lib", os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        assert flink_boost("install", home) == 4
        assert "Another flink-boost is changing" in capsys.readouterr().err
        assert our_jars(home) == []
    finally:
        os.close(handle)
    assert flink_boost("install", home) == 0
