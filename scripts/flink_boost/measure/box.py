"""Describes the machine and the JVM that a run is made on."""

from __future__ import annotations

import math
import os
import platform
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil

from flink_boost.base.errors import EnvironmentProblem, UsageProblem
from flink_boost.flink.jdks import Jdk, ask_jdk, find_java, java_home
from flink_boost.measure.box_change import BoxChange, differences
from flink_boost.measure.box_file import BoxFile, fingerprint, require_name, require_same_box
from flink_boost.measure.host import Host, read_host
from flink_boost.measure.model import Box, jdk_feature


def choose_java(
    named: str | None,
    wanted: int | None,
    supported: Sequence[int],
    environment: dict[str, str],
) -> str:
    """The java of a run on one of the ``supported`` JDKs.

    The one that is ``named``; else one of the feature number that is ``wanted``; else the machine's
    own if it is supported, and the first supported JDK if it is not, which may be fetched. Raises
    ``UsageProblem`` for a JDK that is not supported.
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
    return own if choice == feature else str(java_home(choice) / "bin" / "java")


def describe_box(
    jdk: Jdk,
    named: BoxFile | None = None,
    host: Host | None = None,
    environment: str | None = None,
) -> Box:
    """This machine, or the ``host`` that is given, as a run describes it.

    Raises ``EnvironmentProblem`` when it is not the machine that ``named`` was written on, or is
    set otherwise; not so when it is to be called by another name, ``environment``. Raises
    ``UsageProblem`` for one that is no name.
    """
    found = host or read_host()
    cores = granted_cores()
    box = Box(
        name=environment or (named.name if named else ""),
        fingerprint=fingerprint(found.cpu, cores, found.memory_mb * 1024),
        hostname=socket.gethostname(),
        cpu=found.cpu,
        cores=cores,
        memory_mb=found.memory_mb,
        kernel=platform.release(),
        jdk=jdk.version,
        load=round(psutil.getloadavg()[0], 2),
        governor=found.governor,
        turbo=found.turbo,
        smt=found.smt,
        aslr=found.aslr,
        microcode=found.microcode,
    )
    if environment is not None:
        require_name(environment)
    if named is not None and environment in (None, named.name):
        require_same_box(named, box.fingerprint, box.facts)
    return box


def changes_since(named: BoxFile, box: Box) -> tuple[BoxChange, ...]:
    """What is no longer as ``box.toml`` recorded it, refusing or not.

    Lines run on several JDKs, so that the JDK counts only where its feature number is the same.
    """
    recorded = named.recorded
    if jdk_feature(recorded.jdk) != box.jdk_feature:
        recorded = recorded.model_copy(update={"jdk": ""})
    return differences(recorded, box.facts)


def granted_cores(proc: Path = Path("/proc"), cgroups: Path = Path("/sys/fs/cgroup")) -> int:
    """Cores that this process may use at once: affinity, cut by the quotas of its cgroups.

    A part of a core counts as one, as the JVM counts it.
    """
    cores = len(os.sched_getaffinity(0))
    quotas = [math.ceil(quota) for quota in _quotas(proc / "self" / "cgroup", cgroups)]
    return max(1, min([cores, *quotas]))


def _quotas(membership: Path, cgroups: Path) -> Iterator[float]:
    """Quotas in cores of the cgroup that this process is in, and of those around it (v2 and v1)."""
    for folder in _cgroup_folders(membership, cgroups):
        words = _text(folder / "cpu.max").split()
        if len(words) == 2 and words[0] != "max":
            yield int(words[0]) / int(words[1])
        quota, period = (
            _text(folder / f"cpu.cfs_{name}_us").strip() for name in ("quota", "period")
        )
        if quota and period and int(quota) > 0:
            yield int(quota) / int(period)


def _cgroup_folders(membership: Path, cgroups: Path) -> Iterator[Path]:
    for line in _text(membership).splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            root = cgroups
        elif "cpu" in controllers.split(","):
            root = cgroups / controllers
        else:
            continue
        # Inside a container the path may be the host's, and only the root is there.
        folder = root / path.lstrip("/")
        yield from (each for each in (folder, *folder.parents) if each.is_relative_to(root))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""
