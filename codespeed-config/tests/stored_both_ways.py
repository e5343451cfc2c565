"""Requests with results, stored by the dashboard or by Codespeed as it is, and what is then there.

Run as a program in the surroundings of a dashboard's database: its argument is ``ours`` or
``codespeeds``, requests are read as JSON from standard input. It prints the answers, the rows, and
for each request the number of statements and the seconds.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from contextlib import nullcontext
from typing import Any
from unittest import mock


def _main(whose: str) -> None:
    import django

    # Codespeed's own reports, too, are those of the former way.
    former = mock.patch("boost_dashboard.compatibility.read_changes_at_once")
    with former if whose == "codespeeds" else nullcontext():
        django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    done = [_send(whose, items) for items in json.load(sys.stdin)]
    sys.stdout.write(json.dumps({"answers": done, "rows": _rows()}, default=str))


def _send(whose: str, items: list[dict[str, Any]]) -> dict[str, Any]:
    from django.db import connection

    kinds: Counter[str] = Counter()

    def count(execute: Any, sql: str, *rest: Any) -> Any:
        kinds[sql.split()[0]] += 1
        return execute(sql, *rest)

    answer = _codespeeds if whose == "codespeeds" else _ours
    began = time.perf_counter()
    with connection.execute_wrapper(count):
        response = answer(_request(items), items)
    return {
        "status": response.status_code,
        "text": response.content.decode(),
        "statements": kinds.total(),
        "seconds": time.perf_counter() - began,
    }


def _request(items: list[dict[str, Any]]) -> Any:
    from django.test import RequestFactory

    return RequestFactory().post("/result/add/json/", {"json": json.dumps(items)})


def _ours(request: Any, _: object) -> Any:
    from boost_dashboard.middleware import WRITER
    from boost_dashboard.results import add_json_results
    from boost_dashboard.writers import Writer

    request.META[WRITER] = Writer("all", b"")
    return add_json_results(request)


def _codespeeds(request: Any, items: list[dict[str, Any]]) -> Any:
    """Codespeed's own view, of items that are as our door lets them in."""
    from codespeed.models import Environment
    from codespeed.views import add_json_results
    from django.db import transaction

    from boost_dashboard.incoming import is_complete, read_result

    with transaction.atomic():
        read = [read_result(item).to_item() if is_complete(item) else item for item in items]
        for item in read:
            if is_complete(item):
                Environment.objects.get_or_create(name=item["environment"])
        response = add_json_results(_request(read))
        if response.status_code >= 400:
            transaction.set_rollback(True)
        return response


def _rows() -> dict[str, list[Any]]:
    """Every row of Codespeed's tables, without its number but in the order of these.

    Results and reports are in no order, and have names for what they point to.
    """
    from codespeed import models

    place = (
        "revision__commitid",
        "revision__branch__name",
        "executable__name",
        "environment__name",
    )
    values = ("value", "date", "std_dev", "val_min", "val_max", "q1", "q3")
    made = [models.Project, models.Branch, models.Environment]
    made += [models.Benchmark, models.Revision, models.Executable]
    numbered = {
        model.__name__: [list(row)[1:] for row in model.objects.order_by("pk").values_list()]
        for model in made
    }
    results = models.Result.objects.values_list(*place, "benchmark__name", *values)
    reports = models.Report.objects.values_list(*place, "summary", "colorcode", "_tablecache")
    unordered = {"Result": results, "Report": reports}
    return numbered | {name: sorted(map(list, rows), key=str) for name, rows in unordered.items()}


if __name__ == "__main__":
    _main(sys.argv[1])
