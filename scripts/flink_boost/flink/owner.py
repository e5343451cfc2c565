"""Decides as which user root runs what an installation names: its scripts, its Java.

Whoever may change one of these files would otherwise be root by the next call of ``doctor``. So
root runs them as root only where nobody else can change anything that decides what is run. Else
they run as the owner of the installation, or, where that is root, as the one other user who can
change something. Where there is no such user, or this process cannot become one, nothing is run.
"""

from __future__ import annotations

import os
import re
import shutil
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

from flink_boost.base.errors import EnvironmentProblem
from flink_boost.base.permissions import changers_of
from flink_boost.base.processes import bare_environment
from flink_boost.base.users import User, may, user_of
from flink_boost.flink.dropin import reading_zip
from flink_boost.flink.home import CONFIGURATIONS, FileNow, FlinkHome
from flink_boost.flink.jvm_options import VARIABLES, files_of, words_of
from flink_boost.flink.option_files import opened

# What processes of Flink take their code and their options from.
_PARTS = ("bin", "opt", "plugins")
# As bin/config.sh reads it, with dots that stand for any character.
_JAVA_HOME = re.compile(r"^ *env.java.home *: ([^#]*)", re.MULTILINE)
_SHOWN = 3

# Beside what every program needs: by these Flink's scripts and a JVM are set.
_FLINKS = ("FLINK_", "HADOOP_", "HBASE_", "YARN_", "JAVA_", "JDK_JAVA_", "_JAVA_", "JVM_ARGS")
_ROOTS_OWN = frozenset({"TEMP", "TMP", "TMPDIR"})
# Javas before 22 read the second one, too. They take the first one in any case of its letters.
_MANIFEST, _INDEX = "META-INF/MANIFEST.MF", "META-INF/INDEX.LIST"
# The second one is an agent's.
_NAMED = re.compile(r"^(?:Boot-)?Class-Path: *(.*)$", re.IGNORECASE | re.MULTILINE)
_CONTINUED = re.compile(r"(?:\r\n|\r|\n) ")
_PATH_ONLY = ("", "")


def who_runs(
    home: FlinkHome, environment: Mapping[str, str], more: Iterable[Path] = ()
) -> User | None:
    """The user to run an installation's programs as; None for the user that this process has.

    ``more`` is run as well, beside what is in the installation. Raises ``EnvironmentProblem`` where
    nothing is to be run.
    """
    if os.geteuid() != 0:
        return None
    return _other_than_root(home, (*_all_that_counts(home, environment), *all_behind(more)))


def option_files(environment: Mapping[str, str]) -> Iterator[Path]:
    """The files that every JVM runs code from by the environment's options, also those in files.

    Raises ``EnvironmentProblem`` for a file of options that cannot be read.
    """
    for name in VARIABLES:
        text = environment.get(name, "")
        words = (*words_of(text), *words_of(opened(name, text, None)))
        yield from all_behind(files_of(words))


def java_files(java: Path) -> Iterator[Path]:
    """A Java's program, and its libraries: the program is not all that a Java is."""
    yield java
    for libraries in (java.resolve().parent.parent / name for name in ("lib", "jre/lib")):
        # Not /usr/lib, for a script in /usr/bin.
        if (libraries / "server" / "libjvm.so").exists() or (libraries / "rt.jar").exists():
            yield from _all_in(libraries)


def all_behind(entries: Iterable[Path]) -> Iterator[Path]:
    """Jars and folders with what a JVM takes code from by them: files inside, jars that they name.

    What others can change is not opened; it decides already. Raises ``EnvironmentProblem`` for a
    jar that names what cannot be looked at.
    """
    rest, seen = [*entries], set[Path]()
    while rest:
        entry = rest.pop()
        if entry in seen:
            continue
        seen.add(entry)
        yield entry
        if entry.is_dir():
            yield from _all_in(entry)
        elif not changers_of([entry]):
            rest += named_jars(entry)


def environment_for(user: User | None, environment: Mapping[str, str]) -> dict[str, str]:
    """The variables for a program of that user: none of root's but those that Flink goes by."""
    if user is None:
        return dict(environment)
    kept = {name: value for name, value in environment.items() if name.startswith(_FLINKS)}
    usual = bare_environment(environment)
    own = {"HOME": user.home, "USER": user.name, "LOGNAME": user.name}
    return {k: v for k, v in {**usual, **kept, **own}.items() if k not in _ROOTS_OWN}


def _other_than_root(home: FlinkHome, paths: Iterable[Path]) -> User | None:
    changers = changers_of(paths)
    if not changers:
        return None
    owner = home.folder.stat()
    users = {owner.st_uid} - {0} or {uid for uid in changers if uid is not None}
    if len(users) != 1:
        raise EnvironmentProblem(
            f"Root does not run what other users can change: {_listed(changers)}.",
            "Run this as the user whom Flink runs as (`sudo -u USER flink-boost …`), or let root"
            " alone write there.",
        )
    (uid,) = users
    gid = owner.st_gid if uid == owner.st_uid else changers[uid].lstat().st_gid
    user = user_of(uid, gid)
    _require_possible(home, user, changers)
    return user


def _require_possible(home: FlinkHome, user: User, changers: Mapping[int | None, Path]) -> None:
    script = home.folder / "bin" / "config.sh"
    next_step = f"Run this as the user whose it is: `sudo -u '{user.name}' flink-boost …`."
    try:
        if may(user, "-r", script):
            return
        why = f"{user.name} may not read {script}"
        # As tar leaves it when root unpacks an archive in a folder of root's own.
        next_step = f"Where Flink runs as root, give it to root: `chown -R root: {home.quoted}`."
    except OSError as error:
        why = f"this process cannot become {user.name} ({error.strerror})"
    raise EnvironmentProblem(
        f"Root does not run what other users can change, {_listed(changers)}; and {why}.", next_step
    )


def _listed(changers: Mapping[int | None, Path]) -> str:
    named = [
        f"{path} (by {'a group or everybody' if uid is None else user_of(uid, uid).name})"
        for uid, path in changers.items()
    ]
    return ", ".join(named[:_SHOWN])


def _all_that_counts(home: FlinkHome, environment: Mapping[str, str]) -> Iterator[Path]:
    """What decides what the scripts start, with the Java that they would start themselves."""
    conf = home.conf(environment)
    lib = Path(environment.get("FLINK_LIB_DIR") or home.lib)
    yield home.folder
    for folder in (conf, lib, *(home.folder / name for name in _PARTS)):
        yield folder
        yield from _all_in(folder)
    # The scripts start a Java with some of these before they tell the class path.
    for folder in (lib, home.folder / "bin"):
        yield from all_behind(folder.glob("*.jar"))
    yield from option_files(environment)
    yield from _javas(conf, environment)


def _all_in(folder: Path) -> Iterator[Path]:
    """What is below a folder, also behind links that root alone can turn elsewhere."""
    seen = set()
    for at, folders, files in os.walk(folder, followlinks=True):
        yield from (Path(at, name) for name in (*folders, *files))
        if (real := os.path.realpath(at)) in seen:
            folders.clear()
        seen.add(real)
        links = [name for name in folders if Path(at, name).is_symlink()]
        for name in links:
            if changers_of([Path(at, name)]):
                folders.remove(name)


def _javas(conf: Path, environment: Mapping[str, str]) -> Iterator[Path]:
    named = []
    for name in CONFIGURATIONS:
        # A pipe of that name would let us wait for its writer.
        if (conf / name).is_file():
            text = (conf / name).read_text(errors="replace")
            named += [found.strip() for found in _JAVA_HOME.findall(text)]
    if environment.get("JAVA_HOME"):
        named.append(environment["JAVA_HOME"])
    on_path = shutil.which("java", path=environment.get("PATH", os.defpath))
    javas = [Path(folder, "bin", "java") for folder in named if folder]
    for java in javas or ([Path(on_path)] if on_path else []):
        yield from java_files(java)


def named_jars(jar: Path) -> Iterator[Path]:
    """The jars and folders that its manifest and its index name, none for a file that is no jar.

    Raises ``EnvironmentProblem`` for an address that is no file's.
    """
    for address in _addresses(jar):
        parts = urlsplit(address)
        if (
            parts.scheme not in ("", "file")
            or parts.netloc not in ("", "localhost")
            or (parts.query, parts.fragment) != _PATH_ONLY
        ):
            raise EnvironmentProblem(
                f"Root runs no {jar}, whose manifest names {address}: what that is cannot be seen"
                " from here.",
                "Run this as the user whose program it is: `sudo -u USER flink-boost …`.",
            )
        # A JVM goes by where a link leads to, but not for a jar that another jar names.
        for folder in {jar.parent, jar.resolve().parent}:
            yield folder / unquote(parts.path)


def _addresses(jar: Path) -> tuple[str, ...]:
    try:
        return _addresses_in(FileNow.of(jar)) if jar.is_file() else ()
    except (zipfile.BadZipFile, OSError):
        return ()


@lru_cache(maxsize=256)
def _addresses_in(jar: FileNow) -> tuple[str, ...]:
    found: list[str] = []
    with reading_zip(), zipfile.ZipFile(jar.path) as archive:
        for name in archive.namelist():
            if name.upper() == _MANIFEST:
                lines = _CONTINUED.sub("", archive.read(name).decode(errors="replace"))
                for value in _NAMED.findall("\n".join(lines.splitlines())):
                    found += value.split()
            elif name.upper() == _INDEX:
                lines = archive.read(name).decode(errors="replace")
                found += (line for line in lines.splitlines() if line.endswith(".jar"))
    return tuple(found)
