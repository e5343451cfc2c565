"""The jar that install puts into an installation and uninstall takes away, without a trace."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import zipfile
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
)
from older_jars import put_old_jar

from flink_boost.base.errors import EnvironmentProblem, ReadOnlyInstallation, VerificationFailed
from flink_boost.cli import library
from flink_boost.cli.commands import doctor as doctor_command
from flink_boost.flink.lines import Line
from flink_boost.flink.releases import load_releases

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
