"""Taking runs out and renaming: what goes, what stays, and what is said of it."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import postgresql
from conftest import Dashboard, result, start_on
from flink_boost.publish import liveness
from operating import facts, refused
from stored_rows import store


def night(number: int, **changes: Any) -> dict[str, Any]:
    """A result of the night of that day in March."""
    return result(
        **{
            "commitid": f"night-{number:02}",
            "revision_date": f"2026-03-{number:02} 01:02:03",
            **changes,
        }
    )


def send(dashboard: Dashboard, *items: dict[str, Any]) -> None:
    answer = dashboard.upload(list(items))
    assert answer.status_code == 202, answer.text


def column(data: Path, table: str, name: str) -> list[Any]:
    connection = sqlite3.connect(data / "db.sqlite3")
    try:
        rows = connection.execute(f"SELECT {name} FROM codespeed_{table} ORDER BY id")  # noqa: S608
        return [row[0] for row in rows]
    finally:
        connection.close()


def test_a_run_is_deleted_with_what_only_it_had(start: Any) -> None:
    dashboard: Dashboard = start()
    send(dashboard, night(1))
    send(dashboard, night(2), night(2, benchmark="only.here"))

    dry = facts(dashboard.data, "delete", "night-02", "--dry-run")
    assert (dry["results"], dry["benchmarks"], dry["dry_run"]) == (2, ["only.here"], True)
    assert column(dashboard.data, "revision", "commitid") == ["night-01", "night-02"]

    gone = facts(dashboard.data, "delete", "night-02")

    assert (gone["runs"], gone["results"], gone["reports"]) == (["night-02"], 2, 1)
    assert column(dashboard.data, "revision", "commitid") == ["night-01"]
    assert column(dashboard.data, "benchmark", "name") == ["write.ascii.16"]
    assert column(dashboard.data, "result", "revision_id") == [1]
    assert column(dashboard.data, "report", "revision_id") == []
    assert "night-02" not in dashboard.get("").text
    assert "The newest are: night-01" in refused(dashboard.data, 2, "delete", "night-02")


def test_a_run_is_found_by_its_id_in_the_results_store(start: Any) -> None:
    dashboard: Dashboard = start()
    run_id = "20260301T010203Z-2.3.0"
    distinct = hashlib.sha256(run_id.encode()).hexdigest()[:6]
    commit = f"0a1b2c3d-20260301T010203-{distinct}"
    send(dashboard, result(commitid=commit), night(2))

    assert "There is no run" in refused(dashboard.data, 2, "delete", "20260301T010203Z-2.2.0")
    assert facts(dashboard.data, "delete", run_id)["runs"] == [commit]


def test_a_commit_on_two_branches_has_to_be_told_apart(start: Any) -> None:
    dashboard: Dashboard = start()
    send(dashboard, night(1))
    # Refused at the door by now; a database from before that check may hold it.
    assert dashboard.upload([night(1, branch="by-hand")]).status_code == 400
    store(dashboard.data, [night(1, branch="by-hand")])

    assert "--branch" in refused(dashboard.data, 2, "delete", "night-01")
    facts(dashboard.data, "delete", "night-01", "--branch", "by-hand")

    assert column(dashboard.data, "revision", "branch_id") == [1]


@pytest.fixture(scope="module")
def stored_month(tmp_path_factory: pytest.TempPathFactory, new_database: Path | None) -> Path:
    """Nine nights of one box, two old ones of another, three requests; nothing serves them."""
    data = tmp_path_factory.mktemp("month") / "codespeed"
    dashboard = start_on(data, new_database)
    for number in range(1, 10):
        send(dashboard, night(number))
    for number in (1, 2):
        send(dashboard, night(number, environment="box-2", commitid=f"two-{number}"))
    for number in range(1, 4):
        send(dashboard, night(number, branch="request", commitid=f"request-{number}"))
    liveness.stop(data)
    return data


@pytest.fixture
def month(stored_month: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(stored_month, tmp_path / "codespeed"))


def test_prune_keeps_the_newest_of_each_box_and_branch(month: Path) -> None:
    before = column(month, "revision", "commitid")
    dry = facts(month, "prune", "--keep", "2", "--dry-run")
    assert column(month, "revision", "commitid") == before
    gone = facts(month, "prune", "--keep", "2")

    assert gone["runs"] == dry["runs"]
    kept = column(month, "revision", "commitid")
    assert kept == ["night-08", "night-09", "two-1", "two-2", "request-2", "request-3"]
    assert gone["results"] == 8
    assert facts(month, "prune", "--keep", "2")["runs"] == []


def test_prune_keeps_the_newest_of_each_flink_line(start: Any) -> None:
    dashboard: Dashboard = start()
    send(dashboard, night(1, executable="patched 1.20.5", commitid="old-line"))
    for number in (2, 3, 4):
        send(dashboard, night(number))

    facts(dashboard.data, "prune", "--keep", "1")

    assert column(dashboard.data, "revision", "commitid") == ["old-line", "night-04"]
    assert "Flink 1.20.5 on box-1" in dashboard.get("").text


def test_prune_by_age_never_takes_the_newest_of_the_trend(month: Path) -> None:
    facts(month, "prune", "--keep-days", "1")  # all of them are older

    assert column(month, "revision", "commitid") == ["night-09", "two-2"]


def test_prune_may_be_for_one_branch_and_needs_a_word_on_what_stays(month: Path) -> None:
    assert "what to keep" in refused(month, 2, "prune")
    assert "no branch 'bisect'" in refused(month, 2, "prune", "--keep", "1", "--branch", "bisect")
    gone = facts(month, "prune", "--keep", "1", "--branch", "request")
    assert gone["runs"] == ["request-1", "request-2"]
    both = facts(month, "prune", "--keep", "3", "--keep-days", "100000")
    assert both["runs"] == [], "either of them keeps a run"


def test_a_box_gets_another_name(start: Any) -> None:
    dashboard: Dashboard = start()
    send(dashboard, night(1, environment="build-7.internal"))

    facts(dashboard.data, "rename", "build-7.internal", "redbox", "--dry-run")
    assert column(dashboard.data, "environment", "name") == ["build-7.internal"]
    facts(dashboard.data, "rename", "build-7.internal", "redbox")

    assert column(dashboard.data, "environment", "name") == ["redbox"]
    assert "redbox" in dashboard.get("").text


def test_two_names_of_one_box_are_put_together(start: Any) -> None:
    dashboard: Dashboard = start()
    send(dashboard, night(1, environment="old"), night(1, environment="new"))
    send(dashboard, night(2, environment="old"))
    send(dashboard, night(3, environment="new"))

    assert "--merge" in refused(dashboard.data, 2, "rename", "old", "new")
    clash = refused(dashboard.data, 3, "rename", "old", "new", "--merge")
    assert "both have results of the run night-01" in clash
    assert column(dashboard.data, "environment", "name") == ["old", "new"]
    facts(dashboard.data, "delete", "night-01")
    facts(dashboard.data, "rename", "old", "new", "--merge")

    assert column(dashboard.data, "environment", "name") == ["new"]
    assert set(column(dashboard.data, "result", "environment_id")) == {2}
    assert len(dashboard.timeline("write.ascii.16", "2")) == 1


def test_a_benchmark_takes_its_ratio_and_its_reports_along(start: Any) -> None:
    dashboard: Dashboard = start()
    ratio = {"benchmark": "a.16.ratio", "units": "x", "units_title": "Ratio", "lessisbetter": False}
    for number in (1, 2):
        send(dashboard, night(number, benchmark="a.16"), night(number, **ratio))

    done = facts(dashboard.data, "rename", "a.16", "b.16")

    assert done["renamed"] == ["a.16 to b.16", "a.16.ratio to b.16.ratio"]
    assert column(dashboard.data, "benchmark", "name") == ["b.16", "b.16.ratio"]
    (cache,) = column(dashboard.data, "report", "_tablecache")
    assert "a.16" not in cache
    assert cache.count("b.16") == 2
    assert dashboard.get("feeds/latest/").status_code == 200


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        (("nobody", "x"), 2, "There is no box or benchmark"),
        (("box-1", ""), 2, "cannot be the name"),
        (("box-1", "<b>"), 2, "cannot be the name"),
        (("box-1", "n" * 101), 2, "cannot be the name"),
        (("box-1", "a\nb"), 2, "cannot be the name"),
        (("box-1", "box-1"), 2, "its name already"),
        (("same", "x"), 2, "--kind"),
        (("time", "speed", "--merge"), 2, "differ in unit or direction"),
    ],
)
def test_a_name_that_cannot_be_changes_nothing(
    named: Dashboard, words: tuple[str, ...], code: int, reason: str
) -> None:
    before = column(named.data, "environment", "name"), column(named.data, "benchmark", "name")

    assert reason in refused(named.data, code, "rename", *words)

    after = column(named.data, "environment", "name"), column(named.data, "benchmark", "name")
    assert after == before


@pytest.fixture(scope="module")
def named(dashboard: Dashboard) -> Dashboard:
    send(
        dashboard,
        night(1),
        night(1, benchmark="same", environment="same"),
        night(1, benchmark="time"),
        night(1, benchmark="speed", units="ops/s", lessisbetter=False),
    )
    return dashboard


@pytest.fixture(scope="module")
def server() -> Iterator[postgresql.PostgreSQL]:
    with postgresql.running() as one:
        yield one


def test_all_of_it_on_postgresql(server: postgresql.PostgreSQL, start: Any) -> None:
    environ = {"DATABASE_URL": server.new_database("operated")}
    dashboard: Dashboard = start(**environ)
    for number in range(1, 6):
        send(dashboard, night(number), night(number, benchmark=f"b.{number}"))
    data = dashboard.data

    assert facts(data, "prune", "--keep", "3", **environ)["benchmarks"] == ["b.1", "b.2"]
    assert facts(data, "delete", "night-04", "--dry-run", **environ)["results"] == 2
    assert facts(data, "delete", "night-04", **environ)["benchmarks"] == ["b.4"]
    facts(data, "rename", "box-1", "redbox", **environ)
    facts(data, "rename", "write.ascii.16", "write.16", **environ)

    send(dashboard, night(6, benchmark="write.16", environment="redbox"))
    points = next(iter(dashboard.timeline("write.16", "1").values()))
    assert [point[3] for point in points] == ["night-06", "night-05", "night-03"]
