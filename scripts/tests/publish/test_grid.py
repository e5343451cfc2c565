"""The grid of string benchmarks: every cell in its place, none mixed up, none lost."""

from __future__ import annotations

import itertools

from synthetic import JOB, make_forks, make_run

from flink_boost.judge.outcomes import Comparison
from flink_boost.judge.ratio import compare
from flink_boost.judge.verdict import Verdict
from flink_boost.measure.model import Cell
from flink_boost.publish.comparison import comparison_sheets
from flink_boost.publish.grid import grid_sheets, is_in_grid
from flink_boost.publish.sheet import markdown


def string_cell(method: str, length: str, kind: str, profile: str, view: str) -> Cell:
    return Cell(
        benchmark=f"org.apache.flink.benchmark.StringSerializationBenchmark.{method}",
        params=(("length", length), ("kind", kind), ("profile", profile), ("view", view)),
    )


CELLS = [
    string_cell("write", length, kind, profile, "serializer")
    for length, kind, profile in itertools.product(
        ("1024", "4", "16"), ("ascii", "cjk"), ("mixed", "pure")
    )
]


def compared(cells: list[Cell], pairs: int = 2) -> list[Comparison]:
    """Comparisons whose ratio tells the cell: its place in the list, plus one."""
    info = make_run(cells=cells, pairs=pairs)
    rows = compare(info, make_forks(info))
    return [
        row.model_copy(update={"ratio": float(n), "low": n - 0.25, "high": n + 0.25})
        for n, row in enumerate(rows, start=1)
    ]


def test_operation_and_kind_down_length_across_profiles_apart() -> None:
    rows = compared(CELLS)
    mixed, pure = grid_sheets(rows, "T", with_gc=False)
    assert (mixed.title, pure.title) == ("T; mixed", "T; pure")
    assert [column.title for column in mixed.columns] == ["characters", "4", "16", "1,024"]
    assert [row[0].text for row in mixed.rows] == [
        "write ascii, serializer",
        "write cjk, serializer",
    ]
    for sheet, profile in ((mixed, "mixed"), (pure, "pure")):
        for line, kind in zip(sheet.rows, ("ascii", "cjk"), strict=True):
            for entry, length in zip(line[1:], ("4", "16", "1024"), strict=True):
                place = string_cell("write", length, kind, profile, "serializer")
                number = CELLS.index(place) + 1
                assert entry.text.startswith(f"{number}.00x (" if number < 10 else f"{number}.0x (")


def test_a_cell_is_ratio_interval_and_marker() -> None:
    cells = CELLS[:1] + CELLS[4:5]
    rows = [
        row.model_copy(update={"ratio": 1.064, "low": 0.96, "high": 1.17, "verdict": verdict})
        for row, verdict in zip(compared(cells), (Verdict.SAME, Verdict.SLOWER), strict=True)
    ]
    (sheet,) = grid_sheets(rows, "T", with_gc=False)
    assert markdown(sheet) == (
        "**T; mixed**\n\n"
        "| characters | 4 | 1,024 |\n|:---|---:|---:|\n"
        "| write ascii, serializer | 1.06x (0.96–1.17) ▼ | 1.06x (0.96–1.17) = |\n\n"
        "▲▲ clearly faster, ▲ faster, △ slightly faster, = the same within 5 %, ? undecided,"
        " ▽ slightly slower, ▼ slower, ▼▼ clearly slower; in brackets the 95 % interval.\n"
    )


def test_large_numbers_keep_three_digits_and_one_pair_has_no_interval() -> None:
    rows = compared(CELLS[:1] + CELLS[4:5], pairs=1)
    wide = [
        row.model_copy(update={"ratio": ratio})
        for row, ratio in zip(rows, (62.31, 122.4), strict=True)
    ]
    (sheet,) = grid_sheets(wide, "T", with_gc=False)
    assert [entry.text for entry in sheet.rows[0]] == [
        "write ascii, serializer",
        "122x ?",
        "62.3x ?",
    ]


def test_a_length_that_was_not_measured_is_an_empty_field() -> None:
    cells = [*CELLS[:6], string_cell("read", "16", "ascii", "mixed", "network")]
    cells += [string_cell("read", "64", "ascii", "mixed", "network")]
    mixed = grid_sheets(compared(cells), "T", with_gc=False)[0]
    read = next(row for row in mixed.rows if row[0].text.startswith("read"))
    shown = dict(zip((column.title for column in mixed.columns), read, strict=True))
    assert shown["4"].text == shown["1,024"].text == ""
    assert shown["16"].text
    assert shown["64"].text


def test_what_fits_into_no_grid_stays_in_rows() -> None:
    alone = string_cell("read", "16", "ascii", "mixed", "network")
    cells = [*CELLS, alone, JOB]
    rows = compared(cells)
    assert [is_in_grid(row, rows) for row in rows] == [True] * len(CELLS) + [False, False]
    info = make_run(cells=cells, pairs=2)
    sheets = comparison_sheets(info, make_forks(info), 0.95, as_grid=True)
    assert [sheet.title.rpartition("; ")[2] for sheet in sheets[:2]] == ["mixed", "pure"]
    assert [row[0].text for row in sheets[2].rows] == [alone.name, JOB.name]
    assert len(sheets) == 3


def test_a_heap_adds_a_grid_of_the_time_in_collections() -> None:
    info = make_run(cells=CELLS[:6], pairs=2, heap="64m")
    forks = [
        fork.model_copy(update={"gc_time_per_op": time, "gc_time_step": 0.1})
        for fork, time in zip(make_forks(info), itertools.cycle((6.0, 2.0)), strict=False)
        if fork.cell != CELLS[1]
    ]
    sheets = comparison_sheets(info, forks, 0.95, as_grid=True)
    titles = [sheet.title.partition("; ")[2] for sheet in sheets]
    assert titles == [
        "mixed",
        "mixed: time in garbage collections",
        "pure",
        "pure: time in garbage collections",
    ]
    assert "3.00x (3.00–3.00) ▲▲" in [entry.text for entry in sheets[1].rows[0]]
