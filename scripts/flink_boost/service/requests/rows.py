"""From forks to rows. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence

from flink_boost.flink.side import Side
from flink_boost.measure.fork import Fork
from flink_boost.measure.model import Cell, RunInfo
from flink_boost.service.requests.model import Measured
from flink_boost.service.requests.verdicts import AnswerRow, RowVerdict, judged
from flink_boost.service.reruns.bench import differences

SIDES = ((Side.BEFORE, "base"), (Side.AFTER, "head"))


def rows_of(measured: Measured) -> tuple[AnswerRow, ...]:
    """A row per benchmark, in the order of the request; all alike where the builds are the same."""
    names = measured.order.names
    if measured.same or measured.first is None:
        same = RowVerdict.NO_CHANGE
        return tuple(AnswerRow(name=name, verdict=same, pairs=0, within=0.0) for name in names)
    first = speedups(measured.first, measured.forks)
    again = speedups(measured.again, measured.forks_again) if measured.again else {}
    forks = _by_name((*measured.forks, *measured.forks_again))
    return tuple(
        _with_scores(
            judged(name, first.get(name, ()), again.get(name), len(names)), forks.get(name, [])
        )
        for name in names
    )


def speedups(info: RunInfo, forks: Iterable[Fork]) -> Mapping[str, tuple[float, ...]]:
    """Log speed-ups of head against base, whole pairs only, for each benchmark of a run."""
    found = _by_name(forks)
    return {
        cell.name: differences(tuple(found.get(cell.name, ())), 1, info.pairs_of(cell))
        for cell in info.cells
    }


def _by_name(forks: Iterable[Fork]) -> dict[str, list[Fork]]:
    found: dict[str, list[Fork]] = {}
    for fork in forks:
        found.setdefault(_name(fork.cell), []).append(fork)
    return found


def _name(cell: Cell) -> str:
    return cell.name


def _with_scores(row: AnswerRow, forks: Sequence[Fork]) -> AnswerRow:
    scores = {side: [one.score for one in forks if one.side is side] for side, _ in SIDES}
    if row.verdict is RowVerdict.FAILED:
        missing = [title for side, title in SIDES if not scores[side]]
        reason = f"no fork of {' and '.join(missing)} ended well" if missing else row.reason
        return row.model_copy(update={"reason": reason})
    return row.model_copy(
        update={
            "unit": forks[0].unit,
            "base": statistics.fmean(scores[Side.BEFORE]),
            "head": statistics.fmean(scores[Side.AFTER]),
            "base_alloc": _allocation(forks, Side.BEFORE),
            "head_alloc": _allocation(forks, Side.AFTER),
        }
    )


def _allocation(forks: Sequence[Fork], side: Side) -> float | None:
    known = [
        one.alloc_bytes_per_op
        for one in forks
        if one.side is side and one.alloc_bytes_per_op is not None
    ]
    return statistics.median(known) if known else None
