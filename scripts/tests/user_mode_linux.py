"""A Linux with systemd as a process: what only a machine with control groups of version 2 has.

It sees this machine's files, read-only. Debian's packages are `user-mode-linux` and `systemd`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from flink_boost.base.places import PROJECT_ROOT

PROGRAM = "linux.uml"
_TREE = "/opt/flink-boost-requests"
# A root in memory, with the tree where the unit has it.
_INIT = f"""#!/bin/sh
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
mount -t tmpfs root /mnt
cd /mnt
mkdir -p proc sys dev run tmp usr var/tmp/flink-boost var/lib etc/systemd/system old
mkdir -p .{_TREE} ./{{python}}
chmod 1777 tmp var/tmp
cp -a /bin /lib /lib64 /sbin .
cp -a /etc/passwd /etc/group /etc/hosts /etc/ld.so.* /etc/alternatives /etc/nsswitch.conf etc/
mount --rbind /usr usr
mount --bind {PROJECT_ROOT} .{_TREE}
[ {{python}} = /usr ] || mount --bind {{python}} ./{{python}}
cp {{folder}}/program.py var/lib/
echo 0123456789abcdef0123456789abcdef >etc/machine-id
ln -s /dev/null etc/systemd/system/network-online.target
cp -r {{folder}}/units/* etc/systemd/system/
mount -t devtmpfs dev dev
pivot_root . old
exec /usr/lib/systemd/systemd --unit=told.service --show-status=no --log-target=console
"""
# The unit as it is shipped, but for what it starts; and no home is hidden, where Python may be.
_DROP_IN = f"""[Unit]
DefaultDependencies=no
[Service]
Type=oneshot
Restart=no
EnvironmentFile=
ProtectHome=no
ExecStart=
ExecStart={_TREE}/.venv/bin/python -B /var/lib/program.py
Environment=PYTHONPATH={_TREE}/scripts:{_TREE}/scripts/tests
StandardOutput=file:/run/told
StandardError=inherit
"""
_TOLD = """[Unit]
DefaultDependencies=no
Wants={name}
After={name}
SuccessAction=poweroff-force
FailureAction=poweroff-force
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'cat /run/told >/dev/console'
"""
# The 6.1 of Debian 12 hands back less of the registers than a processor with AMX has, which Linux
# refuses: what it does not know of stays as it is.
_REGISTERS = """
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
static unsigned char all[1 << 16];
long ptrace(int request, ...) {
  va_list words;
  va_start(words, request);
  long pid = va_arg(words, long), place = va_arg(words, long), data = va_arg(words, long);
  va_end(words);
  if (request == 0x4205 && place == 0x202) { // PTRACE_SETREGSET, NT_X86_XSTATE
    const struct iovec *known = (const struct iovec *) data;
    struct iovec whole = {all, sizeof all};
    if (syscall(SYS_ptrace, 0x4204, pid, place, &whole) < 0) return -1;
    memcpy(all, known->iov_base, known->iov_len < whole.iov_len ? known->iov_len : whole.iov_len);
    return syscall(SYS_ptrace, request, pid, place, &whole);
  }
  long word = 0;
  int peeks = request >= 1 && request <= 3;
  long code = syscall(SYS_ptrace, request, pid, place, peeks ? (long) &word : data);
  if (!peeks || code < 0) return code;
  errno = 0;
  return word;
}
"""


def _whole_registers(folder: Path) -> dict[str, str]:
    """Variables with which it starts on this processor."""
    if not re.search(r"^flags\b.* amx_tile\b", Path("/proc/cpuinfo").read_text(), re.MULTILINE):
        return {}
    library = folder / "registers.so"
    compile_ = ("gcc", "-O", "-shared", "-fPIC", "-x", "c", "-o", str(library), "-")
    subprocess.run(compile_, input=_REGISTERS, text=True, check=True, timeout=60)
    return {"LD_PRELOAD": str(library)}


def run_as_unit(unit: Path, program: str, folder: Path, *, seconds: float) -> list[str]:
    """What a Python program prints that systemd starts in the place of a unit's own, as root."""
    units = folder / "units"
    (units / f"{unit.name}.d").mkdir(parents=True)
    (units / unit.name).write_bytes(unit.read_bytes())
    (units / f"{unit.name}.d" / "test.conf").write_text(_DROP_IN, encoding="utf-8")
    (units / "told.service").write_text(_TOLD.format(name=unit.name), encoding="utf-8")
    (folder / "program.py").write_text(program, encoding="utf-8")
    init = folder / "init"
    init.write_text(_INIT.format(folder=folder, python=sys.base_prefix), encoding="utf-8")
    init.chmod(0o755)
    # The unit writes to both: a checkout where nothing is built has none.
    for name in ("build", ".cache"):
        (PROJECT_ROOT / name).mkdir(exist_ok=True)
    command = (
        *(PROGRAM, "mem=768M", "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro"),
        *(f"init={init}", "con=null", "con0=null,fd:1", "quiet", f"uml_dir={folder}"),
    )
    environment = {"PATH": os.environ["PATH"], "TMPDIR": str(folder), "HOME": str(folder)}
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds,
        check=False, env={**environment, **_whole_registers(folder)},
    )  # fmt: skip
    return done.stdout.replace("\r", "").splitlines()
