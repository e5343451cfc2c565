"""Codespeed's addresses for programs: bad queries, rows of any kind, and nothing ever stored."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from conftest import Dashboard, result
from stored_rows import run_in_dashboard, store

IMAGE = "makeimage/?env=box-1&proj=Flink&branch=master&exe=patched+2.3.0&ben=write.ascii.16"
PAGES = ("", "timeline/", "changes/", "comparison/", "reports/", "feeds/latest/", "about/")
MARKUP = "<img src=x onerror=alert(1)>"
# What an upload of today refuses, and a database from before may hold.
HOSTILE: list[dict[str, Any]] = [
    {"commitid": "in-two-branches", "branch": "master"},
    {"commitid": "in-two-branches", "branch": "request"},
    {"project": "Another", "commitid": "of-another"},
    {"benchmark": MARKUP, "units": "<b>x</b>", "units_title": "<i>T</i>"},
    {"benchmark": "described", "description": MARKUP},
    {"commitid": "</script><script>alert(2)</script>", "benchmark": "job"},
    {"benchmark": "nul\x00in it"},
    {"benchmark": "negative", "result_value": -1.0, "min": -2.0, "max": 0.0},
    {"benchmark": "zero", "result_value": 0.0},
    {"benchmark": "endless", "result_value": 1e999},
    {"benchmark": "tex $\\frac$", "commitid": "tex"},
    {"environment": 'box "2" & <b>', "executable": "patched <i>"},
    {"commitid": "undated", "revision_date": None, "executable": "undated"},
]


@pytest.fixture(scope="module", autouse=True)
def _stored(dashboard: Dashboard) -> None:
    nights = [
        {"commitid": f"night-{day}", "revision_date": f"2026-03-0{day} 01:00:00"}
        for day in range(1, 6)
    ]
    later = {"revision_date": "2026-03-07 01:00:00"}
    store(
        dashboard.data,
        [
            *(result(**night) for night in nights),
            *(result(**night, executable="stock 2.3.0") for night in nights),
            *(result(**{"executable": "stock 2.3.0", **later, **each}) for each in HOSTILE),
        ],
    )


@pytest.fixture
def count_rows(dashboard: Dashboard, tmp_path: Path) -> Any:
    """The number of rows of each table."""
    program = tmp_path / "count.py"
    program.write_text(
        "import django, json\n"
        "django.setup()\n"
        "from django.apps import apps\n"
        "models = apps.get_app_config('codespeed').get_models()\n"
        "print(json.dumps({model.__name__: model.objects.count() for model in models}))\n",
        encoding="utf-8",
    )
    return lambda: json.loads(run_in_dashboard(dashboard.data, program))


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("changes/table/?exe=1&env=1&rev=night-1&tre=9223372036854775808", "tre"),
        ("changes/table/?exe=1&env=1&rev=night-1&tre=" + "9" * 400, "tre"),
        ("changes/table/?exe=1&env=1&rev=night-1", "tre"),
        ("changes/table/?exe=1&env=1&rev=night-1&tre=1_0", "tre"),
        ("changes/table/?exe=1&exe=2&env=1&rev=night-1&tre=10", "exe"),
        ("changes/table/?exe=1&env=1&rev=a%00b&tre=10", "rev"),
        (IMAGE + "&width=9_000&height=9_000", "width"),
        (IMAGE + "&width=%206000", "width"),
        (IMAGE + "&width=%2B6000", "width"),
        (IMAGE + "&width=2001", "width"),
        (IMAGE + "&height=" + "9" * 400, "height"),
        (IMAGE + "&revs=100000", "revs"),
        (IMAGE + "&depth=1", "depth"),
        ("makeimage/?env=box-1", "proj"),
        ("timeline/json/?exe=1&ben=write.ascii.16", "env"),
        ("timeline/json/?exe=1&env=1", "ben"),
        ("timeline/json/?exe=1&env=1&ben=write.ascii.16&base=1", "base"),
        ("timeline/json/?exe=1&env=1&ben=write.ascii.16&revs=1001", "revs"),
        ("timeline/json/?exe=1_0&env=1&ben=write.ascii.16", "exe"),
        ("changes/logs/", "revisionid"),
        ("changes/logs/?revisionid=x", "revisionid"),
        ("timeline/points/?env=1&bran=master&exe=1&revs=5", "ben"),
        ("comparison/json/?x=1", "x"),
    ],
)
def test_a_bad_query_is_answered_with_name_and_reason(
    dashboard: Dashboard, query: str, name: str
) -> None:
    answer = dashboard.get(query)

    assert answer.status_code == 400
    assert answer.text.startswith(f"The parameter {name} ")
    assert answer.headers["Content-Type"].startswith("text/plain")


def test_a_lone_surrogate_in_an_address_is_no_error_of_the_server(dashboard: Dashboard) -> None:
    assert dashboard.get("timeline/?ben=%ED%A0%80").status_code == 404
    assert dashboard.get("changes/table/?exe=1&env=1&rev=%ED%A0%80&tre=10").status_code == 404


def test_reading_stores_nothing(dashboard: Dashboard, count_rows: Any) -> None:
    before = count_rows()

    for night in range(1, 6):
        for executable in (1, 2, 3):
            for trend in ("5", "10"):
                dashboard.get(
                    "changes/table/", exe=str(executable), env="1", rev=f"night-{night}", tre=trend
                )
    for page in PAGES:
        dashboard.get(page)

    assert count_rows() == before
    assert before["Report"] > 0


@pytest.mark.parametrize("page", PAGES)
def test_no_stored_row_makes_a_page_fail(dashboard: Dashboard, page: str) -> None:
    answer = dashboard.get(page)

    assert answer.status_code == 200
    assert MARKUP not in answer.text
    assert "<script>alert" not in answer.text


def test_every_run_and_executable_has_its_pages(dashboard: Dashboard) -> None:
    commits = [f"night-{day}" for day in range(1, 6)]
    commits += [str(each["commitid"]) for each in HOSTILE if "commitid" in each]
    for commit in commits:
        for environment in ("1", "2"):
            for executable in ("", "1", "2"):
                chosen = {"exe": executable} if executable else {}
                page = dashboard.get("changes/", rev=commit, env=environment, **chosen)
                assert page.status_code == (404 if commit == "undated" else 200), (commit, page)
                if executable:
                    table = dashboard.get(
                        "changes/table/", rev=commit, env=environment, tre="10", **chosen
                    )
                    assert table.status_code in (200, 404), table.text
                    assert "<script>alert" not in table.text
                    assert MARKUP not in table.text


def test_every_benchmark_has_its_timeline(dashboard: Dashboard) -> None:
    names = {str(each["benchmark"]) for each in HOSTILE if "benchmark" in each}
    for name in names | {"write.ascii.16"}:
        answer = dashboard.get("timeline/", ben=name)
        assert answer.status_code == (400 if "\x00" in name else 200), name
        assert MARKUP not in answer.text
    points = dashboard.get(
        "timeline/points/", env="1", bran="master", ben="1,2,3,4,5,6,7,8,9", exe="1,2,3", revs="9"
    )
    assert "Infinity" not in points.text


def test_the_images_of_odd_values_are_refused_without_an_error(dashboard: Dashboard) -> None:
    for name, status in (
        ("write.ascii.16", 200),
        ("endless", 422),
        ("tex $\\frac$", 422),
        ("negative", 200),
    ):
        for executable in ("patched 2.3.0", "stock 2.3.0"):
            answer = dashboard.get(IMAGE.partition("?")[0], **_image(name, executable))
            assert answer.status_code in (status, 404), (name, executable, answer.text)
    relative = dashboard.get("makeimage/", **_image("zero", "stock 2.3.0"), relative="yes")
    assert relative.status_code == 422


def test_nothing_that_draws_is_loaded_before_the_first_image(
    dashboard: Dashboard, tmp_path: Path
) -> None:
    program = tmp_path / "drawing.py"
    program.write_text(
        "import sys\n"
        "from boost_dashboard import wsgi\n"
        "print('matplotlib' in sys.modules)\n"
        "from codespeed import images, views\n"
        "assert images.gen_image_from_results is views.gen_image_from_results\n"
        "try:\n"
        "    views.gen_image_from_results({'results': []}, 600, 500)\n"
        "except ValueError:\n"  # the largest of no values
        "    print('matplotlib' in sys.modules)\n"
        "from codespeed import images\n"
        "print(images.DEF_CHART_W)\n",
        encoding="utf-8",
    )
    assert run_in_dashboard(dashboard.data, program).split() == ["False", "True", "600"]


def _image(benchmark: str, executable: str) -> dict[str, str]:
    return {
        "env": "box-1",
        "proj": "Flink",
        "branch": "master",
        "exe": executable,
        "ben": benchmark,
    }


def test_a_run_without_a_date_is_named(dashboard: Dashboard) -> None:
    ids = ",".join(map(str, range(1, 20)))
    answer = dashboard.get("timeline/json/", exe=ids, env="1", ben="write.ascii.16")

    assert answer.status_code == 422
    assert "no date" in answer.text


def test_the_table_of_changes_has_codespeeds_figures(dashboard: Dashboard) -> None:
    executable = next(
        number
        for number in map(str, range(1, 10))
        if "stock 2.3.0" in dashboard.get("changes/table/", **_table(number)).text
    )
    text = " ".join(dashboard.get("changes/table/", **_table(executable)).text.split())

    assert '<td title="">write.ascii.16</td> <td>8.00</td> <td>0.10</td>' in text
    assert "<td>0.00</td>" in text


def _table(executable: str) -> dict[str, str]:
    return {"exe": executable, "env": "1", "rev": "night-5", "tre": "10"}


def test_the_feeds_are_xml_whatever_is_stored(dashboard: Dashboard) -> None:
    for feed in ("feeds/latest/", "feeds/latest_significant/"):
        answer = dashboard.get(feed)
        assert answer.status_code == 200
        items = ET.fromstring(answer.content).findall("channel/item")  # noqa: S314
        assert items
        for item in items:
            assert MARKUP not in (item.findtext("description") or "")


def test_a_point_of_the_feed_leads_to_its_changes(dashboard: Dashboard) -> None:
    feed = ET.fromstring(dashboard.get("feeds/latest/").content)  # noqa: S314
    for item in feed.findall("channel/item"):
        path = (item.findtext("link") or "").partition("/changes/")[2]
        assert dashboard.get(f"changes/{path}").status_code in (200, 404), path
