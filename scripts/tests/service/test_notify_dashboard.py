"""Records of nights on their way to the dashboard: sent once, and none holds back the others."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from failing_codespeed import TOKEN, Request, Trouble, accept, answer, failing_codespeed

from flink_boost.base.errors import UploadFailed
from flink_boost.measure.night_record import (
    LearningRecord,
    NightRecord,
    NightState,
    Order,
)
from flink_boost.publish.dashboard_post import DocumentRefused
from flink_boost.publish.target import Target
from flink_boost.publish.upload import RetryPolicy, make_client
from flink_boost.service.nightly.night_journal import NightJournal
from flink_boost.service.nightly.service import send_nights

FIRST = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)
NAMES = ["2026-03-01T2330", "2026-03-02T2330", "2026-03-03T2330"]


@pytest.fixture
def journal(tmp_path: Path) -> NightJournal:
    kept = NightJournal(tmp_path / "nights")
    for day, name in enumerate(NAMES):
        slot = FIRST + timedelta(days=day)
        record = NightRecord(box="box-1", night=name, slot=slot, state=NightState.COMPLETE)
        kept.begin(record, Order(lines=("2.3.0",), group="nightly", strings=1000))
    return kept


def refuse(name: str) -> Trouble:
    """Takes every night but that one."""

    def trouble(request: Request, body: bytes) -> None:
        if json.loads(body)["night"] == name:
            request.answer(400, "expected: not less than measured")
        else:
            accept(request, body)

    return trouble


def send(journal: NightJournal, url: str) -> int:
    target = Target(url, TOKEN)
    with make_client(target, RetryPolicy()) as client:
        return send_nights(journal, target, client)


def test_each_is_sent_once_and_again_when_it_has_changed(journal: NightJournal) -> None:
    with failing_codespeed() as server:
        assert send(journal, server.url) == 3
        assert send(journal, server.url) == 0
        last = journal.load(NAMES[-1])
        journal.write(last.model_copy(update={"state": NightState.SHORT}))
        assert send(journal, server.url) == 1
    assert [night["state"] for night in server.nights.values()] == ["complete"] * 2 + ["short"]


def test_nothing_of_a_record_is_left_out(journal: NightJournal) -> None:
    night = journal.load(NAMES[0])
    told = night.model_copy(update={"learning": LearningRecord(count=2, nights=3)})
    journal.write(told)
    with failing_codespeed() as server:
        send(journal, server.url)
    assert server.nights["box-1", NAMES[0]] == json.loads(told.model_dump_json())


def test_one_that_is_refused_does_not_hold_back_the_others(journal: NightJournal) -> None:
    with failing_codespeed(default=refuse(NAMES[0])) as server:
        with pytest.raises(DocumentRefused, match=rf"record of {NAMES[0]} \(400: expected: not"):
            send(journal, server.url)
        assert [name for _, name in server.nights] == NAMES[1:]
        requests = server.requests
        with pytest.raises(DocumentRefused):
            send(journal, server.url)
        assert server.requests == requests + 1  # what was taken is not sent again


def test_a_dashboard_without_nights_is_no_failure_and_is_asked_again(
    journal: NightJournal,
) -> None:
    with failing_codespeed(answer(404, "Not Found")) as server:
        assert send(journal, server.url) == 0
        assert server.requests == 1
        assert send(journal, server.url) == 3


def test_a_wrong_token_ends_it_at_once(journal: NightJournal) -> None:
    with failing_codespeed(default=answer(401)) as server:
        with pytest.raises(UploadFailed, match="does not take the token"):
            send(journal, server.url)
        assert server.requests == 1


def test_a_server_that_is_not_there_is_a_failure(journal: NightJournal) -> None:
    with pytest.raises(UploadFailed, match="could not be sent") as failed:
        send(journal, "http://127.0.0.1:9/")
    assert failed.value.next_step == "The next night sends it again."


@pytest.mark.parametrize("before", [0, 185, 195])
def test_no_part_of_the_token_is_quoted(journal: NightJournal, before: int) -> None:
    with (
        failing_codespeed(default=answer(500, "x" * before + TOKEN)) as server,
        pytest.raises(UploadFailed) as failed,
    ):
        send(journal, server.url)
    assert TOKEN[:5] not in str(failed.value)
