"""Runs an example job of Flink's on a small cluster, started by an installation's own scripts.

The cluster has ports, configuration, logs and process ids of its own in a temporary folder, so it
runs beside one that is in use and leaves nothing in the installation. It is started a second time
without our jar, to know what stock writes.
"""

from __future__ import annotations

import http.client
import re
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from flink_boost.errors import EnvironmentProblem, VerificationFailed
from flink_boost.flinkhome import FlinkHome
from flink_boost.launch import Launch
from flink_boost.lines import Line
from flink_boost.supervise import end_supervised, has_ended, start_supervised
from flink_boost.verify import Check

_START_SECONDS = 300.0
_JOB_SECONDS = 300.0
_HTTP_SECONDS = 5.0
_POLL_SECONDS = 0.2
_SHOWN_LINES = 15

# Loaded by the codec the first time a string is written or read.
_CODEC = (
    "org.apache.flink.boost.string.StringWriter",
    "org.apache.flink.boost.string.StringReader",
)


@dataclass(frozen=True)
class Outcome:
    """What a job wrote, sorted, and where the TaskManager's classes came from."""

    lines: tuple[str, ...]
    classes: Mapping[str, str]


def compare_job(
    home: FlinkHome,
    line: Line,
    launch: Launch,
    jar: Path,
    job: Path,
    environment: Mapping[str, str],
    stock: Path,
) -> Check:
    """Runs the job with our jar and without it, and compares what it wrote.

    ``jar`` is the one that has our classes, ``stock`` the official ``flink-dist``.

    Raises ``VerificationFailed`` when a process or the job fails, ``EnvironmentProblem`` when the
    machine is too slow to tell.
    """
    with tempfile.TemporaryDirectory(prefix="flink-boost-job-") as folder:
        aside = Path(folder)
        stock_home = _without(home, jar, stock, aside / "flink")
        try:
            expected = _run(stock_home, line, aside / "stock", launch, job, environment)
        except VerificationFailed as error:
            raise EnvironmentProblem(
                f"Without our jar: {error.message}", error.next_step
            ) from error
        ours = _run(home.folder, line, aside / "ours", launch, job, environment)
    return compare_outcomes(ours, expected, line, launch, jar, job.name)


def compare_outcomes(
    ours: Outcome, stock: Outcome, line: Line, launch: Launch, jar: Path, job: str
) -> Check:
    """The verdict on a job that ran with our jar and without it."""
    foreign = [name for name in line.classes if ours.classes.get(name, str(jar)) != str(jar)]
    used = set(_CODEC) <= set(ours.classes)
    off = launch.mode("taskmanager") == "off"
    text = f"{job} wrote {len(ours.lines):,} lines"
    if ours.lines != stock.lines or not ours.lines:
        differing = sum((Counter(ours.lines) - Counter(stock.lines)).values())
        missing = sum((Counter(stock.lines) - Counter(ours.lines)).values())
        return Check(
            "job", False, f"{text}, {differing:,} of them not as on stock, {missing:,} are missing."
        )
    if foreign:
        origin = ours.classes[foreign[0]]
        return Check("job", False, f"{text}, but its TaskManager took {foreign[0]} from {origin}.")
    if used == off:
        state = "ran although it is switched off" if off else "was not used"
        return Check("job", False, f"{text}, but our codec {state}.")
    how = "with our codec switched off" if off else "with our codec"
    return Check("job", True, f"{text} {how}, the same as without the jar.")


def _run(
    home: Path,
    line: Line,
    folder: Path,
    launch: Launch,
    job: Path,
    environment: Mapping[str, str],
) -> Outcome:
    with _cluster(home, line, folder, launch, environment) as cluster:
        output = folder / "output"
        cluster.submit(job, output)
        # 1.9 writes a file, newer releases a folder.
        parts = [file for file in (output, *output.rglob("*")) if file.is_file()]
        lines = sorted(line for part in parts for line in part.read_text().splitlines())
    return Outcome(tuple(lines), loaded_classes(folder / "classes.txt"))


def _without(home: FlinkHome, jar: Path, stock: Path, target: Path) -> Path:
    """An installation with the same files but for our classes; all linked except the scripts."""
    # Scripts find their installation by the folder that they are in, so a link would not do.
    shutil.copytree(home.folder / "bin", target / "bin")
    for file in home.lib.rglob("*"):
        if file.is_file() and (file != jar or file == home.dist):
            link = target / "lib" / file.relative_to(home.lib)
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(stock if file == home.dist else file)
    for name in ("opt", "plugins"):
        if (home.folder / name).exists():
            (target / name).symlink_to(home.folder / name)
    shutil.copytree(home.folder / "conf", target / "conf")
    return target


@contextmanager
def _cluster(
    home: Path, line: Line, folder: Path, launch: Launch, environment: Mapping[str, str]
) -> Iterator[_Cluster]:
    cluster = _Cluster(home, line, folder, launch, environment)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


class _Cluster:
    """A JobManager and a TaskManager in the foreground, as children of this process."""

    def __init__(
        self,
        home: Path,
        line: Line,
        folder: Path,
        launch: Launch,
        environment: Mapping[str, str],
    ) -> None:
        self._home = home
        self._folder = folder
        self._rest_port, rpc_port = free_ports(2)
        self._environment = {
            **{key: value for key, value in environment.items() if not key.startswith("FLINK_")},
            "FLINK_CONF_DIR": str(folder / "conf"),
            "FLINK_LOG_DIR": str(folder / "log"),
            "FLINK_PID_DIR": str(folder / "pid"),
            "FLINK_IDENT_STRING": "flink-boost-verify",
        }
        self._guards: list[subprocess.Popen[bytes]] = []
        for name in ("conf", "log", "pid", "tmp"):
            (folder / name).mkdir(parents=True)
        self._configure(launch, line, rpc_port)

    def start(self) -> None:
        """Starts both processes and waits until a task slot is offered."""
        self._launch("jobmanager.sh", "start-foreground")
        self._launch("taskmanager.sh", "start-foreground")
        deadline = time.monotonic() + _START_SECONDS
        while self._slots() == 0:
            if any(has_ended(guard, 0) for guard in self._guards):
                raise self._failure(f"A process of {self._home} ended at start")
            if time.monotonic() > deadline:
                raise self._too_slow(f"A cluster of {self._home} offered no slot", _START_SECONDS)
            time.sleep(_POLL_SECONDS)

    def submit(self, job: Path, output: Path) -> None:
        """Runs a job to its end."""
        client = self._launch("flink", "run", str(job), "--output", output.as_uri())
        if not has_ended(client, _JOB_SECONDS):
            raise self._too_slow(f"{job.name} did not end", _JOB_SECONDS)
        self._guards.remove(client)
        end_supervised(client)
        if client.returncode != 0:
            raise self._failure(f"{job.name} failed with code {client.returncode}")

    def stop(self) -> None:
        """Kills what is left: there is nothing in this cluster that anyone would miss."""
        for guard in self._guards:
            end_supervised(guard)

    def _launch(self, script: str, *arguments: str) -> subprocess.Popen[bytes]:
        guard = start_supervised(
            [str(self._home / "bin" / script), *arguments],
            self._folder / f"{script}.out",
            self._environment,
        )
        self._guards.append(guard)
        return guard

    def _slots(self) -> int:
        url = f"http://localhost:{self._rest_port}/overview"
        try:
            with urllib.request.urlopen(url, timeout=_HTTP_SECONDS) as answer:
                text: str = answer.read().decode(errors="replace")
        except (OSError, http.client.HTTPException):
            return 0
        slots = re.search(r'"slots-total":\s*(\d+)', text)
        return int(slots[1]) if slots else 0

    def _configure(self, launch: Launch, line: Line, rpc_port: int) -> None:
        """Only what a small cluster needs: state, security and addresses of the real one stay out.

        JVM options are those of the installation that decide how our classes behave.
        """
        conf = self._folder / "conf"
        shipped = self._home / "conf"
        for file in shipped.iterdir():
            if file.is_file() and file.name.startswith(("log4j", "logback")):
                shutil.copy(file, conf / file.name)
        # Where both are, the scripts read the older form.
        old_form = (shipped / "flink-conf.yaml").is_file()
        old_keys = line.version.startswith("1.9.")
        classes = f"-Xlog:class+load:file={self._folder}/classes.txt"
        options = {
            "jobmanager.rpc.address": "localhost",
            "jobmanager.rpc.port": str(rpc_port),
            "rest.address": "localhost",
            "rest.port": str(self._rest_port),
            "taskmanager.host": "localhost",
            "taskmanager.numberOfTaskSlots": "1",
            "io.tmp.dirs": str(self._folder / "tmp"),
            **(_MEMORY_1_9 if old_keys else _MEMORY),
            "env.java.opts.jobmanager": " ".join(launch.options["jobmanager"]),
            "env.java.opts.taskmanager": " ".join((*launch.options["taskmanager"], classes)),
            "env.java.opts.client": " ".join(launch.options["client"]),
        }
        quote = "" if old_form else "'"
        lines = [f"{key}: {quote}{value}{quote}\n" for key, value in options.items() if value]
        (conf / ("flink-conf.yaml" if old_form else "config.yaml")).write_text("".join(lines))

    def _too_slow(self, what: str, seconds: float) -> EnvironmentProblem:
        """No verdict on our jar: a machine that is busy enough does the same to stock."""
        return EnvironmentProblem(
            f"{what} within {seconds:.0f} s.",
            f"Try it on a quieter machine. The last lines of its processes:\n{self._tail()}",
        )

    def _failure(self, what: str) -> VerificationFailed:
        return VerificationFailed(f"{what}.", f"The last lines of its processes:\n{self._tail()}")

    def _tail(self) -> str:
        outputs = [file.read_text(errors="replace") for file in self._folder.glob("*.out")]
        return "\n".join(line for text in outputs for line in text.splitlines()[-_SHOWN_LINES:])


_MEMORY = {
    "jobmanager.memory.process.size": "1000m",
    "taskmanager.memory.process.size": "1000m",
    "taskmanager.memory.network.min": "32m",
    "taskmanager.memory.network.max": "32m",
}
_MEMORY_1_9 = {
    "jobmanager.heap.size": "512m",
    "taskmanager.heap.size": "512m",
    "taskmanager.network.memory.min": "32m",
    "taskmanager.network.memory.max": "32m",
}


def loaded_classes(file: Path) -> dict[str, str]:
    """Class name to the jar it came from, of ``-Xlog:class+load`` lines."""
    found = {}
    if file.is_file():
        for line in file.read_text(errors="replace").splitlines():
            before, separator, source = line.partition(" source: ")
            if separator:
                name = before.rsplit(" ", 1)[-1]
                found[name] = source.strip().removeprefix("file:")
    return found


def free_ports(count: int) -> list[int]:
    """Ports of this machine that nobody listened on a moment ago."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for free in sockets:
            free.bind(("localhost", 0))
        return [int(free.getsockname()[1]) for free in sockets]
    finally:
        for free in sockets:
            free.close()
