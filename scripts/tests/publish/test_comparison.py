"""Tables, Markdown and JSON of a comparison, and the lines that show progress."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.console import Console
from synthetic import COMPARATOR, JOB, THREE, WRITE, make_forks, make_run

from flink_boost.base.text import describe_left, short_number
from flink_boost.flink.side import Side
from flink_boost.judge.outcomes import Comparison
from flink_boost.judge.pool import pool
from flink_boost.judge.ratio import HarnessCheck, compare
from flink_boost.measure.fork import Fork
from flink_boost.measure.fork_files import PlannedFork
from flink_boost.measure.model import Mode, RunInfo
from flink_boost.measure.runner import EndedFork, Failure
from flink_boost.publish.comparison import (
    chance_sentence,
    comparison_document,
    comparison_notes,
    comparison_sheet,
    comparison_sheets,
    harness_sentence,
    title,
)
from flink_boost.publish.progress import shown_progress
from flink_boost.publish.sheet import markdown as sheet_markdown
from flink_boost.publish.sheet import print_sheets

AA = (Side.STOCK, Side.CONTROL)


def print_text(info: RunInfo, forks: Sequence[Fork]) -> None:
    print_sheets(comparison_sheets(info, forks, 0.95, as_grid=False), "text")


def markdown(info: RunInfo, rows: Sequence[Comparison]) -> str:
    return sheet_markdown(comparison_sheet(info, rows))


def test_a_table_in_a_pipe_is_not_folded(capsys: pytest.CaptureFixture[str]) -> None:
    info = make_run(pairs=4)
    print_text(info, make_forks(info, noise=0.02, seed=1))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Flink 2.3.0, JDK 17, patched against stock, 4 pairs, java.lang opened"
    write = next(line for line in lines if WRITE.name in line).split()
    assert write[3] == "ns/op"
    assert float(write[4].removesuffix("x")) == pytest.approx(2, rel=0.1)
    assert write[-2:] == ["clearly", "faster"]
    assert sum(JOB.name in line for line in lines) == 1


def test_markdown() -> None:
    info = make_run(cells=[WRITE], pairs=2, quick_look=True, opened=False)
    assert markdown(info, compare(info, make_forks(info))) == (
        "**Flink 2.3.0, JDK 17, patched against stock, 2 pairs, java.lang not opened;"
        " QUICK LOOK, too short to publish**\n"
        "\n"
        "| benchmark | stock | patched | unit | ratio | interval | B/op | CPU | verdict |\n"
        "|:---|---:|---:|:---|---:|---:|---:|---:|:---|\n"
        f"| {WRITE.name} | 100 | 50.0 | ns/op | 2.00x | 2.00–2.00 | 48 → 48 | 2.00x"
        " | clearly faster |\n"
    )


def test_json_holds_run_rows_and_notes_and_no_infinity() -> None:
    info = make_run(pairs=1)
    forks = make_forks(info)
    text = json.dumps(comparison_document(info, forks[:-1], 0.95), allow_nan=False)
    document = json.loads(text, parse_constant=lambda name: pytest.fail(name))
    assert document["run"]["run_id"] == info.run_id
    assert [row["name"] for row in document["comparisons"]] == [WRITE.name]
    assert (document["comparisons"][0]["low"], document["comparisons"][0]["high"]) == (0.0, None)
    assert document["notes"] == [f"Left out, as a half of the pair is missing: {JOB.name}: pair 1."]


def test_an_undecided_row_says_how_many_pairs_it_takes() -> None:
    info = make_run(pairs=3)
    rows = compare(info, make_forks(info, ratio=1.0, noise=0.2, seed=5))
    undecided = [row for row in rows if row.pairs_needed]
    assert undecided
    for row in undecided:
        assert f"undecided, needs about {row.pairs_needed} pairs" in markdown(info, [row])


def test_a_third_side_has_two_tables_of_its_own() -> None:
    info = make_run(cells=[WRITE], sides=THREE, pairs=3, line="1.9.3", jdk="11.0.28+6")
    forks = make_forks(info, ratio=3.0, third_ratio=1.5)
    sheets = comparison_sheets(info, forks, 0.95, as_grid=False)
    assert [sheet.title.split(", ")[2] for sheet in sheets] == [
        "patched against stock",
        "upstream 1.10.0 against stock",
        "patched against upstream 1.10.0",
    ]
    assert all(sheet.title.startswith("Flink 1.9.3, JDK 11, ") for sheet in sheets)
    ratios = [sheet.rows[0][4].text for sheet in sheets]
    assert ratios == ["3.00x", "1.50x", "2.00x"]
    document = comparison_document(info, forks, 0.95)
    further = document["further"]
    assert isinstance(further, list)
    assert [(one["reference"], one["candidate"]) for one in further] == [
        ("stock", "upstream"),
        ("upstream", "patched"),
    ]
    assert [round(one["comparisons"][0]["ratio"], 6) for one in further] == [1.5, 2.0]


def test_threads_and_heap_are_in_the_title_and_a_heap_shows_the_time_in_collections() -> None:
    info = make_run(cells=[WRITE], pairs=2, threads=8, heap="64m")
    forks = [
        fork.model_copy(update={"gc_time_per_op": time, "gc_time_step": 0.1, "gc_count": 1.0})
        for fork, time in zip(make_forks(info), (4.0, 2.0, 4.0, 2.0), strict=True)
    ]
    text = markdown(info, compare(info, forks))
    assert "2 pairs, java.lang opened, 8 threads, heap 64m" in text
    assert "| GC ns/op | GC time | GC verdict |" in text
    assert "| 4.00 → 2.00 | 2.00x (2.00–2.00) | clearly faster |" in text
    without = markdown(info, compare(info, make_forks(info)))
    assert "| – | – | – | clearly faster |" in without
    usual = make_run(cells=[WRITE], pairs=2)
    assert "GC" not in markdown(usual, compare(usual, forks))


def test_comparators_have_a_table_of_their_own_and_no_row_elsewhere() -> None:
    info = make_run(cells=[WRITE, COMPARATOR], pairs=2)
    forks = [
        fork.model_copy(update={"score": 300.0}) if fork.cell == COMPARATOR else fork
        for fork in make_forks(info)
    ]
    ours, theirs = comparison_sheets(info, forks, 0.95, as_grid=False)
    assert [row[0].text for row in ours.rows] == [WRITE.name]
    assert [entry.text for entry in theirs.rows[0]] == [
        *(WRITE.name, "writeUtf", "300", "50.0", "ns/op", "6.00x", "6.00–6.00", "clearly faster"),
    ]
    assert theirs.title.startswith("Flink 2.3.0, JDK 17, 2 pairs")


def test_more_allocation_than_stock_is_named() -> None:
    info = make_run(cells=[WRITE, JOB], pairs=2)

    def notes(*patched_alloc: float) -> tuple[str, ...]:
        forks = [
            fork.model_copy(update={"alloc_bytes_per_op": patched_alloc[fork.pair - 1]})
            if fork.side is Side.PATCHED and fork.cell == JOB
            else fork
            for fork in make_forks(info)
        ]
        return comparison_notes(info, forks, compare(info, forks))

    assert notes(48.4, 48.4) == (), "less than half a byte is the profiler's own"
    assert notes(49.0, 57.0) == (), "pairs that disagree leave it open"
    assert notes(56.0, 56.0) == (f"Allocates more than stock: {JOB.name} 48 → 56 B/op.",)


def test_a_half_pair_is_said_and_the_pairs_are_shown() -> None:
    info = make_run(pairs=3)
    forks = make_forks(info, noise=0.01)[:-1]
    rows = compare(info, forks)
    assert comparison_notes(info, forks, rows) == (
        f"Left out, as a half of the pair is missing: {JOB.name}: pair 3.",
    )
    assert "| pairs |" in markdown(info, rows)


def test_an_aa_run_is_summarised() -> None:
    info = make_run(pairs=4, sides=AA)
    forks = make_forks(info, ratio=1.0, noise=0.02, seed=2)
    (note,) = comparison_notes(info, forks, compare(info, forks))
    assert note.startswith("A/A: ")
    assert "of 2 rows exclude 1.00; expected up to 1 at the 95% level" in note
    assert "stock again against stock" in title(info)


def test_a_harness_that_is_not_sound_is_said() -> None:
    assert harness_sentence(HarnessCheck(20, 3, 3, 0.95)).endswith("level.")
    assert "not sound" in harness_sentence(HarnessCheck(20, 4, 3, 0.95))
    assert "says nothing" in harness_sentence(HarnessCheck(0, 0, 0, 0.95))


def test_without_a_whole_pair_there_is_no_table(capsys: pytest.CaptureFixture[str]) -> None:
    info = make_run()
    print_text(info, make_forks(info)[:1])
    assert capsys.readouterr().out == "There is no whole pair to compare.\n"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.01234, "0.0123"),
        (7.214, "7.21"),
        (19.32, "19.3"),
        (197.0, "197"),
        (1640.4, "1640"),
        (0.0, "0"),
    ],
)
def test_numbers_have_three_digits(value: float, text: str) -> None:
    assert short_number(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, ""),
        (0.2, "about 1 s left"),
        (89, "about 89 s left"),
        (240, "about 4 min left"),
        (9000, "about 2.5 h left"),
    ],
)
def test_what_is_left(seconds: float, text: str) -> None:
    assert describe_left(seconds) == text


@pytest.mark.parametrize("terminal", [False, True])
def test_progress_shows_results_and_failures(
    terminal: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    info = make_run(pairs=3)
    stock = PlannedFork(2, Side.STOCK, WRITE)
    patched = PlannedFork(2, Side.PATCHED, WRITE)
    failure = Failure(patched, "ended with code 1", Path("x.log"), "first\nlast")
    console = Console(stderr=True, force_terminal=terminal, width=200, highlight=False)
    with shown_progress(console) as progress:
        progress.started(info, 5, stock)
        progress.ended(info, EndedFork(5, 12, stock, make_forks(info)[0], 240))
        progress.started(info, 6, patched)
        progress.ended(info, EndedFork(6, 12, patched, failure, 200))
    shown = capsys.readouterr().err
    assert (
        f"[6/12] pair 2/3 {WRITE.name} patched FAILED: it ended with code 1; log: x.log\n"
        "    first\n    last\n"
    ) in shown
    if terminal:
        assert f"pair 2/3 {WRITE.name} patched" in shown
        assert "6/12" in shown
        assert "about 3 min left" in shown
    else:
        assert f"[5/12] pair 2/3 {WRITE.name} stock 100 ns/op, about 4 min left\n" in shown


def test_an_old_run_says_that_stock_always_came_first() -> None:
    info = make_run(pairs=2)
    forks = make_forks(info)
    rows = compare(info, forks)
    assert not any("alternated" in note for note in comparison_notes(info, forks, rows))
    old = info.model_copy(update={"alternating": False})
    (note,) = comparison_notes(old, forks, rows)
    assert note.startswith("Not alternated: ")
    assert "each pair began with stock" in note
    other = old.model_copy(update={"run_id": "another"})
    pooled, _ = pool([(info, forks), (other, forks)])
    assert not pooled.alternating


def test_a_long_table_says_what_chance_does() -> None:
    info = make_run(cells=[WRITE], pairs=5)
    (row,) = compare(info, make_forks(info, noise=0.01, modes=[Mode.THROUGHPUT]))
    assert chance_sentence([row] * 40) == (
        "Of 40 rows chance alone would call about 2 faster or slower: half of them each."
    )
    assert chance_sentence([row] * 19) == ""
    alone = row.model_copy(update={"pairs": 1})
    assert chance_sentence([alone] * 400) == "", "without an interval nothing is called so"
