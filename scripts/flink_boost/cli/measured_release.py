"""The line or the release that a run measures, from the command line."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from flink_boost.base.errors import EnvironmentProblem, UsageProblem
from flink_boost.base.processes import bare_environment
from flink_boost.cli.context import Settings
from flink_boost.flink.launch import Launch
from flink_boost.flink.lines import Line, default_line, find_measured_line
from flink_boost.flink.side import Side
from flink_boost.measure.classpaths import ClassPaths, find_class_paths
from flink_boost.measure.model import Purpose
from flink_boost.measure.other_release import class_paths_on, find_release, is_of_a_line
from flink_boost.measure.third_side import ensure_third
from flink_boost.operate.guard import ask_guard


def measured_release(
    line: str | None, release: str | None, third: str | None, purpose: str | None
) -> tuple[Line, Line]:
    """The line whose jar is measured, and the release of Flink, as a line, that it is put into."""
    if release is None:
        flink = find_measured_line(line or default_line())
        return flink, flink
    for option, given in (("--line", line), ("--third", third)):
        if given:
            raise UsageProblem(
                f"{option} cannot be given with --release, which has a line and no third side.",
                "Leave out one of them.",
            )
    if purpose == Purpose.NIGHTLY.value:
        raise UsageProblem(
            "A trend is of a line, not of each release.", "Leave out one of --release, --purpose."
        )
    return find_release(release)


def class_paths_of(
    settings: Settings,
    flink: Line,
    own: Line,
    version: str,
    sides: Sequence[Side],
    third: str | None,
    java: str,
) -> ClassPaths:
    """What each side loads, of a line or on another release with its classes.

    Raises ``EnvironmentProblem`` where our code would stay off, so that both sides were stock's.
    """
    if not is_of_a_line(flink, own):
        found_on = class_paths_on(flink, own, settings.build, version, sides)
        if Side.PATCHED in sides:
            _require_on(own, found_on, java)
        return found_on
    found = ensure_third(flink.version, third, settings.build) if third else None
    return find_class_paths(flink, settings.build, version, sides, third=found)


def _require_on(own: Line, paths: ClassPaths, java: str) -> None:
    entries = tuple(map(Path, paths.of(Side.PATCHED).split(os.pathsep)))
    answer = ask_guard(Launch(java, entries, {}), bare_environment(os.environ))
    if not answer.fits:
        raise EnvironmentProblem(
            f"On Flink {own.version} our code would stay off: {answer.reason}.",
            "Nothing was measured. Look at the class path of the benchmarks.",
        )
