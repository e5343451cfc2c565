"""The sandbox in a control group of its own: under a real kernel, systemd and the shipped unit."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import pytest
from test_sandbox_memory import EMPTY_FILES, PIPES, SOCKETS
from user_mode_linux import run_as_unit

from flink_boost.base.errors import NoIsolation
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.service.builds.isolation.cgroups import DELEGATED, delegated, fresh_group
from flink_boost.service.builds.isolation.sandbox import Limits

pytestmark = pytest.mark.quiet

_BOMB = """
import os, time
while True:
    try:
        os.fork()
    except OSError:
        time.sleep(0.01)
"""
# A workplace that is memory has its size beside the limit of memory.
_WELL = """
import os, time
taken = bytearray(8 << 20)
with open("full", "wb") as file:
    for _ in range(30):
        file.write(bytes(1 << 20))
assert open("/proc/self/cgroup").read().strip() == "0::/"
assert not os.path.exists("/sys/fs/cgroup")
"""
# Forty processes with the same 20 MiB: each page counts once.
_SHARED = """
import os, time
held = bytearray(b"x") * (20 << 20)
for _ in range(40):
    if os.fork() == 0:
        time.sleep(1.5)
        os._exit(0)
time.sleep(2)
"""
_TRIALS = f"""
import os
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from sandbox_trial import LIMITS, MIB, Trial

from flink_boost.service.builds.isolation.cgroups import delegated
from flink_boost.service.builds.isolation.choosing import choose_sandbox

unit = delegated()
print("delegated", unit)
folder = Path(os.environ["HOME"]) / "open"
folder.mkdir()
limits = replace(LIMITS, memory=48 * MIB, disk=32 * MIB, processes=60)
(unit / "sandbox-left").mkdir()
with ExitStack() as stack:
    trial = Trial(folder, choose_sandbox({{}}), stack)
    for program in {(_WELL, _SHARED, SOCKETS, PIPES, EMPTY_FILES, _BOMB, _WELL)!r}:
        for left in trial.work.iterdir():
            left.unlink()
        ended = trial.run(f"{{program}}time.sleep(0)", limits=limits)
        print("ended", ended.how, ended.code, ended.said, flush=True)
print("left", sorted(path.name for path in unit.iterdir() if path.is_dir()))
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="Debian has user-mode-linux for x86")
def test_the_kernel_holds_all_that_a_sandbox_takes(tmp_path: Path) -> None:
    unit = PROJECT_ROOT / "scripts" / "systemd" / "flink-boost-requests.service"
    lines = run_as_unit(unit, _TRIALS, tmp_path, seconds=300)
    told = [line for line in lines if line.startswith(("delegated", "ended", "left"))]
    assert told == [
        f"delegated /sys/fs/cgroup/system.slice/{unit.name}",
        *["ended exited 0 "] * 2,
        *["ended memory None "] * 3,
        "ended processes None ",
        "ended exited 0 ",
        "left ['service']",
    ], "\n".join(lines)


def test_a_group_that_systemd_has_not_handed_over_is_left_alone(tmp_path: Path) -> None:
    """This machine's own groups, whatever they are: nobody has marked them for a test."""
    ours = tmp_path / "unit"
    ours.mkdir()
    (ours / "cgroup.subtree_control").touch()
    (ours / "cgroup.controllers").write_text("cpu memory pids")
    membership = tmp_path / "membership"
    membership.write_text("4:memory:/elsewhere\n0::/unit\n")
    assert delegated(tmp_path, membership) is None
    os.setxattr(ours, DELEGATED[0], b"1")
    assert delegated(tmp_path, membership) == ours
    membership.write_text("0::/unit/service\n")
    assert delegated(tmp_path, membership) == ours
    (ours / "cgroup.controllers").write_text("cpu pids")
    assert delegated(tmp_path, membership) is None


def test_a_group_of_ours_that_cannot_be_divided_ends_it(tmp_path: Path) -> None:
    (tmp_path / "cgroup.subtree_control").touch()
    (tmp_path / "cgroup.controllers").write_text("memory pids")
    os.setxattr(tmp_path, DELEGATED[0], b"1")
    membership = tmp_path / "membership"
    membership.write_text("0::/\n")
    limits = Limits(seconds=1)
    with (
        pytest.raises(NoIsolation, match="cannot be divided: No such file") as told,
        fresh_group("x", limits, files=0, mount=tmp_path, membership=membership),
    ):
        pass
    assert "docs/requests-setup.md" in told.value.next_step
