"""Asks an installation's own scripts what they would start: which java, options and class path."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from flink_boost.base.errors import EnvironmentProblem
from flink_boost.base.text import printable
from flink_boost.base.users import User, start_options
from flink_boost.flink.home import FlinkHome
from flink_boost.flink.lines import OPENS_JAVA_LANG
from flink_boost.flink.owner import environment_for, who_runs

ROLES = ("jobmanager", "taskmanager", "client")

_SECONDS = 120.0
_MARK = "flink-boost-launch:"

# `flink` is $0 because config.sh finds its folder from there. What it prints itself comes before
# the mark. Behind the jars of lib/ every script puts what HADOOP_CLASSPATH and its like name.
_ASK = f"""
. "$(dirname "$0")"/config.sh || exit
class_path=$(constructFlinkClassPath) || exit
client=
# The client of 1.9 takes nothing but JVM_ARGS.
if grep -q FLINK_ENV_JAVA_OPTS "$0"; then client="$FLINK_ENV_JAVA_OPTS $FLINK_ENV_JAVA_OPTS_CLI"; fi
setting() {{ readFromConfig "$1" "" "$YAML_CONF" | tr -d '\\042\\047'; }}
image=$(setting kubernetes.container.image.ref)
printf '\\n{_MARK}%s\\0%s\\0%s\\0%s\\0%s\\0%s\\0%s' "$JAVA_RUN" \\
    "$(setting yarn.provided.lib.dirs)" "${{image:-$(setting kubernetes.container.image)}}" \\
    "$class_path:$INTERNAL_HADOOP_CLASSPATHS" \\
    "$JVM_ARGS $FLINK_ENV_JAVA_OPTS $FLINK_ENV_JAVA_OPTS_JM" \\
    "$JVM_ARGS $FLINK_ENV_JAVA_OPTS $FLINK_ENV_JAVA_OPTS_TM" "$JVM_ARGS $client"
"""

# What decides how our classes behave; a port or a log file of the options is not to be taken twice.
_DECIDING = re.compile(
    r"--(add-opens|add-exports|illegal-access)\b.*|-Dflink\.boost\..*|-XX:[+-]CompactStrings"
    r"|-XX:[+-]IgnoreUnrecognizedVMOptions"
)
_TWO_WORDS = frozenset({"--add-opens", "--add-exports"})


@dataclass(frozen=True)
class Launch:
    """What the scripts would start, by role the options that decide how our classes behave.

    ``class_path`` is the whole one of such a process, as single jars and folders. ``yarn_folders``
    and ``kubernetes_image`` are where clusters of these kinds take Flink from instead, as the
    configuration names them; empty where it does not. ``user`` is who has to run all of it, None
    for the user that this process has.
    """

    java: str
    class_path: tuple[Path, ...]
    options: Mapping[str, tuple[str, ...]]
    yarn_folders: str = ""
    kubernetes_image: str = ""
    user: User | None = None

    def mode(self, role: str) -> str | None:
        """The value of the kill switch, None when it is not set; the last one counts."""
        prefix = "-Dflink.boost.mode="
        values = [o.removeprefix(prefix) for o in self.options[role] if o.startswith(prefix)]
        return values[-1] if values else None

    def switched_off(self) -> bool:
        """Whether the kill switch is set for all roles."""
        return all(self.mode(role) == "off" for role in ROLES)

    def opens_strings(self, role: str, jdk: int) -> bool:
        """Whether ``java.lang`` is open to our classes."""
        if OPENS_JAVA_LANG in self.options[role]:
            return True
        return jdk < 16 and "--illegal-access=deny" not in self.options[role]


def ask_scripts(home: FlinkHome, environment: Mapping[str, str]) -> Launch:
    """Runs ``bin/config.sh`` of the installation, as each of its scripts does.

    Raises ``EnvironmentProblem`` when it does not answer, and as ``who_runs``.
    """
    user = who_runs(home, environment)
    next_step = f"Look at {home.folder / 'conf'} and JAVA_HOME; Flink would not start either."
    try:
        done = subprocess.run(
            ["bash", "-c", _ASK, str(home.folder / "bin" / "flink")],
            env=environment_for(user, environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
            **start_options(user),
        )
    except FileNotFoundError:
        raise EnvironmentProblem("bash is not installed.", "Install it.") from None
    except subprocess.TimeoutExpired as error:
        raise EnvironmentProblem(
            f"{home.folder / 'bin/config.sh'} did not end within {_SECONDS:.0f} s.", next_step
        ) from error
    _, found, answer = done.stdout.rpartition(_MARK)
    if done.returncode != 0 or not found:
        words = (done.stderr or done.stdout).strip().splitlines() or ["no output"]
        why = printable(words[-1]).rstrip(".")
        raise EnvironmentProblem(
            f"{home.folder / 'bin/config.sh'} failed{_told(user)} ({why}).",
            next_step,
        )
    java, yarn_folders, image, class_path, *by_role = answer.split("\0")
    if user is not None:
        _require_named_java(java, user, environment)
    entries = tuple(_entries(class_path))
    if user is None:
        # What stands behind lib/ on the class path is known only now.
        user = who_runs(home, environment, (Path(shutil.which(java) or java), *entries))
    return Launch(
        java=java,
        class_path=entries,
        options={role: deciding(words.split()) for role, words in zip(ROLES, by_role, strict=True)},
        yarn_folders=printable(yarn_folders.strip()),
        kubernetes_image=printable(image.strip()),
        user=user,
    )


def _require_named_java(java: str, user: User, environment: Mapping[str, str]) -> None:
    """Raises ``EnvironmentProblem`` where root's Flink would have another Java than that user's.

    The scripts pass over a ``JAVA_HOME`` that is no folder to them.
    """
    named = environment.get("JAVA_HOME")
    if java == "java" and named and Path(named).is_dir():
        raise EnvironmentProblem(
            f"JAVA_HOME is {named}, which {user.name} may not enter: the scripts, run as"
            f" {user.name}, would start another Java.",
            f"Unset JAVA_HOME if Flink runs as {user.name}, or let that user enter it.",
        )


def _told(user: User | None) -> str:
    return "" if user is None else f", run as {user.name}"


def _entries(class_path: str) -> Iterator[Path]:
    """The jars and folders of a class path; ``folder/*`` stands for the jars in it."""
    for entry in class_path.split(os.pathsep):
        folder = Path(entry).parent
        if entry and Path(entry).name == "*":
            # A JVM takes them in no certain order.
            with suppress(OSError):
                yield from sorted(p for p in folder.iterdir() if p.suffix in {".jar", ".JAR"})
        elif entry:
            yield Path(entry)


def deciding(words: Sequence[str]) -> tuple[str, ...]:
    """Those JVM options that decide how our classes behave, each as one word."""
    kept = []
    rest = iter(words)
    for raw in rest:
        word = f"{raw}={next(rest, '')}" if raw in _TWO_WORDS else raw
        if _DECIDING.fullmatch(word.strip("\"'")):
            kept.append(word.strip("\"'"))
    return tuple(kept)
