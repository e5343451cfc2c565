"""Forks have temporary files of their own: nothing in a shared ``/tmp`` decides about a run.

Needs what ``make build`` leaves.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from jmh_java import make_java
from stored_runs import complete_run_ids

COMMAND = Path(sys.executable).with_name("flink-boost")
WRITE = "StringSerializationBenchmark.write"
ROOT = os.geteuid() == 0

pytestmark = [pytest.mark.quiet, pytest.mark.needs_jars]


def bench(results: Path, *arguments: str) -> list[str]:
    command = (str(COMMAND), "--results", str(results), "bench", "--group", "smoke", WRITE, "--aa")
    return [*command, *arguments]


def run(command: Sequence[str], **variables: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **{name: str(value) for name, value in variables.items()}}
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=200, check=False
    )


# Nobody may create, write or lock a file in /tmp, root neither. The second place stays open.
CLOSED_TMP = """
set -e
mount --bind /tmp /tmp; mount --bind "$0" "$0"; mount -o remount,bind,ro /tmp
! touch /tmp/x 2>/dev/null
exec "$@"
"""


def privately(script: str, folder: Path, command: Sequence[str]) -> list[str]:
    """In mounts of its own, which no other process sees."""
    return ["unshare", "-m" if ROOT else "-Urm", "sh", "-c", script, str(folder), *command]


@pytest.mark.forks
def test_a_fork_writes_nothing_into_the_shared_tmp_and_leaves_nothing(tmp_path: Path) -> None:
    temporary = tmp_path / "with space"
    temporary.mkdir()
    results = tmp_path / "results"
    done = run(
        privately(CLOSED_TMP, tmp_path, bench(results)),
        TMPDIR=temporary,
        FLINK_BOOST_MACHINE_LOCK=tmp_path / "measuring.lock",
    )
    assert done.returncode == 0, done.stderr + done.stdout
    (run_id,) = complete_run_ids(results)
    own = [
        [word for word in json.loads(file.read_text())[0]["jvmArgs"] if "tmpdir" in word]
        for file in (results / run_id / "forks").glob("*.json")
    ]
    # The measured JVM has it, too; that is as long on both sides, and in no record of the run.
    (first,), (second,) = own
    assert first != second
    assert len(first) == len(second)
    assert first.startswith(f"-Djava.io.tmpdir={temporary}/flink-boost-scratch-")
    assert "tmpdir" not in (results / run_id / "run.json").read_text()
    assert list(temporary.iterdir()) == []


SERVICE = 65534
# It reads this project and its Python wherever they are, and writes what is its own.
READS = ("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search")
AS_SERVICE = ("setpriv", f"--reuid={SERVICE}", f"--regid={SERVICE}", "--clear-groups", *READS)


@pytest.mark.forks
@pytest.mark.test_all
@pytest.mark.skipif(not ROOT, reason="becomes another user")
@pytest.mark.parametrize("order", [((), AS_SERVICE), (AS_SERVICE, ())], ids=["root first", "last"])
def test_root_and_the_service_measure_in_turn(
    order: Sequence[Sequence[str]], open_folder: Path
) -> None:
    shared = open_folder / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    # What Java takes for /tmp, in which only we measure.
    java = open_folder / "java"
    java.write_text(f'#!/bin/sh\numask 077; exec java -Djava.io.tmpdir={shared} "$@"\n')
    java.chmod(0o755)
    for number, account in enumerate(order):
        home = open_folder / f"home{number}"
        home.mkdir()
        if account:
            os.chown(home, SERVICE, SERVICE)
        done = run(
            [*account, *bench(home / "results", "--java", str(java))],
            TMPDIR=shared,
            FLINK_BOOST_MACHINE_LOCK=shared / "measuring.lock",
        )
        assert done.returncode == 0, done.stderr
        assert len(complete_run_ids(home / "results")) == 1
    assert [path.name for path in shared.iterdir()] == ["measuring.lock"]


SMALL_TMP = """
mount -t tmpfs -o size=2m none "$0" && exec "$@"
"""


def test_a_full_tmp_is_told_with_what_to_do(tmp_path: Path) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    action = f"head -c 4000000 /dev/zero > {temporary}/other; exit 1"
    java = make_java(tmp_path / "filling", failing=[1], action=action)
    results = tmp_path / "results"
    done = run(
        privately(SMALL_TMP, temporary, bench(results, "--java", str(java))), TMPDIR=temporary
    )
    assert done.returncode == 4, done.stderr
    assert f"There is no space left in {temporary}, where temporary files go." in done.stderr
    assert "set TMPDIR to a folder on another disk" in done.stderr
    assert done.stderr.count("] pair ") == 0, "the next fork would fail, too"
