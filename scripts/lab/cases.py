"""Series of nights to judge detection by: the documents, a line of JSON each."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import groupby
from typing import Annotated, Literal

from pydantic import BeforeValidator, ConfigDict, Field, FiniteFloat

from flink_boost.judge.detection.nights import Night, effects_of
from flink_boost.measure.model import Frozen


def _score(value: object) -> object:
    # A lost fork is null, or what its harness wrote in its place.
    return math.nan if value is None or value in ("NaN", "Infinity", "-Infinity") else value


Score = Annotated[float, BeforeValidator(_score)]


# What the document calls a case or a night, and what is asked and answered: "007" stays a text.
Label = int | str


class _Foreign(Frozen):
    """A document that others write: what they note beside our fields is passed over."""

    model_config = ConfigDict(extra="ignore")


class CaseNight(_Foreign):
    """One night: which build it measured, and its scores as (stock, patched)."""

    night: Label
    commit: Label | None = None
    pairs: tuple[tuple[Score, Score], ...]
    box: Label | None = None  # another one begins another series


class DetectionCase(_Foreign):
    """One benchmark over many nights; a night that measured nothing is null."""

    id: Label
    unit: str
    less_is_better: bool
    pairs_per_night: int = Field(ge=1)
    nights: tuple[CaseNight | None, ...]

    def to_nights(self) -> tuple[Night, ...]:
        """The nights that measured something; their numbers are their places in the document."""
        found = []
        for place, one in enumerate(self.nights):
            effects = effects_of(one.pairs, less_is_better=self.less_is_better) if one else ()
            if effects:
                found.append(Night(place, effects))
        return tuple(found)

    def series(self) -> Iterator[tuple[Night, ...]]:
        """The same in parts, one for each box in a row."""
        for _, part in groupby(self.to_nights(), lambda night: self._box(night.number)):
            yield tuple(part)

    def _box(self, place: int) -> Label | None:
        night = self.nights[place]
        return night.box if night else None

    def label(self, place: int) -> int | str:
        """What the document calls the night at that place, which is there."""
        night = self.nights[place]
        if night is None:
            raise ValueError(f"{self.id} has no night at place {place}")
        return night.night


class RerunQuestion(Frozen):
    """What a rerun is asked for: that many pairs of the builds of two nights."""

    id: Label
    before: Label
    after: Label
    pairs: int


class RerunAnswer(_Foreign):
    """Scores as (before, after), in the order in which they were measured."""

    pairs: tuple[tuple[Score, Score], ...]


class ToldAlarm(Frozen):
    """What is told: in which night, since which night, new level ÷ old level of speed."""

    id: Label
    night: Label
    first_bad: Label
    ratio: FiniteFloat
    kind: str = "step"
    low: FiniteFloat | None = None
    high: FiniteFloat | None = None


class TrueChange(Frozen):
    """A change that a case really has; a drift goes on from ``first`` to ``last``.

    A recovery is back on the level from before the change before it.
    """

    first: int
    last: int
    ratio: FiniteFloat
    kind: Literal["step", "drift", "recovery"] = "step"


class Truth(Frozen):
    """What is known of a made-up case: its kind, its changes, and what reruns of it would show."""

    id: Label
    kind: str
    changes: tuple[TrueChange, ...]
    levels: tuple[FiniteFloat, ...] = Field(description="log-ratio of each night's build")
    pair_noise: FiniteFloat
    shape: Literal["normal", "heavy-tails", "bimodal"]
    less_is_better: bool
    seed: int
