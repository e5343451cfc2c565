"""``flink-boost request``: compare two commits, for a pull request or by hand."""

from __future__ import annotations

import json
import os
import shlex
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import click
from rich.console import Console

from flink_boost.base.errors import (
    AnswerLost,
    BenchmarkFailed,
    FlinkBoostError,
    RequestSlower,
    UsageProblem,
)
from flink_boost.base.processes import terminated_like_interrupted
from flink_boost.cli.answers import json_option, print_json, say
from flink_boost.cli.context import Settings
from flink_boost.cli.options import recipe_option
from flink_boost.cli.request_serving import check_command, serve_command, status_command
from flink_boost.measure.machine_lock import lock_file, machine_lock
from flink_boost.publish.progress import shown_progress
from flink_boost.publish.sheet import rich_table
from flink_boost.service.builds.recipe import Recipe, load_recipe, public_name
from flink_boost.service.builds.recipe import isolated as recipe_isolated
from flink_boost.service.builds.repository import merge_base, resolve, uncommitted
from flink_boost.service.requests import grammar
from flink_boost.service.requests.answer import (
    Circumstances,
    answer,
    verdict_line,
)
from flink_boost.service.requests.answer_sheet import answer_sheet
from flink_boost.service.requests.catalogue import Bounds, Offerings
from flink_boost.service.requests.comparing import compare
from flink_boost.service.requests.comparison_setup import known_here, means_of
from flink_boost.service.requests.request import Measured, RequestOrder
from flink_boost.service.requests.request_rows import rows_of
from flink_boost.service.requests.verdicts import AnswerRow

_TRUSTED = (
    "Both commits are built and run as you, outside any sandbox. For code that you have not read"
    " say --isolated; --trusted says that you mean it."
)
# By hand one may ask for more than in a comment.
BY_HAND = Bounds(pairs=200, least_pairs=2, benchmarks=10_000, minutes=1e6, globs=1000)


@click.group(name="request")
def command() -> None:
    """Compare two commits of a pull request, and say whether it became faster or slower.

    \b
    Examples:
      flink-boost request run --base main --head HEAD serializerHeavyString
      flink-boost request run --base main --head my-branch --pairs 10 'serializer*'
    """


for _one in (serve_command, status_command, check_command):
    command.add_command(_one)


@command.command(name="run")
@click.argument("patterns", nargs=-1)
@click.option("--base", required=True, metavar="REV", help="What it is to be merged into.")
@click.option("--head", default="HEAD", show_default=True, metavar="REV", help="What is changed.")
@click.option("--line", "line_version", default=None, help="The Flink release to measure on.")
@click.option("--pairs", type=click.IntRange(2, 200), default=5, show_default=True)
@click.option("--profile", is_flag=True, help="Differential flame graphs, too.")
@recipe_option
@click.option(
    "--isolated/--trusted",
    default=None,
    help="Build and run in a sandbox, or as this user; by default as the recipe says.",
)
@click.option(
    "--output", type=click.Path(path_type=Path, dir_okay=False), help="The Markdown, into a file."
)
@click.option("--again", is_flag=True, help="Measure anew what was measured before.")
@click.option(
    "--fail-on-regression",
    is_flag=True,
    help="Exit code 25 when something is slower; 6 when JVMs of head failed.",
)
@click.option(
    "--fail-on-failed-forks",
    is_flag=True,
    help="Exit code 6 when JVMs of head failed, whatever is slower.",
)
@json_option
@click.pass_obj
def run_command(
    settings: Settings,
    patterns: tuple[str, ...],
    base: str,
    head: str,
    line_version: str | None,
    pairs: int,
    profile: bool,
    recipe: str,
    isolated: bool | None,
    output: Path | None,
    again: bool,
    fail_on_regression: bool,
    fail_on_failed_forks: bool,
    as_json: bool,
) -> None:
    """Compare HEAD with the commit at which it left BASE.

    Code that you have not read wants --isolated: without it a build does what you may do.

    PATTERNs are names of benchmarks in which * stands for any letters; without one the quick look's
    are measured. What is not committed is not. Both commits are built the same way, and their JVMs
    run in turn. A call that was stopped goes on where it was, and one that was done answers at
    once; --again measures anew. The answer is that of a comment on a pull request: Markdown, and a
    table on a terminal.

    \b
    Examples:
      flink-boost request run --base main serializerHeavyString
      flink-boost request run --base main --head my-branch --pairs 10 'serializer*' --json
    """
    if output is not None:
        _require_writable(output)
    how = load_recipe(recipe)
    if isolated is not None:
        how = recipe_isolated(how, isolated)
    known = known_here()
    order = _order(how, known, patterns, base, head, line_version, pairs, recipe)
    asked = f"{datetime.now(UTC):%Y%m%dT%H%M%S}" if again else ""
    order = order.model_copy(update={"profile": profile, "isolated": how.isolated, "asked": asked})
    if isolated is None and not how.isolated:
        click.echo(_TRUSTED, err=True)
    began = time.monotonic()
    measured = _measured(settings, order, how, known)
    rows = rows_of(measured)
    text = answer(rows, Circumstances(measured, minutes=(time.monotonic() - began) / 60))
    # What cannot be written or is slower is raised when the answer has been printed.
    lost = None if output is None else _written(output, text)
    problem = lost or (_regression(rows) if fail_on_regression else None)
    problem = problem or (_failed_forks(rows) if fail_on_failed_forks else None)
    if as_json:
        content = {
            "headline": verdict_line(rows, measured),
            "base": order.base,
            "head": order.head,
            "rows": [{**json.loads(row.model_dump_json()), "told": row.told} for row in rows],
            "markdown": text,
            **({"error": lost.message, "next_step": lost.next_step} if lost else {}),
        }
        print_json(problem.exit_code if problem else 0, content)
    elif sys.stdout.isatty():
        _print_table(rows, measured)
    else:
        say(text)
    if problem:
        raise problem


def _require_writable(output: Path) -> None:
    """Before anything is measured; what happens later to the folder is told at the end."""
    folder = output.absolute().parent
    if not folder.is_dir():
        raise UsageProblem(
            f"{folder} is no folder, so the answer cannot be written there.",
            f"Make it, or name another --output: mkdir -p {shlex.quote(str(folder))}",
        )
    if not os.access(output if output.exists() else folder, os.W_OK):
        raise UsageProblem(f"{output} may not be written by you.", "Name another --output.")


def _written(output: Path, text: str) -> AnswerLost | None:
    """Why the answer is not in the file; None when it is."""
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        return AnswerLost(
            f"The answer could not be written to {output} ({error.strerror}).",
            "It is printed; the same call without --again answers at once.",
        )
    return None


def _regression(rows: tuple[AnswerRow, ...]) -> FlinkBoostError | None:
    """What keeps a call from saying that nothing became slower."""
    if any(row.told == "slower" for row in rows):
        return RequestSlower("A benchmark is slower than before.", "Read the answer above.")
    return _failed_forks(rows)


def _failed_forks(rows: tuple[AnswerRow, ...]) -> FlinkBoostError | None:
    # Where base alone failed, head may be what mends it.
    if failed := [row for row in rows if row.failed_head]:
        return BenchmarkFailed(
            f"JVMs of head failed in {len(failed)} of {len(rows)} benchmarks, which prove nothing.",
            "Read the answer above, and the logs of the forks.",
        )
    return None


def _order(
    recipe: Recipe,
    known: Offerings,
    patterns: tuple[str, ...],
    base: str,
    head: str,
    line: str | None,
    pairs: int,
    recipe_name: str,
) -> RequestOrder:
    words = [*patterns, *(() if line is None else (f"line={line}",)), f"pairs={pairs}"]
    asked = grammar.read_words(words, known, BY_HAND)
    if isinstance(asked, grammar.Mistake):
        near = f" Near are: {'; '.join(asked.near)}." if asked.near else ""
        raise UsageProblem(asked.sentence.replace("`", ""), f"`--help` has examples.{near}")
    tip = resolve(recipe.repository, head)
    _warn_of_uncommitted(recipe.repository, tip)
    return RequestOrder(
        base=merge_base(recipe.repository, base, tip),
        head=tip,
        line=asked.line,
        names=asked.names,
        pairs=asked.pairs,
        recipe=public_name(recipe_name, recipe),
    )


def _warn_of_uncommitted(repository: Path, tip: str) -> None:
    """What is being worked on is no part of its commit, and would be missed without a word."""
    if tip != resolve(repository, "HEAD"):
        return
    if count := uncommitted(repository):
        files = "1 file is" if count == 1 else f"{count} files are"
        click.echo(
            f"{files} not committed in {repository}: these changes are not measured."
            " Commit them to have them measured.",
            err=True,
        )


def _measured(
    settings: Settings, order: RequestOrder, recipe: Recipe, known: Offerings
) -> Measured:
    errors = Console(stderr=True, highlight=False, soft_wrap=True)
    lock = machine_lock(lock_file(os.environ), f"flink-boost request run of {order.head[:12]}")
    with terminated_like_interrupted(), lock, shown_progress(errors) as progress:
        means = means_of(recipe, settings.results, settings.build, os.environ, errors.out, progress)
        return compare(order, known, means, lambda _: None)


def _print_table(rows: tuple[AnswerRow, ...], measured: Measured) -> None:
    console = Console(highlight=False)
    console.print(verdict_line(rows, measured).replace("*", "").replace("`", ""), markup=False)
    if measured.same:
        return
    console.print(rich_table(answer_sheet(rows)))
    console.print(
        f"base {measured.order.base[:12]}, head {measured.order.head[:12]}. {measured.quiet}"
    )
