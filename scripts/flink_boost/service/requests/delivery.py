"""Posts and edits what waits in the outbox."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from flink_boost.base.errors import HubAway, HubRefused, PullRequestRefused
from flink_boost.service.hub.hub_model import Hub
from flink_boost.service.requests.request_outbox import HubOutbox, UnsentMessage

_MOST_FAILURES = 2  # of different pull requests: then it is not theirs


def deliver(hub: Hub, outbox: HubOutbox, now: Callable[[], datetime]) -> None:
    """Says what waits; what a deleted comment should have said is given up.

    What one pull request does not take holds back its own messages only. Raises ``HubAway`` when
    something waits on, and ``HubRefused`` when nothing at all could be said.
    """
    failed: dict[int, HubAway | HubRefused] = {}
    said = False
    # One at a time: what is claimed and not sent is not tried again for a while.
    while len(failed) < _MOST_FAILURES and (found := outbox.waiting(now(), 1, tuple(failed))):
        (message,) = found
        try:
            _send(hub, outbox, message)
            said = True
        except PullRequestRefused as error:
            outbox.unsent(message, error.message, gone=True)
        except (HubAway, HubRefused) as error:
            outbox.unsent(message, error.message, gone=False)
            failed[message.number] = error
            if isinstance(error, HubAway) and error.retry_after is not None:
                raise
    for problem in failed.values():
        if isinstance(problem, HubAway) or not said:
            raise problem


def _send(hub: Hub, outbox: HubOutbox, message: UnsentMessage) -> None:
    remote = message.remote
    if remote is None:
        remote = hub.post(message.number, message.body, message.marker)
        there = not message.tried or hub.edit(remote, message.body)
    else:
        there = hub.edit(remote, message.body)
    if there:
        outbox.sent(message, remote)
    else:
        outbox.unsent(message, "deleted by somebody", gone=True)
