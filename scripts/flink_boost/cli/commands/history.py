"""``flink-boost history``: Show a benchmark over time."""

from __future__ import annotations

from pathlib import Path

import click

from flink_boost.base.errors import EnvironmentProblem
from flink_boost.base.files import write_durably
from flink_boost.cli.answers import json_option, print_json, say
from flink_boost.cli.context import Settings
from flink_boost.judge.series import build_series
from flink_boost.judge.trend import detect
from flink_boost.measure.history import load_history
from flink_boost.measure.names import matching_any
from flink_boost.publish.lookback import (
    Lookback,
    look_back,
    lookback_document,
    lookback_page,
    lookback_sheet,
)
from flink_boost.publish.sheet import print_sheets

_MOST = 12  # tables on a terminal; more would be a book
_MOST_PLOTTED = 365


@click.command(name="history")
@click.argument("benchmark")
@click.option("--line", help="Only this Flink release.")
@click.option("--box", help="Only this box.")
@click.option(
    "--last",
    type=click.IntRange(1),
    default=30,
    show_default=True,
    help="So many of the newest runs; the page shows a year.",
)
@click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write a page that is complete in itself instead.",
)
@json_option
@click.pass_obj
def command(
    settings: Settings,
    benchmark: str,
    line: str | None,
    box: str | None,
    last: int,
    html: Path | None,
    as_json: bool,
) -> None:
    """Show how the ratio of each BENCHMARK went from night to night, with changes marked.

    BENCHMARK is its name, as any page, mail or file has it, or a part of one; * stands for anything
    and ? for one character.

    \b
    Examples:
      flink-boost history serializerTuple
      flink-boost history write.cyrillic.16.mixed.serializer
      flink-boost history 'write[length=16,*cjk' --line 2.3.0 --last 60
      flink-boost history serializer --html serializers.html
    """
    found = _find(settings, benchmark, line, box)
    if html is not None:
        page = lookback_page(found, benchmark, _MOST_PLOTTED)
        try:
            write_durably(html, page)
        except OSError as error:
            raise EnvironmentProblem(
                f"{html} cannot be written ({error.strerror}).", "Choose another place."
            ) from error
    if as_json:
        print_json(0, {"series": [lookback_document(one) for one in found]})
        return
    if html is not None:
        say(f"{len(found)} series in {html}", f"{html} was written")
        return
    print_sheets([lookback_sheet(one, last) for one in found[:_MOST]], "table")
    if len(found) > _MOST:
        click.echo(f"{len(found) - _MOST} more match; say more of the name, or take --html.")


def _find(
    settings: Settings, benchmark: str, line: str | None, box: str | None
) -> tuple[Lookback, ...]:
    history = load_history(
        settings.results,
        lambda info: line in (None, info.line) and box in (None, info.box.label),
    )
    for problem in history.broken:
        click.echo(problem, err=True)
    everything = build_series(history.runs)
    wanted = matching_any([benchmark], [one.cell for one in everything], "with points of a trend")
    series = [one for one in everything if one.cell in wanted]
    return look_back(series, detect(series), history.runs)
