"""Asks the guard in one of our jars, before Flink starts, what it will say then.

It looks at what only class files tell: whether the classes of Flink that ours link to, and do not
replace, are as they were.
"""

from __future__ import annotations

import os
import subprocess
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from flink_boost.base.errors import EnvironmentProblem, VerificationFailed
from flink_boost.base.scratch import scratch_folder
from flink_boost.base.text import printable
from flink_boost.base.users import hand_over, lent
from flink_boost.flink.dropin import table_of_contents
from flink_boost.flink.home import FlinkHome, is_dist
from flink_boost.flink.jvm_options import SMALL
from flink_boost.flink.launch import ROLES, Launch
from flink_boost.operate.asking_class import CLASS_NAME, MARK, UTF8, asking_class, run_program
from flink_boost.operate.families import Family, FamilyState, Report, read_report

_SHOWN = 400
_NEXT_STEP = "Look at JAVA_HOME and env.java.home."
_OPTION = "Put right what it names, or take that option out of Flink's JVM options."
# Java 8 calls itself 1.8.
_OLD = "1."
_FAMILIES = b"org/apache/flink/boost/guard/Families.class"


@dataclass(frozen=True)
class GuardAnswer:
    """What the guard says of a class path; ``java`` is the Java that it was asked with.

    ``report`` is what it decided with the options that it was asked with; None of an older jar.
    """

    java: str
    fits: bool
    fits_switched_off: bool
    sentence: str
    report: Report | None = None

    @property
    def knows_java(self) -> bool:
        """Whether it looked at classes; on Java 8 it looks no further."""
        return not self.java.startswith(_OLD)

    def lets_start(self, launch: Launch) -> bool:
        """Whether processes start, with the switches as they are set."""
        if self.report is not None:
            return not self.report.refusal
        return self.fits or (self.fits_switched_off and launch.switched_off())

    @property
    def by_option(self) -> str:
        """The refusal that an option of ours causes, not the classes; empty where there is none."""
        refusal = "" if self.report is None else self.report.refusal
        return "" if refusal == self.sentence else refusal

    @property
    def reason(self) -> str:
        """Its sentence without what to do, which depends on where the jar is."""
        if self.by_option:
            return self.by_option.rstrip(".")
        return self.sentence.rpartition(": ")[0] or self.sentence.rstrip(".")

    @property
    def families(self) -> tuple[Family, ...]:
        """What was decided for each."""
        return () if self.report is None else self.report.families


@dataclass(frozen=True)
class Outlook:
    """What is to be expected of a class path: what is not known of it, and each family."""

    doubts: tuple[str, ...] = ()
    families: tuple[Family, ...] = ()


def require_start(
    home: FlinkHome, jar: Path, launch: Launch, environment: Mapping[str, str]
) -> Outlook:
    """What processes would make of that jar, each role with its own switches.

    ``launch`` is without a jar of ours. Raises ``VerificationFailed`` when one would not start.
    """
    unknown = "Whether Flink will start with it is not known: "
    found: dict[str, Family] = {}
    for options in _switches(launch):
        try:
            answer = ask_guard(launch, environment, jar, options)
        except EnvironmentProblem as error:
            return Outlook((f"{unknown}{error}",))
        if not answer.knows_java:
            return Outlook((f"{unknown}{answer.reason}.",))
        if not answer.lets_start(launch):
            raise VerificationFailed(
                f"No process of {home.folder} would start with {jar.name}: {answer.reason}.",
                f"Nothing was changed. {_OPTION}"
                if answer.by_option
                else "Nothing was changed. Leave this Flink as it is, or take the jar that brings"
                " this class out of lib/.",
            )
        # A family that one role misses is told, whatever the others do.
        for family in answer.families:
            if family.name not in found or family.state is FamilyState.MISSED:
                found[family.name] = family
    return Outlook((), tuple(found.values()))


def _switches(launch: Launch) -> list[tuple[str, ...]]:
    """The options of ours that roles have, each set once."""
    each = (tuple(found.option for found in launch.switches(role)) for role in ROLES)
    return list(dict.fromkeys(each))


def require_no_objection(
    home: FlinkHome,
    jar: Path,
    launch: Launch,
    environment: Mapping[str, str],
    options: Sequence[str],
) -> Outlook:
    """What processes make of our jar where it is.

    It is asked in a JVM with those ``options``. A Java that is too old is nothing that this is
    about. Raises ``VerificationFailed`` when they do not start.
    """
    try:
        answer = ask_guard(launch, environment, options=options, ours=jar)
    except EnvironmentProblem as error:
        return Outlook((f"Whether Flink will start with {jar.name} is not known: {error}",))
    if answer.knows_java and not answer.lets_start(launch):
        undo = (
            f"Put the original {jar} back"
            if is_dist(jar)
            else f"Run `flink-boost uninstall {home.quoted}`"
        )
        raise VerificationFailed(
            f"No process of this Flink will start: {answer.reason}.",
            _OPTION
            if answer.by_option
            else f"{undo}, or take the jar that brings this class out of lib/.",
        )
    return Outlook((), answer.families)


def ask_guard(
    launch: Launch,
    environment: Mapping[str, str],
    jar: Path | None = None,
    options: Sequence[str] = (),
    ours: Path | None = None,
) -> GuardAnswer:
    """What the guard on that class path says, on the installation's own Java.

    ``jar`` is one of ours that is put in front, ``ours`` the one that is there; neither where
    nobody asks for families. Raises ``EnvironmentProblem`` when it does not answer.
    """
    report = _reports(jar or ours)
    with scratch_folder(launch.user) as folder:
        if jar is not None:
            in_front = lent(jar, folder, launch.user)
            launch = replace(launch, class_path=(in_front, *launch.class_path))
        program = folder / "program"
        program.mkdir()
        (program / f"{CLASS_NAME}.class").write_bytes(asking_class(report=report))
        hand_over(program, launch.user)
        lines, rest = _run(launch, environment, program, options)
        java, fits, switched_off, sentence = lines
        told = read_report(rest) if report and not java.startswith(_OLD) else None
    return GuardAnswer(java, fits == "true", switched_off == "true", sentence, told)


def _reports(jar: Path | None) -> bool:
    """Whether that jar of ours knows of families."""
    try:
        return jar is not None and _FAMILIES in table_of_contents(jar)
    except (zipfile.BadZipFile, OSError):
        return False


def _run(
    launch: Launch, environment: Mapping[str, str], folder: Path, options: Sequence[str]
) -> tuple[list[str], str]:
    """The four lines of the verdict, and what comes behind them."""
    class_path = os.pathsep.join(str(entry) for entry in (*launch.class_path, folder))
    try:
        done = run_program(
            launch.java,
            (*options, *SMALL, *UTF8),
            class_path,
            launch.environment(environment),
            launch.user,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise EnvironmentProblem(f"{launch.java} does not run ({error}).", _NEXT_STEP) from error
    _, _, answer = done.stdout.rpartition(f"{MARK}\n")
    lines = [printable(line) for line in answer.splitlines()[:4]]
    if done.returncode != 0 or len(lines) < len(("java", "fits", "switched off", "sentence")):
        words = (done.stderr or done.stdout).strip().splitlines() or ["no output"]
        raise EnvironmentProblem(
            f"{launch.java} did not tell whether the jar fits ({printable(words[0])[:_SHOWN]}).",
            _NEXT_STEP,
        )
    return lines, "\n".join(answer.splitlines()[4:])
