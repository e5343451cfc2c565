"""Gets whole Flink distributions and example jobs, which clusters in tests are started from.

``flink-dist`` is on no package registry except inside PyPI's ``apache-flink`` projects, so a
distribution is put together from the files that ``lines.toml`` pins (DESIGN §3)::

    <cache>/downloads/<file>       as published, checksum verified
    <cache>/flink-<version>/       bin, conf, lib, log, opt, plugins; appears complete or not at all
    <cache>/examples/<file>        example jobs
    <cache>/pip-tools/             a virtual environment that can read old source packages

What is there is not fetched again. ``python3 -m flink_boost.distribution [VERSION]`` fills the
cache and prints the distribution's folder.
"""

from __future__ import annotations

import errno
import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from flink_boost.errors import BrokenData, EnvironmentProblem, FlinkBoostError
from flink_boost.lines import PROJECT_ROOT, Line, PinnedFile, default_line, find_line

CACHE = PROJECT_ROOT / ".cache"

_DOWNLOAD_SECONDS = 1800
_SET_UP_SECONDS = 300

# Flink's source packages do not build their metadata with newer releases of setuptools; pip is
# pinned because it resumes broken downloads from version 25.1 on.
_PIP_TOOLS = """\
pip==25.3 --hash=sha256:9655943313a94722b7774661c21049070f6bbb0a1516bf02f7c8d5d9201514cd
setuptools==65.7.0 --hash=sha256:8ab4f1dbf2b4a65f7eec5ad0c620e84c34111a68d3349833494b9088212214dd
wheel==0.45.1 --hash=sha256:708e7481cc80179af0e556bbf0cc00b8444c7321e2700b8d8580231d13017248
"""

# Newer releases of this plugin refuse the example jobs, because a parent POM of theirs is not
# published; this one fetches the single artefact without reading it.
_COPY_GOAL = "org.apache.maven.plugins:maven-dependency-plugin:2.10:copy"

_FOLDERS = ("bin", "conf", "lib", "opt", "plugins")


def ensure_distribution(line: Line, cache: Path = CACHE) -> Path:
    """The folder of the line's complete distribution; fetched and unpacked when it is not there.

    Raises ``BrokenData`` for a file with another checksum or content than pinned (the file is
    deleted), ``EnvironmentProblem`` when the network or the disk does not let us.
    """
    target = cache / f"flink-{line.version}"
    if target.is_dir():
        return target
    if not line.distribution:
        raise EnvironmentProblem(
            f"lines.toml pins no distribution for Flink {line.version}.",
            f'Add [lines."{line.version}".distribution] to it.',
        )
    archives = [_ensure_download(pin, cache) for pin in line.distribution]
    with _disk_problems(cache), _aside(target) as aside:
        for archive in archives:
            _unpack(archive, aside)
        _complete(aside, line)
        _publish(aside, target)
    return target


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
    pin: PinnedFile, cache: Path = CACHE, *, classifier: str = "", folder: str = "jars"
) -> Path:
    """A jar of Flink's on Maven Central, kept in that folder of the cache.

    Raises ``BrokenData`` for another checksum than pinned (the file is deleted),
    ``EnvironmentProblem`` when Maven cannot fetch it.
    """
    jar = cache / folder / pin.file
    if not jar.is_file():
        with _disk_problems(cache), _aside(jar) as aside:
            _copy_artifact(pin, classifier, cache, aside)
            (aside / pin.file).replace(jar)
    verify(jar, pin)
    return jar


def private_copy(distribution: Path, target: Path) -> Path:
    """A copy that a test may change: programs linked, ``conf`` copied, ``log`` and ``tmp`` empty.

    To change a linked file, delete it first: its content belongs to the cache. Returns ``target``,
    which must not exist.
    """
    for folder in ("bin", "lib", "opt", "plugins"):
        shutil.copytree(distribution / folder, target / folder, copy_function=_link)
    shutil.copytree(distribution / "conf", target / "conf")
    (target / "log").mkdir()
    (target / "tmp").mkdir()
    return target


def verify(file: Path, pin: PinnedFile) -> None:
    """Compares SHA-256; a file that differs is deleted and ``BrokenData`` raised."""
    with file.open("rb") as content:
        found = hashlib.file_digest(content, "sha256").hexdigest()
    if found != pin.sha256:
        file.unlink()
        raise _wrong_checksum(pin, found)


def _wrong_checksum(pin: PinnedFile, found: str) -> BrokenData:
    return BrokenData(
        f"{pin.file} has SHA-256 {found} instead of the pinned {pin.sha256}; the file was deleted.",
        "Run the command again to fetch it anew; if that fails too, do not trust the source.",
    )


def _ensure_download(pin: PinnedFile, cache: Path) -> Path:
    file = cache / "downloads" / pin.file
    if not file.is_file():
        python = _ensure_pip_tools(cache)
        with _disk_problems(cache), _aside(file) as aside:
            _pip_download(pin, python, aside)
            (aside / pin.file).replace(file)
    verify(file, pin)
    return file


def _pip_download(pin: PinnedFile, python: Path, folder: Path) -> None:
    # The checksum goes to pip as well: it runs the set-up script of a source package to learn its
    # name, and that must not happen before the package is known to be the right one.
    requirements = folder / "requirements.txt"
    requirements.write_text(f"{pin.project}=={pin.version} --hash=sha256:{pin.sha256}\n")
    kind = "--only-binary" if pin.file.endswith(".whl") else "--no-binary"
    result = _run(
        [
            *(str(python), "-m", "pip", "download", "--no-deps", "--no-build-isolation"),
            *("--no-cache-dir", "--progress-bar", "off", kind, ":all:"),
            *("--require-hashes", "-r", str(requirements), "--dest", str(folder)),
        ],
        _DOWNLOAD_SECONDS,
    )
    if result.returncode == 0 and (folder / pin.file).is_file():
        return
    got = re.search(r"Got\s+([0-9a-f]{64})", result.stdout)
    if got is not None:
        raise _wrong_checksum(pin, got.group(1))
    raise EnvironmentProblem(
        f"pip could not download {pin.file} ({_last_error(result.stdout)}).",
        "Check the network and pip's configuration, then run the command again.",
    )


def _ensure_pip_tools(cache: Path) -> Path:
    """The Python of a virtual environment that holds exactly ``_PIP_TOOLS``."""
    target = cache / "pip-tools"
    if not target.is_dir():
        with _disk_problems(cache), _aside(target) as aside:
            _checked([sys.executable, "-m", "venv", str(aside)], "make a virtual environment")
            requirements = aside / "requirements.txt"
            requirements.write_text(_PIP_TOOLS)
            _checked(
                [
                    *(str(aside / "bin" / "python"), "-m", "pip", "install", "--quiet"),
                    *("--require-hashes", "-r", str(requirements)),
                ],
                "install pip, setuptools and wheel into it",
            )
            _publish(aside, target)
    return target / "bin" / "python"


def _copy_artifact(pin: PinnedFile, classifier: str, cache: Path, folder: Path) -> None:
    _checked(
        [
            *(
                "mvn",
                "--batch-mode",
                "--no-transfer-progress",
                f"-Dmaven.repo.local={cache / 'm2'}",
            ),
            *(_COPY_GOAL, f"-DoutputDirectory={folder}"),
            f"-Dartifact=org.apache.flink:{pin.project}:{pin.version}"
            + (f":jar:{classifier}" if classifier else ""),
        ],
        f"fetch {pin.file} with Maven",
    )


def _unpack(archive: Path, target: Path) -> None:
    """Adds the distribution's folders of a wheel or source package to ``target``."""
    try:
        if archive.suffix == ".whl":
            _unpack_wheel(archive, target)
        else:
            _unpack_source_package(archive, target)
    except (tarfile.TarError, zipfile.BadZipFile, gzip.BadGzipFile, zlib.error, EOFError) as error:
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


@contextmanager
def _aside(target: Path) -> Iterator[Path]:
    """A folder next to ``target`` to prepare it in; whatever is left in it is deleted."""
    target.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{target.name[:40]}.", dir=target.parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _publish(folder: Path, target: Path) -> None:
    folder.chmod(0o755)
    try:
        folder.rename(target)
    except OSError as error:
        # Somebody else was faster; his copy is as good as ours.
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise


@contextmanager
def _disk_problems(cache: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise EnvironmentProblem(
            f"{cache} cannot be filled ({error.strerror or error}).",
            "Make room or correct the permissions, then run the command again.",
        ) from error


def _link(source: str, target: str) -> str:
    try:
        os.link(source, target)
    except OSError:
        Path(target).symlink_to(source)
    return target


def _checked(command: Sequence[str], purpose: str) -> None:
    result = _run(command, _SET_UP_SECONDS)
    if result.returncode != 0:
        raise EnvironmentProblem(
            f"Could not {purpose} ({_last_error(result.stdout)}).",
            "Check the network, then run the command again.",
        )


def _run(command: Sequence[str], seconds: int) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=seconds,
            check=False,
        )
    except FileNotFoundError as error:
        raise EnvironmentProblem(f"{command[0]} is not installed.", "Install it.") from error
    except subprocess.TimeoutExpired as error:
        raise EnvironmentProblem(
            f"{command[0]} did not finish within {seconds} s.",
            "Check the network, then run the command again.",
        ) from error


def _last_error(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines[-1:] or ["no output"])[0][:300]


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
