"""Backups: of one moment, whole or not at all, and the same on SQLite and PostgreSQL."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

import postgresql
from conftest import PROJECT_FOLDER, Dashboard, result, start_on
from flink_boost.publish import liveness
from operating import facts, operate, refused
from request_rows import ask, asked
from stored_rows import run_in_dashboard

TABLES = ("project", "branch", "revision", "executable", "benchmark", "environment", "result")


@pytest.fixture(scope="module")
def server() -> Iterator[postgresql.PostgreSQL]:
    with postgresql.running() as one:
        yield one


@pytest.fixture(scope="module")
def three_runs(tmp_path_factory: pytest.TempPathFactory, new_database: Path | None) -> Path:
    """The folder of a dashboard that has ended, with three runs, odd values among them."""
    data = tmp_path_factory.mktemp("three") / "codespeed"
    dashboard = start_on(data, new_database)
    for night in (1, 2, 3):
        when = {"commitid": f"run-{night}", "revision_date": f"2026-03-0{night} 01:02:03"}
        items = [
            result(**when, result_value=0.1 + 0.2 * night, std_dev=None),
            result(**when, benchmark="écriture.ascii.16 — ‰", result_value=5e-324),
            result(**when, executable="stock 2.3.0", max=1e300),
        ]
        assert dashboard.upload(items).status_code == 202
    liveness.stop(data)
    return data


@pytest.fixture
def data(three_runs: Path, tmp_path: Path) -> Path:
    """A copy of it that nothing serves."""
    return Path(shutil.copytree(three_runs, tmp_path / "codespeed"))


@pytest.fixture
def filled(data: Path, start: Any) -> Dashboard:
    """A copy of it that is served."""
    dashboard: Dashboard = start(data.name)
    return dashboard


def rows_of(data: Path) -> dict[str, list[tuple[Any, ...]]]:
    connection = sqlite3.connect(data / "db.sqlite3")
    try:
        return {
            table: connection.execute(f"SELECT * FROM codespeed_{table} ORDER BY id").fetchall()  # noqa: S608
            for table in (*TABLES, "report")
        }
    finally:
        connection.close()


def results_in(data: Path) -> int:
    return len(rows_of(data)["result"])


def test_everything_comes_back(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "backup.gz"
    made = facts(data, "backup", str(file))
    assert made["rows"]["result"] == 9
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "is there already" in refused(data, 2, "backup", str(file))
    other = tmp_path / "other" / "codespeed"

    dry = facts(other, "restore", str(file), "--dry-run")
    assert (dry["dry_run"], dry["rows"]["result"]) == (True, 9)
    assert not other.exists()
    facts(other, "restore", str(file))

    assert rows_of(other) == rows_of(data)
    assert len(rows_of(other)["report"]) > 0
    # Secrets are of the machine, not of the results.
    assert not (other / "token").exists()
    assert (data / "token").read_bytes().strip() not in gzip.decompress(file.read_bytes())


def test_requests_come_back_with_the_results(data: Path, tmp_path: Path) -> None:
    ask(data, [asked(7, "queued", 5), asked(8, "done", 9, took=4, verdict="faster")])
    file = tmp_path / "backup.gz"
    assert facts(data, "backup", str(file))["rows"]["benchmarkrequest"] == 2
    other = tmp_path / "other" / "codespeed"
    facts(other, "restore", str(file))
    assert request_rows_of(other) == request_rows_of(data)
    assert len(request_rows_of(other)) == 2


def request_rows_of(data: Path) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(data / "db.sqlite3")
    try:
        query = "SELECT * FROM benchmark_requests_benchmarkrequest ORDER BY id"
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def test_what_is_there_is_replaced_only_when_asked(filled: Dashboard, tmp_path: Path) -> None:
    file = tmp_path / "backup.gz"
    facts(filled.data, "backup", str(file))
    before = rows_of(filled.data)
    assert filled.upload([result(commitid="later", benchmark="later")]).status_code == 202
    after = rows_of(filled.data)

    assert "--replace" in refused(filled.data, 2, "restore", str(file))
    facts(filled.data, "restore", str(file), "--replace", "--dry-run")
    assert rows_of(filled.data) == after
    assert facts(filled.data, "restore", str(file), "--replace")["replaced"] == len(after["result"])

    assert rows_of(filled.data) == before
    # The server that ran all the while goes on with numbers of its own.
    assert filled.upload([result(commitid="later", benchmark="later")]).status_code == 202
    assert results_in(filled.data) == len(after["result"])


def _repacked(lines: list[bytes]) -> bytes:
    """Whole again, with the checksum of these lines."""
    rows = len(lines) - 2
    digest = hashlib.sha256(b"".join(lines[:-1])).hexdigest()
    end = json.dumps({"rows": rows, "sha256": digest}).encode() + b"\n"
    return gzip.compress(b"".join(lines[:-1]) + end)


def _with_header(packed: bytes, **changes: Any) -> bytes:
    lines = gzip.decompress(packed).splitlines(keepends=True)
    lines[0] = json.dumps({**json.loads(lines[0]), **changes}).encode() + b"\n"
    return _repacked(lines)


def _with_table(packed: bytes, table: str, **changes: Any) -> bytes:
    header = json.loads(gzip.decompress(packed).splitlines()[0])
    tables = [{**one, **(changes if one["name"] == table else {})} for one in header["tables"]]
    return _with_header(packed, tables=tables)


def _flipped(packed: bytes) -> bytes:
    """One digit of one value is another, the checksum of gzip is right."""
    lines = gzip.decompress(packed).splitlines(keepends=True)
    lines[-2] = lines[-2].replace(b"1", b"2", 1)
    return gzip.compress(b"".join(lines))


def _without_parents(packed: bytes) -> bytes:
    """Results whose benchmark is not there."""
    lines = gzip.decompress(packed).splitlines(keepends=True)
    lines[-2] = json.dumps([*json.loads(lines[-2])[:-2], 4711, 1]).encode() + b"\n"
    return _repacked(lines)


DAMAGES: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "cut off": (lambda packed: packed[: len(packed) // 2], "is no whole backup"),
    "cut at a line": (
        lambda packed: gzip.compress(gzip.decompress(packed).rsplit(b"\n", 3)[0] + b"\n"),
        "is no whole backup",
    ),
    "empty": (lambda _: b"", "is no whole backup"),
    "no gzip": (lambda _: b"hello", "is no whole backup"),
    "other gzip": (lambda _: gzip.compress(b"[1]\n"), "is no whole backup"),
    "other format": (lambda packed: _with_header(packed, format="x"), "does not begin as a backup"),
    "fewer rows": (
        lambda packed: _with_table(packed, "codespeed.result", rows=0),
        "another number of rows",
    ),
    "flipped digit": (_flipped, "not what its checksum says"),
    "flipped byte": (
        lambda packed: packed[:200] + bytes([packed[200] ^ 1]) + packed[201:],
        "is no whole backup",
    ),
    "longer": (lambda packed: packed + gzip.compress(b"more\n"), "is no whole backup"),
    "newer": (lambda packed: _with_header(packed, version=2), "by a newer flink-boost"),
    "unknown table": (
        lambda packed: _with_table(packed, "codespeed.report", name="codespeed.weather"),
        "a table codespeed.weather",
    ),
    "unknown column": (
        lambda packed: _with_table(packed, "codespeed.branch", fields=["id", "name", "mood"]),
        "a column mood of codespeed.branch",
    ),
    "dangling": (_without_parents, "does not fit this database"),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A backup, made by hand as the format says, of one result."""
    data = tmp_path_factory.mktemp("whole") / "codespeed"
    file = data.parent / "empty.gz"
    _prepare(data)
    connection = sqlite3.connect(data / "db.sqlite3")
    with connection:
        connection.executescript(
            "INSERT INTO codespeed_environment VALUES (1, 'box-1', '', '', '', '');"
            "INSERT INTO codespeed_benchmark (id, name, benchmark_type, data_type, description,"
            " units_title, units, lessisbetter, default_on_comparison)"
            " VALUES (1, 'b', 'C', 'U', '', 'Time', 'ns', 1, 1);"
            "INSERT INTO codespeed_revision (id, commitid, tag, date, message, author, branch_id,"
            " project_id) VALUES (1, 'c', '', '2026-03-01 01:02:03', '', '', 1, 1);"
            "INSERT INTO codespeed_result (id, value, date, revision_id, executable_id,"
            " benchmark_id, environment_id) VALUES (1, 8.0, '2026-03-01 01:02:03', 1, 1, 1, 1);"
        )
    connection.close()
    facts(data, "backup", str(file))
    return file.read_bytes()


def _prepare(data: Path) -> None:
    """An empty dashboard, without a server."""
    data.mkdir(parents=True, exist_ok=True)
    run_in_dashboard(data, PROJECT_FOLDER / "manage.py", "", "prepare_dashboard")


@pytest.fixture(scope="module")
def restored(whole: bytes, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a dashboard that came from it."""
    data = tmp_path_factory.mktemp("restored") / "codespeed"
    file = data.parent / "whole.gz"
    file.write_bytes(whole)
    facts(data, "restore", str(file))
    return data


@pytest.mark.parametrize("damage", sorted(DAMAGES))
def test_a_damaged_backup_changes_nothing(
    whole: bytes, restored: Path, damage: str, tmp_path: Path
) -> None:
    change, reason = DAMAGES[damage]
    data = Path(shutil.copytree(restored, tmp_path / "codespeed"))
    file = tmp_path / "damaged.gz"
    before = rows_of(data)
    assert len(before["result"]) == 1
    file.write_bytes(change(whole))

    assert reason in refused(data, 3, "restore", str(file), "--replace")

    assert rows_of(data) == before


def test_without_a_database_or_a_file_it_says_so(tmp_path: Path) -> None:
    data = tmp_path / "codespeed"
    for words in (["backup", str(tmp_path / "x")], ["prune", "--keep", "1"], ["delete", "x"]):
        assert "There is no database" in refused(data, 4, *words)
    assert not data.exists()
    assert "cannot be read" in refused(data, 2, "restore", str(tmp_path / "missing"))
    _prepare(data)
    assert "No such file" in refused(data, 4, "backup", str(tmp_path / "no" / "folder" / "x"))


def test_the_commands_do_all_of_it(data: Path, tmp_path: Path) -> None:
    """The command line hands its options on; what they do is tested without it."""
    file = str(tmp_path / "b.gz")

    def said(*words: str) -> str:
        done = operate(data, *words)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "9 results of 3 runs are in" in said("backup", file)
    assert "Would restore 9 results" in said("restore", file, "--replace", "--dry-run")
    assert "Renamed the box box-1 to -x." in said("rename", "--kind", "box", "--", "box-1", "-x")
    assert "Would delete run-1" in said("delete", "run-1", "--branch", "master", "--dry-run")
    assert "Deleted run-1: 3 results" in said("prune", "--keep", "2", "--branch", "master")
    said("restore", file, "--replace")
    assert results_in(data) == 9
    wrong = operate(data, "prune")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    in_the_image = ("backup", str(tmp_path / "again.gz"))
    shown = run_in_dashboard(data, PROJECT_FOLDER / "manage.py", "", *in_the_image)
    assert "9 results of 3 runs are in" in shown


def test_a_backup_is_of_one_moment_while_uploads_go_on(filled: Dashboard, tmp_path: Path) -> None:
    """Every upload stores ten results: a backup with another number would have half of one."""
    stop = threading.Event()
    codes: list[int] = []

    def send() -> None:
        while not stop.is_set():
            items = [result(benchmark=f"b{n}", commitid=f"u{len(codes)}") for n in range(10)]
            codes.append(filled.upload(items).status_code)

    sender = threading.Thread(target=send)
    sender.start()
    try:
        counts = [
            facts(filled.data, "backup", str(tmp_path / f"{n}.gz"))["rows"]["result"]
            for n in range(4)
        ]
    finally:
        stop.set()
        sender.join(60)

    assert set(codes) == {202}
    assert [(count - 9) % 10 for count in counts] == [0] * 4
    assert counts[-1] > counts[0]
    other = tmp_path / "other" / "codespeed"
    assert facts(other, "restore", str(tmp_path / "3.gz"))["rows"]["result"] == counts[-1]


def test_from_sqlite_to_postgresql_and_back(
    data: Path, server: postgresql.PostgreSQL, tmp_path: Path, start: Any
) -> None:
    one, two = tmp_path / "one.gz", tmp_path / "two.gz"
    facts(data, "backup", str(one))
    environ = {"DATABASE_URL": server.new_database("moved")}
    there = tmp_path / "moved" / "codespeed"

    facts(there, "restore", str(one), **environ)
    facts(there, "backup", str(two), **environ)

    # The same rows: all but the header, which has the time, and the checksum of all.
    rows = [gzip.decompress(file.read_bytes()).splitlines()[1:-1] for file in (one, two)]
    assert rows[0] == rows[1]
    back = tmp_path / "back" / "codespeed"
    facts(back, "restore", str(two))
    assert rows_of(back) == rows_of(data)
    # PostgreSQL counts apart from what was inserted: the next rows must not collide.
    moved: Dashboard = start("moved", **environ)
    assert moved.upload([result(benchmark="next", commitid="next")]).status_code == 202
    assert "--replace" in refused(there, 2, "restore", str(one), **environ)
    facts(there, "restore", str(one), "--replace", **environ)
    assert moved.upload([result(benchmark="next", commitid="next")]).status_code == 202


def test_what_postgresql_cannot_hold_is_refused_whole(
    data: Path, server: postgresql.PostgreSQL, tmp_path: Path
) -> None:
    connection = sqlite3.connect(data / "db.sqlite3", timeout=20)
    with connection:
        connection.execute("UPDATE codespeed_benchmark SET units = ? WHERE id = 1", ("u" * 40,))
    connection.close()
    file = tmp_path / "long.gz"
    facts(data, "backup", str(file))
    environ = {"DATABASE_URL": server.new_database("refused")}

    said = refused(tmp_path / "other" / "codespeed", 3, "restore", str(file), **environ)

    assert "A row of codespeed.benchmark does not fit" in said
    with psycopg.connect(environ["DATABASE_URL"]) as moved:
        rows = moved.execute("SELECT count(*) FROM codespeed_revision").fetchone()
    assert rows == (0,)
