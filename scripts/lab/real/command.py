"""``evaluate-detection real``: prove detection on forks of this machine."""

from __future__ import annotations

import json
import os
import shlex
import sys
from datetime import UTC, datetime
from pathlib import Path

import click
from rich.console import Console

from flink_boost import __version__
from flink_boost.base.errors import UsageProblem
from flink_boost.base.files import sha256
from flink_boost.base.processes import terminated_like_interrupted
from flink_boost.cli.answers import json_option, print_json
from flink_boost.cli.context import Settings
from flink_boost.cli.options import wait_option
from flink_boost.flink.lines import default_line, find_line, find_measured_line
from flink_boost.flink.side import Side
from flink_boost.measure.box_file import read_box_file
from flink_boost.measure.classpaths import ClassPaths, find_class_paths
from flink_boost.measure.groups import choose_cells, find_group, load_groups
from flink_boost.measure.machine_lock import lock_file
from flink_boost.service.nightly.night import Waiting
from lab.real.bench import ProofBench
from lab.real.model import ProofOrder, begin_or_go_on
from lab.real.proof import Proof, Schedule, pair_seconds, work_of
from lab.real.sheet import proof_sheet
from lab.rerun_program import ANSWER_SECONDS, RerunProgram

FOLDER = "build/proof"
WAIT_MINUTES = 60.0
GROUP = "codec"
# Long enough for 2 % to be some rounds of the delay.
BENCHMARKS = (r"\.write\[length=1024,kind=cyrillic", r"\.write\[length=2048,kind=cjk")
DELAYS = "3,5,8,12,20"
_LARGEST_DELAY = 10_000


@click.command(name="real")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=FOLDER,
    show_default=True,
    help="Where everything is kept; the same call goes on there.",
)
@click.option("--nights", type=click.IntRange(1, 365), default=30, show_default=True)
@click.option(
    "--slow-nights",
    type=click.IntRange(1, 365),
    default=3,
    show_default=True,
    help="Nights after a delay has come.",
)
@click.option(
    "--pairs", type=click.IntRange(1, 99), default=3, show_default=True, help="Of each night."
)
@click.option(
    "--delays",
    default=DELAYS,
    show_default=True,
    metavar="PERCENT,…",
    help="Put into one method, each a case of its own on each benchmark.",
)
@click.option("--line", default=default_line, show_default="the newest", help="Flink release.")
@click.option("--group", default=GROUP, show_default=True, help="From groups.toml.")
@click.option(
    "--only",
    multiple=True,
    metavar="PATTERN",
    help="Benchmarks by name; repeatable. Default: two that write strings of 1,024 and 2,048.",
)
@click.option(
    "--cpu-time",
    is_flag=True,
    help="Compare CPU times instead of times: for a machine that does other work.",
)
@click.option("--minutes", type=click.FloatRange(min=0.1), help="Begin nothing after that.")
@wait_option(WAIT_MINUTES)
@json_option
@click.pass_obj
def real(
    settings: Settings,
    folder: Path,
    nights: int,
    slow_nights: int,
    pairs: int,
    delays: str,
    line: str,
    group: str,
    only: tuple[str, ...],
    cpu_time: bool,
    minutes: float | None,
    wait: float,
    as_json: bool,
) -> None:
    """Prove detection on real forks: equal builds for many nights, and builds made slower.

    Nights of short forks of stock and patched are measured one after the other. Then a delay of
    known size is woven into one method of the jar, some nights are measured with it, and detection
    walks through all of them as in the service; its reruns are real forks, too. Each fork is kept:
    a call that was ended goes on.

    \b
    Examples:
      flink-boost evaluate-detection real                      an hour or two
      flink-boost evaluate-detection real --minutes 30         as far as it comes
      flink-boost evaluate-detection real --nights 12 --delays 20 --only 'write.length=64,kind=cjk'
    """
    errors = Console(stderr=True, highlight=False, soft_wrap=True)
    with terminated_like_interrupted():
        chosen = choose_cells(find_group(load_groups(), group), only or BENCHMARKS)
        found = find_measured_line(line)
        paths = _class_paths(found.version, settings.build)
        order = ProofOrder(
            line=found.version,
            cells=chosen.cells,
            group=group,
            nights=nights,
            slow_nights=slow_nights,
            pairs=pairs,
            delays=parse_delays(delays),
            dropin_sha256=sha256(paths.dropin),
            cpu_time=cpu_time,
        )
        if begin_or_go_on(folder, order):
            errors.out(f"Going on in {folder}.")
        lock = lock_file(os.environ)
        bench = proof_bench(folder, order, lock, wait, paths, errors)
        bench.keep_jar()
        seconds = minutes * 60 if minutes else float("inf")
        schedule = Schedule(work_of(order), pair_seconds(bench), seconds, errors.out)
        words = [sys.executable, "-m", "flink_boost.cli", "detection-cases", "rerun-real"]
        words += [str(folder), "--lock", str(lock), "--wait", str(wait)]
        with RerunProgram(shlex.join(words), ANSWER_SECONDS + 60 * wait) as program:
            result = Proof(bench, order, schedule).run(program.rerun, _now)
    if as_json:
        print_json(0, json.loads(result.model_dump_json()))
        return
    click.echo(proof_sheet(result))


def parse_delays(text: str) -> tuple[float, ...]:
    """``3,5`` as numbers, each once, smallest first."""
    try:
        found = sorted({float(word) for word in text.split(",")})
    except ValueError:
        found = []
    if not found or not all(0 < one <= _LARGEST_DELAY for one in found):
        raise UsageProblem(f"--delays {text!r} are no percents.", "Write them as in 3,5,10.")
    return tuple(found)


def proof_bench(
    folder: Path,
    order: ProofOrder,
    lock: Path,
    wait: float,
    paths: ClassPaths | None = None,
    errors: Console | None = None,
) -> ProofBench:
    """What measures the proof in that folder, which has its own copy of the jar."""
    found = find_line(order.line)
    shown = errors or Console(stderr=True, highlight=False, soft_wrap=True)
    group = find_group(load_groups(), order.group).only(order.cells)
    return ProofBench(
        folder=folder,
        line=found,
        group=group,
        paths=paths or find_class_paths(found, folder, __version__, ()),
        environ=os.environ,
        box_file=read_box_file(os.environ),
        waiting=Waiting(lock, wait * 60),
        tell=shown.out,
        cpu_time=order.cpu_time,
    )


def _class_paths(line: str, build: Path) -> ClassPaths:
    version = __version__
    return find_class_paths(find_line(line), build, version, (Side.STOCK, Side.PATCHED))


def _now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)
