"""Looks for the commit that an alarm began with: halves the commits, builds and reruns each middle.

What was found of a commit is kept in the alarm at once, and its forks in the store of reruns, so a
bisect that was stopped anywhere goes on there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flink_boost.base.errors import BuildFailed, UsageProblem
from flink_boost.flink.lines import Line
from flink_boost.judge.alarms import AlarmRecord, BisectRecord, BisectStep
from flink_boost.judge.detection.confirmation import MOST_PAIRS, Confirmation, Decision
from flink_boost.judge.detection.evidence import Evidence
from flink_boost.measure.build import Build
from flink_boost.measure.model import Cell, Purpose, RunInfo
from flink_boost.service.builds.builder import Builder
from flink_boost.service.reruns.bench import BuildQuestion, TwoBuildRerun

_ERROR = 0.05  # of the intervals that are shown
_LEAST_EFFECT = 0.005  # log-ratio; less would take thousands of pairs


@dataclass(frozen=True)
class BisectJob:
    """What is looked for. ``commits`` come after the good one, oldest first; the last one is bad.

    ``night`` gives the options of the forks, ``cell`` is what that night called the benchmark.
    """

    alarm: AlarmRecord
    good: str
    commits: tuple[str, ...]
    line: Line
    night: RunInfo
    cell: Cell


def bisect(
    job: BisectJob,
    builder: Builder,
    bench: TwoBuildRerun,
    pairs: int,
    keep: Callable[[BisectRecord], None],
    tell: Callable[[str], None],
) -> BisectRecord:
    """Goes on until one commit is left, or that many pairs were rerun in this call.

    ``keep`` is called after each commit. A commit that does not build, or that 120 pairs do not
    decide about, is passed over: then several may be left. Raises ``UsageProblem`` for a drift,
    which no single commit causes, and ``BuildFailed`` when the good commit does not build.
    """
    if job.alarm.kind == "drift":
        raise UsageProblem(
            f"{job.alarm.id} is a drift: no single commit caused it.",
            "Compare two nights of it: `flink-boost alarm show` names the first.",
        )
    known = {commit: place for place, commit in enumerate(job.commits)}
    before = job.alarm.bisect.steps if job.alarm.bisect else ()
    steps = [step for step in before if step.commit in known]
    used, good = 0, None
    while (middle := next_commit(job.commits, steps)) is not None:
        if used >= pairs:
            record = _record(job.commits, steps, "stopped")
            keep(record)
            return record
        good = good or builder.build(job.good, job.line)
        left = _left(job.commits, steps)
        tell(f"{left} commits left; trying {middle[:12]}")
        step, spent = _try(job, builder, bench, good, middle, min(MOST_PAIRS, pairs - used))
        used += spent
        if step is None:
            record = _record(job.commits, steps, "stopped")
            keep(record)
            return record
        steps.append(step)
        tell(f"{middle[:12]} is {step.outcome}")
        keep(_record(job.commits, steps, "running"))
    record = _record(job.commits, steps, "done")
    keep(record)
    return record


def next_commit(commits: Sequence[str], steps: Sequence[BisectStep]) -> str | None:
    """The commit nearest to the middle of those left that was not tried; None when there is none.

    ``commits`` as in ``BisectJob``: the last one is bad without being tried.
    """
    last_good, first_bad = _bounds(commits, steps)
    tried = {step.commit for step in steps}
    between = [place for place in range(last_good + 1, first_bad) if commits[place] not in tried]
    if not between:
        return None
    middle = (last_good + first_bad) / 2
    return commits[min(between, key=lambda place: (abs(place - middle), place))]


def _bounds(commits: Sequence[str], steps: Sequence[BisectStep]) -> tuple[int, int]:
    places = {commit: place for place, commit in enumerate(commits)}
    good = [places[step.commit] for step in steps if step.outcome == "good"]
    bad = [places[step.commit] for step in steps if step.outcome == "bad"]
    first_bad = min([*bad, len(commits) - 1])
    return max([-1, *(place for place in good if place < first_bad)]), first_bad


def _left(commits: Sequence[str], steps: Sequence[BisectStep]) -> int:
    last_good, first_bad = _bounds(commits, steps)
    return first_bad - last_good


def _record(commits: Sequence[str], steps: Sequence[BisectStep], state: str) -> BisectRecord:
    left = _left(commits, steps)
    found = commits[_bounds(commits, steps)[1]] if left == 1 else None
    return BisectRecord.model_validate(
        {"state": state, "first_bad": found, "left": left, "steps": tuple(steps)}
    )


def _try(
    job: BisectJob,
    builder: Builder,
    bench: TwoBuildRerun,
    good: Build,
    commit: str,
    most: int,
) -> tuple[BisectStep | None, int]:
    """What a commit is, and how many pairs it took; None when the call's pairs were too few."""
    try:
        build = builder.build(commit, job.line)
    except BuildFailed:
        return BisectStep(commit=commit, outcome="skipped"), 0
    if build.digest == good.digest:
        return BisectStep(commit=commit, outcome="good", ratio=1.0), 0
    effect = math.log(job.alarm.effect)
    if abs(effect) < _LEAST_EFFECT:
        raise UsageProblem(f"{job.alarm.id} is too small to bisect.", "Look at its commits.")
    confirmation = Confirmation(
        before=0,
        after=1,
        direction=1 if effect > 0 else -1,
        least=abs(effect) / 2,
        evidence=Evidence(abs(effect) / 2),
    )
    asked = BuildQuestion(
        night=job.night,
        cell=job.cell,
        before=good,
        after=build,
        purpose=Purpose.BISECT,
        asked=f"{job.alarm.id}/{commit}",
    )
    spent = 0

    def rerun(_before: int, _after: int, count: int) -> Sequence[float]:
        nonlocal spent
        found = bench.rerun(asked, spent, count)
        spent += count
        return found

    decision = confirmation.run(rerun, most)
    if decision is Decision.INCONCLUSIVE and most < MOST_PAIRS and confirmation.evidence.pairs:
        return None, spent
    return _step(commit, decision, confirmation.evidence), spent


def _step(commit: str, decision: Decision, evidence: Evidence) -> BisectStep:
    low, high = evidence.interval(_ERROR)
    differences = sorted(evidence.differences)
    middle = differences[len(differences) // 2] if differences else None
    outcome = {Decision.CONFIRMED: "bad", Decision.CLEARED: "good"}.get(decision, "unclear")
    return BisectStep.model_validate(
        {
            "commit": commit,
            "outcome": outcome,
            "ratio": None if middle is None else math.exp(middle),
            "low": math.exp(low) if math.isfinite(low) else None,
            "high": math.exp(high) if math.isfinite(high) else None,
        }
    )
