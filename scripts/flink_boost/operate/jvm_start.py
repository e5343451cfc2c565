"""Starts the installation's Java with the options of each role, to see whether it starts at all."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from flink_boost.base.errors import VerificationFailed
from flink_boost.base.scratch import scratch_folder
from flink_boost.base.text import printable
from flink_boost.base.users import User, hand_over, may
from flink_boost.flink.jvm_options import (
    SMALL,
    VARIABLES,
    agents,
    files_of,
    left_out,
    taken_over,
    writing,
)
from flink_boost.flink.launch import ROLES, Launch
from flink_boost.operate.asking_class import CLASS_NAME, SECONDS, run_program, starting_class

_SHOWN = 400
_PORT_IN_USE = re.compile("BindException|Address already in use")
# What every such failure says beside its cause, and what a JVM repeats of its environment.
_SAYS_NOTHING = re.compile(
    r"Error occurred during initialization of VM|(NOTE: )?Picked up \w+: .*"
    r"|Error: A fatal exception has occurred. Program will exit.|Error: Could not create the Java.*"
)


@dataclass(frozen=True)
class JvmStart:
    """How a Java started with the options that these roles have in common.

    ``options`` are those of the scripts that it was started with, ``left_out`` those that a second
    process cannot have, of the variables, too. ``agents`` are all that there are. It was started
    without the ``unasked`` and without the ``busy``, whose port is in use, as by the Flink that
    runs. ``failure`` is empty where it started.
    """

    roles: tuple[str, ...]
    options: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    unasked: tuple[str, ...] = ()
    busy: tuple[str, ...] = ()
    failure: str = ""

    @property
    def without(self) -> tuple[str, ...]:
        """The agents that it was started without."""
        return (*self.unasked, *self.busy)

    def named(self, last: str) -> str:
        """The roles, as a sentence names them: with ``and`` or ``or`` before the last one."""
        return f" {last} ".join(filter(None, (", ".join(self.roles[:-1]), self.roles[-1])))


def start_all(
    launch: Launch, environment: Mapping[str, str], *, loading: bool
) -> tuple[JvmStart, ...]:
    """One start for all roles with the same options; with their agents, if it is ``loading``.

    Those that are told a file to write are not started in any case.
    """
    with scratch_folder(launch.user) as folder:
        program = folder / "program"
        program.mkdir()
        (program / f"{CLASS_NAME}.class").write_bytes(starting_class())
        hand_over(program, launch.user)
        # Behind the installation's own: an agent may use its classes, an archive goes by it.
        launch = replace(launch, class_path=(*launch.class_path, program))
        return tuple(
            _start(
                tuple(role for role in ROLES if launch.options[role] == words),
                words,
                launch,
                environment,
                loading=loading,
            )
            for words in dict.fromkeys(launch.options[role] for role in ROLES)
        )


def require_started(starts: Sequence[JvmStart], launch: Launch) -> None:
    """Raises ``VerificationFailed`` where a Java did not start."""
    for start in starts:
        if start.failure:
            raise VerificationFailed(f"{told(start, launch)}.", next_step(launch))


def told(start: JvmStart, launch: Launch) -> str:
    """What became of a start that failed."""
    return (
        f"No {start.named('or')} starts: {launch.java} ends with the options that the"
        f" scripts give it ({start.failure})"
    )


def next_step(launch: Launch) -> str:
    """What to do about it: where the options come from."""
    also = "".join(f", {name}" for name in VARIABLES if launch.variables.get(name))
    return (
        f"Look at env.java.opts… in the configuration, JVM_ARGS{also} and the JDK (JAVA_HOME,"
        " env.java.home)."
    )


def cause_in(output: str) -> str:
    """The lines of a JVM's output that say why it ended."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    said = [line for line in lines if not _SAYS_NOTHING.fullmatch(line)]
    telling = [line for line in said if "Exception" in line or "Error" in line] or said[:1]
    words = printable(telling[0] if telling else (lines or ["it printed nothing"])[0])
    return words[:_SHOWN].rstrip(".")


def _start(
    roles: tuple[str, ...],
    words: tuple[str, ...],
    launch: Launch,
    environment: Mapping[str, str],
    *,
    loading: bool,
) -> JvmStart:
    every = (*launch.in_variables, *words)
    found = tuple(dict.fromkeys(agents(every)))
    unasked = writing(found) if loading else found
    busy: tuple[str, ...] = ()
    failure = _unreadable(found, launch.user) or _failure(launch, words, environment, unasked)
    if _PORT_IN_USE.search(failure):
        # One more at a time: whoever does not start then is the one.
        asked = [word for word in found if word not in unasked]
        failure = _failure(launch, words, environment, found)
        for index, word in enumerate(asked):
            out = (*unasked, *busy, *asked[index + 1 :])
            said = failure or _failure(launch, words, environment, out)
            if _PORT_IN_USE.search(said):
                busy = (*busy, word)
            else:
                failure = said
    return JvmStart(
        roles,
        taken_over(words, (*unasked, *busy)),
        tuple(dict.fromkeys(left_out(every))),
        found,
        unasked,
        busy,
        cause_in(failure) if failure else "",
    )


def _unreadable(loading: Sequence[str], user: User | None) -> str:
    """What a JVM will say of an agent that is not there; no agent has to be started for it."""
    for word in loading:
        for file in files_of((word,)):
            if not (os.access(file, os.R_OK) if user is None else may(user, "-r", file)):
                return f"the agent {file} is not there or may not be read"
    return ""


def _failure(
    launch: Launch,
    words: Sequence[str],
    environment: Mapping[str, str],
    without: Sequence[str],
) -> str:
    """What it printed where it did not start."""
    class_path = os.pathsep.join(map(str, launch.class_path))
    try:
        done = run_program(
            launch.java,
            (*taken_over(words, without), *SMALL),
            class_path,
            launch.environment(environment, without),
            launch.user,
        )
    except subprocess.TimeoutExpired:
        return f"it did not end within {SECONDS:.0f} s"
    except OSError as error:
        return f"it does not run, {error.strerror}"
    if done.returncode == 0:
        return ""
    return f"{done.stderr}{done.stdout}".strip() or f"code {done.returncode}"
