"""A Flink installation of a test's own: private copy, free ports, everything stopped at the end."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import eventual
import httpx
from beside_others import own_ports, start_watcher
from installations import private_copy

from flink_boost.flink.lines import Line, default_line, measured_lines
from flink_boost.operate.example_job import loaded_classes

# The optimising compiler would take half of the time of processes that live for seconds.
QUICK = "-XX:TieredStopAtLevel=1"
START_SECONDS = 180
JOB_SECONDS = 600
STOP_SECONDS = 60


@dataclass(frozen=True)
class Platform:
    """A line on one of the JDKs that it runs on."""

    line: Line
    jdk: int

    def __str__(self) -> str:
        return f"{self.line.version}-jdk{self.jdk}"


PLATFORMS = [Platform(line, jdk) for line in measured_lines() for jdk in line.jdks]
# For what depends on the line but not on the JDK.
ONE_PER_LINE = [platform for platform in PLATFORMS if platform.jdk == platform.line.jdks[0]]
DEFAULT_PLATFORM = [
    platform for platform in ONE_PER_LINE if platform.line.version == default_line()
]


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
        java_home: Path,
        home: Path,
        jars: Sequence[Path] = (),
        java_options: str = "",
        options: Mapping[str, str] | None = None,
        joins: FlinkInstallation | None = None,
        *,
        quick_scripts: bool = True,
    ) -> None:
        """``jars`` go to ``lib/``, ``java_options`` to all JVMs, ``options`` to the configuration.

        TaskManagers of an installation that ``joins`` another find that one's JobManager. Scripts
        from 1.19 on start a JVM for each look at the configuration; ``quick_scripts`` are those
        whose JVMs do without the optimising compiler.
        """
        self.home = private_copy(distribution, home)
        for jar in jars:
            # Not linked: a build may write the jar anew while a JVM has it open.
            shutil.copy(jar, home / "lib" / jar.name)
        self._java_home = java_home
        self._rest_port, self._rpc_port = joins._ports if joins else own_ports(2)
        test_options = f"-Xlog:class+load:file={home}/log/classes.%p.txt {QUICK}"
        self._java_options = f"{test_options} {java_options}".strip()
        self._tool_options = ""
        if (home / "conf" / "config.yaml").is_file():
            self._tool_options = QUICK if quick_scripts else ""
            self._configure(options or {})
        else:
            self._configure_before_yaml(options or {})
        self._processes: list[subprocess.Popen[str]] = []
        self._uploaded: dict[Path, str] = {}

    def __enter__(self) -> FlinkInstallation:
        self._watcher = start_watcher(self.home)
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._end_all()
        finally:
            self._watcher.kill()
            self._watcher.communicate()

    def _end_all(self) -> None:
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
        # A JobManager forgets what an earlier one was given.
        self._uploaded.clear()
        started = self.run("start-cluster.sh", seconds=START_SECONDS)
        assert started.exit_code == 0, started.output
        assert eventually(lambda: self.slots() > 0, START_SECONDS), self.everything_logged()

    def start_task_manager(self, name: str) -> int:
        """``bin/taskmanager.sh start`` as on a machine of that name; its process id."""
        started = self.run("taskmanager.sh", "start", seconds=START_SECONDS, name=name)
        assert started.exit_code == 0, started.output
        # Its command line is empty for a moment while the process becomes a JVM.
        file = f"flink-{name}-taskexecutor.pid"
        assert eventually(lambda: len(self._pids(file)) == 1, STOP_SECONDS), started.output
        (pid,) = self._pids(file)
        return pid

    def stop_task_manager(self, name: str) -> None:
        """``bin/taskmanager.sh stop`` as on a machine of that name, until the process is gone."""
        pids = self._pids(f"flink-{name}-taskexecutor.pid")
        stopped = self.run("taskmanager.sh", "stop", seconds=START_SECONDS, name=name)
        assert stopped.exit_code == 0, stopped.output
        assert eventually(lambda: not any(map(self._is_ours, pids)), STOP_SECONDS), pids

    def daemons(self) -> list[int]:
        """Process ids of what ``bin/start-cluster.sh`` started here and what is still running."""
        return self._pids("*.pid")

    def task_managers(self) -> list[int]:
        """Process ids of the TaskManagers that were started here and are still running."""
        return self._pids("*-taskexecutor.pid")

    def running(self, file: str) -> bool:
        """Whether a daemon with that file for its process id is still running."""
        return bool(self._pids(file))

    def slots(self) -> int:
        """The task slots that the JobManager knows of; 0 when it does not answer."""
        try:
            return int(self.ask("/overview")["slots-total"])
        except (OSError, http.client.HTTPException):
            return 0

    def ask(self, path: str) -> dict[str, Any]:
        """What the JobManager's REST interface answers; raises ``OSError`` when it does not."""
        url = f"http://localhost:{self._rest_port}{path}"
        with urllib.request.urlopen(url, timeout=60) as answer:
            found: dict[str, Any] = json.load(answer)
        return found

    def order(self, path: str, content: Mapping[str, Any]) -> dict[str, Any]:
        """What its REST interface answers to that; raises ``httpx.HTTPError``."""
        url = f"http://localhost:{self._rest_port}{path}"
        answer = httpx.post(url, json=content, timeout=JOB_SECONDS)
        assert answer.is_success, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def upload(self, jar: Path) -> str:
        """The name under which the JobManager has that jar, for ``/jars/``."""
        if jar not in self._uploaded:
            answer = httpx.post(
                f"http://localhost:{self._rest_port}/jars/upload",
                files={"jarfile": (jar.name, jar.read_bytes(), "application/x-java-archive")},
                timeout=JOB_SECONDS,
            )
            assert answer.is_success, answer.text
            self._uploaded[jar] = Path(answer.json()["filename"]).name
        return self._uploaded[jar]

    def run_job(self, jar: Path, *arguments: str) -> Ended:
        """``bin/flink run`` with a job's jar."""
        return self.run("flink", "run", str(jar), *arguments, seconds=JOB_SECONDS)

    def run(self, script: str, *arguments: str, seconds: float, name: str = "test") -> Ended:
        """A script of ``bin`` until it ends; stops it and fails after the time limit.

        ``name`` tells apart daemons that would be on machines of their own.
        """
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
                env=self._environment(script, name),
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
        """The log of ``standalonesession``, ``taskexecutor`` or ``client``, from its beginning."""
        return whole_log(self.home / "log", process)

    def everything_logged(self) -> str:
        """All logs and outputs, for the message of a failing test."""
        files = [*(self.home / "log").glob("flink-*"), *(self.home / "tmp").glob("*.txt")]
        return "\n".join(f"== {f.name}\n{f.read_text(errors='replace')[-4000:]}" for f in files)

    def loaded_classes(self, entry_point: str) -> dict[str, str]:
        """Class name to the jar it came from, for the JVM that ran this entry point."""
        for file in sorted((self.home / "log").glob("classes.*.txt")):
            text = file.read_text(errors="replace")
            if f" {entry_point} source:" in text:
                return _jars(file)
        raise AssertionError(f"No JVM loaded {entry_point}.\n{self.everything_logged()}")

    def loaded_by(self, pid: int) -> dict[str, str]:
        """Class name to the jar it came from, for the process with this id."""
        return _jars(self.home / "log" / f"classes.{pid}.txt")

    @property
    def _ports(self) -> tuple[int, int]:
        return self._rest_port, self._rpc_port

    def _pids(self, pattern: str) -> list[int]:
        files = (self.home / "tmp").glob(pattern)
        pids = [int(pid) for file in files for pid in file.read_text().split()]
        return [pid for pid in pids if self._is_ours(pid)]

    def _is_ours(self, pid: int) -> bool:
        try:
            return str(self.home) in Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
        except OSError:
            return False

    @property
    def dist(self) -> Path:
        """The jar with all of Flink; only on 1.9 its name tells the version of Scala."""
        (jar,) = (self.home / "lib").glob("flink-dist*.jar")
        return jar

    def _configure(self, more: Mapping[str, str]) -> None:
        options = {
            "rest.port": self._rest_port,
            "taskmanager.memory.network.min": "32m",
            "taskmanager.memory.network.max": "32m",
            "env.java.default-opts.all": self._java_options,
            **more,
        }
        shipped = {
            "    port: 6123\n": f"    port: {self._rpc_port}\n",
            "    size: 1600m\n": "    size: 1000m\n",
            "    size: 1728m\n": "    size: 1000m\n",
        }
        lines = [f'{key}: "{value}"' for key, value in options.items()]
        self._rewrite("config.yaml", shipped, lines)

    def _configure_before_yaml(self, more: Mapping[str, str]) -> None:
        """``flink-conf.yaml``, as before 1.19: no quotes, other keys for the same things."""
        options = {
            "rest.port": self._rest_port,
            "taskmanager.network.memory.min": "32m",
            "taskmanager.network.memory.max": "32m",
            "env.java.opts": self._java_options,
            **more,
        }
        shipped = {"jobmanager.rpc.port: 6123\n": f"jobmanager.rpc.port: {self._rpc_port}\n"}
        text = (self.home / "conf" / "flink-conf.yaml").read_text()
        if (key := "env.java.opts.all: ") in text:
            # That of 1.18 has it, and then what `env.java.opts` says does not count.
            shipped[key] = f"{key}{options.pop('env.java.opts')} "
        if "taskmanager.heap.size:" in text:
            shipped["taskmanager.heap.size: 1024m\n"] = "taskmanager.heap.size: 512m\n"
        else:  # from 1.10 on; 1.10.0 has another number than the others
            (size,) = re.findall(r"^taskmanager\.memory\.process\.size: \d+m\n", text, re.MULTILINE)
            shipped[size] = "taskmanager.memory.process.size: 1000m\n"
        lines = [f"{key}: {value}" for key, value in options.items()]
        self._rewrite("flink-conf.yaml", shipped, lines)

    def _rewrite(self, name: str, shipped: Mapping[str, str], lines: Sequence[str]) -> None:
        file = self.home / "conf" / name
        text = file.read_text()
        for old, new in shipped.items():
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        file.write_text(text + "\n" + "\n".join(lines) + "\n")

    def _environment(self, script: str, name: str) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("FLINK", "JVM_ARGS"))}
        if script == "flink" and (self.home / "conf" / "flink-conf.yaml").is_file():
            # The client of 1.9 does not read JVM options from the configuration.
            kept["JVM_ARGS"] = self._java_options
        if self._tool_options:
            kept["JAVA_TOOL_OPTIONS"] = self._tool_options
        return {
            **kept,
            "JAVA_HOME": str(self._java_home),
            "FLINK_PID_DIR": str(self.home / "tmp"),
            "FLINK_IDENT_STRING": name,
            "TMPDIR": str(self.home / "tmp"),
        }


def whole_log(folder: Path, process: str) -> str:
    """What a process logged into a folder, the parts that were set aside first.

    Flink's log4j (``OnStartupTriggeringPolicy``) sometimes begins a second file within the first
    second of a process, on stock as well. Then what the process said first is in ``….log.1``.
    """
    set_aside = sorted(
        folder.glob(f"flink-*-{process}-*.log.*"), key=lambda file: int(file.suffix[1:])
    )
    files = [*set_aside, *sorted(folder.glob(f"flink-*-{process}-*.log"))]
    return "".join(file.read_text(errors="replace") for file in files)


def _jars(file: Path) -> dict[str, str]:
    return {name: source.rsplit("/", 1)[-1] for name, source in loaded_classes(file).items()}


# Takes what ``FlinkInstallation`` takes behind ``java_home``.
Install = Callable[..., FlinkInstallation]


def run_example(flink: FlinkInstallation, job: Path, folder: Path) -> list[str]:
    """Runs an example job of Flink's on its built-in data; the lines it wrote, sorted."""
    ended = flink.run_job(job, "--output", folder.as_uri())
    assert ended.exit_code == 0, ended.output + flink.everything_logged()
    # 1.9 writes a file, newer lines a folder.
    parts = [file for file in (folder, *folder.rglob("*")) if file.is_file()]
    return sorted(line for part in parts for line in part.read_text().splitlines())


def count_words(flink: FlinkInstallation, word_count: Path, folder: Path) -> list[str]:
    """Runs WordCount on its built-in text; the lines it wrote, sorted."""
    lines = run_example(flink, word_count, folder)
    assert len(lines) > 200, "WordCount wrote next to nothing"
    return lines


def eventually(condition: Callable[[], bool], seconds: float, pause: float = 0.2) -> bool:
    """As ``eventual`` has it, with a pause that a cluster does not feel."""
    return eventual.eventually(condition, seconds, pause)
