"""The stock distribution, the drop-in jar and an example job, shared by all cluster tests."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from flink_installation import (
    DEFAULT_PLATFORM,
    ONE_PER_LINE,
    PLATFORMS,
    FlinkInstallation,
    Install,
    Platform,
    count_words,
)
from installations import LINE
from running_job import build_jobs
from times import times_table

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.distribution import ensure_distribution, ensure_example
from flink_boost.flink.jdks import java_home
from flink_boost.flink.lines import Line

HERE = Path(__file__).parent


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """On the default line; with ``--test-all`` what is ``on_every_line`` on the others, too.

    What is marked ``built_images`` runs with ``--images`` only.
    """
    everything = config.getoption("--all-platforms")
    every_line_too = config.getoption("--test-all")
    short, rest = [], []
    for item in items:
        if not item.path.is_relative_to(HERE):
            short.append(item)
            continue
        call = getattr(item, "callspec", None)
        platform = call.params.get("platform") if call else None
        line = platform.line.version if platform else LINE.version
        item.add_marker(pytest.mark.cluster)
        item.add_marker(pytest.mark.needs_jars(line))
        every_line = every_line_too and item.get_closest_marker("on_every_line") is not None
        wanted = platform is None or platform in (ONE_PER_LINE if every_line else DEFAULT_PLATFORM)
        if item.get_closest_marker("built_images") is not None:
            wanted = wanted and config.getoption("--images")
        elif everything:
            wanted = True
        elif item.get_closest_marker("in_full_form_only") is not None:
            wanted = False
        (short if wanted else rest).append(item)
    config.hook.pytest_deselected(items=rest)
    items[:] = short


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Prints how long each test took on each platform, after the full form."""
    if not config.getoption("--all-platforms"):
        return
    reports = [r for of in terminalreporter.stats.values() for r in of]
    durations = [(r.nodeid, r.duration) for r in reports if isinstance(r, pytest.TestReport)]
    terminalreporter.section("times of the cluster tests")
    for row in times_table(durations, [str(platform) for platform in PLATFORMS]):
        terminalreporter.write_line(row)


@pytest.fixture(scope="session", params=PLATFORMS, ids=str)
def platform(request: pytest.FixtureRequest) -> Platform:
    chosen: Platform = request.param
    return chosen


@pytest.fixture(scope="session")
def line(platform: Platform) -> Line:
    return platform.line


@pytest.fixture(scope="session")
def distribution(line: Line) -> Path:
    return ensure_distribution(line)


@pytest.fixture(scope="session")
def install(distribution: Path, platform: Platform) -> Install:
    """``FlinkInstallation`` of the line, on the JDK; the folder and what follows it is left."""
    return partial(FlinkInstallation, distribution, java_home(platform.jdk))


@pytest.fixture(scope="session")
def word_count(line: Line) -> Path:
    return ensure_example(line, "WordCount")


@pytest.fixture(scope="session")
def jobs_jar(
    platform: Platform, distribution: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The test jobs of ``jobs/``."""
    folder = tmp_path_factory.mktemp("jobs")
    return build_jobs(platform.line, distribution, folder, jdk=platform.jdk)


@pytest.fixture(scope="session")
def evolved_jobs_jar(
    platform: Platform, distribution: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The same, whose records have other fields."""
    folder = tmp_path_factory.mktemp("evolved-jobs")
    return build_jobs(platform.line, distribution, folder, "after", platform.jdk)


@pytest.fixture(scope="session")
def dropin_jar(line: Line) -> Path:
    jars = sorted((PROJECT_ROOT / "build" / "jars").glob(f"flink-boost-{line.version}-*.jar"))
    assert len(jars) == 1, f"Run `make jars` first: found {jars}."
    return jars[0]


@pytest.fixture(scope="session")
def stock_counts(
    install: Install, word_count: Path, tmp_path_factory: pytest.TempPathFactory
) -> list[str]:
    """What WordCount writes on stock Flink, sorted."""
    folder = tmp_path_factory.mktemp("stock")
    with install(folder / "flink") as flink:
        flink.start_cluster()
        counts = count_words(flink, word_count, folder / "counts")
    assert "flink-boost" not in flink.everything_logged()
    return counts
