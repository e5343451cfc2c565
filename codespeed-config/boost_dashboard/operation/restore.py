"""Takes a backup in: whole or not at all, on whatever database the dashboard has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Any

from django.apps import apps
from django.core.management.color import no_style
from django.db import DataError, IntegrityError, connection
from django.db import models as columns

from boost_dashboard.operation.backup import Backup, Table
from boost_dashboard.operation.database import alone, kept_models, without_password
from flink_boost.base.errors import BrokenData, UsageProblem

_ROWS_AT_ONCE = 2000
# What `prepare_dashboard` makes, and what a dashboard without a single result has.
_PREPARED = ("codespeed.project", "codespeed.branch", "codespeed.executable")
# Columns whose values JSON has a form for that databases take.
_PLAIN = (
    columns.AutoField, columns.BooleanField, columns.CharField, columns.FloatField,
    columns.ForeignKey, columns.IntegerField, columns.TextField,
)  # fmt: skip


def restore(backup: Backup, *, replace: bool, dry_run: bool) -> dict[str, int]:
    """Rows that were there before, by table; they are gone, and those of the backup are there.

    Raises ``UsageProblem`` when there are results and they may not be replaced, ``BrokenData`` for
    rows that this database cannot hold. A dry run does all of it and takes it back.
    """
    shapes = {table.name: _Shape.of(table) for table in backup.header.tables}
    with alone(dry_run=dry_run):
        before = {model._meta.label_lower: model.objects.count() for model in kept_models()}
        if not replace and any(n for name, n in before.items() if name not in _PREPARED):
            raise UsageProblem(
                f"The database is not empty: it has {before['codespeed.result']:,} results.",
                "Give --replace to delete all that is in it, or name an empty one.",
            )
        _delete_all()
        for name, rows in groupby(backup.rows(), key=lambda one: one[0].name):
            shapes[name].insert(row for _, row in rows)
        try:
            connection.check_constraints()
        except IntegrityError as error:
            raise _unfit(error) from error
        _continue_numbers()
    return before


@dataclass(frozen=True)
class _Shape:
    """How the rows of a table of a backup become rows of ours."""

    statement: str
    converted: dict[int, Any]
    added: tuple[Any, ...]
    name: str

    @classmethod
    def of(cls, table: Table) -> _Shape:
        try:
            model = apps.get_model(table.name)
        except (LookupError, ValueError):
            model = None
        if model not in kept_models():
            raise _newer(f"a table {table.name}")
        ours = {field.attname: field for field in model._meta.concrete_fields}
        unknown = [name for name in table.fields if name not in ours]
        if unknown:
            raise _newer(f"a column {unknown[0]} of {table.name}")
        added = [field for name, field in ours.items() if name not in table.fields]
        quote = connection.ops.quote_name
        names = [ours[name] for name in table.fields] + added
        return cls(
            f"INSERT INTO {quote(model._meta.db_table)}"  # noqa: S608 names of our own models
            f" ({', '.join(quote(field.column) for field in names)})"
            f" VALUES ({', '.join(['%s'] * len(names))})",
            {
                place: ours[name]
                for place, name in enumerate(table.fields)
                if not isinstance(ours[name], _PLAIN)
            },
            tuple(field.get_db_prep_save(field.get_default(), connection) for field in added),
            table.name,
        )

    def insert(self, rows: Iterator[list[Any]]) -> None:
        with connection.cursor() as cursor:
            while chunk := [self._values(row) for row in islice(rows, _ROWS_AT_ONCE)]:
                try:
                    cursor.executemany(self.statement, chunk)
                except (DataError, IntegrityError, ValueError) as error:
                    raise _unfit(error, self.name) from error

    def _values(self, row: list[Any]) -> tuple[Any, ...]:
        for place, field in self.converted.items():
            row[place] = field.get_db_prep_save(field.to_python(row[place]), connection)
        return (*row, *self.added)


def _delete_all() -> None:
    with connection.cursor() as cursor:
        for model in reversed(kept_models()):
            cursor.execute(f"DELETE FROM {connection.ops.quote_name(model._meta.db_table)}")  # noqa: S608


def _continue_numbers() -> None:
    """The next row gets a number of its own: PostgreSQL counts apart from what is inserted."""
    statements = connection.ops.sequence_reset_sql(no_style(), kept_models())
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def _newer(what: str) -> BrokenData:
    return BrokenData(
        f"The backup has {what}, which this version does not know.",
        "Restore it with the flink-boost that made it, or a later one.",
    )


def _unfit(error: Exception, table: str = "the backup") -> BrokenData:
    return BrokenData(
        f"A row of {table} does not fit this database: {without_password(str(error))}.",
        "Nothing was changed. Mend it where the backup was made, and make another one.",
    )
