"""A small Flink cluster, started by an installation's own scripts, for one job.

It has ports, configuration, logs, process ids and temporary files of its own in a folder that the
caller deletes, so it runs beside one that is in use and leaves nothing in the installation.
"""

from __future__ import annotations

import http.client
import re
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from shlex import quote

from flink_boost.base.errors import EnvironmentProblem, VerificationFailed
from flink_boost.base.net import free_ports
from flink_boost.base.processes import end_supervised, has_ended, start_supervised
from flink_boost.base.users import copy_into, hand_over, open_to
from flink_boost.flink.jvm_options import agents, taken_over
from flink_boost.flink.launch import Launch
from flink_boost.flink.lines import Line

# Where a TaskManager writes down where its classes come from, below the cluster's folder.
CLASSES = "classes.txt"
_START_SECONDS = 300.0
_JOB_SECONDS = 300.0
_HTTP_SECONDS = 5.0
# A proxy of the environment does not know what is on this machine.
_DIRECTLY = urllib.request.build_opener(urllib.request.ProxyHandler({}))
_POLL_SECONDS = 0.2
_SHOWN_LINES = 15
# As the scripts name the variables of these roles.
_SHORT = {"jobmanager": "JM", "taskmanager": "TM"}
_MEMORY = {
    "jobmanager.memory.process.size": "1000m",
    "taskmanager.memory.process.size": "1000m",
    "taskmanager.memory.network.min": "32m",
    "taskmanager.memory.network.max": "32m",
}
_OLD_FORM = "flink-conf.yaml"
_MEMORY_1_9 = {
    "jobmanager.heap.size": "512m",
    "taskmanager.heap.size": "512m",
    "taskmanager.network.memory.min": "32m",
    "taskmanager.network.memory.max": "32m",
}


@contextmanager
def running_cluster(
    home: Path,
    conf: Path,
    line: Line,
    folder: Path,
    launch: Launch,
    environment: Mapping[str, str],
) -> Iterator[Cluster]:
    """A cluster that offers a slot; its processes are gone at the end.

    ``home`` is the installation, ``conf`` the folder of its configuration, ``folder`` where
    everything of the cluster goes; ``launch.user``, whom all of it runs as, may enter it. Raises
    ``VerificationFailed`` when a process ends at start, and ``EnvironmentProblem`` when the machine
    is too slow to tell.
    """
    cluster = Cluster(home, conf, line, folder, launch, environment)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


class Cluster:
    """A JobManager and a TaskManager in the foreground, as children of this process.

    ``folder`` is what they write to.
    """

    def __init__(
        self,
        home: Path,
        conf: Path,
        line: Line,
        folder: Path,
        launch: Launch,
        environment: Mapping[str, str],
    ) -> None:
        self._home = home
        self._outputs = folder
        self._user = launch.user
        self.folder = folder / "cluster"
        folder = self.folder
        self._rest_port, rpc_port = free_ports(2)
        # An agent was started alone; two processes of one machine cannot have its port.
        self._options = {
            role: taken_over(words, agents(words)) for role, words in launch.options.items()
        }
        self._environment = {
            **{
                key: value
                for key, value in launch.environment(environment).items()
                if not key.startswith("FLINK_")
            },
            # Its configuration, which may name a Java, stays out.
            **_java_home(launch.java),
            "FLINK_CONF_DIR": str(folder / "conf"),
            "FLINK_LOG_DIR": str(folder / "log"),
            "FLINK_PID_DIR": str(folder / "pid"),
            "FLINK_IDENT_STRING": "flink-boost-verify",
        }
        self._guards: list[subprocess.Popen[bytes]] = []
        for name in ("conf", "log", "pid", "tmp"):
            (folder / name).mkdir(parents=True)
        self._configure(conf, line, rpc_port)

    def start(self) -> None:
        """Starts both processes and waits until a task slot is offered."""
        self._launch("jobmanager", "jobmanager.sh", "start-foreground")
        self._launch("taskmanager", "taskmanager.sh", "start-foreground")
        deadline = time.monotonic() + _START_SECONDS
        while slots_of(self._rest_port) == 0:
            if any(has_ended(guard, 0) for guard in self._guards):
                raise self._failure(f"A process of {self._home} ended at start")
            if time.monotonic() > deadline:
                raise self._too_slow(f"A cluster of {self._home} offered no slot", _START_SECONDS)
            time.sleep(_POLL_SECONDS)

    def submit(self, job: Path, output: Path) -> None:
        """Runs a job to its end. Raises what ``running_cluster`` raises."""
        client = self._launch("client", "flink", "run", str(job), "--output", output.as_uri())
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

    def _launch(self, role: str, script: str, *arguments: str) -> subprocess.Popen[bytes]:
        guard = start_supervised(
            [str(self._home / "bin" / script), *arguments],
            self._outputs / f"{script}.out",
            {**self._environment, **self._options_of(role)},
            user=self._user,
        )
        self._guards.append(guard)
        return guard

    def _options_of(self, role: str) -> dict[str, str]:
        """The variables by which the scripts give a role its options: those of the installation."""
        # The last option counts.
        words = (*self._options[role], f"-Djava.io.tmpdir={self.folder / 'tmp'}")
        if role == "client":
            # The one place that a client of every release reads; it does not evaluate it, and it
            # splits what a file of options kept together.
            return {"JVM_ARGS": " ".join(word for word in words if len(word.split()) == 1)}
        if role == "taskmanager":
            words = (*words, f"-Xlog:class+load:file={self.folder / CLASSES}")
        return {"JVM_ARGS": "", f"FLINK_ENV_JAVA_OPTS_{_SHORT[role]}": " ".join(map(quote, words))}

    def _configure(self, shipped: Path, line: Line, rpc_port: int) -> None:
        """Only what a small cluster needs: state, security and addresses of the real one stay out.

        ``shipped`` is the folder with the installation's own configuration.
        """
        conf = self.folder / "conf"
        name = configuration_name(line, shipped)
        old_form = name == _OLD_FORM
        old_keys = line.version.startswith("1.9.")
        options = {
            "jobmanager.rpc.address": "localhost",
            "jobmanager.rpc.port": str(rpc_port),
            "rest.address": "localhost",
            "rest.port": str(self._rest_port),
            "taskmanager.host": "localhost",
            "taskmanager.numberOfTaskSlots": "1",
            "io.tmp.dirs": str(self.folder / "tmp"),
            "web.tmpdir": str(self.folder / "tmp"),
            **(_MEMORY_1_9 if old_keys else _MEMORY),
        }
        mark = "" if old_form else "'"
        lines = [f"{key}: {mark}{value}{mark}\n" for key, value in options.items()]
        (conf / name).write_text("".join(lines))
        open_to(self._outputs, self._user)
        hand_over(self.folder, self._user)
        found = sorted(shipped.iterdir()) if shipped.is_dir() else []
        logging = [
            file for file in found if file.is_file() and file.name.startswith(("log4j", "logback"))
        ]
        copy_into(logging, conf, self._user)

    def _too_slow(self, what: str, seconds: float) -> EnvironmentProblem:
        """No verdict on our jar: a machine that is busy enough does the same to stock."""
        return EnvironmentProblem(
            f"{what} within {seconds:.0f} s.",
            f"Try it on a quieter machine. The last lines of its processes:\n{self._tail()}",
        )

    def _failure(self, what: str) -> VerificationFailed:
        return VerificationFailed(f"{what}.", f"The last lines of its processes:\n{self._tail()}")

    def _tail(self) -> str:
        outputs = [file.read_text(errors="replace") for file in self._outputs.glob("*.out")]
        return "\n".join(line for text in outputs for line in text.splitlines()[-_SHOWN_LINES:])


def _java_home(java: str) -> dict[str, str]:
    """Has the scripts take that Java; nothing where they look for it on the ``PATH``."""
    path = Path(java)
    return {"JAVA_HOME": str(path.parents[1])} if path.is_absolute() else {}


def configuration_name(line: Line, shipped: Path) -> str:
    """The file that this Flink reads where ``shipped`` has one form, or both.

    Up to 1.20 the older form goes first; Flink 2 does not know it.
    """
    old = line.version.startswith("1.") and (shipped / _OLD_FORM).is_file()
    return _OLD_FORM if old else "config.yaml"


def slots_of(port: int) -> int:
    """How many slots the cluster with that REST port has; 0 while it does not answer."""
    try:
        with _DIRECTLY.open(f"http://localhost:{port}/overview", timeout=_HTTP_SECONDS) as answer:
            text: str = answer.read().decode(errors="replace")
    except (OSError, http.client.HTTPException):
        return 0
    slots = re.search(r'"slots-total":\s*(\d+)', text)
    return int(slots[1]) if slots else 0
