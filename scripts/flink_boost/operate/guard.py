"""Asks the guard in one of our jars, before Flink starts, what it will say then.

It looks at what only class files tell: whether the classes of Flink that ours link to, and do not
replace, are as they were.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from flink_boost.base.errors import EnvironmentProblem, VerificationFailed
from flink_boost.base.scratch import scratch_folder
from flink_boost.base.text import printable
from flink_boost.base.users import hand_over, lent
from flink_boost.flink.home import FlinkHome, is_dist
from flink_boost.flink.jvm_options import SMALL
from flink_boost.flink.launch import Launch
from flink_boost.operate.asking_class import CLASS_NAME, MARK, UTF8, asking_class, run_program

_SHOWN = 400


@dataclass(frozen=True)
class GuardAnswer:
    """What the guard says of a class path; ``java`` is the Java that it was asked with."""

    java: str
    fits: bool
    fits_switched_off: bool
    sentence: str

    @property
    def knows_java(self) -> bool:
        """Whether it looked at classes; on Java 8, which calls itself 1.8, it looks no further."""
        return not self.java.startswith("1.")

    def lets_start(self, launch: Launch) -> bool:
        """Whether processes start, with the kill switch as it is set."""
        return self.fits or (self.fits_switched_off and launch.switched_off())

    @property
    def reason(self) -> str:
        """Its sentence without what to do, which depends on where the jar is."""
        return self.sentence.rpartition(": ")[0] or self.sentence.rstrip(".")


def require_start(
    home: FlinkHome, jar: Path, launch: Launch, environment: Mapping[str, str]
) -> str:
    """Why it is not known whether processes would start with that jar; empty when they would.

    ``launch`` is without a jar of ours. Raises ``VerificationFailed`` when they would not.
    """
    try:
        answer = ask_guard(launch, environment, jar)
    except EnvironmentProblem as error:
        return f"Whether Flink will start with it is not known: {error}"
    if not answer.knows_java:
        return f"Whether Flink will start with it is not known: {answer.reason}."
    if not answer.lets_start(launch):
        raise VerificationFailed(
            f"No process of {home.folder} would start with {jar.name}: {answer.reason}.",
            "Nothing was changed. Leave this Flink as it is, or take the jar that brings this class"
            " out of lib/.",
        )
    return ""


def require_no_objection(
    home: FlinkHome,
    jar: Path,
    launch: Launch,
    environment: Mapping[str, str],
    options: Sequence[str],
) -> str:
    """Why it is not known whether processes start with our jar where it is; empty when they do.

    It is asked in a JVM with those ``options``. A Java that is too old is nothing that this is
    about. Raises ``VerificationFailed`` when they do not start.
    """
    try:
        answer = ask_guard(launch, environment, options=options)
    except EnvironmentProblem as error:
        return f"Whether Flink will start with {jar.name} is not known: {error}"
    if answer.knows_java and not answer.lets_start(launch):
        undo = (
            f"Put the original {jar} back"
            if is_dist(jar)
            else f"Run `flink-boost uninstall {home.quoted}`"
        )
        raise VerificationFailed(
            f"No process of this Flink will start: {answer.reason}.",
            f"{undo}, or take the jar that brings this class out of lib/.",
        )
    return ""


def ask_guard(
    launch: Launch,
    environment: Mapping[str, str],
    jar: Path | None = None,
    options: Sequence[str] = (),
) -> GuardAnswer:
    """What the guard on that class path says, on the installation's own Java.

    ``jar`` is one of ours that is put in front. Raises ``EnvironmentProblem`` when it does not
    answer.
    """
    with scratch_folder(launch.user) as folder:
        if jar is not None:
            in_front = lent(jar, folder, launch.user)
            launch = replace(launch, class_path=(in_front, *launch.class_path))
        program = folder / "program"
        program.mkdir()
        (program / f"{CLASS_NAME}.class").write_bytes(asking_class())
        hand_over(program, launch.user)
        lines = _run(launch, environment, program, options)
    java, fits, switched_off, sentence = lines
    return GuardAnswer(java, fits == "true", switched_off == "true", sentence)


def _run(
    launch: Launch, environment: Mapping[str, str], folder: Path, options: Sequence[str]
) -> list[str]:
    class_path = os.pathsep.join(str(entry) for entry in (*launch.class_path, folder))
    next_step = "Look at JAVA_HOME and env.java.home."
    try:
        done = run_program(
            launch.java,
            (*options, *SMALL, *UTF8),
            class_path,
            launch.environment(environment),
            launch.user,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise EnvironmentProblem(f"{launch.java} does not run ({error}).", next_step) from error
    _, _, answer = done.stdout.rpartition(f"{MARK}\n")
    lines = [printable(line) for line in answer.splitlines()[:4]]
    if done.returncode != 0 or len(lines) < len(("java", "fits", "switched off", "sentence")):
        words = (done.stderr or done.stdout).strip().splitlines() or ["no output"]
        raise EnvironmentProblem(
            f"{launch.java} did not tell whether the jar fits ({printable(words[0])[:_SHOWN]}).",
            next_step,
        )
    return lines
