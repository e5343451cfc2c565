"""``make lab TABLE=…``: makes one table of the pages again.

Each needs what ``make build`` leaves. What is written goes to ``build/lab/<table>``; a call that
was stopped goes on where the table allows it.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click

from flink_boost.base.places import PROJECT_ROOT

_SCRIPTS = PROJECT_ROOT / "scripts"
_SEED = "2026"
_BOOST = (sys.executable, "-m", "flink_boost.cli")

Words = tuple[str, ...]
Calls = list[Words]


def _made_cases(folder: Path, *words: str) -> Calls:
    """Made cases, judged by all rules: ``sheet.md`` and ``detection.svg``."""
    cases, truth = folder / "cases.jsonl", folder / "truth.jsonl"
    rerun = shlex.join((*_BOOST, "detection-cases", "rerun", str(truth)))
    files = {"--cases": cases, "--truth": truth, "--out": folder / "alarms.jsonl"}
    written = {"--sheet": folder / "sheet.md", "--plot": folder / "detection.svg"}
    options = [word for name, file in (files | written).items() for word in (name, str(file))]
    return [
        (*_BOOST, "detection-cases", "make", str(folder), "--seed", _SEED, *words),
        (*_BOOST, "evaluate-detection", *options, "--rerun", rerun),
    ]


def _detection(folder: Path) -> Calls:
    return _made_cases(folder, "--copies", "50")


def _reverts(folder: Path) -> Calls:
    return _made_cases(folder, "--kind", "revert", "--copies", "1440")


def _real_forks(folder: Path) -> Calls:
    return [(*_BOOST, "evaluate-detection", "real", "--folder", str(folder))]


def _requests(folder: Path) -> Calls:
    return [(sys.executable, "-m", "requesting.equal_builds", "--folder", str(folder))]


def _start_cost(_: Path) -> Calls:
    return [(sys.executable, "-m", f"cluster.{name}") for name in ("start_cost", "generation_cost")]


def _restarts(_: Path) -> Calls:
    program = (sys.executable, "-m", "cluster.restarts")
    return [program, (*program, "--stock")]


# By name; the page that shows it is in the help.
TABLES: dict[str, Callable[[Path], Calls]] = {
    "detection": _detection,
    "reverts": _reverts,
    "real": _real_forks,
    "requests": _requests,
    "start-cost": _start_cost,
    "restarts": _restarts,
}


@click.command()
@click.argument("table", type=click.Choice(tuple(TABLES)))
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where files go; default: build/lab/TABLE.",
)
@click.option("--dry-run", is_flag=True, help="Print the calls only.")
def main(table: str, folder: Path | None, dry_run: bool) -> None:
    """Make one table of the pages again.

    detection, reverts and real are of docs/detection.md, requests of docs/requests.md, start-cost
    and restarts of docs/measured.md.
    """
    folder = (folder or PROJECT_ROOT / "build" / "lab" / table).absolute()
    tests = _SCRIPTS / "tests"
    path = os.pathsep.join(map(str, (_SCRIPTS, tests, tests / "cluster")))
    for words in TABLES[table](folder):
        click.echo(shlex.join(words))
        if dry_run:
            continue
        done = subprocess.run(words, env={**os.environ, "PYTHONPATH": path}, check=False)
        if done.returncode:
            raise SystemExit(done.returncode)


if __name__ == "__main__":
    main()
