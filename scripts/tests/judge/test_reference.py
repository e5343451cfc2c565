"""Published tables: read exactly, errors propagated, every row shown, and rightly judged."""

from __future__ import annotations

import csv
import math
import random
import statistics
from pathlib import Path

import pytest
import scipy
from synthetic import JOB, THREE, make_forks, make_run

from flink_boost.base.errors import BrokenData, UsageProblem
from flink_boost.flink.side import Side
from flink_boost.judge.reference import (
    REFERENCES,
    PublishedRow,
    Reference,
    ReferenceRow,
    Standing,
    load_reference,
    set_beside,
    wants,
)
from flink_boost.judge.verdict import Verdict
from flink_boost.measure.groups import load_groups
from flink_boost.measure.model import Built, Cell, Mode, Purpose, RunInfo
from flink_boost.publish.reference_sheet import reference_sheet
from flink_boost.publish.sheet import html, markdown

REFERENCE = load_reference("flink-15171")
WRITES = [
    Cell(
        benchmark="org.apache.flink.benchmark.StringSerializationBenchmark.write",
        params=(("length", "16"), ("kind", "ascii"), ("profile", profile), ("view", view)),
    )
    for profile, view in (("mixed", "serializer"), ("pure", "serializer"), ("mixed", "stream"))
]


def old_run(night: int = 0, **changes: object) -> RunInfo:
    plan = {"line": "1.9.3", "jdk": "11.0.28+6", "cells": [*WRITES, JOB], "pairs": 4, **changes}
    return make_run(night, **plan)  # type: ignore[arg-type]


def published(**changes: object) -> PublishedRow:
    facts: dict[str, object] = {
        "label": "x",
        "mode": Mode.THROUGHPUT,
        "unit": "ops/ms",
        "before": 100.0,
        "before_error": 3.0,
        "after": 120.0,
        "after_error": 4.8,
        "iterations": 30,
        "benchmark": JOB.benchmark,
        "params": (),
    }
    return PublishedRow(**{**facts, **changes})  # type: ignore[arg-type]


def test_every_published_row_is_there_with_its_facts() -> None:
    facts = [
        line
        for name in ("jobs", "strings")
        for line in csv.DictReader(
            (REFERENCES / f"flink-15171-{name}.csv").read_text(encoding="utf-8").splitlines()
        )
    ]
    assert len(REFERENCE.rows) == len(facts) == 6 + 14
    for row, line in zip(REFERENCE.rows, facts, strict=True):
        assert (row.before, row.after) == (float(line["before"]), float(line["after"]))
        assert row.mode.value == line["mode"]
        # The ratio that was published is rounded to three digits.
        assert row.ratio(0.95).ratio == pytest.approx(float(line["ratio"]), abs=0.00051)
    assert REFERENCE.rows[5].label == "SerializationFrameworkMiniBenchmarks.serializerTuple"
    assert REFERENCE.rows[8].label == "serialize ascii 16"


def test_a_row_stands_for_the_cells_with_its_parameters_whatever_the_others_are() -> None:
    row = next(row for row in REFERENCE.rows if row.label == "serialize ascii 16")
    assert [row.stands_for(cell) for cell in WRITES] == [True, True, False]
    assert not row.stands_for(JOB)
    longer = WRITES[0].model_copy(update={"params": (("length", "160"), *WRITES[0].params[1:])})
    assert not row.stands_for(longer)


def test_the_errors_of_both_scores_are_propagated() -> None:
    found = published().ratio(0.999)
    relative = math.sqrt(0.03**2 + 0.04**2)
    assert found.ratio == pytest.approx(1.2)
    assert math.log(found.high / found.ratio) == pytest.approx(relative)
    assert math.log(found.ratio / found.low) == pytest.approx(relative)
    narrower = published().ratio(0.95)
    factor = scipy.stats.t.ppf(0.975, 29) / scipy.stats.t.ppf(0.9995, 29)
    assert math.log(narrower.high / narrower.ratio) == pytest.approx(relative * factor)
    time = published(mode=Mode.AVERAGE_TIME).ratio(0.95)
    assert time.ratio == pytest.approx(100 / 120)
    exact = published(before_error=0.0, after_error=0.0).ratio(0.95)
    assert exact.low == exact.ratio == exact.high


def test_the_propagated_interval_covers_the_true_ratio() -> None:
    """JMH's own error of simulated iterations, propagated, holds the true ratio often enough."""
    source = random.Random(3)
    quantile = float(scipy.stats.t.ppf(0.9995, 29))

    def measured(level: float) -> tuple[float, float]:
        scores = [source.gauss(level, 0.05 * level) for _ in range(30)]
        return statistics.fmean(scores), quantile * statistics.stdev(scores) / math.sqrt(30)

    held = 0
    for _ in range(1500):
        (before, before_error), (after, after_error) = measured(100), measured(130)
        span = published(
            before=before, before_error=before_error, after=after, after_error=after_error
        ).ratio(0.95)
        held += span.low <= 1.3 <= span.high
    assert held / 1500 == pytest.approx(0.95, abs=0.02)


@pytest.mark.parametrize(
    ("ours", "outcome"),
    [(1.3, Standing.MET), (1.2, Standing.MET), (1.17, Standing.MET), (1.16, Standing.NOT_MET)],
)
def test_met_is_inside_or_above_the_published_interval(ours: float, outcome: Standing) -> None:
    row = published()
    span = row.ratio(0.95)
    assert 1.16 < span.low < 1.17
    run = old_run(cells=[JOB])
    (beside,) = set_beside(
        Reference("r", "R", "1.9.3", (row,)), [(run, make_forks(run, ratio=ours))], 0.95
    )
    assert beside.outcome is outcome


def test_every_row_is_shown_and_those_without_a_run_say_so() -> None:
    run = old_run()
    rows = set_beside(REFERENCE, [(run, make_forks(run, ratio=2.0))], 0.95)
    by_label: dict[str, list[ReferenceRow]] = {}
    for row in rows:
        by_label.setdefault(row.published.label, []).append(row)
    assert list(by_label) == [row.label for row in REFERENCE.rows]
    assert [row.ours and row.ours.cell for row in by_label["serialize ascii 16"]] == WRITES[:2]
    tuples = by_label["SerializationFrameworkMiniBenchmarks.serializerTuple"]
    assert [(row.outcome, row.run_id) for row in tuples] == [(Standing.MET, run.run_id)]
    without = [row for row in rows if row.ours is None]
    assert len(without) == 18
    assert {row.outcome for row in without} == {Standing.NO_RUN}

    sheet = reference_sheet(REFERENCE, rows, 0.95)
    assert len(sheet.rows) == len(rows) == 21
    assert sheet.notes[0] == "3 met, 0 not met, 18 no run."
    assert run.run_id in sheet.notes[2]
    for text in (markdown(sheet), html([sheet])):
        assert text.count("no run yet") == 18
        assert "82.0 ± 0.420" in text
        assert "1.60x (1.58–1.62)" in text
        assert "2.00x (2.00–2.00)" in text


def test_the_third_side_is_shown_beside_ours() -> None:
    run = old_run(cells=[JOB], sides=THREE)
    rows = set_beside(REFERENCE, [(run, make_forks(run, ratio=3.0, third_ratio=1.5))], 0.95)
    sheet = reference_sheet(REFERENCE, rows, 0.95)
    titles = [column.title for column in sheet.columns]
    assert titles[-5:-3] == ["upstream 1.10.0", "patched against upstream 1.10.0"]
    assert titles[-3:] == ["CPU ns/op", "verdict", "published"]
    (line,) = (row for row in sheet.rows if row[5].text == JOB.name)
    assert [entry.text for entry in line[-6:-3]] == [
        "3.00x (3.00–3.00)",
        "1.50x (1.50–1.50)",
        "2.00x (2.00–2.00)",
    ]
    assert [entry.text for entry in line[-2:]] == [
        "clearly faster",
        "met",
    ]
    assert all(len(row) == len(sheet.columns) for row in sheet.rows)


def test_runs_of_one_plan_are_pooled_and_of_others_the_first_counts() -> None:
    first, second = old_run(0, cells=[JOB]), old_run(1, cells=[JOB])
    other = old_run(2, cells=[JOB, *WRITES]).model_copy(update={"dropin_sha256": "cd" * 32})
    runs = [
        (run, make_forks(run, ratio=ratio))
        for run, ratio in ((first, 1.0), (second, 4.0), (other, 9.0))
    ]
    rows = {row.ours.cell: row for row in set_beside(REFERENCE, runs, 0.95) if row.ours}
    assert rows[JOB].ours is not None
    assert rows[JOB].ours.pairs == 8
    assert rows[JOB].ours.ratio == pytest.approx(2.0)
    assert rows[WRITES[0]].run_id == other.run_id


def test_a_score_in_the_other_direction_is_never_set_beside() -> None:
    run = old_run(cells=[JOB])
    forks = make_forks(run, modes=[Mode.AVERAGE_TIME])
    assert all(row.ours is None for row in set_beside(REFERENCE, [(run, forks)], 0.95))


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({}, True),
        ({"sides": THREE}, True),
        ({"line": "2.3.0"}, False),
        ({"sides": (Side.STOCK, Side.CONTROL)}, False),
        ({"opened": False}, False),
        ({"threads": 8}, False),
        ({"heap": "64m"}, False),
    ],
)
def test_runs_in_other_circumstances_are_not_looked_at(
    changes: dict[str, object], wanted: bool
) -> None:
    assert wants(REFERENCE)(old_run(**changes)) is wanted


@pytest.mark.parametrize(
    "change",
    [
        {"purpose": Purpose.CANARY},
        {"subject": Built(project="flink", version="1.10", commit="ab" * 20)},
    ],
)
def test_neither_a_frozen_jar_nor_commits_of_others_stand_for_ours(
    change: dict[str, object],
) -> None:
    assert not wants(REFERENCE)(old_run().model_copy(update=change))


def test_an_unknown_reference_names_the_known() -> None:
    with pytest.raises(UsageProblem, match="no reference 'flink-1'") as caught:
        load_reference("flink-1")
    assert "flink-15171" in caught.value.next_step


RECORD_PATH = load_reference("flink-11859")


def test_the_record_path_has_its_24_rows_with_their_facts() -> None:
    text = (REFERENCES / "flink-11859.csv").read_text(encoding="utf-8")
    facts = list(csv.DictReader(text.splitlines()))
    assert len(RECORD_PATH.rows) == len(facts) == 24
    for row, line in zip(RECORD_PATH.rows, facts, strict=True):
        assert row.benchmark == f"org.apache.flink.benchmark.{line['benchmark']}"
        assert (row.before, row.after) == (float(line["before"]), float(line["after"]))
        assert row.mode.value == line["mode"]
        assert row.ratio(0.95).ratio == pytest.approx(float(line["ratio"]), abs=0.00051)
    assert RECORD_PATH.line == "1.9.3"
    labels = [row.label for row in RECORD_PATH.rows]
    assert len(set(labels)) == 24
    assert "RocksStateBackendBenchmark.stateBackends ROCKS_INC" in labels
    assert "StreamNetworkThroughputBenchmarkExecutor.networkThroughput 1000,100ms,SSL" in labels


def test_its_group_has_one_cell_for_every_row_and_no_other() -> None:
    cells = load_groups()["reference-flink-11859"].cells
    assert len(cells) == 24
    for row in RECORD_PATH.rows:
        assert len([cell for cell in cells if row.stands_for(cell)]) == 1


def test_all_rows_of_the_record_path_are_printed_with_what_was_measured() -> None:
    """Latency as a time, all others as throughput; undecided rows with the pairs they need."""
    group = load_groups()["reference-flink-11859"]
    latency = [cell for cell in group.cells if "Latency" in cell.benchmark]
    assert len(latency) == 1
    others = [cell for cell in group.cells if cell not in latency]
    fast, slow = old_run(0, cells=others), old_run(1, cells=latency)
    runs = [
        (fast, make_forks(fast, ratio=1.2, noise=0.3, modes=[Mode.THROUGHPUT] * len(others))),
        (slow, make_forks(slow, ratio=1.0, modes=[Mode.AVERAGE_TIME])),
    ]
    rows = set_beside(RECORD_PATH, runs, 0.95)
    assert len(rows) == 24
    assert all(row.ours is not None for row in rows)
    undecided = [row.ours for row in rows if row.ours and row.ours.verdict is Verdict.UNDECIDED]
    assert undecided
    sheet = reference_sheet(RECORD_PATH, rows, 0.95)
    titles = [column.title for column in sheet.columns]
    cpu, verdict = titles.index("CPU ns/op"), titles.index("verdict")
    for line in sheet.rows:
        assert " → " in line[cpu].text
        assert line[cpu].text.endswith("x)")
        assert line[verdict].text
    assert sheet.notes[3].startswith("Undecided: ")
    for ours in undecided:
        assert f"{ours.cell.name} has 4 pairs, needs about {ours.pairs_needed}" in sheet.notes[3]
    for text in (markdown(sheet), html([sheet])):
        assert "no run yet" not in text
        assert "49918 ± 2324" in text
        assert "undecided, needs about" in text


MAPPING = """
title = "T"
line = "1.9.3"
iterations = 30
[[tables]]
file = "t.csv"
label = "{benchmark} {flush}"
[[tables.cells]]
when = { benchmark = "A.b" }
benchmark = "org.apache.flink.benchmark.{benchmark}"
params = { channelsFlushTimeout = "{flush}" }
"""
FACTS = (
    "benchmark,flush,mode,unit,before,before_error,after,after_error\n"
    'A.b,"100,1ms",thrpt,ops/ms,1,0.1,2,0.1\nA.b,,thrpt,ops/ms,1,0.1,2,0.1\n'
)


def test_a_reference_with_other_columns(tmp_path: Path) -> None:
    (tmp_path / "r.toml").write_text(MAPPING, encoding="utf-8")
    (tmp_path / "t.csv").write_text(FACTS, encoding="utf-8")
    with_flush, without = load_reference("r", tmp_path).rows
    assert (with_flush.label, without.label) == ("A.b 100,1ms", "A.b")
    assert with_flush.params == (("channelsFlushTimeout", "100,1ms"),)
    assert without.params == (), "an empty value is no parameter"


@pytest.mark.parametrize(
    ("mapping", "facts"),
    [
        (MAPPING.replace("{flush}", "{flash}"), FACTS),
        (MAPPING.replace('benchmark = "A.b"', 'benchmark = "A.c"'), FACTS),
        (MAPPING.replace("iterations = 30", "iterations = 1"), FACTS),
        (MAPPING.replace("t.csv", "u.csv"), FACTS),
        (MAPPING, FACTS.replace("thrpt", "fast")),
        (MAPPING, FACTS.replace("before_error", "error")),
        (MAPPING, FACTS.replace("ms,1,", "ms,0,")),
        ("[", FACTS),
    ],
)
def test_a_mapping_that_does_not_fit_is_refused(tmp_path: Path, mapping: str, facts: str) -> None:
    (tmp_path / "r.toml").write_text(mapping, encoding="utf-8")
    (tmp_path / "t.csv").write_text(facts, encoding="utf-8")
    with pytest.raises(BrokenData, match=r"r\.toml does not fit its tables"):
        load_reference("r", tmp_path)


def test_a_benchmark_of_this_project_stands_for_some_rows() -> None:
    cells = [cell for group in load_groups().values() for cell in group.cells]
    met = {row.label for row in REFERENCE.rows if any(row.stands_for(cell) for cell in cells)}
    assert {"serialize ascii 16", "deserialize ascii 1024"} <= met
    assert "SerializationFrameworkMiniBenchmarks.serializerTuple" in met
