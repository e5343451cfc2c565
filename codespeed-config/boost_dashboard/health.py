"""Whether the dashboard can do its work: its database answers, and can be written."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

_LOCK_SECONDS = 3  # longer than an upload holds the lock
_ANSWER_SECONDS = 4.0  # the container's health check waits for five
_FRESH_SECONDS = 2.0
_LEAST_SPACE = 8 * 1024 * 1024  # bytes

LOCKED = "the database has been locked by another for seconds: see who holds it"


@dataclass(frozen=True)
class Health:
    """``problem`` is empty, or a sentence for the operator; ``at`` is a clock's reading."""

    problem: str
    at: float


class HealthCheck:
    """Asks the database in a thread of its own, so that one that hangs is told in time.

    An answer holds for two seconds; whoever asks meanwhile costs the database nothing.
    """

    def __init__(self, probe: Callable[[], str]):
        self._probe = probe
        self._changed = threading.Condition()
        self._last: Health | None = None
        self._asks = False
        self._asked_at = 0.0

    def problem(self) -> str:
        """Empty when all is well. Takes four seconds at most."""
        began = time.monotonic()
        with self._changed:
            if self._last is not None and began - self._last.at < _FRESH_SECONDS:
                return self._last.problem
            if not self._asks:
                self._asks = True
                self._asked_at = began
                threading.Thread(target=self._ask, name="health", daemon=True).start()
            left = self._asked_at + _ANSWER_SECONDS - began
            self._changed.wait_for(lambda: not self._asks, max(0.0, left))
            if self._asks or self._last is None:
                return f"the database has not answered within {_ANSWER_SECONDS:.0f} seconds"
            return self._last.problem

    def _ask(self) -> None:
        problem = "the check itself failed: see the log"
        try:
            problem = self._probe()
        finally:
            with self._changed:
                self._last = Health(problem, time.monotonic())
                self._asks = False
                self._changed.notify_all()


def probe_database() -> str:
    """Begins to write and takes it back: empty when that works, else why not."""
    try:
        if shutil.disk_usage(settings.CONFIGURATION.data).free < _LEAST_SPACE:
            return f"the disk of {settings.CONFIGURATION.data} is full: free some space"
        if connection.vendor == "sqlite":
            _probe_sqlite()
        else:
            _probe_postgresql()
    except (OSError, DatabaseError) as error:
        text = " ".join(str(error).split())
        locked = "locked" in text or "lock timeout" in text
        return LOCKED if locked else f"the database cannot be written: {text}"
    finally:
        connection.close()
    return ""


def _probe_sqlite() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA busy_timeout = {_LOCK_SECONDS * 1000}")
        cursor.execute("BEGIN IMMEDIATE")
        cursor.execute("PRAGMA user_version")
        version = int(cursor.fetchone()[0])
        cursor.execute(f"PRAGMA user_version = {version}")
        cursor.execute("ROLLBACK")


def _probe_postgresql() -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL lock_timeout = '{_LOCK_SECONDS}s'")
        cursor.execute(f"SET LOCAL statement_timeout = '{_LOCK_SECONDS}s'")
        # What an insert takes; refused on a standby and in a transaction that may only read.
        cursor.execute("LOCK TABLE codespeed_result IN ROW EXCLUSIVE MODE")
        transaction.set_rollback(True)


_check = HealthCheck(probe_database)


@require_safe
@never_cache
def health(_request: HttpRequest) -> JsonResponse:
    """Says whose server this is; 503 with the reason when it cannot do its work."""
    answer: dict[str, Any] = {
        "service": "flink-boost",
        "instance": settings.CONFIGURATION.instance,
    }
    problem = _check.problem()
    if problem:
        return JsonResponse({**answer, "problem": problem}, status=503)
    return JsonResponse(answer)
