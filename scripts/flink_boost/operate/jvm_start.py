"""Starts the installation's Java with the options of each role, to see whether it starts at all."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flink_boost.base.errors import VerificationFailed
from flink_boost.base.text import printable
from flink_boost.base.users import start_options
from flink_boost.flink.jvm_options import VARIABLES, agents, left_out, taken_over
from flink_boost.flink.launch import ROLES, Launch
from flink_boost.flink.owner import environment_for

_SECONDS = 120.0
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

    ``options`` are those that it was started with, ``left_out`` those that a second process cannot
    have. ``busy`` are agents that it started without, because their port is in use, as by the
    Flink that runs. ``failure`` is empty where it started.
    """

    roles: tuple[str, ...]
    options: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    busy: tuple[str, ...] = ()
    failure: str = ""

    def named(self, last: str) -> str:
        """The roles, as a sentence names them: with ``and`` or ``or`` before the last one."""
        return f" {last} ".join(filter(None, (", ".join(self.roles[:-1]), self.roles[-1])))


def start_all(launch: Launch, environment: Mapping[str, str]) -> tuple[JvmStart, ...]:
    """One start for all roles with the same options."""
    own = environment_for(launch.user, environment)
    return tuple(
        _start(tuple(role for role in ROLES if launch.options[role] == words), words, launch, own)
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
        " env.java.home); stock's Flink does not start so either."
    )


def cause_in(output: str) -> str:
    """The lines of a JVM's output that say why it ended."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    said = [line for line in lines if not _SAYS_NOTHING.fullmatch(line)]
    telling = [line for line in said if "Exception" in line or "Error" in line] or said[:1]
    words = printable(telling[0] if telling else (lines or ["it printed nothing"])[0])
    return words[:_SHOWN].rstrip(".")


def _start(
    roles: tuple[str, ...], words: tuple[str, ...], launch: Launch, environment: Mapping[str, str]
) -> JvmStart:
    options, out = taken_over(words), left_out(words)
    failure = _failure(launch, options, environment)
    loading = agents(words)
    if loading and _PORT_IN_USE.search(failure):
        without = tuple(word for word in options if word not in loading)
        failure = _failure(launch, without, environment)
        return JvmStart(roles, without, out, loading, cause_in(failure) if failure else "")
    return JvmStart(roles, options, out, failure=cause_in(failure) if failure else "")


def _failure(launch: Launch, options: Sequence[str], environment: Mapping[str, str]) -> str:
    """What it printed where it did not start."""
    try:
        done = subprocess.run(
            [launch.java, *options, "-version"],
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
            **start_options(launch.user),
        )
    except subprocess.TimeoutExpired:
        return f"it did not end within {_SECONDS:.0f} s"
    except OSError as error:
        return f"it does not run, {error.strerror}"
    return (done.stdout.strip() or f"code {done.returncode}") if done.returncode else ""
