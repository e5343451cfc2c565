"""Make series of nights whose truth is known, and answer reruns of them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click
from pydantic import ValidationError

from flink_boost.base.errors import BrokenData
from flink_boost.base.files import make_folder
from flink_boost.cli.answers import json_option, print_json, say
from flink_boost.cli.options import wait_option
from flink_boost.measure.machine_lock import lock_file
from lab.cases import Truth
from lab.evaluation import answer_reruns, read_documents, write_documents
from lab.real.answering import answer_on_forks
from lab.real.command import FOLDER, WAIT_MINUTES, proof_bench
from lab.real.model import read_order
from lab.simulation import FEWEST_NIGHTS, KINDS, NIGHTS, make_cases


@click.group(name="detection-cases")
def command() -> None:
    """Make series of nights whose truth is known, and answer reruns of them.

    \b
    Examples:
      flink-boost detection-cases make build/cases --copies 50
      echo '{"id":"drift-1-0","before":20,"after":60,"pairs":3}' |
          flink-boost detection-cases rerun build/cases/truth.jsonl
    """


@command.command(name="make")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True)
@click.option(
    "--copies",
    type=click.IntRange(min=1, max=10_000),
    default=20,
    show_default=True,
    help="Cases of each kind.",
)
@click.option(
    "--nights", type=click.IntRange(min=FEWEST_NIGHTS, max=3650), default=NIGHTS, show_default=True
)
@click.option(
    "--kind",
    "kinds",
    type=click.Choice(tuple(KINDS)),
    multiple=True,
    help="Only cases of this kind; may be given more than once. Default: all kinds.",
)
@json_option
def make(
    folder: Path, seed: int, copies: int, nights: int, kinds: tuple[str, ...], as_json: bool
) -> None:
    """Write cases.jsonl and truth.jsonl into FOLDER; equal seeds give equal files.

    \b
    Examples:
      flink-boost detection-cases make build/cases --copies 50
      flink-boost detection-cases make build/cases --kind revert --copies 1440
    """
    cases, truths = folder / "cases.jsonl", folder / "truth.jsonl"
    made = list(make_cases(seed, copies, nights, kinds))
    make_folder(folder)
    write_documents(cases, (case for case, _ in made))
    write_documents(truths, (truth for _, truth in made))
    if as_json:
        answer = {"made": len(made), "cases": cases, "truth": truths}
        print_json(0, answer, "They are made")
    else:
        say(f"Wrote {len(made)} cases to {folder}.", "They are made")


@command.command(name="rerun")
@click.argument("truth", type=click.Path(path_type=Path, dir_okay=False))
def rerun(truth: Path) -> None:
    """Answer reruns on standard input from what is true of the cases.

    \b
    Examples:
      echo '{"id":"drift-1-0","before":20,"after":60,"pairs":3}' |
          flink-boost detection-cases rerun build/cases/truth.jsonl
    """
    truths = read_documents(truth, Truth)
    try:
        for line in answer_reruns(truths, sys.stdin):
            click.echo(line)
            sys.stdout.flush()
    except (ValidationError, KeyError, IndexError) as error:
        raise BrokenData(
            f"This question is about no case or night of {truth} ({type(error).__name__}).",
            'Ask for one, such as {"id":"drift-1-0","before":20,"after":60,"pairs":3}.',
        ) from error


@command.command(name="rerun-real")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=FOLDER)
@click.option("--lock", type=click.Path(path_type=Path), help="The machine's; default: as usual.")
@wait_option(WAIT_MINUTES)
def rerun_real(folder: Path, lock: Path | None, wait: float) -> None:
    """Answer reruns on standard input by measuring the builds of `evaluate-detection real`.

    FOLDER is that of the proof. What was measured before is not measured again.

    \b
    Examples:
      echo '{"id":"1-equal","before":1,"after":12,"pairs":4}' |
          flink-boost detection-cases rerun-real build/proof
    """
    bench = proof_bench(folder, read_order(folder), lock or lock_file(os.environ), wait)
    for line in answer_on_forks(bench, folder, sys.stdin):
        click.echo(line)
        sys.stdout.flush()
