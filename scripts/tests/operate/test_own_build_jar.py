"""``weave`` and ``install --weave``: a jar for a build of Flink that is no official release."""

from __future__ import annotations

import json
import signal
import zipfile
from pathlib import Path

import pytest
from installations import (
    JAR,
    LINE,
    VERSION,
    everything_in,
    flink_boost,
    guard_says,
    java_environment,
    new_home,
    official_classes,
    our_jars,
    small_dist,
)
from old_java import java_8
from own_flinks import own_home
from signalled import run_signalled_at

from flink_boost.base.errors import (
    EnvironmentProblem,
    RenamedDropIn,
    UsageProblem,
    VendorFlink,
    VerificationFailed,
)
from flink_boost.flink.dropin import RECORD

pytestmark = pytest.mark.needs_jars


@pytest.fixture(autouse=True)
def java_of_the_line(fewer_strings: None, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in java_environment(LINE).items():
        monkeypatch.setenv(name, value)


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Stock's sources without debug information; tests leave it as it is."""
    return own_home(tmp_path_factory.mktemp("rebuilt"))


def woven_name(jar: str) -> bool:
    return jar.startswith(f"flink-boost-{LINE.version}-own-") and jar.endswith(f"-{VERSION}.jar")


@pytest.mark.test_all
def test_a_rebuild_gets_a_jar_of_its_own(
    rebuilt: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = everything_in(rebuilt)
    assert flink_boost("install", rebuilt) == VendorFlink.exit_code
    refused = capsys.readouterr().err
    assert "is not the official one" in refused
    assert f"`flink-boost install {rebuilt} --weave` makes a jar" in refused

    assert flink_boost("weave", rebuilt, "--dry-run", "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["like"], answer["jar"], answer["checks"]) == (LINE.version, None, [])
    assert answer["classes"].keys() == LINE.classes.keys()
    assert all(answer["classes"][name] != LINE.classes[name] for name in LINE.classes)

    assert flink_boost("weave", rebuilt, "--out", tmp_path, "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    jar = Path(answer["jar"])
    assert woven_name(jar.name)
    assert jar.parent == tmp_path
    assert {check["name"] for check in answer["checks"]} == {
        *("version", "classes", "stock", "bytes", "mode", "families")
    }
    assert not any(not check["passed"] for check in answer["checks"])
    assert everything_in(rebuilt) == before

    # Installed it is the same jar, and everything that knows jars knows it.
    assert flink_boost("install", rebuilt, "--weave", "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    installed = rebuilt / "lib" / jar.name
    assert Path(answer["jar"]) == installed
    assert answer["woven_like"] == LINE.version
    assert installed.read_bytes() == jar.read_bytes()
    assert "the jar was made for the classes of this build" in guard_says(rebuilt)
    assert flink_boost("verify", rebuilt) == 0, capsys.readouterr().out
    assert "is what is woven from this installation's own classes" in capsys.readouterr().out
    assert flink_boost("doctor", rebuilt) == 0, capsys.readouterr().out
    capsys.readouterr()
    assert flink_boost("install", rebuilt, "--weave") == 0
    assert "nothing changed" in capsys.readouterr().out

    assert flink_boost("uninstall", rebuilt) == 0
    assert everything_in(rebuilt) == before


@pytest.mark.test_all
def test_the_way_back_from_another_name_makes_it_anew(
    rebuilt: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    named = rebuilt / "lib" / "flink-boost.jar"
    assert flink_boost("weave", rebuilt, "--out", tmp_path / named.name) == 0
    named.write_bytes((tmp_path / named.name).read_bytes())
    capsys.readouterr()
    assert flink_boost("verify", rebuilt) == RenamedDropIn.exit_code
    # All that the next step says.
    steps = capsys.readouterr().err.rpartition("`flink-boost uninstall ")[2].partition("`")[0]
    uninstalled, _, again = steps.partition(" && flink-boost install ")
    assert flink_boost("uninstall", uninstalled) == 0
    assert flink_boost("install", *again.split()) == 0
    (jar,) = our_jars(rebuilt)
    assert woven_name(jar)
    assert flink_boost("uninstall", rebuilt) == 0


@pytest.mark.test_all
def test_a_woven_jar_is_for_its_own_classes_alone(
    rebuilt: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert flink_boost("weave", rebuilt, "--out", tmp_path) == 0
    (jar,) = tmp_path.glob("flink-boost-*.jar")
    official = new_home(tmp_path / "official")
    (official / "lib" / jar.name).write_bytes(jar.read_bytes())
    said = guard_says(official)
    assert f"is built for Flink {LINE.version}-own-" in said
    assert "`flink-boost install FLINK_HOME --weave`, which makes one for these classes" in said
    again = new_home(tmp_path / "again")
    small_dist(again, "1.17.2-acme", {n: code + b"!" for n, code in official_classes().items()})
    (again / "lib" / jar.name).write_bytes(jar.read_bytes())
    said = guard_says(again)
    assert f"is built for Flink {LINE.version}-own-" in said
    assert "`flink-boost install FLINK_HOME --weave`, which makes one for these classes" in said
    capsys.readouterr()
    assert flink_boost("verify", official) != 0
    assert flink_boost("doctor", official) != 0
    assert flink_boost("install", official) == 0
    assert our_jars(official) == [JAR]


@pytest.mark.test_all
def test_a_jar_that_was_changed_is_not_what_is_woven(
    rebuilt: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert flink_boost("weave", rebuilt, "--out", tmp_path) == 0
    (jar,) = tmp_path.glob("flink-boost-*.jar")
    target = rebuilt / "lib" / jar.name
    try:
        with (
            zipfile.ZipFile(jar) as source,
            zipfile.ZipFile(target, "w") as changed,
        ):
            for name in source.namelist():
                more = b"# more\n" if name == RECORD else b""
                changed.writestr(name, source.read(name) + more)
        capsys.readouterr()
        assert flink_boost("verify", rebuilt) == VerificationFailed.exit_code
        assert f"{RECORD} is not what is woven from these classes" in capsys.readouterr().out
    finally:
        target.unlink()


@pytest.mark.test_all
def test_killed_at_any_step_it_leaves_no_half_jar(rebuilt: Path, tmp_path: Path) -> None:
    out = tmp_path / "own.jar"
    before = everything_in(rebuilt)
    for step in (1, 3):  # before strings are compared, and while the jar is written
        ended = run_signalled_at(
            *(signal.SIGKILL, step, "weave", rebuilt, "--out", out), seconds=300
        )
        assert ended.returncode in (-signal.SIGKILL, 0)
        if out.exists():
            with zipfile.ZipFile(out) as archive:
                assert archive.testzip() is None
    assert everything_in(rebuilt) == before


@pytest.mark.test_all
def test_what_is_asked_for_has_to_be_clear(
    rebuilt: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert flink_boost("weave", rebuilt) == UsageProblem.exit_code
    assert "Name --out JAR, or --dry-run." in capsys.readouterr().err
    missing = tmp_path / "nowhere" / "own.jar"
    assert flink_boost("weave", rebuilt, "--out", missing) == UsageProblem.exit_code
    assert f"There is no folder {missing.parent}." in capsys.readouterr().err


@pytest.mark.test_all
def test_a_jar_of_ours_behind_another_is_told(
    rebuilt: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert flink_boost("install", rebuilt, "--weave") == 0
    (jar,) = (rebuilt / "lib").glob("flink-boost-*.jar")
    last = jar.rename(rebuilt / "lib" / f"zz-{jar.name}")
    try:
        capsys.readouterr()
        assert flink_boost("doctor", rebuilt) != 0
        assert last.name in capsys.readouterr().out
    finally:
        last.unlink()


def test_without_a_java_that_can_weave_the_next_step_is_said(
    rebuilt: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(java_8(tmp_path / "java-8")))
    assert flink_boost("weave", rebuilt, "--dry-run") == EnvironmentProblem.exit_code
    said = capsys.readouterr().err
    assert "weaving needs Java 11 or later. Set JAVA_HOME or env.java.home to a newer one." in said
