"""Nights for years: the store stays bounded but for results, and a night reads them once."""

from __future__ import annotations

import sys
import time
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from failing_codespeed import TOKEN, failing_codespeed
from kept_nights import Machine, evening_of
from synthetic import make_run

from flink_boost.measure.groups import load_groups
from flink_boost.measure.model import Purpose
from flink_boost.measure.night_record import NightRecord, NightState, Order
from flink_boost.publish.upload import RetryPolicy
from flink_boost.service.nightly.night_journal import NightJournal
from flink_boost.service.nightly.night_parts import Parts
from flink_boost.service.nightly.night_plan import PlannedStep
from flink_boost.service.nightly.steps import Steps
from flink_boost.service.retention.retention_settings import Retention

LINE = "2.3.0"
GROWING = {"results", "sent", "nights, files"}  # what the trend needs, and marks without content
_opened: list[str] = []


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and str(arguments[0]).endswith("/summary.json"):
        _opened.append(str(arguments[0]))


def test_a_night_opens_each_run_of_its_history_once(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    runs = [machine.night(day) for day in range(4)]
    slot = runs[-1].started.replace(second=0)
    journal = NightJournal(machine.places.build / "nights")
    with failing_codespeed() as server:
        steps = Steps(
            journal=journal,
            places=machine.places,
            order=Order(lines=(LINE,), group="smoke", strings=1),
            lines={},
            groups=load_groups(),
            parts=cast("Parts", SimpleNamespace(report=lambda _: SimpleNamespace(page=tmp_path))),
            environ={"FLINK_BOOST_CODESPEED_URL": server.url, "FLINK_BOOST_TOKEN": TOKEN},
            policy=RetryPolicy(),
            clock=lambda: slot,
            shown=nullcontext,  # type: ignore[arg-type]
            tell=lambda _: None,
            retention=Retention(),
            machine=tmp_path / "measuring.lock",
        )
        night = NightRecord(
            box="b", night=f"{slot:%Y-%m-%dT%H%M}", slot=slot, state=NightState.RUNNING,
            runs=tuple(run.run_id for run in runs[-3:]),
        )  # fmt: skip
        sys.addaudithook(_note)
        # While it measures, memory is the benchmark's: what is not the canary's is not held.
        canaries = machine.places.history.load(lambda run: run.purpose is Purpose.CANARY)
        assert canaries.runs == ()
        _opened.clear()
        for kind in ("upload", "detect", "report"):
            steps.acts()[kind](night, PlannedStep(kind, kind, "", 0.0))
        opened = Counter(_opened)
    # Once as history; the archives of three reports hold the file as it is.
    for number, run in enumerate(runs):
        path = str(machine.places.results / run.run_id / "summary.json")
        assert opened[path] == 1 + (number > 0), path


def test_two_months_of_nights_stay_bounded(tmp_path: Path) -> None:
    short = Retention(forks=2, logs=6, abandoned=6, sent=3, messages=8, reports=10)
    half, whole = grown(tmp_path, 60, short, every=5, half=45)
    bounded(half, whole, 60 - 45)


@pytest.mark.test_all
@pytest.mark.timeout(900)  # it waits for the disk, most of the time
def test_three_years_of_nights_stay_bounded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    began = time.process_time()
    half, whole = grown(tmp_path, 1095, Retention(), every=5, half=730)
    bounded(half, whole, 365)
    with capsys.disabled():
        print(f"\n1,095 nights of 4 files, {time.process_time() - began:.0f} s of processors:")  # noqa: T201
        for kind, (files, size) in whole.items():
            print(f"  {kind:<22} {files:>6} files {size / 1e6:>8.2f} MB")  # noqa: T201


def grown(
    folder: Path, nights: int, retention: Retention, *, every: int, half: int
) -> tuple[dict[str, tuple[int, int]], dict[str, tuple[int, int]]]:
    """Sizes by kind after some of the nights and after all, swept every so many nights."""
    machine, before = Machine(folder), {}
    for day in range(nights):
        run = machine.night(day)
        if (day + 1) % every == 0:
            swept = machine.sweep(retention, evening_of(run))
            assert not any(one.stays for one in swept)
        if day + 1 == half:
            before = machine.sizes()
    return before, machine.sizes()


def bounded(
    half: dict[str, tuple[int, int]], whole: dict[str, tuple[int, int]], nights: int
) -> None:
    assert set(half) == set(whole)
    for kind, (files, size) in whole.items():
        if kind not in GROWING:
            assert files <= half[kind][0] * 1.02, kind
            assert size <= half[kind][1] * 1.05, kind
    # Of a result four files a night, whatever the number of its forks, and they are small.
    assert whole["results"][0] - half["results"][0] == 4 * nights
    assert (whole["results"][1] - half["results"][1]) / nights < 12_000
    assert whole["sent"][1] <= half["sent"][1] * 1.05


def test_a_run_that_was_changed_is_read_again(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    run = machine.night(0)
    places = machine.places
    assert len(places.history.load().runs) == 1
    machine.night(1)
    (places.results / run.run_id / "complete").unlink()
    assert [one.info.run_id for one in places.history.load().runs] == [make_run(1).run_id]
    (places.results / run.run_id / "complete").touch()
    fork = next((places.results / run.run_id / "forks").glob("*.patched.*.json"))
    fork.unlink()
    (places.results / run.run_id / "summary.json").unlink()
    first = places.history.load().runs[0]
    assert len(first.missing) == 1
    assert first.info.started == run.started
    kept = places.history.load().runs[0]  # the summary was written anew
    assert kept == first
    assert places.history.load().runs[0] is kept
