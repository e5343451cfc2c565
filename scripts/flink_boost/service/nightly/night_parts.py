"""What a night asks of other parts: each is called by one step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from flink_boost.base.errors import FlinkBoostError
from flink_boost.flink.lines import Line
from flink_boost.measure.classpaths import ClassPaths
from flink_boost.measure.commit_jars import BuildPair
from flink_boost.measure.model import Box
from flink_boost.measure.night_record import (
    CanaryRecord,
    NightRecord,
    Order,
)
from flink_boost.measure.runner import Progress
from flink_boost.publish.nightly.night_report import WrittenNight

Tell = Callable[[str], None]


class StepSkipped(Exception):
    """A step has nothing to do; its text is the reason, a sentence without its full stop."""


class PartlyFailed(Exception):
    """A step failed, and ``night`` holds what it found all the same; ``problem`` says why."""

    def __init__(self, night: NightRecord, problem: FlinkBoostError) -> None:
        super().__init__(str(problem))
        self.night = night
        self.problem = problem


@dataclass(frozen=True)
class BoxFinding:
    """What the check of the box found; ``quiet`` is None when noise was not looked at."""

    label: str
    quiet: bool | None
    note: str = ""


# What the sides of a line load, once it is built.
FindClassPaths = Callable[[Line], ClassPaths]
# Both builds that a recipe's night compares, from the cache where they are there.
BuildSides = Callable[[Line], BuildPair]
# The java of a line and the box with it, as a run records them.
DescribeBox = Callable[[Line], tuple[str, Box]]


@dataclass(frozen=True)
class Parts:
    """What a night asks of other parts. Each may raise ``FlinkBoostError``, or ``StepSkipped``.

    Most return a note of what they did, some the night with what they found. ``canary`` also
    returns what kept a line from being judged. ``verify`` takes a number of strings, a seed and its
    log, ``build`` its log. ``builds`` is there in a night of a recipe only.
    """

    check_box: Callable[[tuple[Line, ...], Tell], BoxFinding]
    build: Callable[[Line, Path], str]
    class_paths: FindClassPaths
    describe: DescribeBox
    verify: Callable[[Line, int, int, Path], str]
    canary: Callable[[NightRecord, tuple[Line, ...]], tuple[CanaryRecord, FlinkBoostError | None]]
    old_against_new: Callable[
        [NightRecord, Order, tuple[Line, ...], BuildSides | None], tuple[NightRecord, str]
    ]
    confirm: Callable[[NightRecord, Order, Progress, Tell], tuple[NightRecord, str]]
    profiles: Callable[[NightRecord, Order, Progress, Tell], str]
    report: Callable[[NightRecord], WrittenNight]
    notify: Callable[[NightRecord], str]
    builds: BuildSides | None = None
