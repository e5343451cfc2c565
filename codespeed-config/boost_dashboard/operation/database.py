"""One transaction around all that an operator reads or changes, on SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor

from flink_boost.base.errors import EnvironmentProblem

OUR_APPS = ("codespeed", "boost_dashboard", "benchmark_requests")
_LOCK_SECONDS = 60


def kept_models() -> list[Any]:
    """The models whose rows are kept: Codespeed's, the dashboard's, and those of requests."""
    return [model for app in OUR_APPS for model in apps.get_app_config(app).get_models()]


def require_prepared() -> None:
    """Raises ``EnvironmentProblem`` when there is no database yet, or one of another version."""
    if not is_prepared():
        name = connection.settings_dict["NAME"]
        raise EnvironmentProblem(
            f"There is no database {name} with the tables of this version.",
            "Start the dashboard once, or run `codespeed-config/manage.py prepare_dashboard`.",
        )


def is_prepared() -> bool:
    """Whether all tables are there. Asking makes no file."""
    name = str(connection.settings_dict["NAME"])
    if connection.vendor == "sqlite" and not Path(name).exists():
        return False
    executor = MigrationExecutor(connection)
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())


@contextmanager
def snapshot() -> Iterator[None]:
    """Reads inside are of one moment, and hold no writer up."""
    if connection.vendor == "sqlite":
        # Django's own transactions take the write lock at once here.
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
        try:
            yield
        finally:
            with connection.cursor() as cursor:
                cursor.execute("ROLLBACK")
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


@contextmanager
def alone(*, dry_run: bool = False) -> Iterator[None]:
    """Changes inside are made whole or not at all, while nobody else writes.

    Uploads wait meanwhile; pages are answered with what was there before. A dry run takes all back.
    """
    with transaction.atomic():
        if connection.vendor == "postgresql":
            tables = ", ".join(_quoted(model._meta.db_table) for model in kept_models())
            with connection.cursor() as cursor:
                cursor.execute(f"SET LOCAL lock_timeout = '{_LOCK_SECONDS}s'")
                cursor.execute(f"LOCK TABLE {tables} IN SHARE ROW EXCLUSIVE MODE")
        yield
        if dry_run:
            transaction.set_rollback(True)


def without_password(text: str) -> str:
    """The first line of what a database says, without the password that it was asked with."""
    password = str(settings.DATABASES["default"].get("PASSWORD") or "")
    line = " ".join(text.split("\n")[0].split()).rstrip(".")
    return line.replace(password, "***") if password else line


def _quoted(name: str) -> str:
    return str(connection.ops.quote_name(name))
