"""What is new since the last night, in words. Pure; the page and the messages say the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from flink_boost.judge.bisection import BisectRecord
from flink_boost.measure.field_checks import per_cent
from flink_boost.measure.night_record import NightState, StepRecord
from flink_boost.publish.nightly.night_facts import (
    CommitNote,
    NightReport,
    ReportedAlarm,
    ReportedNight,
)
from flink_boost.publish.nightly.words import blamed, counted, short, size_of

_STATES: dict[NightState, str] = {
    NightState.RUNNING: "The night is not over yet",
    NightState.COMPLETE: "",
    NightState.SHORT: "The night is short",
    NightState.EMPTY: "The night measured nothing",
    NightState.MISSING: "The night did not take place",
    NightState.REFUSED: "The night was refused",
    NightState.FAILED: "The night ended with an error",
}


@dataclass(frozen=True)
class NightChange:
    """One thing that is new: what, since when, by how much, whose, and what to do.

    ``bad`` is for the eye; ``command`` may be empty.
    """

    alarm: ReportedAlarm
    title: str
    size: str
    since: str
    whose: str
    advice: str
    command: str
    bad: bool


@dataclass(frozen=True)
class NightNews:
    """What there is to say of a night. ``quiet`` when nobody has to know.

    ``returned`` are ways back that closed no alarm, as people had decided it. ``unsettled`` are
    suspicions of which nobody can say yet whether something changed. ``moved`` says that the box is
    another than before; empty where it is the same.
    """

    headline: str
    new_alarms: tuple[NightChange, ...]
    closed: tuple[NightChange, ...]
    returned: tuple[NightChange, ...]
    found: tuple[NightChange, ...]
    troubles: tuple[str, ...]
    moved: str
    still_open: tuple[ReportedAlarm, ...]
    unsettled: int

    @property
    def changes(self) -> tuple[NightChange, ...]:
        """All that concerns benchmarks, worst first."""
        return (*self.new_alarms, *self.found, *self.closed, *self.returned)

    @property
    def quiet(self) -> bool:
        return not (self.changes or self.troubles or self.moved)


def news_of(report: NightReport) -> NightNews:
    """What is new; the order of alarms in the report changes nothing."""
    alarms = sorted(report.alarms, key=lambda one: (*_rank(one), one.id))
    commits = {note.commit: note for note in report.commits}
    new = [
        _change(one, commits)
        for one in alarms
        if one.state == "open"
        and (
            report.alarms_before.get(one.id) != "open"
            or one.growth > report.growth_before.get(one.id, one.growth)
        )
    ]
    closed = [
        _closed(one, commits)
        for one in alarms
        if one.state in _CLOSED
        and report.alarms_before.get(one.id, one.state) != one.state
        # What nobody had been told of ends without a word.
        and (one.state not in _UNDECIDED or report.alarms_before.get(one.id) == "open")
    ]
    returned = [_returned(one, commits) for one in alarms if _has_returned(one, report)]
    fresh = {change.alarm.id for change in new}
    found = [
        _found(one, commits)
        for one in alarms
        if one.bisect is not None
        and one.bisect.state == "done"
        and one.id not in report.bisected_before
        and one.id not in fresh
        and one.state == "open"
    ]
    troubles = (*of_night(report.night), *of_canary(report), *report.warnings)
    return NightNews(
        headline=_headline(report, new, closed, returned, found, troubles),
        new_alarms=tuple(new),
        closed=tuple(closed),
        returned=tuple(returned),
        found=tuple(found),
        troubles=tuple(troubles),
        moved=_moved(report),
        still_open=tuple(one for one in alarms if one.state == "open" and one.id not in fresh),
        unsettled=_unsettled(report),
    )


def open_changes(report: NightReport) -> tuple[NightChange, ...]:
    """All open alarms as changes, whether they are of tonight or not."""
    alarms = sorted(report.alarms, key=lambda one: (*_rank(one), one.id))
    commits = {note.commit: note for note in report.commits}
    return tuple(_change(one, commits) for one in alarms if one.state == "open")


_CLOSED = {
    "recovered": "is as fast as before again",
    "accepted": "its new speed was accepted",
    "rejected": "the alarm was rejected",
    "environment": "it was the machine, not the code",
    "retired": "nobody decides it any more, as its box was retired",
}
_UNDECIDED = ("recovered", "retired")  # ends that no person has brought about


def _has_returned(alarm: ReportedAlarm, report: NightReport) -> bool:
    """Whether it is a way back that is new, of a benchmark without an alarm that it has ended."""
    before = report.alarms_before
    # It may have been a suspicion, of which nobody was told.
    was_unknown = before.get(alarm.id) in (None, "watching")
    is_new = was_unknown and (bool(before) or alarm.told == report.night.night)
    if alarm.kind != "recovery" or not is_new:
        return False
    return not any(
        one.kind != "recovery"
        and one.state == "recovered"
        and before.get(one.id) != "recovered"
        and (one.box, one.line, one.benchmark) == (alarm.box, alarm.line, alarm.benchmark)
        for one in report.alarms
    )


def _rank(alarm: ReportedAlarm) -> tuple[int, float]:
    """Regressions first, then the largest."""
    return (0 if alarm.direction == "regression" else 1, -abs(1 - alarm.effect))


def _change(alarm: ReportedAlarm, commits: dict[str, CommitNote]) -> NightChange:
    worse = alarm.direction == "regression"
    manner = " little by little, night after night" if alarm.kind == "drift" else ""
    became = "slower" if worse else "faster"
    return NightChange(
        alarm=alarm,
        title=f"{alarm.benchmark} on Flink {alarm.line} has become {became}{manner}",
        size=size_of(alarm),
        since=_since(alarm),
        whose=whose(alarm, commits),
        advice=(
            "Measure it again, then mend or revert the commit; if it has to be so, accept it with "
            f"`flink-boost alarm accept {alarm.id} --reason …`."
            if worse
            else f"Good news. `flink-boost alarm accept {alarm.id} --reason …` takes note of it."
        ),
        command=alarm.command,
        bad=worse,
    )


def _closed(alarm: ReportedAlarm, commits: dict[str, CommitNote]) -> NightChange:
    decision = alarm.decision
    reason = f" by {decision.by}: {decision.reason}" if decision is not None else ""
    what = f": {_CLOSED[alarm.state]}{reason}"
    return _over(alarm, commits, what, f"It had been {size_of(alarm)}")


def _returned(alarm: ReportedAlarm, commits: dict[str, CommitNote]) -> NightChange:
    return _over(alarm, commits, f" {_CLOSED['recovered']}", size_of(alarm))


def _over(
    alarm: ReportedAlarm, commits: dict[str, CommitNote], what: str, size: str
) -> NightChange:
    return NightChange(
        alarm=alarm,
        title=f"{alarm.benchmark} on Flink {alarm.line}{what}",
        size=size,
        since=_since(alarm),
        whose=whose(alarm, commits),
        advice="Nothing is left to do.",
        command="",
        bad=False,
    )


def _found(alarm: ReportedAlarm, commits: dict[str, CommitNote]) -> NightChange:
    return NightChange(
        alarm=alarm,
        title=f"{alarm.benchmark} on Flink {alarm.line}: {_ended(alarm.bisect)}",
        size=size_of(alarm),
        since=_since(alarm),
        whose=whose(alarm, commits),
        advice="Mend or revert what brought it, or accept the new speed with a reason.",
        command=alarm.command,
        bad=alarm.direction == "regression",
    )


def _ended(bisect: BisectRecord | None) -> str:
    if bisect is None or not bisect.first_bad:
        return "the search found no commit"
    several = len(bisect.parts) > 1
    return f"the {'commits behind it are' if several else 'commit behind it is'} found"


def _since(alarm: ReportedAlarm) -> str:
    before, since = map(short, alarm.commits)
    if alarm.kind == "drift":
        return f"commit {before}, up to {since}, in {counted(alarm.nights, 'night')}"
    level = "not yet" if alarm.kind == "recovery" else "as before"
    return f"commit {since} ({before} was {level}), {counted(alarm.nights, 'night')} so far"


def whose(alarm: ReportedAlarm, commits: dict[str, CommitNote]) -> str:
    """Whose commit it is, as far as that is known."""
    bisect = alarm.bisect
    if bisect is not None and bisect.first_bad:
        return blamed(bisect, lambda commit: f"commit {short(commit)}{_by(commit, commits)}")
    searching = ""
    if bisect is not None and bisect.state == "running":
        searching = f" The search goes on, {counted(bisect.left, 'commit')} left."
    if bisect is not None and bisect.state == "stopped":
        searching = f" The search stopped with {counted(bisect.left, 'commit')} left."
    before, since = alarm.commits
    if alarm.kind == "drift":
        return f"no single commit, but several of those after {short(before)} up to {short(since)}."
    uncommitted = ", or what was not committed then" if since.endswith("-dirty") else ""
    return (
        f"one of the commits after {short(before)} up to {short(since)}{_by(since, commits)}"
        f"{uncommitted}.{searching}"
    )


def _by(commit: str, commits: dict[str, CommitNote]) -> str:
    note = commits.get(commit)
    return f" by {note.author}: {note.subject}" if note is not None else ""


def _moved(report: NightReport) -> str:
    if not report.moved_from:
        return ""
    return (
        f"The first night on the box {report.night.box}: those before ran on {report.moved_from}."
        " Speeds of both do not compare, so nothing was held against nights of before."
    )


def _unsettled(report: NightReport) -> int:
    """Suspicions without an answer; what this night left undecided is watched, too."""
    undecided = report.night.undecided.count if report.night.undecided is not None else 0
    watched = sum(one.state == "watching" for one in report.alarms)
    withheld = sum(one.state == "withheld" for one in report.alarms)
    return withheld + max(watched, undecided)


def _headline(
    report: NightReport,
    new: Sequence[NightChange],
    closed: Sequence[NightChange],
    returned: Sequence[NightChange],
    found: Sequence[NightChange],
    troubles: Sequence[str],
) -> str:
    worse = sum(change.bad for change in new)
    better = len(new) - worse
    parts = [f"the first night on the box {report.night.box}"] if report.moved_from else []
    parts += [f"{counted(worse, 'benchmark')} became slower"] if worse else []
    parts += [f"{counted(better, 'benchmark')} became faster"] if better else []
    parts += [f"{counted(len(returned), 'benchmark')} as fast as before again"] if returned else []
    parts += [f"the commit behind {counted(len(found), 'alarm')} was found"] if found else []
    parts += [f"{counted(len(closed), 'alarm')} closed"] if closed else []
    if troubles:
        parts.append(f"{counted(len(troubles), 'thing')} went wrong")
    if parts:
        sentence = ", ".join(parts)
        return sentence[0].upper() + sentence[1:] + "."
    measured = counted(report.night.measured, "benchmark")
    still_open = sum(one.state == "open" for one in report.alarms)
    if unsettled := _unsettled(report):
        waiting = f"{counted(unsettled, 'suspicion')} not decided yet"
        return f"Nothing is confirmed: {measured} measured, {waiting}."
    if not _judged(report.night):
        return f"{measured} measured, and not judged: confirm did not take place."
    if learning := report.night.learning:
        nights = counted(learning.nights, "more night")
        if learning.count >= report.night.measured:
            return f"Learning: {measured} measured; only large changes are seen for {nights}."
        return (
            f"Nothing changed in what can be judged: {measured} measured, of which"
            f" {learning.count} are learning for {nights}."
        )
    if still_open:
        return f"Nothing new: {measured} measured, {counted(still_open, 'alarm')} still open."
    return f"Nothing changed: {measured} measured, all steady."


def _judged(night: ReportedNight) -> bool:
    """Whether suspects were looked at; of a night that is not over, those who come later do."""
    return all(one.state != "skipped" for one in night.steps if one.name == "confirm")


def of_night(night: ReportedNight) -> Iterable[str]:
    """Of the night itself."""
    state = _STATES[night.state]
    if state:
        reason = f": {night.reason}" if night.reason else ""
        yield f"{state}{reason.rstrip('.')}."
    if night.measured < night.expected and night.state != "missing":
        yield (
            f"{night.measured} of {counted(night.expected, 'benchmark')} were measured; "
            "the others are listed below."
        )
    for step in night.steps:
        if step.state == "failed":
            yield f"The step “{step.name}” failed{_note(step)}."
    if night.undecided is not None and night.undecided.why:
        yield (
            f"{counted(night.undecided.count, 'suspect')} could not be measured again, so that "
            f"nobody knows whether something changed: {night.undecided.why.rstrip('.')}."
        )
    for change in night.box_changes:
        yield (
            f"The box has changed: {change.what} was {change.before} and is {change.after}. "
            "Numbers from before and after that do not compare."
        )


def of_canary(report: NightReport) -> Iterable[str]:
    """Of the frozen build that is measured beside it."""
    canary = report.night.canary
    if canary is None or not canary.moved:
        return
    withheld = sum(one.state == "withheld" for one in report.alarms)
    held = f" {counted(withheld, 'suspicion')} held back until it is steady." if withheld else ""
    yield (
        f"The canary moved by {per_cent(canary.ratio)}: it is a frozen build, so it is the machine "
        f"that changed, not the code.{held}"
    )


def _note(step: StepRecord) -> str:
    return f": {step.note.rstrip('.')}" if step.note else ""
