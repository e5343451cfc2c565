"""Backups: one compressed file of lines that SQLite and PostgreSQL can both take in again.

The first line is a JSON object, the header: format, version, and the tables with their columns and
numbers of rows. Then comes a JSON list per row, table by table. The last line is an object again,
with the number of rows and the SHA-256 of all lines before it.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any, BinaryIO

from boost_dashboard.operation.database import kept_models, snapshot
from flink_boost.base.errors import BrokenData, UsageProblem

FORMAT = "flink-boost dashboard"
VERSION = 1
_LEVEL = 6  # of gzip
_ROWS_AT_ONCE = 5000


@dataclass(frozen=True)
class Table:
    """A table of a backup: ``name`` as in ``codespeed.result``, columns, and how many rows."""

    name: str
    fields: tuple[str, ...]
    rows: int


@dataclass(frozen=True)
class Header:
    """What a backup says of itself; ``created`` is in UTC."""

    created: str
    tables: tuple[Table, ...]

    @property
    def rows(self) -> int:
        """Rows of all tables."""
        return sum(table.rows for table in self.tables)

    @property
    def counts(self) -> dict[str, int]:
        """Rows by the table's short name: ``result``."""
        return {table.name.rpartition(".")[2]: table.rows for table in self.tables}


def write_backup(path: Path) -> Header:
    """Writes the state of one moment, while uploads go on; the file appears whole or not at all.

    Raises ``UsageProblem`` when there is a file of that name.
    """
    if path.exists():
        raise _exists(path)
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            # Without name and time: the same rows are the same bytes but for the header.
            with gzip.GzipFile("", "wb", _LEVEL, file, mtime=0) as packed, snapshot():
                header = _write(packed)
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(draft, path)
        except FileExistsError as error:
            raise _exists(path) from error
    finally:
        with suppress(FileNotFoundError):
            Path(draft).unlink()
    return header


def _write(packed: gzip.GzipFile) -> Header:
    digest = hashlib.sha256()

    def put(content: object) -> None:
        line = json.dumps(content, default=_plain, separators=(",", ":")).encode() + b"\n"
        digest.update(line)
        packed.write(line)

    models = kept_models()
    tables = tuple(
        Table(
            model._meta.label_lower,
            tuple(field.attname for field in model._meta.concrete_fields),
            model.objects.count(),
        )
        for model in models
    )
    header = Header(datetime.now(UTC).isoformat(timespec="seconds"), tables)
    put({"format": FORMAT, "version": VERSION, **asdict(header)})
    for model, table in zip(models, tables, strict=True):
        rows = model.objects.order_by("pk").values_list(*table.fields)
        for row in rows.iterator(_ROWS_AT_ONCE):
            put(row)
    packed.write(json.dumps({"rows": header.rows, "sha256": digest.hexdigest()}).encode() + b"\n")
    return header


def _plain(value: object) -> str:
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} has no form in a backup")


@dataclass(frozen=True)
class Backup:
    """A backup that was read to its end and found whole."""

    header: Header
    file: BinaryIO

    def rows(self) -> Iterator[tuple[Table, list[Any]]]:
        """Every row with its table, in the order of the file."""
        with _lines(self.file) as lines:
            next(lines)
            for table in self.header.tables:
                for _ in range(table.rows):
                    yield table, json.loads(next(lines))


@contextmanager
def open_backup(path: Path) -> Iterator[Backup]:
    """Reads all of a backup first. Raises ``BrokenData`` for one that is damaged or newer."""
    try:
        file = path.open("rb")
    except OSError as error:
        raise UsageProblem(
            f"{path} cannot be read ({error.strerror}).", "Name a file of `dashboard backup`."
        ) from error
    with file:
        try:
            header = _checked(path, file)
        except (EOFError, gzip.BadGzipFile, zlib.error, ValueError, StopIteration) as error:
            raise _damaged(path, str(error) or "it ends too early") from error
        yield Backup(header, file)


def _checked(path: Path, file: BinaryIO) -> Header:
    digest = hashlib.sha256()
    rows = -1  # the header is none
    with _lines(file) as lines:
        first = last = next(lines)
        for line in lines:
            digest.update(last)
            last = line
            rows += 1
    # Before anything in it is believed.
    if json.loads(last) != {"rows": rows, "sha256": digest.hexdigest()}:
        raise _damaged(path, "its content is not what its checksum says")
    header = _header(path, first)
    if header.rows != rows:
        raise _damaged(path, "it has another number of rows than its header says")
    return header


def _header(path: Path, line: bytes) -> Header:
    content = json.loads(line)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise _damaged(path, "it does not begin as a backup does")
    version = content.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise BrokenData(
            f"{path} was made by a newer flink-boost (format {version}).",
            "Restore it with that version.",
        )
    try:
        tables = tuple(
            Table(str(one["name"]), tuple(map(str, one["fields"])), int(one["rows"]))
            for one in content["tables"]
        )
        return Header(str(content["created"]), tables)
    except (KeyError, TypeError) as error:
        raise _damaged(path, "its header is incomplete") from error


@contextmanager
def _lines(file: BinaryIO) -> Iterator[Iterator[bytes]]:
    file.seek(0)
    with gzip.GzipFile(fileobj=file, mode="rb") as packed:
        yield iter(packed)


def _exists(path: Path) -> UsageProblem:
    return UsageProblem(f"{path} is there already.", "Name another file.")


def _damaged(path: Path, how: str) -> BrokenData:
    return BrokenData(
        f"{path} is no whole backup: {how}.", "Nothing was changed. Take another one."
    )
