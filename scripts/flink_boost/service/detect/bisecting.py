"""Looks for the commits that an alarm began with: halves them, builds and reruns each middle.

What was found of a commit is kept in the alarm at once, and its forks in the store of reruns, so a
bisect that was stopped anywhere goes on there.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from flink_boost.base.errors import BuildFailed, UsageProblem
from flink_boost.flink.lines import Line
from flink_boost.judge.alarm_record import AlarmRecord
from flink_boost.judge.bisection import (
    LEAST_PART,
    BisectRecord,
    BisectStep,
    Search,
    Trial,
    search_of,
)
from flink_boost.judge.detection.confirmation import MOST_PAIRS, Confirmation, Decision
from flink_boost.judge.detection.evidence import Evidence
from flink_boost.measure.commit_jars import Build
from flink_boost.measure.model import Cell, Purpose, RunInfo
from flink_boost.service.builds.builder import RecipeBuilder
from flink_boost.service.detect.reruns.bench import BuildQuestion, ForkRerun

_ERROR = 0.05  # of the intervals that are shown
_LEAST_EFFECT = 0.005  # log-ratio; less would take thousands of pairs


@dataclass(frozen=True)
class BisectJob:
    """What is looked for. ``commits`` come after the good one, oldest first.

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
    builder: RecipeBuilder,
    bench: ForkRerun,
    pairs: int,
    keep: Callable[[BisectRecord], None],
    tell: Callable[[str], None],
) -> BisectRecord:
    """Goes on until the whole change is found, or that many pairs were measured in this call.

    Both ends are rerun first. After a commit that brought a part, the rest is looked for.

    ``keep`` is called after each commit. A commit that does not build, or that 120 pairs do not
    decide about, is passed over: then several may be left. Raises ``UsageProblem`` for a drift,
    which no single commit causes, and ``BuildFailed`` when the good commit does not build.
    """
    if job.alarm.kind == "drift":
        raise UsageProblem(
            f"{job.alarm.id} is a drift: no single commit caused it.",
            "Compare two nights of it: `flink-boost alarm show` names the first.",
        )
    known = {*job.commits, job.good}
    before = job.alarm.bisect.steps if job.alarm.bisect else ()
    steps = [
        step for step in before if step.commit in known and (step.against or job.good) in known
    ]
    used = 0
    while (trial := _search(job, steps).trial) is not None:
        if used >= pairs:
            record = _record(job, steps, "stopped")
            keep(record)
            return record
        against = builder.build(trial.against, job.line)
        tell(f"{_search(job, steps).left} commits left; trying {trial.commit[:12]}")
        step, spent = _try(job, builder, bench, against, trial, pairs - used)
        used += spent
        if step is None:
            record = _record(job, steps, "stopped")
            keep(record)
            return record
        steps.append(step)
        tell(f"{trial.commit[:12]} is {step.outcome}")
        keep(_record(job, steps, "running"))
    record = _record(job, steps, "done")
    keep(record)
    return record


def _search(job: BisectJob, steps: Sequence[BisectStep]) -> Search:
    return search_of(job.good, job.commits, steps, job.alarm.effect)


def _record(job: BisectJob, steps: Sequence[BisectStep], state: str) -> BisectRecord:
    search = _search(job, steps)
    return BisectRecord.model_validate(
        {
            "state": state,
            "first_bad": search.parts[0].commit if search.parts else None,
            "left": search.left,
            "steps": tuple(steps),
            "parts": search.parts,
        }
    )


def _try(
    job: BisectJob,
    builder: RecipeBuilder,
    bench: ForkRerun,
    against: Build,
    trial: Trial,
    left: int,
) -> tuple[BisectStep | None, int]:
    """What a commit is, and how many pairs were measured; None when ``left`` were too few."""
    try:
        build = builder.build(trial.commit, job.line)
    except BuildFailed:
        return _step(job, trial, "skipped"), 0
    if build.digest == against.digest:
        return _step(job, trial, "good", ratio=1.0), 0
    effect = math.log(job.alarm.effect)
    if abs(effect) < _LEAST_EFFECT:
        raise UsageProblem(f"{job.alarm.id} is too small to bisect.", "Look at its commits.")
    confirmation = Confirmation(
        before=0,
        after=1,
        direction=1 if effect > 0 else -1,
        least=abs(effect) * LEAST_PART,
        evidence=Evidence(abs(effect) / 2),
    )
    asked = BuildQuestion(
        night=job.night,
        cell=job.cell,
        before=against,
        after=build,
        purpose=Purpose.BISECT,
        asked="/".join((job.alarm.id, *_named(job, trial), trial.commit)),
    )
    # Read again they cost nothing; counted, a call of few pairs would never come past them.
    before = bench.asked_before(asked)
    most = min(MOST_PAIRS, before + left)
    read = 0

    def rerun(_before: int, _after: int, count: int) -> Sequence[float]:
        nonlocal read
        found = bench.rerun(asked, read, count)
        read += count
        return found

    decision = confirmation.run(rerun, most)
    spent = max(0, read - before)
    if decision is Decision.INCONCLUSIVE and most < MOST_PAIRS and confirmation.evidence.pairs:
        return None, spent
    if decision is Decision.INCONCLUSIVE:
        # A part is too small for this noise; the whole may not be.
        decision = replace(confirmation, least=abs(effect) / 2).decided()
    return _decided(job, trial, decision, confirmation.evidence), spent


def _named(job: BisectJob, trial: Trial) -> tuple[str, ...]:
    return () if trial.against == job.good else (trial.against,)


def _decided(job: BisectJob, trial: Trial, decision: Decision, evidence: Evidence) -> BisectStep:
    low, high = evidence.interval(_ERROR)
    outcome = {Decision.CONFIRMED: "bad", Decision.CLEARED: "good"}.get(decision, "unclear")
    return _step(
        job,
        trial,
        outcome,
        ratio=math.exp(statistics.median(evidence.differences)) if evidence.pairs else None,
        low=math.exp(low) if math.isfinite(low) else None,
        high=math.exp(high) if math.isfinite(high) else None,
    )


def _step(job: BisectJob, trial: Trial, outcome: str, **found: float | None) -> BisectStep:
    against = next(iter(_named(job, trial)), None)
    return BisectStep.model_validate(
        {"commit": trial.commit, "outcome": outcome, "against": against, **found}
    )
