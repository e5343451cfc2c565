"""Starting, finding and stopping the server: what may go wrong, and what is left behind."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from conftest import PROJECT_FOLDER, Dashboard, clean_environ, result
from flink_boost.base.errors import EnvironmentProblem, UsageProblem
from flink_boost.publish import liveness, serve

pytestmark = pytest.mark.quiet


@pytest.fixture(scope="module")
def new_database() -> None:
    """Each makes its own here."""


STARTS_AFRESH = True
FREE_PORT = serve.Address(port=0)
SECRETS = {"FLINK_BOOST_SECRET_KEY": "s" * 40, "FLINK_BOOST_TOKEN": "t" * 40}


def environ_with_scripts() -> dict[str, str]:
    return {**clean_environ(), "PYTHONPATH": str(PROJECT_FOLDER.parent / "scripts")}


def flink_boost(build: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "flink_boost.cli", "--build", str(build), *arguments],
        env={**environ_with_scripts(), **environ},
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )


def python_in_background(code: str, *arguments: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.Popen(command, env=environ_with_scripts())


def wait_for(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline, f"not within 20 s: {what}"
        time.sleep(0.05)


def wait_until_gone(pid: int) -> None:
    def gone() -> bool:
        try:
            # Our own children stay visible until they are waited for.
            os.waitpid(pid, os.WNOHANG)
            os.kill(pid, 0)
        except (ChildProcessError, ProcessLookupError):
            return True
        return False

    wait_for(gone, f"process {pid} is gone")


def test_a_second_call_returns_the_running_server(start: Any) -> None:
    first = start()

    assert start() == first


def test_many_calls_at_once_start_one_server(tmp_path: Path) -> None:
    data = tmp_path / "codespeed"
    try:
        with ThreadPoolExecutor(4) as pool:
            urls = set(
                pool.map(
                    lambda _: serve.ensure_running(data, FREE_PORT, environ=clean_environ()),
                    range(4),
                )
            )
        assert len(urls) == 1
        assert (data / "server.log").read_text(encoding="utf-8").count("Starting gunicorn") == 1
    finally:
        liveness.stop(data)


def test_stop_ends_it_and_says_whether_there_was_one(start: Any) -> None:
    dashboard: Dashboard = start()
    running = liveness.find_running(dashboard.data)
    assert running is not None

    assert liveness.stop(dashboard.data) is True

    wait_until_gone(running.pid)
    assert liveness.find_running(dashboard.data) is None
    assert liveness.stop(dashboard.data) is False
    with pytest.raises(httpx.ConnectError):
        dashboard.get("healthz")


def test_results_and_token_outlive_a_restart(start: Any) -> None:
    before: Dashboard = start()
    assert before.upload([result(benchmark="kept")]).status_code == 202
    token = before.token
    liveness.stop(before.data)

    after: Dashboard = start()

    assert after.token == token
    assert len(after.timeline("kept", "1")) == 1


def test_a_kill_leaves_nothing_that_blocks_the_next_start(start: Any) -> None:
    before: Dashboard = start()
    running = liveness.find_running(before.data)
    assert running is not None
    assert before.upload([result(benchmark="kept")]).status_code == 202
    os.kill(running.pid, signal.SIGKILL)
    wait_until_gone(running.pid)

    # At once, while its orphaned worker still answers on the old port.
    after: Dashboard = start()

    again = liveness.find_running(after.data)
    assert again is not None
    assert again.pid != running.pid
    assert len(after.timeline("kept", "1")) == 1


def test_a_killed_starter_leaves_nothing_that_blocks_the_next_start(tmp_path: Path) -> None:
    """Killed at several moments of the start: while preparing, between the steps, when ready."""
    data = tmp_path / "codespeed"
    code = (
        "import sys; from pathlib import Path; from flink_boost.publish import serve; "
        "serve.ensure_running(Path(sys.argv[1]), serve.Address(port=0))"
    )
    for delay in (0.5, 1.0, 1.8):
        starter = python_in_background(code, data)
        time.sleep(delay)
        starter.kill()
        starter.wait(20)

    try:
        url = serve.ensure_running(data, FREE_PORT, environ=clean_environ())
        assert Dashboard(data, url).upload([result()]).status_code == 202
    finally:
        assert liveness.stop(data) is True


def test_a_killed_starter_keeps_the_lock_until_its_database_is_prepared(tmp_path: Path) -> None:
    """Two of them at one database would both make its tables."""
    data = tmp_path / "codespeed"
    project = tmp_path / "project"
    project.mkdir()
    (project / "manage.py").write_text(
        "import pathlib, time\n"
        "here = pathlib.Path(__file__).parent\n"
        "(here / 'begun').touch()\n"
        "while not (here / 'finish').exists():\n"
        "    time.sleep(0.05)\n",
        encoding="utf-8",
    )
    code = (
        "import sys; from pathlib import Path; from flink_boost.publish import serve; "
        "serve._DJANGO_PROJECT = Path(sys.argv[2]); "
        "serve.ensure_running(Path(sys.argv[1]), serve.Address(port=0))"
    )
    starter = python_in_background(code, data, project)
    try:
        wait_for((project / "begun").exists, "the database is being prepared")
    finally:
        starter.kill()
        starter.wait(20)

    try:
        assert not _lock_is_free(data)
    finally:
        (project / "finish").touch()
    wait_for(lambda: _lock_is_free(data), "the lock is free")


def _lock_is_free(data: Path) -> bool:
    with liveness.try_lock(data) as lock:
        return lock is not None


def test_the_pid_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    """A state file that survived a power cut may name a process that is not ours."""
    data = tmp_path / "codespeed"
    data.mkdir()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as bystander:
        state = {"pid": bystander.pid, "url": "http://127.0.0.1:9/", "instance": "x"}
        (data / "state.json").write_text(json.dumps(state), encoding="utf-8")
        with liveness.try_lock(data), pytest.MonkeyPatch.context() as patch:
            patch.setattr(liveness, "STOP_SECONDS", 0.5)
            with pytest.raises(EnvironmentProblem, match="does not end"):
                liveness.stop(data)
        assert bystander.poll() is None
        assert liveness.stop(data) is False
        assert bystander.poll() is None
        bystander.communicate(b"\n", timeout=20)


def test_a_port_of_somebody_else_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(EnvironmentProblem) as problem:
            serve.ensure_running(
                tmp_path / "codespeed", serve.Address(port=port), environ=clean_environ()
            )

    assert f"Port {port} on 127.0.0.1" in problem.value.message
    assert "--port" in problem.value.next_step
    assert liveness.find_running(tmp_path / "codespeed") is None


def test_a_host_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match=r"nowhere\.invalid is no address"):
        serve.ensure_running(
            tmp_path, serve.Address("nowhere.invalid", 0), environ={**clean_environ(), **SECRETS}
        )


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "box.example.org"])
@pytest.mark.parametrize("missing", sorted(SECRETS))
def test_embedded_secrets_never_leave_the_machine(tmp_path: Path, host: str, missing: str) -> None:
    environ = {**clean_environ(), **SECRETS}
    del environ[missing]

    with pytest.raises(UsageProblem) as problem:
        serve.ensure_running(tmp_path / "codespeed", serve.Address(host, 0), environ=environ)

    assert "can be reached from other machines" in problem.value.message
    assert missing in problem.value.next_step
    assert not (tmp_path / "codespeed").exists()


def test_a_service_with_its_own_secrets_may_be_reached_from_outside(tmp_path: Path) -> None:
    data = tmp_path / "codespeed"
    environ = {**clean_environ(), **SECRETS, "FLINK_BOOST_ALLOWED_HOSTS": "bench.example.org"}
    try:
        url = serve.ensure_running(data, serve.Address("0.0.0.0", 0), environ=environ)
        dashboard = Dashboard(data, url)
        form = {"json": json.dumps([result()])}
        assert dashboard.post("result/add/json/", form, None).status_code == 401
        token = f"Bearer {SECRETS['FLINK_BOOST_TOKEN']}"
        assert dashboard.post("result/add/json/", form, token).status_code == 202
        named = httpx.get(url, headers={"Host": "bench.example.org"}, timeout=20)
        assert named.status_code == 200
        assert not (data / "token").exists()
    finally:
        liveness.stop(data)


def test_a_service_without_names_does_not_start(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="set FLINK_BOOST_ALLOWED_HOSTS"):
        serve.ensure_running(
            tmp_path, serve.Address("0.0.0.0", 0), environ={**clean_environ(), **SECRETS}
        )


def test_gunicorn_itself_refuses_the_embedded_mode_on_an_open_address(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "gunicorn", "--config", "gunicorn.conf.py"),
            *("--bind", "0.0.0.0:0", "boost_dashboard.wsgi:application"),
        ],
        cwd=PROJECT_FOLDER,
        env={
            **clean_environ(),
            "FLINK_BOOST_EMBEDDED": "1",
            "FLINK_BOOST_DASHBOARD_DATA": str(tmp_path),
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode != 0
    assert "for this machine only" in done.stderr


def test_an_unreachable_database_is_said_without_its_password(tmp_path: Path) -> None:
    environ = {**clean_environ(), "DATABASE_URL": "postgres://me:opensesame@127.0.0.1:9/speed"}

    with pytest.raises(EnvironmentProblem) as problem:
        serve.ensure_running(tmp_path, FREE_PORT, environ=environ)

    assert "The dashboard cannot start" in problem.value.message
    assert "opensesame" not in str(problem.value)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(EnvironmentProblem, match="cannot be written"):
        serve.ensure_running(tmp_path / "file" / "codespeed", FREE_PORT, environ=clean_environ())


def test_the_commands_start_find_and_stop_it(tmp_path: Path) -> None:
    started = flink_boost(tmp_path, "serve", "--background", "--port", "0")
    try:
        assert started.returncode == 0, started.stderr
        url = re.search(r"http://127\.0\.0\.1:\d+/", started.stdout)
        assert url is not None
        assert httpx.get(url.group(), timeout=20).status_code == 200
        again = flink_boost(tmp_path, "serve")
        assert again.returncode == 0
        assert f"running already at {url.group()}" in again.stdout
    finally:
        stopped = flink_boost(tmp_path, "stop")
    assert (stopped.returncode, stopped.stdout.strip()) == (0, "The dashboard has stopped.")
    once_more = flink_boost(tmp_path, "stop")
    assert (once_more.returncode, once_more.stdout.strip()) == (0, "No dashboard is running.")
    token = (tmp_path / "codespeed" / "token").read_text(encoding="ascii").strip()
    assert token not in started.stdout + started.stderr + again.stdout + again.stderr


def test_the_foreground_command_is_the_server(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "flink_boost.cli", "--build", str(tmp_path), "serve"]
    command += ["--port", "0"]
    with subprocess.Popen(command, env=environ_with_scripts(), stderr=subprocess.PIPE) as server:
        deadline = time.monotonic() + 60
        while (running := liveness.find_running(tmp_path / "codespeed")) is None:
            assert server.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert running.pid == server.pid
        server.terminate()
        server.communicate(timeout=30)
    assert server.returncode == 0


def test_a_wrong_port_is_refused_by_the_command(tmp_path: Path) -> None:
    done = flink_boost(tmp_path, "serve", "--port", "70000")

    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_an_open_address_is_refused_by_the_command(tmp_path: Path) -> None:
    done = flink_boost(tmp_path, "serve", "--host", "0.0.0.0")

    assert done.returncode == 2
    assert "Set FLINK_BOOST_SECRET_KEY and FLINK_BOOST_TOKEN" in done.stderr
    assert "Traceback" not in done.stderr
