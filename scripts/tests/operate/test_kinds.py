"""``doctor`` says what kind of installation it looks at, and what our jar does not reach there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from installations import (
    CARRIED,
    JAR,
    LINE,
    LINES,
    flink_boost,
    java_environment,
    new_home,
    official_classes,
    small_dist,
)

from flink_boost.flink.dropin import DropIn, read_dropin
from flink_boost.flink.home import FlinkHome, open_home
from flink_boost.flink.launch import ROLES, Launch, ask_scripts
from flink_boost.flink.lines import Line
from flink_boost.operate.findings import Finding, Level
from flink_boost.operate.kinds import HomeKind, kind_of, look_around

pytestmark = pytest.mark.needs_jars

LAUNCH = Launch("java", (), dict.fromkeys(ROLES, ()))
CONFIGURATIONS = ("config.yaml", "flink-conf.yaml")
YARN = "hdfs:///flink/lib;hdfs:///flink/plugins"


@pytest.fixture
def home(tmp_path: Path) -> FlinkHome:
    folder = new_home(tmp_path / "flink")
    small_dist(folder, "2.3.0", official_classes())
    return open_home(folder)


def pyflink(home: FlinkHome) -> FlinkHome:
    for name in ("find_flink_home.py", "pyflink_gateway_server.py"):
        (home.folder / name).touch()
    return home


def read(jar: Path) -> DropIn:
    dropin = read_dropin(jar)
    assert dropin is not None
    return dropin


def found(home: FlinkHome, kind: HomeKind, launch: Launch = LAUNCH) -> list[Finding]:
    jars = [jar for jar in home.lib.iterdir() if jar.name == JAR]
    return list(look_around(home, kind, launch, read_dropin(jars[0]) if jars else None))


def test_a_folder_of_flinks_own_is_standalone(home: FlinkHome) -> None:
    assert kind_of(home, {}) is HomeKind.STANDALONE
    (finding,) = found(home, HomeKind.STANDALONE)
    assert finding.level is Level.FINE
    assert "bin/ starts Flink from lib/" in finding.text


@pytest.mark.parametrize("entry", ["docker-entrypoint.sh", "opt/flink/bin/flink-entrypoint.sh"])
def test_an_image_is_known_by_its_entry_point_and_variable(
    entry: str, home: FlinkHome, tmp_path: Path
) -> None:
    root = tmp_path / "root"
    (root / entry).parent.mkdir(parents=True)
    (root / entry).touch()
    named = {"FLINK_HOME": str(home.folder)}
    assert kind_of(home, named, root) is HomeKind.IMAGE
    assert kind_of(home, {}, root) is HomeKind.STANDALONE
    assert kind_of(home, {"FLINK_HOME": "/elsewhere"}, root) is HomeKind.STANDALONE
    assert kind_of(home, named, tmp_path) is HomeKind.STANDALONE
    assert "is lost with this container" in found(home, HomeKind.IMAGE)[0].text


def test_pyflink_is_known_and_pip_is_named(home: FlinkHome) -> None:
    assert kind_of(pyflink(home), {}) is HomeKind.PYFLINK
    finding = found(home, HomeKind.PYFLINK)[0]
    assert finding.level is Level.FINE
    assert f"flink-boost install {home.folder}" in finding.next_step


@pytest.mark.parametrize("first", [True, False])
def test_pyflink_takes_the_jars_as_the_folder_lists_them(
    first: bool, home: FlinkHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which of the two a file system does cannot be chosen; what is listed here can."""
    shutil.copy(CARRIED.dropin(LINE), home.lib)
    names = [JAR, home.dist.name] if first else [home.dist.name, JAR]
    jars = [home.lib / name for name in names]
    installed = read_dropin(home.lib / JAR)

    def listed(folder: Path) -> Iterator[Path]:
        assert folder == home.lib
        return iter(jars)

    pyflink(home)
    monkeypatch.setattr(Path, "iterdir", listed)
    order = list(look_around(home, HomeKind.PYFLINK, LAUNCH, installed))[1]

    assert order.level is (Level.FINE if first else Level.WARNING)
    assert ("finds our classes first" in order.text) is first
    assert ("--target local" in order.next_step) is not first


def test_with_our_classes_inside_flink_dist_the_order_does_not_matter(home: FlinkHome) -> None:
    inside = replace(read(CARRIED.dropin(LINE)), path=home.dist)
    said = [f.text for f in look_around(pyflink(home), HomeKind.PYFLINK, LAUNCH, inside)]
    assert not any("python job.py" in text for text in said)


def test_application_mode_is_named_and_our_jar_among_the_jobs_has_no_effect(
    home: FlinkHome,
) -> None:
    usrlib = home.folder / "usrlib"
    usrlib.mkdir()
    for name in ("a.jar", "b.jar", "c.jar", "d.jar"):
        (usrlib / name).touch()
    assert "usrlib/ holds a.jar, b.jar, c.jar, …." in found(home, HomeKind.STANDALONE)[1].text
    shutil.copy(CARRIED.dropin(LINE), usrlib)

    (warning,) = [f for f in found(home, HomeKind.STANDALONE) if f.level is Level.WARNING]

    assert warning.text.startswith(f"{usrlib / JAR} has no effect there")
    assert f"flink-boost install {home.folder}" in warning.next_step


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.version)
def test_where_a_cluster_takes_flink_from_is_read_as_flink_reads_it(
    line: Line, tmp_path: Path
) -> None:
    folder = new_home(tmp_path / "flink", line)
    environment = java_environment(line)
    home = open_home(folder)
    before = ask_scripts(home, environment)
    assert (before.yarn_folders, before.kubernetes_image) == ("", "")
    (conf,) = [file for file in (folder / "conf").iterdir() if file.name in CONFIGURATIONS]
    conf.write_text(
        f"{conf.read_text()}\nyarn.provided.lib.dirs: {YARN}\n"
        "kubernetes.container.image: registry.example/flink:2\n"
    )

    launch = ask_scripts(home, environment)

    assert launch.yarn_folders == YARN
    assert launch.kubernetes_image == "registry.example/flink:2"
    warnings = [
        f.text for f in found(home, HomeKind.STANDALONE, launch) if f.level is Level.WARNING
    ]
    assert [text.partition(":")[0] for text in warnings] == [
        "yarn.provided.lib.dirs is hdfs",
        "kubernetes.container.image is registry.example/flink",
    ]


def test_a_folder_with_pyflink_in_it_names_the_right_one(
    home: FlinkHome, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    packages = tmp_path / "site-packages"
    packages.mkdir()
    home.folder.rename(packages / "pyflink")
    assert flink_boost("doctor", packages) == 10
    assert f"name {packages / 'pyflink'}." in capsys.readouterr().out


@pytest.mark.parametrize("name", ["lib", "usrlib"])
@pytest.mark.parametrize("command", ["install", "doctor"])
def test_a_folder_of_an_installation_names_the_installation(
    command: str, name: str, home: FlinkHome, capsys: pytest.CaptureFixture[str]
) -> None:
    (home.folder / name).mkdir(exist_ok=True)
    assert flink_boost(command, home.folder / name) == 10
    printed = capsys.readouterr()
    assert f"It belongs to one: name {home.folder}." in printed.out + printed.err


def test_doctor_says_it_on_the_whole_way(
    home: FlinkHome, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for key, value in java_environment(LINE).items():
        monkeypatch.setenv(key, value)
    assert os.environ["JAVA_HOME"]
    assert flink_boost("install", pyflink(home).folder) == 0
    assert flink_boost("doctor", home.folder) == 0
    said = capsys.readouterr().out
    assert "It is PyFlink's own Flink" in said
    assert "`python job.py`" in said
