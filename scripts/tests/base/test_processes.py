"""Processes of a supervised command end with it, with its caller, and with its guard."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from eventual import eventually

from flink_boost.base.processes import (
    CommandTimeoutError,
    run_supervised,
    terminated_like_interrupted,
)

pytestmark = pytest.mark.quiet

# Like JMH: the command starts another process and waits for it. Writes both process ids.
NESTED = 'echo $$ > "$0.partial"; sleep 300 & echo $! >> "$0.partial"; mv "$0.partial" "$0"; wait'


def nested(pids: Path) -> list[str]:
    return ["sh", "-c", NESTED, str(pids)]


def running(pids: Path) -> list[int]:
    """The processes of the command that still exist; a zombie does not count."""
    alive = []
    for pid in map(int, pids.read_text().split()):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            continue
        if state != "Z":
            alive.append(pid)
    return alive


@pytest.mark.parametrize("code", [0, 7])
def test_output_and_exit_code_come_through(tmp_path: Path, code: int) -> None:
    log = tmp_path / "log"
    command = ["sh", "-c", f'echo "$GREETING"; echo bad >&2; exit {code}']
    environment = {"GREETING": "good", "PATH": os.environ["PATH"]}
    assert run_supervised(command, log, environment, 30) == code
    assert log.read_text() == "good\nbad\n"


def test_arguments_are_not_read_by_a_shell(tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert run_supervised(["printf", "%s|", "$HOME", "a b", "`id`"], log, os.environ, 30) == 0
    assert log.read_text() == "$HOME|a b|`id`|"


def test_a_missing_command_is_said_in_the_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert run_supervised([str(tmp_path / "nothing")], log, os.environ, 30) == 127
    assert "No such file" in log.read_text()


def test_a_command_ended_by_a_signal_has_the_code_of_a_shell(tmp_path: Path) -> None:
    command = ["sh", "-c", "kill -TERM $$"]
    assert run_supervised(command, tmp_path / "log", os.environ, 30) == 128 + signal.SIGTERM


def test_a_command_that_takes_too_long_ends_with_all_its_processes(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    with pytest.raises(CommandTimeoutError):
        run_supervised(nested(pids), tmp_path / "log", os.environ, 1.5)
    assert eventually(lambda: not running(pids))


def test_what_a_command_leaves_behind_ends_too(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    command = ["sh", "-c", 'sleep 300 & echo $! > "$0"; exit 3', str(pids)]
    assert run_supervised(command, tmp_path / "log", os.environ, 30) == 3
    assert eventually(lambda: not running(pids))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_outlives_a_killed_caller(tmp_path: Path, number: signal.Signals) -> None:
    pids = tmp_path / "pids"
    script = (
        "import os, pathlib, sys; from flink_boost.base.processes import run_supervised;"
        "run_supervised(sys.argv[2:], pathlib.Path(sys.argv[1]), os.environ, 300)"
    )
    caller = subprocess.Popen([sys.executable, "-c", script, str(tmp_path / "log"), *nested(pids)])
    try:
        assert eventually(pids.exists)
        assert len(running(pids)) == 2
    finally:
        caller.send_signal(number)
        caller.wait(timeout=10)
    assert eventually(lambda: not running(pids))


def test_nothing_outlives_a_killed_guard(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    # The guard is the parent of the command.
    command = ["sh", "-c", NESTED.replace("wait", "kill -KILL $PPID; sleep 300"), str(pids)]
    assert run_supervised(command, tmp_path / "log", os.environ, 30) == -signal.SIGKILL
    assert eventually(lambda: not running(pids))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_end_is_an_interrupt(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with pytest.raises(KeyboardInterrupt), terminated_like_interrupted():
        signal.raise_signal(number)
    assert signal.getsignal(number) is before


def test_an_ignored_hang_up_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with terminated_like_interrupted():
            signal.raise_signal(signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
