"""Programs that load Flink's jars themselves: another order of jars, an archive of classes.

Real JVMs, and the jars of Flink's own distribution with its logger.
"""

from __future__ import annotations

import re
import subprocess
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from installations import CARRIED, LINE, VERSION
from java_programs import javac

from flink_boost.flink.distribution import ensure_distribution
from flink_boost.flink.jdks import java_home
from flink_boost.flink.lines import OPENS_JAVA_LANG, find_line

PROBE = Path(__file__).parent.parent / "data" / "LoadedProbe.java"
OTHER = find_line("1.20.5")
LOG = """\
rootLogger.level = info
rootLogger.appenderRef.out.ref = out
appender.out.name = out
appender.out.type = CONSOLE
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = log=%p %m%n
"""

pytestmark = pytest.mark.needs_jars(LINE.version, OTHER.version)


@dataclass(frozen=True)
class Jars:
    """What stands on a class path, and the compiled program."""

    ours: Path
    others: Path
    dist: Path
    rest: tuple[Path, ...]


@pytest.fixture(scope="module")
def jars(tmp_path_factory: pytest.TempPathFactory) -> Jars:
    folder = tmp_path_factory.mktemp("jars")
    lib = ensure_distribution(LINE) / "lib"
    (dist,) = lib.glob("flink-dist*.jar")
    classes = folder / "classes"
    javac("-d", classes, PROBE, class_path=(dist,))
    # An archive of classes takes jars only.
    probe = folder / "probe.jar"
    with zipfile.ZipFile(probe, "w") as jar:
        for file in classes.iterdir():
            jar.write(file, file.name)
        jar.writestr("log.properties", LOG)
    return Jars(CARRIED.dropin(LINE), CARRIED.dropin(OTHER), dist, (*lib.glob("log4j*.jar"), probe))


def said(jdk: int, class_path: str, *words: str, options: tuple[str, ...] = ()) -> list[str]:
    """What the program prints on that JDK, and what is logged."""
    command = [
        *(str(java_home(jdk) / "bin" / "java"), OPENS_JAVA_LANG, "-XX:TieredStopAtLevel=1"),
        *("-Dlog4j.configurationFile=log.properties", "-Dlog4j2.disable.jmx=true", *options),
        *("-cp", class_path, "LoadedProbe", *words),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def path_of(*entries: Path) -> str:
    return ":".join(map(str, entries))


def of_ours(lines: list[str]) -> list[str]:
    """What the guard has logged."""
    words = re.compile(r"log=[A-Z]+ (More than one )?flink-boost ")
    return [line for line in lines if words.match(line)]


def test_another_lines_jar_in_front_is_refused_by_whichever_class_comes_first(jars: Jars) -> None:
    """No process of Flink's own, so that nobody asks for file systems."""
    class_path = path_of(jars.others, jars.dist, *jars.rest)
    for words in (("strings",), ("input",), ("start",)):
        lines = said(17, class_path, *words)

        (logged,) = of_ours(lines)
        assert logged.startswith(
            f"log=ERROR flink-boost {VERSION} is built for Flink 1.20.5 but found"
        )
        assert logged.endswith("with --weave one that it makes if no release has them.")
        (error,) = [line for line in lines if line.startswith("error=")]
        assert error == logged.replace(
            "log=ERROR ", "error=org.apache.flink.boost.guard.WrongFlinkVersionError: "
        )
        assert "read=true" not in lines


def test_two_jars_of_ours_behind_a_wildcard_are_refused(jars: Jars, tmp_path: Path) -> None:
    for jar in (jars.ours, jars.others, jars.dist, *jars.rest):
        (tmp_path / jar.name).symlink_to(jar)

    lines = said(17, f"{tmp_path}/*", "strings")

    classes = [line for line in lines if line.startswith(("StringValue=", "DataOutputSerializer="))]
    if all(line.endswith(jars.dist.name) for line in classes) and classes:
        # Stock's stands in front of both: nothing of ours is loaded, and nothing is wrong.
        assert "read=true" in lines
        lines = said(17, f"{tmp_path}/*", "start")
    (logged,) = of_ours(lines)
    assert logged.startswith("log=ERROR More than one flink-boost jar is on the class path")
    assert any(line.startswith("error=") for line in lines)


def test_ours_in_front_says_once_that_it_runs(jars: Jars) -> None:
    class_path = path_of(jars.ours, jars.dist, *jars.rest)
    for words in (("strings",), ("start", "strings"), ("input",)):
        (logged,) = of_ours(said(17, class_path, *words))
        assert logged.startswith(
            f"log=INFO flink-boost {VERSION} for Flink {LINE.version}: mode on, "
        )
    for value, words in (
        (
            "off",
            f"log=INFO flink-boost {VERSION} for Flink {LINE.version}: mode off, switched off by",
        ),
        ("of", "log=ERROR -Dflink.boost.mode=of is neither 'on' nor 'off'"),
    ):
        lines = said(17, class_path, "strings", options=(f"-Dflink.boost.mode={value}",))
        assert "read=true" in lines
        assert [line[: len(words)] for line in lines if line.startswith("log=")] == [words]


def test_a_machine_that_nobody_tested_on_is_warned_of_once(jars: Jars) -> None:
    class_path = path_of(jars.ours, jars.dist, *jars.rest)
    lines = said(17, class_path, "start", "strings", options=("-Dos.arch=aarch64",))

    assert "read=true" in lines
    (logged,) = of_ours(lines)
    assert logged.startswith(f"log=WARN flink-boost {VERSION} for Flink {LINE.version}: mode on, ")
    assert "; string access opened (self-test passed); not tested on aarch64 with " in logged


def test_stock_in_front_is_said_where_flink_starts(jars: Jars) -> None:
    class_path = path_of(jars.dist, jars.ours, *jars.rest)
    lines = said(17, class_path, "start", "strings")

    assert "read=true" in lines
    (logged,) = of_ours(lines)
    assert logged.startswith(f"log=WARN flink-boost {VERSION} for Flink {LINE.version}: mode off, ")
    assert f"{jars.dist} stands before {jars.ours} on the class path" in logged


@pytest.mark.parametrize("jdk", [17, 25])
def test_flinks_own_class_of_records_that_is_there_first_stays(jars: Jars, jdk: int) -> None:
    ours, stock = path_of(jars.ours, jars.dist, *jars.rest), path_of(jars.dist, *jars.rest)
    mode = f"flink-boost {VERSION} for Flink {LINE.version}: mode on, "

    lines = said(jdk, ours, "records", "start")
    (logged,) = of_ours(lines)
    assert logged.startswith(f"log=WARN {mode}")
    assert "; records off, org.apache.flink.api.java.typeutils.runtime.PojoSerializer was" in logged
    found, expected = (
        [line for line in each if line.startswith(("PojoSerializer=", "bytes=", "copy=", "error="))]
        for each in (lines, said(jdk, stock, "records", "start"))
    )
    assert len(expected) == 3
    assert found == expected

    first = said(jdk, ours, "start", "strings")
    assert of_ours(first)[0].startswith(f"log=INFO {mode}")
    assert "; records on" in of_ours(first)[0]


def archive(folder: Path, class_path: str, *words: str) -> Path:
    """An archive of the classes that the program loads on that class path."""
    file = folder / f"archive-{len(list(folder.iterdir()))}"
    said(25, class_path, *words, options=(f"-XX:AOTCacheOutput={file}",))
    assert file.is_file()
    return file


@pytest.mark.test_all
def test_an_archive_of_stocks_classes_is_seen(jars: Jars, tmp_path: Path) -> None:
    """A JVM that finds a class in its archive does not look on the class path, JDK 25 at least."""
    stock, ours = path_of(jars.dist, *jars.rest), path_of(jars.ours, jars.dist, *jars.rest)
    some = (f"-XX:AOTCache={archive(tmp_path, stock, 'strings')}",)

    lines = said(25, ours, "start", options=some)
    (logged,) = of_ours(lines)
    assert logged.startswith(
        f"log=ERROR flink-boost {VERSION} for Flink {LINE.version} can only work as a whole, but"
        f" its class org.apache.flink.core.memory.DataInputDeserializer was loaded from {jars.dist}"
    )
    assert any("error=org.apache.flink.boost.guard.WrongFlinkVersionError" in x for x in lines)

    off = said(25, ours, "start", "strings", options=(*some, "-Dflink.boost.mode=off"))
    assert "read=true" in off
    assert "mode off, switched off by" in of_ours(off)[0]

    anew = (f"-XX:AOTCache={archive(tmp_path, ours, 'start', 'strings')}",)
    lines = said(25, ours, "start", "strings", options=anew)
    assert {"read=true", f"StringValue={jars.ours}", f"DataOutputSerializer={jars.ours}"} <= set(
        lines
    )
    assert f"flink-boost {VERSION} for Flink {LINE.version}: mode on, " in of_ours(lines)[0]


@pytest.mark.test_all
def test_an_archive_of_all_classes_or_of_another_jar_is_seen(jars: Jars, tmp_path: Path) -> None:
    stock, ours = path_of(jars.dist, *jars.rest), path_of(jars.ours, jars.dist, *jars.rest)
    every = archive(tmp_path, stock, "strings", "all", *LINE.classes)
    lines = said(25, ours, "start", "strings", options=(f"-XX:AOTCache={every}",))
    assert {"read=true", f"StringValue={jars.dist}"} <= set(lines)
    (logged,) = of_ours(lines)
    assert logged.startswith(f"log=WARN flink-boost {VERSION} for Flink {LINE.version}: mode off, ")
    assert f"were loaded from {jars.dist}, not from {jars.ours}" in logged

    former = tmp_path / "flink-boost-2.3.0-0.1.9.jar"
    former.write_bytes(jars.ours.read_bytes())
    old = archive(tmp_path, path_of(former, jars.dist, *jars.rest), "start", "strings")
    for words in (("start",), ("strings",)):
        lines = said(25, ours, *words, options=(f"-XX:AOTCache={old}",))
        (logged,) = of_ours(lines)
        assert logged.startswith(f"log=ERROR flink-boost runs from {former}, ")
        assert any("error=org.apache.flink.boost.guard.Wrong" in line for line in lines)

    # As after `uninstall`: such a JVM does not look whether the jar is still there.
    former.unlink()
    lines = said(25, stock, "strings", options=(f"-XX:AOTCache={old}",))
    (logged,) = of_ours(lines)
    assert logged.startswith("log=ERROR flink-boost cannot see its own class files")
    assert any("error=org.apache.flink.boost.guard.Wrong" in line for line in lines)
