"""What stands across a chart: changes of the box, and alarms of a benchmark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC
from typing import Any

from codespeed.models import Executable
from django.urls import reverse

from boost_dashboard.alarms import told_alarms
from boost_dashboard.nights import box_changes
from boost_dashboard.reading.rows import Benchmark, Run


def box_marks(box_id: int, runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Nights between these runs, oldest first, in which something of the box had changed."""
    if not runs:
        return []
    return [
        {
            "seconds": int(night.told.slot.replace(tzinfo=UTC).timestamp()),
            "text": " ".join(
                (
                    f"Box changed: {night.told.changes_text}",
                    *(one.sentence for one in night.told.old_against_new),
                )
            ),
            "address": reverse("night", args=[night.told.night]),
        }
        for night in box_changes(box_id, runs[0].date, runs[-1].date)
    ]


def alarm_marks(
    box_id: int, benchmarks: Iterable[Benchmark], executables: Iterable[int], runs: Sequence[Run]
) -> dict[int, list[dict[str, Any]]]:
    """By benchmark: alarms that begin with one of these runs; ``run`` is its place."""
    places = {run.commit: place for place, run in enumerate(runs)}
    names = set(Executable.objects.filter(id__in=executables).values_list("name", flat=True))
    by_subject: dict[str, list[int]] = {}
    for benchmark in benchmarks:
        by_subject.setdefault(benchmark.subject, []).append(benchmark.id)
    found: dict[int, list[dict[str, Any]]] = {}
    for alarm in told_alarms(environment_id=box_id, benchmark__in=list(by_subject)):
        if alarm.told is None or alarm.said.since not in places:
            continue
        if alarm.said.executable in names:
            mark = {
                "run": places[alarm.said.since],
                "text": f"{alarm.change}, {alarm.state}",
                "address": f"{reverse('alarm', args=[alarm.told.id])}?env={box_id}",
            }
            for number in by_subject[alarm.benchmark]:
                found.setdefault(number, []).append(mark)
    return found
