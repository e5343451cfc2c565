"""What is to be said on the hub: stored with the reason for it, sent when the hub is there.

A message is found again by its marker, so one that was sent by a server that was killed before it
could write that down is not sent twice.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from flink_boost.service.requests.row_conversion import atomic, aware, naive, tables

_CLAIM = timedelta(minutes=2)


@dataclass(frozen=True)
class UnsentMessage:
    """A message whose text is not yet on the hub.

    ``tried``: it may be there all the same, perhaps with an earlier text. ``made`` is of its text.
    """

    marker: str
    number: int
    body: str
    remote: int | None
    made: datetime
    tried: bool = False


@dataclass(frozen=True)
class Words:
    """What is to be said under a marker."""

    marker: str
    number: int
    body: str


class HubOutbox:
    """The messages of one repository. Stateless: any number of processes may use it."""

    def __init__(self, repository: str) -> None:
        self.repository = repository

    def put(self, words: Words, key: str | None, now: datetime) -> None:
        """Says it as soon as that is possible; another text under the same marker is an edit."""
        table = tables()
        request = table.BenchmarkRequest.objects.filter(key=key).first() if key else None
        made, new = table.HubMessage.objects.get_or_create(
            marker=words.marker,
            defaults={
                "repository": self.repository,
                "number": words.number,
                "request": request,
                "body": words.body,
                "made": naive(now),
            },
        )
        if not new and made.body != words.body:
            rows = table.HubMessage.objects.filter(pk=made.pk)
            rows.update(body=words.body, waiting=not made.gone, made=naive(now))

    def waiting(
        self, now: datetime, most: int = 50, but: Collection[int] = ()
    ) -> tuple[UnsentMessage, ...]:
        """Messages that are to be sent; claimed, so that no other server sends them meanwhile.

        ``but`` has the pull requests whose messages wait longer.
        """
        from django.db.models import Q

        table = tables().HubMessage
        free = Q(claimed=None) | Q(claimed__lt=naive(now - _CLAIM))
        free |= Q(claimed__gt=naive(now + _CLAIM))  # by a clock that was ahead
        due = table.objects.filter(free, repository=self.repository, waiting=True, gone=False)
        due = due.exclude(number__in=list(but))
        return tuple(
            UnsentMessage(
                row.marker,
                row.number,
                row.body,
                row.remote,
                aware(row.made),
                row.claimed is not None or row.problem != "",
            )
            for row in due.order_by("pk")[:most]
            if due.filter(pk=row.pk).update(claimed=naive(now))
        )

    def sent(self, message: UnsentMessage, remote: int) -> None:
        """That text is on the hub. If it has changed since, it waits again."""
        table = tables().HubMessage
        rows = table.objects.filter(repository=self.repository, marker=message.marker)
        with atomic():
            rows.update(remote=remote, sent=message.body, claimed=None, problem="")
            rows.filter(body=message.body).update(waiting=False)

    def unsent(self, message: UnsentMessage, problem: str, *, gone: bool) -> None:
        """It could not be sent: for ever, or for now."""
        rows = tables().HubMessage.objects.filter(repository=self.repository, marker=message.marker)
        rows.update(claimed=None, gone=gone, problem=problem[:500])
        if gone:
            rows.update(waiting=False)

    def oldest_unsent(self) -> datetime | None:
        """Since when the oldest message waits."""
        rows = tables().HubMessage.objects.filter(
            repository=self.repository, waiting=True, gone=False
        )
        row = rows.order_by("made").first()
        return None if row is None else aware(row.made)
