"""Answers to what is sent: accepted once, refused, of another server; no token is shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from failing_codespeed import TOKEN, answer, failing_codespeed
from sending import Naps, assert_everything_stored_once, send

from flink_boost.base.errors import UploadFailed
from flink_boost.publish.codespeed import SpoolEntry
from flink_boost.publish.spool import Spool
from flink_boost.publish.target import Target
from flink_boost.publish.upload import RetryPolicy
from flink_boost.publish.upload_report import UploadReport

pytestmark = pytest.mark.quiet


def test_everything_is_sent_oldest_run_first(
    spool: Spool, entries: list[SpoolEntry], naps: Naps
) -> None:
    with failing_codespeed() as server:
        report = send(spool, server.url, naps)
        assert server.requests == 4
        assert_everything_stored_once(server, entries, spool)
    dates = [
        next(e for e in entries if e.key == key).results[0].revision_date for key in report.sent
    ]
    assert dates == sorted(dates)
    assert naps == []
    report.require_all_sent()


def test_sending_again_sends_nothing(spool: Spool, naps: Naps) -> None:
    with failing_codespeed() as server:
        send(spool, server.url, naps)
        assert send(spool, server.url, naps) == UploadReport((), ())
        assert server.requests == 4


def test_a_wrong_token_is_not_tried_again_and_never_shown(
    spool: Spool, naps: Naps, capfd: pytest.CaptureFixture[str]
) -> None:
    wrong = "wr0ng-but-still-secret"
    with failing_codespeed() as server:  # it echoes the header that it got
        report = send(spool, server.url, naps, token=wrong)
        assert server.requests == 1
        assert server.stored == {}
    assert naps == []
    assert len(spool.unsent_keys()) == 4
    with pytest.raises(UploadFailed, match=r"refused the token with 401.*FLINK_BOOST_TOKEN") as it:
        report.require_all_sent()
    shown = "".join(
        [str(it.value), repr(report), repr(Target("http://x/", wrong)), *capfd.readouterr()]
    )
    assert wrong not in shown


@pytest.mark.parametrize("shift", range(0, 40, 7))
def test_a_token_echoed_in_any_answer_is_cut_out(spool: Spool, naps: Naps, shift: int) -> None:
    echo = "x" * (170 + shift) + f" Bearer {TOKEN} <title>You sent {TOKEN}</title>"
    with failing_codespeed(
        answer(400, echo), answer(500, f"&#32;{TOKEN}"), default=answer(400)
    ) as s:
        report = send(spool, s.url, naps, policy=RetryPolicy(attempts=1))
    assert TOKEN[:8] not in repr(report)
    assert "You sent ***" in report.unsent[0].reason


def test_a_refused_entry_stays_is_named_and_the_others_go_on(spool: Spool, naps: Naps) -> None:
    with failing_codespeed(answer(400, 'Value for key "benchmark"\n empty')) as server:
        report = send(spool, server.url, naps)
        assert server.requests == 4
    assert len(report.sent) == 3
    assert spool.unsent_keys() == (report.unsent[0].key,)
    assert 'answered 400 (Value for key "benchmark" empty)' in report.unsent[0].reason


def test_a_redirect_is_not_followed(spool: Spool, naps: Naps) -> None:
    with (
        failing_codespeed() as other,
        failing_codespeed(default=answer(307, Location=other.url + "result/add/json/")) as server,
    ):
        report = send(spool, server.url, naps)
        assert (server.requests, other.requests) == (1, 0), "the token stays with its host"
    assert "redirects to" in report.unsent[0].reason


@pytest.mark.parametrize("status", [200, 204, 404, 405])
def test_an_answer_that_is_not_codespeeds_does_not_count_as_accepted(
    spool: Spool, naps: Naps, status: int
) -> None:
    text = "" if status == 204 else "<html><title>Welcome &amp; log in</title></html>"
    with failing_codespeed(default=answer(status, text)) as server:
        report = send(spool, server.url, naps)
        assert server.requests == 1
    assert len(spool.unsent_keys()) == 4
    assert f"answered {status}" in report.unsent[0].reason
    assert "FLINK_BOOST_CODESPEED_URL" in report.next_step


def test_a_broken_spool_file_does_not_keep_the_others(
    spool: Spool, tmp_path: Path, naps: Naps
) -> None:
    (tmp_path / "spool" / "unsent" / "cut-off.json").write_text('{"key": "cut')
    with failing_codespeed() as server:
        report = send(spool, server.url, naps)
    assert len(report.sent) == 4
    assert [unsent.key for unsent in report.unsent] == ["cut-off"]
