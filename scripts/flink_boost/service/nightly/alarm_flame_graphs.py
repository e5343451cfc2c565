"""The profiles step: where the time goes in each alarm's builds, before against after.

::

    <build>/alarms/profiles/<alarm>/profiles/<benchmark>/    (``measure.profiles.profile_record``)

They are beside all results, so no number comes from these forks.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from flink_boost.base.errors import (
    BrokenData,
    BuildFailed,
    NoProfiler,
    NotProfiled,
    UsageProblem,
)
from flink_boost.flink.lines import Line, find_line
from flink_boost.flink.profiler import Profiler, ensure_profiler
from flink_boost.flink.stacks import ours_of
from flink_boost.judge.alarm_record import AlarmEvent, AlarmRecord, AlarmState
from flink_boost.measure import store
from flink_boost.measure.box import choose_java
from flink_boost.measure.commit_jars import Build
from flink_boost.measure.model import OURS, RunInfo
from flink_boost.measure.night_record import NightRecord, Order
from flink_boost.measure.profiles.profile_record import ProfilePair, read_profile
from flink_boost.measure.profiles.take import LEAST_SECONDS, ProfileSide, remove_left_over, take
from flink_boost.measure.runner import START_SECONDS, Progress
from flink_boost.publish.alarm_profiles import page_of, profiles_of
from flink_boost.publish.run_places import Places
from flink_boost.service.detect.alarm_registry import load_registry, registry_lock, store_registry
from flink_boost.service.detect.reruns.rerun_setup import RerunMeans, rerun_means
from flink_boost.service.nightly.night_parts import StepSkipped, Tell

MINUTES = 20.0
_CONFIRMED = (AlarmState.OPEN, AlarmState.WITHHELD)
_TRIED_NIGHTS = 7  # that an alarm is tried again which could not be profiled
_DRAWING_SECONDS = 15.0


@dataclass(frozen=True)
class AlarmProfiles:
    """Profiles what was confirmed, for so many ``minutes`` a night."""

    places: Places
    environ: Mapping[str, str]
    minutes: float
    now: Callable[[], datetime]
    clock: Callable[[], float] = time.monotonic
    profiler: Callable[[], Profiler] = ensure_profiler

    def __call__(self, night: NightRecord, order: Order, progress: Progress, tell: Tell) -> str:
        """Profiles tonight's alarms, then those that earlier nights had no time for.

        The caller holds the machine's lock. Raises ``NotProfiled`` when none could be profiled.
        """
        wanted = self._wanted(night, order)
        if not wanted:
            raise StepSkipped("no alarm is without its profiles")
        try:
            profiler = self.profiler()
        except NoProfiler as problem:
            raise StepSkipped(f"alarms come without flame graphs: {problem}".rstrip(".")) from None
        means = rerun_means(
            *(order.recipe or OURS, self.places.results, self.places.build),
            *(self.environ, tell, progress),
        )
        began, longest = self.clock(), 0.0
        done: list[str] = []
        failed: list[NotProfiled] = []
        for number, alarm in enumerate(wanted):
            first = self.clock()
            usual = max(longest, _seconds(alarm, self._info(alarm)))
            if first - began + usual > 60 * self.minutes:
                tell(f"  {len(wanted) - number} alarms are profiled the next night")
                break
            try:
                self._profile(alarm, profiler, means, tell)
                done.append(alarm.id)
            except NotProfiled as problem:
                failed.append(problem)
                tell(f"  {problem}")
            longest = max(longest, self.clock() - first)
        if failed and not done:
            raise failed[0]
        return f"{len(done)} of {len(wanted)} alarms profiled" + (
            f", {len(failed)} could not be" if failed else ""
        )

    def _wanted(self, night: NightRecord, order: Order) -> list[AlarmRecord]:
        """Tonight's first, of these the largest; those of another project wait for its night."""
        found = [
            one
            for one in load_registry(self.places.build).alarms
            if one.state in _CONFIRMED
            and one.profile is None
            and one.kind != "recovery"
            and (one.told == night.night or one.nights <= _TRIED_NIGHTS)
            and self._project(one) in (None, order.project)
        ]
        return sorted(found, key=lambda one: (one.told != night.night, one.effect, one.id))

    def _project(self, alarm: AlarmRecord) -> str | None:
        """Whose commits it is about, empty for ours; None where its run is not here."""
        info = self._info(alarm)
        return None if info is None else info.recipe_project

    def _profile(
        self, alarm: AlarmRecord, profiler: Profiler, means: RerunMeans, tell: Tell
    ) -> None:
        root = profiles_of(self.places.build)
        pair = _kept(root, alarm)
        if pair is None:
            info = self._info(alarm)
            if info is None or alarm.cell not in info.cells:
                raise NotProfiled(
                    f"{alarm.id} was not profiled: its run {alarm.since_run} is not here, or names"
                    f" {alarm.cell.name} otherwise.",
                    f"Profile by hand: {alarm.command} --profile",
                )
            line = find_line(info.line)
            sides = (
                self._side("before", alarm.before_run, line, means),
                self._side("after", alarm.since_run, line, means),
            )
            remove_left_over(root, alarm.id)
            pair = take(
                *(root, info.model_copy(update={"run_id": alarm.id}), alarm.cell, sides),
                profiler=profiler,
                java=choose_java(None, info.jdk_feature, line.jdks, dict(self.environ)),
                environment=self.environ,
                ours=ours_of(line.classes),
                tell=lambda sentence: tell(f"  {sentence}"),
            )
        self._link(alarm, pair)

    def _side(self, word: str, run_id: str, line: Line, means: RerunMeans) -> ProfileSide:
        info = self._load(run_id)
        commit = info.subject_commit if info else ""
        if not commit or commit == "unknown" or commit.endswith("-dirty"):
            raise NotProfiled(
                f"{run_id} measured {commit or 'no commit'}, which cannot be built again.",
                "Measure commits: then alarms get flame graphs.",
            )
        try:
            build: Build = means.builder.build(commit, line)
        except (BuildFailed, UsageProblem) as problem:
            raise NotProfiled(problem.message, problem.next_step) from problem
        stock = means.bench.stock_of(line)
        class_path = os.pathsep.join(map(str, (*build.jars, *stock)))
        return ProfileSide(f"{word}, {commit[:10]}", class_path)

    def _link(self, alarm: AlarmRecord, pair: ProfilePair) -> None:
        """Writes into the alarm where its profiles are, and what they show first."""
        shown = pair.text[1] if len(pair.text) > 1 else "no method differs"
        note = f"profiled, {pair.before.name} against {pair.after.name}: {' '.join(shown.split())}"
        with registry_lock(self.places.build):
            registry = load_registry(self.places.build)
            known = registry.find(alarm.id)
            event = AlarmEvent(when=self.now().replace(microsecond=0), state=known.state, note=note)
            changed = {"profile": page_of(alarm.id, pair), "history": (*known.history, event)}
            store_registry(self.places.build, registry.replaced(known.model_copy(update=changed)))

    def _info(self, alarm: AlarmRecord) -> RunInfo | None:
        return self._load(alarm.since_run)

    def _load(self, run_id: str) -> RunInfo | None:
        try:
            return store.load_run(self.places.results, run_id)
        except (UsageProblem, BrokenData):
            return None


def _kept(root: Path, alarm: AlarmRecord) -> ProfilePair | None:
    """What was taken before the alarm could be told of it."""
    try:
        return read_profile(root, alarm.id, alarm.cell)
    except BrokenData:
        return None


def _seconds(alarm: AlarmRecord, info: RunInfo | None) -> float:
    """How long profiling an alarm takes, about."""
    timings: Iterable[float] = (
        (
            one.seconds
            for cell, one in zip(info.cells, info.timings, strict=False)
            if cell == alarm.cell
        )
        if info
        else ()
    )
    return 2 * (max(LEAST_SECONDS, *timings, 0.0) + START_SECONDS) + _DRAWING_SECONDS
