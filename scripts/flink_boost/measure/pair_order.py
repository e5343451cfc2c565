"""In which order the pairs of a run are measured. Pure."""

from __future__ import annotations

from flink_boost.measure.model import Cell, RunInfo


def pairs_in_turn(info: RunInfo) -> tuple[tuple[Cell, int], ...]:
    """Every pair of every cell, as (cell, pair from 1): round by round, in a round cell by cell.

    A round has one pair of each cell at most. A cell with fewer pairs than others sits rounds out,
    evenly, so that the pairs of each are spread over the whole run.
    """
    places = sorted(
        ((2 * pair - 1) * info.pairs // (2 * pairs), number, pair)
        for number, pairs in enumerate(info.pairs_in_order)
        for pair in range(1, pairs + 1)
    )
    return tuple((info.cells[number], pair) for _, number, pair in places)
