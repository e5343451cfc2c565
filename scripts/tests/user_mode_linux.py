"""A Linux as a process: what only a machine with control groups of version 2 has, in two seconds.

It sees this machine's files, read-only. Debian's package is `user-mode-linux`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = "linux.uml"
_INIT = """#!/bin/sh
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/run
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH={path}
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t tmpfs tmpfs /run
mkdir /dev/shm
mount -t tmpfs tmpfs /dev/shm
{python} {program} 2>&1
echo o >/proc/sysrq-trigger
sleep 60
"""


def run_in_linux(program: str, folder: Path, *, megabytes: int, seconds: float) -> list[str]:
    """What a Python program prints that runs there as root; nothing but `/run` can be written."""
    script, init = folder / "program.py", folder / "init"
    script.write_text(program, encoding="utf-8")
    path = os.pathsep.join(sys.path)
    init.write_text(_INIT.format(path=path, python=sys.executable, program=script), "utf-8")
    init.chmod(0o755)
    command = (
        *(PROGRAM, f"mem={megabytes}M", "root=/dev/root", "rootfstype=hostfs", "rootflags=/"),
        *("ro", f"init={init}", "con=null", "con0=null,fd:1", "quiet", f"uml_dir={folder}"),
    )
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds,
        check=False, env={"PATH": os.environ["PATH"], "TMPDIR": str(folder), "HOME": str(folder)},
    )  # fmt: skip
    return done.stdout.replace("\r", "").splitlines()
