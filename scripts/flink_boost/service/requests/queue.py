"""The queue: what was read, what waits, who works on it, and what is to be said.

Every step is one transaction, and every change of a state one UPDATE with the old state in its
condition: two workers never have one request, and one that lost its own cannot move it. Works on
SQLite and PostgreSQL; ``open_database`` comes first. Times go in and out aware, in UTC.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from flink_boost.service.requests.hub.hub_model import Comment
from flink_boost.service.requests.request import Request, RequestOrder
from flink_boost.service.requests.request_outbox import HubOutbox, Words
from flink_boost.service.requests.request_states import AT_WORK, MOVES, Event, RequestState
from flink_boost.service.requests.row_conversion import (
    atomic,
    aware,
    comment_of,
    naive,
    request_of,
    tables,
)

MOST_FORGOTTEN = 500  # comments in one go: nobody is to wait for the database
MOST_ATTEMPTS = 3  # workers that died on a request before it is given up
MAY_NOT_ASK = "may not ask"  # the outcome of a comment
_LIVE = [RequestState.QUEUED.value, *(state.value for state in AT_WORK)]


class RequestQueue:
    """The queue of one repository. Stateless: any number of processes may use it."""

    def __init__(self, repository: str) -> None:
        self.repository = repository
        self.outbox = HubOutbox(repository)

    # What is read

    def cursor(self) -> str | None:
        """How far comments are read; None before the first time."""
        row = tables().HubCursor.objects.filter(repository=self.repository).first()
        return row.cursor if row is not None and row.cursor else None

    def keep(self, comments: Sequence[Comment], cursor: str | None, now: datetime) -> int:
        """Stores comments together with the cursor; returns how many were new.

        Without a cursor, as for those that a webhook brought, it stays where it is.
        """
        found = tables()
        with atomic():
            known = set(
                found.HubComment.objects.filter(
                    repository=self.repository, comment_id__in=[one.id for one in comments]
                ).values_list("comment_id", flat=True)
            )
            new = {one.id: one for one in comments if one.id not in known}
            # Another server may store the same one at this moment: the constraint decides.
            found.HubComment.objects.bulk_create(
                [self._row(one, now) for one in new.values()], ignore_conflicts=True
            )
            if cursor is not None:
                found.HubCursor.objects.update_or_create(
                    repository=self.repository,
                    defaults={"cursor": cursor, "polled": naive(now), "problem": ""},
                )
        return len(new)

    def note_problem(self, sentence: str) -> None:
        """Remembers why comments could not be read; ``keep`` forgets it."""
        tables().HubCursor.objects.update_or_create(
            repository=self.repository, defaults={"problem": sentence[:500]}
        )

    def unhandled(self, but: Collection[int] = ()) -> tuple[Comment, ...]:
        """Comments that nothing has followed from yet, oldest first; ``but`` has pull requests."""
        rows = tables().HubComment.objects.filter(repository=self.repository, handled=None)
        rows = rows.exclude(number__in=list(but))
        return tuple(comment_of(row) for row in rows.order_by("created", "comment_id")[:100])

    def undecided_since(self) -> datetime | None:
        """When the oldest comment was read that nothing has followed from yet."""
        rows = tables().HubComment.objects.filter(repository=self.repository, handled=None)
        row = rows.order_by("read").first()
        return None if row is None else aware(row.read)

    def forget(self, before: datetime) -> int:
        """Deletes comments that were read and changed before, and of which no request was made."""
        rows, then = tables().HubComment.objects.filter(benchmarkrequest=None), naive(before)
        old = rows.filter(repository=self.repository, handled__lt=then, updated__lt=then)
        found = list(old.values_list("pk", flat=True)[:MOST_FORGOTTEN])
        return int(rows.filter(pk__in=found).delete()[0])

    # What follows from a comment

    def close(self, comment: Comment, outcome: str, words: Words | None, now: datetime) -> bool:
        """Nothing but an answer, or none, follows. False when it was handled already."""
        with atomic():
            if not self._handle(comment, outcome, now):
                return False
            if words is not None:
                self.outbox.put(words, None, now)
        return True

    def close_all(self, comments: Sequence[Comment], outcome: str, now: datetime) -> None:
        """Nothing follows from any of these."""
        tables().HubComment.objects.filter(
            repository=self.repository,
            comment_id__in=[one.id for one in comments],
            handled=None,
        ).update(handled=naive(now), outcome=outcome)

    def accept(
        self,
        comment: Comment,
        key: str,
        order: RequestOrder,
        seconds: float,
        words: Words,
        replaced: Mapping[str, Words],
        now: datetime,
        reply: Words | None = None,
    ) -> bool:
        """Makes a request of a comment; those of its pull request that still wait are replaced.

        ``words`` tell how far it is, ``reply`` what else is to be said of the comment, ``replaced``
        what is said of each of those, by key. False when the comment was handled already.
        """
        found = tables()
        with atomic():
            if not self._handle(comment, "asked", now):
                return False
            for old, said in replaced.items():
                if self._move(old, None, Event.NEWER, now):
                    self.outbox.put(said, old, now)
            row = found.HubComment.objects.get(repository=self.repository, comment_id=comment.id)
            found.BenchmarkRequest.objects.create(
                key=key,
                comment=row,
                repository=self.repository,
                number=comment.number,
                author=comment.author,
                order=order.model_dump_json(),
                state=RequestState.QUEUED.value,
                asked=naive(comment.created),
                queued=naive(now),
                moved=naive(now),
                seconds=seconds,
            )
            self.outbox.put(words, key, now)
            if reply is not None:
                self.outbox.put(reply, None, now)
        return True

    def refused_lately(self, author: str, number: int, since: datetime) -> bool:
        """Whether that person was told on that pull request that they may not ask."""
        return bool(
            tables()
            .HubComment.objects.filter(
                repository=self.repository,
                author=author,
                number=number,
                outcome=MAY_NOT_ASK,
                handled__gt=naive(since),
            )
            .exists()
        )

    # Who works

    def take(
        self, worker: str, now: datetime, lost_after: timedelta, but: Collection[str] = ()
    ) -> Request | None:
        """The next for that worker: one whose worker is gone, else the oldest that waits.

        ``but`` has keys of those that wait longer.
        """
        from django.db.models import Q

        table = tables().BenchmarkRequest
        stopped = table.objects.filter(
            # A worker has one request at a time: what it has when it asks, it has no longer.
            Q(beat__lt=naive(now - lost_after)) | Q(worker=worker),
            repository=self.repository,
            state__in=[state.value for state in AT_WORK],
        )
        for row in stopped.order_by("queued"):
            fields = self._beginning(worker, now, row.started, row.resumed)
            if stopped.filter(pk=row.pk, beat=row.beat, worker=row.worker).update(
                state=RequestState.BUILDING.value, attempts=row.attempts + 1, **fields
            ):
                return self.find(row.key)
        waiting = table.objects.filter(repository=self.repository, state=RequestState.QUEUED.value)
        for row in waiting.exclude(key__in=list(but)).order_by("queued", "pk"):
            fields = self._beginning(worker, now, row.started, None)
            if waiting.filter(pk=row.pk).update(
                state=RequestState.BUILDING.value, attempts=row.attempts + 1, **fields
            ):
                return self.find(row.key)
        return None

    def beat(self, key: str, worker: str, now: datetime) -> str:
        """Says that the worker lives: "mine", "cancel" when it should stop, "lost" when it must."""
        table = tables().BenchmarkRequest
        mine = table.objects.filter(
            key=key, worker=worker, state__in=[state.value for state in AT_WORK]
        )
        if not mine.update(beat=naive(now)):
            return "lost"
        return "cancel" if mine.filter(cancel=True).exists() else "mine"

    def move(
        self,
        key: str,
        worker: str | None,
        event: Event,
        now: datetime,
        words: Sequence[Words] = (),
        **fields: Any,
    ) -> bool:
        """Moves a request and says what there is to say; False when it is not in such a state.

        With a worker only when it is that one's. ``fields`` are further columns.
        """
        with atomic():
            if not self._move(key, worker, event, now, **fields):
                return False
            for one in words:
                self.outbox.put(one, key, now)
        return True

    def cancel(self, number: int, now: datetime, said: Mapping[str, Words]) -> tuple[str, ...]:
        """Cancels what waits on a pull request, and asks the worker of what runs to stop.

        Returns their keys; ``said`` is what is said of those that wait.
        """
        found = []
        for request in self.live(number):
            if request.state is RequestState.QUEUED:
                words = tuple(said[key] for key in (request.id,) if key in said)
                if self.move(request.id, None, Event.STOPPED, now, words):
                    found.append(request.id)
                    continue
            rows = tables().BenchmarkRequest.objects.filter(key=request.id, state__in=_LIVE)
            if rows.update(cancel=True):
                found.append(request.id)
        return tuple(found)

    # What there is

    def find(self, key: str) -> Request | None:
        """The request of that key."""
        row = tables().BenchmarkRequest.objects.filter(key=key).select_related("comment").first()
        return None if row is None else request_of(row)

    def live(self, number: int | None = None) -> tuple[Request, ...]:
        """Those that are worked on, then those that wait: of one pull request, or all."""
        rows = tables().BenchmarkRequest.objects.filter(repository=self.repository, state__in=_LIVE)
        if number is not None:
            rows = rows.filter(number=number)
        found = [request_of(row) for row in rows.select_related("comment").order_by("queued", "pk")]
        return tuple(sorted(found, key=lambda one: not one.state.is_at_work))

    def latest(self, most: int) -> tuple[Request, ...]:
        """The newest that have ended, newest first."""
        rows = (
            tables()
            .BenchmarkRequest.objects.filter(repository=self.repository)
            .exclude(ended=None)
            .select_related("comment")
        )
        return tuple(request_of(row) for row in rows.order_by("-ended")[:most])

    def problem(self) -> tuple[datetime | None, str]:
        """When comments were last read, and what has kept us from it since."""
        row = tables().HubCursor.objects.filter(repository=self.repository).first()
        if row is None:
            return None, ""
        return (None if row.polled is None else aware(row.polled)), row.problem

    # Within transactions

    def _handle(self, comment: Comment, outcome: str, now: datetime) -> bool:
        rows = tables().HubComment.objects.filter(
            repository=self.repository, comment_id=comment.id, handled=None
        )
        return bool(rows.update(handled=naive(now), outcome=outcome[:40]))

    def _move(
        self, key: str, worker: str | None, event: Event, now: datetime, **fields: Any
    ) -> bool:
        sources, goal = MOVES[event]
        rows = tables().BenchmarkRequest.objects.filter(
            key=key, state__in=[state.value for state in sources]
        )
        if worker is not None:
            rows = rows.filter(worker=worker)
        ended = {"ended": naive(now)} if goal.is_final else {}
        return bool(rows.update(state=goal.value, moved=naive(now), **ended, **fields))

    def _row(self, comment: Comment, now: datetime) -> Any:
        return tables().HubComment(
            repository=self.repository,
            comment_id=comment.id,
            number=comment.number,
            author=comment.author,
            bot=comment.bot,
            # PostgreSQL has no text with this character; no command has one either.
            body=comment.body.replace("\0", "\N{REPLACEMENT CHARACTER}"),
            created=naive(comment.created),
            updated=naive(comment.updated),
            url=comment.url,
            read=naive(now),
        )

    @staticmethod
    def _beginning(
        worker: str, now: datetime, started: datetime | None, resumed: datetime | None
    ) -> dict[str, Any]:
        at = naive(now)
        fields = {"started": started or at, "resumed": resumed or at}
        return {"worker": worker, "beat": at, "moved": at, **fields}
