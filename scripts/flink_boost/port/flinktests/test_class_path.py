"""Gets the test jars of a Flink line and their class path with Maven, pinned by a small POM each.

``scripts/flink-tests/flink-<line>.xml`` names what Flink's own POMs name for their tests. Maven
checks every download against the repository's checksum. Kept in the cache::

    <cache>/flink-tests/<line>-<module>.class-path   first line: SHA-256 of the POM; then the jars
    <cache>/flink-tests/<line>-<module>/             the test jar, unpacked as in Flink's own build
"""

from __future__ import annotations

import fcntl
import hashlib
import re
import shutil
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from flink_boost.base.commands import run_captured
from flink_boost.base.errors import BrokenData, EnvironmentProblem
from flink_boost.base.files import make_folder, sha256, write_durably
from flink_boost.flink.dropin import ASIDE, DOOR
from flink_boost.flink.lines import Line
from flink_boost.flink.pinned_maven import maven_command
from flink_boost.port.flinktests.outcome import BOOST_PACKAGE
from flink_boost.port.flinktests.test_plan import FOLDER

_GOAL = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath"
_MAVEN_SECONDS = 1800
_TAGS = re.compile(r"(\[(ERROR|FATAL)\] +)+")


@dataclass(frozen=True)
class ModuleTests:
    """The tests of one module of one line: unpacked test jar, the module's own jar, the others."""

    module: str
    folder: Path
    main: Path
    others: tuple[Path, ...]
    tests_sha256: str

    def class_path(self, dropin: Path | None) -> tuple[Path, ...]:
        """What a JVM loads, in order; the drop-in jar first, or not at all on stock."""
        front = () if dropin is None else (dropin,)
        return (*front, self.folder, self.main, *self.others)

    def identity(self) -> str:
        """SHA-256 over the test jar's checksum and the names of all others: their versions."""
        names = (self.tests_sha256, self.main.name, *(jar.name for jar in self.others))
        return hashlib.sha256("\n".join(names).encode()).hexdigest()

    def class_files(self) -> list[str]:
        """All class files of the test jar, relative, such as ``org/apache/…/FooTest.class``."""
        return [str(path.relative_to(self.folder)) for path in self.folder.rglob("*.class")]


def ensure_tests(
    line: Line, module: str, cache: Path, poms: Path = FOLDER, *, recorded: bool = True
) -> ModuleTests:
    """The module's tests; fetched and unpacked when they are not in the cache.

    ``recorded``: the repository has the checksums of all of it; else Maven Central's alone count.
    Raises ``EnvironmentProblem`` when Maven cannot fetch them, ``BrokenData`` when what it fetched
    does not hold them.
    """
    jars = _class_path(line, module, cache, poms, recorded)
    suffix = "" if module == "core" else line.artifact_suffix
    name = f"flink-{module}{suffix}-{line.version}"
    main = _single(jars, f"{name}.jar")
    tests = _single(jars, f"{name}-tests.jar")
    folder = cache / "flink-tests" / f"{line.version}-{module}"
    checksum = sha256(tests)
    unpack_tests(tests, checksum, folder)
    others = tuple(jar for jar in jars if jar not in (main, tests))
    return ModuleTests(module, folder, main, others, checksum)


def known_class_path(line: Line, module: str, cache: Path, poms: Path = FOLDER) -> list[Path]:
    """What Maven once gave for the POM that is there; empty when it has to be asked."""
    pom, listing = poms / f"flink-{line.version}.xml", _listing(line, module, cache)
    if not (pom.is_file() and listing.is_file()):
        return []
    first, *entries = listing.read_text(encoding="utf-8").splitlines()
    jars = [Path(entry) for entry in entries]
    return jars if first == sha256(pom) and all(jar.is_file() for jar in jars) else []


def in_place(dropin: Path, line: Line, copy: Path) -> Path:
    """The jar with the line's classes that lie aside where a class loader looks; made as ``copy``.

    The guard would come too late: tests load Flink's classes first of all. A jar that has nothing
    aside stays as it is. Raises ``BrokenData`` for a file that is not a jar.
    """
    own = {f"{name.replace('.', '/')}.class" for name in line.classes}
    try:
        with zipfile.ZipFile(dropin) as jar:
            entries = {each: jar.read(each) for each in jar.infolist()}
    except zipfile.BadZipFile as error:
        raise BrokenData(f"{dropin} is not a jar ({error}).", "Run `make build`.") from error
    aside = [each for each in entries if each.filename.startswith(ASIDE)]
    moved = [each for each in aside if each.filename.removeprefix(ASIDE) in own]
    if not moved:
        return dropin
    for each in moved:
        each.filename = each.filename.removeprefix(ASIDE)
    make_folder(copy.parent)
    with zipfile.ZipFile(copy, "w", zipfile.ZIP_DEFLATED) as jar:
        for entry, content in entries.items():
            jar.writestr(entry, content)
    return copy


def replaced_classes(dropin: Path) -> tuple[str, ...]:
    """Names of Flink's own classes that the drop-in jar holds, sorted.

    Raises ``BrokenData`` for a file that is not a jar, or replaces nothing.
    """
    try:
        with zipfile.ZipFile(dropin) as jar:
            files = [name for name in jar.namelist() if name.endswith(".class")]
    except zipfile.BadZipFile as error:
        raise BrokenData(f"{dropin} is not a jar ({error}).", "Run `make build`.") from error
    names = sorted(
        name.removesuffix(".class").replace("/", ".")
        for name in files
        if not name.startswith(ASIDE) and not name.endswith(DOOR)
    )
    replaced = tuple(name for name in names if not name.startswith(BOOST_PACKAGE))
    if not replaced:
        raise BrokenData(f"{dropin} replaces no class of Flink.", "Run `make build`.")
    return replaced


def _class_path(line: Line, module: str, cache: Path, poms: Path, recorded: bool) -> list[Path]:
    pom = poms / f"flink-{line.version}.xml"
    if not pom.is_file():
        raise EnvironmentProblem(
            f"{pom} is missing, so the class path of Flink {line.version}'s tests is not known.",
            "Write it after one of its neighbours.",
        )
    if jars := known_class_path(line, module, cache, poms):
        return jars
    listing, stamp = _listing(line, module, cache), sha256(pom)
    make_folder(listing.parent)
    with tempfile.NamedTemporaryFile(mode="r", encoding="utf-8") as output:
        _run_maven(pom, module, cache, Path(output.name), None if recorded else "known")
        jars = [Path(entry) for entry in output.read().strip().split(":") if entry]
    write_durably(listing, "\n".join((stamp, *map(str, jars))) + "\n")
    return jars


def _listing(line: Line, module: str, cache: Path) -> Path:
    return cache / "flink-tests" / f"{line.version}-{module}.class-path"


def _run_maven(pom: Path, module: str, cache: Path, output: Path, mode: str | None) -> None:
    command = [
        *maven_command(cache, mode=mode),
        *("-q", "-f", str(pom), "-P", module, _GOAL, f"-Dmdep.outputFile={output}"),
    ]
    result = run_captured(command, _MAVEN_SECONDS)
    if result.returncode:
        raise EnvironmentProblem(
            f"Maven could not fetch Flink's tests ({_first_error(result.stdout)}).",
            "Check the network, then run the command again.",
        )


def _first_error(output: str) -> str:
    """What Maven says is wrong first, without its heading of several problems."""
    found = [_TAGS.sub("", line) for line in output.splitlines() if _TAGS.match(line)]
    told = [text for text in found if not text.startswith("Some problems were encountered")]
    return (told or ["no output"])[0][:400]


def _single(jars: list[Path], name: str) -> Path:
    found = [jar for jar in jars if jar.name == name]
    if len(found) != 1:
        raise BrokenData(f"{name} is not on the class path that Maven gave.", "Correct the POM.")
    return found[0]


def unpack_tests(jar: Path, checksum: str, folder: Path) -> None:
    """Unpacks the jar unless the folder already holds it; the folder appears complete.

    One call at a time: another one may be about to use what looks unfinished.
    """
    make_folder(folder.parent)
    with folder.with_name(f".{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        stamp = folder.with_suffix(folder.suffix + ".sha256")
        if folder.is_dir() and stamp.is_file() and stamp.read_text(encoding="ascii") == checksum:
            return
        stamp.unlink(missing_ok=True)
        _unpack_anew(jar, folder)
        write_durably(stamp, checksum)


def _unpack_anew(jar: Path, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        with zipfile.ZipFile(jar) as archive:
            archive.extractall(aside)
        aside.chmod(0o755)
        aside.rename(folder)
    except zipfile.BadZipFile as error:
        raise BrokenData(
            f"{jar} cannot be unpacked ({error}).", "Delete it and try again."
        ) from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)
