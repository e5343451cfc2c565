"""What a night deletes: builds that nothing needs, logs that are old, and nothing else."""

from __future__ import annotations

import os
import re
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from stored_runs import store_complete_run
from synthetic import JOB, make_forks, make_run

from flink_boost.base.files import exclusive_lock
from flink_boost.judge.alarm_record import AlarmRecord, AlarmState, alarm_id
from flink_boost.judge.bisection import BisectRecord, BisectStep
from flink_boost.measure import store
from flink_boost.measure.model import Built
from flink_boost.measure.night_record import NightRecord, NightState, Order, Runs
from flink_boost.publish.run_places import Places
from flink_boost.service.builds.cache import BuildCache
from flink_boost.service.builds.recipe import Recipe
from flink_boost.service.detect.alarm_registry import AlarmRegistry, registry_lock, store_registry
from flink_boost.service.nightly.needed_builds import commits_of_nights, prune_builds
from flink_boost.service.nightly.night_journal import NightJournal
from flink_boost.service.nightly.night_messages import People
from flink_boost.service.nightly.slots import night_id, slot_from_id
from flink_boost.service.retention.retention_settings import Retention
from flink_boost.service.retention.sweep import sweep

LINE = "2.3.0"
OLDEST_SLOT = slot_from_id("2026-01-01T0100")


def commit(place: int) -> str:
    return f"{place:040x}"


@pytest.fixture
def recipe(tmp_path: Path) -> Recipe:
    return Recipe(
        kind="flink",
        project="flink",
        repository=tmp_path,
        command=("true",),
        jars=("a.jar",),
        keep=2,
    )


def seen(name: str, state: AlarmState, first: int, last: int, **changes: Any) -> AlarmRecord:
    """An alarm about the commits at these places."""
    values: dict[str, Any] = {
        "id": alarm_id(name, "run"), "box": "b", "executable": "patched 2.3.0 flink",
        "benchmark": "write", "line": LINE, "kind": "step", "direction": "regression",
        "state": state, "effect": 0.95, "low": 0.94, "high": 0.96, "before": "c1", "since": "c2",
        "told": "night", "commits": (commit(first), commit(last)), "nights": 1, "command": "again",
        "series": name, "cell": JOB, "first": 1, "delay": 0, "before_run": "r1", "since_run": "r2",
    }  # fmt: skip
    return AlarmRecord(**{**values, **changes})


def keep_builds(build: Path, count: int) -> BuildCache:
    """A build of each of so many commits, used in their order."""
    cache = BuildCache(build, "flink")
    for place in range(count):
        aside = build / f"aside-{place}"
        aside.mkdir(parents=True)
        jar, log = aside / "flink-core.jar", aside / "log"
        jar.write_text(f"{place}")
        log.write_text("")
        built = Built(project="flink", version="0", commit=commit(place))
        cache.keep(built, LINE, "r", (jar,), log, aside)
        os.utime(cache.folder / commit(place) / LINE / "build.json", (place, place))
    return cache


def night(journal: NightJournal, day: int, state: NightState, **what: str) -> str:
    slot = OLDEST_SLOT + timedelta(days=day)
    name = night_id(slot)
    order = Order(lines=(LINE,), group="smoke", strings=1, **what)
    journal.begin(NightRecord(box="b", night=name, slot=slot, state=state), order)
    return name


def builds_left(cache: BuildCache) -> list[int]:
    return sorted(int(path.parent.parent.name, 16) for path in cache.folder.glob("*/*/build.json"))


def test_what_alarms_bisects_and_nights_need_stays(tmp_path: Path, recipe: Recipe) -> None:
    build = tmp_path / "build"
    cache = keep_builds(build, 14)
    frozen = build / "canary" / LINE / "files" / "kept.jar"
    frozen.parent.mkdir(parents=True)
    frozen.write_text("")
    steps = (BisectStep(commit=commit(5), outcome="good"),)
    searching = BisectRecord(state="stopped", left=2, steps=steps)
    found = searching.model_copy(update={"state": "done"})
    registry = AlarmRegistry(
        alarms=(
            seen("o", AlarmState.OPEN, 0, 1),
            seen("w", AlarmState.WATCHING, 2, 2),
            seen("a", AlarmState.ACCEPTED, 3, 3),
            seen("s", AlarmState.ACCEPTED, 4, 4, bisect=searching),
            seen("d", AlarmState.RECOVERED, 6, 6, bisect=found),
        )
    )
    with registry_lock(build):
        store_registry(build, registry)
    journal = NightJournal(build / "nights")
    night(journal, 0, NightState.COMPLETE, project="flink", commit=commit(7))
    night(journal, 1, NightState.COMPLETE, project="flink", commit=commit(8))
    for day in range(2, 6):
        night(journal, day, NightState.SHORT, project="other", commit=commit(9))
    night(journal, 6, NightState.RUNNING, project="flink", commit=commit(10), reference=commit(11))
    order = journal.order(journal.nights()[-1])

    done = prune_builds(tmp_path / "results", build, journal, recipe, order)
    assert done == "4 builds of flink"
    # Newest two by use are 12 and 13; 3, 6, 7 and 9 nobody needs.
    assert builds_left(cache) == [0, 1, 2, 4, 5, 8, 10, 11, 12, 13]
    assert frozen.exists()
    again = prune_builds(tmp_path / "results", build, journal, recipe, order)
    assert again == "0 builds of flink"


def test_nothing_is_deleted_while_somebody_builds(tmp_path: Path, recipe: Recipe) -> None:
    cache = keep_builds(tmp_path, 5)
    journal = NightJournal(tmp_path / "nights")
    order = Order(lines=(LINE,), group="smoke", strings=1, project="flink")
    with exclusive_lock(cache.folder / ".lock", "build"):
        done = prune_builds(tmp_path / "results", tmp_path, journal, recipe, order)
    assert done == "builds stay, as one is being made"
    assert builds_left(cache) == [0, 1, 2, 3, 4]
    assert prune_builds(tmp_path / "results", tmp_path, journal, recipe, order).startswith("3 ")


def test_nights_of_ours_are_known_by_their_runs(tmp_path: Path) -> None:
    results, journal = tmp_path / "results", NightJournal(tmp_path / "nights")
    info = make_run(commit="ab" * 20)
    store_complete_run(results, info, make_forks(info))
    name = night(journal, 0, NightState.COMPLETE)
    journal.write_runs(name, Runs(by_line={LINE: info.run_id, "1.20.5": "never-begun"}))
    for day in range(1, 5):
        night(journal, day, NightState.EMPTY)
    kept = store.load_run(results, info.run_id).subject_commit
    assert commits_of_nights(journal, results, "") == {kept}
    assert commits_of_nights(journal, results, "flink") == frozenset()


def test_the_raw_data_of_a_night_are_linked_and_lose_only_their_logs(tmp_path: Path) -> None:
    run = make_run(0)
    store_complete_run(tmp_path / "results", run, make_forks(run))
    (tmp_path / "results" / run.run_id / "forks" / "p01.stock.log").write_text("said")
    slot = run.started.replace(minute=0, second=0)
    record = NightRecord(
        box="box-1",
        night=night_id(slot),
        slot=slot,
        state=NightState.COMPLETE,
        runs=(run.run_id, "gone"),
    )
    places = Places(tmp_path / "results", tmp_path / "spool", tmp_path)
    written = People(places, {}, lambda: slot).write(record)
    (link,) = re.findall(
        r'href="([^"]+)" download>Raw data of Flink 2\.3\.0<', written.page.read_text()
    )
    assert f"[Raw data of Flink 2.3.0]({link}): " in written.markdown.read_text()

    def names() -> set[str]:
        with zipfile.ZipFile(written.page.parent / link) as archive:
            return set(archive.namelist())

    before = names()
    log = f"{run.run_id}/forks/p01.stock.log"
    assert log in before
    assert sum(name.endswith(".json") for name in before) > 10
    sweep(places, Retention(logs=30), run.started + timedelta(days=31), tmp_path / "measuring.lock")
    assert names() == {name for name in before if not name.endswith(".log")}
