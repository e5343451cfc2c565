"""What detection tells: kept for each box, shown first, and never taken from a stranger."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from conftest import Dashboard, result

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
    assert "+10.0 %</span> <a" in page
    assert page.index("−5.2 %") < page.index("+10.0 %"), "regressions first"
    assert f"The run before is {BEFORE}" in page
    assert "flink-boost bench --group nightly &#x27;write[length=16]&#x27;" in page
    (box,) = dashboard.get("alarms/").json()["boxes"]
    assert (box["box"], box["made"]) == ("box-1", "2026-03-03T05:00:00Z")
    assert [one["benchmark"] for one in box["alarms"]] == ["write.ascii.16", "read.cjk.4"]

    assert send(dashboard, sheet()).status_code == 202
    assert "What has changed lately" not in dashboard.get("").text


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
        (sheet(alarm(), boxes=()), "boxes: box-1 has an alarm"),
        ({**sheet(), "schema_version": 2}, "schema_version"),
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
