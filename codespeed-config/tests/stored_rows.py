"""Puts rows into a dashboard's database as they are, past every check of an upload.

Run as a program in the dashboard's surroundings, it reads items like those of an upload from
standard input; ``store`` calls it so.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[1]


def django_environ(data: Path) -> dict[str, str]:
    """The environment in which a program meets that dashboard's database."""
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("FLINK_BOOST_", "DJANGO_")) and key != "DATABASE_URL"
    }
    return {
        **kept,
        "PYTHONPATH": str(PROJECT),
        "DJANGO_SETTINGS_MODULE": "boost_dashboard.settings",
        "FLINK_BOOST_EMBEDDED": "1",
        "FLINK_BOOST_DASHBOARD_DATA": str(data),
    }


def store(data: Path, items: Iterable[dict[str, Any]]) -> None:
    """Stores results of the form of an upload's, whatever is in them."""
    run_in_dashboard(data, Path(__file__), json.dumps(list(items)))


def run_in_dashboard(
    data: Path, program: Path, text: str = "", *words: str, **variables: str
) -> str:
    """What that program prints."""
    done = subprocess.run(
        [sys.executable, str(program), *words],
        env={**django_environ(data), **variables},
        input=text,
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _main() -> None:
    import django

    django.setup()
    from codespeed import models
    from django.db import transaction

    def one(model: Any, **fields: Any) -> Any:
        key = (model, *sorted((name, str(value)) for name, value in fields.items()))
        if key not in known:
            defaults = {"default_branch": "master"} if model is models.Project else {}
            known[key] = model.objects.get_or_create(**fields, defaults=defaults)[0]
        return known[key]

    known: dict[Any, Any] = {}
    described: dict[str, Any] = {}
    rows = []
    with transaction.atomic():
        for item in json.load(sys.stdin):
            project = one(models.Project, name=item["project"])
            branch = one(models.Branch, name=item["branch"], project=project)
            stamp = item["revision_date"]
            date = None if stamp is None else datetime.fromisoformat(stamp)
            key = (item["commitid"], branch.id)
            if key not in known:
                known[key] = models.Revision.objects.get_or_create(
                    commitid=item["commitid"],
                    branch=branch,
                    defaults={"date": date, "project": project},
                )[0]
            name = item["benchmark"]
            if name not in described:
                described[name] = models.Benchmark.objects.get_or_create(
                    name=name,
                    defaults={
                        "units": item["units"],
                        "units_title": item["units_title"],
                        "lessisbetter": item["lessisbetter"],
                        "description": item.get("description", ""),
                    },
                )[0]
            rows.append(
                models.Result(
                    value=item["result_value"],
                    std_dev=item.get("std_dev"),
                    val_min=item.get("min"),
                    val_max=item.get("max"),
                    date=date,
                    revision=known[key],
                    executable=one(models.Executable, name=item["executable"], project=project),
                    benchmark=described[name],
                    environment=one(models.Environment, name=item["environment"]),
                )
            )
        models.Result.objects.bulk_create(rows, batch_size=2000)
        for report in item_reports(rows):
            models.Report.objects.bulk_create([models.Report(**report)])


def item_reports(rows: list[Any]) -> list[dict[str, Any]]:
    """One report per run, box and executable, with a table like Codespeed's."""
    from codespeed import models

    found: dict[tuple[int, int, int], dict[str, Any]] = {}
    have = set(models.Report.objects.values_list("revision", "environment", "executable"))
    for row in rows:
        key = (row.revision_id, row.environment_id, row.executable_id)
        if key in have:
            continue
        report = found.setdefault(
            key,
            {
                "revision": row.revision,
                "environment": row.environment,
                "executable": row.executable,
                "summary": f"{row.benchmark.name} up 3.1%"[:64],
                "colorcode": "red",
                "_tablecache": [],
            },
        )
        if not report["_tablecache"]:
            report["_tablecache"] = [
                {
                    "units": row.benchmark.units,
                    "units_title": row.benchmark.units_title,
                    "lessisbetter": True,
                    "has_stddev": False,
                    "hasmin": False,
                    "hasmax": False,
                    "precission": 2,
                    "totals": {"change": "-", "trend": "-"},
                    "rows": [
                        {
                            "bench_name": row.benchmark.name,
                            "bench_description": row.benchmark.description,
                            "result": row.value,
                            "std_dev": "-",
                            "val_min": "-",
                            "val_max": "-",
                            "change": "-",
                            "trend": "-",
                        }
                    ],
                }
            ]
    newest = sorted(found.values(), key=lambda each: str(each["revision"].date))[-40:]
    return [{**each, "_tablecache": json.dumps(each["_tablecache"])} for each in newest]


if __name__ == "__main__":
    _main()
