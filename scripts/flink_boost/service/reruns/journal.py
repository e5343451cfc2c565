"""What reruns have answered, per benchmark: with it a night's detection can be gone through again.

::

    <results>/reruns/journal/<key of the track>.jsonl    an answer a line, oldest first

The pairs themselves are in the runs that the answers name.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from pydantic import FiniteFloat, ValidationError

from flink_boost.base.errors import BrokenData
from flink_boost.base.files import make_folder, write_durably
from flink_boost.measure.model import Frozen
from flink_boost.service.reruns.bench import FOLDER


class RerunAnswered(Frozen):
    """One answer. ``asked``, ``before`` and ``after`` are ids of nights' runs.

    ``asked`` is the night in which it was asked; ``same`` says that both builds were the same bytes
    and nothing was measured. ``differences`` are log speed-ups of ``after``.
    """

    asked: str
    before: str
    after: str
    pairs: int
    differences: tuple[FiniteFloat, ...] = ()
    same: bool = False
    when: datetime


class RerunJournal:
    """All answers about one track."""

    def __init__(self, results: Path, key: str) -> None:
        self._path = results / FOLDER / "journal" / f"{key}.jsonl"
        self._answers = _read(self._path)

    @property
    def answers(self) -> Sequence[RerunAnswered]:
        """Oldest first."""
        return self._answers

    def known_pairs(self, asked: str, before: str, after: str) -> int:
        """How many pairs that question has been asked for so far."""
        question = (asked, before, after)
        return sum(
            one.pairs
            for one in self._answers
            if (one.asked, one.before, one.after) == question and not one.same
        )

    def add(self, answer: RerunAnswered) -> None:
        """Keeps an answer, durably."""
        self._answers = [*self._answers, answer]
        make_folder(self._path.parent)
        text = "".join(f"{one.model_dump_json()}\n" for one in self._answers)
        write_durably(self._path, text)


def _read(path: Path) -> list[RerunAnswered]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    try:
        return [RerunAnswered.model_validate_json(line) for line in lines if line.strip()]
    except ValidationError as error:
        raise BrokenData(
            f"{path} holds a line that is no answer of a rerun ({error.errors()[0]['msg']}).",
            "Take that line out; what it was about is rerun.",
        ) from error
