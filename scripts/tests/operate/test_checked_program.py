"""Programs with a main method of their own whose records are held against Flink's own code."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pytest
from installations import CARRIED, LINE

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.distribution import ensure_distribution
from flink_boost.flink.jdks import java_home
from flink_boost.flink.lines import OPENS_JAVA_LANG

PROGRAM = Path(__file__).parent.parent / "data" / "CheckedProgram.java"
SOURCES = PROJECT_ROOT / "flink-core-patch" / "src" / "records" / "main" / "java"
FIXED_FIELDS = "org/apache/flink/boost/records/FixedFields"
POJO_SERIALIZER = "org.apache.flink.api.java.typeutils.runtime.PojoSerializer"
ORDER = "CheckedProgram$Order"
CHECK = "-Dflink.boost.records=check"
LOG = """\
rootLogger.level = warn
rootLogger.appenderRef.out.ref = out
logger.boost.name = org.apache.flink.boost
logger.boost.level = info
appender.out.name = out
appender.out.type = CONSOLE
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = log=%p %m%n
"""
SUM = "sum=299980000"

pytestmark = pytest.mark.needs_jars(LINE.version)


def compiled(sources: Path, class_path: list[Path], folder: Path) -> Path:
    command = [java_home(17) / "bin" / "javac", "-cp", ":".join(map(str, class_path))]
    subprocess.run([*command, "-d", folder, sources], check=True, timeout=100)
    return folder


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Flink and its logger, with the program and its settings in front."""
    jars = sorted((ensure_distribution(LINE) / "lib").glob("*.jar"))
    (dist,) = (jar for jar in jars if jar.name.startswith("flink-dist"))
    folder = compiled(PROGRAM, [dist], tmp_path_factory.mktemp("program"))
    (folder / "log.properties").write_text(LOG, encoding="utf-8")
    return [folder, *jars]


@pytest.fixture(scope="module")
def spoiled(libraries: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our jar, in which runs of fixed fields have each integer written one too high."""
    ours, folder = CARRIED.dropin(LINE), tmp_path_factory.mktemp("spoiled")
    right = (SOURCES / f"{FIXED_FIELDS}.java").read_text(encoding="utf-8")
    wrong = right.replace("INTS.set(array, at + 1, value)", "INTS.set(array, at + 1, value + 1)")
    assert wrong != right
    source = folder / "FixedFields.java"
    source.write_text(wrong, encoding="utf-8")
    compiled(source, [ours, *libraries], folder)
    jar = folder / ours.name
    with zipfile.ZipFile(ours) as old, zipfile.ZipFile(jar, "w") as new:
        for entry in old.infolist():
            replaced = folder / entry.filename
            is_spoiled = entry.filename == f"{FIXED_FIELDS}.class"
            new.writestr(entry, replaced.read_bytes() if is_spoiled else old.read(entry))
    return jar


def said(jar: Path, libraries: list[Path], way: str, *options: str) -> list[str]:
    command = [
        *(str(java_home(17) / "bin" / "java"), OPENS_JAVA_LANG, "-XX:TieredStopAtLevel=1"),
        *("-Dlog4j.configurationFile=log.properties", "-Dlog4j2.disable.jmx=true", *options),
        *("-cp", ":".join(map(str, [jar, *libraries])), "CheckedProgram", way),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=150, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("way", ["plain", "prepared"])
def test_a_program_of_ones_own_is_checked(libraries: list[Path], way: str) -> None:
    lines = said(CARRIED.dropin(LINE), libraries, way, CHECK)

    assert SUM in lines
    assert any(f"; records on, checked by {CHECK}" in line for line in lines)
    (bean,) = [line for line in lines if line.startswith("bean=") and ORDER in line]
    assert bean.endswith(f" records of {ORDER}: equal")
    assert any(
        line.startswith("log=INFO checked 1,000 records of ") and ORDER in line for line in lines
    )
    assert not any(line.startswith("log=ERROR") for line in lines)


def test_a_local_cluster_loads_flinks_serializer_first_and_says_so(libraries: list[Path]) -> None:
    """Its environment names the serializer of POJOs before anybody asks for file systems."""
    lines = said(CARRIED.dropin(LINE), libraries, "job", CHECK)

    assert SUM in lines
    (warning,) = [line for line in lines if "flink-boost" in line]
    assert warning.startswith("log=WARN ")
    assert f"; records off, {POJO_SERIALIZER} was in use before flink-boost was asked" in warning
    assert not any(line.startswith("bean=") for line in lines)


@pytest.mark.parametrize("way", ["plain", "prepared"])
def test_a_difference_is_told_and_mended(libraries: list[Path], spoiled: Path, way: str) -> None:
    lines = said(spoiled, libraries, way, CHECK)

    assert SUM in lines
    (error,) = [line for line in lines if line.startswith("log=ERROR")]
    assert error.startswith(f"log=ERROR flink-boost does not write {ORDER} as Flink does: from ")
    assert "in field amount," in error
    (bean,) = [line for line in lines if line.startswith("bean=") and ORDER in line]
    assert "one differed, so that Flink's own code runs" in bean


def test_without_a_check_a_spoiled_jar_gives_other_results(
    libraries: list[Path], spoiled: Path
) -> None:
    assert SUM not in said(spoiled, libraries, "plain")
