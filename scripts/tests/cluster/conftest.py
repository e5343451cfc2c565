"""The stock distribution, the drop-in jar and an example job, shared by all cluster tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from flink_installation import FlinkInstallation, count_words

from flink_boost.distribution import ensure_distribution, ensure_example
from flink_boost.lines import PROJECT_ROOT, Line, default_line, find_line


@pytest.fixture(scope="session")
def line() -> Line:
    return find_line(default_line())


@pytest.fixture(scope="session")
def distribution(line: Line) -> Path:
    return ensure_distribution(line)


@pytest.fixture(scope="session")
def word_count(line: Line) -> Path:
    return ensure_example(line, "WordCount")


@pytest.fixture(scope="session")
def dropin_jar(line: Line) -> Path:
    jars = sorted((PROJECT_ROOT / "build" / "jars").glob(f"flink-boost-{line.version}-*.jar"))
    assert len(jars) == 1, f"Run `make build` first: found {jars}."
    return jars[0]


@pytest.fixture(scope="session")
def stock_counts(
    distribution: Path, word_count: Path, tmp_path_factory: pytest.TempPathFactory
) -> list[str]:
    """What WordCount writes on stock Flink, sorted."""
    folder = tmp_path_factory.mktemp("stock")
    with FlinkInstallation(distribution, folder / "flink") as flink:
        flink.start_cluster()
        counts = count_words(flink, word_count, folder / "counts")
    assert "flink-boost" not in flink.everything_logged()
    return counts
