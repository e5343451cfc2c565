"""Boxes that measure no more: they owe no nights, and their alarms are closed."""

from __future__ import annotations

from typing import Any

from conftest import Dashboard
from told import must, page, told_alarm, told_night, told_sheet

ALARMS, NIGHTS = "alarms/add/", "nights/add/"


def test_a_retired_box_owes_no_night_and_its_alarms_are_closed(dashboard: Dashboard) -> None:
    for day in ("03", "04"):  # of one night alone nobody can say when the next is due
        night, slot = f"2026-03-{day}T0100", f"2026-03-{day}T01:00:00Z"
        must(dashboard, NIGHTS, told_night(night=night, slot=slot))
    left = told_alarm(state="retired")
    gone = {"box": "box-1", "by": "ann", "when": "2026-03-06T08:00:00Z"}
    must(dashboard, ALARMS, told_sheet(left, retired=[gone]))
    first = page(dashboard, "")
    assert "The box was retired 2026-03-06: no more nights are due" in first
    assert "Nothing is known of a night since" not in first
    assert "What has changed lately" not in first
    listed = page(dashboard, "alarms/")
    assert listed.index(">Closed<") < listed.index("/alarms/a0123456789/")
    assert {night["retired"] for night in dashboard.get("nights.json").json()["nights"]} == {True}

    must(dashboard, ALARMS, told_sheet(left))  # taken back
    assert "Nothing is known of a night since" in page(dashboard, "")


def test_a_box_retired_by_another_keeps_its_alarms_closed_until_it_tells_of_itself(
    dashboard: Dashboard,
) -> None:
    def there() -> tuple[list[str], list[str]]:
        """States and last notes of its alarms."""
        boxes = dashboard.get("alarms.json").json()["boxes"]
        alarms = next(box["alarms"] for box in boxes if box["box"] == "box-1")
        return [one["state"] for one in alarms], [one["history"][-1]["note"] for one in alarms]

    def retired(**changes: Any) -> list[str]:
        gone = {"box": "box-1", "by": "ann", "when": "2026-03-06T08:00:00Z", **changes}
        strange = {**gone, "box": "never-heard-of"}
        must(dashboard, ALARMS, told_sheet(boxes=(), retired=[gone, strange]))
        names: list[str] = dashboard.get("nights.json").json()["retired"]
        return names

    alarms = (told_alarm(), told_alarm(id="abbbbbbbbbb", state="accepted"))
    must(dashboard, ALARMS, told_sheet(*alarms))
    for _ in range(2):  # each morning
        assert retired() == ["box-1"]
        states, notes = there()
        assert states == ["retired", "accepted"]
        assert notes == ["the box was retired by ann", "told <once>"]
    assert "What has changed lately" not in page(dashboard, "")
    assert retired(back="2026-03-05T08:00:00Z") == ["box-1"], "of an earlier time"
    assert retired(back="2026-03-07T08:00:00Z") == []
    assert there()[0] == ["retired", "accepted"]

    must(dashboard, ALARMS, told_sheet(*alarms, made="2026-03-08T05:00:00Z"))
    assert retired() == [], "it has told of itself since"
    assert there()[0] == ["open", "accepted"]
