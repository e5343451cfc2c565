"""The small cluster that a job is verified on is asked directly, whatever the environment says."""

from __future__ import annotations

import json
import os
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from flink_boost.base.errors import VerificationFailed
from flink_boost.flink.launch import ROLES, Launch
from flink_boost.flink.lines import find_line
from flink_boost.operate import minicluster


class Overview(BaseHTTPRequestHandler):
    """Flink's overview of a cluster with two slots."""

    def do_GET(self) -> None:
        body = json.dumps({"slots-total": 2}).encode() if self.path == "/overview" else b""
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keeps the test's output clean."""


def test_a_proxy_is_not_asked_about_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(variable, "http://127.0.0.1:9/")
    for variable in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(variable, raising=False)
    with HTTPServer(("localhost", 0), Overview) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            assert minicluster.slots_of(server.server_address[1]) == 2
        finally:
            server.shutdown()
            thread.join()


def test_a_cluster_that_does_not_answer_has_no_slot_yet() -> None:
    assert minicluster.slots_of(9) == 0


@pytest.mark.parametrize(
    ("version", "written"), [("1.20.5", "flink-conf.yaml"), ("2.3.0", "config.yaml")]
)
def test_where_both_forms_are_the_one_is_written_that_this_flink_reads(
    tmp_path: Path, version: str, written: str
) -> None:
    shipped = tmp_path / "shipped"
    shipped.mkdir()
    for name in ("flink-conf.yaml", "config.yaml"):
        (shipped / name).write_text("")
    assert minicluster.configuration_name(find_line(version), shipped) == written


@pytest.mark.parametrize(
    ("java", "home"), [("/opt/jdk-of-flink/bin/java", "/opt/jdk-of-flink"), ("java", "/elsewhere")]
)
def test_its_processes_get_the_java_that_the_installation_takes(
    tmp_path: Path, java: str, home: str
) -> None:
    """Its configuration, which may name one, is not the small cluster's."""
    scripts = tmp_path / "flink" / "bin"
    scripts.mkdir(parents=True)
    for name in ("jobmanager.sh", "taskmanager.sh"):
        (scripts / name).write_text('#!/bin/sh\necho "the Java of $JAVA_HOME"\nexit 1\n')
        (scripts / name).chmod(0o755)
    launch = Launch(java, (), dict.fromkeys(ROLES, ()))
    places = scripts.parent, tmp_path / "conf", find_line("2.3.0"), tmp_path / "folder"
    environment = {**os.environ, "JAVA_HOME": "/elsewhere"}
    with (
        pytest.raises(VerificationFailed) as ended,
        minicluster.running_cluster(*places, launch, environment),
    ):
        pass
    assert f"the Java of {home}" in ended.value.next_step
