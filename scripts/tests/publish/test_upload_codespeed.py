"""Sending to the real thing: Codespeed on its own server, as `flink-boost serve` starts it."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from dashboard_process import dashboard
from synthetic import make_forks, make_run

from flink_boost.measure.summary import summarise
from flink_boost.publish import liveness
from flink_boost.publish.codespeed import SpoolEntry, entries_of
from flink_boost.publish.spool import Spool
from flink_boost.publish.target import Target, find_target
from flink_boost.publish.upload import RetryPolicy, make_client, send_unsent
from flink_boost.publish.upload_report import UploadReport

pytestmark = pytest.mark.quiet

POLICY = RetryPolicy(attempts=2, first_wait=0.1)
LARGE = 1_200  # results of an entry


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


def rows_of(entries: list[SpoolEntry]) -> list[tuple[str, str, str, str, float, str]]:
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


def spool_nights(folder: Path, nights: range, environment: str) -> tuple[Spool, list[SpoolEntry]]:
    spool = Spool(folder)
    entries: list[SpoolEntry] = []
    for night in nights:
        run = make_run(night, commit="0123456789" * 4)
        entries += entries_of(summarise(run, make_forks(run, noise=0.02, seed=night)), environment)
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


def test_of_a_large_entry_either_all_is_seen_or_nothing(
    data: Path, target: Target, tmp_path: Path
) -> None:
    _, entries = spool_nights(tmp_path / "other", range(4, 5), "a box of many benchmarks")
    one = entries[0].results[0]
    results = [one.model_copy(update={"benchmark": f"many.{n}"}) for n in range(LARGE)]
    bad = results[-1].model_copy(update={"commitid": "x" * 60})
    spool = Spool(tmp_path / "spool")
    spool.add(entries[0].model_copy(update={"results": (*results[:-1], bad)}))

    def seen() -> int:
        return sum(row[3] == "a box of many benchmarks" for row in rows_in_codespeed(data))

    assert "42 characters" in send(spool, target).unsent[0].reason
    assert seen() == 0
    spool = Spool(tmp_path / "mended")
    spool.add(entries[0].model_copy(update={"results": tuple(results)}))
    assert len(send(spool, target).sent) == 1
    assert seen() == LARGE


def poisoned(entry: SpoolEntry) -> SpoolEntry:
    """The oldest of all, and of a time that Codespeed cannot digest."""
    results = tuple(
        one.model_copy(update={"commitid": "poison", "revision_date": "0001-01-01T00:00:00+10:00"})
        for one in entry.results
    )
    return entry.model_copy(update={"key": "poison", "results": results})


def test_one_poisoned_entry_at_the_head_holds_up_none_behind_it(
    data: Path, target: Target, tmp_path: Path
) -> None:
    spool, entries = spool_nights(tmp_path / "spool", range(3), "box behind poison")
    spool.add(poisoned(entries[0]))
    report = send(spool, target)
    assert set(report.sent) == {entry.key for entry in entries}
    assert [unsent.key for unsent in report.unsent] == ["poison"]
    assert "answered" in report.unsent[0].reason
    later, more = spool_nights(tmp_path / "spool", range(3, 5), "box behind poison")
    report = send(later, target)
    assert set(report.sent) == {entry.key for entry in more}
    assert spool.trouble("poison").failures == 2
    ours = [row for row in rows_in_codespeed(data) if row[3] == "box behind poison"]
    assert sorted(ours) == sorted(rows_of([*entries, *more]))
    assert not [row for row in rows_in_codespeed(data) if row[0] == "poison"]
    with spool.sender_lock():
        spool.drop("poison")
    assert send(spool, target) == UploadReport((), ())


def test_killed_in_the_middle_behind_poison_it_sends_all_the_others_once(
    data: Path, target: Target, tmp_path: Path
) -> None:
    spool, entries = spool_nights(tmp_path / "spool", range(10), "box of the killed")
    spool.add(poisoned(entries[0]))
    command = [
        *(sys.executable, "-m", "flink_boost.cli", "--build", str(tmp_path)),
        *("upload", "--attempts", "1", "--url", target.url),
    ]
    environ = os.environ | {"FLINK_BOOST_TOKEN": target.token}

    def ours() -> list[tuple[str, str, str, str, float, str]]:
        return [row for row in rows_in_codespeed(data) if row[3] == "box of the killed"]

    killed = 0
    for number in (1, 5, 9):
        with subprocess.Popen(command, env=environ, stderr=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + 60
            while len(spool.sent_keys()) < number and process.poll() is None:
                assert time.monotonic() < deadline, "it sends nothing"
                time.sleep(0.005)
            process.kill()
            killed += process.wait() == -signal.SIGKILL
        assert {row[0] + row[1] for row in ours()} >= {
            result.commitid + result.executable
            for entry in entries
            if entry.key in spool.sent_keys()
            for result in entry.results
        }, "sent only if stored"
    assert killed >= 2, "most kills must hit a running command"
    assert set(spool.unsent_keys()) > {"poison"}, "and leave something to do"
    done = subprocess.run(
        command, env=environ, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 5
    assert "poison" in done.stderr
    assert "--drop KEY" in done.stderr
    assert sorted(ours()) == sorted(rows_of(entries)), "each of them, and none twice"
    assert spool.unsent_keys() == ("poison",)


def test_a_repaired_run_updates_its_points_in_codespeed_and_leaves_the_others(
    data: Path, target: Target, tmp_path: Path
) -> None:
    spool, entries = spool_nights(tmp_path / "spool", range(2), "box of repairs")
    assert len(send(spool, target).sent) == 4
    run = make_run(0, commit="0123456789" * 4)
    again = summarise(run, make_forks(run, noise=0.02, seed=99), revision=2)
    updates = entries_of(again, "box of repairs")
    for entry in updates:
        assert spool.add(entry)
    report = send(spool, target)
    assert set(report.updated) == set(report.sent) == {entry.key for entry in updates}
    ours = [row for row in rows_in_codespeed(data) if row[3] == "box of repairs"]
    assert sorted(ours) == sorted(rows_of([*updates, *entries[2:]]))
