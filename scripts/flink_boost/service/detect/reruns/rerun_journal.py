"""What reruns have answered and how nights were judged, per benchmark.

With it a night's detection goes on where the night before ended.

::

    <results>/reruns/journal/<key of the track>.jsonl    an answer or a night a line, oldest first

The pairs themselves are in the runs that the answers name. Older journals hold answers only.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import ConfigDict, Field, FiniteFloat, TypeAdapter, ValidationError

from flink_boost.base.errors import BrokenData
from flink_boost.base.files import make_folder, write_durably
from flink_boost.judge.detection.confirmation import Decision
from flink_boost.judge.detection.confirmed_changes import ConfirmedAlarm
from flink_boost.judge.detection.memory import RULES, AnchorMemory, Memory
from flink_boost.measure.model import Frozen
from flink_boost.service.detect.reruns.bench import FOLDER


class RerunAnswered(Frozen):
    """One answer. ``asked``, ``before`` and ``after`` are ids of nights' runs.

    ``asked`` is the night in which it was asked; ``same`` says that both builds were the same bytes
    and nothing was measured. ``differences`` are log speed-ups of ``after``. ``held``: ``before``
    is the anchor that ``after`` was held against.
    """

    asked: str
    before: str
    after: str
    pairs: int
    differences: tuple[FiniteFloat, ...] = ()
    same: bool = False
    held: bool = False
    when: datetime


class NightHeld(Frozen):
    """What people are told of a night, after what was told little by little is taken into account.

    ``memory`` is what the next night has to know; none is that of the line before. ``runs`` names
    the nights whose numbers are in both.
    """

    model_config = ConfigDict(ser_json_inf_nan="constants")

    told: ConfirmedAlarm | None = None
    memory: AnchorMemory | None = None
    runs: dict[int, str] = Field(default_factory=dict)


class NightJudged(Frozen):
    """One night as it was judged, by that version of the ``rules``. Nights are ids of runs.

    ``decision`` is that of the night's suspicion, ``decisions`` are all of the night, of two builds
    each. ``memory`` is what the next night has to know; none is that of the line before. ``runs``
    names the nights whose numbers are in ``told`` and ``memory``. ``held`` is what the anchor made
    of it; none where a call was killed before.
    """

    model_config = ConfigDict(ser_json_inf_nan="constants")

    night: str
    rules: int
    decision: Decision | Literal["learning", "quiet"] = "quiet"
    decisions: tuple[tuple[str, str, Decision], ...] = ()
    told: ConfirmedAlarm | None = None
    memory: Memory | None = None
    runs: dict[int, str] = Field(default_factory=dict)
    held: NightHeld | None = None


class RerunJournal:
    """All answers about one track, and its nights."""

    def __init__(self, results: Path, key: str) -> None:
        self._path = results / FOLDER / "journal" / f"{key}.jsonl"
        lines = _read(self._path)
        self._answers = [one for one in lines if isinstance(one, RerunAnswered)]
        self._nights = [one for one in lines if isinstance(one, NightJudged)]

    @property
    def answers(self) -> Sequence[RerunAnswered]:
        """About suspicions, oldest first."""
        return [one for one in self._answers if not one.held]

    @property
    def held(self) -> Sequence[RerunAnswered]:
        """Against the anchor, oldest first."""
        return [one for one in self._answers if one.held]

    def known_pairs(self, asked: str, before: str, after: str) -> int:
        """How many pairs that question has been asked for so far."""
        question = (asked, before, after)
        return sum(
            one.pairs
            for one in self._answers
            if (one.asked, one.before, one.after) == question and not one.same
        )

    def pairs_used(self, nights: Collection[str]) -> tuple[int, int]:
        """How many were measured in these nights, and how many of them for an anchor."""
        counts = [
            sum(one.pairs for one in answers if one.asked in nights and not one.same)
            for answers in (self.answers, self.held)
        ]
        return sum(counts), counts[1]

    def add(self, answer: RerunAnswered) -> None:
        """Keeps an answer, durably."""
        self._answers = [*self._answers, answer]
        self._write()

    @property
    def nights(self) -> Sequence[NightJudged]:
        """Nights that were judged, oldest first."""
        return self._nights

    def judge(self, kept: int, newer: Sequence[NightJudged]) -> None:
        """Keeps the first ``kept`` nights and, after them, the ``newer`` ones; durably."""
        nights = [*self._nights[:kept], *newer]
        if nights != self._nights:
            self._nights = nights
            self._write()

    def _write(self) -> None:
        make_folder(self._path.parent)
        lines = [one.model_dump_json() for one in self._answers]
        lines += [one.model_dump_json(exclude_defaults=True) for one in self._nights]
        write_durably(self._path, "".join(f"{line}\n" for line in lines))


_LINE: TypeAdapter[RerunAnswered | NightJudged] = TypeAdapter(RerunAnswered | NightJudged)


def _read(path: Path) -> list[RerunAnswered | NightJudged]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    found: list[RerunAnswered | NightJudged] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            found.append(_LINE.validate_json(line))
        except ValidationError as error:
            raise BrokenData(
                f"{path} holds a line that is no answer of a rerun, and no night"
                f" (line {number}: {error.errors()[0]['msg']}).",
                "Take that line out: what it answered is rerun, and the night it judged is passed"
                " over.",
            ) from error
    newest = max((one.rules for one in found if isinstance(one, NightJudged)), default=0)
    if newest > RULES:
        raise BrokenData(
            f"{path} was written by a newer version (rules {newest}; this one knows {RULES}).",
            "Use that version.",
        )
    return found
