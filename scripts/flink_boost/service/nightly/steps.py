"""What each step of a night does; in ``night`` is when, and what becomes of its failure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from flink_boost.base.errors import BrokenData, FlinkBoostError
from flink_boost.base.files import sha256
from flink_boost.flink.lines import Line
from flink_boost.judge.power import with_smallest_change
from flink_boost.judge.series import build_series
from flink_boost.judge.tracks import build_tracks
from flink_boost.judge.trend import TrendKind, detect
from flink_boost.measure import runner
from flink_boost.measure.groups import Group
from flink_boost.measure.model import OURS
from flink_boost.measure.night_record import NightRecord, Order
from flink_boost.measure.renamed_benchmarks import load_renamed
from flink_boost.measure.run_plan import current_commit
from flink_boost.publish.report import write_report
from flink_boost.publish.run_places import Places
from flink_boost.publish.spool import Spool
from flink_boost.publish.spool_runs import spool_new_runs
from flink_boost.publish.target import find_target, shown_address
from flink_boost.publish.trends import FILE_NAME, store_verdicts
from flink_boost.publish.upload import RetryPolicy, make_client, send_unsent
from flink_boost.service.builds.recipe import load_recipe
from flink_boost.service.nightly.measuring import LineWork, measure_line
from flink_boost.service.nightly.needed_builds import prune_builds
from flink_boost.service.nightly.night import Act
from flink_boost.service.nightly.night_journal import NightJournal
from flink_boost.service.nightly.night_parts import PartlyFailed, Parts, StepSkipped, Tell
from flink_boost.service.nightly.night_plan import PlannedStep
from flink_boost.service.nightly.recipes import described
from flink_boost.service.nightly.source_tree import seed_of
from flink_boost.service.retention.retention_settings import Retention
from flink_boost.service.retention.sweep import sweep, swept_text

_MOST_PACKED = 50  # runs, a minute of a processor; a store of years is packed over some nights


@dataclass(frozen=True)
class Steps:
    """The steps of one night.

    ``retention`` is for how long things stay, ``machine`` the lock of those who measure.
    """

    journal: NightJournal
    places: Places
    order: Order
    lines: Mapping[str, Line]
    groups: Mapping[str, Group]
    parts: Parts
    environ: Mapping[str, str]
    policy: RetryPolicy
    clock: Callable[[], datetime]
    shown: Callable[[], AbstractContextManager[runner.Progress]]
    tell: Tell
    retention: Retention
    machine: Path
    fork_seconds: float | None = None

    def acts(self) -> dict[str, Act]:
        """What is done by each kind of step."""
        return {
            "box": self._box,
            "build": self._build,
            "verify": self._verify,
            "canary": self._canary,
            "old-against-new": self._old_against_new,
            "measure": self._measure,
            "upload": self._upload,
            "detect": self._detect,
            "confirm": self._confirm,
            "profiles": self._profiles,
            "report": self._report,
            "notify": self._notify,
            "prune": self._prune,
        }

    @property
    def _all_lines(self) -> tuple[Line, ...]:
        return tuple(self.lines[version] for version in self.order.lines)

    def _box(self, night: NightRecord, _step: PlannedStep) -> tuple[NightRecord, str]:
        found = self.parts.check_box(self._all_lines, self.tell)
        changed = {
            "box": self.order.environment or found.label,
            "quiet": found.quiet,
        }
        return night.model_copy(update=changed), found.note

    def _build(self, night: NightRecord, step: PlannedStep) -> tuple[NightRecord, str]:
        line = self.lines[step.line]
        note = "as it was built before"
        self.journal.note_commit(night.night, line.version, current_commit())
        if self.order.build:
            note = self.parts.build(line, self.journal.log(night.night, step.name))
        paths = self.parts.class_paths(line)
        if self.parts.builds is not None:
            note = described(self.parts.builds(line))
        else:
            self.journal.note_jar(night.night, line.version, sha256(paths.dropin))
        return night, note

    def _verify(self, night: NightRecord, step: PlannedStep) -> tuple[NightRecord, str]:
        if step.pointless:
            raise StepSkipped(step.pointless)
        log = self.journal.log(night.night, step.name)
        seed = seed_of(night.slot)
        return night, self.parts.verify(self.lines[step.line], self.order.strings, seed, log)

    def _canary(self, night: NightRecord, _step: PlannedStep) -> tuple[NightRecord, str]:
        canary, problem = self.parts.canary(night, self._all_lines)
        night = night.model_copy(update={"canary": canary})
        if problem is not None:
            raise PartlyFailed(night, problem)
        note = "the canary moved: alarms of this night are withheld" if canary.moved else "steady"
        return night, note

    def _old_against_new(self, night: NightRecord, _step: PlannedStep) -> tuple[NightRecord, str]:
        lines, builds = self._all_lines, self.parts.builds
        return self.parts.old_against_new(night, self.order, lines, builds)

    def _measure(self, night: NightRecord, step: PlannedStep) -> tuple[NightRecord, str]:
        line = self.lines[step.line]
        java, box = self.parts.describe(line)
        # A clock that was set back does not put a run before its slot.
        started = max(self.clock(), night.slot).replace(microsecond=0)
        builds = self.parts.builds(line) if self.parts.builds is not None else None
        paths = self.parts.class_paths(line)
        if builds is not None:
            paths = builds.class_paths(paths.stock)
        work = LineWork(line, self.groups[step.line], paths, java, box, started, builds)
        with self.shown() as progress:
            run_id = measure_line(
                *(self.journal, self.places.results, night, self.order, work),
                progress=progress,
                environ=self.environ,
                tell=self.tell,
                timeout=self.fork_seconds,
            )
        return night, f"run {run_id}"

    def _upload(self, night: NightRecord, _step: PlannedStep) -> tuple[NightRecord, str]:
        spool = Spool(self.places.spool)
        environment = self.order.environment or None
        spooled = spool_new_runs(spool, self.places.results, environment, self.places.history)
        for sentence in spooled.sentences:
            self.tell(f"  {sentence}")
        waiting = len(spool.unsent_keys())
        if not waiting:
            return night, "everything is sent already"
        target = find_target(self.environ, self.places.codespeed / "token")
        with make_client(target, self.policy) as client:
            report = send_unsent(spool, target, client, self.policy, tell=self.tell)
        report.require_all_sent()
        return night, f"{len(report.sent)} entries sent to {target.url}"

    def _detect(self, night: NightRecord, _step: PlannedStep) -> tuple[NightRecord, str]:
        history = self.places.history.load()
        for problem in history.broken:
            self.tell(f"  {problem}")
        tracks = build_tracks(history.runs, load_renamed())
        verdicts = with_smallest_change(detect(build_series(history.runs)), tracks)
        store_verdicts(self.places.build / FILE_NAME, verdicts, self.clock())
        slower = sum(one.kind is TrendKind.CANDIDATE_REGRESSION for one in verdicts)
        return night, f"{len(verdicts)} series, {slower} of them slower lately"

    def _confirm(self, night: NightRecord, _step: PlannedStep) -> tuple[NightRecord, str]:
        with self.shown() as progress:
            return self.parts.confirm(night, self.order, progress, self.tell)

    def _profiles(self, night: NightRecord, _step: PlannedStep) -> tuple[NightRecord, str]:
        with self.shown() as progress:
            return night, self.parts.profiles(night, self.order, progress, self.tell)

    def _report(self, night: NightRecord, _step: PlannedStep) -> tuple[NightRecord, str]:
        pages = []
        for run_id in night.runs:
            try:
                written = write_report(
                    *(self.places.results, self.places.build / "report", run_id),
                    dashboard_url=shown_address(self.environ),
                    made=self.clock(),
                    reader=self.places.history,
                )
            except FlinkBoostError as problem:
                self.tell(f"  {problem}")
                continue
            pages.append(str(written.page))
        return night, ", ".join((str(self.parts.report(night).page), *pages))

    def _notify(self, night: NightRecord, _step: PlannedStep) -> tuple[NightRecord, str]:
        return night, self.parts.notify(night)

    def _prune(self, night: NightRecord, _step: PlannedStep) -> tuple[NightRecord, str]:
        now = max(self.clock(), night.slot)
        results, build = self.places.results, self.places.build
        try:
            done = swept_text(
                sweep(*(self.places, self.retention, now, self.machine), most_packed=_MOST_PACKED)
            )
        except BrokenData as problem:
            raise StepSkipped(problem.message.rstrip(".")) from problem
        recipe = load_recipe(self.order.recipe or OURS)
        builds = prune_builds(results, build, self.journal, recipe, self.order)
        return night, f"{builds}; {done}"
