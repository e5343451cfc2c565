"""Asks an installation's own scripts what they would start: which java, options and class path."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from flink_boost.base.errors import EnvironmentProblem
from flink_boost.base.text import printable
from flink_boost.base.users import User, start_options
from flink_boost.flink.home import FlinkHome
from flink_boost.flink.jvm_options import (
    LAST_OPTIONS,
    LAUNCHER_OPTIONS,
    TOOL_OPTIONS,
    VARIABLES,
    agents,
    files_of,
    in_effect,
    text_taken_over,
    words_of,
)
from flink_boost.flink.lines import OPENS_JAVA_LANG
from flink_boost.flink.option_files import opened, with_files
from flink_boost.flink.owner import environment_for, who_runs
from flink_boost.flink.switches import MODE, PROPERTIES, STRINGS, Switch, property_of

ROLES = ("jobmanager", "taskmanager", "client")

_SECONDS = 120.0
_MARK = "flink-boost-launch:"

# `flink` is $0 because config.sh finds its folder from there. What it prints itself comes before
# the mark. Behind the jars of lib/ every script puts what HADOOP_CLASSPATH and its like name.
# Options are split into words as the scripts do it: a server's are evaluated first.
_ASK = f"""
. "$(dirname "$0")"/config.sh || exit
stop() {{ printf '%s\\n' "$1" >&2; exit 1; }}
# Where config.sh goes on without, processes end at their start.
[ -d "$FLINK_CONF_DIR" ] || stop "there is no folder $FLINK_CONF_DIR"
[ -n "$YAML_CONF" ] || stop "it read no configuration"
cause=$(printf '%s\\n' "$YAML_CONF" | sed -n '/^Error occurred during init/{{n;p;q;}}
/^ERROR:/{{p;q;}}
/^Unrecognized /{{p;q;}}
/Exception in thread/{{p;q;}}')
[ -z "$cause" ] || stop "$cause"
class_path=$(constructFlinkClassPath) || exit
FLINK_LOG_PREFIX="$FLINK_LOG_DIR/flink"
client=
# The client of 1.9 takes nothing but JVM_ARGS.
if grep -q FLINK_ENV_JAVA_OPTS "$0"; then client="$FLINK_ENV_JAVA_OPTS $FLINK_ENV_JAVA_OPTS_CLI"; fi
setting() {{ readFromConfig "$1" "" "$YAML_CONF" | tr -d '\\042\\047'; }}
server() {{ printf '%s\\n' $JVM_ARGS $(eval echo $FLINK_ENV_JAVA_OPTS $1); }}
image=$(setting kubernetes.container.image.ref)
printf '\\n{_MARK}%s\\0%s\\0%s\\0%s' "$JAVA_RUN" \\
    "$(setting yarn.provided.lib.dirs)" "${{image:-$(setting kubernetes.container.image)}}" \\
    "$class_path:$INTERNAL_HADOOP_CLASSPATHS"
printf '\\0%s' "${TOOL_OPTIONS}" "${LAUNCHER_OPTIONS}" "${LAST_OPTIONS}"
printf '\\0%s' "$(server "$FLINK_ENV_JAVA_OPTS_JM")" "$(server "$FLINK_ENV_JAVA_OPTS_TM")" \\
    "$(printf '%s\\n' $JVM_ARGS $client)"
"""


@dataclass(frozen=True)
class Launch:
    """What the scripts would start, by role the words of options that they would give it.

    ``class_path`` is the whole one of such a process, as single jars and folders. ``yarn_folders``
    and ``kubernetes_image`` are where clusters of these kinds take Flink from instead, as the
    configuration names them; empty where it does not. ``user`` is who has to run all of it, None
    for the user that this process has. ``variables`` are the environment's options, which every
    JVM takes by itself.
    """

    java: str
    class_path: tuple[Path, ...]
    options: Mapping[str, tuple[str, ...]]
    yarn_folders: str = ""
    kubernetes_image: str = ""
    user: User | None = None
    variables: Mapping[str, str] = field(default_factory=dict)

    def in_effect(self, role: str) -> Iterator[tuple[str, str]]:
        """Every option of a role with the variable that it is from, if any; the last one counts."""
        return in_effect(self.options[role], self.variables)

    @property
    def in_variables(self) -> tuple[str, ...]:
        """The options that no script gives."""
        return tuple(word for text in self.variables.values() for word in words_of(text))

    def environment(
        self, own: Mapping[str, str], without: Collection[str] | None = None
    ) -> dict[str, str]:
        """The variables of a JVM that is started beside Flink's, with what it takes over of them.

        ``own`` are this process's. ``without`` are agents that are not started: all of them where
        nothing else is said.
        """
        out = agents(self.in_variables) if without is None else without
        texts = {name: text_taken_over(text, out) for name, text in self.variables.items()}
        return _with_options(environment_for(self.user, own), texts)

    def switch(self, role: str, name: str) -> Switch | None:
        """A property of ours as the role has it; None when it is not set."""
        begin = f"-D{name}="
        found = [each for each in self.in_effect(role) if each[0].startswith(begin)]
        return Switch(name, found[-1][0].removeprefix(begin), found[-1][1]) if found else None

    def switches(self, role: str) -> tuple[Switch, ...]:
        """All that are set."""
        found = (self.switch(role, name) for name in PROPERTIES)
        return tuple(each for each in found if each is not None)

    def off_by(self, role: str, family: str = STRINGS) -> Switch | None:
        """What switches a family off; None when nothing does."""
        for name in (MODE, property_of(family)):
            found = self.switch(role, name)
            if found is not None and found.value == "off":
                return found
        return None

    def switched_off(self) -> bool:
        """Whether strings are switched off for all roles."""
        return all(self.off_by(role) is not None for role in ROLES)

    def opens_strings(self, role: str, jdk: int) -> bool:
        """Whether ``java.lang`` is open to our classes."""
        words = [word for word, _ in self.in_effect(role)]
        return OPENS_JAVA_LANG in words or (jdk < 16 and "--illegal-access=deny" not in words)

    def compacts_strings(self, role: str) -> bool:
        """Whether the JVM keeps strings as bytes, which our classes need to look inside."""
        found = [w for w, _ in self.in_effect(role) if re.fullmatch(r"-XX:[+-]CompactStrings", w)]
        return not found or found[-1][4] == "+"


def ask_scripts(home: FlinkHome, environment: Mapping[str, str]) -> Launch:
    """Runs ``bin/config.sh`` of the installation, as each of its scripts does.

    Raises ``EnvironmentProblem`` when it does not answer, and as ``who_runs``.
    """
    given = {name: environment[name] for name in VARIABLES if name in environment}
    user = who_runs(home, environment)
    next_step = (
        f"Look at {', '.join((str(home.conf(environment)), 'FLINK_CONF_DIR', *given))} and"
        " JAVA_HOME; Flink would not start either."
    )
    variables = {name: opened(name, text, user) for name, text in given.items()}
    # What the scripts' own Java is not started with is no less told.
    quiet = {name: text_taken_over(t, agents(words_of(t))) for name, t in variables.items()}
    try:
        done = subprocess.run(
            ["bash", "-c", _ASK, str(home.folder / "bin" / "flink")],
            env=_with_options(environment_for(user, environment), quiet),
            stdin=subprocess.DEVNULL,
            capture_output=True,
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
    # As they are: to bash the end of a Windows line is a part of the word before it.
    printed, errors = (text.decode(errors="replace") for text in (done.stdout, done.stderr))
    _, found, answer = printed.rpartition(_MARK)
    if done.returncode != 0 or not found:
        words = (errors or printed).strip().splitlines() or ["no output"]
        why = printable(words[-1]).rstrip(".")
        raise EnvironmentProblem(
            f"{home.folder / 'bin/config.sh'} failed{_told(user)} ({why}).",
            next_step,
        )
    java, yarn_folders, image, class_path, *rest = answer.split("\0")
    if user is not None:
        _require_named_java(java, user, environment)
    entries = tuple(_entries(class_path))
    answered = zip(VARIABLES, rest, strict=False)
    given |= {name: text for name, text in answered if text != quiet.get(name, "")}
    options = {
        role: tuple(filter(None, re.split("[ \t\n]", words)))
        for role, words in zip(ROLES, rest[len(VARIABLES) :], strict=True)
    }
    if user is None:
        # What stands behind lib/ on the class path, and what options load, is known only now.
        words = (word for each in options.values() for word in (*each, *with_files(each, None)))
        more = (Path(shutil.which(java) or java), *entries, *files_of(tuple(words)))
        user = who_runs(home, environment, more)
    return Launch(
        java=java,
        class_path=entries,
        options={role: with_files(words, user) for role, words in options.items()},
        yarn_folders=printable(yarn_folders.strip()),
        kubernetes_image=printable(image.strip()),
        user=user,
        variables={name: opened(name, text, user) for name, text in given.items()},
    )


def _with_options(own: Mapping[str, str], texts: Mapping[str, str]) -> dict[str, str]:
    """These variables with other options, and with none that tells Log4j where to write."""
    kept = {k: v for k, v in own.items() if k not in VARIABLES and not k.startswith("LOG4J_")}
    return kept | {name: text for name, text in texts.items() if text}


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
