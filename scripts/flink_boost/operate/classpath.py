"""Compares the class path that an installation's scripts make with what should be on it.

It says beforehand what the guard says when Flink starts, which looks at the same jars.
"""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from flink_boost.base.errors import EnvironmentProblem, SeveralDropIns, VerificationFailed
from flink_boost.flink.dropin import DropIn, reading_zip, table_of_contents
from flink_boost.flink.home import FlinkHome, is_dist, opened
from flink_boost.flink.launch import Launch

_VARIABLE = "FLINK_LIB_DIR"

# The class by which the guard counts jars of ours.
_GUARD = "org.apache.flink.boost.guard.VersionGuard"


@dataclass(frozen=True)
class Copy:
    """A class file on the class path; ``jar`` may be a folder."""

    class_name: str
    jar: Path
    sha256: str


def require_own_jars(home: FlinkHome, launch: Launch, environment: Mapping[str, str]) -> None:
    """Raises ``EnvironmentProblem`` when the scripts take their jars from elsewhere than ``lib/``.

    The variable ``FLINK_LIB_DIR`` makes them do so.
    """
    own = home.lib.resolve()
    if any(is_dist(jar) and jar.parent.resolve() == own for jar in launch.class_path):
        return
    other = next((str(jar.parent) for jar in launch.class_path if is_dist(jar)), "elsewhere")
    named = environment.get(_VARIABLE)
    cause = f"{_VARIABLE} is {named}" if named else f"something sets {_VARIABLE}"
    raise EnvironmentProblem(
        f"{cause}: the scripts of {home.folder} take their jars from {other}, so that none in"
        f" {home.lib} is used.",
        f"Unset {_VARIABLE}, or name the installation whose lib/ that is."
        if named
        else f"Look for {_VARIABLE} in bin/config.sh and what it reads.",
    )


def require_in_effect(launch: Launch, ours: DropIn) -> str:
    """Why our classes of strings are not all in effect, where that keeps no process from starting.

    That is so when every role is switched off; the sentence is empty when nothing stands before
    them. Of other families the guard tells. Raises ``SeveralDropIns`` for a second jar of ours on
    the class path, and ``VerificationFailed`` where a process would refuse to start or run stock's
    code unasked.
    """
    own = _real(ours.path)
    places = [_real(entry) for entry in launch.class_path]
    if own not in places:
        raise VerificationFailed(
            f"{ours.path} is not on the class path that the scripts make: stock's code runs.",
            "Look at bin/config.sh of the installation.",
        )
    place = places.index(own)
    in_front: list[Copy] = []
    for position, (entry, real) in enumerate(zip(launch.class_path, places, strict=True)):
        copies = [] if real == own else _copies(entry, (_GUARD, *ours.strings))
        for copy in copies:
            _require_fitting(copy, ours)
        in_front += copies if position < place else []
    return _shadowed(in_front, ours, launch) if in_front else ""


def require_place(
    home: FlinkHome, target: Path, classes: Mapping[str, str], replaced: Collection[Path]
) -> None:
    """Whether our jar for those ``classes``, of strings, is in effect at ``target`` in ``lib/``.

    The ``replaced`` jars are those that leave for it, some of which nothing can be read of.
    Raises ``VerificationFailed`` for a jar of somebody else's there that has another such class, or
    the same one in front of ours. The scripts find jars below ``lib/`` too, and sort their paths.
    """
    for jar in sorted(home.lib.rglob("*.jar"), key=str):
        if is_dist(jar) or jar in replaced or _copies(jar, (_GUARD,)):
            continue
        copies = _copies(jar, tuple(classes))
        clean = f"Nothing was changed. Take Flink's classes out of {jar}, then install again."
        for copy in copies:
            if copy.sha256 != classes[copy.class_name]:
                raise VerificationFailed(
                    f"{jar} has a {copy.class_name} that is not the one which {target.name}"
                    " replaces: with it no process of this Flink would start.",
                    clean,
                )
        if copies and str(jar) < str(target):
            effect = (
                "stock's code would run"
                if len(copies) == len(classes)
                else "no process of this Flink would start"
            )
            raise VerificationFailed(
                f"{jar} has {copies[0].class_name} and would stand before {target.name} on the"
                f" class path: {effect}.",
                clean,
            )


def _require_fitting(copy: Copy, ours: DropIn) -> None:
    """A process does not start with either of these, switched off or not."""
    if copy.class_name == _GUARD:
        raise SeveralDropIns(
            f"More than one flink-boost jar is on the class path, {ours.path} and {copy.jar}: no"
            " process of this Flink will start.",
            f"Take {copy.jar} off it; HADOOP_CLASSPATH and FLINK_LIB_DIR are where to look.",
        )
    if not ours.accepts(copy.class_name, copy.sha256):
        raise VerificationFailed(
            f"{copy.jar} has a {copy.class_name} that is not the one which {ours.path} replaces: no"
            " process of this Flink will start.",
            f"Take Flink's classes out of {copy.jar}.",
        )


def _shadowed(in_front: Sequence[Copy], ours: DropIn, launch: Launch) -> str:
    first = in_front[0]
    before = f"{first.jar} stands before {ours.path} on the class path"
    clean = f"Take Flink's classes out of {first.jar}"
    if {copy.class_name for copy in in_front} == set(ours.strings):
        text = f"{before} and brings the classes that it replaces: stock's code runs"
        if launch.switched_off():
            return f"{text}, as it does switched off."
        raise VerificationFailed(f"{text}.", f"{clean}.")
    text = f"{before} and its class {first.class_name} is not patched"
    if launch.switched_off():
        return f"{text}: Flink starts, because ours is switched off, and stock's code runs."
    inside = is_dist(ours.path)
    undo = f"put the original {ours.path} back" if inside else "run `flink-boost uninstall`"
    raise VerificationFailed(
        f"{text}: no process of this Flink will start, unless ours is switched off.",
        f"{clean}, or {undo}.",
    )


def _copies(entry: Path, classes: Sequence[str]) -> list[Copy]:
    """The class files of those names in a jar or folder.

    What is neither, or may not be read, has none, as for a JVM.
    """
    files = {f"{name.replace('.', '/')}.class": name for name in classes}
    try:
        if entry.is_dir():
            found = {name: entry / file for file, name in files.items() if (entry / file).is_file()}
            return [
                Copy(name, entry, hashlib.sha256(file.read_bytes()).hexdigest())
                for name, file in found.items()
            ]
        contents = table_of_contents(entry)
        if not any(file.encode() in contents for file in files):
            return []
        with reading_zip():
            archive = opened(entry)
            return [
                Copy(name, entry, hashlib.sha256(archive.read(file)).hexdigest())
                for file, name in files.items()
                if file in archive.NameToInfo
            ]
    except (zipfile.BadZipFile, OSError):
        return []


def _real(entry: Path) -> str:
    """The file behind all links, by which a JVM tells the entries of its class path apart."""
    return os.path.realpath(entry)
