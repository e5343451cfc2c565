"""The test jobs of ``jobs/``, started and stopped by Flink's client."""

from __future__ import annotations

import re
import subprocess
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flink_installation import QUICK, FlinkInstallation, eventually

from flink_boost.flink.jdks import java_home
from flink_boost.flink.lines import Line
from flink_boost.flink.versions import version_key

SOURCES = Path(__file__).with_name("jobs")
# Long enough for a machine that does other things at the same time.
CLIENT_SECONDS = 300
WAIT_SECONDS = 600
_COMPILE_SECONDS = 300
_ASK_SECONDS = 1.0
# What Flink calls the backend, its folder and the size from which state goes to files, from each
# release on.
_NAMES = {
    "1.20.0": (
        "state.backend.type",
        "execution.checkpointing.dir",
        "execution.checkpointing.data-inline-threshold",
    ),
    "1.18.0": ("state.backend.type", "state.checkpoints.dir", "state.storage.fs.memory-threshold"),
    "1.13.0": ("state.backend", "state.checkpoints.dir", "state.storage.fs.memory-threshold"),
    "1.9.0": ("state.backend", "state.checkpoints.dir", "state.backend.fs.memory-threshold"),
}


def has_records(line: Line, jdk: int) -> bool:
    """Whether the jar moves records there, so that the jobs have some; Java has them from 16 on."""
    return jdk >= 17 and "records" in line.family_of.values()


def build_jobs(
    line: Line, distribution: Path, folder: Path, schema: str = "before", jdk: int = 0
) -> Path:
    """A jar with the test jobs, compiled against the line's own jars.

    ``schema``: which fields the classes of its records have, those of ``before`` or ``after``.
    ``jdk``: which the jobs are for; 0 is the line's first.
    """
    jdk = jdk or line.jdks[0]
    records = SOURCES / ("records" if has_records(line, jdk) else "no-records")
    places = (SOURCES / f"flink-{line.version.split('.')[0]}", records, records / schema)
    classes = folder / "classes"
    done = subprocess.run(
        [
            # The run-time images that lines run on have no compiler.
            *(
                str(java_home(17) / "bin" / "javac"),
                f"-J{QUICK}",
                "--release",
                str(min(jdk, 17)),
                "-d",
                str(classes),
            ),
            # Class path, options and formats of Flink's jars are not ours to mend.
            *("-Xlint:all,-classfile,-path,-processing,-deprecation", "-Werror"),
            *("-cp", f"{distribution}/lib/*", *map(str, sorted(SOURCES.glob("common/*.java")))),
            *(str(file) for place in places for file in sorted(place.glob("*.java"))),
        ],
        capture_output=True,
        text=True,
        timeout=_COMPILE_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    jar = folder / "jobs.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        for file in sorted(classes.rglob("*.class")):
            archive.write(file, str(file.relative_to(classes)))
    return jar


@dataclass(frozen=True)
class RunningJob:
    """A job on a cluster, by its id."""

    flink: FlinkInstallation
    id: str

    @staticmethod
    def submit_without_client(
        flink: FlinkInstallation,
        jar: Path,
        main_class: str,
        *arguments: str | Path,
        savepoint: str = "",
    ) -> RunningJob:
        """As ``submit``; the job's main method runs in the JobManager."""
        found = flink.order(
            f"/jars/{flink.upload(jar)}/run",
            {
                "entryClass": main_class,
                "programArgsList": [str(argument) for argument in arguments],
                **({"savepointPath": savepoint} if savepoint else {}),
            },
        )
        return RunningJob(flink, str(found["jobid"]))

    @staticmethod
    def submit(
        flink: FlinkInstallation,
        jar: Path,
        main_class: str,
        *arguments: str | Path,
        savepoint: str = "",
    ) -> RunningJob:
        """``bin/flink run --detached``, from a savepoint if one is given."""
        ended = flink.run(
            "flink",
            *("run", "--detached", *(("-s", savepoint) if savepoint else ())),
            *("-c", main_class, str(jar), *map(str, arguments)),
            seconds=CLIENT_SECONDS,
        )
        found = re.search(r"submitted with JobID ([0-9a-f]{32})", ended.output)
        assert ended.exit_code == 0, ended.output + flink.everything_logged()
        assert found, ended.output
        return RunningJob(flink, found[1])

    def stop_with_savepoint(self, folder: Path, *, native: bool = False) -> str:
        """``bin/flink stop``; the savepoint's address. ``native``: in the backend's own form."""
        form = ("--type", "native") if native else ()
        ended = self.flink.run(
            *("flink", "stop", *form, "-p", folder.as_uri(), self.id), seconds=CLIENT_SECONDS
        )
        found = re.search(r"Savepoint completed. Path: (\S+)", ended.output)
        assert ended.exit_code == 0, ended.output + self.flink.everything_logged()
        assert found, ended.output
        return found[1]

    def stop_without_client(self, folder: Path, *, native: bool = False) -> None:
        """The same as ``bin/flink stop`` asks for, without the JVMs that the script starts.

        It takes seconds less, so that some tasks may not run yet, and Flink would refuse.
        """
        self._wait_until(self._all_tasks_run)
        wish = {"targetDirectory": folder.as_uri(), "drain": False}
        form = {"formatType": "NATIVE"} if native else {}
        answer = self.flink.order(f"/jobs/{self.id}/stop", {**wish, **form})
        path = f"/savepoints/{answer['request-id']}"

        def completed() -> bool:
            return bool(self._ask(path)["status"]["id"] == "COMPLETED")

        assert eventually(completed, CLIENT_SECONDS), self._told()
        assert "location" in self._ask(path)["operation"], self._told()

    def state(self) -> str:
        """``RUNNING``, ``FINISHED`` and so on."""
        return str(self._ask("")["state"])

    def completed(self) -> int:
        """How many checkpoints were completed."""
        return int(self._ask("/checkpoints")["counts"]["completed"])

    def restored(self) -> int:
        """How often the job went on from a checkpoint after a failure."""
        return int(self._ask("/checkpoints")["counts"]["restored"])

    def wait_for_file(self, file: Path) -> None:
        """Waits until the job has written a file; fails at once when the job does."""
        while not eventually(file.exists, _ASK_SECONDS):
            assert self.state() in ("CREATED", "INITIALIZING", "RUNNING"), self._told()

    def wait_for_checkpoints(self, count: int) -> None:
        """Waits until that many more checkpoints were completed."""
        wanted = self.completed() + count
        self._wait_until(lambda: self.completed() >= wanted)

    def wait_for_recovery(self, before: int) -> None:
        """Waits until the job was restored more often than before, and has a new checkpoint."""
        self._wait_until(lambda: self.restored() > before)
        self.wait_for_checkpoints(1)

    def wait_for_end(self, pause: float = _ASK_SECONDS) -> None:
        """Waits until the job has finished."""
        self._wait_until(lambda: self.state() in ("FINISHED", "FAILED", "CANCELED"), pause)
        assert self.state() == "FINISHED", self._told()

    def _all_tasks_run(self) -> bool:
        vertices = self._ask("")["vertices"]
        return all(each["tasks"]["RUNNING"] == each["parallelism"] for each in vertices)

    def _wait_until(self, condition: Callable[[], bool], pause: float = _ASK_SECONDS) -> None:
        # Each question costs the JobManager time that it may be short of.
        assert eventually(condition, WAIT_SECONDS, pause), self._told()

    def _ask(self, path: str) -> dict[str, Any]:
        return self.flink.ask(f"/jobs/{self.id}{path}")

    def _told(self) -> str:
        return f"{self.state()}: {self._ask('/exceptions')}\n{self.flink.everything_logged()}"


def checkpoint_options(line: Line, backend: str, folder: Path) -> dict[str, str]:
    """The configuration for ``heap``, ``rocksdb`` or ``forst`` that keeps all state in files.

    A machine may be busy for longer than Flink's 10 s, but a killed process has to be noticed.
    """
    checkpoints = (folder / "checkpoints").as_uri()
    release = version_key(line.version)
    kind, directory, threshold = next(
        names for first, names in _NAMES.items() if release >= version_key(first)
    )
    files = "filesystem" if release < version_key("1.13.0") else "hashmap"
    asks = "akka" if release < version_key("1.18.0") else "pekko"
    # Before 1.10 the client reads no JVM options.
    client = {"env.java.opts.client": "-XX:TieredStopAtLevel=1"}
    return {
        kind: files if backend == "heap" else backend,
        directory: checkpoints,
        threshold: "0",
        f"{asks}.ask.timeout": "30 s",
        "heartbeat.interval": "2000",
        "heartbeat.timeout": "30000",
        **(client if release >= version_key("1.10.0") else {}),
    }
