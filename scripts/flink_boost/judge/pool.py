"""Runs of one plan as one run with all their pairs; a part of a run as if it were the whole."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from flink_boost.base.errors import UsageProblem
from flink_boost.measure.fork import Fork
from flink_boost.measure.model import Cell, RunInfo


def pool(runs: Sequence[tuple[RunInfo, Sequence[Fork]]]) -> tuple[RunInfo, tuple[Fork, ...]]:
    """Runs of one plan as one run with all their pairs, numbered through.

    Raises ``UsageProblem`` when the runs differ in anything that a score depends on, and for one
    that is there twice.
    """
    first = runs[0][0]
    pooled: list[Fork] = []
    before = dict.fromkeys(first.cells, 0)
    for info, forks in runs:
        _require_same_plan(first, info)
        for fork in forks:
            place = before[fork.cell] + fork.pair
            pooled.append(fork.model_copy(update={"pair": place}))
        before = {cell: pairs + info.pairs_of(cell) for cell, pairs in before.items()}
    names = [info.run_id for info, _ in runs]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        # Its pairs would count twice, and the interval be too narrow.
        raise UsageProblem(f"The run {twice} is named twice.", "Name each run once.")
    alternating = all(info.alternating for info, _ in runs)
    return _with_pairs(first, tuple(before.values()), alternating=alternating), tuple(pooled)


def only(
    info: RunInfo, forks: Sequence[Fork], wanted: Collection[Cell]
) -> tuple[RunInfo, tuple[Fork, ...]]:
    """What a run says of some of its cells; at least one has to be of them."""
    kept = [place for place, cell in enumerate(info.cells) if cell in wanted]
    part = _with_pairs(
        info,
        tuple(info.pairs_in_order[place] for place in kept),
        cells=tuple(info.cells[place] for place in kept),
        timings=tuple(info.timings[place] for place in kept) if info.timings else (),
    )
    return part, tuple(fork for fork in forks if fork.cell in wanted)


def _with_pairs(info: RunInfo, cell_pairs: tuple[int, ...], **further: Any) -> RunInfo:
    pairs = max(cell_pairs)
    own = cell_pairs if min(cell_pairs) != pairs else ()
    fields = {name: getattr(info, name) for name in RunInfo.model_fields}
    return RunInfo(**{**fields, "pairs": pairs, "cell_pairs": own, **further})


# What two runs must agree in for their pairs to be of one population.
_PLAN = (
    "line",
    "sides",
    "third",
    "third_sha256",
    "threads",
    "heap",
    "opened",
    "jvm_options",
    "dropin_sha256",
    "stock_sha256",
    "before_digest",
    "after_digest",
    "cells",
    "timings",
)


def one_plan(first: RunInfo, other: RunInfo) -> bool:
    """True when two runs agree in everything that a score depends on."""
    return not any(getattr(first, field) != getattr(other, field) for field in _PLAN) and (
        _machine(first) == _machine(other)
    )


def _require_same_plan(first: RunInfo, other: RunInfo) -> None:
    for field in _PLAN:
        if getattr(first, field) != getattr(other, field):
            name = field.replace("_", " ")
            raise UsageProblem(
                f"The runs {first.run_id} and {other.run_id} differ in their {name}.",
                "Only runs of one plan can be pooled; compare them one by one.",
            )
    if _machine(first) != _machine(other):
        raise UsageProblem(
            f"The runs {first.run_id} and {other.run_id} are of different machines or JDKs.",
            "Only runs of one box can be pooled; compare them one by one.",
        )


def _machine(info: RunInfo) -> tuple[str, str]:
    return info.box.label, info.box.jdk
