"""What ``flink-boost nightly`` answers: how a night ended, or what it would do."""

from __future__ import annotations

import click

from flink_boost.cli.answers import print_json
from flink_boost.publish.sheet import print_sheets
from flink_boost.service.nightly.night import NightEnd
from flink_boost.service.nightly.night_plan import NightPlan
from flink_boost.service.nightly.plan_table import plan_sheets


def finish_night(ended: NightEnd | None, *, as_json: bool) -> None:
    """Says how the night ended, and raises its first problem."""
    if ended is None:
        if as_json:
            print_json(0, {"night": None})
        else:
            click.echo("The night of this slot is done; `--resume` tries again what failed.")
        return
    night, problems = ended.night, ended.problems
    code = problems[0].exit_code if problems else 0
    if as_json:
        print_json(code, {"night": night})
    else:
        reason = f": {night.reason}" if night.reason else ""
        click.echo(
            f"The night {night.night} is {night.state.value}{reason}."
            f" {night.measured} of {night.expected} benchmarks."
        )
    if problems:
        raise problems[0]


def show_plan(
    plan: NightPlan, hours: float, about: str, *, benchmarks: bool, as_json: bool
) -> None:
    """The answer to ``--dry-run``; ``about`` is what a night of a recipe is about."""
    if not as_json:
        print_sheets(plan_sheets(plan, hours, about, benchmarks=benchmarks), "table")
        return
    steps = [
        {
            "name": step.name,
            "seconds": round(step.seconds),
            "needs": step.needs,
            **({"skipped": step.pointless} if step.pointless else {}),
        }
        for step in plan.steps
    ]
    cells = [
        {
            "line": one.line,
            "benchmark": one.cell.name,
            "pairs": one.pairs,
            "seconds": round(one.seconds, 1),
        }
        for one in plan.cells
    ]
    content = {
        "seconds": round(plan.seconds),
        "fits": plan.seconds <= hours * 3600,
        "expected": plan.expected,
        **({"about": about} if about else {}),
        "steps": steps,
        **({"benchmarks": cells} if benchmarks else {}),
    }
    print_json(0, content)
