"""Describes the machine and the JVM that a run is made on."""

from __future__ import annotations

import importlib
import os
import platform
import re
import socket
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from flink_boost.errors import EnvironmentProblem, UsageProblem
from flink_boost.model import Box

_JAVA_SECONDS = 60.0


@dataclass(frozen=True)
class Jdk:
    """A JVM that answered: its full version, as in ``17.0.15+6``, and its feature number."""

    version: str
    feature: int


def find_java(named: str | None, environment: dict[str, str]) -> str:
    """The java to run: the one named, else ``JAVA_HOME``'s, else the one on the ``PATH``."""
    if named:
        return named
    home = environment.get("JAVA_HOME")
    return str(Path(home) / "bin" / "java") if home else "java"


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


def fetch_jdk(feature: int) -> Path:
    """The home of a JDK that ``flink_boost.jdks`` has or fetches."""
    # Imported late: only a run on another JDK than the machine's own needs it.
    return Path(importlib.import_module("flink_boost.jdks").java_home(feature))


def ask_jdk(java: str) -> Jdk:
    """Asks a java for its version. Raises ``EnvironmentProblem`` when it does not answer."""
    next_step = "Install JDK 17, or name one with --java PATH."
    try:
        answer = subprocess.run(
            [java, "-XshowSettings:properties", "-version"],
            capture_output=True,
            text=True,
            timeout=_JAVA_SECONDS,
            check=True,
            stdin=subprocess.DEVNULL,
        ).stderr
    except FileNotFoundError:
        raise EnvironmentProblem(f"There is no java at {java!r}.", next_step) from None
    except (OSError, subprocess.SubprocessError) as error:
        raise EnvironmentProblem(f"{java} does not run: {error}.", next_step) from error
    version = re.search(r"java\.runtime\.version = (\S+)", answer)
    feature = re.search(r"java\.specification\.version = (?:1\.)?(\d+)", answer)
    if version is None or feature is None:
        raise EnvironmentProblem(f"{java} does not tell its version.", next_step)
    return Jdk(version[1], int(feature[1]))


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
