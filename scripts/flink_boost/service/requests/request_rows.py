"""From forks to rows. Pure."""

from __future__ import annotations

import math
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from flink_boost.flink.side import Side
from flink_boost.judge.verdict import Verdict
from flink_boost.measure.fork import Fork
from flink_boost.measure.model import RunInfo
from flink_boost.service.detect.reruns.bench import differences
from flink_boost.service.requests.request import FailedFork, Measured
from flink_boost.service.requests.verdicts import AnswerRow, Unjudged, judged

# What we say of a fork ourselves. Anything else may quote a stranger, and stands in a table.
_OURS = re.compile(r"[A-Za-z0-9 ,.]{1,150}")
SIDES = ((Side.BEFORE, "base"), (Side.AFTER, "head"))


def rows_of(measured: Measured) -> tuple[AnswerRow, ...]:
    """A row per benchmark, in the order of the request; all alike where the builds are the same."""
    names = measured.order.names
    if measured.same or measured.first is None:
        return tuple(
            AnswerRow(name=name, verdict=Verdict.SAME, pairs=0, within=0.0) for name in names
        )
    first = speedups(measured.first, measured.forks)
    again = speedups(measured.again, measured.forks_again) if measured.again else {}
    forks, fresh = _by_name(measured.forks), _by_name(measured.forks_again)
    planned = _planned(measured)
    return tuple(
        _with_failures(
            _with_scores(
                judged(name, first.get(name, ()), again.get(name), len(names)),
                _whole(forks.get(name, ())),
                _whole(fresh.get(name, ())),
            ),
            (*forks.get(name, ()), *fresh.get(name, ())),
            planned.get(name, 0),
            next((one for one in measured.failures if one.name == name), None),
        )
        for name in names
    )


def _planned(measured: Measured) -> Mapping[str, int]:
    """How many JVMs of each side were to run, for each benchmark."""
    planned: Counter[str] = Counter()
    for info in (measured.first, measured.again):
        for cell in info.cells if info else ():
            planned[cell.name] += info.pairs_of(cell) if info else 0
    return planned


def speedups(info: RunInfo, forks: Iterable[Fork]) -> Mapping[str, tuple[float, ...]]:
    """Log speed-ups of head against base, whole pairs only, for each benchmark of a run."""
    found = _by_name(forks)
    return {
        cell.name: differences(tuple(found.get(cell.name, ())), 1, info.pairs_of(cell))
        for cell in info.cells
    }


def unlike_base(forks: Iterable[Fork]) -> tuple[Fork, ...]:
    """Forks of one run that measured in another mode, unit or with other parameters than base did.

    Their scores compare with nothing: in another mode less is better. Where base itself was of two
    minds, no fork of that benchmark counts.
    """
    return tuple(
        one
        for of_one in _by_name(forks).values()
        for kinds in [{_kind(fork) for fork in of_one if fork.side is Side.BEFORE}]
        for one in of_one
        if kinds and kinds != {_kind(one)}
    )


def _kind(fork: Fork) -> tuple[object, ...]:
    return fork.mode, fork.unit, fork.params


def unlike_text(strange: Sequence[Fork], forks: Sequence[Fork]) -> str:
    """How the first of those differs from another fork of its benchmark."""
    one = strange[0]
    other = next(fork for fork in forks if fork.cell == one.cell and _kind(fork) != _kind(one))
    found, known = (f"{dict(SIDES)[fork.side]} as {_kind_text(fork)}" for fork in (one, other))
    return f"{one.cell.name} was measured in {found}, and in {known}"


def _kind_text(fork: Fork) -> str:
    further = ", ".join(
        f"{name}={text}" for name, text in fork.params if (name, text) not in fork.cell.params
    )
    return f"{fork.mode.value}, {fork.unit}{f' with {further[:200]}' if further else ''}"


def _by_name(forks: Iterable[Fork]) -> dict[str, list[Fork]]:
    found: dict[str, list[Fork]] = {}
    for fork in forks:
        found.setdefault(fork.cell.name, []).append(fork)
    return found


def _whole(forks: Sequence[Fork]) -> tuple[Fork, ...]:
    """The forks of one run whose other half is there, too: those that a ratio is made of."""
    halves = Counter(one.pair for one in forks if _is_score(one))
    return tuple(one for one in forks if halves[one.pair] == len(SIDES))


def _is_score(fork: Fork) -> bool:
    return math.isfinite(fork.score) and fork.score > 0


def _with_scores(row: AnswerRow, first: Sequence[Fork], again: Sequence[Fork]) -> AnswerRow:
    """The row with the scores of the whole pairs that its ratio is of.

    Geometric means, whose ratio is the mean of the pairs' ratios.
    """
    if row.verdict is Unjudged.NOT_MEASURED:
        return row
    fresh_alone = row.told in ("faster", "slower")
    forks = again if fresh_alone else (*first, *again)
    base, head = (
        statistics.geometric_mean(one.score for one in forks if one.side is side)
        for side, _ in SIDES
    )
    return row.model_copy(
        update={
            "unit": forks[0].unit,
            "base": base,
            "head": head,
            "base_alloc": _allocation(forks, Side.BEFORE),
            "head_alloc": _allocation(forks, Side.AFTER),
        }
    )


def _with_failures(
    row: AnswerRow, forks: Sequence[Fork], planned: int, why: FailedFork | None
) -> AnswerRow:
    """The row with how many JVMs failed; only "slower" is still said where one did."""
    base, head = (
        planned - sum(one.side is side and _is_score(one) for one in forks) for side, _ in SIDES
    )
    if base + head <= 0:
        return row
    counted = row.model_copy(update={"planned": planned, "failed_base": base, "failed_head": head})
    if row.told == "slower":
        return counted
    if row.verdict is Unjudged.NOT_MEASURED:
        reason = f"{failures_text(counted)} failed{_because(why)}"
        return counted.model_copy(update={"reason": reason})
    verdict, reason = Unjudged.FORKS_FAILED, f"{failures_text(counted)}{_because(why)}"
    return counted.model_copy(
        update={"verdict": verdict, "within": None, "smallest": None, "reason": reason}
    )


def _because(why: FailedFork | None) -> str:
    return f" (the first, of {dict(SIDES)[why.side]}, {reason_text(why.reason)})" if why else ""


def reason_text(reason: str) -> str:
    """What became of a fork, as mere text: ``was stopped after 145 s``."""
    said, _, detail = reason.partition(": ")
    detail = detail.removesuffix(".")
    return f"{said}: {detail[0].lower()}{detail[1:]}" if _OURS.fullmatch(detail) else said


def failures_text(row: AnswerRow) -> str:
    """``6 of 10 JVMs of head``; empty where none failed."""
    return " and ".join(
        f"{'all' if failed == row.planned else f'{failed} of'} {row.planned} JVMs of {title}"
        for (_, title), failed in zip(SIDES, (row.failed_base, row.failed_head), strict=True)
        if failed
    )


def _allocation(forks: Sequence[Fork], side: Side) -> float | None:
    known = [
        one.alloc_bytes_per_op
        for one in forks
        if one.side is side and one.alloc_bytes_per_op is not None
    ]
    return statistics.median(known) if known else None
