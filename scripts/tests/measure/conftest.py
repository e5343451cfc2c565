"""The class paths that were built."""

from __future__ import annotations

import pytest
from bench_calls import AA

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.lines import default_line, find_line
from flink_boost.measure import classpaths
from flink_boost.measure.classpaths import ClassPaths


@pytest.fixture(scope="module")
def class_paths() -> ClassPaths:
    return classpaths.find_class_paths(find_line(default_line()), PROJECT_ROOT / "build", "-", AA)
