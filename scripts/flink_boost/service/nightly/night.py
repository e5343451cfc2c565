"""Drives a night: step after step, each written down before and after, none lost by another.

A night that was killed goes on where it was: what is done stays done, and what hangs on what
is done later is done again. A step that fails does not cost the others; what needs it is skipped,
and says why.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TypeVar

from flink_boost.base.errors import EnvironmentProblem, FlinkBoostError, MachineBusy
from flink_boost.base.text import describe_left, one_line
from flink_boost.measure import machine_priority
from flink_boost.measure.machine_lock import machine_lock
from flink_boost.measure.night_record import NightRecord, NightState, StepRecord, StepState
from flink_boost.service.nightly.measuring import close_runs, count_measured
from flink_boost.service.nightly.night_journal import NightJournal
from flink_boost.service.nightly.night_parts import PartlyFailed, StepSkipped, Tell
from flink_boost.service.nightly.night_plan import NightPlan, PlannedStep

# While these run nothing else may use the cores.
_MEASURING = frozenset(
    {"box", "build", "verify", "canary", "old-against-new", "measure", "confirm", "profiles"}
)
_HELD_OVER = frozenset({"upload", "detect"})  # between two that measure, and short
# What changes what a later step says: where one is done again, so are those.
_FOLLOWED = frozenset({"canary", "old-against-new", "measure", "detect", "confirm"})
_FOLLOWING = frozenset({"upload", "detect", "confirm", "profiles", "report", "notify", "prune"})
_LOOK_AGAIN_SECONDS = 5.0
_CLOSED_NIGHTS = 14
_LONGEST_FAULT = 300  # characters: the dashboard takes a sentence, not a page

_T = TypeVar("_T")
Act = Callable[[NightRecord, PlannedStep], tuple[NightRecord, str]]


@dataclass(frozen=True)
class Waiting:
    """How long a night waits for the machine, and what for it looks at."""

    lock: Path
    seconds: float
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


@dataclass(frozen=True)
class NightEnd:
    """How a night ended; ``problems`` are those of its steps, in their order."""

    night: NightRecord
    problems: tuple[FlinkBoostError, ...]


def carry_out(
    night: NightRecord,
    plan: NightPlan,
    acts: Mapping[str, Act],
    journal: NightJournal,
    results: Path,
    waiting: Waiting,
    tell: Tell,
) -> NightEnd:
    """Does what is left of a night and ends it; the caller holds the journal.

    ``acts`` do the steps, by kind: each gets the night as it stands and returns it with a note.
    Raises ``EnvironmentProblem`` when the machine does not become free; the night then is refused,
    and the next start of the same slot tries again.
    """
    problems: list[FlinkBoostError] = []
    with ExitStack() as held:
        locked = False
        for number, step in enumerate(plan.steps, start=1):
            if not _is_left(night, plan, step):
                continue
            if step.kind in _MEASURING and not locked:
                try:
                    held.enter_context(
                        _machine(waiting, f"flink-boost nightly, {night.night}", tell)
                    )
                except EnvironmentProblem as problem:
                    _refuse(night, journal, problem)
                    raise
                locked = True
            elif step.kind not in _MEASURING | _HELD_OVER and locked:
                held.close()
                locked = False
            left = describe_left(step.seconds + plan.seconds_after(step.name))
            tell(f"[{number}/{len(plan.steps)}] {step.name}" + (f", {left}" if left else ""))
            if step.kind in ("report", "notify"):
                night = judged(_counted(night, journal, results), final=True)
            before, later = night, plan.steps[number:]
            if step.kind in _FOLLOWED and not _lacking(night, step):
                night = _waiting_again(night, later)
            night = _take(night, step, acts[step.kind], journal, waiting, problems, tell)
            if night.step(step.name).state is StepState.SKIPPED:
                night = _as_before(night, before, later)
    night = judged(_counted(night, journal, results), final=True)
    journal.write(night)
    return NightEnd(night, tuple(problems))


def _waiting_again(night: NightRecord, later: Sequence[PlannedStep]) -> NightRecord:
    """Undone is what hangs on the step that begins: also where the night is killed in it."""
    for step in later:
        if step.kind in _FOLLOWING and (known := night.step(step.name)).state is StepState.DONE:
            night = night.with_step(StepRecord(name=step.name, seconds=known.seconds))
    return night


def _is_left(night: NightRecord, plan: NightPlan, step: PlannedStep) -> bool:
    if night.step(step.name).state is not StepState.DONE:
        return True
    if step.kind == "box":
        # Another sitting is on another day of the box: look again before anything is measured.
        kinds = {other.name: other.kind for other in plan.steps}
        return any(
            one.state is not StepState.DONE and kinds[one.name] in _MEASURING - {"box"}
            for one in night.steps
        )
    return False


def _as_before(
    night: NightRecord, before: NightRecord, later: Sequence[PlannedStep]
) -> NightRecord:
    """What hangs on a step that had nothing to do stays as it was."""
    for step in later:
        night = night.with_step(before.step(step.name))
    return night


def _lacking(night: NightRecord, step: PlannedStep) -> list[str]:
    """The steps that it needs and that are not done."""
    return [name for name in step.needs if night.step(name).state is not StepState.DONE]


def _take(
    night: NightRecord,
    step: PlannedStep,
    act: Act,
    journal: NightJournal,
    waiting: Waiting,
    problems: list[FlinkBoostError],
    tell: Tell,
) -> NightRecord:
    record = night.step(step.name)
    if lacking := _lacking(night, step):
        why = f"{lacking[0]} {night.step(lacking[0]).state.value}"
        tell(f"  skipped: {why}")
        skipped = StepRecord(name=step.name, state=StepState.SKIPPED, note=f"skipped: {why}")
        night = night.with_step(skipped)
        journal.write(_running(night))
        return night
    running = record.model_copy(update={"state": StepState.RUNNING, "note": ""})
    # On disk it runs to its end; the step sees what has been judged so far.
    journal.write(_running(night.with_step(running)))
    began = waiting.clock()
    state, note = StepState.DONE, ""
    try:
        # Who measures by hand may hold the results a little longer than the machine.
        night, note = when_free(partial(act, night, step), waiting, tell)
    except StepSkipped as skip:
        state, note = StepState.SKIPPED, f"skipped: {skip}"
    except PartlyFailed as failure:
        night = failure.night
        problems.append(failure.problem)
        state, note = StepState.FAILED, str(failure.problem)
    except Exception as error:
        problem = _problem_of(error, journal.log(night.night, step.name))
        problems.append(problem)
        state, note = StepState.FAILED, str(problem)
    seconds = round((record.seconds or 0.0) + max(0.0, waiting.clock() - began), 1)
    if note:
        tell(f"  {note}")
    changed = StepRecord(name=step.name, state=state, seconds=seconds, note=note)
    night = night.with_step(changed)
    journal.write(_running(night))
    return night


def _running(night: NightRecord) -> NightRecord:
    return night.model_copy(update={"state": NightState.RUNNING})


def _problem_of(error: Exception, log: Path) -> FlinkBoostError:
    """What to say of it; where nobody foresaw it, its traceback is put behind the step's log."""
    if isinstance(error, FlinkBoostError):
        return error
    if isinstance(error, OSError):
        place = f" ({error.filename})" if error.filename else ""
        return EnvironmentProblem(
            f"A file could not be used: {error.strerror or error}{place}.",
            "What was measured is kept; the next night sends it.",
        )
    # Whatever its text holds: a part of a name that is no text must not end the night either.
    with suppress(OSError), log.open("a", encoding="utf-8", errors="backslashreplace") as file:
        file.writelines(traceback.format_exception(error))
    said = one_line(f"{type(error).__name__}: {error}")
    return FlinkBoostError(
        f"A fault of flink-boost: {said[:_LONGEST_FAULT]}.",
        f"Report it, with the end of {log}; what was measured is kept.",
    )


def _counted(night: NightRecord, journal: NightJournal, results: Path) -> NightRecord:
    runs = tuple(journal.runs(night.night).by_line.values())
    measured = min(night.expected, count_measured(results, runs))
    return night.model_copy(update={"runs": runs, "measured": measured})


def judged(night: NightRecord, *, final: bool) -> NightRecord:
    """The night with the state that its steps and counts give; pure. Not ``final``: it was cut."""
    failed = [one for one in night.steps if one.state is StepState.FAILED]
    unmet = [one for one in night.steps if one.state in (StepState.RUNNING, StepState.WAITING)]
    # Gone on with by day, when the box is not quiet, it is no less measured.
    if any(one.name == "box" for one in failed) and night.measured < night.expected:
        state, reason = NightState.REFUSED, _first_sentence(night.step("box").note)
    elif night.measured == 0:
        state, reason = NightState.EMPTY, "nothing was measured"
    elif night.measured < night.expected:
        state = NightState.SHORT
        reason = f"{night.measured} of {night.expected} benchmarks were measured"
    elif failed or (unmet and not final):
        state, reason = NightState.FAILED, "everything was measured"
    else:
        return night.model_copy(update={"state": NightState.COMPLETE, "reason": ""})
    if state is not NightState.REFUSED and failed:
        reason += f"; {failed[0].name} failed: {_first_sentence(failed[0].note)}"
    elif not final and unmet:
        reason += f"; it was cut off at {unmet[0].name}"
    return night.model_copy(update={"state": state, "reason": reason})


def _first_sentence(note: str) -> str:
    return note.split(". ")[0].removesuffix(".")


def close_older(
    journal: NightJournal,
    results: Path,
    slot: datetime,
    tell: Tell,
    notify: Callable[[NightRecord], None] = lambda _: None,
    project: str = "",
) -> tuple[NightRecord, ...]:
    """Closes what is unfinished of nights before that slot, gaps and all; returns them.

    One of another project than ``project`` has a day, in which its own call goes on with it.
    ``notify`` tells people of each, before it is written down as closed: whoever is killed between
    the two tells of it again, which reaches nobody twice.
    """
    closed = []
    for name in journal.nights()[-_CLOSED_NIGHTS:]:
        try:
            night = journal.load(name)
        except FlinkBoostError as error:
            tell(str(error))
            continue
        if night.slot >= slot or (
            slot - night.slot < timedelta(days=1) and _project_of(journal, name) != project
        ):
            continue
        # Of a night that ended with a failure, too: a run may have been left to be gone on with.
        try:
            close_runs(results, journal.runs(name).by_line.values())
        except MachineBusy as busy:
            # Whoever measures by hand keeps no night from beginning, which waits for the machine.
            tell(f"{busy.message} The runs of {name} are closed by the next night.")
        except FlinkBoostError as error:
            # As of a newer flink-boost; it keeps no night from beginning.
            tell(f"The night {name} cannot be closed: {error}")
            continue
        if night.state is not NightState.RUNNING:
            continue
        night = judged(_counted(night, journal, results), final=False)
        steps = tuple(_ended(one) for one in night.steps)
        night = night.model_copy(update={"steps": steps})
        notify(night)
        journal.write(night)
        tell(f"The night {name} is closed as {night.state.value}: {night.reason}.")
        closed.append(night)
    return tuple(closed)


def _project_of(journal: NightJournal, name: str) -> str:
    try:
        return journal.order(name).project
    except FlinkBoostError:
        return ""


def _ended(step: StepRecord) -> StepRecord:
    if step.state not in (StepState.RUNNING, StepState.WAITING):
        return step
    note = "skipped: the night was cut off"
    return step.model_copy(update={"state": StepState.SKIPPED, "note": note})


def _refuse(night: NightRecord, journal: NightJournal, problem: EnvironmentProblem) -> None:
    refused = {"state": NightState.REFUSED, "reason": problem.message}
    journal.write(night.model_copy(update=refused))


@contextmanager
def _machine(waiting: Waiting, purpose: str, tell: Tell) -> Iterator[None]:
    """The machine for this night alone, once whoever measures has ended."""
    with ExitStack() as held:
        with machine_priority.announced(waiting.lock, machine_priority.NIGHTLY):
            when_free(
                lambda: held.enter_context(machine_lock(waiting.lock, purpose)), waiting, tell
            )
        yield


def when_free(call: Callable[[], _T], waiting: Waiting, tell: Tell) -> _T:
    """Calls again while the machine is busy, as long as may be waited; then ``MachineBusy``."""
    deadline = waiting.clock() + waiting.seconds
    told = False
    while True:
        try:
            return call()
        except MachineBusy as problem:
            if waiting.clock() >= deadline:
                raise
            if not told:
                tell(f"{problem.message} Waiting up to {waiting.seconds / 60:.0f} min for it.")
                told = True
            waiting.sleep(_LOOK_AGAIN_SECONDS)


def resumed(night: NightRecord, names: Sequence[str]) -> NightRecord:
    """A night as another sitting begins it: what is not done waits again."""
    known = {one.name: one for one in night.steps}
    steps = tuple(
        known[name]
        if name in known and known[name].state is StepState.DONE
        else StepRecord(name=name, seconds=known[name].seconds if name in known else None)
        for name in names
    )
    return night.model_copy(update={"steps": steps, "state": NightState.RUNNING, "reason": ""})
