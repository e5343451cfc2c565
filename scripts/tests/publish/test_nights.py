"""Telling the dashboard how a night went: a real dashboard takes it, any other answer is said."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from flink_boost.base.errors import UploadFailed
from flink_boost.publish import liveness, serve
from flink_boost.publish.nights import (
    SentBoxChange,
    SentCanary,
    SentNight,
    SentStep,
    send_night,
)
from flink_boost.publish.target import Target

TOKEN = "t" * 40
NIGHT = SentNight(
    box="box-1",
    night="2026-11-24T0100",
    slot=datetime(2026, 11, 24, 1, tzinfo=UTC),
    state="short",
    expected=300,
    measured=299,
    runs=("20261124T010203Z-2.3.0",),
    quiet=True,
    reason="a fork hung",
    canary=SentCanary(moved=False, ratio=1.001, low=0.99, high=1.01),
    box_changes=(SentBoxChange(what="kernel", before="6.1", after="6.2"),),
    steps=(SentStep(name="build", state="done", seconds=61.5), SentStep(name="x", state="waiting")),
)


def test_a_dashboard_takes_a_night_and_its_newer_state(tmp_path: Path) -> None:
    data = tmp_path / "codespeed"
    url = serve.ensure_running(data, serve.Address(port=0))
    try:
        target = Target(url, (data / "token").read_text(encoding="ascii").strip())
        with httpx.Client(timeout=30) as client:
            send_night(NIGHT, target, client)
            send_night(NIGHT.model_copy(update={"state": "complete"}), target, client)
            (shown,) = client.get(f"{url}nights.json").json()["nights"]
            with pytest.raises(UploadFailed, match="does not take the token"):
                send_night(NIGHT, Target(url, TOKEN), client)
            with pytest.raises(UploadFailed, match=r"400: night: "):
                send_night(NIGHT.model_copy(update={"night": "tonight"}), target, client)
    finally:
        liveness.stop(data)
    assert (shown["night"], shown["state"]) == ("2026-11-24T0100", "complete")
    assert shown["box_changes"] == [{"what": "kernel", "before": "6.1", "after": "6.2"}]
    assert [step["seconds"] for step in shown["steps"]] == [61.5, None]


def test_a_server_that_is_not_there_is_a_failure_with_the_next_step() -> None:
    with (
        httpx.Client(timeout=5) as client,
        pytest.raises(UploadFailed, match="could not be told") as failed,
    ):
        send_night(NIGHT, Target("http://127.0.0.1:9/", TOKEN), client)
    assert failed.value.next_step
    assert TOKEN not in str(failed.value)


def test_a_token_that_is_echoed_is_not_shown() -> None:
    def echo(request: httpx.Request) -> httpx.Response:
        return httpx.Response(500, text=f"{request.headers['Authorization']}\x1b[0m")

    with (
        httpx.Client(transport=httpx.MockTransport(echo)) as client,
        pytest.raises(UploadFailed, match=r"500: Bearer \*\*\*") as failed,
    ):
        send_night(NIGHT, Target("http://dashboard/", TOKEN), client)
    assert TOKEN not in str(failed.value)
    assert "\x1b" not in str(failed.value)
