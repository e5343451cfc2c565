"""Asks a real JVM about a class path that is not ``bin/flink``'s: whose classes come first on it.

A wildcard stands for its jars in no certain order, a jar's manifest may name more of them: the JVM
tells what it makes of both.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from flink_boost.base.errors import EnvironmentProblem, UsageProblem
from flink_boost.base.permissions import changers_of
from flink_boost.base.scratch import scratch_folder
from flink_boost.base.text import printable
from flink_boost.base.users import User, hand_over, user_of
from flink_boost.flink.dropin import require_undamaged
from flink_boost.flink.jdks import find_java
from flink_boost.flink.jvm_options import VARIABLES, text_taken_over, words_of, writing
from flink_boost.flink.option_files import opened
from flink_boost.flink.owner import all_behind, environment_for, java_files, option_files
from flink_boost.operate.asking_class import CLASS_NAME, MARK, UTF8, run_program, where_class
from flink_boost.operate.jvm_start import cause_in

GUARD = "org.apache.flink.boost.guard.VersionGuard"


@dataclass(frozen=True)
class GivenPath:
    """What a JVM makes of a class path.

    ``entries`` are its jars and folders in their order. ``copies`` are by class those that have it,
    the first of which counts, and ``origins`` where those classes were really loaded from. ``fits``
    and ``sentence`` are the guard's; empty where there is none, or more than one.
    """

    text: str
    java: str
    entries: tuple[Path, ...]
    copies: Mapping[str, tuple[Path, ...]]
    origins: Mapping[str, Path]
    fits: bool = False
    sentence: str = ""

    @property
    def wildcards(self) -> tuple[Path, ...]:
        """The folders whose jars it takes in no certain order."""
        named = (Path(entry) for entry in self.text.split(os.pathsep))
        return tuple(entry.parent.absolute() for entry in named if entry.name == "*")


def ask_path(text: str, names: Sequence[str], environment: Mapping[str, str]) -> GivenPath:
    """Asks the Java of ``JAVA_HOME``, or on the ``PATH``, about those classes.

    ``text`` is what ``java -cp`` takes. Raises ``UsageProblem`` for what is none, and
    ``EnvironmentProblem`` when that Java does not answer or root is not to run it, and
    ``BrokenData`` when it does not because our jar is damaged.
    """
    if not text or text.startswith("@"):
        raise UsageProblem(
            "A class path is folders and jars with colons between them, not empty and no @file.",
            "Write it as behind `java -cp`, in quotes: --classpath 'lib/*'.",
        )
    java = find_java(None, environment)
    user = _who_runs(text, java, environment)
    if user is not None:
        # Another user's program starts in another folder.
        text = os.pathsep.join(str(Path(entry).absolute()) for entry in text.split(os.pathsep))
    asked = (GUARD, *names)
    files = [f"{name.replace('.', '/')}.class" for name in asked]
    lines = _printed(where_class(files), len(files), text, java, user, environment)
    copies = {
        name: tuple(_places(line, file))
        for name, file, line in zip(asked, files, lines, strict=False)
    }
    there = [name for name in names if copies[name]]
    guard = len(copies[GUARD]) == 1
    program = where_class((), there, guard=guard)
    try:
        least = len(there) + (3 if guard else 0)
        lines = _printed(program, least, text, java, user, environment)
    except EnvironmentProblem:
        # A class of ours that is damaged keeps the JVM from telling anything.
        for place in filter(Path.is_file, copies[GUARD]):
            require_undamaged(place)
        raise
    # The verdict comes first, also on a process that is switched off.
    (fits, _, sentence), lines = (lines[:3], lines[3:]) if guard else (("", "", ""), lines)
    origins = {name: _path(line) for name, line in zip(there, lines, strict=False)}
    # The last entry is the program.
    whole = lines[len(there)]
    entries = tuple(Path(entry) for entry in whole.split(os.pathsep)[:-1])
    return GivenPath(text, java, entries, copies, origins, fits == "true", sentence)


def _printed(
    class_file: bytes,
    least: int,
    text: str,
    java: str,
    user: User | None,
    environment: Mapping[str, str],
) -> list[str]:
    """What that program tells, more than ``least`` lines.

    A JVM and its agents may print whatever they like between these.
    """
    next_step = "Look at JAVA_HOME, and at the jars that it names."
    with scratch_folder(user) as folder:
        program = folder / "program"
        program.mkdir()
        (program / f"{CLASS_NAME}.class").write_bytes(class_file)
        hand_over(program, user)
        class_path = os.pathsep.join((text, str(program)))
        try:
            behind = _harmless(environment_for(user, environment), user)
            done = run_program(java, UTF8, class_path, behind, user)
        except (OSError, subprocess.SubprocessError) as error:
            raise EnvironmentProblem(f"{java} does not run ({error}).", next_step) from error
    told = [line.partition(MARK) for line in done.stdout.splitlines()]
    lines = [printable(line) for _, found, line in told if found]
    if done.returncode != 0 or len(lines) <= least:
        raise EnvironmentProblem(
            f"{java} did not tell what is on the class path"
            f" ({cause_in(f'{done.stderr}{done.stdout}')}).",
            next_step,
        )
    return lines


def _places(line: str, file: str) -> Iterator[Path]:
    """The jars and folders of a list of addresses, which have no spaces."""
    for address in line.removeprefix("[").removesuffix("]").split(", "):
        if address:
            place = address.removeprefix("jar:").removesuffix(file).removesuffix("!/")
            yield _path(place)


def _path(address: str) -> Path:
    return Path(unquote(urlsplit(address).path))


def _who_runs(text: str, java: str, environment: Mapping[str, str]) -> User | None:
    """Whom root starts it as: nobody else where root alone can change what is run."""
    if os.geteuid() != 0:
        return None
    found = shutil.which(java, path=environment.get("PATH", os.defpath))
    programs = java_files(Path(found)) if found else ()
    changers = changers_of((*programs, *option_files(environment), *all_behind(_files(text))))
    if not changers:
        return None
    users = [uid for uid in changers if uid is not None]
    if len(users) != len(changers) or len(users) != 1:
        listed = ", ".join(str(path) for path in changers.values())
        raise EnvironmentProblem(
            f"Root does not run what other users can change: {listed}.",
            "Run this as the user whose program has that class path: `sudo -u USER flink-boost …`.",
        )
    (uid,) = users
    return user_of(uid, changers[uid].lstat().st_gid)


def _files(text: str) -> Iterator[Path]:
    for entry in map(Path, text.split(os.pathsep)):
        yield entry
        if entry.name == "*":
            yield from entry.parent.glob("*.[jJ][aA][rR]")


def _harmless(environment: Mapping[str, str], user: User | None) -> dict[str, str]:
    """Without options that write where a running program does, or take its ports."""
    kept = dict(environment)
    for name in VARIABLES:
        if name in kept:
            text = opened(name, kept[name], user)
            kept[name] = text_taken_over(text, writing(words_of(text)))
    return kept
