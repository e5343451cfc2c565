"""What ``doctor`` says of the Java that the scripts start, and of the options that they give it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from flink_boost.base.errors import VerificationFailed
from flink_boost.flink.dropin import DropIn
from flink_boost.flink.home import is_dist
from flink_boost.flink.jdks import Jdk
from flink_boost.flink.launch import ROLES, Launch
from flink_boost.flink.lines import OPENS_JAVA_LANG, Line
from flink_boost.flink.switches import MODE, STRINGS, Switch
from flink_boost.operate.findings import Finding, Level
from flink_boost.operate.jvm_start import JvmStart, next_step, told

OLDEST_JAVA = 9


def of_starts(starts: Sequence[JvmStart], launch: Launch, ours: DropIn | None) -> Iterator[Finding]:
    for start in starts:
        if start.failure:
            text = f"{told(start, launch)}."
            yield Finding(
                Level.PROBLEM, text, next_step(launch), exit_code=VerificationFailed.exit_code
            )
        elif ours is not None and start.agents:
            yield Finding(
                Level.FINE,
                f"An agent starts with the {start.named('and')}: {', '.join(start.agents)}.",
                "Whether it leaves our classes as they are, `flink-boost verify` tells.",
            )


def of_java(launch: Launch, jdk: Jdk, line: Line | None, ours: DropIn | None) -> Iterator[Finding]:
    """Its version, and in which mode our classes would run in it."""
    if ours is not None and jdk.feature < OLDEST_JAVA:
        inside = is_dist(ours.path)
        undo = f"put the original {ours.path} back" if inside else f"remove {ours.path} from lib/"
        yield Finding(
            Level.PROBLEM,
            f"flink-boost {ours.boost_version} for Flink {ours.flink_version} needs Java"
            f" {OLDEST_JAVA} or newer but found Java 1.{jdk.feature} ({launch.java}): no process"
            " of this Flink will start.",
            f"Run Flink on a newer Java, or {undo}.",
            exit_code=VerificationFailed.exit_code,
        )
        return
    tested = line is None or jdk.feature in line.jdks
    yield Finding(
        Level.FINE if tested else Level.WARNING,
        f"Its scripts start {launch.java}, JDK {jdk.version}"
        + ("." if tested else ", on which this Flink is not tested."),
        ""
        if line is None or tested
        else f"Use JDK {' or '.join(map(str, line.jdks))}: set JAVA_HOME or env.java.home.",
    )
    old = line is not None and not line.jvm_options
    for role in ROLES:
        wrong = [each for each in launch.switches(role) if not each.is_valid]
        yield from (_unknown(each, role) for each in wrong)
        if wrong:
            continue
        yield from _switched_off(launch, role, (STRINGS,) if ours is None else ours.families)
        if launch.off_by(role) is not None:
            continue
        if not launch.compacts_strings(role):
            yield Finding(
                Level.WARNING,
                f"The {role} has -XX:-CompactStrings: strings go through their public methods,"
                " which is slower.",
                "Remove the option, unless something else needs it.",
            )
        elif not launch.opens_strings(role, jdk.feature):
            key = "env.java.opts" if old else "env.java.opts.all"
            yield Finding(
                Level.WARNING,
                f"java.lang is not opened in the {role}: strings go through their public methods,"
                " which is slower.",
                f"Add to what {key} has in conf/: {OPENS_JAVA_LANG}",
            )


def _unknown(switch: Switch, role: str) -> Finding:
    return Finding(
        Level.PROBLEM,
        f"{switch.option} of the {role} is {switch.problem}: it will not start.",
        f"Correct it in {switch.where or 'conf/'}.",
        exit_code=VerificationFailed.exit_code,
    )


def _switched_off(launch: Launch, role: str, families: Iterable[str]) -> Iterator[Finding]:
    """All families at once, or each that has a switch of its own."""
    told: set[str] = set()
    for family in families:
        switch = launch.off_by(role, family)
        if switch is None or switch.name in told:
            continue
        told.add(switch.name)
        what = "it runs" if switch.name == MODE else f"its {family} run"
        where = switch.where or "conf/"
        yield Finding(
            Level.WARNING,
            f"The {role} is switched off by {switch.option} in {where}: {what} stock's code.",
            f"Remove the option from {where} to switch it on.",
        )
