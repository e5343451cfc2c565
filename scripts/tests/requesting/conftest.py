"""The database of requests, SQLite in a folder or ``DATABASE_URL``, its queue, and a desk at it."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.service.requests.database import close_connections, open_database
from flink_boost.service.requests.queue import RequestQueue
from requesting.desk_place import Place

sys.path.append(str(PROJECT_ROOT / "codespeed-config" / "tests"))

REPOSITORY = "apache/flink-boost"


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Opened once: Django has one per process."""
    data = tmp_path_factory.mktemp("requests")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Codespeed's, of its own settings
        open_database(data, os.environ)
    return data


@pytest.fixture
def queue(database: Path) -> Iterator[RequestQueue]:
    """An empty queue."""
    from benchmark_requests import models

    for table in (
        models.HubMessage,
        models.BenchmarkRequest,
        models.HubComment,
        models.HubCursor,
    ):
        table.objects.all().delete()
    yield RequestQueue(REPOSITORY)
    close_connections()


@pytest.fixture
def place(queue: RequestQueue) -> Place:
    return Place(queue)
