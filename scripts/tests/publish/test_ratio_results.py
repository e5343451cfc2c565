"""The ratio of a run as a result of its own, and the sentence that describes a benchmark."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from synthetic import COMPARATOR, JOB, THREE, WRITE, make_forks, make_run

from flink_boost.base.errors import BrokenData
from flink_boost.flink.side import Side
from flink_boost.judge.ratio import compare
from flink_boost.measure.descriptions import DESCRIPTIONS_FILE, load_descriptions
from flink_boost.measure.groups import load_groups
from flink_boost.measure.summary import summarise
from flink_boost.publish.codespeed import (
    CodespeedResult,
    SpoolEntry,
    benchmark_name,
    entries_of,
    form_of,
)


def ratios(results: tuple[CodespeedResult, ...]) -> dict[str, CodespeedResult]:
    return {result.benchmark: result for result in results if result.units == "x"}


def test_the_ratio_and_its_interval_are_those_of_compare() -> None:
    run = make_run()
    forks = make_forks(run, noise=0.05, seed=3)
    stock, patched = entries_of(summarise(run, forks), "box-1")
    assert ratios(stock.results) == {}
    sent = ratios(patched.results)
    rows = compare(run, forks)
    assert sent.keys() == {"write.ascii.16.ratio", "serializerTuple.ratio"}
    for row in rows:
        result = sent[f"{benchmark_name(row.cell, run)}.ratio"]
        assert (result.min, result.result_value, result.max) == pytest.approx(
            (row.low, row.ratio, row.high)
        )
        assert result.min is not None
        assert result.max is not None
        assert 0 < result.min < result.result_value < result.max
        assert (result.units_title, result.lessisbetter) == ("Ratio", False)
        assert result.executable == "patched 2.3.0"


def test_a_single_pair_has_no_interval() -> None:
    run = make_run(pairs=1)
    patched = entries_of(summarise(run, make_forks(run)), "box-1")[1]
    for result in ratios(patched.results).values():
        assert (result.min, result.max) == (None, None)


def test_a_half_pair_counts_for_nothing() -> None:
    run = make_run(cells=(WRITE,), pairs=3)
    forks = make_forks(run, noise=0.1)
    left = [fork for fork in forks if (fork.pair, fork.side) != (2, Side.STOCK)]
    patched = entries_of(summarise(run, left), "box-1")[1]
    (row,) = compare(run, [fork for fork in forks if fork.pair != 2])
    (result,) = ratios(patched.results).values()
    assert (result.result_value, result.max) == pytest.approx((row.ratio, row.high))


def test_a_third_side_has_ratios_to_stock_and_a_comparator_has_none() -> None:
    run = make_run(cells=(WRITE, COMPARATOR), sides=THREE)
    forks = make_forks(run, noise=0.05)
    entries = entries_of(summarise(run, forks), "box-1")
    (row,) = compare(run, forks, sides=(Side.STOCK, Side.UPSTREAM))
    assert [len(ratios(entry.results)) for entry in entries] == [0, 1, 1]
    (upstream,) = ratios(entries[2].results).values()
    assert upstream.result_value == pytest.approx(row.ratio)


def test_the_longest_name_has_room_for_its_ratio() -> None:
    cell = WRITE.model_copy(update={"params": (("kind", "x" * 200),)})
    run = make_run(cells=(cell,))
    patched = entries_of(summarise(run, make_forks(run)), "box-1")[1]
    assert max(len(result.benchmark) for result in patched.results) == 100, "of a name in Codespeed"


def test_descriptions_are_sent_with_the_parameters_filled_in() -> None:
    run = make_run(cells=(WRITE, JOB))
    known = {
        "StringSerializationBenchmark.write": "Writes {length} of {kind} to {view}",
        "SerializationFrameworkMiniBenchmarks.serializerTuple": "It's <b>\\ & more",
    }
    patched = entries_of(summarise(run, make_forks(run)), "box-1", known)[1]
    sentences = {result.benchmark: result.description for result in patched.results}
    assert sentences["write.ascii.16"] == "Writes 16 of ascii to {view}"
    assert sentences["write.ascii.16.ratio"].endswith("stock. Writes 16 of ascii to {view}")
    # The dashboard would refuse the whole run.
    assert sentences["serializerTuple"] == "Its b  more"


def test_the_file_says_what_every_benchmark_of_the_groups_measures() -> None:
    known = load_descriptions(DESCRIPTIONS_FILE)
    cells = {cell for group in load_groups().values() for cell in group.cells}
    run = make_run(cells=tuple(sorted(cells, key=lambda cell: cell.name)))
    patched = entries_of(summarise(run, make_forks(run)), "box-1", known)[1]
    assert len(patched.results) >= len(cells)
    for result in patched.results:
        assert result.description.endswith("."), result.benchmark
        assert "{" not in result.description, result.benchmark
        assert len(result.description) < 300


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "descriptions.toml"
    file.write_text("[A]\nwrite = 7", encoding="utf-8")
    with pytest.raises(BrokenData, match=r"descriptions\.toml: A\.write: "):
        load_descriptions(file)


def test_a_run_says_how_much_was_measured_and_how_to_measure_it_again() -> None:
    run = make_run(pairs=3, opened=False, threads=2, heap="64m")
    forks = [fork for fork in make_forks(run) if fork.cell != JOB or fork.side is Side.STOCK]
    entries = entries_of(summarise(run, forks), "box-1")
    notes = {form_of(entry)["run"] for entry in entries}
    (note,) = map(json.loads, notes)
    assert note == {
        "run_id": run.run_id,
        "group": "spine",
        "pairs": 3,
        "planned": 2,
        "measured": 1,
        "load": run.box.load,
        "cores": run.box.cores,
        "command": "flink-boost bench --group spine --line 2.3.0 --jdk 17 --not-opened"
        " --threads 2 --heap 64m --pairs 3",
    }


def test_an_entry_of_an_older_version_is_sent_without_a_note() -> None:
    run = make_run()
    (entry, _) = entries_of(summarise(run, make_forks(run)), "box-1")
    old = json.loads(entry.model_dump_json())
    del old["run"]
    assert form_of(SpoolEntry.model_validate(old)).keys() == {"json"}
