"""Fills a queue."""

from __future__ import annotations

import os
from pathlib import Path

from flink_boost.service.requests.database import open_database
from flink_boost.service.requests.desk import Desk
from flink_boost.service.requests.queue import RequestQueue
from requesting.memory_hub import MemoryHub
from requesting.samples import BOUNDS, KNOWN, NOON


def fill(data: str, requests: int) -> None:
    """So many requests, each of a pull request of its own; what was there is gone."""
    open_database(Path(data), os.environ)
    from benchmark_requests import models

    for table in (models.HubMessage, models.BenchmarkRequest, models.HubComment, models.HubCursor):
        table.objects.all().delete()
    hub = MemoryHub()
    for number in range(1, requests + 1):
        hub.write("/benchmark-request serializerTuple", number=number)
    Desk(hub, RequestQueue("apache/flink-boost"), KNOWN, BOUNDS, "flink-boost", lambda: NOON).once()
