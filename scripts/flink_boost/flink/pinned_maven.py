"""Runs Maven so that only files whose SHA-256 the repository knows take part in a build.

Maven's own resolver does the check, for plugins, jars and POMs, fetched and cached: its "trusted
checksums", recorded in ``.mvn/checksums/checksums.sha256`` by ``make checksums``. It needs Maven
3.9, so a pinned one is fetched, by the machine's Maven of any version and its settings::

    <cache>/apache-maven-<version>/     appears complete or not at all

What is not recorded stops the build, unless ``FLINK_BOOST_CHECKSUMS`` says otherwise: ``known``
checks only what is recorded, for a release that is being added; ``record`` adds to
``build/checksums/new``, a record that is being made.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import tarfile
import zlib
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from flink_boost.base.commands import run_captured
from flink_boost.base.errors import BrokenData, EnvironmentProblem, UsageProblem
from flink_boost.base.places import CARRIED, PROJECT_ROOT
from flink_boost.flink.downloads import (
    CACHE,
    disk_problems,
    prepared_aside,
    publish_folder,
    run_checked,
    verify,
)
from flink_boost.flink.lines import PinnedFile

PIN = PinnedFile(
    "apache-maven",
    "3.9.16",
    "apache-maven-3.9.16-bin.tar.gz",
    "80ffca22aed9e8b9713a232f3394fd81d7f20322df75efdb2b047dbd3e3a23bb",
)
CHECKSUMS = PROJECT_ROOT / ".mvn" / "checksums"
# `make checksums` puts what is recorded here in the place of the old record when it is whole.
NEW_CHECKSUMS = PROJECT_ROOT / "build" / "checksums" / "new"
MODE_VARIABLE = "FLINK_BOOST_CHECKSUMS"

_CHECKS = ("verify", "known", "record")
_VERSION_SECONDS = 60.0
_SOURCE = PROJECT_ROOT / "scripts" / "fetch-maven" / "FetchMaven.java"
_CLASS = "org.flinkboost.fetchmaven.FetchMaven"
_FILE_SOURCE = "-Daether.trustedChecksumsSource.summaryFile"
_CHECK = "-Daether.artifactResolver.postProcessor.trustedChecksums"
_EMPTY_POM = """\
<project><modelVersion>4.0.0</modelVersion><groupId>org.flinkboost</groupId>
<artifactId>fetch-maven</artifactId><version>1</version><packaging>pom</packaging></project>
"""


def maven_command(
    cache: Path = CACHE,
    *,
    mode: str | None = None,
    checksums: Path | None = None,
    environment: Mapping[str, str] = os.environ,
) -> list[str]:
    """The program and the options that every call has; ``cache`` holds the local repository.

    ``mode`` is one of those in the module's text, by default what the environment says; recording
    is said there only. Raises as ``ensure_maven``, and ``UsageProblem`` for another mode.
    """
    if CARRIED.is_dir():
        # An operator's wheel has no source tree; the single jars that it fetches are pinned.
        return ["mvn", *_common(cache)]
    asked = environment.get(MODE_VARIABLE) or "verify"
    mode = mode if mode and asked != "record" else asked
    if mode not in _CHECKS:
        raise UsageProblem(f"{MODE_VARIABLE} is {mode!r}.", f"Choose one of: {', '.join(_CHECKS)}.")
    folder = checksums or (NEW_CHECKSUMS if mode == "record" else CHECKSUMS)
    return [
        str(ensure_maven()),
        *_common(cache),
        f"{_FILE_SOURCE}=true",
        f"{_FILE_SOURCE}.basedir={folder}",
        # One file, whatever the machine calls the mirror that it has.
        f"{_FILE_SOURCE}.originAware=false",
        f"{_CHECK}=true",
        f"{_CHECK}.checksumAlgorithms=SHA-256",
        f"{_CHECK}.failIfMissing={'true' if mode == 'verify' else 'false'}",
        f"{_CHECK}.record={'true' if mode == 'record' else 'false'}",
    ]


def _common(cache: Path) -> tuple[str, ...]:
    # -C: what is not recorded has at least the checksum that the registry says.
    return ("-B", "-ntp", "-C", f"-Dmaven.repo.local={cache / 'm2'}")


def ensure_maven(cache: Path = CACHE, pin: PinnedFile = PIN) -> Path:
    """The program of the pinned Maven; fetched and unpacked when it is not there.

    Raises ``EnvironmentProblem`` when the machine has no Maven or JDK, or no network,
    ``BrokenData`` for a file with another checksum.
    """
    home = cache / f"{pin.project}-{pin.version}"
    program = home / "bin" / "mvn"
    if program.is_file():
        return program
    archive = cache / "downloads" / pin.file
    with disk_problems(cache):
        if not archive.is_file():
            with prepared_aside(archive) as aside:
                _fetch(pin, aside)
                (aside / pin.file).replace(archive)
        verify(archive, pin)
        with prepared_aside(home) as aside:
            _unpack(archive, aside)
            publish_folder(aside, home)
    return program


def _fetch(pin: PinnedFile, folder: Path) -> None:
    classes = folder / "classes"
    index = classes / "META-INF" / "sisu" / "javax.inject.Named"
    index.parent.mkdir(parents=True)
    index.write_text(f"{_CLASS}\n", encoding="ascii")
    (folder / "pom.xml").write_text(_EMPTY_POM, encoding="ascii")
    # Java 8: the Maven of the machine may be one that reads no newer classes.
    run_checked(
        [
            *("javac", "--release", "8", "-Xlint:-options", "-proc:none", "-d", str(classes)),
            *("-cp", str(_machines_maven() / "lib" / "*"), str(_SOURCE)),
        ],
        "compile what fetches Maven",
    )
    run_checked(
        [
            *("mvn", "-B", "-ntp", "-C", "-q", f"-Dmaven.repo.local={folder / 'm2'}"),
            f"-Dmaven.ext.class.path={classes}",
            f"-Dfetch.artifact=org.apache.maven:{pin.project}:tar.gz:bin:{pin.version}",
            *(f"-Dfetch.target={folder / pin.file}", "validate"),
        ],
        f"fetch Maven {pin.version} with Maven",
        folder,
    )
    verify(folder / pin.file, pin)


def _machines_maven() -> Path:
    """The home of the ``mvn`` on the ``PATH``."""
    done = run_captured(
        ["mvn", "-B", "--version"],
        _VERSION_SECONDS,
        # In no project: Java cannot open a folder with letters beyond ASCII in this locale.
        folder=Path("/"),
        environment={**os.environ, "LC_ALL": "C"},
        install="Install Maven 3.8 (Debian 12: apt-get install maven).",
    )
    found = re.search(r"^Maven home: (.+)$", done.stdout, re.MULTILINE)
    if found is None:
        raise EnvironmentProblem("mvn --version does not say where it is.", "Install Maven 3.8.")
    return Path(found[1].strip())


def _unpack(archive: Path, home: Path) -> None:
    try:
        with tarfile.open(archive) as members:
            for member in members:
                path = PurePosixPath(*PurePosixPath(member.name).parts[1:])
                content = members.extractfile(member) if member.isfile() else None
                if content is None or ".." in path.parts:
                    continue
                file = home / path
                file.parent.mkdir(parents=True, exist_ok=True)
                with file.open("wb") as target:
                    shutil.copyfileobj(content, target)
                file.chmod(0o755 if member.mode & stat.S_IXUSR else 0o644)
    except (tarfile.TarError, zlib.error, EOFError) as error:
        raise BrokenData(
            f"{archive} cannot be unpacked ({error}).", "Delete it and run the command again."
        ) from error
