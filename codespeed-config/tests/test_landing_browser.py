"""The first page as a reader sees it: in a real Chromium, with 8 and with 300 benchmarks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page

from conftest import Dashboard, start_on
from flink_boost.publish import liveness
from sample_nights import commit_of, nights
from stored_rows import store
from test_alarms import alarm
from visits import LOOKS, Visit, visiting

NIGHTS = 30
STEP = NIGHTS * 2 // 3


@pytest.fixture(scope="module")
def filled(dashboard: Dashboard) -> Dashboard:
    """A small box and a large one; the large one has an alarm."""
    store(dashboard.data, nights(8, NIGHTS, box="small"))
    found = alarm(
        box="small",
        benchmark="write.ascii.65536.mixed.serializer",
        before=commit_of(STEP - 1),
        since=commit_of(STEP),
    )
    sheet = {"schema_version": 1, "made": "2026-03-03T05:00:00Z", "boxes": ["small"]}
    answer = httpx.post(
        f"{dashboard.url}alarms/add/",
        content=json.dumps({**sheet, "alarms": [found]}),
        headers={"Authorization": f"Bearer {dashboard.token}"},
        timeout=20,
    )
    assert answer.status_code == 202, answer.text
    return dashboard


@pytest.fixture
def visit(browser: Browser, filled: Dashboard) -> Iterator[Visit]:
    with visiting(browser, filled.url) as visit:
        yield visit
    assert visit.problems == []


def shown(page: Page) -> list[str]:
    return page.locator(".run tbody tr:visible th").all_inner_texts()


def test_every_row_is_there_in_natural_order(visit: Visit) -> None:
    page = visit.open("")

    names = [name for name in shown(page) if name.startswith("write")]
    assert [name.split(".")[2] for name in names] == ["16", "128", "1024", "65536", "1048576"]
    assert page.locator(".run polyline").count() == 8
    assert "8 clearly faster" in page.locator(".nights").inner_text()


def test_an_alarm_leads_to_its_run_and_its_timeline(visit: Visit) -> None:
    page = visit.open("")

    alarms = page.locator(".alarms")
    assert "−5.2 %" in alarms.inner_text()
    alarms.get_by_text("Measure it again").click()
    assert "flink-boost bench" in alarms.locator("code", has_text="bench").inner_text()
    alarms.get_by_role("link", name="write.ascii.65536").click()
    page.wait_for_url("**/timeline/?*")
    page.locator(".panel canvas").first.wait_for()
    page.go_back()
    page.locator(".alarms").get_by_role("link", name=commit_of(STEP)).click()
    page.wait_for_url("**/changes/?*")
    assert page.locator("h1").count() == 1


def test_words_find_rows_and_a_number_only_whole(visit: Visit) -> None:
    page = visit.open("")

    page.get_by_label("Find").fill("ascii 16")
    assert shown(page) == ["write.ascii.16.mixed.serializer"]
    assert page.locator("output").inner_text() == "1 shown"
    assert page.url.endswith("?text=ascii+16"), "the address leads back"
    page.reload()
    assert shown(page) == ["write.ascii.16.mixed.serializer"]


def test_a_row_leads_to_the_timeline_of_its_ratio(visit: Visit) -> None:
    page = visit.open("")

    page.get_by_role("link", name="write.ascii.16.mixed.serializer", exact=True).click()

    page.wait_for_url("**/timeline/?*")
    page.locator(".panel canvas").first.wait_for()
    assert "write.ascii.16.mixed.serializer" in page.locator("h1").inner_text()


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
@pytest.mark.parametrize("count", [pytest.param(8, marks=pytest.mark.test_all), 300])
def test_it_is_readable_at_any_width_and_in_both_schemes(
    browser: Browser, filled: Dashboard, large: Dashboard, count: int, width: int, scheme: Any
) -> None:
    url = (filled if count == 8 else large).url
    with visiting(browser, url, width=width, scheme=scheme) as visit:
        page = visit.open("")
        for look in visit.schemes():
            visit.keep_picture(f"overview-{count}-{width}-{look}")
        visit.unfold(3)
        for look in visit.schemes():
            assert visit.axe() == [], look
            assert visit.overflow() <= 0
        assert page.locator("h1").count() == 1
    assert visit.problems == []


@pytest.fixture(scope="module")
def large(
    tmp_path_factory: pytest.TempPathFactory, new_database: Path | None
) -> Iterator[Dashboard]:
    data = tmp_path_factory.mktemp("large")
    dashboard = start_on(data, new_database)
    store(data, nights(300, 4, box="large"))
    yield dashboard
    liveness.stop(data)


def test_three_hundred_benchmarks_are_folded_and_found(browser: Browser, large: Dashboard) -> None:
    with visiting(browser, large.url) as visit:
        page = visit.open("")
        assert shown(page) == [], "folded"
        assert page.locator(".run details").count() > 10
        page.locator(".run summary", has_text="read.cjk").first.click()
        assert all("read.cjk" in name for name in shown(page))
        page.get_by_label("Find").fill("copy surrogates 1024 network")
        assert sorted(shown(page)) == [
            "copy.surrogates.1024.mixed.network",
        ]
        page.get_by_label("Find").fill("")
        page.get_by_label("only significant").check()
        significant = shown(page)
        assert 0 < len(significant) <= 300
        verdicts = page.locator(".run tbody tr:visible .verdict").all_inner_texts()
        assert all(one.endswith(("faster", "slower")) for one in verdicts)
    assert visit.problems == []
