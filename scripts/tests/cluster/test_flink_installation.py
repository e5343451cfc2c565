"""What the tests of clusters read of a process is all that it logged, and nothing outlives them."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from beside_others import own_ports
from flink_installation import eventually, whole_log

# Its daemon is a program that names the folder, as each of Flink's does.
PROGRAM = """
import sys
sys.path[:0] = {path!r}
from pathlib import Path
from flink_installation import FlinkInstallation
from flink_boost.flink.distribution import ensure_distribution
from flink_boost.flink.jdks import java_home
from flink_boost.flink.lines import find_line

home = Path({home!r})
with FlinkInstallation(ensure_distribution(find_line("2.3.0")), java_home(17), home) as flink:
    script = home / "bin" / "daemon.sh"
    script.write_text('#!/bin/sh\\ntail -f "$0" &\\n')
    script.chmod(0o755)
    assert flink.run("daemon.sh", seconds=60).exit_code == 0
    print("started", flush=True)
    sys.stdin.read()
"""


def processes_of(home: Path) -> Iterator[int]:
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if f"{home}/" in (entry / "cmdline").read_text(errors="replace"):
                yield int(entry.name)
        except OSError:
            continue


def test_the_ports_of_a_cluster_are_none_that_the_kernel_gives_away() -> None:
    taken, *others = own_ports(20)
    assert len({taken, *others}) == 20
    range_of_the_kernel = Path("/proc/sys/net/ipv4/ip_local_port_range").read_text()
    assert max(taken, *others) < int(range_of_the_kernel.split()[0])
    with socket.socket() as holder:
        holder.bind(("localhost", taken))
        assert all(taken not in own_ports(50) for _ in range(20))


def test_a_kernel_that_gives_nearly_all_ports_away_leaves_free_ones(tmp_path: Path) -> None:
    tuned = tmp_path / "ip_local_port_range"
    tuned.write_text("1024\t65535\n")
    assert len(set(own_ports(20, tuned))) == 20


def test_what_was_started_ends_with_a_test_that_is_killed(tmp_path: Path) -> None:
    home = tmp_path / "flink"
    program = PROGRAM.format(path=sys.path, home=str(home))
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "started\n"
            # Its command line is empty for a moment while the process becomes another program.
            assert eventually(lambda: bool(list(processes_of(home))), 60)
        finally:
            process.kill()
    assert eventually(lambda: not list(processes_of(home)), 60)


def test_a_log_that_was_begun_anew_is_read_from_its_beginning(tmp_path: Path) -> None:
    for name, text in {
        "flink-t-taskexecutor-0-vm.log": "third",
        "flink-t-taskexecutor-0-vm.log.1": "first ",
        "flink-t-taskexecutor-0-vm.log.2": "second ",
        "flink-t-taskexecutor-0-vm.out": "not logged",
        "flink-t-standalonesession-0-vm.log": "another process",
    }.items():
        (tmp_path / name).write_text(text)

    assert whole_log(tmp_path, "taskexecutor") == "first second third"
    assert whole_log(tmp_path, "client") == ""
