"""SIGTERM and SIGHUP in the middle of a command: code 130, one JSON object, a whole jar or none."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from installations import (
    JAR,
    everything_in,
    flink_boost,
    former_dropin,
    our_jars,
    put_jar,
    small_home,
)
from signalled import run_signalled_at

from flink_boost.cli.problems import INTERRUPTED

pytestmark = pytest.mark.needs_jars


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return small_home(tmp_path / "flink")


def signalled_at(
    number: int, step: int, *arguments: str | Path, moment: str = "before"
) -> tuple[int, dict[str, Any]]:
    """The exit code and the one object that was printed."""
    done = run_signalled_at(number, step, *arguments, "--json", moment=moment)
    answer: dict[str, Any] = json.loads(done.stdout)
    assert answer["exit_code"] == done.returncode
    assert ("flink-boost: Interrupted" in done.stderr) == (done.returncode == INTERRUPTED)
    return done.returncode, answer


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, pytest.param(signal.SIGHUP, marks=pytest.mark.test_all)]
)
@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_a_change_ends_with_the_jar_whole_or_not_there(
    command: str, number: signal.Signals, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clean = everything_in(home)
    interrupted = 0
    for step in range(1, 20):
        if command == "uninstall":
            put_jar(home)
        code, answer = signalled_at(number, step, command, home)
        assert our_jars(home) in ([], [JAR])
        if code == 0:
            break
        assert code == INTERRUPTED
        assert answer["command"] == command
        assert answer["ok"] is False
        interrupted += 1
        # Calling again is enough.
        assert flink_boost(command, home) == 0
        assert our_jars(home) == ([JAR] if command == "install" else [])
        assert flink_boost("uninstall", home) == 0
        assert everything_in(home) == clean
    assert interrupted >= 2
    assert our_jars(home) == ([JAR] if command == "install" else [])
    capsys.readouterr()


@pytest.mark.test_all
@pytest.mark.parametrize("moment", ["before", "after"])
def test_an_upgrade_ends_with_one_jar_or_none(
    moment: str, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    former = former_dropin(tmp_path, "0.0.9")
    seen = set()
    for step in range(1, 20):
        shutil.copy(former, home / "lib")
        code, _ = signalled_at(signal.SIGTERM, step, "install", home, moment=moment)
        jars = our_jars(home)
        assert len(jars) <= 1, step
        seen.update(jars)
        if code == 0:
            break
        assert code == INTERRUPTED
        assert flink_boost("install", home) == 0
        assert our_jars(home) == [JAR]
        assert flink_boost("uninstall", home) == 0
    assert seen == {former.name, JAR}
    assert our_jars(home) == [JAR]
    capsys.readouterr()


def test_what_was_begun_is_taken_back(home: Path) -> None:
    """At its first step an installation has written a file aside, which a kill would leave."""
    clean = everything_in(home)
    assert signalled_at(signal.SIGTERM, 1, "install", home)[0] == INTERRUPTED
    assert everything_in(home) == clean


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("command", ["doctor", "verify"])
def test_an_examination_while_it_waits_for_the_scripts(
    command: str, number: signal.Signals, home: Path, tmp_path: Path
) -> None:
    put_jar(home)
    script = home / "bin" / "config.sh"
    script.unlink()
    asked = tmp_path / "asked"
    os.mkfifo(asked)
    script.write_text(f"echo here > {asked}\nexec sleep 100\n")
    process = subprocess.Popen(
        [str(Path(sys.executable).with_name("flink-boost")), command, str(home), "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert asked.read_text() == "here\n"
        process.send_signal(number)
        printed, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == INTERRUPTED, errors
    answer = json.loads(printed)
    assert (answer["command"], answer["exit_code"]) == (command, INTERRUPTED)
    assert "Interrupted" in errors
