"""The plan of a night as tables, for ``--dry-run``."""

from __future__ import annotations

from flink_boost.publish.sheet import Column, Entry, Sheet
from flink_boost.service.nightly.night_plan import NightPlan


def minutes(seconds: float) -> str:
    """``3:07``: minutes and seconds; hours in front from an hour on."""
    whole = round(seconds)
    hours, rest = divmod(whole, 3600)
    if hours:
        return f"{hours}:{rest // 60:02}:{rest % 60:02}"
    return f"{rest // 60}:{rest % 60:02}"


def plan_sheets(plan: NightPlan, hours: float, about: str = "", *, benchmarks: bool) -> list[Sheet]:
    """The steps with their times and, if wanted, the benchmarks with theirs; ``about`` above."""
    rows = tuple(
        (
            Entry(step.name),
            Entry(minutes(step.seconds)),
            Entry(minutes(plan.seconds - plan.seconds_after(step.name))),
            Entry(f"skipped: {step.pointless}" if step.pointless else ", ".join(step.needs)),
        )
        for step in plan.steps
    )
    columns = (Column("step"), Column("time", True), Column("ends after", True), Column("needs"))
    counted = f"{plan.expected} benchmarks. {fits(plan, hours)}"
    notes = (f"About {about}.", counted) if about else (counted,)
    sheets = [Sheet("Steps of the night", columns, rows, notes)]
    if benchmarks:
        cells = tuple(
            (
                Entry(one.line),
                Entry(one.cell.name),
                Entry(str(one.pairs)),
                Entry(f"{one.seconds:.0f}"),
            )
            for one in plan.cells
        )
        heads = (Column("line"), Column("benchmark"), Column("pairs", True), Column("s", True))
        sheets.append(Sheet("Benchmarks of the night", heads, cells, ()))
    return sheets


def fits(plan: NightPlan, hours: float) -> str:
    """Whether the night fits the hours that the box has for it, in a sentence."""
    taken = f"All of it takes {plan.seconds / 3600:.1f} h"
    if plan.seconds <= hours * 3600:
        return f"{taken}, which fits the {hours:g} h of this box."
    return (
        f"{taken}, which is more than the {hours:g} h of this box: take a smaller --group, fewer"
        " --pairs, or share it by --shard."
    )
