"""Lets the clusters of several tests run at once, and none of them outlive its test."""

from __future__ import annotations

import random
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from flink_boost.base.net import free_ports

_LOWEST_PORT = 12_000
_PORT_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
# Daemons outlive whoever starts them, so a test that is killed would leave a cluster running: this
# ends what names the folder as soon as its input ends, until it has found nothing for a second.
_WATCHER = """
import os, signal, sys, time
from pathlib import Path
home = os.fsencode(sys.argv[1]) + b"/"
sys.stdin.read()
quiet = 0
while quiet < 5:
    quiet += 1
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if home in (entry / "cmdline").read_bytes():
                os.kill(int(entry.name), signal.SIGKILL)
                quiet = 0
        except OSError:
            pass
    time.sleep(0.2)
"""


def start_watcher(home: Path) -> subprocess.Popen[bytes]:
    """Ends what runs from an installation when this process is gone; to be killed when all has."""
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _WATCHER, str(home)],
        stdin=subprocess.PIPE,
        start_new_session=True,
    )


def own_ports(count: int, port_range: Path = _PORT_RANGE) -> list[int]:
    """Free ports that the kernel gives to nobody who asks for any.

    Clusters of other tests run at the same time, with dozens of such ports each, and this one binds
    its own seconds later, and anew whenever it is started again. A kernel that gives away nearly
    all leaves none: then they are such as are free now.
    """
    first = int(port_range.read_text().split()[0])
    if first < _LOWEST_PORT + 100 * count:
        return free_ports(count)
    found: list[int] = []
    for port in random.sample(range(_LOWEST_PORT, first), 100 * count):
        with socket.socket() as free, suppress(OSError):
            free.bind(("localhost", port))
            found.append(port)
        if len(found) == count:
            return found
    raise AssertionError(f"no {count} of 100 ports are free")
