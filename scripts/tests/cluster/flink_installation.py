"""A Flink installation of a test's own: private copy, free ports, everything stopped at the end."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from flink_boost.distribution import private_copy

START_SECONDS = 60
JOB_SECONDS = 60
STOP_SECONDS = 20


@dataclass(frozen=True)
class Ended:
    """A process that came to its end."""

    exit_code: int
    seconds: float
    output: str


class FlinkInstallation:
    """Flink's own scripts, run on a private copy of a distribution.

    As a context manager it stops whatever was started from it. JVMs log the classes they load to
    ``log/classes.<pid>.txt``, so that a test can tell which jar a class came from.
    """

    def __init__(
        self,
        distribution: Path,
        home: Path,
        jars: Sequence[Path] = (),
        options: Mapping[str, str] | None = None,
    ) -> None:
        """``jars`` go to ``lib/``; ``options`` are lines of the configuration, key to value."""
        self.home = private_copy(distribution, home)
        for jar in jars:
            # Not linked: a build may write the jar anew while a JVM has it open.
            shutil.copy(jar, home / "lib" / jar.name)
        self._rest_port, rpc_port = _free_ports(2)
        self._configure(rpc_port, dict(options or {}))
        self._processes: list[subprocess.Popen[str]] = []

    def __enter__(self) -> FlinkInstallation:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait(STOP_SECONDS)
        for signal_number in (signal.SIGTERM, signal.SIGKILL):
            for pid in self.daemons():
                os.kill(pid, signal_number)
            if eventually(lambda: not self.daemons(), STOP_SECONDS):
                # pytest keeps the folder for its logs; changed jars in it are large.
                shutil.rmtree(self.home / "lib")
                return
        raise AssertionError(f"{self.home}: still running: {self.daemons()}")

    def start_cluster(self) -> None:
        """``bin/start-cluster.sh``, and waits until a slot is offered."""
        started = self.run("start-cluster.sh", seconds=START_SECONDS)
        assert started.exit_code == 0, started.output
        assert eventually(lambda: self.slots() > 0, START_SECONDS), self.everything_logged()

    def daemons(self) -> list[int]:
        """Process ids of what ``bin/start-cluster.sh`` started here and what is still running."""
        pids = []
        for file in (self.home / "tmp").glob("*.pid"):
            pids += [int(pid) for pid in file.read_text().split() if self._is_ours(int(pid))]
        return pids

    def slots(self) -> int:
        """The task slots that the JobManager knows of; 0 when it does not answer."""
        url = f"http://localhost:{self._rest_port}/overview"
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                text: str = answer.read().decode()
        except (urllib.error.URLError, OSError):
            return 0
        return int(text.split('"slots-total":')[1].split(",")[0])

    def run_job(self, jar: Path, *arguments: str) -> Ended:
        """``bin/flink run`` with a job's jar."""
        return self.run("flink", "run", str(jar), *arguments, seconds=JOB_SECONDS)

    def run(self, script: str, *arguments: str, seconds: float) -> Ended:
        """A script of ``bin`` until it ends; stops it and fails after the time limit."""
        start = time.monotonic()
        # Output goes to a file: a daemon inherits it, and a pipe would stay open as long as that.
        out = self.home / "tmp" / f"{script}.{len(self._processes)}.txt"
        with out.open("w") as file:
            process = subprocess.Popen(
                [str(self.home / "bin" / script), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                text=True,
                env=self._environment(),
                start_new_session=True,
            )
        self._processes.append(process)
        try:
            exit_code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(STOP_SECONDS)
            raise AssertionError(
                f"{script} did not end within {seconds} s:\n{out.read_text()}"
            ) from None
        return Ended(exit_code, time.monotonic() - start, out.read_text())

    def log(self, process: str) -> str:
        """The log of ``standalonesession``, ``taskexecutor`` or ``client``."""
        files = sorted((self.home / "log").glob(f"flink-*-{process}-*.log"))
        return "".join(file.read_text(errors="replace") for file in files)

    def everything_logged(self) -> str:
        """All logs and outputs, for the message of a failing test."""
        files = [*(self.home / "log").glob("flink-*"), *(self.home / "tmp").glob("*.txt")]
        return "\n".join(f"== {f.name}\n{f.read_text(errors='replace')[-4000:]}" for f in files)

    def loaded_classes(self, entry_point: str) -> dict[str, str]:
        """Class name to the jar it came from, for the JVM that ran this entry point."""
        for file in sorted((self.home / "log").glob("classes.*.txt")):
            text = file.read_text(errors="replace")
            if f" {entry_point} source:" in text:
                return dict(_loaded(text))
        raise AssertionError(f"No JVM loaded {entry_point}.\n{self.everything_logged()}")

    def _is_ours(self, pid: int) -> bool:
        try:
            return str(self.home) in Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
        except OSError:
            return False

    def _configure(self, rpc_port: int, options: dict[str, str]) -> None:
        file = self.home / "conf" / "config.yaml"
        text = file.read_text()
        for shipped, ours in {
            "port: 6123": f"port: {rpc_port}",
            "size: 1600m": "size: 1000m",
            "size: 1728m": "size: 1000m",
        }.items():
            assert text.count(f"    {shipped}\n") == 1, shipped
            text = text.replace(f"    {shipped}\n", f"    {ours}\n")
        log_classes = f"-Xlog:class+load:file={self.home}/log/classes.%p.txt"
        options = {
            "rest.port": str(self._rest_port),
            "taskmanager.memory.network.min": "32m",
            "taskmanager.memory.network.max": "32m",
            **options,
        }
        java_options = options.pop("env.java.default-opts.all", "")
        options["env.java.default-opts.all"] = f"{log_classes} {java_options}".strip()
        lines = [f'{key}: "{value}"' for key, value in options.items()]
        file.write_text(text + "\n" + "\n".join(lines) + "\n")

    def _environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("FLINK", "JVM_ARGS"))}
        return {
            **kept,
            "FLINK_PID_DIR": str(self.home / "tmp"),
            "FLINK_IDENT_STRING": "test",
            "TMPDIR": str(self.home / "tmp"),
        }


def count_words(flink: FlinkInstallation, word_count: Path, folder: Path) -> list[str]:
    """Runs WordCount on its built-in text; the lines it wrote, sorted."""
    ended = flink.run_job(word_count, "--output", folder.as_uri())
    assert ended.exit_code == 0, ended.output + flink.everything_logged()
    parts = [file for file in folder.rglob("*") if file.is_file()]
    lines = sorted(line for part in parts for line in part.read_text().splitlines())
    assert len(lines) > 200, "WordCount wrote next to nothing"
    return lines


def eventually(condition: Callable[[], bool], seconds: float) -> bool:
    """Whether the condition holds within that time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.2)
    return True


def _loaded(text: str) -> list[tuple[str, str]]:
    """Pairs of class and jar from ``-Xlog:class+load`` lines."""
    pairs = []
    for line in text.splitlines():
        before, separator, source = line.partition(" source: ")
        if separator:
            pairs.append((before.rsplit(" ", 1)[-1], source.strip().rsplit("/", 1)[-1]))
    return pairs


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    try:
        for free in sockets:
            free.bind(("localhost", 0))
        return [int(free.getsockname()[1]) for free in sockets]
    finally:
        for free in sockets:
            free.close()
