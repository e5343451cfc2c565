"""Years of nights, put into a dashboard's SQLite database past the server, in a minute or so."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from flink_boost.flink.lines import default_line
from flink_boost.judge.alarm_record import PublishedAlarm
from flink_boost.measure.field_checks import TAKEN_IN
from flink_boost.measure.model import Frozen
from flink_boost.measure.night_record import NightRecord
from told import told_alarm, told_night, told_sheet

BOX = "box-1"
FIRST_NIGHT = datetime(2020, 1, 1, 2, 0)  # noqa: DTZ001 Codespeed keeps naive times in UTC
RATIO = ".ratio"
REPORTED_NIGHTS = 50  # the newest; Codespeed keeps a table of changes with each of its reports

_LENGTHS = (1, 2, 4, 8, 16, 32, 64, 128, 1024, 1048576)
_KINDS = ("ascii", "latin1", "greek", "cjk", "emoji", "mixed")
_OPERATIONS = ("write", "read", "copy", "skip", "hash")
_INSERT = "INSERT INTO codespeed_{table} ({columns}) VALUES ({marks})"


@dataclass(frozen=True)
class Size:
    """How much: every night has all benchmarks, on both sides, and the ratio of each."""

    nights: int = 2000
    benchmarks: int = 300
    alarms: int = 500

    @property
    def results(self) -> int:
        """Rows of results."""
        return self.nights * self.benchmarks * 3


def commit_ids(size: Size) -> list[str]:
    """The nights' commit ids, oldest first."""
    nights = (FIRST_NIGHT + timedelta(days=night) for night in range(size.nights))
    return [f"{0xABCDEF00 + i:08x}-{at:%Y%m%dT%H%M%S}-{i:06x}" for i, at in enumerate(nights)]


def night_ids(size: Size) -> list[str]:
    """The nights' ids, oldest first."""
    nights = (FIRST_NIGHT + timedelta(days=night) for night in range(size.nights))
    return [f"{at:%Y-%m-%dT%H%M}" for at in nights]


def alarm_id(number: int) -> str:
    """The id of an alarm."""
    return f"a{number:010x}"


def benchmark_names(size: Size) -> list[str]:
    """Names as the suite's, without those of the ratios."""
    names = [f"{one}.{kind}.{n}" for one in _OPERATIONS for kind in _KINDS for n in _LENGTHS]
    return [names[i] if i < len(names) else f"{names[0]}.{i}" for i in range(size.benchmarks)]


def fill(database: Path, size: Size, seed: int = 1) -> None:
    """Adds the nights to the prepared database of a dashboard: ids of theirs start with 1.

    Values are noise around a level per benchmark that now and then changes for good; the same seed
    gives the same rows. Raises ``sqlite3.Error`` when there are results already.
    """
    connection = sqlite3.connect(database, timeout=20)
    try:
        with connection:
            branch, project = connection.execute(
                "SELECT id, project_id FROM codespeed_branch WHERE name = 'master'"
            ).fetchone()
            stock, patched = executables(connection)
            _insert(connection, "environment", [_environment()])
            _insert(connection, "benchmark", list(_benchmarks(size)))
            _insert(connection, "revision", list(_revisions(size, branch, project)))
            rows = _results(size, stock, patched, random.Random(seed))
            connection.executemany(
                "INSERT INTO codespeed_result (value, std_dev, val_min, val_max, date, revision_id,"
                " executable_id, benchmark_id, environment_id) VALUES (?,?,?,?,?,?,?,?,1)",
                rows,
            )
            reports = _reports(size, (stock, patched))
            _insert(connection, "report", list(reports))
            _insert_told(connection, size)
    finally:
        connection.close()


def executables(connection: sqlite3.Connection) -> tuple[int, int]:
    """Ids of stock and patched of the default line."""
    line = default_line()
    stock, patched = (
        connection.execute(
            "SELECT id FROM codespeed_executable WHERE name = ?", (f"{side} {line}",)
        ).fetchone()[0]
        for side in ("stock", "patched")
    )
    return stock, patched


def _insert(
    connection: sqlite3.Connection, table: str, rows: Sequence[Mapping[str, object]]
) -> None:
    columns = list(rows[0])
    statement = _INSERT.format(
        table=table, columns=", ".join(columns), marks=", ".join("?" * len(columns))
    )
    connection.executemany(statement, [tuple(row.values()) for row in rows])


def _environment() -> dict[str, object]:
    empty = dict.fromkeys(("cpu", "memory", "os", "kernel"), "")
    return {"id": 1, "name": BOX, **empty}


def _benchmarks(size: Size) -> Iterator[dict[str, object]]:
    common = {"benchmark_type": "C", "data_type": "U", "default_on_comparison": True}
    for number, name in enumerate(benchmark_names(size), start=1):
        yield {
            "id": number, "name": name, "description": f"What {name} does", "units_title": "Time",
            "units": "ns/op", "lessisbetter": True, **common,
        }  # fmt: skip
        yield {
            "id": size.benchmarks + number, "name": name + RATIO, "description": "",
            "units_title": "Ratio", "units": "x", "lessisbetter": False, **common,
        }  # fmt: skip


def _revisions(size: Size, branch: int, project: int) -> Iterator[dict[str, object]]:
    for night, commit in enumerate(commit_ids(size)):
        yield {
            "id": night + 1, "commitid": commit, "tag": "", "message": "", "author": "",
            "date": _date(night), "branch_id": branch, "project_id": project,
        }  # fmt: skip


def _date(night: int) -> str:
    return (FIRST_NIGHT + timedelta(days=night)).isoformat(sep=" ")


def _results(
    size: Size, stock: int, patched: int, chance: random.Random
) -> Iterator[tuple[object, ...]]:
    levels = [4.0 * 1.02**number for number in range(size.benchmarks)]
    ratios = [0.99 + chance.random() / 2 for _ in levels]
    for night in range(size.nights):
        date = _date(night)
        drift = 1 + chance.gauss(0, 0.01)  # of the whole box
        for number in range(size.benchmarks):
            if chance.random() < 1 / 400:
                ratios[number] *= 1 + chance.gauss(0, 0.04)
            before = levels[number] * drift * (1 + chance.gauss(0, 0.005))
            ratio = ratios[number] * (1 + chance.gauss(0, 0.005))
            for side, value in ((stock, before), (patched, before / ratio)):
                spread = value * 0.006
                yield (
                    value,
                    spread,
                    value - spread,
                    value + spread,
                    date,
                    night + 1,
                    side,
                    number + 1,
                )
            yield (
                *(ratio, None, ratio * 0.99, ratio * 1.01, date, night + 1, patched),
                size.benchmarks + number + 1,
            )


def _reports(size: Size, executables: Sequence[int]) -> Iterator[dict[str, object]]:
    row = {
        "bench_description": "", "result": 8.123456789, "std_dev": 0.0487, "val_min": 8.0747,
        "val_max": 8.1722, "change": -0.41234567, "trend": 0.51234567,
    }  # fmt: skip
    rows = [{"bench_name": name, **row} for name in benchmark_names(size)]
    table = {
        "units": "ns/op", "units_title": "Time", "lessisbetter": True, "has_stddev": True,
        "hasmin": True, "hasmax": True, "precission": 2,
        "totals": {"change": -0.4, "trend": 0.5}, "rows": rows,
    }  # fmt: skip
    cache = json.dumps([table])
    for night in range(max(0, size.nights - REPORTED_NIGHTS), size.nights):
        for executable in executables:
            yield {
                "summary": "", "colorcode": "none", "_tablecache": cache,
                "environment_id": 1, "executable_id": executable, "revision_id": night + 1,
            }  # fmt: skip


def _insert_told(connection: sqlite3.Connection, size: Size) -> None:
    """Alarms, a tenth of them open, and a record of each night; the box changes once a year."""
    names, commits = benchmark_names(size), commit_ids(size)
    alarms = []
    for number in range(size.alarms):
        night = size.nights - 1 - number % (size.nights - 1)
        alarms.append(
            told_alarm(
                id=alarm_id(number),
                benchmark=names[number % len(names)],
                state="open" if number % 10 == 0 else "recovered",
                since=commits[night],
                before=commits[night - 1],
                executable=f"patched {default_line()}",
                history=told_alarm()["history"] * 20,
                reruns=told_alarm()["reruns"] * 10,
            )
        )
    sheet = told_sheet()
    row = {"made": "2026-01-01 05:00:00", "figures": json.dumps(sheet["figures"])}
    statement = "INSERT INTO boost_dashboard_{} ({}) VALUES ({})"
    for table, rows in (
        ("alarmregister", [{"environment_id": 1, **row}]),
        (
            "alarmrecord",
            [
                {
                    "environment_id": 1, "key": one["id"], "state": one["state"],
                    "benchmark": one["benchmark"], "document": _taken_in(PublishedAlarm, one),
                }
                for one in alarms
            ],
        ),
        ("nightrecord", list(_night_records(size))),
    ):  # fmt: skip
        columns = list(rows[0])
        connection.executemany(
            statement.format(table, ", ".join(columns), ", ".join("?" * len(columns))),
            [tuple(each.values()) for each in rows],
        )


def _taken_in(model: type[Frozen], told: dict[str, Any]) -> str:
    """As the dashboard keeps it."""
    return model.model_validate_json(json.dumps(told), context=TAKEN_IN).model_dump_json()


def _night_records(size: Size) -> Iterator[dict[str, object]]:
    for number, night in enumerate(night_ids(size)):
        changed = number % 365 == 200
        told = told_night(night=night, slot=f"{_date(number)}Z", state="complete")
        if not changed:
            told["box_changes"] = []
        yield {
            "environment_id": 1, "night": night, "slot": _date(number), "state": "complete",
            "changed": changed, "document": _taken_in(NightRecord, told),
        }  # fmt: skip
