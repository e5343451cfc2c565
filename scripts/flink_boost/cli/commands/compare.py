"""Show ratio, interval and verdict per benchmark."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click

from flink_boost.base.errors import UsageProblem
from flink_boost.cli.answers import failing_in_json, say
from flink_boost.cli.context import Settings
from flink_boost.judge import comparators, pool
from flink_boost.judge import ratio as statistics
from flink_boost.judge.goals import judge_goals, load_goals
from flink_boost.judge.reference import load_reference, set_beside, wants
from flink_boost.measure import fork_files, store
from flink_boost.measure.fork import Fork
from flink_boost.measure.history import load_history, newest_run
from flink_boost.measure.model import RunInfo
from flink_boost.measure.names import matching_any
from flink_boost.measure.summary import gap_sentence
from flink_boost.publish.comparison import comparison_document, comparison_sheets
from flink_boost.publish.goals_sheet import goals_sheet
from flink_boost.publish.reference_sheet import reference_sheet
from flink_boost.publish.sheet import Sheet, print_sheets

LATEST = "latest"
Run = tuple[RunInfo, tuple[Fork, ...]]


@click.command(name="compare")
@click.argument("run_ids", nargs=-1, metavar="[RUN_ID|latest]...")
@click.option(
    "--confidence",
    type=click.FloatRange(0.5, 0.9999),
    default=statistics.DEFAULT_CONFIDENCE,
    show_default=True,
    help="Confidence of the two-sided interval.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "table", "markdown", "html", "json"]),
    default="text",
    show_default=True,
    help="'table' is another name of 'text'.",
)
@click.option(
    "--layout",
    type=click.Choice(["auto", "rows", "grid"]),
    default="auto",
    show_default=True,
    help="Strings of several lengths as rows or as a grid; auto: rows in text, else a grid.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option(
    "--only",
    multiple=True,
    metavar="PATTERN",
    help="Benchmarks by name, as any page has it; repeatable.",
)
@click.option("--reference", metavar="NAME", help="Beside published tables, as flink-15171.")
@click.option(
    "--floors",
    type=click.Path(path_type=Path),
    help="Also say which goals of this file are missed, as benchmarks/floors.toml.",
)
@click.pass_obj
def command(
    settings: Settings,
    run_ids: tuple[str, ...],
    confidence: float,
    form: str,
    layout: str,
    only: tuple[str, ...],
    reference: str | None,
    floors: Path | None,
    as_json: bool,
) -> None:
    """Show ratio, interval and verdict per benchmark of a run.

    Several runs of one plan are pooled: their pairs are taken together. An unfinished run is shown
    with the pairs that it has. With --reference the runs may be of different plans; without
    RUN_IDs all runs of the reference's Flink line that have ended are looked at.

    \b
    Examples:
      flink-boost compare                             the newest run that has ended
      flink-boost compare latest --format markdown
      flink-boost compare 20260301T223005Z-2.3.0 20260302T223011Z-2.3.0
      flink-boost compare --only write.ascii.16.mixed.serializer
      flink-boost compare --floors benchmarks/floors.toml
      flink-boost compare --reference flink-15171 --format html > reference.html
    """
    form = "json" if as_json else form
    with failing_in_json(form == "json"):
        if only and (reference or floors):
            raise UsageProblem(
                "--reference and --floors are about all benchmarks.", "Leave out --only."
            )
        if reference:
            if floors:
                raise UsageProblem(
                    "--floors is about one run and --reference about many.", "Give one of them."
                )
            _show_reference(settings, reference, run_ids, confidence, form)
        else:
            _show_run(settings, run_ids, only, confidence, form, layout, floors)


def _show_run(
    settings: Settings,
    run_ids: Sequence[str],
    only: Sequence[str],
    confidence: float,
    form: str,
    layout: str,
    floors: Path | None,
) -> None:
    runs = [_load(settings, run_id) for run_id in run_ids or (LATEST,)]
    info, forks = pool.pool(runs) if len(runs) > 1 else runs[0]
    if only:
        info, forks = pool.only(info, forks, matching_any(only, info.cells, "of this run"))
    document = comparison_document(info, forks, confidence) if form == "json" else {}
    as_grid = layout == "grid" or (layout == "auto" and form in ("markdown", "html"))
    sheets = comparison_sheets(info, forks, confidence, as_grid=as_grid)
    if floors:
        judged, unmeasured = judge_goals(
            info,
            statistics.compare(info, forks, confidence),
            comparators.compare_with_comparators(info, forks, confidence),
            load_goals(floors),
        )
        sheets = (*sheets, goals_sheet(floors.name, judged, unmeasured))
        document["goals"] = [
            {**json.loads(one.model_dump_json()), "state": one.state.value} for one in judged
        ]
        document["goals_not_measured"] = list(unmeasured)
    _print(sheets, document, form)


def _show_reference(
    settings: Settings, name: str, run_ids: Sequence[str], confidence: float, form: str
) -> None:
    reference = load_reference(name)
    if run_ids:
        runs: list[Run] = [_load(settings, run_id) for run_id in run_ids]
    else:
        history = load_history(settings.results, wants(reference))
        for problem in history.broken:
            _tell(problem)
        # A quick look only fills what nothing better has measured; else the newest counts.
        best_first = list(reversed(history.runs))
        best_first.sort(key=lambda run: run.info.quick_look)
        runs = [_read(settings, run.info) for run in best_first]
    rows = set_beside(reference, runs, confidence)
    document: dict[str, object] = {
        "reference": reference.name,
        "rows": [
            {**json.loads(row.model_dump_json()), "outcome": row.outcome.value} for row in rows
        ],
    }
    _print((reference_sheet(reference, rows, confidence),), document, form)


def _print(sheets: Sequence[Sheet], document: dict[str, object], form: str) -> None:
    if form == "json":
        answer = {"command": "compare", "ok": True, "exit_code": 0, **document}
        say(json.dumps(answer, indent=1, ensure_ascii=False, allow_nan=False))
    else:
        print_sheets(sheets, form)


def _load(settings: Settings, run_id: str) -> Run:
    if run_id == LATEST:
        return _read(settings, newest_run(settings.results, _tell))
    return _read(settings, store.load_run(settings.results, run_id))


def _read(settings: Settings, info: RunInfo) -> Run:
    stored = fork_files.read_forks(settings.results, info)
    if gaps := gap_sentence(info, stored.missing):
        _tell(gaps)
    return info, stored.forks


def _tell(sentence: str) -> None:
    click.echo(sentence, err=True)
