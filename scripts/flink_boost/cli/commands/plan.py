"""``flink-boost plan``: Show how many pairs each benchmark gets in so many hours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from flink_boost.cli.answers import json_option, print_json
from flink_boost.cli.context import Settings
from flink_boost.cli.options import group_option
from flink_boost.flink.lines import default_line, find_measured_line
from flink_boost.judge.scatter import measured_scatter
from flink_boost.measure.box import granted_cores
from flink_boost.measure.fork_overhead import start_seconds
from flink_boost.measure.groups import find_group, load_groups
from flink_boost.measure.history import load_history
from flink_boost.measure.pair_budget import WANTED, Allotment, allot
from flink_boost.measure.pair_scatter import SCATTER_FILE, ScatterTable, load_scatter
from flink_boost.publish.sheet import Column, Entry, Sheet, print_sheets

NIGHT = "nightly"
_RUNS = 20  # the newest, of which start times are taken


@click.command(name="plan")
@group_option(NIGHT)
@click.option("--line", help="Whose results count with --from-results; default: lines.toml's.")
@click.option(
    "--hours",
    type=click.FloatRange(0, 48, min_open=True),
    default=1.6,
    show_default=True,
    help="For one line. Three lines of 1.6 h leave an hour of six for building and reruns.",
)
@click.option("--cores", type=click.IntRange(1), help="Default: those of this machine.")
@click.option(
    "--wanted",
    type=click.FloatRange(0.001, 1),
    default=WANTED,
    show_default=True,
    help="Half the width of an interval, as a share: no benchmark gets more pairs than it takes.",
)
@click.option(
    "--noise",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    default=SCATTER_FILE,
    show_default="benchmarks/noise.toml",
    help="Table of scatter and start times.",
)
@click.option(
    "--from-results",
    is_flag=True,
    help="Take scatter and start times from the runs of this line in the results store.",
)
@json_option
@click.pass_obj
def command(
    settings: Settings,
    group: str,
    line: str | None,
    hours: float,
    cores: int | None,
    wanted: float,
    noise: Path,
    from_results: bool,
    as_json: bool,
) -> None:
    """Show how many pairs each benchmark of a group gets, and how long it takes. Runs nothing.

    What scatters more gets more pairs, by what its time is worth. "One pair" is how much a single
    pair scatters; "expected" is half the 95 % interval of the ratio that all of them give.

    \b
    Examples:
      flink-boost plan                          a night on this machine
      flink-boost plan --cores 4 --hours 1.6
      flink-boost plan --from-results           with the scatter of this machine
    """
    chosen = find_group(load_groups(), group)
    table = load_scatter(noise)
    if from_results:
        version = find_measured_line(line or default_line()).version
        table = _from_results(settings, table, version)
    found = allot(
        chosen,
        table,
        cores=cores or granted_cores(),
        budget=hours * 3600,
        wanted=wanted,
    )
    if as_json:
        print_json(0, plan_document(found))
        return
    print_sheets((plan_sheet(found),), "table")


def _from_results(settings: Settings, table: ScatterTable, line: str) -> ScatterTable:
    history = load_history(settings.results, lambda info: info.line == line)
    for problem in history.broken:
        click.echo(problem, err=True)
    starts = start_seconds(settings.results, [run.info for run in history.runs[-_RUNS:]])
    return measured_scatter(table, history.runs, starts)


def plan_sheet(found: Allotment) -> Sheet:
    """The plan as a table."""
    return Sheet(
        f"{found.group.name}: {len(found.cells)} benchmarks, {found.seconds / 3600:.1f} h"
        f" of {found.budget / 3600:.1f} h for one line",
        (
            Column("benchmark"),
            *(
                Column(title, numeric=True)
                for title in ("pairs", "seconds", "one pair", "expected")
            ),
        ),
        tuple(
            (
                Entry(plan.cell.name),
                Entry(str(plan.pairs)),
                Entry(f"{plan.seconds:.0f}"),
                Entry(f"±{plan.spread:.1%}"),
                Entry(f"±{plan.half_interval_share:.1%}"),
            )
            for plan in found.cells
        ),
        found.notes,
    )


def plan_document(found: Allotment) -> dict[str, Any]:
    """The plan for programs; ``expected`` is half an interval, as a share."""
    return {
        "group": found.group.name,
        "seconds": round(found.seconds, 1),
        "budget_seconds": round(found.budget, 1),
        "fits": found.fits,
        "benchmarks": [
            {
                "name": plan.cell.name,
                "pairs": plan.pairs,
                "seconds": round(plan.seconds, 1),
                "spread": plan.spread,
                "expected": plan.half_interval_share,
                "measured_here": plan.measured,
            }
            for plan in found.cells
        ],
        "left_out": [cell.name for cell in found.left_out],
        "notes": list(found.notes),
    }
