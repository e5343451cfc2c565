"""Pages of alarms and nights in a real Chromium, with 1, 8 and 300 benchmarks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from conftest import Dashboard, start_on
from flink_boost.publish import liveness
from sample_nights import FIRST_NIGHT, commit_of, names, nights
from stored_rows import store
from told import must, told_alarm, told_night, told_sheet
from visits import LOOKS, visiting

NIGHTS = 12
STEP = 8
NIGHT = "2026-01-13T0100"
PAGES = {
    "alarms": "alarms/",
    "alarm": "alarms/a0000000000/",
    "nights": "nights/",
    "night": f"nights/{NIGHT}/",
    "overview-told": "",
    "timeline-told": f"timeline/?ben={names(1)[0]}",
}
FEW, MANY = 1, 300
# With many benchmarks alone the list of alarms is another page.
SHOWN = [
    *((FEW, name) for name in PAGES),
    (MANY, "alarms"),
    *(
        pytest.param(count, name, marks=pytest.mark.test_all)
        for count in (8, MANY)
        for name in PAGES
        if (count, name) != (MANY, "alarms")
    ),
]


@pytest.fixture(scope="module")
def told(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    new_database: Path | None,
) -> Iterator[tuple[int, Dashboard]]:
    """That many benchmarks, up to 60 of them with an alarm, and a night with a new kernel."""
    count: int = request.param
    data = tmp_path_factory.mktemp("told")
    dashboard = start_on(data, new_database)
    store(data, nights(count, NIGHTS))
    alarms = [
        told_alarm(
            id=f"a{place:010x}", benchmark=name, before=commit_of(STEP - 1), since=commit_of(STEP)
        )
        for place, name in enumerate(names(min(count, 60)))
    ]
    must(dashboard, "alarms/add/", told_sheet(*alarms))
    for night in range(NIGHTS):
        slot = FIRST_NIGHT.replace(minute=0, second=0)
        slot = slot.replace(day=slot.day + night)
        changed: dict[str, Any] = {} if night == STEP else {"box_changes": [], "state": "complete"}
        name = f"{slot:%Y-%m-%dT%H%M}"
        must(
            dashboard, "nights/add/", told_night(night=name, slot=f"{slot.isoformat()}Z", **changed)
        )
    yield count, dashboard
    liveness.stop(data)


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
@pytest.mark.parametrize(("told", "name"), SHOWN, indirect=["told"])
def test_it_is_readable_at_any_width_and_in_both_schemes(
    browser: Browser, told: tuple[int, Dashboard], name: str, width: int, scheme: Any
) -> None:
    count, dashboard = told
    with visiting(browser, dashboard.url, width=width, scheme=scheme) as visit:
        page = visit.open(PAGES[name])
        if name in ("alarm", "timeline-told"):
            page.locator(".panel canvas").first.wait_for()
        for shown in visit.schemes():
            visit.keep_picture(f"{name}-{count}-{width}-{shown}")
        visit.unfold(3)
        for shown in visit.schemes():
            assert visit.axe() == [], shown
            assert visit.overflow() <= 0
        assert page.locator("h1").count() == 1
    assert visit.problems == []


@pytest.mark.parametrize("told", [FEW], indirect=True)
def test_the_change_and_the_new_kernel_are_in_the_plot_its_list_and_its_table(
    browser: Browser, told: tuple[int, Dashboard]
) -> None:
    _, dashboard = told
    with visiting(browser, dashboard.url) as visit:
        page = visit.open(PAGES["alarm"])
        page.locator(".panel canvas").first.wait_for()
        marks = page.locator(".steps li.marked")
        assert [text.split(": ", 1)[1] for text in marks.all_inner_texts()] == [
            "Box changed: kernel 6.1 → 6.2",
            "Alarm: −10.0 %, open",
        ]
        page.locator(".plot-frame").first.focus()
        page.keyboard.press("End")
        for _ in range(NIGHTS - 1 - STEP):
            page.keyboard.press("ArrowLeft")
        picked = page.locator(".picked").first.inner_text()
        assert commit_of(STEP) in picked
        assert "Box changed: kernel 6.1 → 6.2" in picked
        page.locator(".points summary").first.click()
        rows = page.locator(".points table tbody tr")
        expect(rows).to_have_count(NIGHTS)
        marked = rows.filter(has_text="kernel 6.1 → 6.2")
        expect(marked).to_have_count(1)
        assert commit_of(STEP) in marked.inner_text()
        # Both lines are painted: the colours of an alarm and of a change of the box.
        colours = page.evaluate(
            """() => {
                const canvas = document.querySelector('.panel canvas');
                const { data } = canvas.getContext('2d')
                    .getImageData(0, 0, canvas.width, canvas.height);
                const seen = new Set();
                for (let place = 0; place < data.length; place += 4) {
                    seen.add(data.slice(place, place + 3).join());
                }
                return ['166,27,27', '107,82,0'].filter((colour) => seen.has(colour));
            }"""
        )
        assert colours == ["166,27,27", "107,82,0"]
        marks.first.get_by_role("link").click()
        page.wait_for_url(f"**/nights/{NIGHT}/")
    assert visit.problems == []


@pytest.mark.parametrize("told", [MANY], indirect=True)
def test_the_filter_finds_alarms_and_nights(browser: Browser, told: tuple[int, Dashboard]) -> None:
    _, dashboard = told
    with visiting(browser, dashboard.url) as visit:
        page = visit.open("nights/")
        page.get_by_label("Nights that contain").fill("short")
        assert page.locator(".night-row:visible th").all_inner_texts() == [NIGHT]
        page = visit.open("alarms/")
        page.get_by_label("Alarms that contain").fill(f"{names(1)[0]} open")
        assert page.locator(".alarm-row:visible").count() == 1
    assert visit.problems == []
