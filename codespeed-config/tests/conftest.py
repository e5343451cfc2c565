"""A real dashboard for the tests: gunicorn, Codespeed, SQLite, on a free port of loopback."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import hypothesis
import pytest

import preloaded
import stored_rows
from flink_boost.publish import liveness, serve

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytest_plugins = ["suites.selection", "suites.certificates"]

# No failure because the machine was busy.
hypothesis.settings.register_profile(
    "project", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("project")


def pytest_configure(config: pytest.Config) -> None:
    # Read while test_fuzz.py is imported.
    examples = "150" if config.getoption("--test-all") else "50"
    os.environ.setdefault("FLINK_BOOST_FUZZ_EXAMPLES", examples)


Item = dict[str, Any]

PROJECT_FOLDER = Path(__file__).resolve().parents[1]


def clean_environ() -> dict[str, str]:
    """This process' environment without anything that configures a dashboard."""
    return {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("FLINK_BOOST_", "DJANGO_")) and key != "DATABASE_URL"
    }


@dataclass(frozen=True)
class Dashboard:
    """A running server, and how to talk to it."""

    data: Path
    url: str

    @property
    def token(self) -> str:
        return (self.data / "token").read_text(encoding="ascii").strip()

    @property
    def log(self) -> str:
        return (self.data / "server.log").read_text(encoding="utf-8")

    def get(self, path: str, **parameters: str) -> httpx.Response:
        return httpx.get(self.url + path, params=parameters or None, timeout=60)

    def post(self, path: str, form: dict[str, str], authorization: str | None) -> httpx.Response:
        headers = {} if authorization is None else {"Authorization": authorization}
        return httpx.post(self.url + path, data=form, headers=headers, timeout=60)

    def upload(self, items: Any) -> httpx.Response:
        return self.post("result/add/json/", {"json": json.dumps(items)}, f"Bearer {self.token}")

    def timeline(self, benchmark: str, environment: str, executables: str = "") -> Any:
        """The series of a benchmark by executable number, newest point first."""
        ids = executables or ",".join(map(str, range(1, 20)))
        answer = self.get("timeline/json/", exe=ids, env=environment, ben=benchmark, revs="50")
        timelines = answer.json()["timelines"]
        return timelines[0]["branches"]["master"] if timelines else {}


def result(**changes: Any) -> Item:
    """One result as `flink-boost upload` sends it."""
    return {
        "commitid": "0a1b2c3d-20260301T010203-aaaaaa",
        "branch": "master",
        "project": "Flink",
        "executable": "patched 2.3.0",
        "benchmark": "write.ascii.16",
        "environment": "box-1",
        "result_value": 8.0,
        "std_dev": 0.1,
        "min": 7.9,
        "max": 8.1,
        "units": "ns/op",
        "units_title": "Time",
        "lessisbetter": True,
        "revision_date": "2026-03-01 01:02:03",
        **changes,
    }


@pytest.fixture(scope="session")
def forks() -> Iterator[preloaded.Forks]:
    """What starts the dashboard's processes with less work."""
    # Not below pytest's folder: the name of a socket has at most 107 characters.
    with tempfile.TemporaryDirectory() as folder, preloaded.running(Path(folder)) as forks:
        yield forks


@pytest.fixture(scope="module", autouse=True)
def _started_as_forks(request: pytest.FixtureRequest) -> Iterator[None]:
    """But for a module that is about how a dashboard starts."""
    with pytest.MonkeyPatch.context() as patch:
        if not getattr(request.module, "STARTS_AFRESH", False):
            import operating

            forks = request.getfixturevalue("forks")
            for module in (serve, stored_rows, operating):
                patch.setattr(module, "subprocess", forks)
        yield


@pytest.fixture(scope="session")
def new_database(tmp_path_factory: pytest.TempPathFactory) -> Path | None:
    """The database of a dashboard that was just made: to make one takes seconds.

    None in a module that is about how one is made.
    """
    data = tmp_path_factory.mktemp("new")
    serve.ensure_running(data, serve.Address(port=0), environ=clean_environ())
    liveness.stop(data)
    return data / "db.sqlite3"


def start_on(data: Path, new_database: Path | None, **environ: str) -> Dashboard:
    """Starts a dashboard on a folder, with that database where it has none and needs one."""
    data.mkdir(parents=True, exist_ok=True)
    if new_database and "DATABASE_URL" not in environ and not (data / "db.sqlite3").exists():
        shutil.copy(new_database, data)
    url = serve.ensure_running(data, serve.Address(port=0), environ={**clean_environ(), **environ})
    return Dashboard(data, url)


@pytest.fixture
def start(tmp_path: Path, new_database: Path | None) -> Iterator[Any]:
    """Starts dashboards on folders below ``tmp_path`` and ends them after the test."""
    folders: list[Path] = []

    def start_one(name: str = "codespeed", **environ: str) -> Dashboard:
        data = tmp_path / name
        folders.append(data)
        return start_on(data, new_database, **environ)

    yield start_one
    for data in folders:
        liveness.stop(data)


@pytest.fixture(scope="module")
def dashboard(
    tmp_path_factory: pytest.TempPathFactory, new_database: Path | None
) -> Iterator[Dashboard]:
    """One dashboard for the tests of a module."""
    data = tmp_path_factory.mktemp("served") / "codespeed"
    yield start_on(data, new_database)
    liveness.stop(data)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, for the tests that look at pages."""
    from playwright.sync_api import sync_playwright

    from visits import launch

    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()
