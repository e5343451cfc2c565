"""What a night's findings mean for the alarms: records with the dashboard's names, kept on disk.

::

    <build>/alarms/registry.json    every alarm that there ever was
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from flink_boost.base.errors import BrokenData, UsageProblem
from flink_boost.base.files import exclusive_lock, make_folder, refuse_root, write_durably
from flink_boost.base.text import alike
from flink_boost.judge.alarm_record import (
    CURRENT,
    AlarmDocument,
    AlarmFigures,
    AlarmRecord,
    AlarmState,
    RerunRecord,
    RetiredBox,
    alarm_id,
    figures,
)
from flink_boost.judge.detection.confirmation import Confirmation
from flink_boost.judge.detection.confirmed_changes import ConfirmedAlarm, Kind
from flink_boost.judge.detection.evidence import Evidence
from flink_boost.judge.detection.nights import noise_of
from flink_boost.judge.detection.suspicion import least_change
from flink_boost.judge.merging import merge
from flink_boost.judge.misses import MissedChange, missed
from flink_boost.judge.retirement import left_behind
from flink_boost.measure.model import Frozen, RunInfo
from flink_boost.publish.alarm_upload import alarm_document
from flink_boost.publish.codespeed import benchmark_name, commit_id, executable
from flink_boost.publish.run_note import bench_command
from flink_boost.service.detect.confirming import Findings, WatchedTrack
from flink_boost.service.detect.reruns.rerun_journal import RerunAnswered

_ERROR = 0.05  # of the intervals that are shown


class AlarmRegistry(Frozen):
    """What ``registry.json`` holds; ``rerun_pairs`` are all that were ever rerun.

    ``misses`` are what people reported, told by an alarm since or not.
    """

    schema_version: Literal[1] = 1
    made: datetime | None = None
    rerun_pairs: int = 0
    alarms: tuple[AlarmRecord, ...] = ()
    misses: tuple[MissedChange, ...] = ()
    retired: tuple[RetiredBox, ...] = ()

    @property
    def figures(self) -> AlarmFigures:
        """How right the alarms were so far."""
        found = missed(self.misses, self.alarms)
        return figures(self.alarms, self.rerun_pairs, len(found))

    def find(self, wanted: str) -> AlarmRecord:
        """The alarm of that id, or of the only one that begins so. Raises ``UsageProblem``."""
        found = [one for one in self.alarms if wanted and one.id.startswith(wanted)]
        if len(found) == 1:
            return found[0]
        newest_first = [one.id for one in reversed(self.alarms)]
        near = alike(wanted, newest_first)
        shown = ", ".join(near or newest_first[:5])
        raise UsageProblem(
            f"{len(found)} alarms begin with {wanted!r}."
            if found
            else f"There is no alarm {wanted!r}.",
            f"{'Near are' if near else 'The newest are'}: {shown}; `flink-boost alarm list --all`"
            " lists them."
            if shown
            else "There is none yet; `flink-boost detect --confirm` finds them.",
        )

    def retirement(self, box: str) -> RetiredBox | None:
        """When that box was retired, and by whom; None where it was not, or was taken back."""
        found = (one for one in self.retired if one.box == box and one.back is None)
        return next(found, None)

    def replaced(self, record: AlarmRecord) -> AlarmRegistry:
        """With that alarm in the place of the one with its id."""
        alarms = tuple(record if one.id == record.id else one for one in self.alarms)
        return self.model_copy(update={"alarms": alarms})


def registry_lock(build: Path) -> AbstractContextManager[None]:
    """Whoever changes the registry holds it.

    Raises ``InUse`` when it is held, ``EnvironmentProblem`` as ``refuse_root``.
    """
    refuse_root(build)
    make_folder(build / "alarms")
    return exclusive_lock(build / "alarms" / ".lock", "call that changes alarms")


def load_registry(build: Path) -> AlarmRegistry:
    """The registry; an empty one where there is none yet. Raises ``BrokenData``."""
    path = _path(build)
    try:
        return AlarmRegistry.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return AlarmRegistry()
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise BrokenData(
            f"{path} is damaged, or of a newer version ({place}: {first['msg']}).",
            "Move it away: alarms are found again by the next `flink-boost detect --confirm`,"
            " decisions are not.",
        ) from error


def store_registry(build: Path, registry: AlarmRegistry) -> None:
    """Keeps it. The caller holds ``registry_lock``."""
    make_folder(_path(build).parent)
    write_durably(_path(build), registry.model_dump_json(indent=1) + "\n")


def document_of(
    registry: AlarmRegistry, boxes: Iterable[str], made: datetime, pages: str | None
) -> AlarmDocument | None:
    """What the dashboard has to hear, with what there is of these boxes; None where it is nothing.

    Until a night was confirmed that is which boxes were retired.
    """
    if registry.made is None and not registry.retired:
        return None
    named = () if registry.made is None else boxes
    return alarm_document(
        *(registry.alarms, named, registry.figures, made, pages), retired=registry.retired
    )


def commits_in_use(registry: AlarmRegistry) -> frozenset[str]:
    """Commits whose builds are needed again: of alarms that go on, and of bisects that do."""
    found: set[str] = set()
    for one in registry.alarms:
        searching = one.bisect is not None and one.bisect.state != "done"
        if one.state in CURRENT or searching:
            found.update(one.commits)
        if one.bisect is not None and searching:
            found.update(step.commit for step in one.bisect.steps)
    return frozenset(commit.removesuffix("-dirty") for commit in found)


def after_night(
    registry: AlarmRegistry,
    findings: Findings,
    now: datetime,
    *,
    canary_moved: bool = False,
    night_of: Callable[[RunInfo], str] = lambda run: run.run_id,
    environment: str | None = None,
) -> AlarmRegistry:
    """The registry after these findings. ``night_of`` gives the id of the night of a run."""
    seen = [record for one in findings.tracks for record in _records(one, night_of, environment)]
    pairs = sum(answer.pairs for one in findings.tracks for answer in one.answers)
    looked_through = {
        one.track.key: frozenset(run.run_id for run in one.track.runs) for one in findings.tracks
    }
    alarms = merge(registry.alarms, seen, now, canary_moved=canary_moved, series=looked_through)
    return AlarmRegistry(
        made=now,
        rerun_pairs=max(pairs, registry.rerun_pairs),
        alarms=left_behind(alarms, registry.retired, now),
        misses=registry.misses,
        retired=registry.retired,
    )


def _records(
    watched: WatchedTrack, night_of: Callable[[RunInfo], str], environment: str | None
) -> Iterator[AlarmRecord]:
    for alarm in watched.told:
        yield _record(watched, alarm, AlarmState.OPEN, night_of, environment)
    pending = watched.pending
    if pending is not None and pending.evidence.pairs:
        low, high = pending.evidence.interval(_ERROR)
        differences = sorted(pending.evidence.differences)
        suspected = ConfirmedAlarm(
            night=watched.track.nights[-1].number,
            first=pending.after,
            kind=Kind.STEP,
            effect=differences[len(differences) // 2],
            low=low,
            high=high,
            pairs=pending.evidence.pairs,
            suspected=pending.after,
        )
        yield _record(watched, suspected, AlarmState.WATCHING, night_of, environment)


def _record(
    watched: WatchedTrack,
    alarm: ConfirmedAlarm,
    state: AlarmState,
    night_of: Callable[[RunInfo], str],
    environment: str | None,
) -> AlarmRecord:
    track = watched.track
    earlier = [night.number for night in track.nights if night.number < alarm.first]
    # What came little by little has its size only with its last night.
    drifted = alarm.night if alarm.kind is Kind.DRIFT else alarm.first
    since = track.runs[drifted if alarm.through is None else alarm.through]
    before = track.runs[earlier[-1] if earlier else 0]
    told = track.runs[alarm.night]
    numbers = {run.run_id: number for number, run in enumerate(track.runs)}
    asked = {*range(alarm.suspected, alarm.night + 1), alarm.through}
    way_back = alarm.kind is Kind.RECOVERY
    answers = [one for one in watched.answers if numbers.get(one.asked, -1) in asked]
    return AlarmRecord(
        id=alarm_id(track.key, track.runs[alarm.suspected].run_id),
        box=environment or track.settings.environment,
        executable=executable(since, since.main_sides[1]),
        benchmark=benchmark_name(track.cell, since),
        line=track.settings.line,
        # Slower again is no good end of anything: people have to be told.
        kind="step" if way_back and alarm.effect < 0 else alarm.kind.value,
        direction="improvement" if alarm.effect > 0 else "regression",
        state=state,
        effect=math.exp(alarm.effect),
        low=_ratio(alarm.low),
        high=_ratio(alarm.high),
        before=commit_id(before),
        since=commit_id(since),
        told=night_of(told),
        commits=(before.subject_commit, since.subject_commit),
        nights=sum(night.number >= alarm.first for night in track.nights),
        command=bench_command(since, track.cell),
        reruns=tuple(_reruns(watched, answers, 1 if alarm.effect > 0 else -1)),
        series=track.key,
        cell=track.cell,
        first=alarm.first,
        delay=max(0, alarm.night - alarm.first),
        before_run=before.run_id,
        since_run=since.run_id,
        way_back=way_back,
        back_to=alarm.back_to if way_back else None,
        steps_back_to=alarm.steps_back_to if way_back else -1,
        growth=alarm.growth,
    )


def _reruns(
    watched: WatchedTrack, answers: Sequence[RerunAnswered], direction: int
) -> Iterator[RerunRecord]:
    """What was rerun of each two builds, together, with what was decided then.

    Of builds that were rerun only to find the first changed one, by the same rule.
    """
    runs = watched.track.runs
    commits = {run.run_id: run.subject_commit for run in runs}
    numbers = {run.run_id: number for number, run in enumerate(runs)}
    noise = noise_of(watched.track.nights)
    found: defaultdict[tuple[str, str], list[RerunAnswered]] = defaultdict(list)
    for answer in answers:
        if not answer.same:
            found[answer.before, answer.after].append(answer)
    for (before, after), parts in found.items():
        evidence = Evidence(noise.pair)
        for part in parts:
            evidence.add(part.differences)
        low, high = evidence.interval(_ERROR)
        middle = sorted(evidence.differences)[evidence.pairs // 2] if evidence.pairs else None
        place = numbers.get(before, -1), numbers.get(after, -1)
        rule = Confirmation(*place, direction, least_change(noise), evidence)
        yield RerunRecord(
            when=parts[-1].when,
            before=commits.get(before, before),
            after=commits.get(after, after),
            pairs=sum(part.pairs for part in parts),
            ratio=None if middle is None else math.exp(middle),
            low=_ratio(low),
            high=_ratio(high),
            outcome=watched.decisions.get(place, rule.decided()).value,
        )


def _ratio(logarithm: float) -> float | None:
    return math.exp(logarithm) if math.isfinite(logarithm) else None


def _path(build: Path) -> Path:
    return build / "alarms" / "registry.json"
