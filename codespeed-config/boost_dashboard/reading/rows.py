"""The typed rows. Dates are UTC without a zone, as Codespeed stores them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime

RATIO_SUFFIX = ".ratio"


@dataclass(frozen=True)
class Box:
    """The machine that measured."""

    id: int
    name: str


@dataclass(frozen=True)
class Executable:
    """What was measured; ``label`` tells those of one name in two projects apart."""

    id: int
    name: str
    label: str


@dataclass(frozen=True)
class Run:
    """A run of a box on a branch, known by its commit id."""

    id: int
    commit: str
    branch: str
    date: datetime

    @property
    def seconds(self) -> int:
        """Since 1970, in UTC."""
        return int(self.date.replace(tzinfo=UTC).timestamp())


@dataclass(frozen=True)
class Benchmark:
    """A benchmark of Codespeed; that of a ratio is a benchmark of its own."""

    id: int
    name: str
    units: str
    title: str
    less_is_better: bool
    description: str

    @property
    def is_ratio(self) -> bool:
        return self.name.endswith(RATIO_SUFFIX)

    @property
    def subject(self) -> str:
        """The name of what a ratio is of; else its own."""
        return self.name.removesuffix(RATIO_SUFFIX)


@dataclass(frozen=True)
class Measured:
    """A value with its lowest and highest, or with the interval of a ratio; None if unknown."""

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def has_interval(self) -> bool:
        return self.low is not None and self.high is not None


def measured(value: float | None, low: float | None, high: float | None) -> Measured | None:
    """None for a value that is no finite number; likewise for either bound."""
    if value is None or not math.isfinite(value):
        return None
    return Measured(value, _finite(low), _finite(high))


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
