"""The dashboard on a real PostgreSQL: two workers, two senders, and both ends killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, LiteralString

import httpx
import psycopg
import pytest

import postgresql
from conftest import PROJECT_FOLDER, Dashboard, clean_environ, result
from flink_boost.base.errors import EnvironmentProblem, UploadFailed
from flink_boost.measure.night_record import NightRecord, Order
from flink_boost.publish import liveness, serve
from flink_boost.publish.codespeed import CodespeedResult, SpoolEntry
from flink_boost.publish.run_places import Places
from flink_boost.publish.spool import Spool
from flink_boost.publish.upload import RetryPolicy
from flink_boost.service.nightly.night_journal import NightJournal
from flink_boost.service.nightly.night_parts import Parts
from flink_boost.service.nightly.night_plan import PlannedStep
from flink_boost.service.nightly.steps import Steps
from flink_boost.service.retention.retention_settings import Retention
from operating import refused
from postgresql import PostgreSQL

pytestmark = pytest.mark.quiet

WORKERS = 2
SIZE = 80  # of a batch
NUMBERS = count(1)


@pytest.fixture(scope="module")
def server() -> Iterator[PostgreSQL]:
    # Durable, because it is killed.
    with postgresql.running(durable=True) as one:
        yield one


class Served:
    """A dashboard with a database of its own on the server."""

    def __init__(self, server: PostgreSQL, data: Path) -> None:
        self.server = server
        self.database = f"speed{next(NUMBERS)}"
        self.address = server.new_database(self.database)
        self.data = data
        self.environ = {"DATABASE_URL": self.address, "WEB_CONCURRENCY": str(WORKERS)}

    def start(self) -> Dashboard:
        environ = {**clean_environ(), **self.environ}
        url = serve.ensure_running(self.data, serve.Address(port=0), environ=environ)
        return Dashboard(self.data, url)

    def rows(self, statement: LiteralString, *values: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.address) as connection:
            return connection.execute(statement, values).fetchall()

    def results(self, commit: str) -> int:
        statement: LiteralString = (
            "SELECT count(*) FROM codespeed_result r JOIN codespeed_revision v"
            " ON v.id = r.revision_id WHERE v.commitid = %s"
        )
        return int(self.rows(statement, commit)[0][0])


@pytest.fixture
def served(server: PostgreSQL, tmp_path: Path) -> Iterator[Served]:
    one = Served(server, tmp_path / "codespeed")
    yield one
    liveness.stop(one.data)


@pytest.fixture
def dashboard(served: Served) -> Dashboard:
    return served.start()


def batch(commit: str, size: int = SIZE) -> list[dict[str, Any]]:
    return [result(benchmark=f"many.{n}", commitid=commit) for n in range(size)]


def workers(data: Path) -> list[int]:
    running = liveness.find_running(data)
    assert running is not None
    children = Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text(encoding="ascii")
    return [int(pid) for pid in children.split()]


def test_it_runs_on_postgresql_with_two_workers(served: Served, dashboard: Dashboard) -> None:
    assert len(workers(served.data)) == WORKERS
    assert dashboard.upload([result()]).status_code == 202

    assert not (served.data / "db.sqlite3").exists()
    assert served.rows("SELECT value FROM codespeed_result") == [(8.0,)]
    for path in ("", "timeline/", "changes/", "comparison/", "healthz", "feeds/latest/"):
        assert dashboard.get(path).status_code == 200, path


def test_a_batch_is_stored_whole_or_not_at_all(served: Served, dashboard: Dashboard) -> None:
    bad = {**result(), "result_value": "fast"}
    assert dashboard.upload([*batch("half", 20), bad]).status_code == 400
    assert served.results("half") == 0
    assert served.rows("SELECT count(*) FROM codespeed_environment") == [(0,)]

    for _ in range(2):
        assert dashboard.upload(batch("half", 20)).status_code == 202
    assert served.results("half") == 20, "sent twice, stored once"


def test_what_sqlite_would_take_is_refused_with_a_sentence(
    served: Served, dashboard: Dashboard
) -> None:
    """PostgreSQL holds to the lengths of columns, and takes no NUL."""
    for wrong in (
        {"commitid": "c" * 43},
        {"executable": "e" * 31},
        {"benchmark": "b" * 101},
        {"branch": "b" * 33},
        {"environment": "b" * 101},
        {"units": "u" * 21, "benchmark": "long.unit"},
        {"benchmark": "nul\0"},
        {"result_value": 1e400},
        {"revision_date": "0001-01-01T00:00:00+10:00", "commitid": "early"},
    ):
        answer = dashboard.upload([result(), result(**wrong)])
        assert answer.status_code == 400, (wrong, answer.status_code, answer.text)
        assert answer.text.strip()
    assert served.rows("SELECT count(*) FROM codespeed_result") == [(0,)]

    times = {"aware": "2026-03-03T01:30:00+02:00", "naive": "2026-03-02 23:30:00"}
    for commit, moment in times.items():
        assert dashboard.upload([result(commitid=commit, revision_date=moment)]).status_code == 202
    dates = served.rows("SELECT DISTINCT date::text FROM codespeed_revision")
    assert len(dates) == 1, dates
    assert dates[0][0].startswith("2026-03-02 23:30:00")


def test_senders_at_once_double_nothing(served: Served, dashboard: Dashboard) -> None:
    items = batch("race", 30)
    with ThreadPoolExecutor(6) as pool:
        codes = [answer.status_code for answer in pool.map(dashboard.upload, [items] * 8)]

    assert set(codes) <= {202, 503}
    assert 202 in codes
    assert dashboard.upload(items).status_code == 202
    assert served.results("race") == 30
    assert served.rows("SELECT count(*) FROM codespeed_revision") == [(1,)]


def _upload(dashboard: Dashboard, items: list[dict[str, Any]], answers: list[int]) -> None:
    try:
        form = {"json": json.dumps(items)}
        headers = {"Authorization": f"Bearer {dashboard.token}"}
        url = dashboard.url + "result/add/json/"
        answers.append(httpx.post(url, data=form, headers=headers, timeout=60).status_code)
    except httpx.HTTPError:
        answers.append(0)


@contextmanager
def _without_reports(served: Served) -> Iterator[None]:
    """An upload that has a run to compare with stops there, when its results are written."""
    with closing(psycopg.connect(served.address)) as holder:
        holder.execute("LOCK TABLE codespeed_report IN ACCESS EXCLUSIVE MODE")
        yield


def _in_the_middle(served: Served) -> None:
    """Waits until a transaction of an upload has written and is still open."""
    statement: LiteralString = (
        "SELECT 1 FROM pg_locks l JOIN pg_class c ON c.oid = l.relation WHERE"
        " c.relname = 'codespeed_result' AND l.mode = 'RowExclusiveLock' AND l.database ="
        " (SELECT oid FROM pg_database WHERE datname = %s)"
    )
    deadline = time.monotonic() + 30
    while not served.rows(statement, served.database):
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize(
    "victim",
    [*(pytest.param(one, marks=pytest.mark.test_all) for one in ("dashboard", "database")), "both"],
)
def test_killed_in_the_middle_of_an_upload_nothing_is_half(served: Served, victim: str) -> None:
    dashboard = served.start()
    assert dashboard.upload(batch("before")).status_code == 202
    answers: list[int] = []
    sender = threading.Thread(target=_upload, args=(dashboard, batch("killed"), answers))
    with _without_reports(served):
        sender.start()
        _in_the_middle(served)
        if victim != "database":
            running = liveness.find_running(served.data)
            assert running is not None
            for pid in (running.pid, *workers(served.data)):
                os.kill(pid, signal.SIGKILL)
        if victim != "dashboard":
            served.server.kill()
            served.server.start()
    sender.join(70)

    assert answers
    assert answers[0] != 202
    assert served.results("killed") == 0
    again = served.start()
    # Connections that died with the database are found out by the next request, not by its sender.
    assert again.upload(batch("killed")).status_code in (202, 500, 503)
    assert again.upload(batch("killed")).status_code == 202
    assert (served.results("killed"), served.results("before")) == (SIZE, SIZE)
    assert again.get("healthz").status_code == 200


def test_the_uploader_sends_to_it_and_again_after_a_restart(served: Served, tmp_path: Path) -> None:
    dashboard = served.start()
    spool = Spool(tmp_path / "spool")
    for number in (1, 2):
        items = tuple(
            CodespeedResult.model_validate(result(benchmark=f"b.{n}", commitid=f"run-{number}"))
            for n in range(50)
        )
        spool.add(SpoolEntry(key=f"run-{number}.p", run_id="r", commit="c", results=items))
        if number == 2:
            served.server.kill()
            served.server.start()
        done = subprocess.run(
            [
                *(sys.executable, "-m", "flink_boost.cli", "--build", str(tmp_path)),
                *("upload", "--url", dashboard.url),
            ],
            env={**clean_environ(), "PYTHONPATH": str(PROJECT_FOLDER.parent / "scripts")},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert served.results(f"run-{number}") == 50


def test_restarted_in_the_middle_of_a_nights_upload_each_result_counts_once(
    served: Served, tmp_path: Path
) -> None:
    dashboard = served.start()
    spool = Spool(tmp_path / "spool")
    runs = [f"night-{number}" for number in range(6)]
    for run in runs:
        items = tuple(CodespeedResult.model_validate(one) for one in batch(run))
        spool.add(SpoolEntry(key=f"{run}.p", run_id=run, commit=run, results=items))
    upload = _upload_step(tmp_path, dashboard)
    ended: list[str] = []

    def night() -> None:
        try:
            ended.append(upload())
        except UploadFailed as problem:
            ended.append(str(problem))

    sender = threading.Thread(target=night)
    with _without_reports(served):
        sender.start()
        _in_the_middle(served)
        served.server.kill()
        served.server.start()
    sender.join(120)

    assert ended, "the step came to no end"
    for run in runs:
        assert served.results(run) in (0, SIZE), f"{run} is half: {ended}"
    # What waits, if anything, goes with the next night; then nothing does.
    if spool.unsent_keys():
        assert "entries sent" in upload()
    assert spool.unsent_keys() == ()
    assert upload() == "everything is sent already"
    assert [served.results(run) for run in runs] == [SIZE] * len(runs)
    assert served.rows("SELECT count(*) FROM codespeed_revision") == [(len(runs),)]
    assert served.rows("SELECT count(*) FROM codespeed_result") == [(SIZE * len(runs),)]


def _upload_step(build: Path, dashboard: Dashboard) -> Callable[[], str]:
    """The upload step of a night, as the nightly takes it."""

    def never(*_: object, **__: object) -> Any:
        raise AssertionError("nothing but the upload is asked for")

    steps = Steps(
        journal=NightJournal(build / "nights"),
        places=Places(build / "results", build / "spool", build),
        order=Order(lines=("2.3.0",), group="spine", strings=1),
        lines={},
        groups={},
        parts=Parts(*[never] * 11),
        environ={"FLINK_BOOST_CODESPEED_URL": dashboard.url, "FLINK_BOOST_TOKEN": dashboard.token},
        policy=RetryPolicy(),
        clock=lambda: datetime.now(UTC),
        shown=never,
        tell=lambda _: None,
        retention=Retention(),
        machine=build / "measuring.lock",
    )
    slot = datetime(2026, 3, 1, 1, tzinfo=UTC)
    night = NightRecord(box="box-1", night="2026-03-01T0100", slot=slot)
    step = PlannedStep("upload", "upload", "", 20)
    return lambda: steps.acts()["upload"](night, step)[1]


def test_no_message_shows_the_password(server: PostgreSQL, tmp_path: Path) -> None:
    data = tmp_path / "codespeed"
    wrong = [
        server.url("missing"),
        server.url("postgres").replace(str(server.port), "9"),
        server.url("postgres").replace("speed:", "stranger:"),
        server.url("postgres") + "?sslmode=require",
        server.url("postgres") + "?sslmode=nonsense",
    ]
    for address in wrong:
        said = refused(data, 4, "backup", str(tmp_path / "file"), DATABASE_URL=address)
        with pytest.raises(EnvironmentProblem) as problem:
            serve.ensure_running(
                data, serve.Address(port=0), environ={**clean_environ(), "DATABASE_URL": address}
            )
        for text in (said, str(problem.value)):
            assert server.password not in text
            assert "Traceback" not in text
        assert len(said) > 40
    assert not (tmp_path / "file").exists()
