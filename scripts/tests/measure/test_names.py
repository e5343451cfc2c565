"""What benchmarks are called on our pages, in files and by JMH, and that each name is taken."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from synthetic import JOB, WRITE, make_forks, make_run

from flink_boost.flink.side import Side
from flink_boost.measure.groups import load_groups
from flink_boost.measure.model import Cell, RunInfo
from flink_boost.measure.names import matching, named, near
from flink_boost.measure.summary import summarise
from flink_boost.publish.codespeed import benchmark_name, entries_of
from flink_boost.publish.comparison import comparison_document
from flink_boost.publish.export import fork_rows

CELLS = tuple(dict.fromkeys(cell for group in load_groups().values() for cell in group.cells))
SOME = (*CELLS[::40], *{cell.benchmark: cell for cell in CELLS}.values())


def run_of(cell: Cell) -> RunInfo:
    return make_run(cells=(cell,), threads=8, heap="64m")


OF_ONE_CELL: dict[str, Callable[[Cell], str]] = {
    "tables and answers": lambda cell: cell.name,
    "JMH's parameters, which it sorts": lambda cell: (
        f"{cell.benchmark}[{','.join(f'{name}={value}' for name, value in sorted(cell.params))}]"
        if cell.params
        else cell.name
    ),
    "dashboard and mails": lambda cell: benchmark_name(cell, make_run(cells=(cell,))),
    "the same with threads and heap": lambda cell: benchmark_name(cell, run_of(cell)),
    "a ratio there": lambda cell: f"{benchmark_name(cell, run_of(cell))}.ratio",
    "names of files": lambda cell: cell.slug,
    "in capitals, with blanks": lambda cell: f" {cell.name.upper()} ",
}
OF_MORE: dict[str, Callable[[Cell], str]] = {
    "JMH": lambda cell: cell.benchmark,
    "what else JMH measures": lambda cell: f"{cell.benchmark}:gc.alloc.rate.norm",
    "JMH's packages, cut short": lambda cell: f"o.a.f.b.{'.'.join(cell.benchmark.split('.')[-2:])}",
    "an include of JMH": lambda cell: cell.benchmark.rpartition(".")[0],
    "results.md": lambda cell: cell.name.partition("[")[0],
    "a method": lambda cell: cell.method,
    "a class": lambda cell: cell.benchmark.split(".")[-2],
}


@pytest.mark.parametrize("where", OF_ONE_CELL)
def test_a_whole_name_is_of_one_cell(where: str) -> None:
    for cell in SOME:
        name = OF_ONE_CELL[where](cell)
        assert named(name, CELLS) == matching(name, CELLS) == (cell,), name


@pytest.mark.parametrize("where", OF_MORE)
def test_a_name_without_parameters_is_of_all_cells(where: str) -> None:
    for cell in SOME:
        name = OF_MORE[where](cell)
        found = named(name, CELLS)
        assert cell in found, name
        assert len({one.benchmark.rpartition(".")[0] for one in found}) == 1 or "." not in name


def test_the_names_that_commands_and_files_have_are_understood() -> None:
    info = make_run(sides=(Side.STOCK, Side.PATCHED), threads=8)
    forks = make_forks(info)
    printed = {str(row["name"]) for row in comparison_document(info, forks, 0.95)["comparisons"]}
    printed |= {str(row["benchmark"]) for row in fork_rows(info, forks)}
    for entry in entries_of(summarise(info, forks), None):
        printed |= {result.benchmark for result in entry.results}

    assert len(printed) == 2 + 2 + 4
    for name in printed:
        assert named(name, info.cells) in ((WRITE,), (JOB,)), name


@pytest.mark.parametrize(
    "word",
    ["", ".", "[", "]", "write[", "write]", "write.", ".write", "write.ascii.ascii", "writ", "rite",
     "write[length=16]", "write[]", "write.cyrillic", "org.apache.Other.write", "a.b.write",
     "StringSerializationBenchmark.JobBenchmark", "ascii.16", "benchmark", "org", "x.y:z"],
)  # fmt: skip
def test_what_is_no_name_is_none(word: str) -> None:
    assert named(word, (WRITE, JOB)) == ()


@pytest.mark.parametrize(
    ("word", "fits"),
    [
        ("write", True),
        ("WRITE[LENGTH=16", True),
        ("write[length=1?,*ascii]", True),
        ("write.*16", True),
        ("length=16,kind=ascii", True),
        ("ascii.16", True),
        (r"write\[.*ascii", True),
        ("^String.*(ascii|cjk)", True),
        ("read", False),
        ("write[abc]", False),
        ("write(", False),
        ("", True),
    ],
)
def test_commands_take_parts_of_names_and_regular_expressions_too(word: str, fits: bool) -> None:
    assert (WRITE in matching(word, (WRITE, JOB))) is fits


def test_a_part_is_not_found_in_checksums_nor_in_the_package_of_all() -> None:
    (digits,) = re.findall("-([0-9a-f]{8})$", JOB.slug)
    assert matching(digits[2:6], (JOB,)) == ()
    assert matching(JOB.slug, (WRITE, JOB)) == (JOB,), "but whole"
    assert matching("flink", (WRITE, JOB)) == ()
    assert set(matching("flink.benchmark.S", (WRITE, JOB))) == {WRITE, JOB}


def test_a_name_is_no_part_of_another() -> None:
    longer = JOB.model_copy(update={"benchmark": f"{JOB.benchmark}AndMore"})
    assert matching(JOB.method, (JOB, longer)) == (JOB,)
    assert matching(f"{JOB.method[:-1]}", (JOB, longer)) == (JOB, longer)


@pytest.mark.parametrize(
    ("word", "first"),
    [
        ("serializerTupel", "SerializationFrameworkMiniBenchmarks.serializerTuple"),
        (
            "org.apache.flink.benchmark.SerializationFrameworkMiniBenchmarks.serializerTupel",
            "SerializationFrameworkMiniBenchmarks.serializerTuple",
        ),
        ("wirte", "StringSerializationBenchmark.write"),
        (
            "write.cyrilic.4.mixed.serializer",
            "StringSerializationBenchmark.write[length=4,kind=cyrillic,profile=mixed,view=serializer]",
        ),
    ],
)
def test_the_three_nearest_are_told(word: str, first: str) -> None:
    found = near(word, CELLS)
    assert found[0] == first
    assert len(set(found)) == 3
    assert all(named(name, CELLS) for name in found)


def test_however_long_a_word_is_the_nearest_are_found() -> None:
    assert near("wirte" * 100_000, CELLS) == near("wirte" * 100, CELLS)
    assert len(near("", CELLS)) == len(near("\u3042", CELLS)) == 3
