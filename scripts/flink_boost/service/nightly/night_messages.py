"""The report of a night and the messages about it, from what was measured and remembered."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from flink_boost.base.commands import run_captured
from flink_boost.base.errors import BrokenData, FlinkBoostError, UploadFailed, UsageProblem
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.judge.alarm_record import AlarmRecord, AlarmState
from flink_boost.judge.ratio import compare
from flink_boost.judge.series import settings_of
from flink_boost.measure import fork_files, store
from flink_boost.measure.model import RunInfo
from flink_boost.measure.night_record import NightRecord
from flink_boost.publish.alarm_profiles import copy_alarm_profile
from flink_boost.publish.alarm_upload import alarm_document, pages_address
from flink_boost.publish.nightly.night_facts import (
    CommitNote,
    NightReport,
    ReportedAlarm,
    ReportedNight,
    ReportedProfile,
    ReportedRawData,
    ReportedRow,
)
from flink_boost.publish.nightly.night_report import (
    WrittenNight,
    elsewhere_before,
    kept_nights,
    previous_of,
    ratios_before,
    write_night,
)
from flink_boost.publish.notify.channels import channels_from
from flink_boost.publish.notify.deliver import tell_night
from flink_boost.publish.notify.outbox import Outbox
from flink_boost.publish.raw_data import pack_raw_data
from flink_boost.publish.run_places import Places
from flink_boost.publish.target import URL_VARIABLE, checked_url, shown_address
from flink_boost.publish.trends import FILE_NAME, load_verdicts
from flink_boost.service.builds.recipe import load_recipe
from flink_boost.service.detect.alarm_registry import AlarmRegistry, load_registry
from flink_boost.service.nightly.checking import ahead_sentence
from flink_boost.service.nightly.night_journal import NightJournal
from flink_boost.service.nightly.night_parts import StepSkipped
from flink_boost.service.nightly.slots import is_ahead, slot_from_id

OUTBOX = "notifications"
_GIT_SECONDS = 20.0
_MOST_COMMITS = 40


@dataclass(frozen=True)
class People:
    """Writes the report of a night and sends what there is to say of it."""

    places: Places
    environ: Mapping[str, str]
    clock: Callable[[], datetime]

    @property
    def _reports(self) -> Path:
        return self.places.build / "report"

    def write(self, night: NightRecord) -> WrittenNight:
        """Writes the report of a night, in place of an earlier one."""
        return write_night(self._reports, self._report(night))

    def tell(self, night: NightRecord) -> str:
        """Tells people of a night, each thing once. Raises ``UploadFailed`` when that fails."""
        channels = channels_from(self.environ)
        report = self._report(night, told=True)
        write_night(self._reports, report)
        if not channels.usable:
            for problem in channels.problems:
                raise problem
            raise StepSkipped("no channel is set up: docs/notifications.md says how")
        earlier = [
            one
            for one in kept_nights(self._reports).reports
            if one.night.box == night.box and one.night.slot < night.slot
        ]
        done = tell_night(Outbox(self.places.build / OUTBOX), channels.usable, report, earlier)
        wrong = tuple(problem.message.rstrip(".") for problem in channels.problems)
        if troubles := (*done.troubles, *wrong):
            raise UploadFailed(
                f"Not everybody was told: {'; '.join(troubles)}.",
                "The next night tries again what was not sent; `flink-boost notify send` does so"
                " now. Take out recipients that are refused.",
            )
        return f"{len(done.sent)} messages sent" if done.sent else "there was nothing to say"

    def _report(self, night: NightRecord, *, told: bool = False) -> NightReport:
        """The report; ``told``: with the alarms as they were when this night's was first written.

        What becomes of an alarm later is news of the next night, not of one that was told.
        """
        kept = kept_nights(self._reports).reports
        registry, troubles = self._registry()
        was = next((one for one in kept if one.night.night == night.night), None) if told else None
        if registry is None and was is None:  # as it was known last
            was = next(iter(kept), None)
        alarms = was.alarms if was is not None else self._alarms(night, registry)
        rows, missing = self._rows(night.runs)
        raw = tuple(self._raw_data(night.runs))
        content = night.model_dump(mode="json")
        if night.canary is None or night.canary.ratio is None:
            content["canary"] = None  # it still learns: there is nothing to show
        report = NightReport(
            made=self.clock(),
            night=ReportedNight.model_validate(content),
            alarms=alarms,
            commits=tuple(
                _commit_notes((sha for one in alarms for sha in one.commits), self._clones(night))
            ),
            rows=rows,
            missing=missing,
            dashboard=shown_address(self.environ),
            profiles=tuple(self._profiles(registry.alarms if registry is not None else ())),
            raw=raw,
            warnings=(
                *warnings_of(self.environ),
                *troubles,
                *_retired(night, registry),
                *self._ahead(),
            ),
        )
        if elsewhere := elsewhere_before(kept, report):
            return report.model_copy(
                update={"moved_from": elsewhere.night.box, **_known(elsewhere)}
            )
        previous = previous_of(kept, report)
        if previous is None:
            return report
        ratios = ratios_before(kept, report)
        return report.model_copy(
            update={
                "previous": previous.night.night,
                **_known(previous),
                "rows": tuple(
                    row.model_copy(update={"before": ratios.get((row.line, row.benchmark))})
                    for row in rows
                ),
            }
        )

    def _registry(self) -> tuple[AlarmRegistry | None, tuple[str, ...]]:
        try:
            return load_registry(self.places.build), ()
        except BrokenData as problem:
            return None, (f"The alarms cannot be read, and no new one is told. {problem}",)

    def _alarms(
        self, night: NightRecord, registry: AlarmRegistry | None
    ) -> tuple[ReportedAlarm, ...]:
        if registry is None:
            return ()
        pages = None
        with suppress(UsageProblem):
            pages = pages_address(self.environ)
        document = alarm_document(
            *(registry.alarms, (night.box,), registry.figures, self.clock()), pages=pages
        )
        return tuple(
            ReportedAlarm.model_validate({**told.model_dump(), "growth": one.growth})
            for told, one in zip(document.alarms, registry.alarms, strict=True)
        )

    def _ahead(self) -> Iterable[str]:
        for name in NightJournal(self.places.build / "nights").nights():
            if is_ahead(slot_from_id(name), self.clock()):
                yield ahead_sentence(name)

    def _profiles(self, alarms: Sequence[AlarmRecord]) -> Iterable[ReportedProfile]:
        for one in alarms:
            if one.profile is not None and one.state is not AlarmState.WATCHING:
                found = copy_alarm_profile(self.places.build, one, self._reports)
                if found is not None:
                    yield found

    def _raw_data(self, runs: Sequence[str]) -> Iterable[ReportedRawData]:
        """Packs the runs' raw data beside where the report of each run has them, too."""
        for run_id in runs:
            with suppress(FlinkBoostError):
                info = store.load_run(self.places.results, run_id)
                raw = pack_raw_data(self.places.results, info, self._reports / run_id)
                link = f"{quote(run_id)}/{raw.link}"
                yield ReportedRawData(line=_line_of(info), link=link, title=raw.title)

    def _rows(self, runs: Sequence[str]) -> tuple[tuple[ReportedRow, ...], tuple[str, ...]]:
        rows: list[ReportedRow] = []
        missing: list[str] = []
        verdicts = load_verdicts(self.places.build / FILE_NAME)
        finds = {
            (one.cell, one.settings): str(one.smallest_change)
            for one in verdicts
            if one.smallest_change is not None
        }
        for run_id in runs:
            try:
                info = store.load_run(self.places.results, run_id)
            except FlinkBoostError:
                continue
            found = compare(info, fork_files.read_forks(self.places.results, info).forks)
            rows += [
                ReportedRow(
                    line=_line_of(info),
                    benchmark=one.cell.name,
                    ratio=one.ratio,
                    low=one.low if one.low > 0 else None,
                    high=one.high if math.isfinite(one.high) else None,
                    pairs=one.pairs,
                    verdict=one.verdict.value,
                    finds=finds.get((one.cell, settings_of(info)), ""),
                )
                for one in found
            ]
            measured = {one.cell for one in found}
            missing += [
                f"{info.line} {cell.name}"
                for cell in info.cells
                if cell not in measured and not cell.is_comparator
            ]
        return tuple(rows), tuple(missing)

    def _clones(self, night: NightRecord) -> tuple[Path, ...]:
        """Where commits are looked up: the recipe's repository, and this tree."""
        try:
            order = NightJournal(self.places.build / "nights").order(night.night)
            recipe = load_recipe(order.recipe) if order.recipe else None
        except FlinkBoostError:
            recipe = None
        return (recipe.repository, PROJECT_ROOT) if recipe else (PROJECT_ROOT,)


def warnings_of(environ: Mapping[str, str]) -> tuple[str, ...]:
    """What is wrong with the settings of messages and links, a sentence each."""
    found = [f"{problem}" for problem in channels_from(environ).problems]
    for address in (_address_of_dashboard, pages_address):
        try:
            address(environ)
        except UsageProblem as problem:
            found.append(str(problem))
    return tuple(found)


def _address_of_dashboard(environ: Mapping[str, str]) -> str | None:
    named = environ.get(URL_VARIABLE)
    return checked_url(named) if named else None


def _known(before: NightReport) -> dict[str, object]:
    """What of the alarms was told with that report."""
    return {
        "alarms_before": {one.id: one.state for one in before.alarms},
        "growth_before": {one.id: one.growth for one in before.alarms},
        "bisected_before": tuple(
            one.id for one in before.alarms if one.bisect is not None and one.bisect.state == "done"
        ),
    }


def _retired(night: NightRecord, registry: AlarmRegistry | None) -> Iterable[str]:
    found = registry.retirement(night.box) if registry is not None else None
    if found is not None:
        yield (
            f"The box {found.box} was retired on {found.when:%Y-%m-%d} by {found.by}, so what this"
            " night finds is told to nobody. Stop its nights, or take it back with"
            f" `flink-boost box retire {found.box} --undo`."
        )


def _line_of(info: RunInfo) -> str:
    return f"{info.line} {info.recipe_project}".strip()


def _commit_notes(commits: Iterable[str], clones: Sequence[Path]) -> Iterable[CommitNote]:
    """Whose the commits are that one of the clones has; of others there is nothing to say.

    Nor of a tree with changes: who made the commit below may know nothing of them.
    """
    for sha in list(dict.fromkeys(commits))[:_MOST_COMMITS]:
        if len(sha) < 7 or not sha.isalnum():
            continue
        for clone in clones:
            git = ["git", "-C", str(clone), "log", "-1", "--format=%an%x1f%s", sha, "--"]
            try:
                done = run_captured(git, _GIT_SECONDS)
            except FlinkBoostError:
                continue
            author, separator, subject = done.stdout.strip().partition("\x1f")
            if done.returncode == 0 and separator:
                yield CommitNote(commit=sha, author=author, subject=subject)
                break
