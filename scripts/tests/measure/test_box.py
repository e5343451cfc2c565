"""The machine and the JVM are described from what they say themselves."""

from __future__ import annotations

import json
import os
import platform
from pathlib import Path

import pytest

from flink_boost.base.errors import BrokenData, EnvironmentProblem, UsageProblem
from flink_boost.cli.main import main
from flink_boost.flink.jdks import Jdk, ask_jdk, find_java
from flink_boost.measure.box import choose_java, describe_box, granted_cores
from flink_boost.measure.box_file import BoxFile, fingerprint, read_box_file, write_box_file
from flink_boost.measure.host import describe_host

JDK = Jdk("17.0.15+6-Debian-1deb12u1", 17)


def script(path: Path, body: str) -> str:
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def test_the_java_of_this_machine_answers() -> None:
    jdk = ask_jdk("java")
    assert jdk.feature >= 17
    assert jdk.version.startswith(str(jdk.feature))


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("exit 3", "does not run"),
        ("echo hello", "does not tell its version"),
    ],
)
def test_a_java_that_is_none(tmp_path: Path, body: str, complaint: str) -> None:
    with pytest.raises(EnvironmentProblem, match=complaint):
        ask_jdk(script(tmp_path / "java", body))


def test_a_java_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="There is no java"):
        ask_jdk(str(tmp_path / "java"))


def test_the_old_numbering_of_java_8(tmp_path: Path) -> None:
    answer = "java.specification.version = 1.8\n java.runtime.version = 1.8.0_402-b06"
    answer += "\n java.home = /opt/java/jre"
    java = script(tmp_path / "java", f"echo '{answer}' >&2")
    assert ask_jdk(java) == Jdk("1.8.0_402-b06", 8)


def test_which_java() -> None:
    assert find_java("/opt/java", {"JAVA_HOME": "/jdk"}) == "/opt/java"
    assert find_java(None, {"JAVA_HOME": "/jdk"}) == "/jdk/bin/java"
    assert find_java(None, {}) == "java"


def test_this_machine() -> None:
    box = describe_box(JDK)
    assert box.jdk == JDK.version
    assert box.kernel == platform.release()
    assert 1 <= box.cores <= (os.cpu_count() or 1)
    assert box.memory_mb > 500
    assert box.cpu
    assert box.load >= 0


def test_a_described_machine_and_a_bare_one(tmp_path: Path) -> None:
    metadata = {"cpu_model_name": "Example CPU @ 2.0"}
    box = describe_box(JDK, host=describe_host(metadata, 16000 << 20, tmp_path, tmp_path))
    assert (box.cpu, box.memory_mb) == ("Example CPU @ 2.0", 16000)
    bare = describe_box(JDK, host=describe_host({}, 0, tmp_path, tmp_path))
    assert (bare.cpu, bare.memory_mb) == (platform.machine(), 0)


@pytest.mark.parametrize(
    ("membership", "files", "cores"),
    [
        ("0::/\n", {}, 8),
        ("0::/\n", {"cpu.max": "max 100000\n"}, 8),
        ("0::/\n", {"cpu.max": "200000 100000\n"}, 2),
        ("0::/\n", {"cpu.max": "150000 100000\n"}, 2),
        ("0::/\n", {"cpu.max": "10000 100000\n"}, 1),
        ("0::/\n", {"cpu.max": "6400000 100000\n"}, 8),
        # The quota of a group around ours holds as well, and the smallest one counts.
        ("0::/a/b\n", {"a/cpu.max": "300000 100000", "a/b/cpu.max": "max 100000"}, 3),
        ("0::/a/b\n", {"a/cpu.max": "300000 100000", "a/b/cpu.max": "400000 100000"}, 3),
        # In a container the path is the host's, and its own files are at the root.
        ("0::/kubepods/pod1\n", {"cpu.max": "100000 100000"}, 1),
        # Version 1
        (
            "5:cpu,cpuacct:/docker/1\n0::/\n",
            {"cpu,cpuacct/cpu.cfs_quota_us": "250000", "cpu,cpuacct/cpu.cfs_period_us": "100000"},
            3,
        ),
        ("1:cpu:/\n", {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, 8),
    ],
)
def test_the_cores_are_those_that_the_cgroup_grants(
    membership: str,
    files: dict[str, str],
    cores: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)))
    (tmp_path / "proc" / "self").mkdir(parents=True)
    (tmp_path / "proc" / "self" / "cgroup").write_text(membership)
    for name, text in files.items():
        file = tmp_path / "cgroup" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    assert granted_cores(tmp_path / "proc", tmp_path / "cgroup") == cores


def test_a_name_goes_with_the_machine_that_it_was_given_to(tmp_path: Path) -> None:
    unnamed = describe_box(JDK)
    assert (unnamed.name, unnamed.label) == ("", unnamed.hostname)
    file = tmp_path / "etc" / "box.toml"
    write_box_file(file, BoxFile(name="redbox", fingerprint=unnamed.fingerprint))
    environ = {"FLINK_BOOST_BOX": str(file)}
    named = describe_box(JDK, read_box_file(environ))
    assert (named.name, named.label) == ("redbox", "redbox")
    with pytest.raises(EnvironmentProblem, match=r"calls this machine 'redbox' with"):
        describe_box(JDK, BoxFile(name="redbox", fingerprint="of another"))


def test_the_fingerprint_is_of_what_a_score_depends_on() -> None:
    facts = ("Example CPU", 4, 16_000_000)
    assert fingerprint(*facts) == fingerprint("Example CPU", 4, 16_001_000)
    assert len(fingerprint(*facts)) == 12
    for other in (("Other CPU", 4, 16_000_000), ("Example CPU", 2, 16_000_000)):
        assert fingerprint(*other) != fingerprint(*facts)
    assert fingerprint("Example CPU", 4, 32_000_000) != fingerprint(*facts)


@pytest.mark.parametrize(
    "text",
    ["", "name = 'a'", "name = ''\nfingerprint = 'x'", "name = 'a b'\nfingerprint = 'x'", "["],
)
def test_a_damaged_box_file_is_named(text: str, tmp_path: Path) -> None:
    file = tmp_path / "box.toml"
    file.write_text(text)
    with pytest.raises(BrokenData, match=r"is no box\.toml"):
        read_box_file({"FLINK_BOOST_BOX": str(file)})


def test_a_box_file_that_is_named_has_to_exist(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="there is no such file"):
        read_box_file({"FLINK_BOOST_BOX": str(tmp_path / "box.toml")})


def test_the_command_names_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "box.toml"
    monkeypatch.setenv("FLINK_BOOST_BOX", str(file))
    assert main(["box", "--name", "no name"]) == 2
    assert not file.exists()
    assert main(["box", "--name", "redbox"]) == 0
    capsys.readouterr()
    assert main(["box", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["label"] == "redbox"
    assert main(["box"]) == 0
    assert capsys.readouterr().out.startswith("Box:         redbox\n")
    file.write_text(file.read_text().replace('fingerprint = "', 'fingerprint = "x'))
    assert main(["box"]) == 4
    assert "name this machine anew" in capsys.readouterr().err


def jdk_home(folder: Path, feature: int) -> Path:
    """A folder whose java says that it is of this feature number."""
    (folder / "bin").mkdir(parents=True)
    script(
        folder / "bin" / "java",
        f"echo 'java.home = {folder}' >&2\n"
        f"echo 'java.runtime.version = {feature}.0.1+1' >&2\n"
        f"echo 'java.specification.version = {feature}' >&2",
    )
    return folder


@pytest.mark.parametrize(
    ("wanted", "supported", "chosen"),
    [
        (None, (17, 21), "own"),
        (17, (17, 21), "own"),
        (21, (17, 21), "fetched-21"),
        (None, (11,), "fetched-11"),
        (None, (11, 17), "own"),
        (11, (11, 17), "fetched-11"),
    ],
)
def test_the_java_of_a_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    wanted: int | None,
    supported: tuple[int, ...],
    chosen: str,
) -> None:
    own = jdk_home(tmp_path / "own", 17)
    monkeypatch.setattr(
        "flink_boost.measure.box.java_home",
        lambda feature: jdk_home(tmp_path / f"fetched-{feature}", feature),
    )
    java = choose_java(None, wanted, supported, {"JAVA_HOME": str(own)})
    assert java == str(tmp_path / chosen / "bin" / "java")


def test_a_machine_without_java_fetches_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("flink_boost.measure.box.java_home", lambda _: tmp_path)
    java = choose_java(None, None, (11,), {"JAVA_HOME": "/nothing"})
    assert java == str(tmp_path / "bin" / "java")


def test_a_named_java_is_taken_and_a_jdk_that_a_line_does_not_run_on_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("flink_boost.measure.box.java_home", jdk_home_never)
    assert choose_java("/x/java", None, (11,), {}) == "/x/java"
    with pytest.raises(UsageProblem, match=r"does not run on JDK 25. Choose --jdk 17 or 21\."):
        choose_java(None, 25, (17, 21), {})


def jdk_home_never(feature: int) -> Path:
    raise AssertionError(f"JDK {feature} was fetched")
