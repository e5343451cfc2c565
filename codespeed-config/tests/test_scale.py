"""The figures of ``make test-scale`` with fewer nights, and that its limits bite."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import scale
from conftest import Dashboard
from scale import Figures, Page
from years_of_nights import RATIO, Size, benchmark_names, commit_ids, executables, fill

SMALL = Size(nights=80, benchmarks=40)
# Reads every result of an executable without the index of our own.
NEWEST_POINTS = (
    "SELECT r.value FROM codespeed_result r JOIN codespeed_revision v ON v.id = r.revision_id"
    " WHERE r.benchmark_id = 1 AND r.environment_id = 1 AND r.executable_id = ?"
    " AND v.branch_id = 1 ORDER BY v.date DESC LIMIT 50"
)


@pytest.fixture
def filled(start: Any) -> Dashboard:
    dashboard: Dashboard = start(WEB_CONCURRENCY="1")
    fill(dashboard.data / "db.sqlite3", SMALL)
    return dashboard


@pytest.mark.test_all
def test_every_page_answers_and_shows_what_was_put_in(filled: Dashboard) -> None:
    database = filled.data / "db.sqlite3"
    pages = scale.addresses(database, SMALL)

    figures = scale.measure(filled.url, pages, scale.only_worker(filled.data), rounds=1)

    assert {page.name: page.status for page in figures.pages} == dict.fromkeys(pages, 200)
    assert commit_ids(SMALL)[-1] in filled.get("").text
    name = benchmark_names(SMALL)[-1]
    for benchmark in (name, name + RATIO):
        series = filled.timeline(benchmark, "1")
        assert [len(points) for points in series.values()] == [50] * (1 + (benchmark == name))
    assert "MB" in scale.report(figures)


def test_the_newest_points_are_found_by_our_index(filled: Dashboard) -> None:
    # An explanation that is kept would not notice that the index is gone.
    connection = sqlite3.connect(filled.data / "db.sqlite3", cached_statements=0)
    try:
        _, patched = executables(connection)

        def plan() -> str:
            rows = connection.execute(f"EXPLAIN QUERY PLAN {NEWEST_POINTS}", (patched,))
            return "\n".join(row[3] for row in rows)

        assert "flink_boost_revision_branch_date" in plan()
        assert "TEMP B-TREE" not in plan()
        connection.execute("DROP INDEX flink_boost_revision_branch_date")
        assert "TEMP B-TREE" in plan(), "without the index all are read and sorted"
    finally:
        connection.close()


def test_the_same_seed_gives_the_same_nights(start: Any, tmp_path: Path) -> None:
    values = []
    for name in ("one", "two"):
        database = start(name).data / "db.sqlite3"
        fill(database, Size(nights=3, benchmarks=4), seed=7)
        connection = sqlite3.connect(database)
        values.append(connection.execute("SELECT value FROM codespeed_result").fetchall())
        connection.close()
    assert values[0] == values[1]
    assert len(values[0]) == Size(nights=3, benchmarks=4).results


GOOD = Page("/timeline/json/ 50", (0.2, 0.3, 5.0), 100, 200)


@pytest.mark.parametrize(
    ("page", "grown", "complaint"),
    [
        (GOOD, 5.0, None),
        (replace(GOOD, seconds=(1.2, 1.1, 0.1)), 0.0, "took 1.10 s"),
        (replace(GOOD, name="/feeds/latest/", seconds=(9.0,)), 0.0, None),
        (replace(GOOD, status=500), 0.0, "answered 500"),
        (GOOD, 100.0, "grew by 100 MB"),
    ],
)
def test_limits_bite(page: Page, grown: float, complaint: str | None) -> None:
    failures = Figures((page,), (90.0, 90.0 + grown)).failures
    assert len(failures) == (complaint is not None)
    assert complaint is None or complaint in failures[0]
