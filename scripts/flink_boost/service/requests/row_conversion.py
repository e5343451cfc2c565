"""Between rows of the database and what the rest works with. Times in rows are naive and in UTC."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from flink_boost.service.requests.hub.hub_model import Comment
from flink_boost.service.requests.request import Request, RequestOrder
from flink_boost.service.requests.request_states import RequestState


def tables() -> Any:
    """The models, which can be imported once ``open_database`` was called."""
    from benchmark_requests import models

    return models


def atomic() -> Any:
    from django.db import transaction

    return transaction.atomic()


def naive(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(tzinfo=None)


def aware(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC)


def comment_of(row: Any) -> Comment:
    return Comment(
        id=row.comment_id,
        repository=row.repository,
        number=row.number,
        author=row.author,
        bot=row.bot,
        body=row.body,
        created=aware(row.created),
        updated=aware(row.updated),
        url=row.url,
    )


def request_of(row: Any) -> Request:
    times = {
        name: None if (moment := getattr(row, name)) is None else aware(moment)
        for name in ("asked", "queued", "started", "resumed", "ended", "beat")
    }
    return Request.model_validate(
        {
            "id": row.key,
            "repository": row.repository,
            "number": row.number,
            "comment_id": row.comment.comment_id,
            "author": row.author,
            "order": RequestOrder.model_validate_json(row.order),
            "state": RequestState(row.state),
            "stale": row.stale,
            "worker": row.worker,
            "attempts": row.attempts,
            "cancel": row.cancel,
            "expected": row.seconds,
            "answer": row.answer,
            "note": row.note,
            **times,
        }
    )
