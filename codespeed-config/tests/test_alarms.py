"""What detection tells: kept for each box, shown first, and never taken from a stranger."""

from __future__ import annotations

import html
import json
import re
from typing import Any

import httpx
import pytest

from conftest import Dashboard, result
from operating import facts
from told import told_alarm, told_sheet

SINCE, BEFORE = "0a1b2c3d-20260302T010000-bbbbbb", "0a1b2c3d-20260301T010000-aaaaaa"


def alarm(**changes: Any) -> dict[str, Any]:
    return {
        "box": "box-1",
        "executable": "patched 2.3.0",
        "benchmark": "write.ascii.16",
        "kind": "regression",
        "effect": 0.948,
        "low": 0.93,
        "high": 0.966,
        "before": BEFORE,
        "since": SINCE,
        "commits": ["1111111111111111", "2222222222222222"],
        "nights": 3,
        "command": "flink-boost bench --group nightly 'write[length=16]'",
        **changes,
    }


def sheet(*alarms: dict[str, Any], boxes: tuple[str, ...] = ("box-1",)) -> dict[str, Any]:
    made = "2026-03-03T05:00:00+00:00"
    return {"schema_version": 1, "made": made, "boxes": boxes, "alarms": alarms}


def send(dashboard: Dashboard, document: Any, token: str | None = None) -> httpx.Response:
    return httpx.post(
        f"{dashboard.url}alarms/add/",
        content=document if isinstance(document, str) else json.dumps(document),
        headers={
            "Authorization": f"Bearer {token or dashboard.token}",
            "Content-Type": "application/json",
        },
        timeout=20,
    )


@pytest.fixture(scope="module", autouse=True)
def _results(dashboard: Dashboard) -> None:
    for commit, time in ((BEFORE, "2026-03-01 01:00:00"), (SINCE, "2026-03-02 01:00:00")):
        assert dashboard.upload([result(commitid=commit, revision_date=time)]).status_code == 202


def test_a_sheet_is_shown_and_replaced(dashboard: Dashboard) -> None:
    better = alarm(benchmark="read.cjk.4", kind="improvement", effect=1.1, low=None, high=None)
    assert send(dashboard, sheet(alarm(), better)).status_code == 202

    page = " ".join(dashboard.get("").text.split())
    assert "What has changed lately" in page
    assert "−5.2 %</span> (−7.0 % to −3.4 %)" in page
    assert "+10.0 %</span> read.cjk.4," in page
    assert page.index("−5.2 %") < page.index("+10.0 %"), "regressions first"
    assert f"The run before is {BEFORE}" in page
    assert "flink-boost bench --group nightly &#x27;write[length=16]&#x27;" in page
    (box,) = dashboard.get("alarms/").json()["boxes"]
    assert (box["box"], box["made"]) == ("box-1", "2026-03-03T05:00:00Z")
    assert [one["benchmark"] for one in box["alarms"]] == ["write.ascii.16", "read.cjk.4"]

    assert send(dashboard, sheet()).status_code == 202
    assert "What has changed lately" not in dashboard.get("").text


def test_links_to_report_and_profile_are_shown_where_there_are_such(dashboard: Dashboard) -> None:
    linked = alarm(report="https://boost.example/r?a=1&b=2", profile="http://box/p.html")
    assert send(dashboard, sheet(linked, alarm(benchmark="other"))).status_code == 202

    page = dashboard.get("").text
    assert page.count('href="https://boost.example/r?a=1&amp;b=2" rel="noreferrer">Report</a>') == 1
    assert page.count(">Profile</a>") == 1
    first, second = dashboard.get("alarms/").json()["boxes"][0]["alarms"]
    assert (first["profile"], second["profile"]) == ("http://box/p.html", None)


def ratio(night: int, value: float) -> dict[str, Any]:
    return result(
        benchmark="copy.cjk.16.ratio",
        commitid=f"plot-{night:02}",
        revision_date=f"2026-01-{night:02} 01:00:00",
        result_value=value,
        units="x",
        units_title="Ratio",
        lessisbetter=False,
    )


def plots(dashboard: Dashboard) -> list[tuple[str, str | None, list[float]]]:
    """Label, place of the mark and heights of each alarm's plot on the page."""
    found = re.findall(
        r'<svg class="plot".*?aria-label="([^"]*)">(.*?)</svg>', dashboard.get("").text
    )
    marks = [re.search(r'<line x1="([\d.]+)"', drawn) for _, drawn in found]
    heights = [
        [float(point.split(",")[1]) for point in re.findall(r"[\d.]+,[\d.]+", drawn)]
        for _, drawn in found
    ]
    return [
        (label, mark[1] if mark else None, height)
        for (label, _), mark, height in zip(found, marks, heights, strict=True)
    ]


def test_an_alarm_has_a_plot_of_its_ratio_with_a_line_where_it_changed(
    dashboard: Dashboard,
) -> None:
    nights = [ratio(night, 2.0 if night < 8 else 1.6) for night in range(1, 12)]
    for night in (nights[3:] + nights[:3])[::-1]:  # in any order
        assert dashboard.upload([night]).status_code == 202
    seen = alarm(benchmark="copy.cjk.16", before="plot-07", since="plot-08")
    gone = alarm(benchmark="copy.cjk.16", before="gone-07", since="gone-08")
    unknown = alarm(benchmark="never.sent", before="plot-07", since="plot-08")

    assert send(dashboard, sheet(seen, gone, unknown)).status_code == 202

    (label, mark, heights), (other, no_mark, _) = sorted(
        plots(dashboard), key=lambda one: -len(one[0])
    )
    assert label == "Ratio of the latest 11 runs, with a line where it changed"
    assert other == "Ratio of the latest 11 runs"
    assert no_mark is None
    # Seven nights, then four: the line is between the seventh and the eighth point.
    assert mark == str(round(2 + 23.6 * 6.5, 1))
    assert heights[:7] == [heights[0]] * 7
    assert heights[7:] == [heights[10]] * 4
    assert heights[0] < heights[10], "faster is higher"


def test_an_alarm_of_a_recipe_has_the_plot_of_its_own_branch(start: Any) -> None:
    dashboard: Dashboard = start()
    theirs = {"branch": "flink", "executable": "patched 2.3.0 flink prev"}
    for night in (1, 2, 3):
        assert dashboard.upload([ratio(night, 2.0)]).status_code == 202
        own = {**ratio(night, 2.0), **theirs, "commitid": f"flink-{night:02}"}
        assert dashboard.upload([own]).status_code == 202
    told = told_alarm(
        executable=theirs["executable"],
        benchmark="copy.cjk.16",
        before="flink-02",
        since="flink-03",
    )
    assert send(dashboard, told_sheet(told)).status_code == 202

    ((label, mark, _),) = plots(dashboard)
    assert label == "Ratio of the latest 3 runs, with a line where it changed"
    assert mark is not None
    timeline = "/timeline/?env=1&amp;bran=flink&amp;ben=copy.cjk.16.ratio"
    assert timeline in dashboard.get("").text
    assert dead_links(dashboard) == []
    # Its page has a larger one, where there is the library that draws it.
    page = dashboard.get(f"alarms/{told['id']}/").text
    assert label in page or ('"bran": "flink"' in page and timeline in page)


def test_an_alarm_outlives_its_run_its_benchmark_and_its_boxs_name(start: Any) -> None:
    dashboard: Dashboard = start()
    for night in (1, 2, 3):
        assert dashboard.upload([ratio(night, 2.0)]).status_code == 202
    told = alarm(benchmark="copy.cjk.16", before="plot-02", since="plot-03")
    assert send(dashboard, sheet(told)).status_code == 202
    assert dead_links(dashboard) == []

    facts(dashboard.data, "delete", "plot-03")
    assert dead_links(dashboard) == []
    assert "plot-03, which is not here any more" in dashboard.get("").text
    facts(dashboard.data, "rename", "copy.cjk.16.ratio", "copy.cjk.17.ratio")
    facts(dashboard.data, "rename", "box-1", "redbox")

    assert dead_links(dashboard) == []
    assert "−5.2 %" in dashboard.get("").text
    (box,) = dashboard.get("alarms/").json()["boxes"]
    assert {box["box"], *(one["box"] for one in box["alarms"])} == {"redbox"}


def dead_links(dashboard: Dashboard) -> list[str]:
    """Addresses on the first page that are no page."""
    found = re.findall(r'href="/([^"#]*)"', dashboard.get("").text)
    assert found
    return [one for one in set(found) if dashboard.get(html.unescape(one)).status_code != 200]


def test_each_box_keeps_its_own(dashboard: Dashboard) -> None:
    send(dashboard, sheet(alarm()))
    assert send(dashboard, sheet(alarm(box="box-2"), boxes=("box-2",))).status_code == 202

    boxes = {box["box"]: len(box["alarms"]) for box in dashboard.get("alarms/").json()["boxes"]}
    assert boxes == {"box-1": 1, "box-2": 1}


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ("", "document: "),
        ("[]", "document: "),
        ("{", "document: "),
        (sheet(alarm(effect=float("nan"))), "alarms.0.effect"),
        (sheet(alarm(effect=-1)), "alarms.0.effect"),
        (sheet(alarm(benchmark="<img src=x onerror=alert(1)>")), "alarms.0.benchmark"),
        (sheet(alarm(since="</script>")), "alarms.0.since"),
        (sheet(alarm(commits=["javascript:alert(1)", "b"])), "alarms.0.commits.0"),
        (sheet(alarm(command="a\nb")), "alarms.0.command"),
        (sheet(alarm(kind="other")), "alarms.0.kind"),
        (sheet(alarm(nights=10**400)), "alarms.0.nights"),
        (sheet(alarm(more=1)), "alarms.0.more"),
        (sheet(alarm(report="javascript:alert(1)")), "alarms.0.report"),
        (sheet(alarm(profile='https://x/"onclick=')), "alarms.0.profile"),
        (sheet(alarm(profile="/relative")), "alarms.0.profile"),
        (sheet(alarm(), boxes=()), "boxes: box-1 has an alarm"),
        ({**sheet(), "schema_version": 3}, "schema_version"),
        ({**sheet(), "made": "1900-01-01T00:00:00Z"}, "made: "),
        (sheet(*[alarm()] * 2001), "alarms: "),
        ("x" * (4 * 1024 * 1024 + 1), "too large"),
    ],
    ids=lambda value: ascii(value)[:30],
)
def test_what_is_no_sheet_is_refused_with_field_and_reason(
    dashboard: Dashboard, document: Any, reason: str
) -> None:
    send(dashboard, sheet(alarm()))

    answer = send(dashboard, document)

    assert answer.status_code in (400, 413)
    assert reason in answer.text
    assert len(dashboard.get("alarms/").json()["boxes"][0]["alarms"]) == 1, "nothing is replaced"


def test_a_stranger_tells_nothing(dashboard: Dashboard) -> None:
    assert send(dashboard, sheet(), token="x" * 40).status_code == 401
    assert dashboard.get("alarms/add/").status_code == 405
