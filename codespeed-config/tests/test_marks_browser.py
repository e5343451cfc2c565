"""Labels of a plot's marks in a real Chromium: each at its night, none on another."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from conftest import Dashboard, start_on
from flink_boost.publish import liveness
from sample_nights import FIRST_NIGHT, commit_of, names, nights
from stored_rows import store
from told import must, told_alarm, told_night, told_sheet
from visits import visiting

NIGHTS = 30
ALARMS = (3, 4, 5, 12, 26, 27, 29)
LATE = 12  # due ten hours before its run began, nearer to the run before
RECTANGLES = """() => {
    const rectangle = (each) => {
        const { left, right, top, bottom } = each.getBoundingClientRect();
        return { left, right, top, bottom, text: each.title, shown: each.textContent };
    };
    return {
        labels: [...document.querySelectorAll('.panel:first-of-type .mark-label')].map(rectangle),
        plot: rectangle(document.querySelector('.panel .u-over')),
    };
}"""


@pytest.fixture(scope="module", params=[1, 3])
def marked(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    new_database: Path | None,
) -> Iterator[tuple[int, Dashboard]]:
    """A benchmark with alarms in nights beside each other, so many in each, and a late night."""
    each: int = request.param
    data = tmp_path_factory.mktemp("marked")
    dashboard = start_on(data, new_database)
    store(data, nights(1, NIGHTS))
    alarms = [
        told_alarm(
            id=f"a{night:04x}{copy:06x}",
            benchmark=names(1)[0],
            since=commit_of(night),
            effect=0.9 - night / 1000 - copy / 100,
        )
        for night in ALARMS
        for copy in range(each)
    ]
    must(dashboard, "alarms/add/", told_sheet(*alarms))
    due = FIRST_NIGHT + timedelta(days=LATE, hours=-14)
    must(dashboard, "nights/add/", told_night(slot=f"{due.isoformat()}Z"))
    yield each, dashboard
    liveness.stop(data)


@pytest.mark.parametrize("width", [390, 1280])
def test_each_label_stands_at_its_night_and_none_covers_another(
    browser: Browser, marked: tuple[int, Dashboard], width: int
) -> None:
    each, dashboard = marked
    with visiting(browser, dashboard.url, width=width) as visit:
        page = visit.open(f"timeline/?ben={names(1)[0]}")
        page.locator(".panel canvas").first.wait_for()
        found = page.evaluate(RECTANGLES)
        visit.keep_picture(f"marks-{each}-{width}")
        assert visit.overflow() <= 0
    labels, plot = found["labels"], found["plot"]
    assert {_nearest(label, plot) for label in labels} == {*ALARMS}
    for place, one in enumerate(labels):
        night = _nearest(one, plot)
        assert abs(_off(one, plot, night)) <= 2, one
        for text in one["text"].splitlines():  # its size says which night it is of
            alarms = {f"Alarm: −{10 + night / 10 + copy:.1f} %, open" for copy in range(each)}
            assert text in alarms or (night == LATE and text.startswith("Box changed")), text
        assert one["bottom"] <= plot["top"], "it lies on the curve"
        assert plot["left"] - 70 <= one["left"]
        assert one["right"] <= plot["right"] + 70
        assert not [other for other in labels[:place] if _lie_on_each_other(one, other)]
    said = [text for one in labels for text in one["text"].splitlines()]
    assert len(said) == len(ALARMS) * each + 1
    if (each, width) == (1, 1280):  # there is room for the words
        assert [one["shown"] for one in labels] == said
    assert visit.problems == []


def _x(plot: dict[str, Any], night: int) -> float:
    """Where a night is: the plot leaves 3 % of its time free on both sides."""
    width: float = plot["right"] - plot["left"]
    return plot["left"] + width * (night / (NIGHTS - 1) + 0.03) / 1.06


def _off(label: dict[str, Any], plot: dict[str, Any], night: int) -> float:
    x = _x(plot, night)
    return min(label["left"] - x, label["right"] - x, key=abs)


def _nearest(label: dict[str, Any], plot: dict[str, Any]) -> int:
    return min(range(NIGHTS), key=lambda night: abs(_off(label, plot, night)))


def _lie_on_each_other(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return bool(
        one["left"] < other["right"]
        and other["left"] < one["right"]
        and one["top"] < other["bottom"]
        and other["top"] < one["bottom"]
    )
