"""What would make a machine steadier: a shell script to read, and to run by hand. Pure."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from flink_boost.measure.host import Host

_WIDTH = 98


@dataclass(frozen=True)
class Advice:
    """One setting: what it is good for, whether it is needed here, and the lines of both ways."""

    title: str
    now: str
    good_for: str
    needed: bool
    do: tuple[str, ...]
    undo: tuple[str, ...]


def advice_for(host: Host, cores: int) -> tuple[Advice, ...]:
    """What to set on a machine with so many cores; also what is right already."""
    return (*_clock(host), *_neighbours(host, cores), *_memory(host))


def script(advice: tuple[Advice, ...]) -> str:
    """The advice as a shell script; what is set already stands in it as a comment."""
    lines = [
        "#!/bin/sh",
        *_comment(
            "What makes this machine steadier. Printed by `flink-boost box tune`, which changes"
            " nothing; read it, then run it as root. All of it is lost at the next boot: put it"
            " into a systemd unit that runs before the nightly's timer. Afterwards run"
            " `flink-boost box record`."
        ),
        "set -eu",
    ]
    for one in advice:
        lines += ["", *_comment(f"{one.title} (now: {one.now or 'Linux does not tell'})")]
        lines += _comment(one.good_for)
        lines += [f"#   undo: {line}" for line in one.undo]
        if one.needed:
            lines += one.do
        else:
            lines += ["# Nothing to do here. It would be:", *(f"#   {line}" for line in one.do)]
    return "\n".join(lines) + "\n"


def _clock(host: Host) -> Iterator[Advice]:
    governors = "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"
    yield Advice(
        "Frequency governor",
        host.governor,
        "'performance' holds the clock instead of following the load, so that a fork does not"
        " begin slowly.",
        host.governor not in ("", "performance"),
        (f'for core in {governors}; do echo performance > "$core"; done',),
        (f'for core in {governors}; do echo {host.governor or "schedutil"} > "$core"; done',),
    )
    intel = "/sys/devices/system/cpu/intel_pstate/no_turbo"
    boost = "/sys/devices/system/cpu/cpufreq/boost"
    yield Advice(
        "Turbo",
        host.turbo,
        "Without it the clock does not depend on how warm the machine is and how many cores work;"
        " scores are lower, and come again.",
        host.turbo == "on",
        (f"if [ -e {intel} ]; then echo 1 > {intel}; else echo 0 > {boost}; fi",),
        (f"if [ -e {intel} ]; then echo 0 > {intel}; else echo 1 > {boost}; fi",),
    )


def _neighbours(host: Host, cores: int) -> Iterator[Advice]:
    control = "/sys/devices/system/cpu/smt/control"
    yield Advice(
        "SMT",
        host.smt,
        "Two threads of one core share its caches and units. With SMT off each JVM thread has a"
        " core for itself. It halves the number of cores that are seen: name the box anew.",
        host.smt == "on",
        (f"echo off > {control}",),
        (f"echo on > {control}",),
    )
    measured = f"1-{cores - 1}" if cores > 2 else f"0-{max(cores - 1, 0)}"
    yield Advice(
        "Cores of its own",
        "isolated" if host.isolated else "shared with all processes",
        f"With a cpuset the nightly runs on cores {measured} and other services elsewhere: give"
        " the service AllowedCPUs, or the container --cpuset-cpus. isolcpus= and nohz_full= on the"
        " kernel's command line keep even the scheduler and its ticks away; a JVM on isolcpus is"
        " not balanced between cores, so prefer the cpuset, and never measure a JVM on isolcpus"
        " without one. It needs more than two cores to be worth it.",
        cores > 2 and not host.isolated,
        (f"systemctl set-property --runtime flink-boost-nightly.service AllowedCPUs={measured}",),
        ("systemctl set-property --runtime flink-boost-nightly.service AllowedCPUs=",),
    )
    timers = "apt-daily.timer apt-daily-upgrade.timer man-db.timer fstrim.timer logrotate.timer"
    yield Advice(
        "Timers at night",
        "`systemctl list-timers` shows them",
        "Updates, indexes and cleaning start at night, which is when the nightly measures.",
        True,
        (f'for timer in {timers}; do systemctl stop "$timer" 2> /dev/null || true; done',),
        (f'for timer in {timers}; do systemctl start "$timer" 2> /dev/null || true; done',),
    )


def _memory(host: Host) -> Iterator[Advice]:
    aslr = "kernel.randomize_va_space"
    yield Advice(
        "Address randomisation (ASLR)",
        host.aslr,
        "Leave it on where pairs are measured, as flink-boost does: each fork then draws another"
        " layout, and the interval holds over layouts; switched off, one lucky layout would be"
        " measured again and again. It protects the machine as well. Off helps only to repeat one"
        " fork exactly, for a profile.",
        host.aslr in ("off", "conservative"),
        (f"sysctl -w {aslr}=2",),
        (f"sysctl -w {aslr}={ {'off': 0, 'conservative': 1}.get(host.aslr, 2) }",),
    )
    pages = "/sys/kernel/mm/transparent_hugepage/enabled"
    yield Advice(
        "Transparent huge pages",
        host.huge_pages,
        "'always' lets the kernel join pages of the heap at a moment of its own choice, in the"
        " middle of a fork; with 'madvise' only those get them that ask, which the JVM does with"
        " -XX:+UseTransparentHugePages.",
        host.huge_pages == "always",
        (f"echo madvise > {pages}",),
        (f"echo {host.huge_pages or 'always'} > {pages}",),
    )
    yield Advice(
        "Swapping",
        host.swappiness,
        "A heap that was swapped out is read back from disk in the middle of a fork.",
        host.swappiness not in ("", "0", "1"),
        ("sysctl -w vm.swappiness=1",),
        (f"sysctl -w vm.swappiness={host.swappiness or 60}",),
    )


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in textwrap.wrap(text, _WIDTH, break_long_words=False)]
