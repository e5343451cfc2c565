"""Alarms and nights told to the real dashboard, and what it says of them from elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from called import called
from dashboard_process import dashboard
from seen_alarms import seen

from flink_boost.base.errors import NightIncomplete
from flink_boost.cli.commands.nightly import _service as night_service
from flink_boost.cli.context import Settings
from flink_boost.cli.main import main
from flink_boost.judge.alarm_record import AlarmEvent, AlarmRecord, AlarmState
from flink_boost.judge.misses import MissedChange
from flink_boost.measure.night_record import NightRecord, NightState
from flink_boost.publish import liveness
from flink_boost.publish.alarm_upload import (
    LARGEST_BODY,
    MOST_SENT,
    alarm_document,
    fitting,
    send_alarms,
)
from flink_boost.publish.target import URL_VARIABLE, Target, find_target
from flink_boost.publish.upload import RetryPolicy, make_client
from flink_boost.service.detect.alarm_registry import AlarmRegistry, load_registry, store_registry
from flink_boost.service.nightly.night import Waiting
from flink_boost.service.nightly.night_journal import NightJournal
from flink_boost.service.nightly.service import send_nights
from flink_boost.service.nightly.slots import night_id
from flink_boost.service.retention.retention_settings import Retention

NOW = datetime(2026, 4, 1, 6, tzinfo=UTC)


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    """A running dashboard of its own."""
    with dashboard(tmp_path_factory.mktemp("build")) as data:
        running = liveness.find_running(data)
        assert running is not None
        yield find_target({}, data / "token", running.url)


def alarms_there(target: Target) -> dict[str, Any]:
    """Alarms and figures of the box that has some."""
    answer = httpx.get(f"{target.url}alarms.json", timeout=20)
    assert answer.status_code == 200
    content = answer.json()
    alarms = next(one["alarms"] for one in content["boxes"] if one["box"] == "box-1")
    return {"alarms": alarms, "figures": content["figures"]}


def many(count: int, current: tuple[int, ...] = (), words: int = 0) -> list[AlarmRecord]:
    """Alarms told night after night, all closed but those in these places."""
    note = "x" * words
    event = AlarmEvent(when=NOW, state=AlarmState.ACCEPTED, note=note)
    return [
        seen(
            f"series-{place}",
            told=night_id(NOW - timedelta(days=count - place)),
            state=AlarmState.OPEN if place in current else AlarmState.ACCEPTED,
            history=(event,) * (1 if not words else 150),
        )
        for place in range(count)
    ]


def test_of_five_hundred_alarms_the_dashboard_gets_the_open_and_the_newest_and_says_so(
    target: Target, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    records = many(500, current=(0, 7, 250))
    store_registry(tmp_path, AlarmRegistry(made=NOW, alarms=tuple(records)))
    monkeypatch.setenv("FLINK_BOOST_TOKEN", target.token)
    assert main(["--build", str(tmp_path), "detect", "--send", "--url", target.url]) == 0
    said = capsys.readouterr().err
    assert "was sent 200 of 500 alarms, as it takes no more" in said
    assert "left out are 300 closed ones, the newest told" in said
    newest_left_out = records[302].told
    assert newest_left_out in said

    there = {one["id"]: one["state"] for one in alarms_there(target)["alarms"]}
    wanted = [records[place] for place in (0, 7, 250)] + records[303:]
    assert len(wanted) == MOST_SENT
    assert there == {one.id: one.state.value for one in wanted}
    # All count in the figures, sent or not.
    (figures,) = alarms_there(target)["figures"]
    assert figures["told"] == 500
    assert figures["accepted"] == 497


def test_long_histories_are_cut_to_what_fits_the_largest_document(target: Target) -> None:
    records = many(120, current=(3,), words=900)
    document = alarm_document(records, ["box-1"], AlarmRegistry().figures, NOW)
    assert len(document.model_dump_json()) > 2 * LARGEST_BODY
    shorter, said = fitting(document)
    assert len(shorter.model_dump_json().encode()) <= LARGEST_BODY
    assert 20 < len(shorter.alarms) < 60
    assert records[3].id in {one.id for one in shorter.alarms}
    assert f"{len(shorter.alarms)} of 120 alarms" in said
    with make_client(target, RetryPolicy()) as client:
        assert send_alarms(document, target, client) == said
    assert len(alarms_there(target)["alarms"]) == len(shorter.alarms)


def test_an_alarm_with_a_longer_history_than_the_dashboard_takes_keeps_the_newest(
    target: Target,
) -> None:
    events = tuple(
        AlarmEvent(when=NOW, state=AlarmState.OPEN, note=f"{number}") for number in range(230)
    )
    document = alarm_document([seen(history=events)], ["box-1"], AlarmRegistry().figures, NOW)
    with make_client(target, RetryPolicy()) as client:
        assert send_alarms(document, target, client) == ""
    (alarm,) = alarms_there(target)["alarms"]
    assert [one["note"] for one in alarm["history"]] == [str(one) for one in range(30, 230)]


def test_more_open_alarms_than_it_takes_are_named_as_such() -> None:
    document = alarm_document(
        many(210, current=tuple(range(205))), ["box-1"], AlarmRegistry().figures, NOW
    )
    shorter, said = fitting(document)
    assert len(shorter.alarms) == MOST_SENT
    assert "left out are 5 closed ones and 5 that are not" in said


def test_what_people_found_first_is_counted_until_an_alarm_tells_it(
    target: Target, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    monkeypatch.setenv("FLINK_BOOST_TOKEN", target.token)
    told = seen(benchmark="write", commits=("1" * 40, "2" * 40))
    store_registry(tmp_path, AlarmRegistry(made=NOW, alarms=(told,)))

    def call(*words: str) -> int:
        return main(["--build", str(tmp_path), *words])

    missed = ("alarm", "missed")
    # The alarm tells of the first; of the others there is none.
    for benchmark, commit in (("write", "2222222"), ("write", "3" * 40), ("read", "2" * 40)):
        assert call(*missed, benchmark, commit, "--line", "2.3.0", "--reason", "By hand.") == 0
    assert call(*missed, "read", "2" * 40, "--line", "2.3.0", "--reason", "Said twice.") == 0
    assert "2 missed so far" in capsys.readouterr().out
    assert call(*missed, "read", "HEAD", "--reason", "x") == 2
    assert call("detect", "--send", "--url", target.url) == 0
    (figures,) = alarms_there(target)["figures"]
    assert figures["missed"] == 2
    asked = {"Accept": "text/html"}
    page = httpx.get(f"{target.url}alarms/", headers=asked, timeout=20).text
    assert "2 changes that people found first" in page

    registry = load_registry(tmp_path)
    assert {type(one) for one in registry.misses} == {MissedChange}
    later = seen("other", benchmark="read", commits=("1" * 40, "2" * 40))
    store_registry(tmp_path, registry.model_copy(update={"alarms": (told, later)}))
    assert call("detect", "--send", "--url", target.url) == 0
    (figures,) = alarms_there(target)["figures"]
    assert figures["missed"] == 1


@dataclass(frozen=True)
class Nights:
    """Records of a box's nights, sent to the dashboard as the box would."""

    folder: Path
    target: Target
    due: datetime  # three hours ago, whatever the time of day

    def send(self, box: str, state: NightState, measured: int, days_ago: int = 0) -> NightRecord:
        slot = self.due - timedelta(days=days_ago)
        night = NightRecord(
            box=box, night=night_id(slot), slot=slot, state=state, expected=12, measured=measured,
            reason="" if state is NightState.COMPLETE else f"{measured} of 12 measured",
        )  # fmt: skip
        journal = NightJournal(self.folder / box)
        journal.write(night)
        with make_client(self.target, RetryPolicy()) as client:
            assert send_nights(journal, self.target, client) == 1
        return night

    def check(self, *words: str) -> tuple[int, dict[str, Any]]:
        """As another machine asks, which has nothing of ours but the command."""
        done = called(
            *("--build", self.folder / "none", "nightly", "check", "--url", self.target.url),
            *("--json", "--at", f"{self.due:%H:%M}", *words),
        )
        content: dict[str, Any] = json.loads(done.stdout)
        assert "error" not in content or content["exit_code"] == 31, content
        assert content["exit_code"] == done.returncode, done.stderr
        return done.returncode, content


@pytest.mark.parametrize(
    ("state", "measured", "days_ago", "finding"),
    [
        (NightState.COMPLETE, 12, 0, "well"),
        (NightState.SHORT, 9, 0, "short"),
        (NightState.EMPTY, 0, 0, "empty"),
        (NightState.COMPLETE, 12, 2, "missing"),
        (NightState.RUNNING, 3, 0, "running"),
        (NightState.RUNNING, 3, 1, "missing"),
    ],
)
def test_another_machine_learns_from_the_dashboard_whether_a_night_came_whole(
    target: Target, tmp_path: Path, state: NightState, measured: int, days_ago: int, finding: str
) -> None:
    box = f"box-{finding}-{state.value}-{days_ago}"
    due = (datetime.now(UTC) - timedelta(hours=3)).replace(second=0, microsecond=0)
    nights = Nights(tmp_path, target, due)
    night = nights.send(box, state, measured, days_ago)
    code, content = nights.check("--box", box)
    (found,) = content["boxes"]
    assert found["finding"] == finding
    bad = finding not in ("well", "running")
    assert code == (NightIncomplete.exit_code if bad else 0)
    assert found["expected"] == 12
    assert found["measured"] == (0 if finding == "missing" else measured)
    if finding == "missing":
        assert f"the last one is {night.night}" in found["sentence"]
    # A box that the dashboard has never heard of is missed, too.
    code, content = nights.check("--box", box, "--box", "box-of-nobody")
    assert code == NightIncomplete.exit_code
    assert content["boxes"][1]["finding"] == "missing"
    assert "there is none at all" in content["boxes"][1]["sentence"]


@pytest.fixture
def elsewhere(
    target: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., int]:
    """Calls commands on a box that knows nothing of any other, and has confirmed no night."""
    monkeypatch.setenv("FLINK_BOOST_TOKEN", target.token)
    monkeypatch.setenv(URL_VARIABLE, target.url)
    build = tmp_path / "elsewhere"
    return lambda *words: main(["--build", str(build), *words])


def test_a_box_that_is_gone_is_retired_from_another_and_taken_back(
    target: Target, tmp_path: Path, elsewhere: Callable[..., int]
) -> None:
    due = (datetime.now(UTC) - timedelta(hours=3)).replace(second=0, microsecond=0)
    nights = Nights(tmp_path, target, due)
    nights.send("box-that-stays", NightState.COMPLETE, 12, 0)
    nights.send("box-that-went", NightState.COMPLETE, 12, 2)
    left = seen("left", box="box-that-went")
    with make_client(target, RetryPolicy()) as client:
        sheet = alarm_document([left], ["box-that-went"], AlarmRegistry().figures, NOW)
        assert send_alarms(sheet, target, client) == ""

    def there() -> tuple[list[str], set[str]]:
        """States of the alarm that it left; boxes that are looked at."""
        answer = httpx.get(f"{target.url}alarms.json", timeout=20).json()["boxes"]
        alarms = next(one["alarms"] for one in answer if one["box"] == "box-that-went")
        return [one["state"] for one in alarms], {one["box"] for one in nights.check()[1]["boxes"]}

    states, boxes = there()
    assert states == ["open"]
    assert "box-that-went" in boxes
    assert elsewhere("box", "retire", "box-that-went", "--unknown") == 0
    assert elsewhere("detect", "--send") == 0
    states, boxes = there()
    assert states == ["retired"], "closed, and not deleted"
    assert "box-that-went" not in boxes
    assert "box-that-stays" in boxes
    code, content = nights.check("--box", "box-that-went")
    assert code == 0
    assert [one["finding"] for one in content["boxes"]] == ["retired"]

    assert elsewhere("box", "retire", "box-that-went", "--undo") == 0
    assert elsewhere("detect", "--send") == 0
    states, boxes = there()
    assert states == ["retired"], "only the box itself knows better"
    assert "box-that-went" in boxes


def test_a_night_tells_of_a_retired_box_though_no_night_was_confirmed_yet(
    target: Target, tmp_path: Path, elsewhere: Callable[..., int]
) -> None:
    due = (datetime.now(UTC) - timedelta(hours=3)).replace(second=0, microsecond=0)
    nights = Nights(tmp_path, target, due)
    nights.send("box-of-before", NightState.COMPLETE, 12, 2)
    assert elsewhere("box", "retire", "box-of-before", "--unknown") == 0
    settings = Settings(
        tmp_path / "results", tmp_path / "spool", tmp_path / "elsewhere", debug=False
    )
    service = night_service(settings, Waiting(tmp_path / "lock", 0), Retention())
    assert service.send_records() == ()
    code, content = nights.check("--box", "box-of-before")
    assert (code, content["boxes"][0]["finding"]) == (0, "retired")
