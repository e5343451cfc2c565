"""Two measuring commands never overlap on one machine, whatever folders and containers they use."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from flink_boost.base.errors import EnvironmentProblem
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.cli.main import main
from flink_boost.measure.machine_lock import USUAL_PLACE, VARIABLE, lock_file, machine_lock

pytestmark = pytest.mark.quiet

HOLD = (
    "import pathlib, sys; from flink_boost.measure.machine_lock import machine_lock\n"
    "with machine_lock(pathlib.Path(sys.argv[1]), 'flink-boost bench, run X'):\n"
    "    print('held', flush=True); sys.stdin.read()\n"
)


@contextmanager
def held(path: Path, *wrapper: str) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the lock until the block ends."""
    with subprocess.Popen(
        [*wrapper, sys.executable, "-c", HOLD, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(PROJECT_ROOT / "scripts")},
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        try:
            yield holder
        finally:
            holder.kill()


def refusal(path: Path) -> str:
    with pytest.raises(EnvironmentProblem) as problem, machine_lock(path, "flink-boost bench"):
        pass
    return str(problem.value)


def test_the_second_is_refused_and_told_who_measures(tmp_path: Path) -> None:
    lock = tmp_path / "shared" / "measuring.lock"
    with held(lock) as holder:
        note = f"flink-boost bench, run X, pid {holder.pid} on {os.uname().nodename}"
        assert f"Something else measures on this machine: {note};" in refusal(lock)
    with machine_lock(lock, "flink-boost bench"):
        pass


@pytest.mark.parametrize("command", [("bench",), ("bench", "--resume", "X"), ("run",)])
def test_no_measuring_command_begins_while_another_measures(
    command: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each has a build folder of its own; the machine is what they share."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "measuring.lock"))
    with held(tmp_path / "measuring.lock"):
        assert main(["--build", str(tmp_path / "build"), *command]) == 4
    assert "Something else measures on this machine" in capsys.readouterr().err
    assert list((tmp_path / "build" / "results").glob("*/run.json")) == []


def test_a_killed_holder_leaves_nothing_behind(tmp_path: Path) -> None:
    lock = tmp_path / "measuring.lock"
    with held(lock) as holder:
        holder.send_signal(signal.SIGKILL)
        holder.wait(30)
        with machine_lock(lock, "flink-boost bench"):
            pass


def test_a_container_that_mounts_the_folder_is_held_off_as_well(tmp_path: Path) -> None:
    """Other mount and process namespaces, a /tmp of its own: what a container is to a file lock."""
    shared = tmp_path / "shared"
    shared.mkdir()
    unshare = shutil.which("unshare")
    assert unshare, "util-linux is missing; Flink's scripts need it as well"
    private = [unshare, "--mount", "--pid", "--fork", "--kill-child"]
    if os.geteuid() != 0:
        private[1:1] = ["--user", "--map-root-user"]
    inside = (*private, "sh", "-c", 'mount -t tmpfs none /media && exec "$@"', "sh")
    with held(shared / "measuring.lock", *inside):
        assert "Something else measures on this machine" in refusal(shared / "measuring.lock")


def test_a_link_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "measuring.lock").symlink_to(tmp_path / "victim")
    assert "cannot be used" in refusal(tmp_path / "measuring.lock")
    assert (tmp_path / "victim").read_text() == "precious"


def test_a_folder_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "measuring.lock").mkdir()
    assert "cannot be used" in refusal(tmp_path / "measuring.lock")


def test_a_pipe_in_its_place_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "measuring.lock")
    assert "cannot be used" in refusal(tmp_path / "measuring.lock")


def test_a_second_name_of_somebodys_file_is_neither_changed_nor_emptied(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("precious")
    precious.chmod(0o600)
    (tmp_path / "measuring.lock").hardlink_to(precious)
    assert "cannot be used" in refusal(tmp_path / "measuring.lock")
    assert precious.read_text() == "precious"
    assert precious.stat().st_mode & 0o777 == 0o600


def test_what_makes_the_lock_usable_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir()
    (folder / "measuring.lock").mkdir()
    assert f"As root run `install -d -m 1777 {folder}`" in refusal(folder / "measuring.lock")


def test_every_user_of_the_machine_may_lock(tmp_path: Path) -> None:
    lock = tmp_path / "shared" / "measuring.lock"
    with machine_lock(lock, "flink-boost bench"):
        assert lock.stat().st_mode & 0o777 == 0o666
        assert lock.parent.stat().st_mode & 0o7777 == 0o1777


def test_the_place_can_be_named() -> None:
    assert lock_file({}) == USUAL_PLACE
    assert lock_file({VARIABLE: "/run/x.lock"}) == Path("/run/x.lock")
