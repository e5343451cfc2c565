"""What went wrong in a night, in sentences."""

from __future__ import annotations

from collections.abc import Iterable

from flink_boost.publish.nightly.night_facts import (
    NightReport,
    NightState,
    ReportedNight,
    ReportedStep,
)
from flink_boost.publish.nightly.words import counted, percent

_STATES: dict[NightState, str] = {
    "running": "The night is not over yet",
    "complete": "",
    "short": "The night is short",
    "empty": "The night measured nothing",
    "missing": "The night did not take place",
    "refused": "The night was refused",
    "failed": "The night ended with an error",
}


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
        f"The canary moved by {percent(canary.ratio)}: it is a frozen build, so it is the machine "
        f"that changed, not the code.{held}"
    )


def _note(step: ReportedStep) -> str:
    return f": {step.note.rstrip('.')}" if step.note else ""
