"""Settings for all tests, a package registry on disk, and an installation to call commands on."""

from __future__ import annotations

import functools
import json
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from installations import LINE, flink_boost, java_environment, new_home
from jmh_java import make_java

from flink_boost.flink.lines import Line
from flink_boost.measure import host
from flink_boost.operate import verify

pytest_plugins = ["suites.selection", "suites.certificates"]

# The same examples in every run, and no failure because the machine was busy.
hypothesis.settings.register_profile("project", deadline=None, derandomize=True)
hypothesis.settings.load_profile("project")

# An operator's shell has none: without it what is printed waits in a buffer.
os.environ.pop("PYTHONUNBUFFERED", None)

# As at a terminal: what runs in the background is started with these two ignored, and so would be
# the processes that the tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--all-platforms",
        action="store_true",
        help="cluster tests on all lines and JDKs, as `make test-cluster` runs them",
    )
    parser.addoption(
        "--every-release",
        action="store_true",
        help="clusters of all releases whose distribution is on PyPI, as `make test-releases`",
    )
    parser.addoption(
        "--images", action="store_true", help="build images and start them, as `make test-images`"
    )
    parser.addoption(
        "--moments",
        type=int,
        default=3,
        help="how often a night is killed; `make test-nightly` takes 100",
    )


@pytest.fixture(autouse=True, scope="session")
def machine_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A benchmark that happens to run on this machine is no reason to fail, nor is its name."""
    with pytest.MonkeyPatch.context() as patch:
        lock = tmp_path_factory.mktemp("machine") / "measuring.lock"
        patch.setenv("FLINK_BOOST_MACHINE_LOCK", str(lock))
        patch.delenv("FLINK_BOOST_BOX", raising=False)
        yield


@pytest.fixture(autouse=True, scope="session")
def machine_described_once() -> Iterator[None]:
    """Pyperf takes a third of a second of a processor to describe this machine, which stays one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(host, "pyperf_metadata", functools.cache(host.pyperf_metadata))
        yield


@pytest.fixture
def double(request: pytest.FixtureRequest) -> bool:
    """Whether a double answers for JMH: in all tests but those that are marked ``forks``."""
    return request.node.get_closest_marker("forks") is None


@pytest.fixture
def jmh(double: bool, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A java in front of the machine's own: JMH, or its double.

    A JDK that a line has fetched is called by its path, and so is not it.
    """
    java = make_java(tmp_path_factory.mktemp("java"), double=double)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(java.parent), prepend=os.pathsep)
        patch.delenv("JAVA_HOME", raising=False)
        yield


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users may reach, as a service's is.

    Not ``tmp_path``: pytest closes what is above it to other users, again and again.
    """
    folder = Path(tempfile.mkdtemp(prefix="flink-boost-open-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """An empty cache."""
    cache = tmp_path / "cache"
    cache.mkdir()
    return cache


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that packages are taken from, instead of any network."""
    folder = tmp_path / "registry"
    folder.mkdir()
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    return folder


@pytest.fixture
def line() -> Line:
    return LINE


@pytest.fixture
def home(line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A private copy of the line's distribution, with our environment made its own."""
    environment = java_environment(line)
    monkeypatch.setattr("os.environ", environment)
    return new_home(tmp_path / "flink", line)


@pytest.fixture
def fewer_strings(monkeypatch: pytest.MonkeyPatch) -> None:
    """For what is not about strings: the commands take a million, and seconds for them."""
    monkeypatch.setattr(verify, "STRINGS", 5000)


@pytest.fixture
def answer(capsys: pytest.CaptureFixture[str]) -> Callable[..., dict[str, Any]]:
    """Calls a command with ``--json`` and returns its answer."""

    def call(*arguments: str | Path) -> dict[str, Any]:
        capsys.readouterr()
        code = flink_boost(*arguments, "--json")
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        assert found["exit_code"] == code
        assert found["ok"] == (code == 0)
        return found

    return call
