"""Sending of a spool to a server, with waits that are only remembered."""

from __future__ import annotations

import random

from failing_codespeed import TOKEN, FailingCodespeed, key_of

from flink_boost.publish.codespeed import SpoolEntry
from flink_boost.publish.spool import Spool
from flink_boost.publish.target import Target
from flink_boost.publish.upload import RetryPolicy, make_client, send_unsent
from flink_boost.publish.upload_report import UploadReport

# Seconds enough for an answer that is on its way on a busy machine.
QUICK = RetryPolicy(attempts=4, connect_timeout=5.0, answer_timeout=5.0)


class Naps(list[float]):
    """A ``sleep`` that only remembers."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


def send(
    spool: Spool, url: str, naps: Naps, *, token: str = TOKEN, policy: RetryPolicy = QUICK
) -> UploadReport:
    target = Target(url, token)
    with make_client(target, policy) as client:
        return send_unsent(
            spool, target, client, policy, sleep=naps, jitter=random.Random(1).random
        )


def assert_everything_stored_once(
    server: FailingCodespeed, entries: list[SpoolEntry], spool: Spool
) -> None:
    expected = {
        key_of(result.model_dump()): result.model_dump()
        for entry in entries
        for result in entry.results
    }
    assert server.stored == expected
    assert spool.unsent_keys() == ()
    assert set(spool.sent_keys()) == {entry.key for entry in entries}
