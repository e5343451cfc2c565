"""A workplace and a sandbox for one test, and the same programs outside."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from flink_boost.service.builds.isolation.bubblewrap import Bubblewrap
from flink_boost.service.builds.isolation.sandbox import Ended, Limits
from flink_boost.service.builds.isolation.workplace import fresh_workplace

MIB = 1 << 20
LIMITS = Limits(seconds=60, memory=512 * MIB, disk=32 * MIB, processes=100, output=MIB)


class Trial:
    """A workplace and a sandbox; runs Python programs in it."""

    def __init__(self, folder: Path, sandbox: Bubblewrap, stack: ExitStack) -> None:
        self.folder = folder
        self.sandbox = sandbox
        self.log = folder / "log"
        self.work = stack.enter_context(
            fresh_workplace(folder / "places", sandbox.owners, disk=LIMITS.disk)
        )

    def run(
        self,
        program: str,
        *,
        limits: Limits = LIMITS,
        readable: Sequence[Path] = (),
        environment: Mapping[str, str] | None = None,
    ) -> Ended:
        return self.sandbox.run(
            ("python3", "-I", "-c", program),
            work=self.work,
            readable=readable,
            environment=environment or {},
            limits=limits,
            log=self.log,
            mirrors=False,
        )

    @property
    def printed(self) -> str:
        return self.log.read_text(encoding="utf-8")


def outside(program: str, seconds: float = 60) -> str:
    """What the program prints as a process of ours."""
    command = (sys.executable, "-I", "-c", program)
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    return done.stdout
