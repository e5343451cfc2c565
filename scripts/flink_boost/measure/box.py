"""Describes the machine and the JVM that a run is made on."""

from __future__ import annotations

import os
import platform
import re
import socket
from collections.abc import Callable, Sequence
from pathlib import Path

from flink_boost.base.errors import EnvironmentProblem, UsageProblem
from flink_boost.flink.jdks import Jdk, ask_jdk, find_java
from flink_boost.flink.jdks import java_home as fetch_jdk
from flink_boost.measure.model import Box

__all__ = ["Jdk", "ask_jdk", "choose_java", "describe_box", "fetch_jdk", "find_java"]


def choose_java(
    named: str | None,
    wanted: int | None,
    supported: Sequence[int],
    environment: dict[str, str],
    fetch_home: Callable[[int], Path],
) -> str:
    """The java of a run on one of the ``supported`` JDKs.

    The one that is ``named``; else one of the feature number that is ``wanted``; else the machine's
    own if it is supported, and the first supported JDK if it is not. ``fetch_home`` gives the home
    of a JDK that is not the machine's own. Raises ``UsageProblem`` for a JDK that is not supported.
    """
    if wanted is not None and wanted not in supported:
        raise UsageProblem(
            f"This Flink line does not run on JDK {wanted}.",
            f"Choose --jdk {' or '.join(str(number) for number in supported)}.",
        )
    if named:
        return named
    own = find_java(None, environment)
    try:
        feature = ask_jdk(own).feature
    except EnvironmentProblem:
        feature = 0  # no JDK of its own: another one may still be fetched
    choice = wanted or (feature if feature in supported else supported[0])
    return own if choice == feature else str(fetch_home(choice) / "bin" / "java")


def describe_box(jdk: Jdk, proc: Path = Path("/proc")) -> Box:
    """This machine, as Linux describes it under ``proc``."""
    return Box(
        hostname=socket.gethostname(),
        cpu=_field(proc / "cpuinfo", "model name", default=platform.machine()),
        cores=len(os.sched_getaffinity(0)),
        memory_mb=int(_field(proc / "meminfo", "MemTotal", default="0").split()[0]) // 1024,
        kernel=platform.release(),
        jdk=jdk.version,
        load=round(os.getloadavg()[0], 2),
    )


def _field(path: Path, name: str, default: str) -> str:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError:
        return default
    found = re.search(rf"^{re.escape(name)}\s*:\s*(.+)$", text, re.MULTILINE)
    return found[1].strip() if found else default
