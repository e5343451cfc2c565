"""A jar that does not belong to this Flink ends every process at start, with one sentence."""

from __future__ import annotations

import hashlib
import os
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from flink_installation import ONE_PER_LINE, Ended, FlinkInstallation, Install, eventually
from installations import VERSION

from flink_boost.flink.lines import Line, measured_lines

STRING_VALUE = "org/apache/flink/types/StringValue.class"
WEAVE = "META-INF/flink-boost/weave.properties"

pytestmark = pytest.mark.parametrize("platform", ONE_PER_LINE, ids=str, indirect=True)

# The process ends by itself, at its start (docs/architecture.md, "The guard"), and that takes a
# second or two: this is only where a process counts as one that goes on.
START_SECONDS = 60

Run = Callable[[FlinkInstallation, Path], Ended]
PROCESSES: dict[str, Run] = {
    "standalonesession": lambda flink, _: flink.run(
        "jobmanager.sh", "start-foreground", seconds=START_SECONDS
    ),
    "taskexecutor": lambda flink, _: flink.run(
        "taskmanager.sh", "start-foreground", seconds=START_SECONDS
    ),
    "client": lambda flink, job: flink.run("flink", "run", str(job), seconds=START_SECONDS),
}


@pytest.mark.parametrize(
    "process",
    ["standalonesession", "taskexecutor", pytest.param("client", marks=pytest.mark.test_all)],
)
def test_a_jar_for_another_release_ends_the_process(
    process: str,
    line: Line,
    install: Install,
    dropin_jar: Path,
    word_count: Path,
    tmp_path: Path,
) -> None:
    other = another_line(line)
    jar = built_for(other, dropin_jar, tmp_path)

    with install(tmp_path / "flink", [jar]) as flink:
        ended = PROCESSES[process](flink, word_count)
        log, dist = flink.log(process), flink.dist

        differing = ", ".join(differing_classes(other, dist))

    installed = tmp_path / "flink" / "lib" / jar.name
    sentence = (
        f"flink-boost {VERSION} is built for Flink {other.version} but found Flink {line.version}"
        f" in {dist}, which has another {differing}: remove {installed} from lib/, and run"
        " `flink-boost install FLINK_HOME`, which puts the jar for these classes there, with"
        " --weave one that it makes if no release has them."
    )
    refused_at_start(ended, log, sentence)


@pytest.fixture(scope="module")
def rebuilt_dist(
    line: Line, distribution: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """Flink's jar as another compiler run might leave it.

    Only the name of the source file in ``StringValue`` changes, so the class still works.
    """
    (official,) = (distribution / "lib").glob("flink-dist*.jar")
    jar = tmp_path_factory.mktemp("rebuilt") / official.name
    shutil.copy(official, jar)
    stock = string_value(jar)
    assert stock.count(b"StringValue.java") == 1
    replace_entry(jar, STRING_VALUE, stock.replace(b"StringValue.java", b"StringValu3.java"))
    yield jar
    jar.unlink()


@pytest.mark.parametrize(
    "process",
    [
        "taskexecutor",
        *(pytest.param(n, marks=pytest.mark.test_all) for n in PROCESSES if n != "taskexecutor"),
    ],
)
def test_a_vendors_rebuild_under_the_same_number_ends_the_process(
    process: str,
    line: Line,
    install: Install,
    dropin_jar: Path,
    rebuilt_dist: Path,
    word_count: Path,
    tmp_path: Path,
) -> None:
    checksum = hashlib.sha256(string_value(rebuilt_dist)).hexdigest()
    with install(tmp_path / "flink", [dropin_jar]) as flink:
        dist = flink.dist
        dist.unlink()
        os.link(rebuilt_dist, dist)
        ended = PROCESSES[process](flink, word_count)
        log = flink.log(process)

    sentence = (
        f"flink-boost {VERSION} is built for the official Flink {line.version} but found a rebuild"
        f" or vendor version of the same number, {line.version}, in {dist} (SHA-256 of class"
        f" org.apache.flink.types.StringValue is {checksum}, expected"
        f" {line.classes['org.apache.flink.types.StringValue']}): remove"
        f" {dist.with_name(dropin_jar.name)} from lib/, run the official Flink {line.version}, or"
        " run `flink-boost install FLINK_HOME --weave`, which makes one for these classes if they"
        " do what the official ones do."
    )
    refused_at_start(ended, log, sentence)


def test_an_unknown_mode_ends_the_process(
    install: Install, dropin_jar: Path, word_count: Path, tmp_path: Path
) -> None:
    options = "-Dflink.boost.mode=of"
    with install(tmp_path / "flink", [dropin_jar], options) as flink:
        ended = PROCESSES["taskexecutor"](flink, word_count)
        log = flink.log("taskexecutor")

    sentence = (
        "-Dflink.boost.mode=of is neither 'on' nor 'off': correct it in Flink's JVM options, or"
        " remove it to leave flink-boost on."
    )
    refused_at_start(ended, log, sentence)


@pytest.mark.test_all
def test_a_cluster_with_a_jar_for_another_release_offers_no_slot(
    line: Line, install: Install, dropin_jar: Path, tmp_path: Path
) -> None:
    jar = built_for(another_line(line), dropin_jar, tmp_path)

    with install(tmp_path / "flink", [jar]) as flink:
        flink.run("start-cluster.sh", seconds=60)
        # On a busy machine the first may have ended before the second is seen at all.
        said = f"but found Flink {line.version} in"
        for process in ("standalonesession", "taskexecutor"):
            logged = eventually(lambda name=process: said in flink.log(name), START_SECONDS)
            assert logged, flink.everything_logged()
        assert eventually(lambda: not flink.daemons(), START_SECONDS), flink.everything_logged()
        assert flink.slots() == 0


def another_line(line: Line) -> Line:
    return next(other for other in measured_lines() if other.version != line.version)


def differing_classes(other: Line, dist: Path) -> list[str]:
    """The classes of that line of which the jar has another version."""
    with zipfile.ZipFile(dist) as archive:
        entries = {name: f"{name.replace('.', '/')}.class" for name in sorted(other.classes)}
        return [
            name
            for name, entry in entries.items()
            if entry in archive.NameToInfo
            and hashlib.sha256(archive.read(entry)).hexdigest() != other.classes[name]
        ]


def refused_at_start(ended: Ended, log: str, sentence: str) -> None:
    assert ended.exit_code != 0
    # Flink 1.9 has no log file for a process in the foreground: it logs to the console alone.
    lines = (log or ended.output).splitlines()
    errors = [text for text in lines if " ERROR " in text and sentence in text]
    assert len([text for text in errors if ".guard.BoostMode" in text]) == 1, lines
    assert sentence in ended.output


def built_for(other: Line, dropin_jar: Path, folder: Path) -> Path:
    """The drop-in jar, with the record that the weaver would leave for another release."""
    jar = folder / f"flink-boost-{other.version}-{VERSION}.jar"
    classes = "".join(f"class.{name}={value}\n" for name, value in other.classes.items())
    record = f"flink.version={other.version}\nboost.version={VERSION}\n{classes}"
    shutil.copy(dropin_jar, jar)
    replace_entry(jar, WEAVE, record.encode())
    return jar


def string_value(jar: Path) -> bytes:
    with zipfile.ZipFile(jar) as archive:
        return archive.read(STRING_VALUE)


def replace_entry(jar: Path, name: str, content: bytes) -> None:
    """Leaves the old content in the file, but no longer in its table of contents."""
    with zipfile.ZipFile(jar, "a") as archive:
        archive.filelist.remove(archive.getinfo(name))
        del archive.NameToInfo[name]
        archive.writestr(name, content)
