"""The entry point of the Flink image with real processes, and its health check."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from compose_services import DOCKER
from installations import CARRIED, LINE, java_environment, new_home
from ruamel.yaml import YAML

from flink_boost.base.net import free_ports
from flink_boost.flink.lines import load_lines

ENTRY_POINT = DOCKER / "flink-entrypoint.sh"
HEALTH_CHECK = DOCKER / "flink-healthcheck.sh"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A Flink with our jar, as the image has it."""
    home = new_home(tmp_path / "flink")
    shutil.copy(CARRIED.dropin(LINE), home / "lib")
    (home / "run").mkdir()
    return home


def environment(home: Path, **more: str) -> dict[str, str]:
    return {**java_environment(LINE), "FLINK_HOME": str(home), **more}


def call(home: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(ENTRY_POINT), *arguments],
        env=environment(home, **more),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


@pytest.mark.needs_jars
def test_help_names_what_can_be_started(home: Path) -> None:
    for arguments in ((), ("help",)):
        shown = call(home, *arguments)
        assert shown.returncode == 0
        for word in ("jobmanager", "taskmanager", "standalone-job", "FLINK_PROPERTIES"):
            assert word in shown.stdout


@pytest.mark.needs_jars
def test_a_line_that_is_no_property_stops_the_start(home: Path) -> None:
    refused = call(home, "jobmanager", FLINK_PROPERTIES="rest.port: 1\nnonsense\n")
    assert refused.returncode == 2
    assert refused.stderr == (
        'flink-boost image: FLINK_PROPERTIES has a line that is not of the form "key: value":'
        " nonsense\n"
    )


@pytest.mark.needs_jars
def test_properties_override_what_is_shipped_at_every_start_anew(home: Path) -> None:
    shipped = (home / "conf" / "config.yaml").read_text()
    properties = """
        # of this test
        rest.port: 18081
        env.java.opts.taskmanager: -Da=b -Dc=d: e

        taskmanager.numberOfTaskSlots: 7
    """
    for _ in range(2):
        shown = call(
            home,
            *("cat", str(home / "run" / "conf" / "config.yaml")),
            FLINK_PROPERTIES=properties,
            JOB_MANAGER_RPC_ADDRESS="jm.example.org",
            TASK_MANAGER_NUMBER_OF_TASK_SLOTS="3",
        )
        assert shown.returncode == 0, shown.stderr
        found = YAML(typ="safe").load(shown.stdout)
        assert found["rest"]["port"] == "18081"
        assert found["jobmanager"]["rpc"]["address"] == "jm.example.org"
        assert found["taskmanager"]["numberOfTaskSlots"] == "7"  # the last one counts
        assert found["env"]["java"]["opts"]["taskmanager"] == "-Da=b -Dc=d: e"
        assert "--add-opens=java.base/java.lang" in found["env"]["java"]["opts"]["all"]
    assert (home / "conf" / "config.yaml").read_text() == shipped


def test_the_older_configuration_gets_them_too(tmp_path: Path) -> None:
    home = new_home(tmp_path / "flink", load_lines()["1.9.3"])
    (home / "run").mkdir()
    shown = call(
        home,
        *("cat", str(home / "run" / "conf" / "flink-conf.yaml")),
        FLINK_PROPERTIES="rest.port: 18081",
        JOB_MANAGER_RPC_ADDRESS="jm.example.org",
    )
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.endswith("\njobmanager.rpc.address: jm.example.org\nrest.port: 18081\n")


@pytest.mark.needs_jars
@pytest.mark.parametrize("written", ["{}", "{}/", "{}/../conf"])
def test_a_configuration_elsewhere_is_read_and_stays(
    home: Path, tmp_path: Path, written: str
) -> None:
    own = tmp_path / "own" / "conf"
    own.mkdir(parents=True)
    (own / "config.yaml").write_text("rest:\n  port: 4711\n", encoding="utf-8")
    (own / "precious.txt").write_text("mine", encoding="utf-8")
    for _ in range(2):
        shown = call(
            home,
            *("sh", "-c", 'echo "$FLINK_CONF_DIR"; cat "$FLINK_CONF_DIR/config.yaml"'),
            FLINK_CONF_DIR=written.format(own),
            TASK_MANAGER_NUMBER_OF_TASK_SLOTS="3",
        )
        assert shown.returncode == 0, shown.stderr
        place, _, text = shown.stdout.partition("\n")
        assert place == str(home / "run" / "conf")
        found = YAML(typ="safe").load(text)
        assert (found["rest"]["port"], found["taskmanager"]["numberOfTaskSlots"]) == (4711, "3")
    assert {file.name for file in own.iterdir()} == {"config.yaml", "precious.txt"}
    assert (own / "config.yaml").read_text() == "rest:\n  port: 4711\n"


@pytest.mark.needs_jars
def test_what_others_put_where_it_is_made_is_not_deleted(home: Path, tmp_path: Path) -> None:
    made = home / "run" / "conf"
    missing = call(home, "true", FLINK_CONF_DIR=str(tmp_path / "nowhere"))
    assert (missing.returncode, "there is no folder" in missing.stderr) == (2, True)
    inside = call(home, "true", FLINK_CONF_DIR=f"{made}/mine")
    assert (inside.returncode, "is made anew" in inside.stderr) == (2, True)
    made.mkdir()
    (made / "precious.txt").write_text("mine", encoding="utf-8")
    refused = call(home, "true")
    assert refused.returncode == 2
    assert f"mount a configuration at {home}/conf" in refused.stderr
    assert (made / "precious.txt").read_text() == "mine"


@contextmanager
def started(home: Path, role: str, log: Path, **more: str) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("wb") as output:
        process = subprocess.Popen(
            [str(ENTRY_POINT), role],
            env=environment(home, **more),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(30)


def health(home: Path) -> tuple[int, str]:
    done = subprocess.run(
        [str(HEALTH_CHECK)],
        env=environment(home),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=30,
        check=False,
    )
    return done.returncode, done.stdout


def until_healthy(home: Path, process: subprocess.Popen[bytes], log: Path) -> str:
    deadline = time.monotonic() + 100
    while True:
        code, said = health(home)
        if code == 0:
            return said
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < deadline, f"{said}\n{log.read_text()}"
        time.sleep(0.5)


@pytest.mark.needs_jars
@pytest.mark.parametrize(
    ("role", "script", "properties"),
    [
        ("history-server", "historyserver.sh", "historyserver.web.port: {}"),
        ("jobmanager", "jobmanager.sh", "rest.port: {}\nsecurity.ssl.rest.enabled: true"),
        ("taskmanager", "taskmanager.sh", "rest.port: {}\nsecurity.ssl.rest.enabled: true"),
    ],
)
def test_the_check_asks_where_its_process_listens(
    role: str, script: str, properties: str, home: Path
) -> None:
    """Of one that speaks TLS no more is asked than that."""
    (home / "bin" / script).unlink()
    (home / "bin" / script).write_text("#!/bin/sh\n", encoding="utf-8")
    (home / "bin" / script).chmod(0o755)
    answer = b'HTTP/1.0 200 OK\r\n\r\n{"flink-version":"2.3.0"}'
    with socket.create_server(("localhost", 0)) as server:
        port = server.getsockname()[1]
        done = call(home, role, FLINK_PROPERTIES=properties.format(port))
        assert done.returncode == 0, done.stderr

        def serve() -> None:
            with server.accept()[0] as client:
                if role == "history-server":
                    asked = b""
                    while not asked.endswith(b"\r\n\r\n"):
                        asked += client.recv(1000)
                    client.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        code, said = health(home)
        thread.join(20)
    assert code == 0, said
    assert said.strip() in ('"flink-version":"2.3.0"', f"localhost listens on port {port}")
    assert health(home)[0] != 0


@pytest.mark.needs_jars
def test_a_cluster_of_two_entry_points_is_healthy_and_ends_when_told(
    home: Path, tmp_path: Path
) -> None:
    worker_home = tmp_path / "worker"
    shutil.copytree(home, worker_home, copy_function=os.link)
    assert health(home)[0] != 0  # nothing was started yet
    rest_port, rpc_port = free_ports(2)
    settings: Mapping[str, str] = {
        "JOB_MANAGER_RPC_ADDRESS": "localhost",
        "FLINK_PROPERTIES": f"rest.port: {rest_port}\njobmanager.rpc.port: {rpc_port}\n"
        "taskmanager.memory.process.size: 1000m\njobmanager.memory.process.size: 1000m\n"
        "env.java.opts.all: -XX:TieredStopAtLevel=1\n",
    }
    logs = tmp_path / "jobmanager.log", tmp_path / "taskmanager.log"
    with started(home, "jobmanager", logs[0], **settings) as manager:
        until_healthy(home, manager, logs[0])
        with started(worker_home, "taskmanager", logs[1], **settings) as worker:
            assert "registered as" in until_healthy(worker_home, worker, logs[1])
        # Flink ends by itself on SIGTERM, which reaches it because the entry point became it.
        assert worker.returncode == 143
        code, said = health(worker_home)
        assert code == 0 or "does not know" in said
    assert manager.returncode == 143
    assert health(home)[0] != 0
    for log in logs:
        assert "mode on, the class files it replaces are those of this version" in log.read_text()
