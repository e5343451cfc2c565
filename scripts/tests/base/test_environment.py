"""What a process that we start sees of our environment: never the write token."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from flink_boost.base.processes import bare_environment, foreign_environment, run_supervised
from flink_boost.flink.jdks import ask_jdk

SECRET = "the-write-token-0123456789"
OURS = {
    "FLINK_BOOST_TOKEN": SECRET,
    "FLINK_BOOST_TOKEN_FILE": "/run/secrets/token",
    "FLINK_BOOST_SECRET_KEY": SECRET,
    "DATABASE_URL": f"postgres://me:{SECRET}@db/speed",
    "GITHUB_TOKEN": SECRET,
    "AWS_SECRET_ACCESS_KEY": SECRET,
}
OPTIONS = {
    "JAVA_TOOL_OPTIONS": "-Xint",
    "JDK_JAVA_OPTIONS": "-Xint",
    "_JAVA_OPTIONS": "-Xint",
    "LD_PRELOAD": "/nothing.so",
}
USUAL = {"PATH": os.environ["PATH"], "HOME": "/home/me", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}


def test_a_measured_jvm_gets_what_it_needs_and_nothing_else() -> None:
    assert bare_environment({**USUAL, **OURS, **OPTIONS, "WHATEVER_COMES": "1"}) == USUAL


def test_programs_of_others_keep_their_variables_but_do_not_see_ours() -> None:
    theirs = {**USUAL, "HADOOP_CLASSPATH": "/x", "MAVEN_OPTS": "-Xmx1g", "https_proxy": "http://p"}
    assert foreign_environment({**theirs, "FLINK_BOOST_TOKEN": SECRET}) == theirs


def test_a_jvm_started_by_us_does_not_see_the_token(tmp_path: Path) -> None:
    """A JVM prints its variables: run as forks, soaks and Flink's tests are, and asked as JDKs."""
    source = tmp_path / "Env.java"
    source.write_text(
        "class Env { public static void main(String[] a) { System.out.println(System.getenv()); } }"
    )
    java = shutil.which("java")
    assert java is not None
    log = tmp_path / "log"
    environ = {**os.environ, **OURS, **OPTIONS}
    assert run_supervised([java, str(source)], log, bare_environment(environ), 120) == 0
    assert "PATH=" in log.read_text()
    assert SECRET not in log.read_text()
    assert "-Xint" not in log.read_text()

    # The control: without the allow-list the token is there to be read.
    assert run_supervised([java, str(source)], log, {**os.environ, **OURS}, 120) == 0
    assert SECRET in log.read_text()


def test_a_java_that_is_asked_for_its_version_does_not_see_the_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = tmp_path / "seen"
    program = tmp_path / "java"
    program.write_text(f'#!/bin/sh\nenv > {seen}\nexec java "$@"\n')
    program.chmod(0o755)
    for name, value in OURS.items():
        monkeypatch.setenv(name, value)
    assert ask_jdk(str(program)).feature >= 17
    assert "PATH=" in seen.read_text()
    assert SECRET not in seen.read_text()
    assert SECRET in subprocess.run(["env"], capture_output=True, text=True, check=True).stdout
