"""Starts services of a compose file in containers of buildah, since no compose runs here.

As compose does it: variables filled in, services in the order of ``depends_on`` and only when what
they wait for is healthy by its own health check, environment and command from the file, the rest
from the image. All share one network of their own, in which each has its name and an address.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from flink_boost.base.places import PROJECT_ROOT

DOCKER = PROJECT_ROOT / "docker"
COMPOSE = DOCKER / "compose.yaml"
BUILDAH = {"BUILDAH_ISOLATION": "chroot", "STORAGE_DRIVER": "vfs"}
HEALTHY_SECONDS = 600
COMMAND_SECONDS = 600

_VARIABLE = re.compile(r"\$\{(\w+)(?::([-?])([^}]*))?\}")

# A network of its own, with nothing in it but the loopback device.
_HOLD_NETWORK = """
import fcntl, socket, struct, sys, time
with socket.socket() as any_socket:
    fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh22x", b"lo", 0x1 | 0x40))
print("up", flush=True)
sys.stdin.read()
"""


def read_compose(file: Path, environment: Mapping[str, str]) -> dict[str, Any]:
    """The file with its variables filled in, and with each secret's ``content``.

    Raises ``KeyError`` for a variable that has to be set.
    """

    def fill(value: Any) -> Any:
        if isinstance(value, str):
            return _VARIABLE.sub(replace, value)
        if isinstance(value, dict):
            return {key: fill(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [fill(inner) for inner in value]
        return value

    def replace(match: re.Match[str]) -> str:
        name, kind, word = match.groups()
        value = environment.get(name, "")
        if not value and kind == "?":
            raise KeyError(f"{name}: {word}")
        return value or (word if kind == "-" else "")

    filled: dict[str, Any] = fill(YAML(typ="safe").load(file))
    for secret in filled.get("secrets", {}).values():
        name = secret["environment"]
        if name not in environment:
            raise KeyError(f"{name}: required by a secret")
        secret["content"] = environment[name]
    return filled


def write_secrets(document: Mapping[str, Any], name: str, folder: Path) -> dict[Path, str]:
    """The files of a service's secrets, with the mode and owner that it asks for, as mounts."""
    mounts = {}
    folder.mkdir(parents=True, exist_ok=True)
    for asked in document["services"][name].get("secrets", ()):
        how = {"source": asked} if isinstance(asked, str) else asked
        file = folder / how["source"]
        file.unlink(missing_ok=True)
        file.write_text(document["secrets"][how["source"]]["content"], encoding="utf-8")
        # YAML 1.2 reads 0400 as a decimal number; compose reads it as the octal one that it is.
        file.chmod(int(str(how.get("mode", 444)), 8))
        if os.getuid() == 0:
            os.chown(file, int(how.get("uid", 0)), int(how.get("gid", 0)))
        mounts[file] = f"/run/secrets/{how['source']}:ro"
    return mounts


def start_order(services: Mapping[str, Any], profiles: Sequence[str] = ()) -> list[str]:
    """Names of the services of these profiles, each behind those that it depends on."""
    order: list[str] = []

    def add(name: str, above: tuple[str, ...]) -> None:
        if name in above:
            raise ValueError(f"{name} waits for itself: {above}")
        for needed in services[name].get("depends_on", {}):
            add(needed, (*above, name))
        if name not in order:
            order.append(name)

    for name, service in services.items():
        if set(service.get("profiles", ())) <= set(profiles):
            add(name, ())
    return order


def buildah(*arguments: str, seconds: float = COMMAND_SECONDS) -> str:
    """What a call of buildah prints."""
    done = subprocess.run(
        ["buildah", *arguments],
        env={**os.environ, **BUILDAH},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    assert done.returncode == 0, f"buildah {' '.join(arguments)}: {done.stderr}{done.stdout}"
    return done.stdout.strip()


def image_configuration(image: str) -> dict[str, Any]:
    """What the image says about how it is to be run."""
    found = json.loads(buildah("inspect", "--type", "image", image))
    configuration: dict[str, Any] = found["Docker"]["config"]
    return configuration


class Services:
    """The running services of one compose file; a context manager that leaves nothing behind."""

    def __init__(self, document: Mapping[str, Any], folder: Path) -> None:
        """Logs and shared files go to ``folder``."""
        self._document = document
        self._services = document["services"]
        self._folder = folder
        self._containers: dict[str, str] = {}
        self._volumes: dict[str, Mapping[Path, str]] = {}
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self.started: list[str] = []
        self._network = subprocess.Popen(
            ["unshare", "--net", sys.executable, "-c", _HOLD_NETWORK],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self._network.stdout is not None
        assert self._network.stdout.readline() == b"up\n"
        hosts = [f"127.0.0.{i} {name}" for i, name in enumerate(self._services, start=2)]
        self._hosts = folder / "hosts"
        self._hosts.write_text(
            "\n".join([f"127.0.0.1 localhost {socket.gethostname()}", *hosts, ""])
        )

    def __enter__(self) -> Services:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes.values():
            _end(process)
        for container in self._containers.values():
            buildah("rm", container)
        self._network.communicate(b"")

    def start(self, name: str, volumes: Mapping[Path, str]) -> None:
        """Starts a service once those that it depends on are healthy; returns when it is, too."""
        service = self._services[name]
        for needed, how in service.get("depends_on", {}).items():
            assert how["condition"] == "service_healthy"
            assert needed in self.started, f"{name} would start before {needed}"
            self.check_health(needed)
        container = buildah("from", "--pull-never", service["image"])
        self._containers[name] = container
        secrets = write_secrets(self._document, name, self._folder / "secrets" / name)
        self._volumes[name] = {**volumes, **secrets}
        image = image_configuration(service["image"])
        command = [*(image["Entrypoint"] or ()), *service.get("command", image["Cmd"] or ())]
        with self.log_file(name).open("wb") as log:
            self._processes[name] = subprocess.Popen(
                self._command(name, command),
                env={**os.environ, **BUILDAH},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._await_healthy(name)
        self.started.append(name)

    def check_health(self, name: str) -> tuple[bool, str]:
        """Runs the service's health check once: from the file, or else from the image."""
        service = self._services[name]
        own = service.get("healthcheck") or image_configuration(service["image"])["Healthcheck"]
        kind, *command = own.get("test") or own["Test"]
        assert kind == "CMD"
        code, output = self.run_in(name, *command)
        return code == 0, output

    def run_in(self, name: str, *command: str) -> tuple[int, str]:
        """A command in the container of a service, as ``exec`` would run it."""
        done = subprocess.run(
            self._command(name, command),
            env={**os.environ, **BUILDAH},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=COMMAND_SECONDS,
            check=False,
        )
        return done.returncode, done.stdout

    def await_end(self, name: str) -> int:
        """Waits for a service that ends by itself; its exit code."""
        code = self._processes[name].wait(COMMAND_SECONDS)
        del self._processes[name]
        return code

    def stop(self, name: str) -> int | None:
        """Sends SIGTERM as ``docker stop`` does and waits; the exit code."""
        process = self._processes.pop(name)
        _end(process)
        return process.returncode

    def log_file(self, name: str) -> Path:
        """What the service printed."""
        return self._folder / f"{name}.log"

    def _command(self, name: str, command: Sequence[str]) -> list[str]:
        environment = self._services[name].get("environment", {})
        # Without --no-hosts buildah mounts a file of its own as well, now over ours, now under it.
        mounts = {self._hosts: "/etc/hosts:ro", **self._volumes[name]}
        return [
            *("nsenter", f"--net=/proc/{self._network.pid}/ns/net", "--"),
            *("buildah", "run", "--no-hosts", f"--hostname={name}"),
            *(f"--env={key}={value}" for key, value in environment.items()),
            *(f"--volume={source}:{target}" for source, target in mounts.items()),
            *(self._containers[name], "--", *command),
        ]

    def _await_healthy(self, name: str) -> None:
        deadline = time.monotonic() + HEALTHY_SECONDS
        while True:
            healthy, said = self.check_health(name)
            if healthy:
                return
            log = self.log_file(name).read_text(errors="replace")[-3000:]
            assert self._processes[name].poll() is None, f"{name} ended:\n{log}"
            assert time.monotonic() < deadline, f"{name} is not healthy: {said}\n{log}"
            time.sleep(2)


@contextmanager
def running(
    document: Mapping[str, Any], folder: Path, volumes: Mapping[str, Mapping[Path, str]]
) -> Iterator[Services]:
    """All services without a profile, started in order; ``volumes`` by service."""
    with Services(document, folder) as services:
        for name in start_order(document["services"]):
            services.start(name, volumes.get(name, {}))
        yield services


def _end(process: subprocess.Popen[bytes]) -> None:
    """SIGTERM to the service's first process, as an engine does; later SIGKILL to all."""
    if process.poll() is None:
        os.kill(_first_inside(process.pid), signal.SIGTERM)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(60)


def _first_inside(pid: int) -> int:
    """The first process below nsenter and buildah, which starts itself from memory twice."""
    program = Path(f"/proc/{pid}/exe").readlink().name
    if program not in {"nsenter", "buildah"} and not program.startswith("memfd:buildah"):
        return pid
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    children = [int(child) for task in tasks for child in task.read_text().split()]
    return _first_inside(children[0]) if children else pid
