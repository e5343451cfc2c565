"""The machine and the JVM are described from what they say themselves."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import pytest

from flink_boost.box import Jdk, ask_jdk, describe_box, find_java
from flink_boost.errors import EnvironmentProblem

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
    (tmp_path / "cpuinfo").write_text("processor\t: 0\nmodel name\t: Example CPU @ 2.0\n")
    (tmp_path / "meminfo").write_text("MemTotal:       16384000 kB\nMemFree: 1 kB\n")
    box = describe_box(JDK, tmp_path)
    assert (box.cpu, box.memory_mb) == ("Example CPU @ 2.0", 16000)
    bare = describe_box(JDK, tmp_path / "nothing")
    assert (bare.cpu, bare.memory_mb) == (platform.machine(), 0)
