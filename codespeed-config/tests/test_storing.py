"""Results are stored with a few statements, and all is as Codespeed itself would have left it."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import postgresql
from conftest import result
from stored_rows import run_in_dashboard

PROGRAM = Path(__file__).with_name("stored_both_ways.py")
NIGHTS = 13  # a trend is about the nights before the last ten


@pytest.fixture(
    scope="module",
    params=["sqlite", pytest.param("postgresql", marks=pytest.mark.test_all)],
)
def databases(request: pytest.FixtureRequest) -> Iterator[Any]:
    """The variables that name a new database."""
    if request.param == "sqlite":
        yield lambda _: {}
        return
    with postgresql.running() as server:
        yield lambda name: {"DATABASE_URL": server.new_database(name)}


def stored(whose: str, requests: list[Any], data: Path, variables: dict[str, str]) -> Any:
    data.mkdir()
    text = json.dumps(requests)
    return json.loads(run_in_dashboard(data, PROGRAM, text, whose, **variables))


def night(number: int, size: int, **changes: Any) -> list[dict[str, Any]]:
    """A run with results in three units, of which some lack a night, or parts."""
    source = random.Random(number)
    titles = [("ns/op", "Time", True), ("ops/ms", "Throughput", False), ("x", "Ratio", False)]
    items = []
    for each in range(size):
        units, title, less = titles[each % 3]
        items.append(
            result(
                commitid=f"night-{number}",
                benchmark=f"bench.{each}",
                revision_date=f"2026-03-{number + 1:02} 01:00:00",
                result_value=source.choice([0.0, 0.004, 8.0, 1e6]) * source.uniform(0.9, 1.1),
                std_dev=source.choice([None, 0.5]),
                min=source.choice([None, 0.001]),
                max=None,
                units=units,
                units_title=title,
                lessisbetter=less,
                description=f"Number {each}.",
                **changes,
            )
        )
    return source.sample(items, size - number % 3)


def mixed() -> list[dict[str, Any]]:
    """Runs, executables, boxes and branches in turn, the same place twice, and new benchmarks."""
    source = random.Random(1)
    places = product(("mixed-1", "mixed-2"), ("a", "b"), ("box-1", "box-9"), range(4), range(2))
    items = [
        result(
            commitid=f"{commit}-{branch}",
            branch=branch,
            executable=executable,
            environment=box,
            benchmark=f"mixed.{each}",
            units=source.choice(["ns/op", "s/op"]),
            result_value=source.uniform(1, 2),
            q1=source.choice([None, 0.5]),
            result_date=source.choice([None, "2026-04-01 02:00:00"]),
        )
        for commit, executable, box, each, _ in places
        for branch in ("master", "request")
    ]
    return source.sample(items, len(items))


def refused() -> list[list[dict[str, Any]]]:
    incomplete = {key: value for key, value in result().items() if key != "commitid"}
    fresh = result(benchmark="fresh", executable="fresh", commitid="fresh")
    return [
        [fresh, incomplete],
        [fresh, result(environment="")],
        [fresh, result(commitid="None")],
        [result(commitid="None"), incomplete],
        [incomplete, result(commitid="None")],
        [],
    ]


def test_all_is_as_codespeed_itself_would_have_stored_it(databases: Any, tmp_path: Path) -> None:
    requests = [
        *(night(number, 10, executable="a") for number in range(NIGHTS)),
        night(NIGHTS - 1, 10, executable="b"),
        mixed(),
        *refused(),
        # What was sent before, with other values; and some of a run that has more.
        [{**item, "result_value": 3.5, "std_dev": None} for item in night(NIGHTS - 1, 10)],
        night(4, 12, executable="a"),
    ]
    ours = stored("ours", requests, tmp_path / "ours", databases("ours"))
    codespeeds = stored("codespeeds", requests, tmp_path / "codespeeds", databases("codespeeds"))
    for own, other, sent in zip(ours["answers"], codespeeds["answers"], requests, strict=True):
        assert (own["status"], own["text"]) == (other["status"], other["text"]), sent[:3]
    assert {one["status"] for one in ours["answers"]} == {202, 400}
    for table, rows in codespeeds["rows"].items():
        assert ours["rows"][table] == rows, table
    tables = [table for row in ours["rows"]["Report"] for table in json.loads(row[6])]
    for number in ("change", "trend"):
        assert any(row[number] != "-" for table in tables for row in table["rows"]), number


@pytest.mark.parametrize("databases", ["sqlite"], indirect=True)
def test_many_results_need_hardly_more_statements_than_few(databases: Any, tmp_path: Path) -> None:
    requests = [night(1, 60), night(2, 60), night(4, 600), night(5, 600), night(5, 600)]
    answers = stored("ours", requests, tmp_path / "ours", databases("ours"))["answers"]
    assert {one["status"] for one in answers} == {202}
    few, many = answers[1]["statements"], answers[3]["statements"]
    assert many < few + 60, "ten times as many results"
    assert answers[4]["statements"] < few + 60, "sent again"
