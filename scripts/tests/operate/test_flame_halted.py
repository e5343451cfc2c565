"""JVMs that are stopped, held or frozen: told as such, and left as they are."""

from __future__ import annotations

import ctypes
import os
import re
import signal
from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from pathlib import Path

import pytest
from eventual import eventually
from spinning import Start, flame

from flink_boost.base.errors import NotProfiled
from flink_boost.operate import attach
from flink_boost.operate.halted import require_running

pytestmark = pytest.mark.quiet

Halted = Callable[[int], ExitStack]


def stopped(pid: int) -> ExitStack:
    os.kill(pid, signal.SIGSTOP)
    # Each thread stops when it next hears of it.
    tasks = Path(f"/proc/{pid}/task")
    assert eventually(
        lambda: all("State:\tT" in (one / "status").read_text() for one in tasks.iterdir())
    )
    stack = ExitStack()
    stack.callback(os.kill, pid, signal.SIGCONT)
    return stack


def traced(pid: int) -> ExitStack:
    """Held as by a debugger; 16 and 17 attach and detach."""
    library = ctypes.CDLL(None, use_errno=True)
    assert library.ptrace(16, pid, 0, 0) == 0, os.strerror(ctypes.get_errno())
    os.waitpid(pid, 0)
    stack = ExitStack()
    stack.callback(library.ptrace, 17, pid, 0, 0)
    return stack


def freezer(kind: str, file: str, words: tuple[str, str]) -> Halted:
    def frozen(pid: int) -> ExitStack:
        found = re.search(rf"^\S+ \S+ \S+ / (\S+) .* - {kind}", MOUNTS, re.MULTILINE)
        if found is None:
            pytest.skip(f"no {kind} is mounted")
        top = Path(found[1])
        group = top / f"flink-boost-test-{os.getpid()}"
        stack = ExitStack()
        try:
            group.mkdir()
            stack.callback(group.rmdir)
            (group / "cgroup.procs").write_text(str(pid))
            stack.callback((top / "cgroup.procs").write_text, str(pid))
        except OSError as error:
            stack.close()
            pytest.skip(f"{top} cannot be changed: {error}")
        (group / file).write_text(words[0])
        stack.callback((group / file).write_text, words[1])
        events = group / ("cgroup.events" if kind == "cgroup2" else file)
        assert eventually(
            lambda: any(word in events.read_text() for word in ("frozen 1", "FROZEN"))
        )
        return stack

    return frozen


MOUNTS = Path("/proc/self/mountinfo").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("halt", "words", "step"),
    [
        (stopped, "is stopped", "kill -CONT {pid}"),
        (traced, "is held by a debugger", "process {us}"),
        (freezer("cgroup2", "cgroup.freeze", ("1", "0")), "is frozen", "thaw"),
        (freezer(r"cgroup \S+ \S*freezer", "freezer.state", ("FROZEN", "THAWED")), "froz", "thaw"),
    ],
    ids=["stopped", "traced", "frozen", "frozen by the old freezer"],
)
def test_a_jvm_that_does_not_run_on_is_left_as_it_is(
    start: Start, tmp_path: Path, halt: Halted, words: str, step: str
) -> None:
    with start() as program, halt(program.pid):
        with pytest.raises(NotProfiled, match=words) as told:
            flame(program.pid, tmp_path / "page.html")
        assert step.format(pid=program.pid, us=os.getpid()) in told.value.next_step
        # No signal waits for it, and nothing was put into its /tmp.
        status = Path(f"/proc/{program.pid}/status").read_text()
        pending = re.search(r"^ShdPnd:\s*(\w+)$", status, re.MULTILINE)
        assert pending is not None
        assert int(pending[1], 16) >> (signal.SIGQUIT - 1) & 1 == 0
        assert not list(Path("/tmp").glob(f"*_pid{program.pid}"))


@pytest.mark.parametrize(
    ("group", "mount", "file", "frozen"),
    [
        ("0::/a/b", "/ {top} rw - cgroup2 none rw", "a/b/cgroup.events", True),
        ("0::/a/b", "/a {top} rw - cgroup2 none rw", "b/cgroup.events", True),
        ("6:cpu,freezer:/a", "/ {top} rw - cgroup none rw,freezer", "a/freezer.state", True),
        # Of another controller, of another container, and where we do not see it.
        ("6:cpu:/a", "/ {top} rw - cgroup none rw,cpu", "a/freezer.state", False),
        ("0::/../a", "/ {top} rw - cgroup2 none rw", "a/cgroup.events", False),
        ("0::/b", "/a {top} rw - cgroup2 none rw", "b/cgroup.events", False),
    ],
)
def test_a_control_group_is_looked_for_where_it_is_mounted(
    tmp_path: Path, group: str, mount: str, file: str, frozen: bool
) -> None:
    top, proc = tmp_path / "top", tmp_path / "proc"
    (top / file).parent.mkdir(parents=True)
    (top / file).write_text("frozen 1 FROZEN\n")
    for folder in ("self", "7"):
        (proc / folder).mkdir(parents=True)
    (proc / "7" / "status").write_text("State:\tS (sleeping)\n")
    (proc / "7" / "cgroup").write_text(f"{group}\n")
    (proc / "self" / "mountinfo").write_text(f"1 2 0:1 {mount.format(top=top)}\n")
    with pytest.raises(NotProfiled, match="is frozen") if frozen else nullcontext():
        require_running(7, proc)


def test_a_jvm_that_is_stopped_while_it_is_profiled_is_told_as_such(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    halted = ExitStack()

    def stop(_: float) -> None:
        halted.push(stopped(program.pid))
        monkeypatch.setattr(attach, "_LOAD_SECONDS", 1.0)

    with start() as program, halted, pytest.raises(NotProfiled, match="is stopped"):
        flame(program.pid, tmp_path / "page.html", wait=stop)
