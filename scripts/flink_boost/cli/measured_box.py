"""The box that a run is made on, with a JDK that the Flink line runs on."""

from __future__ import annotations

import os

from flink_boost.base.errors import EnvironmentProblem
from flink_boost.flink.jdks import ask_jdk
from flink_boost.measure.box import describe_box
from flink_boost.measure.box_file import read_box_file
from flink_boost.measure.model import Box


def require_box(java: str, jdks: tuple[int, ...], line: str, environment: str | None = None) -> Box:
    """The box with that JDK. Raises ``EnvironmentProblem`` when the line does not run on it."""
    jdk = ask_jdk(java)
    if jdk.feature not in jdks:
        supported = " or ".join(str(number) for number in jdks)
        raise EnvironmentProblem(
            f"{java} is JDK {jdk.feature}, but Flink {line} runs on {supported}.",
            "Name another one with --java PATH, or leave that out.",
        )
    return describe_box(jdk, read_box_file(os.environ), environment=environment)
