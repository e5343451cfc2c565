"""A short night in the runner's container, to its end: ``make test-images`` runs it.

The container has the user, folders and variables of ``docker/compose.yaml``. It shares the network
of the machine, for it fetches and builds what a night needs, and tells a dashboard beside it.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

import httpx
import pytest
from compose_services import buildah
from dashboard_process import dashboard

from flink_boost.base.commands import run_captured
from flink_boost.base.files import write_durably
from flink_boost.base.places import PROJECT_ROOT

SECONDS = 2400.0
pytestmark = [pytest.mark.built_images, pytest.mark.timeout(2 * SECONDS)]

RUNNER = "localhost/flink-boost-runner"
USER = 9997  # docker/Dockerfile.runner
SHORT = ("--group", "quick", "--only", "StringSerializationBenchmark.write", "--pairs", "2")
# What tells pip, npm and Maven where this machine gets packages.
_PLACES = ("PIP_", "UV_", "NPM_", "npm_", "MAVEN_", "SSL_", "http", "HTTP", "no_proxy", "NO_PROXY")


@pytest.fixture(scope="module")
def runner() -> Iterator[str]:
    """The image, built, and a container of it."""
    base = os.environ.get("BASE_IMAGE", "debian:12-slim")
    file = str(PROJECT_ROOT / "docker" / "Dockerfile.runner")
    buildah(
        *("bud", "--format", "docker", "--build-arg", f"BASE_IMAGE={base}", "--file", file),
        *("--tag", RUNNER, str(PROJECT_ROOT)),
        seconds=SECONDS,
    )
    container = buildah("from", "--pull-never", RUNNER).strip()
    try:
        # Else buildah sometimes mounts the image's empty volume over ours.
        buildah("config", "--volume", "/srv-", container)
        yield container
    finally:
        buildah("rm", container)


class Night:
    """The runner's folder and how the container is started with it."""

    def __init__(self, container: str, folder: Path, data: Path) -> None:
        self.container = container
        self.srv = folder / "srv"
        self.checkout = self.srv / "flink-boost"
        self.repository = folder / "repository.git"
        self.locks = folder / "locks"
        self.token = folder / "codespeed-token"
        self.url = json.loads((data / "state.json").read_text())["url"]
        self.srv.mkdir()
        self.locks.mkdir()
        shutil.copy(data / "token", self.token)
        clone = ("git", "clone", "--quiet", "--bare", str(PROJECT_ROOT), str(self.repository))
        branch = ("git", "-C", str(self.repository), "branch", "night")
        for command in (clone, branch):
            assert run_captured(command, 300).returncode == 0
        for place in (folder, *folder.rglob("*")):
            os.chown(place, USER, USER)
        for parent in (folder, *folder.parents):
            if parent.stat().st_mode & 0o055 != 0o055:
                parent.chmod(parent.stat().st_mode | 0o055)

    def run(self, *command: str) -> str:
        variables = {
            "FLINK_BOOST_REPOSITORY": "/repository.git",
            "FLINK_BOOST_BRANCH": "night",
            "FLINK_BOOST_BOX": "/srv/box.toml",
            "FLINK_BOOST_LINE": "2.3.0",
            "FLINK_BOOST_CODESPEED_URL": self.url,
            "FLINK_BOOST_TOKEN_FILE": "/run/secrets/codespeed-token",
            **(here := {name: os.environ[name] for name in os.environ if name.startswith(_PLACES)}),
        }
        volumes = {
            f"{self.srv}:/srv",
            f"{self.repository}:/repository.git:ro",
            f"{self.locks}:/var/tmp/flink-boost",
            f"{self.token}:/run/secrets/codespeed-token:ro",
            *(f"{place}:{place}:ro" for place in _settings(here.values())),
        }
        options = [f"--env={name}={text}" for name, text in variables.items()]
        options += [f"--volume={volume}" for volume in sorted(volumes)]
        entry = ("--", "flink-boost-runner", *command)
        return buildah("run", *options, self.container, *entry, seconds=SECONDS)


def _settings(values: Iterable[str]) -> Iterator[Path]:
    """Folders and files of the machine's that these variables, or pip, may mean."""
    certificates = Path("/etc/ssl/certs")
    yield certificates
    for place in map(Path, ("/etc/pip.conf", *values)):
        if place.is_absolute() and place.exists() and certificates not in place.parents:
            yield place


def test_a_night_in_the_container_comes_to_its_end(runner: str, tmp_path: Path) -> None:
    with dashboard(tmp_path / "build") as data:
        folder = tmp_path / "night"
        folder.mkdir()
        night = Night(runner, folder, data)
        night.run("make", "setup")
        record_box = (".venv/bin/flink-boost", "box", "record", "--name", "container")
        night.run(*record_box, "--file", "/srv/box.toml")
        # As on any machine that tests share: limits that nothing is over.
        box = night.srv / "box.toml"
        wide = "\n[quiet]\ncpu = 1e6\ncache = 1e6\nsteal = 1\nbusy = 1\n"
        write_durably(box, box.read_text(encoding="utf-8") + wide)

        said = night.run("nightly", *SHORT)

        assert "is complete" in said, said
        (record,) = (night.checkout / "build" / "nights").glob("*/night.json")
        told = json.loads(record.read_text(encoding="utf-8"))
        assert (told["state"], told["box"]) == ("complete", "container")
        assert told["measured"] == told["expected"] > 0
        assert record.stat().st_uid == USER
        (page,) = (night.checkout / "build" / "report" / "nights").glob("*/index.html")
        assert page.is_file()
        listed = httpx.get(f"{night.url}nights/nights.json", timeout=60).json()
        (shown,) = listed["nights"]
        assert (shown["box"], shown["state"]) == ("container", "complete")

        # The timer's next start finds the night done, and measures nothing again.
        again = night.run("nightly", *SHORT)
        assert "[5/" not in again, again
