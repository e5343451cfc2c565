"""Opens the database of the dashboard, in which requests are kept: Django, in this process."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

from flink_boost.base.errors import EnvironmentProblem, InUse
from flink_boost.base.files import exclusive_lock, make_folder
from flink_boost.publish.dashboard_commands import set_up_django

_APPLICATION = ("benchmark_requests",)
_SILENTLY = {"interactive": False, "skip_checks": True, "verbosity": 0}
_WAIT_SECONDS = 60.0


def open_database(data: Path, environ: Mapping[str, str]) -> None:
    """Sets Django up on the dashboard's data folder, or on ``DATABASE_URL``, and makes the tables.

    Once per process. Raises ``EnvironmentProblem`` when the database cannot be used.
    """
    make_folder(data)
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import call_command
    from django.db import Error

    try:
        set_up_django(data, FLINK_BOOST_EMBEDDED=os.environ.get("FLINK_BOOST_EMBEDDED", "1"))
        deadline = time.monotonic() + _WAIT_SECONDS
        while _tables_are_missing():
            try:
                with exclusive_lock(data / "requests.lock", "making the tables of requests"):
                    call_command("migrate", *_APPLICATION, **_SILENTLY)
            except InUse:
                # Another process makes them at this moment.
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)
    except ImproperlyConfigured as error:
        raise EnvironmentProblem(
            f"The database of requests cannot be used: {error}",
            "Correct what it names; `flink-boost serve` needs the same.",
        ) from error
    except Error as error:
        where = "DATABASE_URL" if environ.get("DATABASE_URL") else str(data)
        raise EnvironmentProblem(
            f"The database of requests cannot be used ({type(error).__name__}).",
            f"Look at {where}, and whether `flink-boost serve` starts.",
        ) from error


def _tables_are_missing() -> bool:
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    wanted = [one for one in executor.loader.graph.leaf_nodes() if one[0] in _APPLICATION]
    return bool(executor.migration_plan(wanted))


def close_connections() -> None:
    """Before a thread that used the database ends, or sleeps for long."""
    from django.db import connections

    connections.close_all()


def is_of_the_database(error: Exception) -> bool:
    """Whether the database was away, locked or full: later it may work."""
    from django.db import InterfaceError, OperationalError

    return isinstance(error, InterfaceError | OperationalError)
