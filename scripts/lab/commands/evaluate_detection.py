"""Walk through series of nights as the nightly would, and write what it tells of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress

from flink_boost.base.files import write_durably
from flink_boost.cli.answers import json_option, print_json
from lab.cases import DetectionCase, ToldAlarm, Truth
from lab.evaluation import (
    Walk,
    check_cases,
    read_documents,
    walk,
    write_documents,
)
from lab.real.command import real
from lab.rerun_program import ANSWER_SECONDS, RerunProgram
from lab.reverts import score_reverts
from lab.scoring import score
from lab.sheet import RuleScores, draw, sheet

_FILE = click.Path(path_type=Path, dir_okay=False)
OURS = "flink-boost"


@click.group(name="evaluate-detection", invoke_without_command=True)
@click.option("--cases", type=_FILE, help="Series of nights, a JSON line each.")
@click.option(
    "--rerun",
    metavar="PROGRAM",
    help="Command that answers reruns on its standard input and output, a JSON line each.",
)
@click.option("--out", type=_FILE, help="Where the alarms go, a JSON line each.")
@click.option("--truth", type=_FILE, help="What is true of the cases: scores, beside other rules.")
@click.option("--sheet", "sheet_file", type=_FILE, help="Where the scores go as Markdown.")
@click.option("--plot", "plot_file", type=_FILE, help="Where they go as a plot (SVG).")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0.1),
    default=ANSWER_SECONDS,
    show_default=True,
    help="Seconds that one rerun may take.",
)
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    cases: Path | None,
    rerun: str | None,
    out: Path | None,
    truth: Path | None,
    sheet_file: Path | None,
    plot_file: Path | None,
    timeout: float,
    as_json: bool,
) -> None:
    """Walk through series of nights as the nightly would, and write what it tells of them.

    docs/detection.md says how it decides. Nothing of a later night is known in an earlier one, and
    equal answers give equal alarms. Each document is one JSON object a line:

    \b
      case      id, unit, less_is_better, pairs_per_night, nights: each null or
                {"night", "commit", "pairs": [[stock, patched], …]}, and a "box" where it may
                change; a night is a number or a date, a lost score null
      question  on the program's standard input: id, before, after (nights), pairs
      answer    {"pairs": [[before, after], …]}, at most as many as asked for; none where a
                build cannot be rerun
      alarm     id, night (when told), first_bad, ratio, kind, low, high

    \b
    Examples:
      flink-boost detection-cases make build/cases
      flink-boost evaluate-detection --cases build/cases/cases.jsonl \\
          --rerun "flink-boost detection-cases rerun build/cases/truth.jsonl" \\
          --out build/cases/alarms.jsonl --truth build/cases/truth.jsonl
      flink-boost evaluate-detection real                on real forks of this machine
    """
    if ctx.invoked_subcommand is not None:
        return
    if cases is None or rerun is None or out is None:
        lacking = [
            name
            for name, value in (("--cases", cases), ("--rerun", rerun), ("--out", out))
            if value is None
        ]
        raise click.UsageError(f"Missing option {', '.join(lacking)}.", ctx)
    known = read_documents(cases, DetectionCase)
    check_cases(known)
    truths = read_documents(truth, Truth) if truth else ()
    with RerunProgram(rerun, timeout) as program:
        walks = _walk(known, program)
    alarms = [alarm for one in walks for alarm in one.alarms]
    write_documents(out, alarms)
    rules = _scores(known, truths, alarms, walks) if truths else ()
    for file, text in ((sheet_file, sheet), (plot_file, draw)):
        if file is not None and rules:
            write_durably(file, text(rules))
    pairs, nights = sum(one.pairs for one in walks), sum(one.nights for one in walks)
    if as_json:
        print_json(0, {"alarms": alarms, "pairs": pairs, "nights": nights})
        return
    if rules:
        click.echo(sheet(rules))
    click.echo(
        f"{len(alarms)} alarm{'' if len(alarms) == 1 else 's'} in {len(known)} cases of"
        f" {nights} nights; reruns took {pairs / max(nights, 1):.1f} pairs a night. Wrote {out}."
    )


command.add_command(real)


def _walk(cases: Sequence[DetectionCase], program: RerunProgram) -> list[Walk]:
    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal) as progress:
        tracked = progress.track(cases, description="Nights")
        return [walk(case, program.rerun) for case in tracked]


def _scores(
    cases: Sequence[DetectionCase],
    truths: Sequence[Truth],
    alarms: Sequence[ToldAlarm],
    walks: Sequence[Walk],
) -> tuple[RuleScores, ...]:
    from lab.rivals import RIVALS  # with Otava comes all of SciPy: two seconds

    pairs = sum(one.pairs for one in walks) / max(1, sum(one.nights for one in walks))
    ours = RuleScores(OURS, score(truths, alarms), pairs, score_reverts(truths, alarms))
    others = [
        RuleScores(name, score(truths, [alarm for case in cases for alarm in rule(case)]), 0.0)
        for name, rule in RIVALS.items()
    ]
    return (ours, *others)
