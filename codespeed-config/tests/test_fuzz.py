"""Random requests to every address: no error of the server, no row, no growth.

Seeded, so that a failure comes again. ``FLINK_BOOST_FUZZ_EXAMPLES`` sets how many per test: few,
more in ``make test-all``; ``make fuzz-dashboard`` runs minutes.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote_from_bytes

import httpx
import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from conftest import Dashboard, result
from sample_nights import nights
from scale import only_worker, resident
from stored_rows import run_in_dashboard, store
from test_incoming import ANYTHING
from told import NIGHT, must, told_alarm, told_night, told_sheet

EXAMPLES = int(os.environ["FLINK_BOOST_FUZZ_EXAMPLES"])
FUZZ = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
LARGEST_GROWTH = 60.0  # MB of the worker, once it is warm
SECONDS = 30.0
PRINT_ROUTES = """
import django
django.setup()
from django.urls import get_resolver

def routes(patterns, before=""):
    for each in patterns:
        if hasattr(each, "url_patterns"):
            yield from routes(each.url_patterns, before + str(each.pattern))
        else:
            yield before + str(each.pattern)

print("\\n".join(routes(get_resolver().url_patterns)))
"""
# What any of the addresses knows by name.
PARAMETERS = (
    *("env", "bran", "ben", "exe", "revs", "show", "base", "equid", "quarts", "extr", "rev", "tre"),
    *("bas", "hor", "chart", "proj", "branch", "width", "height", "revisionid", "sort", "text"),
    *("most", "significant", "executable", "benchmark", "environment", "project", "q", ""),
)
ODD = (
    *("", "0", "-1", "1", "2", "9_000", "+6000", " 6000", "\u0661", "1e9", "0x10", "NaN", "inf"),
    *("9" * 400, str(2**31), str(2**63), "None", "none", "all", "grid", "show_none", "master"),
    *(
        "box-1",
        "2.3.0",
        "patched 2.3.0",
        "write.ascii.16.mixed.serializer",
        "1,2",
        "1,,2",
        ",",
        "1+L+master",
    ),
    *(
        "<script>",
        "' or 1=1 --",
        "../../etc/passwd",
        "%00",
        "a" * 10_000,
        "true",
        "false",
        "latest",
    ),
)


def routes(dashboard: Dashboard, tmp_path: Path) -> list[str]:
    program = tmp_path / "print_routes.py"
    program.write_text(PRINT_ROUTES, encoding="utf-8")
    patterns = run_in_dashboard(dashboard.data, program).split()
    return sorted({each.strip("^$").replace("\\", "") for each in patterns} | {""})


def rows(dashboard: Dashboard) -> dict[str, int]:
    with closing(sqlite3.connect(dashboard.data / "db.sqlite3")) as database:
        tables = database.execute("select name from sqlite_master where type = 'table'").fetchall()
        return {
            name: database.execute(f'select count(*) from "{name}"').fetchone()[0]  # noqa: S608
            for (name,) in tables
        }


@pytest.fixture(scope="module", autouse=True)
def _filled(dashboard: Dashboard) -> None:
    store(dashboard.data, nights(8, 12))
    must(dashboard, "alarms/add/", told_sheet(told_alarm()))
    must(dashboard, "nights/add/", told_night())


class Patient(httpx.HTTPTransport):
    """Asks again when it has asked too often: every request gets an answer of its own."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        while (answer := super().handle_request(request)).status_code == 429:
            answer.close()
            time.sleep(0.2)
        return answer


@pytest.fixture(scope="module")
def client(dashboard: Dashboard) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=dashboard.url, timeout=SECONDS, transport=Patient()) as client:
        yield client


def some_values() -> st.SearchStrategy[bytes]:
    known = st.sampled_from([text.encode() for text in ODD])
    return (
        known
        | st.binary(max_size=12)
        | st.text(max_size=12).map(lambda t: t.encode("utf-8", "replace"))
    )


def some_queries() -> st.SearchStrategy[str]:
    names = st.sampled_from([name.encode() for name in PARAMETERS]) | st.binary(max_size=4)
    pairs = st.lists(st.tuples(names, some_values()), max_size=6)
    return pairs.map(
        lambda found: "&".join(f"{quote_from_bytes(n)}={quote_from_bytes(v)}" for n, v in found)
    )


def test_no_query_makes_an_error_a_row_or_growth(
    dashboard: Dashboard, client: httpx.Client, tmp_path: Path
) -> None:
    known = routes(dashboard, tmp_path)
    assert {"", "timeline/", "changes/table/", "makeimage/", "overview.json"} <= set(known)
    assert {"alarms/<str:key>/", "nights/<str:key>/", "alarms.json", "nights.json"} <= set(known)
    known += ["alarms/a0123456789/", f"nights/{NIGHT}/", "nights/%00/", "alarms/%F0%9F%98%80/"]
    for path in known:  # warm
        client.get(f"/{path}")
    worker = only_worker(dashboard.data)
    before, warm = rows(dashboard), resident(worker)

    @seed(20)
    @FUZZ
    @given(st.sampled_from(known), some_queries(), st.sampled_from(["GET", "HEAD", "OPTIONS"]))
    def ask(path: str, query: str, method: str) -> None:
        answer = client.request(method, f"/{path}?{query}")
        assert answer.status_code < 500, (method, path, query, answer.text[:300])

    ask()

    assert rows(dashboard) == before
    assert resident(worker) - warm < LARGEST_GROWTH
    assert "Traceback" not in dashboard.log


def test_no_upload_makes_an_error_and_pages_survive_what_was_taken(
    dashboard: Dashboard, client: httpx.Client, tmp_path: Path
) -> None:
    headers = {"Authorization": f"Bearer {dashboard.token}"}
    changes = st.dictionaries(
        st.sampled_from([*result(), "description", "q1", "result_date", "x"]), ANYTHING
    )

    @seed(21)
    @FUZZ
    @given(st.lists(changes, min_size=1, max_size=3), st.booleans())
    def send(items: list[dict[str, Any]], as_form: bool) -> None:
        sent = [result(**{"commitid": "fuzz", **item}) for item in items]
        if as_form:
            form = {
                key: str(value).encode("utf-8", "replace").decode()
                for key, value in sent[0].items()
            }
            answer = client.post("/result/add/", data=form, headers=headers)
        else:
            answer = client.post(
                "/result/add/json/", data={"json": json.dumps(sent)}, headers=headers
            )
        assert answer.status_code in (202, 400, 422), (sent, answer.status_code, answer.text[:300])

    send()

    for path in (
        "",
        "timeline/",
        "changes/",
        "comparison/",
        "reports/",
        "feeds/latest/",
        "overview.json",
    ):
        assert client.get(f"/{path}").status_code == 200, path
    assert "Traceback" not in dashboard.log


@seed(22)
@FUZZ
@given(body=st.binary(max_size=200) | ANYTHING.map(lambda value: json.dumps(value).encode()))
def test_no_sheet_of_alarms_makes_an_error(
    dashboard: Dashboard, client: httpx.Client, body: bytes
) -> None:
    headers = {"Authorization": f"Bearer {dashboard.token}", "Content-Type": "application/json"}
    for path in ("/alarms/add/", "/nights/add/"):
        answer = client.post(path, content=body, headers=headers)
        assert answer.status_code == 400, (path, body, answer.text[:300])


def test_no_changed_document_makes_an_error_and_pages_survive_what_was_taken(
    dashboard: Dashboard, client: httpx.Client
) -> None:
    headers = {"Authorization": f"Bearer {dashboard.token}"}

    @seed(23)
    @FUZZ
    @given(
        st.dictionaries(st.sampled_from([*told_alarm(), "x"]), ANYTHING, max_size=2),
        st.dictionaries(st.sampled_from([*told_night(), "x"]), ANYTHING, max_size=2),
    )
    def send(alarm: dict[str, Any], night: dict[str, Any]) -> None:
        documents = {
            "/alarms/add/": told_sheet(told_alarm(**alarm)),
            "/nights/add/": told_night(**night),
        }
        for path, document in documents.items():
            answer = client.post(path, content=json.dumps(document), headers=headers)
            assert answer.status_code in (202, 400), (document, answer.text[:300])
        if "box" not in night:
            for path in ("", "alarms/", "nights/", "alarms.json", "nights.json"):
                accepted = {"Accept": "text/html"}
                assert client.get(f"/{path}", headers=accepted).status_code == 200, path

    send()

    assert "Traceback" not in dashboard.log
