"""A machine as its nights leave it, made from made results: runs, logs, what was sent, pages."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import nights
import pytest
from stored_runs import store_complete_run
from synthetic import JOB, make_forks, make_run

from flink_boost.cli.main import main
from flink_boost.measure.finalize import load_summary
from flink_boost.measure.model import RunInfo
from flink_boost.publish.codespeed import entries_of
from flink_boost.publish.nightly.night_report import FOLDER
from flink_boost.publish.notify.message import Message
from flink_boost.publish.notify.outbox import Outbox, Posted
from flink_boost.publish.raw_data import pack_raw_data
from flink_boost.publish.run_places import Places
from flink_boost.publish.spool import Spool
from flink_boost.service.retention.retention_settings import Retention
from flink_boost.service.retention.sweep import OUTBOX, Swept, sweep


@dataclass(frozen=True)
class Machine:
    """Its folders; ``night`` makes the next night with all that it leaves."""

    folder: Path

    @property
    def places(self) -> Places:
        return Places(self.folder / "results", self.folder / "spool", self.folder / "build")

    @property
    def lock(self) -> Path:
        """Held by who measures on it."""
        return self.folder.with_name(f"{self.folder.name}.lock")

    def sweep(
        self, retention: Retention, now: datetime, *, most_packed: int | None = None
    ) -> tuple[Swept, ...]:
        """What its nights do with what is too old."""
        return sweep(self.places, retention, now, self.lock, most_packed=most_packed)

    def night(self, day: int, alarms: tuple[str, ...] = ()) -> RunInfo:
        """A night of one benchmark, whose results the dashboard has and people were told of."""
        run = make_run(day, cells=(JOB,), pairs=1)
        folder = store_complete_run(self.places.results, run, make_forks(run))
        for log in (folder / "forks").glob("*.log"):
            log.write_text("# Warmup\n" * 50)
        self._sent(run)
        build = self.places.build
        name = f"{run.started:%Y-%m-%dT%H%M}"
        logs = build / "nights" / name / "logs"
        logs.mkdir(parents=True)
        (logs / "build-2.3.0.log").write_text("built\n" * 100)
        (build / "nights" / name / "night.json").write_text("{}")
        pack_raw_data(self.places.results, run, build / "report" / run.run_id)
        (build / "report" / run.run_id / "index.html").write_text("page\n" * 100)
        page = build / "report" / FOLDER / name
        page.mkdir(parents=True)
        report = nights.report(0, night=nights.night(0, night=name, slot=run.started.isoformat()))
        (page / "report.json").write_text(report.model_dump_json())
        message = Message(
            key=f"night-{name}",
            kind="night",
            made=run.started,
            night=name,
            subject="s",
            lines=("told",),
            alarms=alarms,
        )
        Outbox(build / OUTBOX).write(Posted(channel="mail", message=message), "sent")
        return run

    def _sent(self, run: RunInfo) -> None:
        spool = Spool(self.places.spool)
        for entry in entries_of(load_summary(self.places.results, run.run_id), None):
            spool.add(entry)
            spool.mark_sent(entry.key)
            at(self.places.spool / "sent" / f"{entry.key}.json", run.started)

    def sizes(self) -> dict[str, tuple[int, int]]:
        """Files and bytes by kind, counted apart from the code that deletes them."""
        files: Counter[str] = Counter()
        size: Counter[str] = Counter()
        for path in self.folder.rglob("*"):
            if path.is_file():
                kind = _kind(path.relative_to(self.folder).parts)
                files[kind] += 1
                size[kind] += path.stat().st_size
        return {kind: (files[kind], size[kind]) for kind in sorted(files)}

    def call(self, *words: str) -> int:
        """Calls a command on it; gives its exit code."""
        places = self.places
        where = ("--results", places.results, "--spool", places.spool, "--build", places.build)
        return main([*map(str, where), *words])


def keep_days(folder: Path, monkeypatch: pytest.MonkeyPatch, **days: int) -> None:
    """Makes these the days of retention, as an operator's file does."""
    settings = folder / "retention.toml"
    lines = [f"{kind} = {count}\n" for kind, count in days.items()]
    settings.write_text("".join(["[retention]\n", *lines]))
    monkeypatch.setenv("FLINK_BOOST_RETENTION", str(settings))


def _kind(parts: tuple[str, ...]) -> str:
    if parts[0] == "results":
        return (
            "logs of runs" if parts[-1].endswith(".log") or parts[-1] == "logs.zip" else "results"
        )
    if parts[0] == "spool":
        return parts[1]
    return f"{parts[1]}, {'logs' if 'logs' in parts else 'files'}"


def at(path: Path, moment: datetime) -> None:
    """Makes a file one of that time."""
    os.utime(path, (moment.timestamp(), moment.timestamp()))


def evening_of(run: RunInfo) -> datetime:
    """When the step ``prune`` of that night runs."""
    return run.started + timedelta(hours=6)
