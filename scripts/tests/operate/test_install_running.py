"""install and uninstall while Flink runs, while another call runs, and when they are killed."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
from contextlib import ExitStack
from pathlib import Path

import pytest
from installations import (
    JAR,
    LINE,
    everything_in,
    flink_boost,
    java_environment,
    our_jars,
    small_home,
)
from java_programs import SLEEPER, classes_of
from older_jars import put_old_jar
from signalled import run_signalled_at

from flink_boost.base.errors import FlinkRunning
from flink_boost.cli import library
from flink_boost.cli.commands import install as install_command
from flink_boost.operate.guard import Outlook

pytestmark = pytest.mark.needs_jars


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("os.environ", java_environment(LINE))
    return small_home(tmp_path / "flink")


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
