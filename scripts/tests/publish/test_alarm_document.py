"""The document of alarms that the dashboard is sent: its fields are the joint's, ours stay here."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from failing_codespeed import TOKEN, answer, failing_codespeed
from synthetic import JOB, WRITE
from watched_nights import NOW, MadeBuilds, MadeReruns, confirmed, flat, make_nights

from flink_boost.base.errors import UploadFailed
from flink_boost.judge.alarm_record import OURS_ALONE, AlarmDocument, AlarmRecord, figures
from flink_boost.publish.alarm_upload import alarm_document, send_alarms
from flink_boost.publish.target import Target
from flink_boost.publish.upload import RetryPolicy, make_client
from flink_boost.service.detect.alarm_registry import AlarmRegistry, after_night

FIELDS = {
    "id", "box", "executable", "benchmark", "line", "kind", "direction", "state", "effect", "low",
    "high", "before", "since", "told", "commits", "nights", "command", "report", "profile",
    "reruns", "bisect", "decision", "history",
}  # fmt: skip


@pytest.fixture
def document(tmp_path: Path) -> AlarmDocument:
    levels = {JOB: flat(21, n20=-0.08), WRITE: flat(21)}
    found = confirmed(
        tmp_path / "results", make_nights(levels), MadeReruns(levels), MadeBuilds(tmp_path / "jars")
    )
    registry = after_night(AlarmRegistry(), found, NOW, night_of=lambda run: run.run_id[:13])
    return alarm_document(registry.alarms, ["box-2"], registry.figures, NOW)


def test_the_document_has_the_fields_of_the_joint(document: AlarmDocument) -> None:
    sent = json.loads(document.model_dump_json())
    assert sent["schema_version"] == 2
    assert sent["boxes"] == ["box-1", "box-2"]
    (alarm,) = sent["alarms"]
    assert set(alarm) == FIELDS
    assert set(AlarmRecord.model_fields) == FIELDS | OURS_ALONE
    assert (alarm["benchmark"], alarm["executable"]) == (
        "serializerTuple",
        "patched 2.3.0",
    )
    assert alarm["told"] == "20260321T2230"
    assert alarm["state"] == "open"
    assert alarm["low"] < alarm["effect"] < alarm["high"] < 1
    rerun = alarm["reruns"][0]
    assert set(rerun) == {"when", "before", "after", "pairs", "ratio", "low", "high", "outcome"}
    assert rerun["outcome"] == "confirmed"
    assert sent["figures"]["told"] == 1
    assert sent["figures"]["rerun_pairs"] > 0


def test_it_is_sent_with_the_token(document: AlarmDocument) -> None:
    script = [answer(202), answer(400, "no such schema")]
    with failing_codespeed(*script) as server:
        target = Target(server.url, TOKEN)
        with make_client(target, RetryPolicy()) as client:
            send_alarms(document, target, client)
            with pytest.raises(UploadFailed, match="no such schema"):
                send_alarms(document, target, client)


def test_no_alarm_is_a_document_too() -> None:
    empty = alarm_document((), ["box-1"], figures((), 0), datetime(2026, 3, 1, tzinfo=UTC))
    assert empty.alarms == ()
    assert empty.figures.median_delay_nights is None
