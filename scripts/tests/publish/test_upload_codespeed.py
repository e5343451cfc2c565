"""Sending to the real thing: Codespeed on its own server, as `flink-boost serve` starts it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from dashboard_process import dashboard
from synthetic import make_forks, make_run

from flink_boost.publish import liveness
from flink_boost.publish.codespeed import Entry, entries_of
from flink_boost.publish.spool import Spool
from flink_boost.publish.target import Target, find_target
from flink_boost.publish.upload import RetryPolicy, UploadReport, make_client, send_unsent

POLICY = RetryPolicy(attempts=2, first_wait=0.1)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The data folder of a running dashboard."""
    with dashboard(tmp_path_factory.mktemp("build")) as folder:
        yield folder


@pytest.fixture
def target(data: Path) -> Target:
    running = liveness.find_running(data)
    assert running is not None
    return find_target({}, data / "token", running.url)


def send(spool: Spool, target: Target) -> UploadReport:
    with make_client(target, POLICY) as client:
        return send_unsent(spool, target, client, POLICY)


def rows_in_codespeed(data: Path) -> list[tuple[str, str, str, str, float, str]]:
    query = """
        select v.commitid, x.name, b.name, e.name, r.value, r.date
        from codespeed_result r
        join codespeed_revision v on v.id = r.revision_id
        join codespeed_executable x on x.id = r.executable_id
        join codespeed_benchmark b on b.id = r.benchmark_id
        join codespeed_environment e on e.id = r.environment_id
    """
    with closing(sqlite3.connect(f"file:{data / 'db.sqlite3'}?mode=ro", uri=True)) as database:
        return database.execute(query).fetchall()


def rows_of(entries: list[Entry]) -> list[tuple[str, str, str, str, float, str]]:
    return [
        (
            result.commitid,
            result.executable,
            result.benchmark,
            result.environment,
            result.result_value,
            result.revision_date,
        )
        for entry in entries
        for result in entry.results
    ]


def spool_nights(folder: Path, nights: range, environment: str) -> tuple[Spool, list[Entry]]:
    spool = Spool(folder)
    entries: list[Entry] = []
    for night in nights:
        run = make_run(night, commit="0123456789" * 4)
        entries += entries_of(run, make_forks(run, noise=0.02, seed=night), environment)
    for entry in entries:
        spool.add(entry)
    return spool, entries


def test_codespeed_stores_what_was_spooled_and_a_repetition_changes_nothing(
    data: Path, target: Target, tmp_path: Path
) -> None:
    spool, entries = spool_nights(tmp_path / "spool", range(3), "a box for this test")
    assert len(send(spool, target).sent) == 6

    def ours() -> list[tuple[str, str, str, str, float, str]]:
        return sorted(row for row in rows_in_codespeed(data) if row[3] == "a box for this test")

    assert ours() == sorted(rows_of(entries))
    assert len({row[0] for row in ours()}) == 3, "three runs of one commit are three points"
    # As after a crash between the answer and the move to `sent`:
    for key in spool.sent_keys():
        (tmp_path / "spool" / "sent" / f"{key}.json").rename(
            tmp_path / "spool" / "unsent" / f"{key}.json"
        )
    assert len(send(spool, target).sent) == 6
    assert ours() == sorted(rows_of(entries))


def test_codespeed_refuses_a_wrong_token(data: Path, target: Target, tmp_path: Path) -> None:
    spool, _ = spool_nights(tmp_path / "spool", range(1), "box of a stranger")
    report = send(spool, Target(target.url, "wrong"))
    assert "refused the token with 401" in report.unsent[0].reason
    assert len(spool.unsent_keys()) == 2
    assert not [row for row in rows_in_codespeed(data) if row[3] == "box of a stranger"]


def test_codespeeds_own_words_come_back_when_it_refuses_an_entry(
    data: Path, target: Target, tmp_path: Path
) -> None:
    _, entries = spool_nights(tmp_path / "other", range(1), "box-1")
    too_long = entries[0].results[0].model_copy(update={"commitid": "x" * 60})
    bad = entries[0].model_copy(update={"key": "bad", "results": (too_long,)})
    spool = Spool(tmp_path / "spool")
    spool.add(bad)
    spool.add(entries[1])
    report = send(spool, target)
    assert report.sent == (entries[1].key,)
    assert "answered 400" in report.unsent[0].reason
    assert "42 characters" in report.unsent[0].reason
    assert not [row for row in rows_in_codespeed(data) if row[0] == "x" * 60]
