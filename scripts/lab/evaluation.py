"""Walks through made-up or recorded nights as the service would, and writes what it tells."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from flink_boost.base.errors import BrokenData, UsageProblem
from flink_boost.base.files import write_durably
from flink_boost.judge.detection.anchor import Anchor
from flink_boost.judge.detection.confirmed_changes import ConfirmedAlarm
from flink_boost.judge.detection.watcher import Watcher
from flink_boost.measure.model import Frozen
from lab.cases import (
    DetectionCase,
    Label,
    RerunAnswer,
    RerunQuestion,
    ToldAlarm,
    Truth,
)
from lab.simulation import rerun_pairs

TURNS = 14  # nights until it is a benchmark's turn again to be held against its anchor

AskRerun = Callable[[DetectionCase, int, int, int], Sequence[float]]
_Document = TypeVar("_Document", bound=Frozen)


@dataclass(frozen=True)
class Walk:
    """What was told of one case, and how many pairs its reruns took."""

    case: Label
    nights: int
    alarms: tuple[ToldAlarm, ...]
    pairs: int


def walk(case: DetectionCase, ask: AskRerun) -> Walk:
    """Night by night: nothing of a later night is known in an earlier one."""
    told, pairs = [], 0

    def rerun(before: int, after: int, pairs: int) -> Sequence[float]:
        return ask(case, before, after, pairs)

    def hold(before: int, after: int, pairs: int, urgent: bool) -> Sequence[float]:
        return rerun(before, after, pairs) if urgent or after % TURNS == 0 else ()

    for nights in case.series():
        watcher, anchor = Watcher(rerun), Anchor(hold)
        told_last: dict[int, ConfirmedAlarm] = {}
        for night in nights:
            seen = watcher.add(night)
            alarm = anchor.after(night, seen, is_pending=watcher.pending is not None)
            if alarm is not None:  # what has grown takes the place of what was told before
                told_last[alarm.suspected] = alarm
        told += [told_alarm(case, alarm) for alarm in told_last.values()]
        pairs += watcher.pairs_asked + anchor.pairs_asked
    return Walk(case.id, len(case.nights), tuple(told), pairs)


def told_alarm(case: DetectionCase, alarm: ConfirmedAlarm) -> ToldAlarm:
    """The alarm as a document."""
    return ToldAlarm(
        id=case.id,
        night=case.label(alarm.night),
        first_bad=case.label(alarm.first),
        ratio=math.exp(alarm.effect),
        kind=alarm.kind.value,
        low=math.exp(alarm.low) if math.isfinite(alarm.low) else None,
        high=math.exp(alarm.high) if math.isfinite(alarm.high) else None,
    )


def read_documents(path: Path, kind: type[_Document]) -> tuple[_Document, ...]:
    """The lines of a file. Raises ``BrokenData`` with the number of the line."""
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except OSError as error:
        raise UsageProblem(
            f"{path} cannot be read ({error.strerror}).", "Check the name."
        ) from error
    except UnicodeDecodeError as error:
        raise BrokenData(f"{path} is no UTF-8 ({error.reason}).", "Write it again.") from error
    found = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            found.append(kind.model_validate_json(line))
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(map(str, first["loc"])) or "the line"
            raise BrokenData(
                f"Line {number} of {path} is no {kind.__name__.lower()}: {field}: {first['msg']}.",
                "Mend that line.",
            ) from error
    return tuple(found)


def check_cases(cases: Sequence[DetectionCase]) -> None:
    """Raises ``BrokenData`` where two cases have one id, or nights are not in order."""
    seen: set[Label] = set()
    for case in cases:
        if case.id in seen:
            raise BrokenData(f"The case {case.id} is there twice.", "Give each an id of its own.")
        seen.add(case.id)
        if not _are_in_order([night.night for night in case.nights if night is not None]):
            raise BrokenData(
                f"The nights of {case.id} are not in order.",
                "Number them upwards, or date them as 2026-03-01, oldest first.",
            )


def _are_in_order(labels: Sequence[Label]) -> bool:
    numbers = [label for label in labels if isinstance(label, int)]
    dates = [label for label in labels if isinstance(label, str)]
    if numbers and dates:
        return False
    return all(before < after for before, after in pairwise(numbers)) and all(
        before < after for before, after in pairwise(dates)
    )


def write_documents(path: Path, documents: Iterable[Frozen]) -> None:
    """A line each, all or none of them."""
    write_durably(path, "".join(f"{one.model_dump_json()}\n" for one in documents))


def answer_reruns(truths: Sequence[Truth], questions: Iterable[str]) -> Iterator[str]:
    """Answers of a program for ``--rerun`` to lines with questions about made-up cases."""
    known = {truth.id: truth for truth in truths}
    asked: dict[Label, int] = {}
    for line in questions:
        question = RerunQuestion.model_validate_json(line)
        truth = known[question.id]
        asked[truth.id] = asked.get(truth.id, 0) + 1
        pairs = rerun_pairs(
            truth, int(question.before), int(question.after), question.pairs, asked[truth.id]
        )
        answer = RerunAnswer(pairs=tuple((float(one), float(other)) for one, other in pairs))
        yield answer.model_dump_json()
