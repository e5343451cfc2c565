"""Flink installations that a test may change, and what is in them."""

from __future__ import annotations

import atexit
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from java_programs import classes_of

from flink_boost import __version__
from flink_boost.cli.main import main
from flink_boost.flink.distribution import ensure_distribution
from flink_boost.flink.downloads import CACHE
from flink_boost.flink.dropin import RECORD
from flink_boost.flink.jdks import java_home
from flink_boost.flink.launch import ROLES, Launch
from flink_boost.flink.lines import Line, load_lines, measured_lines
from flink_boost.operate.carried import Carried, of_tree

VERSION = __version__
VERSION = __version__
# Those with clusters in the tests; every line has a jar.
LINES = measured_lines()
LINE = load_lines()["2.3.0"]
OTHER = load_lines()["1.20.5"]
CARRIED: Carried = of_tree(VERSION)
OFF = "-Dflink.boost.mode=off"
_GUARD = Path(__file__).parent / "data" / "GuardSays.java"
OPENS = "--add-opens=java.base/java.lang=ALL-UNNAMED"
JAR = f"flink-boost-2.3.0-{VERSION}.jar"


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


def _link(source: str, target: str) -> str:
    try:
        os.link(source, target)
    except OSError:
        Path(target).symlink_to(source)
    return target


# Of its own, which starts five processes for each of thirty values, and one that starts none.
READS_SLOWLY = re.compile(r"(?ms)^readFromConfig\(\) \{\n.*?echo \"\$configuration\".*?^\}\n")
READS = """readFromConfig() {
    local line value=
    while IFS= read -r line; do
        [[ $line =~ ^\\ *$1\\ *: ]] || continue
        value=${line#*:}
        while [[ $value == " "* ]]; do value=${value# }; done
        while [[ $value == *" " ]]; do value=${value% }; done
    done <<< "$3"
    echo "${value:-$2}"
}
"""


def new_home(folder: Path, line: Line = LINE) -> Path:
    """A private copy of a line's distribution, whose ``config.sh`` is quicker and says the same."""
    home = private_copy(ensure_distribution(line), folder)
    script = home / "bin" / "config.sh"
    text = script.read_text()
    mode = script.stat().st_mode
    script.unlink()
    script.write_text(READS_SLOWLY.sub(lambda _: READS, text))
    script.chmod(mode)
    return home


def put_jar(home: Path, line: Line = LINE) -> Path:
    """Our jar in ``lib/`` as ``install`` leaves it, which starts JVMs to look at more first."""
    return Path(shutil.copy(CARRIED.dropin(line), home / "lib"))


def java_environment(line: Line) -> dict[str, str]:
    """Our environment without what points to another Flink, with the line's first JDK."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("FLINK", "JVM_ARGS"))}
    return {**kept, "JAVA_HOME": str(_brief_jdk(_java_home(line.jdks[0])))}


# It starts the Java that it finds.
_java_home = cache(java_home)


# As config.sh calls it: -classpath JARS org...BashJavaUtils QUESTION --configDir FOLDER OPTION...
# Other users of the tests' machine may not write down what was answered.
_BRIEF_JAVA = """#!/bin/sh
case "$3" in *.BashJavaUtils) ;; *) exec "{home}/bin/java" -XX:TieredStopAtLevel=1 "$@" ;; esac
configuration=$6; answers="{folder}/answers"
key=$({{ IFS=:; stat -Lc '%s %y' $2; unset IFS
    cd "$configuration" && sha256sum *
    printf '%s\n' "$JDK_JAVA_OPTIONS" "$JAVA_TOOL_OPTIONS" "$_JAVA_OPTIONS"
    shift 3; printf '%s\n' "$@" | grep -Fvx "$configuration"; }} 2>&1 | sha256sum | cut -c -64)
if ! [ -f "$answers/$key" ]; then
    answer=$("{home}/bin/java" -XX:TieredStopAtLevel=1 "$@" 2>&1)
    code=$?
    case "$answer" in *" main class org.apache.flink"*) ;; *)
        if [ $code -ne 0 ]; then printf '%s\n' "$answer"; exit $code; fi ;; esac
    if ! [ -w "$answers" ]; then printf '%s\n' "$answer"; exit $code; fi
    printf '%s\n' "$code" "$answer" > "$answers/$key.$$" && mv "$answers/$key.$$" "$answers/$key"
fi
{{ read -r code; cat; }} < "$answers/$key"
exit "$code"
"""


@cache
def _brief_jdk(home: Path) -> Path:
    """The JDK without its optimising compiler: the scripts start several JVMs a call, for a moment.

    The one that reads the configuration for them is started once per question and configuration.
    At a path without spaces, for Flink 1.9's scripts call it without quotes.
    """
    folder = Path(tempfile.mkdtemp(prefix="jdk-"))
    atexit.register(shutil.rmtree, folder)
    folder.chmod(0o755)  # for tests that run as another user
    (folder / "bin").mkdir()
    for part in (*home.iterdir(), *(home / "bin").iterdir()):
        if part.name not in ("bin", "java"):
            (folder / part.relative_to(home)).symlink_to(part)
    java = folder / "bin" / "java"
    (folder / "answers").mkdir()
    java.write_text(_BRIEF_JAVA.format(home=home, folder=folder))
    java.chmod(0o755)
    return folder


def everything_in(home: Path) -> dict[str, str]:
    """Each path below the folder with its type, mode, and target or content."""
    found = {}
    for path in sorted(home.rglob("*")):
        mode = oct(path.lstat().st_mode)
        if path.is_symlink():
            found[str(path.relative_to(home))] = f"{mode} -> {path.readlink()}"
        elif path.is_dir():
            found[str(path.relative_to(home))] = mode
        else:
            # Flink's large jars are links to the cache, whose inode says whether they are the same.
            small = path.stat().st_size < 1 << 20
            what = hashlib.sha256(path.read_bytes()).hexdigest() if small else path.stat().st_ino
            found[str(path.relative_to(home))] = f"{mode} {what}"
    return found


def guard_says(home: Path) -> str:
    """What the check at the start of a process says with that ``lib/``."""
    # As Flink's scripts do; Java takes `lib/*` in whatever order the file system has.
    jars = os.pathsep.join(map(str, sorted((home / "lib").glob("*.jar"))))
    program = classes_of("GuardSays", _GUARD.read_text(), (CARRIED.dropin(LINE),))
    words = ["java", "-XX:TieredStopAtLevel=1", "-cp", f"{jars}{os.pathsep}{program}", "GuardSays"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=100, check=True)
    return done.stdout


def our_jars(home: Path) -> list[str]:
    """Names of the jars in ``lib/`` that Flink would take and that hold our classes; all whole."""
    ours = []
    for jar in sorted((home / "lib").rglob("*.jar")):
        with zipfile.ZipFile(jar) as archive:
            if "META-INF/flink-boost/weave.properties" in archive.NameToInfo:
                assert archive.testzip() is None
                ours.append(jar.name)
    return ours


def small_home(folder: Path) -> Path:
    """A private copy of a distribution whose ``flink-dist`` holds just what is looked at."""
    home = new_home(folder)
    small_dist(home, "2.3.0", official_classes())
    return home


def small_dist(home: Path, version: str, classes: dict[str, bytes]) -> None:
    """Puts a ``flink-dist`` with that manifest and those classes in the place of the real one.

    Beside official ones are the classes that ours link to.
    """
    official = all(name in classes for name in LINE.classes)
    classes = {**neighbours(LINE), **classes} if official else classes
    for dist in (home / "lib").glob("flink-dist*.jar"):
        dist.unlink()
    made = _made_dist(version, tuple(classes.items()))
    # With its time: of equal jars the scripts are not asked again.
    shutil.copy2(made, home / "lib" / f"flink-dist-{version}.jar")


@cache
def _made_dist(version: str, classes: tuple[tuple[str, bytes], ...]) -> Path:
    made = _folder_of_this_process() / f"{len(list(_folder_of_this_process().iterdir()))}.jar"
    with zipfile.ZipFile(made, "w") as archive:
        manifest = f"Manifest-Version: 1.0\r\nImplementation-Version: {version}\r\n"
        archive.writestr("META-INF/MANIFEST.MF", manifest)
        for name, content in classes:
            archive.writestr(name.replace(".", "/") + ".class", content)
    return made


@cache
def _folder_of_this_process() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="dists-"))
    atexit.register(shutil.rmtree, folder)
    return folder


def neighbours(line: Line) -> dict[str, bytes]:
    """The class files around those that the drop-in jar replaces, which the guard looks at."""
    return _neighbours(line.version)


@cache
def _neighbours(version: str) -> dict[str, bytes]:
    line = load_lines()[version]
    with zipfile.ZipFile(CARRIED.dropin(line)) as jar:
        record = jar.read(RECORD).decode().splitlines()
    links = [each.partition("=")[2].split() for each in record if each.startswith("link.")]
    # With what these extend in turn, which stands in the same packages.
    packages = {name.rpartition("/")[0] for words in links for name in (words[0], words[-1])}
    (dist,) = (ensure_distribution(line) / "lib").glob("flink-dist*.jar")
    with zipfile.ZipFile(dist) as archive:
        return {
            entry.removesuffix(".class").replace("/", "."): archive.read(entry)
            for entry in archive.namelist()
            if entry.endswith(".class") and entry.rpartition("/")[0] in packages
        }


def official_classes() -> dict[str, bytes]:
    """The class files that the drop-in jar replaces, from the official ``flink-dist``."""
    return dict(_official_classes())


@cache
def _official_classes() -> dict[str, bytes]:
    with zipfile.ZipFile(ensure_distribution(LINE) / "lib" / "flink-dist-2.3.0.jar") as archive:
        return {name: archive.read(name.replace(".", "/") + ".class") for name in LINE.classes}


def damaged_dropin(target: Path, how: str) -> Path:
    """The drop-in jar with one of the damages that ``DamageCodec`` knows."""
    byte_buddy = CACHE / "m2" / "net" / "bytebuddy" / "byte-buddy" / "1.17.7"
    program = Path(__file__).parent / "data" / "DamageCodec.java"
    subprocess.run(
        [
            *(str(java_home(17) / "bin" / "java"), "-XX:TieredStopAtLevel=1"),
            *("-cp", f"{byte_buddy}/byte-buddy-1.17.7.jar"),
            *(str(program), str(CARRIED.dropin(LINE)), str(target), how),
        ],
        timeout=100,
        check=True,
    )
    return target


def former_dropin(folder: Path, version: str) -> Path:
    """The drop-in jar as that release of flink-boost would have named it, inside and outside."""
    jar = folder / LINE.dropin_name(version)
    with zipfile.ZipFile(CARRIED.dropin(LINE)) as ours, zipfile.ZipFile(jar, "w") as former:
        for name in ours.namelist():
            content = ours.read(name)
            if name == RECORD:
                own, wanted = (f"boost.version={each}".encode() for each in (VERSION, version))
                assert content.count(own) == 1
                content = content.replace(own, wanted)
            former.writestr(name, content)
    return jar


def flink_boost(*arguments: str | Path) -> int:
    """The exit code of a command that runs in this process."""
    return main([str(argument) for argument in arguments])


def texts(diagnosis: dict[str, Any]) -> list[str]:
    """What ``doctor --json`` found."""
    return [finding["text"] for finding in diagnosis["findings"]]


def problems(diagnosis: dict[str, Any]) -> list[str]:
    """What ``doctor --json`` found to be wrong."""
    return [f["text"] for f in diagnosis["findings"] if f["level"] == "problem"]


def set_options(home: Path, **options: str) -> None:
    """Adds to the configuration file of a new line; dots are underscores."""
    with (home / "conf" / "config.yaml").open("a") as file:
        for key, value in options.items():
            file.write(f'\n{key.replace("_", ".")}: "{value}"\n')


def with_mode(mode: str) -> Launch:
    """What scripts would start with that value of the kill switch, in every role."""
    return Launch("java", (), dict.fromkeys(ROLES, (f"-Dflink.boost.mode={mode}",)))


def put_in_front(home: Path, names: Iterable[str]) -> Path:
    """A jar before ours on the class path, with those of the official class files."""
    jar = home / "lib" / "aaa-first.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        for name in names:
            archive.writestr(name.replace(".", "/") + ".class", official_classes()[name])
    return jar


def without_record(home: Path, lost: str = "META-INF/flink-boost/") -> Path:
    """Our classes in a job's jar, by shading that drops what it does not know in META-INF."""
    target = home / "lib" / "acme-job.jar"
    with zipfile.ZipFile(CARRIED.dropin(LINE)) as ours, zipfile.ZipFile(target, "w") as jar:
        for name in ours.namelist():
            if not name.startswith(lost):
                jar.writestr(name, ours.read(name))
    return target


def place_of(jar: Path, name: str) -> int:
    """Where the content of a class of ours is in the jar, by its name below our package."""
    with zipfile.ZipFile(jar) as archive:
        return archive.getinfo(f"org/apache/flink/boost/{name}.class").header_offset + 200


def damage(jar: Path, offset: int | None = None, count: int = 200) -> None:
    """Overwrites bytes: without a place, those of a class that no check begins with."""
    if offset is None:
        offset = place_of(jar, "codec/VarintDecoder")
    with jar.open("r+b") as file:
        file.seek(offset)
        file.write(bytes(range(count)))
