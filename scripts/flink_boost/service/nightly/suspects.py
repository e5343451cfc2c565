"""The confirm step: what a night is suspected of is measured again, before against after."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from flink_boost.base.errors import BrokenData
from flink_boost.judge.alarm_record import AlarmState
from flink_boost.judge.detection.suspicion import LEARNING_NIGHTS
from flink_boost.measure.model import OURS
from flink_boost.measure.night_record import (
    LearningRecord,
    NightRecord,
    Order,
    UndecidedRecord,
)
from flink_boost.measure.runner import Progress
from flink_boost.publish.nightly.words import counted
from flink_boost.publish.run_places import Places
from flink_boost.service.detect.confirming import Findings
from flink_boost.service.detect.night_detection import confirm_tonight
from flink_boost.service.detect.reruns.rerun_setup import rerun_means
from flink_boost.service.nightly.canaries import moved_lately
from flink_boost.service.nightly.needed_builds import commits_of_nights
from flink_boost.service.nightly.night_journal import NightJournal
from flink_boost.service.nightly.night_parts import StepSkipped, Tell


@dataclass(frozen=True)
class Suspects:
    """Reruns by the night's recipe; ``pairs`` is the budget of a night."""

    places: Places
    journal: NightJournal
    environ: Mapping[str, str]
    pairs: int

    def __call__(
        self, night: NightRecord, order: Order, progress: Progress, tell: Tell
    ) -> tuple[NightRecord, str]:
        """Confirms, clears or leaves open what the runs of this night are suspected of.

        The caller holds the machine's lock. Raises the errors of ``confirm_tonight``.
        """
        if order.is_chosen:
            raise StepSkipped("somebody chose its commits")
        runs = tuple(self.journal.runs(night.night).by_line.values())
        history = self.places.history.load()
        if not any(run.info.run_id in runs for run in history.runs):
            raise StepSkipped("no run of this night has ended")
        means = rerun_means(
            *(order.recipe or OURS, self.places.results, self.places.build),
            *(self.environ, tell, progress),
        )
        nights = self._nights_by_run()
        registry, findings = confirm_tonight(
            *(history.runs, self.places.results, self.places.build, means),
            pairs=self.pairs,
            tonight=runs,
            canary_moved=moved_lately(self.journal, until=night.night),
            night_of=lambda run: nights.get(run.run_id, run.run_id),
            environment=order.environment or None,
            builds_kept=commits_of_nights(self.journal, self.places.results, order.project),
        )
        for problem in findings.problems:
            tell(f"  {problem}")
        waiting = sum(one.waits and one.track.runs[-1].run_id in runs for one in findings.tracks)
        why = findings.why
        undecided = UndecidedRecord(count=waiting, why=why) if waiting else None
        open_ones = sum(one.state is AlarmState.OPEN for one in registry.alarms)
        note = (
            f"{findings.pairs} of at most {self.pairs} pairs rerun, {open_ones} alarms open,"
            f" {counted(waiting, 'suspect')} undecided"
        )
        if undecided is not None and why:
            note += f": {why}"
        learning = learning_of(findings, runs)
        return night.model_copy(update={"undecided": undecided, "learning": learning}), note

    def _nights_by_run(self) -> dict[str, str]:
        found = {}
        for name in self.journal.nights():
            try:
                runs: Mapping[str, str] = self.journal.runs(name).by_line
            except BrokenData:
                continue
            found.update(dict.fromkeys(runs.values(), name))
        return found


def learning_of(findings: Findings, tonight: Collection[str]) -> LearningRecord | None:
    """How many series of these runs are too short, and how many nights the shortest lacks."""
    lacking = [
        LEARNING_NIGHTS - len(one.track.nights)
        for one in findings.tracks
        if one.track.runs[-1].run_id in tonight and len(one.track.nights) < LEARNING_NIGHTS
    ]
    return LearningRecord(count=len(lacking), nights=max(lacking)) if lacking else None
