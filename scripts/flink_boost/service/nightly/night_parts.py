"""What a night asks of other parts: each is called by one step, and may be missing.

A step whose part is missing is skipped and says so in the record of the night.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from flink_boost.flink.lines import Line
from flink_boost.measure.classpaths import ClassPaths
from flink_boost.measure.commit_jars import BuildPair
from flink_boost.measure.model import Box
from flink_boost.measure.night_record import (
    BoxChangeRecord,
    CanaryRecord,
    NightRecord,
    Order,
)
from flink_boost.measure.runner import Progress
from flink_boost.publish.nightly.night_report import WrittenNight

Tell = Callable[[str], None]


class StepSkipped(Exception):
    """A step has nothing to do; its text is the reason, a sentence without its full stop."""


@dataclass(frozen=True)
class BoxFinding:
    """What the check of the box found; ``quiet`` is None when noise was not looked at."""

    label: str
    quiet: bool | None
    changes: tuple[BoxChangeRecord, ...] = ()
    note: str = ""


class CheckBox(Protocol):
    """Looks at the machine. Raises ``FlinkBoostError`` when it is not fit to measure on."""

    def __call__(self, lines: tuple[Line, ...], tell: Tell) -> BoxFinding:
        """What was found."""


class BuildLine(Protocol):
    """Builds what is measured on a line. Raises ``FlinkBoostError`` when it does not build."""

    def __call__(self, line: Line, log: Path) -> str:
        """A note of what was built."""


class FindClassPaths(Protocol):
    """What the sides of a line load, once it is built."""

    def __call__(self, line: Line) -> ClassPaths:
        """The class paths."""


class BuildSides(Protocol):
    """Builds what a recipe's night compares. Raises ``BuildFailed`` when it does not build."""

    def __call__(self, line: Line) -> BuildPair:
        """Both builds, from the cache where they are there."""


class VerifyLine(Protocol):
    """Compares patched with stock. Raises ``CodecMismatch`` or another ``FlinkBoostError``."""

    def __call__(self, line: Line, strings: int, seed: int, log: Path) -> str:
        """A note of what was compared."""


class DescribeBox(Protocol):
    """The java of a line and the box with it, as a run records them."""

    def __call__(self, line: Line) -> tuple[str, Box]:
        """Path of the java, and the box."""


class MeasureCanary(Protocol):
    """Measures the frozen jar on each line and judges it by earlier nights."""

    def __call__(self, night: NightRecord, lines: tuple[Line, ...]) -> CanaryRecord:
        """What it said."""


class CompareBuilds(Protocol):
    """Measures what an update of the box has changed. Raises ``StepSkipped`` without one."""

    def __call__(
        self, night: NightRecord, order: Order, lines: tuple[Line, ...], builds: BuildSides | None
    ) -> tuple[NightRecord, str]:
        """The night with what was found, and a note of it; ``builds`` are a recipe's."""


class Confirm(Protocol):
    """Runs suspects again, and keeps the alarms."""

    def __call__(
        self, night: NightRecord, order: Order, progress: Progress, tell: Tell
    ) -> tuple[NightRecord, str]:
        """The night with what stays undecided, and a note of what became of them."""


class TakeProfiles(Protocol):
    """Profiles what was confirmed this night."""

    def __call__(self, night: NightRecord, order: Order, progress: Progress, tell: Tell) -> str:
        """A note of what was profiled."""


class WriteReport(Protocol):
    """Writes the report of a night. Raises ``FlinkBoostError``."""

    def __call__(self, night: NightRecord) -> WrittenNight:
        """Where it is."""


class Notify(Protocol):
    """Tells people of a night, once. Raises ``FlinkBoostError`` when that fails."""

    def __call__(self, night: NightRecord) -> str:
        """A note of who was told what."""


@dataclass(frozen=True)
class Parts:
    """The parts that there are; ``builds`` in a night of a recipe only."""

    check_box: CheckBox
    build: BuildLine
    class_paths: FindClassPaths
    describe: DescribeBox
    verify: VerifyLine
    builds: BuildSides | None = None
    canary: MeasureCanary | None = None
    old_against_new: CompareBuilds | None = None
    confirm: Confirm | None = None
    profiles: TakeProfiles | None = None
    report: WriteReport | None = None
    notify: Notify | None = None

    @property
    def absent(self) -> frozenset[str]:
        """The kinds of steps that are skipped, as there is no part for them."""
        parts = {
            "canary": self.canary,
            "old-against-new": self.old_against_new,
            "confirm": self.confirm,
            "profiles": self.profiles,
            "notify": self.notify,
        }
        return frozenset(kind for kind, part in parts.items() if part is None)
