"""The profiles of a night's alarms: real builds of Flink's sources, real forks, a real profiler."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from flink_repository import COMMITS, make_repository, recipe_for
from jmh_java import make_java
from stored_runs import store_complete_run
from synthetic import make_forks
from test_bisect_for_real import night as night_run

from flink_boost.base.errors import NoProfiler, NotProfiled
from flink_boost.flink.lines import default_line, find_line
from flink_boost.flink.profiler import Profiler
from flink_boost.judge.alarm_record import AlarmRecord, AlarmState
from flink_boost.measure import store
from flink_boost.measure.model import Built, Mode, RunInfo
from flink_boost.measure.night_record import NightRecord, NightState, Order
from flink_boost.measure.profiles.profile_record import folder_of, read_profile
from flink_boost.publish.alarm_profiles import profiles_of
from flink_boost.publish.alarm_upload import alarm_document
from flink_boost.publish.run_places import Places
from flink_boost.service.detect.alarm_registry import AlarmRegistry, load_registry, store_registry
from flink_boost.service.nightly.alarm_flame_graphs import AlarmProfiles
from flink_boost.service.nightly.night_messages import People
from flink_boost.service.nightly.night_parts import StepSkipped
from flink_boost.service.retention.retention_settings import Retention
from flink_boost.service.retention.sweep import sweep
from lab.real.bench import Silent

pytestmark = [pytest.mark.forks, pytest.mark.needs_jars]

LINE = find_line(default_line())
NOW = datetime(2026, 3, 15, 6, tzinfo=UTC)
NIGHT = "2026-03-14T0100"
ALARM = "a0123456789"


@dataclass
class Box:
    """A build folder after a night that told one alarm, and what calls the step."""

    places: Places
    order: Order
    environ: dict[str, str]
    said: list[str] = field(default_factory=list)

    def step(self, minutes: float = 20, **changes: object) -> str:
        known = AlarmProfiles(self.places, self.environ, minutes, lambda: NOW)
        part = replace(known, **changes)  # type: ignore[arg-type]
        return part(self.night, self.order, Silent(), self.said.append)

    @property
    def night(self) -> NightRecord:
        slot = datetime(2026, 3, 14, 1, tzinfo=UTC)
        return NightRecord(box="box-1", night=NIGHT, slot=slot, state=NightState.COMPLETE)

    @property
    def alarm(self) -> AlarmRecord:
        return load_registry(self.places.build).find(ALARM)

    def set_alarm(self, **changes: object) -> None:
        registry = load_registry(self.places.build)
        store_registry(self.places.build, registry.replaced(self.alarm.model_copy(update=changes)))

    @property
    def profile(self) -> Path:
        return folder_of(profiles_of(self.places.build), ALARM, self.alarm.cell)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build folder with two nights and an alarm, whose second build writes strings slowly."""
    folder = tmp_path_factory.mktemp("night")
    flink = make_repository(LINE, folder / "flink", delay_ns=2000)
    described = recipe_for(flink)
    (folder / "flink.toml").write_text(
        f"kind = 'flink'\nrepository = '{flink.folder}'\nversion = '2.4-SNAPSHOT'\n"
        f"modules = {list(described.modules)}\ncommand = {list(described.command)}\n",
        encoding="utf-8",
    )
    runs: list[RunInfo] = []
    for number, commit in enumerate((flink.commits[2], flink.commits[COMMITS])):
        run = night_run(number, commit)
        store_complete_run(
            folder / "build" / "results", run, make_forks(run, modes=[Mode.AVERAGE_TIME])
        )
        runs.append(run)
    before, since = runs
    record = AlarmRecord(
        id=ALARM, box="box-1", executable="patched 2.3.0", benchmark="write", line=LINE.version,
        kind="step", direction="regression", state=AlarmState.OPEN, effect=0.5, low=None, high=None,
        before="c1", since="c2", told=NIGHT, nights=1, command="flink-boost bench",
        commits=(before.subject_commit, since.subject_commit), series="s", cell=since.cells[0],
        first=1, delay=0, before_run=before.run_id, since_run=since.run_id,
    )  # fmt: skip
    store_registry(folder / "build", AlarmRegistry(made=NOW, alarms=(record,)))
    return folder


@pytest.fixture
def box(made: Path, tmp_path: Path) -> Box:
    """As it was, with a JMH whose lock no other test of this machine holds."""
    shutil.copytree(made / "build", tmp_path / "build")
    if (made / "kept").is_dir():
        shutil.copytree(made / "kept", tmp_path / "build" / "builds")
    java = make_java(tmp_path / "home", double=False)
    build = tmp_path / "build"
    return Box(
        Places(build / "results", build / "spool", build),
        Order(
            lines=(LINE.version,),
            group="smoke",
            strings=1,
            recipe=str(made / "flink.toml"),
            project="flink",
        ),
        {**os.environ, "JAVA_HOME": str(java.parents[1])},
    )


@pytest.mark.test_all
def test_what_was_confirmed_is_profiled_linked_and_kept_apart_from_all_results(
    box: Box, made: Path
) -> None:
    root = profiles_of(box.places.build)
    left_over = root / ALARM / "profiles" / ".profiling-killed"
    left_over.mkdir(parents=True)
    before = {path: path.read_bytes() for path in box.places.results.rglob("*") if path.is_file()}
    assert box.step() == "1 of 1 alarms profiled"
    assert not left_over.exists()

    pair = read_profile(root, ALARM, box.alarm.cell)
    assert pair is not None
    commits = box.alarm.commits
    assert pair.before.name == f"before, {commits[0][:10]}"
    assert pair.after.name == f"after, {commits[1][:10]}"
    # The delay waits for the clock, inlined or not.
    first = pair.top[0]
    assert first.method.endswith(("StringValue.writeString", "System.nanoTime")), pair.text
    assert first.after > 0.5 > first.before
    page = (box.profile / pair.difference).read_text(encoding="utf-8")
    assert f"after, {commits[1][:10]} against before, {commits[0][:10]}" in page
    assert {"before-cpu.html", "after-cpu.html", "after.jfr"} <= {
        file.name for file in box.profile.iterdir()
    }

    # No run has more forks than before, and there is no further run.
    results = {path: path.read_bytes() for path in box.places.results.rglob("*") if path.is_file()}
    assert results == before
    assert store.run_ids(root) == ()

    # The alarm says where, and what comes first.
    assert box.alarm.profile == f"alarms/{ALARM}/difference.html"
    assert first.method in box.alarm.history[-1].note
    registry = load_registry(box.places.build)
    told = alarm_document(
        registry.alarms, (), registry.figures, NOW, "https://pages.example.org/x/"
    )
    assert told.alarms[0].profile == (f"https://pages.example.org/x/alarms/{ALARM}/difference.html")
    assert alarm_document(registry.alarms, (), registry.figures, NOW).alarms[0].profile is None

    # So does the report, beside which the pages are.
    written = People(box.places, box.environ, lambda: NOW).write(box.night)
    assert first.method in written.page.read_text(encoding="utf-8")
    assert f'href="../../alarms/{ALARM}/difference.html"' in written.page.read_text()
    linked = written.page.parent / ".." / ".." / "alarms" / ALARM / "difference.html"
    assert linked.read_bytes() == (box.profile / pair.difference).read_bytes()

    with pytest.raises(StepSkipped, match="no alarm is without its profiles"):
        box.step()

    # Killed after the profiles were kept and before the alarm named them: nothing runs again.
    box.set_alarm(profile=None)
    stamp = (box.profile / pair.difference).stat().st_mtime_ns
    assert box.step() == "1 of 1 alarms profiled"
    assert (box.profile / pair.difference).stat().st_mtime_ns == stamp
    assert box.alarm.profile is not None
    shutil.copytree(box.places.build / "builds", made / "kept")

    # Closed and old: it is deleted, here and beside the reports; what is open stays.
    long_after = datetime.now(UTC) + timedelta(days=40)
    sweep(box.places, Retention(logs=30), long_after, made / "measuring.lock")
    assert box.profile.is_dir()
    box.set_alarm(state=AlarmState.ACCEPTED)
    sweep(box.places, Retention(logs=30), long_after, made / "measuring.lock")
    assert not box.profile.exists()
    assert not linked.exists()


def test_without_a_profiler_the_step_says_so_and_nothing_fails(box: Box) -> None:
    def none() -> Profiler:
        raise NoProfiler("There is no profiler for this machine.", "Profile elsewhere.")

    with pytest.raises(StepSkipped, match="alarms come without flame graphs: There is no prof"):
        box.step(profiler=none)
    assert box.alarm.profile is None
    assert box.alarm.history == ()


def test_what_the_minutes_do_not_last_for_is_left_to_the_next_night(box: Box) -> None:
    assert box.step(minutes=0.01) == "0 of 1 alarms profiled"
    assert "  1 alarms are profiled the next night" in box.said
    assert not box.profile.exists()


def test_a_fork_that_fails_leaves_the_alarm_as_it_was(box: Box, made: Path) -> None:
    action = "echo ERROR: no luck; exit 3"
    make_java(Path(box.environ["JAVA_HOME"]), double=False, failing=range(1, 9), action=action)
    with pytest.raises(NotProfiled, match=r"before, \w+ ended with code 3 \(ERROR: no luck\)"):
        box.step()
    assert box.alarm.profile is None
    assert not box.profile.exists()
    assert not list(profiles_of(box.places.build).rglob(".profiling-*"))


@pytest.mark.parametrize("commit", ["unknown", "ab" * 20 + "-dirty", ""])
def test_what_cannot_be_built_again_is_named(box: Box, commit: str) -> None:
    run_id = box.alarm.before_run
    info = store.load_run(box.places.results, run_id)
    subject = Built(project="flink", version="2.4-SNAPSHOT", commit=commit)
    changed = info.model_copy(update={"subject": subject})
    store.run_path(box.places.results, run_id).write_text(changed.model_dump_json())
    with pytest.raises(NotProfiled, match="which cannot be built again"):
        box.step()


def test_only_what_is_certain_is_profiled_and_not_for_ever(box: Box) -> None:
    def refuse() -> Profiler:
        raise AssertionError("nothing is to be profiled")

    changes: list[Callable[[], None]] = [
        lambda: box.set_alarm(state=AlarmState.WATCHING),
        lambda: box.set_alarm(state=AlarmState.REJECTED),
        lambda: box.set_alarm(state=AlarmState.RECOVERED, kind="recovery"),
        lambda: box.set_alarm(state=AlarmState.OPEN, kind="step", told="earlier", nights=30),
    ]
    for change in changes:
        change()
        with pytest.raises(StepSkipped, match="no alarm is without"):
            box.step(profiler=refuse)
