"""The pages themselves: with nothing to show, asked wrongly, and their headers."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from boost_dashboard.middleware import BadQuery
from conftest import Dashboard, result

PAGES = ("", "timeline/", "changes/", "comparison/")
OURS = (*PAGES, "reports/", "about/", "nothing/", "timeline/?revs=x")


@pytest.fixture(scope="module", autouse=True)
def _results(dashboard: Dashboard) -> None:
    for name, time in (("old", "2026-03-01 01:00:00"), ("new", "2026-03-02 01:00:00")):
        run = {"commitid": name, "revision_date": time}
        throughput = {"units": "ops/ms", "units_title": "Throughput", "lessisbetter": False}
        answer = dashboard.upload(
            [
                result(executable="stock 2.3.0", result_value=20.0, **run),
                result(executable="patched 2.3.0", result_value=8.0, **run),
                result(
                    executable="stock 2.3.0",
                    result_value=100.0,
                    benchmark="job",
                    **run,
                    **throughput,
                ),
                result(
                    executable="patched 2.3.0",
                    result_value=150.0,
                    benchmark="job",
                    **run,
                    **throughput,
                ),
            ]
        )
        assert answer.status_code == 202


def test_an_empty_dashboard_says_what_to_do(start: Any) -> None:
    empty = start()

    for page in PAGES:
        answer = empty.get(page)
        assert answer.status_code == 200, page
        assert "There are no results yet" in answer.text
        assert "flink-boost upload" in answer.text
    assert empty.get("reports/").status_code == 200


@pytest.mark.parametrize(
    "query",
    [
        "timeline/json/?exe=x&env=1&ben=job",
        "timeline/json/?exe=2&env=1&ben=job&revs=many",
        "timeline/json/?exe=2&env=1&ben=job&base=1",
        "timeline/?revs=x",
        "comparison/?ben=x",
        "changes/?tre=x",
        "changes/table/?exe=x",
        "makeimage/?exe=1",
        "makeimage/?env=box-1&proj=Flink&branch=master&exe=patched+2.3.0&ben=job&width=99999",
    ],
)
def test_a_wrong_parameter_is_the_callers_mistake(dashboard: Dashboard, query: str) -> None:
    assert dashboard.get(query).status_code == 400


@pytest.mark.parametrize(
    ("method", "parameters", "error"),
    [
        ("GET", {}, ValueError()),
        ("POST", {"a": "b"}, ValueError()),
        ("GET", {"a": "b"}, RuntimeError()),
    ],
)
def test_an_error_of_our_own_is_not_blamed_on_the_caller(
    method: str, parameters: dict[str, str], error: Exception
) -> None:
    request = SimpleNamespace(method=method, GET=parameters, get_full_path=lambda: "/timeline/")

    assert BadQuery(lambda _: None).process_exception(request, error) is None


def test_what_does_not_exist_is_not_found(dashboard: Dashboard) -> None:
    assert dashboard.get("nothing/").status_code == 404
    assert dashboard.get("admin/").status_code == 404
    assert dashboard.get("timeline/?ben=nothing").status_code == 404
    assert dashboard.get("static/../settings.py").status_code == 404


def test_a_plot_is_drawn_as_an_image(dashboard: Dashboard) -> None:
    answer = dashboard.get(
        "makeimage/", env="box-1", proj="Flink", branch="master", exe="patched 2.3.0", ben="job"
    )

    assert answer.status_code == 200
    assert answer.content.startswith(b"\x89PNG")


def test_the_feeds_are_there(dashboard: Dashboard) -> None:
    for feed in ("feeds/latest/", "feeds/latest_significant/"):
        assert "<rss" in dashboard.get(feed).text


@pytest.mark.parametrize("page", [*OURS, "static/css/main.css", "feeds/latest/"])
def test_every_answer_carries_the_security_headers(dashboard: Dashboard, page: str) -> None:
    headers = dashboard.get(page).headers

    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"


@pytest.mark.parametrize("page", OURS)
def test_no_page_has_a_script_or_a_style_in_it(dashboard: Dashboard, page: str) -> None:
    text = dashboard.get(page).text

    assert "<!DOCTYPE html>" in text
    for script in re.findall(r"<script[^>]*>", text):
        assert "src=" in script or 'type="application/json"' in script
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", text)


def test_a_wrong_parameter_is_named(dashboard: Dashboard) -> None:
    assert "The parameter revs has to be a whole number" in dashboard.get("timeline/?revs=x").text
    assert "There is no box nowhere." in dashboard.get("timeline/?env=nowhere").text


def test_addresses_of_the_pages_before_still_work(dashboard: Dashboard) -> None:
    for old in (
        "timeline/?exe=1,2&base=none&ben=job&env=1&revs=50&equid=off&quarts=on&extr=on",
        "timeline/?ben=grid&env=1",
        "changes/?rev=new&exe=1&env=box-1",
        "changes/?tre=10&rev=old&exe=2&env=1",
        "comparison/?exe=1%2BL%2Bmaster,2%2BL%2Bmaster&ben=1,2&env=1&hor=true&bas=none&chart=normal+bars",
    ):
        assert dashboard.get(old).status_code == 200, old


def test_changes_are_against_the_run_before(dashboard: Dashboard) -> None:
    page = " ".join(dashboard.get("changes/", rev="new").text.split())

    assert '<code class="commit">new</code>' in page
    assert ">old</a>, 2026-03-01 01:00 UTC, the newest run before it" in page


def test_the_points_of_a_plot(dashboard: Dashboard) -> None:
    answer = dashboard.get(
        "timeline/points/", env="1", bran="master", ben="1,2", exe="1,2,3,4,5,6", revs="1"
    ).json()

    assert answer["runs"] == [{"commit": "new", "seconds": 1772413200}]
    lines = [line for lines in answer["benchmarks"].values() for line in lines]
    assert sorted(line["points"][0][1] for line in lines) == [8.0, 20.0, 100.0, 150.0]
    assert all(line["points"][0][2:] == [7.9, 8.1] for line in lines)


def test_a_foreign_host_name_is_refused(dashboard: Dashboard) -> None:
    """Otherwise a foreign site could read a loopback dashboard by pointing its name here."""
    answer = httpx.get(dashboard.url, headers={"Host": "attacker.example"}, timeout=20)

    assert answer.status_code == 400
