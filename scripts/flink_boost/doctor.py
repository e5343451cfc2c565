"""Looks at this machine and an installation, and says what is not as it should be.

Nothing is changed and no check is deep: ``verify`` compares strings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from flink_boost.errors import FlinkBoostError, ReplacedClasses, VerificationFailed
from flink_boost.flinkhome import (
    DropIn,
    FlinkHome,
    Running,
    choose_line,
    find_running,
    open_home,
    read_contents,
    require_nothing_beside,
    require_orderly,
    require_own_library,
)
from flink_boost.jdks import ask_jdk
from flink_boost.launch import ROLES, Launch, ask_scripts
from flink_boost.lines import OPENS_JAVA_LANG, Line

# As a failed check of `verify` ends.
_WRONG_LINE = VerificationFailed.exit_code


class Level(StrEnum):
    """How much a finding matters: a problem stops install, verify or Flink itself."""

    FINE = "fine"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True)
class Finding:
    """What was found, in one sentence, with the next step; ``exit_code`` is 0 without a problem."""

    level: Level
    text: str
    next_step: str = ""
    exit_code: int = 0


def examine(
    folder: Path,
    lines: Mapping[str, Line],
    known: Sequence[Path],
    environment: Mapping[str, str],
    proc: Path = Path("/proc"),
) -> list[Finding]:
    """Everything there is to say about an installation; never raises for what is wrong with it."""
    try:
        home = open_home(folder)
    except FlinkBoostError as error:
        return [_problem(error)]
    findings = [Finding(Level.FINE, f"{home.folder} holds Flink {home.version}.")]
    line = None
    replaced = False
    try:
        line = choose_line(home, lines)
        findings.append(Finding(Level.FINE, "It is the official release, which we have a jar for."))
        require_own_library(home)
    except ReplacedClasses:
        line, replaced = lines[home.version], True
    except FlinkBoostError as error:
        findings.append(_problem(error))
    installed = None
    try:
        contents = read_contents(home.lib, known)
        if replaced:
            findings.append(_inside(require_nothing_beside(contents, home)))
        else:
            dropin = require_orderly(contents, home.folder)
            installed = None if dropin is None else dropin.path
            findings.append(_fitting(home, dropin))
    except FlinkBoostError as error:
        findings.append(_problem(error))
    try:
        launch = ask_scripts(home, environment)
        findings += _java(launch, line)
    except FlinkBoostError as error:
        findings.append(_problem(error))
    findings += _processes(find_running(home, proc), installed)
    return findings


def _inside(dist: Path) -> Finding:
    return Finding(
        Level.FINE,
        f"{dist.name} has our classes inside; `flink-boost verify … --stock JAR` compares it with"
        " the official one.",
    )


def _fitting(home: FlinkHome, installed: DropIn | None) -> Finding:
    if installed is None:
        return Finding(
            Level.WARNING,
            "No flink-boost jar is installed.",
            f"Run `flink-boost install {home.folder}`.",
        )
    if installed.flink_version != home.version:
        return Finding(
            Level.PROBLEM,
            f"{installed.path.name} is built for Flink {installed.flink_version}: no process of"
            f" this Flink {home.version} will start.",
            f"Run `flink-boost install {home.folder}`, which replaces it.",
            exit_code=_WRONG_LINE,
        )
    return Finding(Level.FINE, f"{installed.path.name} is installed.")


def _java(launch: Launch, line: Line | None) -> Iterator[Finding]:
    jdk = ask_jdk(launch.java)
    tested = line is None or jdk.feature in line.jdks
    yield Finding(
        Level.FINE if tested else Level.WARNING,
        f"Its scripts start {launch.java}, JDK {jdk.version}"
        + ("." if tested else ", on which this line is not tested."),
        ""
        if line is None or tested
        else f"Use JDK {' or '.join(map(str, line.jdks))}: set JAVA_HOME or env.java.home.",
    )
    old = line is not None and not line.jvm_options
    for role in ROLES:
        mode = launch.mode(role)
        if mode not in {None, "on", "off"}:
            yield Finding(
                Level.PROBLEM,
                f"-Dflink.boost.mode={mode} of the {role} is neither 'on' nor 'off': it will not"
                " start.",
                "Correct it in conf/.",
                exit_code=_WRONG_LINE,
            )
        elif mode == "off":
            yield Finding(
                Level.WARNING,
                f"The {role} is switched off by -Dflink.boost.mode=off: it runs stock's code.",
                "Remove the option from conf/ to switch it on.",
            )
        elif not launch.opens_strings(role, jdk.feature):
            key = "env.java.opts" if old else "env.java.opts.all"
            yield Finding(
                Level.WARNING,
                f"java.lang is not opened in the {role}: strings go through their public methods,"
                " which is slower.",
                f"Add to what {key} has in conf/: {OPENS_JAVA_LANG}",
            )


def _processes(running: Sequence[Running], installed: Path | None) -> Iterator[Finding]:
    for process in running:
        named = f"{process.main_class} (pid {process.pid}) runs"
        if installed is not None and installed not in process.dropins:
            yield Finding(
                Level.WARNING, f"{named} without the installed jar.", "Restart it to use the jar."
            )
        elif installed is None and process.dropins:
            yield Finding(
                Level.WARNING,
                f"{named} with {process.dropins[0].name}, which is no longer installed.",
                "Restart it to run stock.",
            )
        else:
            yield Finding(Level.FINE, f"{named} with what is installed.")


def _problem(error: FlinkBoostError) -> Finding:
    return Finding(Level.PROBLEM, error.message, error.next_step, error.exit_code)
