"""A night from its start to its last message: what ``flink-boost nightly`` calls."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, time
from hashlib import sha256

import httpx

from flink_boost.base.errors import BrokenData, FlinkBoostError
from flink_boost.base.files import sha256 as digest_of
from flink_boost.base.files import write_durably
from flink_boost.flink.lines import find_line
from flink_boost.measure import runner
from flink_boost.measure.groups import Group
from flink_boost.measure.night_record import NightRecord, Order, StepRecord, StepState
from flink_boost.publish.alarm_upload import pages_address, send_alarms
from flink_boost.publish.dashboard_post import DocumentRefused, NoSuchPage, Post, post
from flink_boost.publish.run_places import Places
from flink_boost.publish.target import Target, find_target
from flink_boost.publish.upload import RetryPolicy, make_client
from flink_boost.service.detect.alarm_registry import document_of, load_registry
from flink_boost.service.nightly.choose_night import Start, choose_night, plan_of
from flink_boost.service.nightly.night import NightEnd, Waiting, carry_out, close_older
from flink_boost.service.nightly.night_journal import NightJournal
from flink_boost.service.nightly.night_parts import Parts, StepSkipped, Tell
from flink_boost.service.nightly.night_plan import NightPlan
from flink_boost.service.nightly.recipes import order_sentence, pinned, recipe_builds
from flink_boost.service.nightly.slots import slot_of
from flink_boost.service.nightly.source_tree import box_label
from flink_boost.service.nightly.steps import Steps
from flink_boost.service.retention.retention_settings import Retention
from flink_boost.service.retention.sweep import sweep, swept_text

_LEAST_FREE = 1 << 30  # bytes; one night writes some ten MB
PATH = "nights/add/"
_MARK = "sent.sha256"
_NEWEST = 30
_LATER = "The next night sends it again."


@dataclass(frozen=True)
class NightService:
    """Where nights work and with what.

    ``shown`` gives the progress of a run; ``fork_seconds`` limits a fork, by default as the runner.
    """

    places: Places
    groups: Mapping[str, Group]
    parts: Parts
    environ: Mapping[str, str]
    policy: RetryPolicy
    waiting: Waiting
    clock: Callable[[], datetime]
    shown: Callable[[], AbstractContextManager[runner.Progress]]
    tell: Tell
    retention: Retention
    fork_seconds: float | None = None

    @property
    def journal(self) -> NightJournal:
        """The nights of this machine."""
        return NightJournal(self.places.build / "nights")

    def run(self, wanted: Order, at: time, *, resume: bool) -> NightEnd | None:
        """Carries out the night that is due, or what is left of it; None when it is done.

        Older nights that were cut off are closed first, and told of. Raises ``NightRunning``
        when another process works on a night.
        """
        self._make_room()
        with self.journal.held():
            now = self.clock()
            if not resume:
                self._close_older(now, at, wanted.project)
            start = choose_night(
                *(self.journal, now, at, wanted, self.groups),
                label=box_label(self.environ),
                resume=resume,
                tell=self.tell,
                pin=lambda order: pinned(order, self.journal, self.tell),
            )
            if start is None:
                self.send_records()  # it may have been killed after its last step, before this
                return None
            begun = "goes on" if start.goes_on else "begins"
            if about := order_sentence(start.order):
                self.tell(f"It is about {about}")
            self.tell(f"The night {start.night.night} {begun}: {start.plan.expected} benchmarks")
            ended = self._carry_out(start)
            return NightEnd(ended.night, (*ended.problems, *self.send_records()))

    def box(self) -> str:
        """What this box is called on the dashboard: as in the newest night that has a name."""
        for name in reversed(self.journal.nights()):
            with suppress(BrokenData):
                if box := self.journal.load(name).box:
                    return box
        return box_label(self.environ)

    def _make_room(self) -> None:
        """A full disk lets no night come as far as its ``prune``: then that is done first."""
        there = next(one for one in (self.places.build, *self.places.build.parents) if one.exists())
        if shutil.disk_usage(there).free >= _LEAST_FREE:
            return
        try:
            done = swept_text(sweep(self.places, self.retention, self.clock(), self.waiting.lock))
        except Exception as problem:  # whatever it is, the night may have room enough
            done = f"not all that is too old: {str(problem) or type(problem).__name__}".rstrip(".")
        self.tell(f"The disk is nearly full. Deleted: {done}.")

    def plan(self, wanted: Order) -> NightPlan:
        """What a night would do that begins now."""
        return plan_of(wanted, self.groups, self.journal.seconds_before("9999"))[1]

    def pinned(self, wanted: Order) -> Order:
        """What a night would be about that begins now: its commits, too."""
        return pinned(wanted, self.journal, self.tell)

    def send_records(self) -> tuple[FlinkBoostError, ...]:
        """Sends what the dashboard does not have yet of records and alarms; what went wrong."""
        problems: list[FlinkBoostError] = []
        try:
            target = find_target(self.environ, self.places.codespeed / "token")
            with make_client(target, self.policy) as client:
                # A record that is refused is no reason to keep the alarms back.
                try:
                    send_nights(self.journal, target, client)
                except DocumentRefused as problem:
                    problems.append(problem)
                self._send_alarms(target, client)
        except FlinkBoostError as problem:
            problems.append(problem)
        for one in problems:
            self.tell(str(one))
        return tuple(problems)

    def _send_alarms(self, target: Target, client: httpx.Client) -> None:
        registry = load_registry(self.places.build)
        boxes, pages = [self.box()], pages_address(self.environ)
        document = document_of(registry, boxes, self.clock(), pages)
        if document is not None and (left_out := send_alarms(document, target, client)):
            self.tell(left_out)

    def _close_older(self, now: datetime, at: time, project: str) -> None:
        slot = slot_of(now, at)
        close_older(self.journal, self.places.results, slot, self.tell, self.notify, project)

    def notify(self, night: NightRecord) -> None:
        """Tells people of a night that did not come to its end; a failure is told and passed."""
        try:
            self.parts.notify(night)
        except StepSkipped as nobody:
            self.tell(f"Nobody is told: {nobody}.")
        except (FlinkBoostError, OSError) as problem:
            self.tell(str(problem))

    def _carry_out(self, start: Start) -> NightEnd:
        parts = self.parts
        if start.order.project:
            builds = recipe_builds(
                start.order, self.places.build, self.environ, parts.class_paths, self.tell
            )
            parts = replace(parts, builds=builds)
        steps = Steps(
            journal=self.journal,
            places=self.places,
            order=start.order,
            lines={version: find_line(version) for version in start.order.lines},
            groups=start.groups,
            parts=parts,
            environ=self.environ,
            policy=self.policy,
            clock=self.clock,
            shown=self.shown,
            tell=self.tell,
            retention=self.retention,
            machine=self.waiting.lock,
            fork_seconds=self.fork_seconds,
        )
        return carry_out(
            *(
                self._with_its_jars(start),
                start.plan,
                steps.acts(),
                self.journal,
                self.places.results,
            ),
            *(self.waiting, self.tell),
        )

    def _with_its_jars(self, start: Start) -> NightRecord:
        """The night; a line whose jar is another one by now is built and verified again."""
        night, jars = start.night, self.journal.runs(start.night.night).jars
        for line, noted in jars.items():
            measured = night.step(f"measure {line}").state is StepState.DONE
            if measured or self._jar(line) == noted:
                continue
            self.tell(f"The jar of {line} has changed since: it is verified again.")
            for name in (f"build {line}", f"verify {line}"):
                again = StepRecord(name=name, seconds=night.step(name).seconds)
                night = night.with_step(again)
        return night

    def _jar(self, line: str) -> str:
        try:
            return digest_of(self.parts.class_paths(find_line(line)).dropin)
        except FlinkBoostError:
            return ""  # its build says what is missing


def send_nights(journal: NightJournal, target: Target, client: httpx.Client) -> int:
    """Sends the newest nights as far as they have changed; how many there were.

    One that the dashboard refuses does not hold back the others; ``DocumentRefused`` is raised once
    these are sent. Raises ``UploadFailed`` at once when it cannot be reached. A dashboard that has
    no page of nights gets none, and is asked again.
    """
    sent = 0
    refused: DocumentRefused | None = None
    for name in journal.nights()[-_NEWEST:]:
        try:
            night = journal.load(name)
        except BrokenData:
            continue  # whoever begins a night is told of it
        content = night.model_dump_json()
        digest = sha256(f"{target.url}\n{content}".encode()).hexdigest()
        mark = journal.folder / name / _MARK
        if night.box and not (mark.exists() and mark.read_text().strip() == digest):
            what = f"The record of {night.night}"
            try:
                post(Post(PATH, content, what, _LATER), target, client)
            except NoSuchPage:
                break
            except DocumentRefused as problem:
                refused = refused or problem
                continue
            write_durably(mark, digest + "\n")
            sent += 1
    if refused is not None:
        raise refused
    return sent
