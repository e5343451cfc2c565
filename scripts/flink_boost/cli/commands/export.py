"""``flink-boost export``: Write results into a table, as CSV or Parquet."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import click

from flink_boost.base.errors import EnvironmentProblem, UsageProblem
from flink_boost.cli.answers import json_option, print_json, say
from flink_boost.cli.context import Settings
from flink_boost.measure import fork_files
from flink_boost.measure.history import load_history
from flink_boost.measure.model import Purpose, RunInfo
from flink_boost.publish.export import (
    FORK_COLUMNS,
    SUMMARY_COLUMNS,
    ExportFormat,
    Row,
    fork_rows,
    summary_rows,
    write_table,
)


@click.command(name="export")
@click.argument("out", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--format",
    "form",
    type=click.Choice([one.value for one in ExportFormat]),
    help="Default: by the ending of OUT.",
)
@click.option("--summary", is_flag=True, help="One row per benchmark and run, not one per fork.")
@click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]),
    help="Only runs that began then or later, UTC.",
)
@click.option("--line", help="Only runs of this Flink release.")
@click.option(
    "--purpose",
    type=click.Choice([one.value for one in Purpose]),
    help="Only runs of this purpose, such as nightly.",
)
@json_option
@click.pass_obj
def command(
    settings: Settings,
    out: Path,
    form: str | None,
    summary: bool,
    since: datetime | None,
    line: str | None,
    purpose: str | None,
    as_json: bool,
) -> None:
    """Write the runs that have ended into the file OUT; one that is there is replaced.

    docs/results.md explains the columns.

    \b
    Examples:
      flink-boost export forks.parquet
      flink-boost export --summary --since 2026-01-01 ratios.csv
    """
    chosen = _format(form, out)
    earliest = since.replace(tzinfo=UTC) if since else None

    def wanted(info: RunInfo) -> bool:
        return (
            (earliest is None or info.started >= earliest)
            and (line is None or info.line == line)
            and (purpose is None or info.purpose.value == purpose)
        )

    history = load_history(settings.results, wanted)
    for sentence in (*history.broken, *history.gaps):
        click.echo(sentence, err=True)
    infos = [run.info for run in history.runs]
    columns = SUMMARY_COLUMNS if summary else FORK_COLUMNS
    try:
        count = write_table(out, chosen, columns, _rows(settings, infos, summary))
    except OSError as error:
        raise EnvironmentProblem(
            f"{out} cannot be written ({error.strerror}).", "Choose another place."
        ) from error
    if as_json:
        answer = {"file": str(out), "format": chosen.value, "runs": len(infos), "rows": count}
        print_json(0, answer, f"{out} was written")
        return
    say(f"{count} rows of {len(infos)} runs in {out}", f"{out} was written")


def _rows(settings: Settings, infos: list[RunInfo], summary: bool) -> Iterator[Row]:
    of_run = summary_rows if summary else fork_rows
    for info in infos:
        yield from of_run(info, fork_files.read_forks(settings.results, info).forks)


def _format(given: str | None, out: Path) -> ExportFormat:
    name = given or out.suffix.lstrip(".").lower()
    try:
        return ExportFormat(name)
    except ValueError:
        raise UsageProblem(
            f"The ending of {out.name} tells no format.", "Give --format csv or --format parquet."
        ) from None
