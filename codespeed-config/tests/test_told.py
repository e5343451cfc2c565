"""What the nightly tells: alarms of version 2 and nights, their pages, their JSON, their limits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import postgresql
from conftest import Dashboard, result
from flink_boost.measure.night_record import NightRecord
from operating import facts
from test_alarms import alarm as suspicion
from test_alarms import sheet as suspicions
from told import NIGHT, must, page, post, told_alarm, told_night, told_sheet

ALARMS, NIGHTS = "alarms/add/", "nights/add/"


def ratio(commit: str, date: str, value: float) -> dict[str, Any]:
    return result(
        benchmark="write.ascii.16.ratio", commitid=commit, revision_date=date, result_value=value,
        units="x", units_title="Ratio", lessisbetter=False,
    )  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _runs(dashboard: Dashboard) -> None:
    rows = [
        ratio("run-before", "2026-03-02 01:00:00", 2.0),
        ratio("run-since", "2026-03-03 01:10:00", 1.8),
    ]
    for row in rows:
        assert dashboard.upload([row, {**row, "benchmark": "other.ratio"}]).status_code == 202


def test_an_alarm_is_on_the_first_page_and_has_a_page_of_its_own(dashboard: Dashboard) -> None:
    must(dashboard, ALARMS, told_sheet(told_alarm()))

    first = page(dashboard, "")
    assert f"First told: {told_alarm()['told']} UTC." in first, "not when it was sent"
    assert "−10.0 %</span> (−12.0 % to −8.0 %)" in first
    assert "/alarms/a0123456789/?env=1" in first
    assert "bisect running, 3 left" in first
    own = page(dashboard, "alarms/a0123456789/?env=1")
    for words in (
        *("b-one", "24</td>", "−9.9 %", "−11.0 % to −9.0 %", "confirmed", "abc123", "skipped"),
        *("told &lt;once&gt;", "flink-boost alarm accept a0123456789", "Flink 2.3.0", "run-since"),
        *("3 commits may still be the first", 'href="https://boost.example/report"', NIGHT),
    ):
        assert words in own, words
    assert "patched 2.3.0" in own


def test_a_commit_with_a_part_of_a_change_has_its_share(dashboard: Dashboard) -> None:
    parts = [{"commit": "abc123", "share": 0.35}, {"commit": "fed654", "share": 0.65}]
    steps = [{"commit": "fed654", "outcome": "bad", "ratio": 0.97, "against": "abc123"}]
    found = {"state": "done", "first_bad": "abc123", "left": 1, "steps": steps, "parts": parts}
    one = told_alarm(bisect=found)
    must(dashboard, ALARMS, told_sheet(one))

    said = page(dashboard, f"alarms/{one['id']}/")
    assert "<code>abc123</code> about 35 % of it, <code>fed654</code> about 65 % of it." in said
    assert "<td><code>fed654</code></td><td><code>abc123</code></td><td>bad</td>" in said


def test_a_decision_closes_an_alarm_but_leaves_its_page(dashboard: Dashboard) -> None:
    decision = {
        "state": "accepted", "by": "ann", "reason": "it's \"wanted\"",
        "when": "2026-03-04T08:00:00Z",
    }  # fmt: skip
    closed = told_alarm(state="accepted", decision=decision)
    must(dashboard, ALARMS, told_sheet(closed))

    assert "What has changed lately" not in page(dashboard, "")
    own = page(dashboard, "alarms/a0123456789/")
    assert "accepted by ann, 2026-03-04 08:00 UTC: it&#x27;s &quot;wanted&quot;" in own
    listed = page(dashboard, "alarms/")
    assert listed.index(">Closed<") < listed.index("/alarms/a0123456789/")
    assert "7 of 8 judged alarms (87.5&nbsp;%)" in listed
    assert "0.5 nights in the median, 1200 pairs" in listed
    assert "nobody has counted them" in listed


def test_a_sheet_replaces_its_boxes_and_no_other(dashboard: Dashboard) -> None:
    both = (told_alarm(), told_alarm(box="box-2", id="abbbbbbbbbb"))
    must(dashboard, ALARMS, told_sheet(*both, boxes=("box-1", "box-2")))
    must(dashboard, ALARMS, told_sheet(boxes=("box-1",), made="2026-03-04T05:00:00Z"))

    answer = dashboard.get("alarms.json").json()
    assert answer["schema_version"] == 2
    assert {box["box"]: len(box["alarms"]) for box in answer["boxes"]} == {"box-1": 0, "box-2": 1}
    assert dashboard.get("alarms/a0123456789/").status_code == 404
    (one,) = answer["boxes"][1]["alarms"]
    assert one["reruns"][0]["outcome"] == "confirmed"
    assert {tuple(each["boxes"]) for each in answer["figures"]} == {("box-1",), ("box-2",)}
    must(dashboard, ALARMS, told_sheet(boxes=("box-2",)))


def test_suspicions_leave_alarms_alone_and_alarms_take_their_place(dashboard: Dashboard) -> None:
    must(dashboard, ALARMS, told_sheet(told_alarm()))
    must(dashboard, ALARMS, suspicions(suspicion(benchmark="other")))
    states = [one["state"] for one in dashboard.get("alarms/").json()["boxes"][0]["alarms"]]
    assert states == ["open", "suspected"]
    assert ", suspected" in page(dashboard, "")

    must(dashboard, ALARMS, told_sheet(told_alarm()))
    states = [one["state"] for one in dashboard.get("alarms/").json()["boxes"][0]["alarms"]]
    assert states == ["open"]


def test_an_id_of_two_boxes_leads_to_both(dashboard: Dashboard) -> None:
    both = (told_alarm(), told_alarm(box="box-2"))
    must(dashboard, ALARMS, told_sheet(*both, boxes=("box-1", "box-2")))

    for box, other in (("box-1", "box-2"), ("box-2", "box-1")):
        assert f"on {box}, patched" in page(dashboard, f"alarms/a0123456789/?env={box}")
        assert other not in page(dashboard, f"alarms/a0123456789/?env={box}")
    assert "also of" in page(dashboard, "alarms/a0123456789/")
    must(dashboard, ALARMS, told_sheet(boxes=("box-2",)))


def test_a_night_is_shown_and_replaced(dashboard: Dashboard) -> None:
    must(dashboard, ALARMS, told_sheet(told_alarm()))
    must(dashboard, NIGHTS, told_night())

    first = page(dashboard, "")
    assert "short</span>, 290 of 300 benchmarks; box quiet; canary steady +0.1 %" in first
    assert "box changed</strong>: kernel 6.1 → 6.2" in first
    assert "10 benchmarks had no time left" in first
    listed = page(dashboard, "nights/?env=box-1")
    assert "290 of 300" in listed
    own = page(dashboard, f"nights/{NIGHT}/")
    for words in (
        "61.5",
        "no &lt;room&gt;",
        "failed",
        "−0.2 % to +0.4 %",
        "write.ascii.16 −10.0 %",
    ):
        assert words in own, words
    assert "20260303T010203Z-2.3.0</code>" in own, "a run that is not here is no link"

    must(dashboard, NIGHTS, told_night(state="complete", measured=300, reason=""))
    nights = dashboard.get("nights.json").json()["nights"]
    assert [(one["night"], one["state"]) for one in nights] == [(NIGHT, "complete")]
    assert dashboard.get("overview.json").json()["nights"][0]["measured"] == 300


def test_a_moved_canary_and_a_missing_night_are_marked(dashboard: Dashboard) -> None:
    moved = {"moved": True, "ratio": 0.9, "low": 0.88, "high": 0.92}
    later = {"night": "2026-03-04T0100", "slot": "2026-03-04T01:00:00Z"}
    must(dashboard, NIGHTS, told_night(canary=moved, quiet=False))
    assert '<strong class="verdict worse">moved</strong> −10.0 %' in page(dashboard, "")
    gone: dict[str, Any] = {
        "canary": None,
        "quiet": None,
        "runs": [],
        "steps": [],
        "box_changes": [],
    }
    must(dashboard, NIGHTS, told_night(**later, **gone, state="missing", measured=0))

    first = page(dashboard, "")
    assert 'worse">missing</span>, 0 of 300' in first
    assert "Of the latest 2 nights:" in first
    assert "Nothing is known of a night since</strong>: one was due 2026-03-05 01:00" in first

    # Calls by hand, one after another, are not how far apart its nights are.
    for hour in range(2, 6):
        by_hand = {"night": f"2026-03-04T0{hour}30", "slot": f"2026-03-04T0{hour}:30:00Z"}
        must(dashboard, NIGHTS, told_night(**by_hand, **gone, state="complete"))
    assert "one was due 2026-03-05 05:30" in page(dashboard, "")


def test_a_change_of_the_box_and_an_alarm_are_marks_of_the_plots(dashboard: Dashboard) -> None:
    must(dashboard, ALARMS, told_sheet(told_alarm()))
    must(dashboard, NIGHTS, told_night())
    sheet = dashboard.get("timeline/points/", **points_of(dashboard)).json()

    assert [mark["text"] for mark in sheet["marks"]] == ["Box changed: kernel 6.1 → 6.2"]
    assert sheet["marks"][0]["address"] == f"/nights/{NIGHT}/"
    (marks,) = sheet["alarms"].values()
    assert marks == [{"run": 1, "text": "−10.0 %, open", "address": "/alarms/a0123456789/?env=1"}]


def points_of(dashboard: Dashboard) -> dict[str, str]:
    text = page(dashboard, "timeline/?ben=write.ascii.16.ratio&env=1")
    number = text.split('data-benchmark="')[1].split('"')[0]
    executables = text.split('"exe": "')[1].split('"')[0]
    return {"env": "1", "bran": "master", "ben": number, "exe": executables, "revs": "60"}


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (told_sheet(told_alarm(id="x")), "alarms.0.id: "),
        (told_sheet(told_alarm(id="a0123456789\n")), "alarms.0.id: "),
        (told_sheet(told_alarm(state="gone")), "alarms.0.state: "),
        (told_sheet(told_alarm(effect=float("inf"))), "alarms.0.effect: "),
        (told_sheet(told_alarm(report="javascript:alert(1)")), "alarms.0.report: "),
        (told_sheet(told_alarm(benchmark="<b>")), "alarms.0.benchmark: "),
        (told_sheet(told_alarm(history=[{"when": "x", "state": "open", "note": ""}])), "history.0"),
        (
            told_sheet(told_alarm(history=[{"when": "2026-03-03", "state": "open", "note": "\0"}])),
            "alarms.0.history.0.note: has the character",
        ),
        (told_sheet(told_alarm(decision={"state": "accepted"})), "alarms.0.decision.by: "),
        (told_sheet(told_alarm(more=1)), "alarms.0.more: "),
        (told_sheet(told_alarm(), told_alarm()), "alarms: a0123456789 is there twice"),
        (told_sheet(told_alarm(), boxes=()), "boxes: box-1 has an alarm"),
        (told_sheet(figures={"told": -1}), "figures.told: "),
        (told_sheet(made="9999-12-31T23:59:59-10:00"), "made: "),
        (told_sheet(*[told_alarm(history=[])] * 2001), "alarms: "),
    ],
    ids=lambda value: ascii(value)[-30:],
)
def test_what_is_no_sheet_is_refused(dashboard: Dashboard, document: Any, reason: str) -> None:
    must(dashboard, ALARMS, told_sheet(told_alarm()))

    answer = post(dashboard, ALARMS, document)

    assert answer.status_code == 400
    assert reason in answer.text
    (box, *_) = dashboard.get("alarms.json").json()["boxes"]
    assert len(box["alarms"]) == 1, "nothing is replaced"


@pytest.mark.parametrize(
    ("document", "status", "reason"),
    [
        ("", 400, "document: "),
        (told_night(night="tonight"), 400, "night: "),
        (told_night(slot="0001-01-01T00:00:00+10:00"), 400, "slot: "),
        (told_night(state="fine"), 400, "state: "),
        (told_night(measured=-1), 400, "measured: "),
        (told_night(box="a\nb"), 400, "box: "),
        (told_night(reason="a\x1b[0m"), 400, "reason: has the character"),
        (told_night(canary={"moved": False, "ratio": -1}), 400, "canary.ratio: "),
        (told_night(box_changes=[{"what": "<", "before": "", "after": ""}]), 400, "box_changes.0"),
        (told_night(steps=[{"name": "a", "state": "?"}]), 400, "steps.0.state: "),
        (told_night(more=1), 400, "more: "),
        ("x" * (512 * 1024 + 1), 413, "too large"),
    ],
    ids=lambda value: ascii(value)[-30:],
)
def test_what_is_no_night_is_refused(
    dashboard: Dashboard, document: Any, status: int, reason: str
) -> None:
    before = dashboard.get("nights.json").json()

    answer = post(dashboard, NIGHTS, document)

    assert (answer.status_code, reason in answer.text) == (status, True), answer.text
    assert dashboard.get("nights.json").json() == before


def test_a_stranger_and_a_writer_of_one_branch_tell_nothing(
    dashboard: Dashboard, tmp_path: Path
) -> None:
    output = tmp_path / "bound.token"
    facts(dashboard.data, "token", "new", "bound", "--branch", "request", "--output", str(output))
    bound = output.read_text(encoding="ascii").strip()
    for path, document in ((ALARMS, told_sheet()), (NIGHTS, told_night())):
        assert post(dashboard, path, document, "x" * 40).status_code == 401
        assert post(dashboard, path, document, bound).status_code == 422
        assert dashboard.get(path).status_code == 405


@pytest.mark.parametrize(
    "path", ["alarms/nothing/", "nights/nothing/", "alarms/a0123456789/?env=nobody"]
)
def test_what_is_not_there_is_404(dashboard: Dashboard, path: str) -> None:
    assert dashboard.get(path).status_code == 404


def test_a_server_of_known_boxes_takes_no_new_one(start: Any) -> None:
    dashboard: Dashboard = start(FLINK_BOOST_NEW_ENVIRONMENTS="no")
    for path, document in ((ALARMS, told_sheet(told_alarm())), (NIGHTS, told_night())):
        answer = post(dashboard, path, document)
        assert (answer.status_code, "box-1 is not known" in answer.text) == (400, True)


def test_figures_count_what_was_judged(dashboard: Dashboard) -> None:
    none = {
        "told": 1, "accepted": 0, "rejected": 0, "environment": 0, "recovered": 0,
        "median_delay_nights": None, "rerun_pairs": 0,
    }  # fmt: skip
    for judged, precision in (({}, None), ({"accepted": 2, "environment": 2, "missed": 1}, 50)):
        must(dashboard, ALARMS, told_sheet(told_alarm(), figures={**none, **judged}))
        shown = dashboard.get("alarms.json").json()["figures"]
        assert [one["precision"] for one in shown if one["boxes"] == ["box-1"]] == [precision]
        words = "1 change that people found first" if judged else "no alarm was judged yet"
        assert words in page(dashboard, "alarms/")


def test_operating_takes_alarms_and_nights_along(start: Any, tmp_path: Path) -> None:
    dashboard: Dashboard = start()
    must(
        dashboard,
        ALARMS,
        told_sheet(told_alarm(), told_alarm(id="acccccccccc", state="rejected")),
    )
    for day in range(1, 5):
        night = {"night": f"2026-03-0{day}T0100", "slot": f"2026-03-0{day}T01:00:00Z"}
        must(dashboard, NIGHTS, told_night(**night))
    assert dashboard.upload([ratio("run-x", "2026-03-02 01:00:00", 2.0)]).status_code == 202

    facts(dashboard.data, "rename", "box-1", "redbox")
    facts(dashboard.data, "rename", "write.ascii.16.ratio", "write.16.ratio")
    (box,) = dashboard.get("alarms.json").json()["boxes"]
    assert {(one["box"], one["benchmark"]) for one in box["alarms"]} == {("redbox", "write.16")}

    must(dashboard, NIGHTS, told_night(box="box-1", night="2026-03-09T0100"))
    facts(dashboard.data, "rename", "box-1", "redbox", "--merge")
    assert len(dashboard.get("nights.json").json()["nights"]) == 5

    file = tmp_path / "backup.gz"
    facts(dashboard.data, "backup", str(file))
    before = dashboard.get("alarms.json").json(), dashboard.get("nights.json").json()
    dry = facts(dashboard.data, "prune", "--keep", "2", "--dry-run")
    assert (dry["nights"], dry["alarms"]) == (3, 1)
    assert dashboard.get("nights.json").json() == before[1]
    facts(dashboard.data, "prune", "--keep", "2")
    (box,) = dashboard.get("alarms.json").json()["boxes"]
    assert [one["state"] for one in box["alarms"]] == ["open"], "what is open stays"
    assert len(dashboard.get("nights.json").json()["nights"]) == 2

    facts(dashboard.data, "restore", str(file), "--replace")
    assert (dashboard.get("alarms.json").json(), dashboard.get("nights.json").json()) == before


def test_postgresql_holds_the_same(start: Any, dashboard: Dashboard) -> None:
    with postgresql.running() as server:
        other: Dashboard = start(DATABASE_URL=server.new_database("told"))
        for one in (dashboard, other):
            must(one, ALARMS, told_sheet(boxes=("box-2",)))
            must(one, ALARMS, told_sheet(told_alarm(), made="2026-03-05T05:00:00Z"))
            must(one, ALARMS, told_sheet(told_alarm(nights=3), made="2026-03-06T05:00:00Z"))
        for day in (1, 2):
            must(other, NIGHTS, told_night(night=f"2026-03-0{day}T0100"))
        assert other.get("alarms.json").json() == dashboard.get("alarms.json").json()
        assert len(other.get("nights.json").json()["nights"]) == 2
        for path in ("", "alarms/", "alarms/a0123456789/", "nights/", "nights/2026-03-02T0100/"):
            page(other, path)
        assert "Traceback" not in other.log


def test_parts_of_a_night_under_one_box_stand_beside_each_other(start: Any) -> None:
    dashboard: Dashboard = start()
    first, second = f"{NIGHT}-1of2", f"{NIGHT}-2of2"
    must(dashboard, NIGHTS, told_night(night=first, state="complete", reason=""))
    for _ in range(2):
        must(dashboard, NIGHTS, told_night(night=second, state="short", reason="half of it"))
    must(dashboard, NIGHTS, told_night(night=f"{NIGHT}-10of12", box="box-2"))
    rows = dashboard.get("nights.json").json()["nights"]
    assert sorted(row["night"] for row in rows) == sorted((first, second, f"{NIGHT}-10of12"))
    together = page(dashboard, f"nights/{NIGHT}/")
    assert f"box-1, {first}" in together
    assert f"box-1, {second}" in together
    alone = page(dashboard, f"nights/{second}/")
    assert "half of it" in alone
    assert first not in alone
    assert f"nights/{second}/" in page(dashboard, ""), "the part that is not whole is shown"
    assert dashboard.get("nights/2026-03/").status_code == 404
    for night in (f"{NIGHT}-0of2", f"{NIGHT}-1of", f"{NIGHT}-100of200"):
        assert post(dashboard, NIGHTS, told_night(night=night)).status_code == 400


def test_what_an_update_of_the_box_has_changed_is_shown(start: Any) -> None:
    dashboard: Dashboard = start()
    found = {
        "line": "2.3.0", "before": "1" * 40, "after": f"{'2' * 40}-dirty",
        "run": "20260302T010203Z-2.3.0-old-against-new-0123456789abcdef", "same": False,
        "box": {"ratio": 0.97, "low": 0.96, "high": 0.98, "benchmarks": 4}, "code": None,
        "sentence": "Flink 2.3.0: the <box> has moved.",
    }  # fmt: skip
    must(dashboard, NIGHTS, told_night(old_against_new=[found]))
    assert "Flink 2.3.0: the &lt;box&gt; has moved." in page(dashboard, f"nights/{NIGHT}/")
    (row,) = dashboard.get("nights.json").json()["nights"]
    assert row["old_against_new"] == [found]
    bad = {**found, "box": {**found["box"], "low": -1}}  # type: ignore[dict-item]
    assert post(dashboard, NIGHTS, told_night(old_against_new=[bad])).status_code == 400


def test_all_that_a_night_records_is_taken_and_shown(start: Any) -> None:
    dashboard: Dashboard = start()
    record = NightRecord.model_validate(
        told_night(
            undecided={"count": 2, "why": "3f9c2d1 <cannot> be built"},
            learning={"count": 7, "nights": 4},
        )
    )
    must(dashboard, NIGHTS, record.model_dump_json())
    shown = page(dashboard, f"nights/{NIGHT}/")
    assert "2 suspected: 3f9c2d1 &lt;cannot&gt; be built" in shown
    assert "7, up to 4 nights more" in shown
    (row,) = dashboard.get("nights.json").json()["nights"]
    assert set(row) >= set(NightRecord.model_fields)
    assert (row["undecided"]["count"], row["learning"]["nights"]) == (2, 4)
    assert (
        post(dashboard, NIGHTS, told_night(learning={"count": -1, "nights": 1})).status_code == 400
    )
