"""Gets whole Flink distributions and example jobs, which clusters in tests are started from.

``flink-dist`` is on no package registry except inside PyPI's ``apache-flink`` projects, so a
distribution is put together from the files that ``lines.toml`` pins::

    <cache>/flink-<version>/       bin, conf, lib, log, opt, plugins; appears complete or not at all
    <cache>/examples/<file>        example jobs

What is there is not fetched again. ``python3 -m flink_boost.flink.distribution [VERSION]``
fills the cache and prints the distribution's folder.
"""

from __future__ import annotations

import gzip
import shutil
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from flink_boost.base.errors import (
    BrokenData,
    EnvironmentProblem,
    FlinkBoostError,
    UsageProblem,
)
from flink_boost.base.files import sha256 as checksum_of
from flink_boost.flink.downloads import (
    CACHE,
    disk_problems,
    ensure_download,
    prepared_aside,
    publish_folder,
    run_checked,
    verify,
)
from flink_boost.flink.lines import (
    FOLDER_OF_JARS,
    Line,
    PinnedFile,
    default_line,
    find_line,
    load_lines,
)
from flink_boost.flink.pinned_maven import maven_command
from flink_boost.flink.releases import line_of, load_releases, served

# Newer releases of this plugin refuse the example jobs, because a parent POM of theirs is not
# published; this one fetches the single artefact without reading it.
_COPY_GOAL = "org.apache.maven.plugins:maven-dependency-plugin:2.10:copy"

_FOLDERS = ("bin", "conf", "lib", "opt", "plugins")
# Beside the errors of the two formats; KeyError is a name that a zip file does not have.
_NOT_WHOLE = (gzip.BadGzipFile, zlib.error, EOFError, KeyError)
LEGAL_TEXTS = ("LICENSE", "NOTICE")


def ensure_distribution(line: Line, cache: Path = CACHE) -> Path:
    """The folder of the line's complete distribution; fetched and unpacked when it is not there.

    Raises ``BrokenData`` for a file with another checksum or content than pinned (the file is
    deleted), ``EnvironmentProblem`` when the network or the disk does not let us.
    """
    target = cache / f"flink-{line.version}"
    if target.is_dir():
        return target
    with disk_problems(cache), prepared_aside(target) as aside:
        unpack_distribution(line, aside, cache)
        publish_folder(aside, target)
    return target


def unpack_distribution(line: Line, target: Path, cache: Path = CACHE) -> None:
    """Puts the line's complete distribution, from files that are verified anew, into a folder.

    Raises as ``ensure_distribution``, and ``OSError`` for what is wrong with ``target``.
    """
    if not line.distribution:
        raise EnvironmentProblem(
            f"lines.toml pins no distribution for Flink {line.version}.",
            f'Add [lines."{line.version}".distribution] to it.',
        )
    for archive in [ensure_download(pin, cache) for pin in line.distribution]:
        _unpack(archive, target)
    _complete(target, line)


def ensure_example(line: Line, name: str, cache: Path = CACHE) -> Path:
    """The jar of one of Flink's example jobs, for instance ``WordCount``.

    Raises ``BrokenData`` for another checksum than pinned, ``EnvironmentProblem`` when Maven
    cannot fetch it or the line has no such example.
    """
    if name not in line.examples:
        raise EnvironmentProblem(
            f"lines.toml pins no example job {name!r} for Flink {line.version}.",
            f"Choose one of: {', '.join(line.examples) or 'none'}.",
        )
    return ensure_artifact(line.examples[name], cache, classifier=name, folder="examples")


def ensure_artifact(
    pin: PinnedFile,
    cache: Path = CACHE,
    *,
    classifier: str = "",
    folder: str = "jars",
    group: str = "org.apache.flink",
) -> Path:
    """A jar on Maven Central, by default one of Flink's, kept in that folder of the cache.

    Raises ``BrokenData`` for another checksum than pinned (the file is deleted),
    ``EnvironmentProblem`` when Maven cannot fetch it.
    """
    jar = cache / folder / pin.file
    if not jar.is_file():
        with disk_problems(cache), prepared_aside(jar) as aside:
            _copy_artifact(pin, group, classifier, cache, aside)
            (aside / pin.file).replace(jar)
    verify(jar, pin)
    return jar


def ensure_release_jars(version: str, cache: Path = CACHE) -> list[Path]:
    """The jars of an official release that ``releases.toml`` pins, those that we patch.

    Raises ``UsageProblem`` for a release that was not looked at, and as ``ensure_artifact``.
    """
    release = load_releases().releases.get(version)
    if release is None:
        raise UsageProblem(
            f"releases.toml has no Flink {version}.", f"`flink-boost releases --look {version}`"
        )
    jars = []
    for name, checksum in release.jars.items():
        if name.startswith(FOLDER_OF_JARS):
            own = served(version, load_releases(), load_lines())[1]
            jars.append(ensure_jar_of_distribution(own, PurePosixPath(name).name, checksum, cache))
        else:
            pin = PinnedFile(name.removesuffix(f"-{version}.jar"), version, name, checksum)
            jars.append(ensure_artifact(pin, cache))
    return jars


def ensure_jar_of_distribution(line: Line, file: str, sha256: str, cache: Path = CACHE) -> Path:
    """A jar in ``lib/`` of the line's distribution.

    Raises ``BrokenData`` for one with another checksum, and as ``ensure_distribution``.
    """
    jar = ensure_distribution(line, cache) / FOLDER_OF_JARS / file
    if not jar.is_file() or checksum_of(jar) != sha256:
        raise BrokenData(
            f"{jar} is missing, or not the file that is pinned.",
            f"Delete {jar.parent.parent}, then run the command again.",
        )
    return jar


def find_jar_of_distribution(version: str, artefact: str, cache: Path = CACHE) -> Path | None:
    """A jar of a release, where its distribution is pinned and has it in ``lib/``.

    Raises as ``ensure_distribution``.
    """
    known, lines = load_releases(), load_lines()
    release = known.releases.get(version)
    line = lines.get(version)
    if line is None and release is not None and release.classes in lines:
        line = line_of(release, lines)
    if line is None or not line.distribution:
        return None
    jar = ensure_distribution(line, cache) / FOLDER_OF_JARS / f"{artefact}-{version}.jar"
    return jar if jar.is_file() else None


def _copy_artifact(pin: PinnedFile, group: str, classifier: str, cache: Path, folder: Path) -> None:
    run_checked(
        [
            # The jar itself is pinned, and is verified by its caller.
            *maven_command(cache, mode="known"),
            *(_COPY_GOAL, f"-DoutputDirectory={folder}"),
            f"-Dartifact={group}:{pin.project}:{pin.version}"
            + (f":jar:{classifier}" if classifier else ""),
        ],
        f"fetch {pin.file} with Maven",
        # Where there is no pom.xml: the project's own one needs a line to be read.
        folder,
    )


def unpack_legal_texts(line: Line, target: Path, cache: Path = CACHE) -> None:
    """Puts LICENSE, NOTICE and ``licenses/`` of the whole distribution into its folder.

    Where the packages have no LICENSE and NOTICE (1.9), those of ``flink-dist`` are taken. Raises
    as ``unpack_distribution``.
    """
    for pin in line.distribution:
        archive = ensure_download(pin, cache)
        if archive.suffix != ".whl":
            with _readable(archive), tarfile.open(archive, "r:gz") as package:
                for member in package:
                    inner = PurePosixPath(*PurePosixPath(member.name).parts[1:])
                    text = str(inner) in LEGAL_TEXTS or inner.match("deps/licenses/*")
                    if text and member.isfile() and ".." not in inner.parts:
                        place = str(inner).removeprefix("deps/")
                        package.extract(member.replace(name=place), target, filter="data")
    (dist,) = (target / "lib").glob("flink-dist*.jar")
    with _readable(dist), zipfile.ZipFile(dist) as jar:
        for name in LEGAL_TEXTS:
            if not (target / name).exists():
                (target / name).write_bytes(jar.read(f"META-INF/{name}"))


def _unpack(archive: Path, target: Path) -> None:
    """Adds the distribution's folders of a wheel or source package to ``target``."""
    with _readable(archive):
        if archive.suffix == ".whl":
            _unpack_wheel(archive, target)
        else:
            _unpack_source_package(archive, target)


@contextmanager
def _readable(archive: Path) -> Iterator[None]:
    """Turns what an archive that is not whole answers into a sentence."""
    try:
        yield
    except (tarfile.TarError, zipfile.BadZipFile, *_NOT_WHOLE) as error:
        raise BrokenData(
            f"{archive} cannot be unpacked ({error}).", "Delete it and run the command again."
        ) from error


def _unpack_wheel(archive: Path, target: Path) -> None:
    with zipfile.ZipFile(archive) as wheel:
        for member in wheel.infolist():
            place = _place(PurePosixPath(member.filename), depth=1, parent="pyflink")
            if place is not None and not member.is_dir():
                (target / place).parent.mkdir(parents=True, exist_ok=True)
                with wheel.open(member) as source, (target / place).open("wb") as file:
                    shutil.copyfileobj(source, file)


def _unpack_source_package(archive: Path, target: Path) -> None:
    with tarfile.open(archive, "r:gz") as package:
        for member in package:
            place = _place(PurePosixPath(member.name), depth=2, parent="deps")
            if place is not None and member.isfile():
                package.extract(member.replace(name=str(place)), target, filter="data")


def _place(path: PurePosixPath, depth: int, parent: str) -> PurePosixPath | None:
    """Where a member belongs in the distribution: the part of its path below ``parent``."""
    inner = path.parts[depth:]
    if path.parts[depth - 1 : depth] != (parent,) or ".." in inner or len(inner) < 2:
        return None
    return PurePosixPath(*inner) if inner[0] in _FOLDERS else None


def _complete(distribution: Path, line: Line) -> None:
    missing = [f for f in _FOLDERS if not (distribution / f).is_dir()]
    if not missing and not list((distribution / "lib").glob(f"flink-dist*-{line.version}.jar")):
        missing = ["lib/flink-dist"]
    if missing:
        raise BrokenData(
            f"The pinned files of Flink {line.version} do not hold {', '.join(missing)}.",
            f'Correct [lines."{line.version}".distribution] in lines.toml.',
        )
    for program in (distribution / "bin").iterdir():
        program.chmod(0o755)
    # Without it the daemons of Flink's scripts end without a word.
    (distribution / "log").mkdir()


def main(arguments: Sequence[str]) -> int:
    """Fills the cache for a line and prints the distribution's folder."""
    try:
        line = find_line(arguments[0] if arguments else default_line())
        folder = ensure_distribution(line)
        for name in line.examples:
            ensure_example(line, name)
    except FlinkBoostError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    sys.stdout.write(f"{folder}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
