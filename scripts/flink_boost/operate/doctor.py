"""Looks at this machine and an installation, and says what is not as it should be.

Nothing is changed and no check is deep: ``verify`` compares strings.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from flink_boost.base.errors import (
    EnvironmentProblem,
    FlinkBoostError,
    ReplacedClasses,
    VerificationFailed,
)
from flink_boost.base.permissions import is_readable_like
from flink_boost.base.text import printable
from flink_boost.flink.dropin import OWN_BUILD, DropIn, require_whole
from flink_boost.flink.home import FlinkHome, open_home, require_own_library
from flink_boost.flink.jdks import ask_jdk
from flink_boost.flink.launch import Launch, ask_scripts
from flink_boost.flink.lines import Line
from flink_boost.flink.releases import as_tested, load_releases
from flink_boost.flink.switches import PROPERTIES, STRICT
from flink_boost.operate.checked_records import checked_records
from flink_boost.operate.classpath import require_in_effect, require_own_jars
from flink_boost.operate.contents import (
    read_contents,
    read_inside,
    require_nothing_beside,
    require_orderly,
)
from flink_boost.operate.families import Family, FamilyState
from flink_boost.operate.findings import Finding, Level, problem
from flink_boost.operate.flink_processes import FlinkProcess, find_running, sees_all
from flink_boost.operate.guard import require_no_objection
from flink_boost.operate.java_findings import OLDEST_JAVA, of_java, of_starts
from flink_boost.operate.jvm_start import JvmStart, start_all
from flink_boost.operate.kinds import kind_of, look_around
from flink_boost.operate.lib_jars import told_apart
from flink_boost.operate.own_lines import fits, line_of
from flink_boost.operate.releases_to_leave import TO_LEAVE
from flink_boost.operate.unread_switch import unread_switch

# As a failed check of `verify` ends.
_FAILED = VerificationFailed.exit_code


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
        return [problem(error)]
    findings = [Finding(Level.FINE, f"{home.folder} holds {home.named}.")]
    findings += _path(home.folder)
    line = None
    replaced = False
    try:
        line = line_of(home, lines, _dropins(home, known))
        line = as_tested(line, home.version, load_releases())
        findings.append(_line(home, line))
    except ReplacedClasses:
        line, replaced = lines.get(home.version), True
    except FlinkBoostError as error:
        findings.append(problem(error))
    ours: DropIn | None = None
    in_order = True
    try:
        require_own_library(home)
        contents = read_contents(home.lib, known)
        findings += told_apart(contents.dropins, len(contents.halves), home, known)
        if replaced:
            require_nothing_beside(contents, home)
            ours = read_inside(home)
            findings.append(_inside(home.dist))
        else:
            ours = require_orderly(contents, home.folder)
            findings.append(_fitting(home, line, ours, known))
    except FlinkBoostError as error:
        findings.append(problem(error))
        in_order = ours is not None
    findings += [] if ours is None else [*_release(ours), *_unreadable(home, ours)]
    launch: Launch | None = None
    try:
        launch = ask_scripts(home, environment)
        require_own_jars(home, launch, environment)
        jdk = ask_jdk(launch.java, launch.user)
        old = ours is not None and jdk.feature < OLDEST_JAVA
        starts: tuple[JvmStart, ...] = ()
        # That there is no room to ask from is told of the guard, too.
        with suppress(EnvironmentProblem):
            starts = () if old else start_all(launch, environment, loading=False)
        if line is not None and ours is not None and (replaced or fits(home, ours)):
            findings += _in_effect(home, line, launch, ours, environment, starts)
        findings += of_java(launch, jdk, line, ours)
        findings += of_starts(starts, launch, ours)
        findings += [] if ours is None else unread_switch(home, launch, environment)
    except FlinkBoostError as error:
        findings.append(problem(error))
    findings += look_around(home, kind_of(home, environment), launch, ours)
    jar = None if ours is None else ours.path
    for each in find_running(home, proc):
        findings.append(_process(each, home, jar, in_order=in_order))
        findings += [*_switched(each, launch, jar), *checked_records(each, proc)]
    if not sees_all(proc):
        findings.append(
            Finding(
                Level.WARNING,
                "Processes of other users cannot be seen: whether Flink runs from here as another"
                " user is not known.",
                "Run doctor as root, or as the user whom Flink runs as.",
            )
        )
    return findings


def _dropins(home: FlinkHome, known: Sequence[Path]) -> Sequence[DropIn]:
    # What is wrong with lib/ is told further on.
    with suppress(FlinkBoostError):
        return read_contents(home.lib, known).dropins
    return ()


def _path(folder: Path) -> Iterator[Finding]:
    move = "Move the installation to a path of plain ASCII characters without spaces."
    if blank := next((character for character in str(folder) if character.isspace()), ""):
        what = "a space" if blank == " " else "a line break or tab"
        yield Finding(
            Level.WARNING,
            f"The path {printable(str(folder))} has {what}: Flink's own scripts fail there.",
            move,
        )
    elif not str(folder).isascii():
        yield Finding(
            Level.WARNING,
            f"The path {folder} has characters outside ASCII: where the locale is not UTF-8 a JVM"
            " does not find its jars there.",
            move,
        )


def _inside(dist: Path) -> Finding:
    return Finding(
        Level.FINE,
        f"{dist.name} has our classes inside; `flink-boost verify … --stock JAR` compares it with"
        " the official one.",
    )


def _line(home: FlinkHome, line: Line) -> Finding:
    """Which jar its classes need; nobody may have run it on this very release."""
    if OWN_BUILD in line.version:
        return Finding(
            Level.FINE,
            f"It is no official build: its classes are the combination {line.version}, which the"
            " installed jar was woven from.",
        )
    if home.version == line.version:
        return Finding(Level.FINE, "It is the official release, which we have a jar for.")
    release = load_releases().releases.get(home.version)
    # A build of one's own may bear the number of a release and have another's classes.
    if release is not None and release.classes == line.version and release.tested:
        how = f"{release.passed} passed on it"
    else:
        how = "nothing was run on this release itself"
    return Finding(
        Level.FINE, f"Its classes do what those of Flink {line.version} do, whose jar fits; {how}."
    )


def _fitting(
    home: FlinkHome, line: Line | None, installed: DropIn | None, known: Sequence[Path]
) -> Finding:
    if installed is None:
        return Finding(
            Level.WARNING,
            "No flink-boost jar is installed.",
            f"Run `flink-boost install {home.quoted}`.",
        )
    if not fits(home, installed):
        return Finding(
            Level.PROBLEM,
            f"{installed.path.name} is built for Flink {installed.flink_version}: no process of"
            f" this {home.named} will start.",
            f"Run `flink-boost install {home.quoted}{' --weave' if line is None else ''}`, which"
            " replaces it.",
            exit_code=_FAILED,
        )
    name = installed.path.name
    if require_whole(installed, known):
        return Finding(Level.FINE, f"{name} is installed, the one that this flink-boost carries.")
    if installed.own_line:
        return Finding(
            Level.FINE,
            f"{name} is installed and not damaged; `flink-boost verify` weaves it anew to compare.",
        )
    return Finding(
        Level.FINE,
        f"{name} is installed and not damaged; this flink-boost carries none of that version to"
        " compare it with.",
    )


def _unreadable(home: FlinkHome, ours: DropIn) -> Iterator[Finding]:
    if not is_readable_like(ours.path, home.dist):
        yield Finding(
            Level.WARNING,
            f"Not all who may read {home.dist.name} may read {ours.path.name}: a JVM passes over a"
            " jar that it may not read, and runs stock's code.",
            f"Run `flink-boost install {home.quoted}{' --weave' if ours.own_line else ''}`, which"
            " gives it the same owner and permissions.",
        )


def _release(ours: DropIn) -> Iterator[Finding]:
    if ours.boost_version in TO_LEAVE:
        yield Finding(
            Level.WARNING,
            f"{ours.path.name} has the classes of flink-boost {ours.boost_version}, a release to"
            " leave.",
            TO_LEAVE[ours.boost_version],
        )


def _in_effect(
    home: FlinkHome,
    line: Line,
    launch: Launch,
    ours: DropIn,
    environment: Mapping[str, str],
    starts: Sequence[JvmStart],
) -> Iterator[Finding]:
    # Those that Java starts with; a role that differs may load other classes.
    # Values that mean nothing are told of each role.
    sound = [
        start
        for start in starts
        if not start.failure and all(s.is_valid for r in start.roles for s in launch.switches(r))
    ]
    each = dict.fromkeys(start.options for start in sound)
    found: dict[Family, None] = {}
    try:
        shadowed = require_in_effect(launch, ours)
        if shadowed:
            yield Finding(
                Level.WARNING, shadowed, "Take Flink's classes out of it before you switch on."
            )
        # Without the options that switch ours off, the guard refuses what is shadowed.
        for options in each or ([] if shadowed else [()]):
            outlook = require_no_objection(home, ours.path, launch, environment, options)
            if outlook.doubts:
                yield from (Finding(Level.WARNING, doubt) for doubt in outlook.doubts)
                return
            found |= dict.fromkeys(outlook.families)
    except FlinkBoostError as error:
        yield problem(error)
        return
    if not shadowed:
        yield Finding(Level.FINE, "No other jar stands before its classes on the class path.")
    for family in found:
        yield _family(family, line)


def _family(family: Family, line: Line) -> Finding:
    # One that the line has not here is off because this Flink's classes are others.
    if family.state is FamilyState.MISSED and family.name in line.family_of.values():
        return Finding(
            Level.WARNING,
            f"Of its families, {family.told}.",
            f"Until then stock's code runs there; {STRICT}=true refuses to start instead.",
        )
    return Finding(Level.FINE, f"Of its families, {family.told}.")


def _switched(process: FlinkProcess, launch: Launch | None, ours: Path | None) -> Iterator[Finding]:
    """A warning where a process was started with another switch than the next one will be."""
    if launch is None or ours is None or not process.role:
        return
    if launch.variables and not process.sees_variables:
        return
    for name in PROPERTIES:
        switch = launch.switch(process.role, name)
        then, now = process.switches.get(name), None if switch is None else switch.value
        usual = "false" if name == STRICT else "on"
        if (then or usual) != (now or usual):
            yield Finding(
                Level.WARNING,
                f"{process.named} was started {_option(name, then)}, the next one will be"
                f" {_option(name, now)}.",
                "Restart it for that to count.",
            )


def _option(name: str, value: str | None) -> str:
    return f"without -D{name}" if value is None else f"with -D{name}={printable(value)}"


def _process(
    process: FlinkProcess, home: FlinkHome, ours: Path | None, *, in_order: bool
) -> Finding:
    named = f"{process.named} runs"
    wanted = {*(process.dropins if ours is None else (ours,)), home.dist}
    gone = [jar for jar in process.dropins if not os.path.lexists(jar)]
    skipped = [jar for jar in process.skipped if jar in wanted]
    outdated = [jar for jar in process.outdated if jar in wanted]
    touched = [jar for jar in process.touched if jar in wanted]
    unknown = [jar for jar in process.unknown if jar in wanted]
    if ours not in {None, home.dist, *process.dropins}:
        return Finding(
            Level.WARNING, f"{named} without the installed jar.", "Restart it to use the jar."
        )
    if ours is None and gone:
        return Finding(
            Level.WARNING,
            f"{named} with {gone[0].name}, which is no longer installed.",
            "Restart it to run stock." if in_order else "Put lib/ in order, then restart it.",
        )
    if skipped:
        return Finding(
            Level.WARNING,
            f"{named} without {skipped[0].name}, which is on its class path but was not opened:"
            " a JVM passes over a jar that it may not read.",
            f"Give it the permissions of {home.dist.name}, then restart the process.",
        )
    if outdated:
        return Finding(
            Level.WARNING,
            f"{named} with a former {outdated[0].name}, which was replaced, changed or written"
            " over since it started.",
            "Restart it to use the one that is installed.",
        )
    if touched:
        return Finding(
            Level.WARNING,
            f"{named} with {touched[0].name}, whose owner, permissions or links were changed since"
            " it started, or whose content was, with its old time, as by `cp -p`: which of these is"
            " not known.",
            "Restart it if the jar was written over; else it has what is installed.",
        )
    if unknown:
        return Finding(
            Level.WARNING,
            f"{named} with a {unknown[0].name}; whether it is the one that is installed now is"
            " not known, because its open files do not tell.",
            "Run doctor again, as root or as the user whom it runs as.",
        )
    if process.behind:
        return Finding(
            Level.WARNING,
            f"{named} stock's code: on its class path {home.dist.name} stands before"
            f" {process.behind[0].name}.",
            "What started it is not bin/flink: `flink-boost verify --classpath PATH` judges such a"
            " class path.",
        )
    return Finding(Level.FINE, f"{named} with what is installed.")
