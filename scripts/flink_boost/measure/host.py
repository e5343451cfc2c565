"""What this machine says of itself: by pyperf, psutil, and files of Linux that neither reads."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

from flink_boost.base.commands import run_captured
from flink_boost.base.errors import EnvironmentProblem

PROC = Path("/proc")
SYS = Path("/sys")

_PYPERF_SECONDS = 30.0
_ASLR = {"full": "full", "conservative": "conservative", "no": "off"}


@dataclass(frozen=True)
class Host:
    """A machine as its kernel describes it; '' where it does not tell."""

    cpu: str
    memory_mb: int
    governor: str
    turbo: str
    smt: str
    aslr: str
    microcode: str
    huge_pages: str
    swappiness: str
    isolated: bool


def read_host() -> Host:
    """This machine. Raises ``EnvironmentProblem`` when pyperf cannot be asked."""
    return describe_host(pyperf_metadata(), psutil.virtual_memory().total)


def describe_host(
    metadata: Mapping[str, str], memory_bytes: int, proc: Path = PROC, sys_folder: Path = SYS
) -> Host:
    """A machine by what pyperf collected, its memory, and files below the two folders."""
    config = metadata.get("cpu_config", "")
    # Cores that differ are listed with their settings; a mixed machine has several governors.
    governors = dict.fromkeys(re.findall(r"governor:(\w+)", config))
    return Host(
        cpu=metadata.get("cpu_model_name") or metadata.get("cpu_machine") or platform.machine(),
        memory_mb=memory_bytes >> 20,
        governor=" and ".join(governors),
        turbo=_turbo(config, sys_folder / "devices/system/cpu/cpufreq/boost"),
        smt={"1": "on", "0": "off"}.get(_text(sys_folder / "devices/system/cpu/smt/active"), ""),
        aslr=_ASLR.get(metadata.get("aslr", "").partition(" ")[0].lower(), ""),
        microcode=_microcode(proc / "cpuinfo"),
        huge_pages=_chosen(_text(sys_folder / "kernel/mm/transparent_hugepage/enabled")),
        swappiness=_text(proc / "sys/vm/swappiness"),
        isolated="isolated" in config,
    )


def pyperf_metadata() -> dict[str, str]:
    """What ``python -m pyperf collect_metadata`` prints, by name. Raises ``EnvironmentProblem``."""
    command = [sys.executable, "-m", "pyperf", "collect_metadata"]
    done = run_captured(command, _PYPERF_SECONDS, again="Try again on a quieter machine.")
    if done.returncode:
        raise EnvironmentProblem(
            f"pyperf cannot describe this machine (code {done.returncode}).",
            "Run `make setup`, then try again.",
        )
    return parse_metadata(done.stdout)


def parse_metadata(printed: str) -> dict[str, str]:
    """The lines ``- name: value`` of pyperf."""
    return dict(re.findall(r"^- (\w+): (.*)$", printed, re.MULTILINE))


def _turbo(config: str, boost: Path) -> str:
    """Intel's own driver is read by pyperf; the others have one switch for all cores."""
    if "intel_pstate:no turbo" in config:
        return "off"
    if "intel_pstate:turbo" in config:
        return "on"
    return {"1": "on", "0": "off"}.get(_text(boost), "")


def _microcode(cpuinfo: Path) -> str:
    found = re.search(r"^microcode\s*:\s*(\S+)$", _text(cpuinfo), re.MULTILINE)
    return found[1] if found else ""


def _chosen(line: str) -> str:
    """``always [madvise] never`` → madvise."""
    found = re.search(r"\[(\w+)\]", line)
    return found[1] if found else ""


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        return ""
