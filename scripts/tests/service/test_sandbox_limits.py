"""Hostile programs in the real sandbox that take too much: `Ended` names what held each.

Beside each stands the same program outside, or with the protection off, where that is safe: it
shows that the program would do harm. Needs bubblewrap; run by root, programs run as another user.
"""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest
from sandbox_trial import LIMITS, MIB, Trial, outside

from flink_boost.service.builds.isolation.choosing import choose_sandbox
from flink_boost.service.builds.isolation.sandbox import Ended
from flink_boost.service.builds.isolation.watching import TooManyFiles, size_below
from flink_boost.service.builds.isolation.workplace import fresh_workplace

pytestmark = pytest.mark.quiet


def test_a_fork_bomb_is_held(trial: Trial) -> None:
    bomb = """
import os, time
while True:
    try:
        if os.fork() == 0:
            continue
    except OSError:
        time.sleep(0.01)
"""
    ended = trial.run(bomb)
    assert ended.how == "processes"
    assert "started more processes" in ended.sentence
    counted = """
import os, time
made = 0
try:
    while made < 300:
        if os.fork() == 0:
            time.sleep(2)
            os._exit(0)
        made += 1
except OSError:
    print("refused")
print(made, flush=True)
os._exit(0)
"""
    trial.run(counted)
    assert trial.printed.startswith("refused")
    assert int(trial.printed.split()[1]) < LIMITS.processes
    assert outside(counted) == "300\n"


def test_a_disk_is_not_filled(trial: Trial) -> None:
    filling = """
import os
block = b"x" * (1 << 20)
for number in range(200):
    try:
        with open(f"file-{number}", "wb") as file:
            file.write(block)
    except OSError as error:
        print(error.strerror)
        break
else:
    import time; time.sleep(5)
"""
    before = os.statvfs(trial.folder).f_bavail
    ended = trial.run(filling)
    assert ended.how == "disk"
    if trial.work.is_mount():
        assert "No space left on device" in ended.said
        taken = before - os.statvfs(trial.folder).f_bavail
        assert taken * os.statvfs(trial.folder).f_frsize < LIMITS.disk


def test_one_file_is_no_larger_than_the_disk_allowed(open_folder: Path) -> None:
    """Without a file system of its own for ``work``, the kernel holds one file, the watch all."""
    sandbox = choose_sandbox({})
    places = open_folder / "places"
    with fresh_workplace(places, sandbox.owners, disk=MIB, in_memory=False) as work:
        assert not work.is_mount()

        def run(program: str) -> Ended:
            return sandbox.run(
                ("python3", "-I", "-c", program), work=work, readable=(), environment={},
                limits=replace(LIMITS, disk=MIB), log=open_folder / "log", mirrors=False,
            )  # fmt: skip

        run("import os; os.posix_fallocate(os.open('big', os.O_CREAT | os.O_WRONLY), 0, 1 << 24)")
        assert (work / "big").stat().st_size <= MIB
        many = "import time\nfor n in range(9): open(f'f{n}', 'wb').write(b'x' * 400_000)\n"
        assert run(f"{many}time.sleep(9)").how == "disk"
        deep = "import os, time\nfor n in range(200): os.mkdir('d'); os.chdir('d')\ntime.sleep(9)"
        for left in work.iterdir():
            left.unlink()
        assert run(deep).how == "disk"
        assert run("open('small', 'w').write('x')").how == "disk"
    assert not work.exists()


def test_time_and_output_are_held(trial: Trial) -> None:
    began = time.monotonic()
    ended = trial.run("while True: pass", limits=replace(LIMITS, seconds=1))
    assert (ended.how, ended.code) == ("time", None)
    assert time.monotonic() - began < 30
    ended = trial.run("while True: print('x' * 1000)")
    assert ended.how == "output"
    assert trial.log.stat().st_size <= LIMITS.output
    assert len(ended.said) <= 1500
    # Bytes that are no text become three each.
    ended = trial.run("import os\nos.write(1, bytes([255]) * (600 * 1024))")
    assert ended.how == "output"
    assert LIMITS.output - 4 <= trial.log.stat().st_size <= LIMITS.output
    # Nothing is read, nothing is said, and nobody waits: output closed, and gone on for ever.
    quiet = "import os, time\nos.close(1); os.close(2)\ntime.sleep(99)"
    assert trial.run(quiet, limits=replace(LIMITS, seconds=1)).how == "time"


@pytest.mark.parametrize("closed", ["", "below"])
def test_a_folder_that_is_closed_to_us_counts_as_full(
    closed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has built in a folder could close it, and write on through an open file."""
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "file").write_bytes(b"1" * 5000)
    assert size_below(tmp_path) >= 5000
    really_open = os.open

    def refusing(path: str | Path, flags: int, *, dir_fd: int | None = None) -> int:
        if Path(path).name == (closed or tmp_path.name):
            raise PermissionError(13, "Permission denied", str(path))
        return really_open(path, flags, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", refusing)
    with pytest.raises(TooManyFiles):
        size_below(tmp_path)
