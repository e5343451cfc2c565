"""Application mode on YARN: Flink's client ships lib/, Hadoop's mini cluster starts containers."""

from __future__ import annotations

import os
import subprocess
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from flink_installation import JOB_SECONDS, FlinkInstallation, eventually
from installations import VERSION
from our_classes import announced

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.distribution import ensure_artifact, ensure_distribution, ensure_example
from flink_boost.flink.jdks import java_home
from flink_boost.flink.lines import Line, PinnedFile, find_line

# Both kinds of client: a command of its own for application mode, and none.
COMMANDS = {"1.20.5": "run-application", "2.3.0": "run"}
JDK = 17
DATA = Path(__file__).parents[1] / "data" / "hadoop.toml"
PINS: dict[str, dict[str, Any]] = tomllib.loads(DATA.read_text(encoding="utf-8"))
PROGRAM = Path(__file__).with_name("MiniYarn.java")
JARS = PROJECT_ROOT / "build" / "jars"
STARTED = 240
MEMORY = (
    "-Djobmanager.memory.process.size=900m",
    "-Dtaskmanager.memory.process.size=1000m",
    "-Dtaskmanager.memory.network.min=32m",
    "-Dtaskmanager.memory.network.max=32m",
)

pytestmark = [pytest.mark.in_full_form_only, pytest.mark.timeout(1200)]


def jar_of(project: str) -> Path:
    row = PINS[project]
    pin = PinnedFile(project, row["version"], f"{project}-{row['version']}.jar", row["sha256"])
    return ensure_artifact(pin, group=row["group"])


@dataclass(frozen=True)
class Yarn:
    """A running mini cluster; its client configuration, and what its containers log."""

    configuration: Path
    files: Path

    def logs(self, name: str) -> list[str]:
        """The logs of all containers with a JobManager or TaskManager, by the file's name."""
        found = self.files.rglob(f"container_*/{name}")
        return [file.read_text(encoding="utf-8", errors="replace") for file in found]


@pytest.fixture(scope="module", params=COMMANDS)
def hadoop_line(request: pytest.FixtureRequest) -> Line:
    return find_line(request.param)


@pytest.fixture(scope="module")
def flink(
    hadoop_line: Line, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[FlinkInstallation]:
    jar = JARS / hadoop_line.dropin_name(VERSION)
    home = tmp_path_factory.mktemp("yarn-client") / "flink"
    distribution = ensure_distribution(hadoop_line)
    with FlinkInstallation(distribution, java_home(JDK), home, [jar]) as installation:
        yield installation


@pytest.fixture(scope="module")
def yarn(flink: FlinkInstallation, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Yarn]:
    folder = tmp_path_factory.mktemp("yarn")
    found = Yarn(folder / "conf", folder / "files")
    found.files.mkdir()
    own = [*map(jar_of, PINS), *(flink.home / "lib").glob("log4j-*.jar")]
    java = java_home(JDK)
    with (folder / "out.txt").open("w") as out:
        process = subprocess.Popen(
            [
                *(str(java / "bin" / "java"), "-XX:TieredStopAtLevel=1"),
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                *("-cp", os.pathsep.join(map(str, own)), str(PROGRAM)),
                *(str(found.configuration), hadoop_class_path(), str(found.files)),
                str(flink.home / "lib"),
            ],
            cwd=folder,
            env={**os.environ, "JAVA_HOME": str(java)},
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    try:
        ready = found.configuration / "yarn-site.xml"
        assert eventually(lambda: ready.is_file() or process.poll() is not None, STARTED)
        assert process.poll() is None, (folder / "out.txt").read_text()[-4000:]
        yield found
    finally:
        process.kill()
        process.communicate(timeout=60)


def hadoop_class_path() -> str:
    return os.pathsep.join(str(jar_of(project)) for project, row in PINS.items() if "client" in row)


@pytest.mark.parametrize("how", ["shipped", "provided"])
def test_what_yarn_starts_runs_our_classes(
    how: str,
    hadoop_line: Line,
    flink: FlinkInstallation,
    yarn: Yarn,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HADOOP_CLASSPATH", hadoop_class_path())
    monkeypatch.setenv("HADOOP_CONF_DIR", str(yarn.configuration))
    provided = ("-Dyarn.provided.lib.dirs=hdfs:///lib",) if how == "provided" else ()
    before = {name: len(yarn.logs(name)) for name in ("jobmanager.log", "taskmanager.log")}
    counts = tmp_path / "counts"

    ended = flink.run(
        *(
            "flink",
            COMMANDS[hadoop_line.version],
            "--target",
            "yarn-application",
            *MEMORY,
            *provided,
        ),
        "-Dyarn.staging-directory=hdfs:///staging",
        *(str(ensure_example(hadoop_line, "WordCount")), "--output", counts.as_uri()),
        seconds=JOB_SECONDS,
    )

    assert ended.exit_code == 0, ended.output
    assert eventually(lambda: len(written(counts)) > 200, JOB_SECONDS), yarn.logs("jobmanager.log")
    for name, count in before.items():
        logs = yarn.logs(name)
        assert len(logs) == count + 1
        for log in logs:
            (announcement,) = announced(log)
            assert f"for Flink {hadoop_line.version}: mode on" in announcement
            (class_path,) = {line for line in log.splitlines() if "  Classpath: " in line}
            jars = [Path(entry).name for entry in class_path.split(":")]
            ours = jars.index(hadoop_line.dropin_name(VERSION))
            (dist,) = [place for place, jar in enumerate(jars) if jar.startswith("flink-dist")]
            assert ours < dist


def written(folder: Path) -> list[str]:
    """What the job wrote into parts that are complete."""
    parts = [file for file in folder.rglob("part-*") if file.is_file()]
    return sorted(line for part in parts for line in part.read_text().splitlines())
