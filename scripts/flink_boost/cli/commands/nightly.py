"""``flink-boost nightly``: Do a whole night: build, verify, measure, publish, judge and report."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime, timedelta
from functools import partial

import click
from rich.console import Console

from flink_boost.base.errors import NightIncomplete, UsageProblem
from flink_boost.base.processes import terminated_like_interrupted
from flink_boost.cli.answers import json_option, print_json
from flink_boost.cli.context import Settings
from flink_boost.cli.night_table import finish_night, show_plan
from flink_boost.cli.options import (
    environment_option,
    pairs_option,
    rerun_pairs_option,
    wait_option,
)
from flink_boost.cli.stopped_night import first_check, telling_why
from flink_boost.flink.lines import find_measured_line, measured_lines
from flink_boost.measure.groups import load_groups
from flink_boost.measure.machine_lock import lock_file
from flink_boost.measure.night_record import Against, Order
from flink_boost.measure.runner import Progress
from flink_boost.port.soak import parse_count
from flink_boost.publish.progress import shown_progress
from flink_boost.publish.run_places import Places
from flink_boost.publish.upload import RetryPolicy
from flink_boost.service.detect.confirming import NIGHT_PAIRS
from flink_boost.service.nightly.alarm_flame_graphs import MINUTES as PROFILE_MINUTES
from flink_boost.service.nightly.alarm_flame_graphs import AlarmProfiles
from flink_boost.service.nightly.box_shift import BoxShift
from flink_boost.service.nightly.canaries import Canaries
from flink_boost.service.nightly.check_calls import check_here, check_there
from flink_boost.service.nightly.night import Waiting
from flink_boost.service.nightly.night_journal import NightJournal
from flink_boost.service.nightly.night_messages import People
from flink_boost.service.nightly.night_parts import Parts
from flink_boost.service.nightly.night_plan import parse_shard
from flink_boost.service.nightly.plan_table import fits
from flink_boost.service.nightly.recipes import order_sentence, with_recipe
from flink_boost.service.nightly.service import NightService
from flink_boost.service.nightly.slots import DEFAULT_TIME, parse_time
from flink_boost.service.nightly.source_tree import Tree
from flink_boost.service.nightly.suspects import Suspects
from flink_boost.service.retention.retention_settings import Retention, load_retention

GROUPS = ("nightly", "spine")  # the first that there is
STRINGS = "1e6"
HOURS = 6.0
WAIT_MINUTES = 90

_at_option = click.option(
    "--at",
    metavar="HH:MM",
    envvar="FLINK_BOOST_NIGHTLY_AT",
    default=DEFAULT_TIME,
    show_default=True,
    help="When nights are due, in UTC; as the timer has it.",
)


@click.group(name="nightly", invoke_without_command=True)
@click.option("--line", "lines", multiple=True, help="Flink release; repeatable. Default: all.")
@click.option(
    "--group", help=f"From groups.toml; default: {GROUPS[0]}, else {GROUPS[1]}.", default=None
)
@click.option("--only", multiple=True, metavar="PATTERN", help="Benchmarks by name; repeatable.")
@pairs_option
@click.option(
    "--shard",
    default="1/1",
    metavar="N/M",
    show_default=True,
    help="This box's part, where several of one kind share the night.",
)
@click.option(
    "--recipe",
    metavar="FILE",
    help="Measure commits of a checkout of Flink: a name in recipes/, or a TOML file.",
)
@click.option(
    "--commits",
    metavar="REV|A..B",
    default="",
    help="With --recipe: this commit, or B compared with A. Default: the recipe's branch.",
)
@click.option(
    "--against",
    type=click.Choice([Against.RELEASE.value, Against.NIGHT_BEFORE.value]),
    help="With --recipe: what it is compared with; default: release. The other one is the commit"
    " of its last complete night.",
)
@_at_option
@click.option(
    "--resume",
    is_flag=True,
    help="Go on with the newest night, whatever its slot: of --recipe, else ours or the newest.",
)
@click.option("--no-build", is_flag=True, help="Measure what is built; Jenkins built it apart.")
@click.option(
    "--strings", default=STRINGS, show_default=True, help="How many each line is verified with."
)
@wait_option(WAIT_MINUTES, 600)
@click.option(
    "--hours",
    type=click.FloatRange(0.1, 24),
    default=HOURS,
    show_default=True,
    help="What this box has for a night: says so when the plan is longer.",
)
@click.option(
    "--keep",
    type=click.IntRange(7, 3650),
    help="Days for which logs and profiles stay, instead of `flink-boost retention`'s `logs`.",
)
@rerun_pairs_option(NIGHT_PAIRS)
@click.option(
    "--profile-minutes",
    type=click.FloatRange(0, 600),
    default=PROFILE_MINUTES,
    show_default=True,
    help="For flame graphs of what was confirmed, tonight's largest first.",
)
@click.option("--dry-run", is_flag=True, help="Show the steps with their times, and do nothing.")
@click.option("--benchmarks", is_flag=True, help="With --dry-run: pairs and time of each.")
@environment_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    lines: tuple[str, ...],
    group: str | None,
    only: tuple[str, ...],
    pairs: int | None,
    shard: str,
    recipe: str | None,
    commits: str,
    against: str | None,
    at: str,
    resume: bool,
    no_build: bool,
    strings: str,
    wait: float,
    hours: float,
    keep: int | None,
    rerun_pairs: int,
    profile_minutes: float,
    dry_run: bool,
    benchmarks: bool,
    environment: str | None,
    as_json: bool,
) -> None:
    """Do a whole night: build, verify, measure, upload, detect, report, for every line.

    The night of a slot is done once, however often this is called. One that was interrupted or
    killed goes on with the next call; what an older one left unfinished is closed and reported.
    What is benchmarked is a recipe: this tree against the release, or with --recipe the jars of a
    commit of Flink in front of the release's. docs/nightly.md says how to point it at one.
    A step that fails does not cost the others. Ends with the code of the first problem, and with
    30 when another call works on the night.

    \b
    Examples:
      flink-boost nightly                                what the timer starts
      flink-boost nightly --dry-run --benchmarks         steps, benchmarks, and their times
      flink-boost nightly --line 2.3.0 --group spine     a shorter night
      flink-boost nightly --shard 1/3                    the first of three boxes of one kind
      flink-boost nightly --recipe flink.toml            Flink's branch against the release
      flink-boost nightly --recipe flink.toml --against night-before
      flink-boost nightly --recipe flink.toml --commits release-2.2.0..master
      flink-boost nightly --resume                       try again what failed
      flink-boost nightly check                          did the night come, and whole?
    """
    if ctx.invoked_subcommand is not None:
        return
    settings: Settings = ctx.obj
    with telling_why("the night stopped", settings.build):
        usual = next(name for name in GROUPS if name in load_groups())
        chosen = lines or tuple(line.version for line in measured_lines())
        wanted = Order(
            lines=tuple(find_measured_line(version).version for version in dict.fromkeys(chosen)),
            group=group or usual,
            patterns=only,
            shard="/".join(map(str, parse_shard(shard))),
            pairs=pairs,
            build=not no_build,
            strings=parse_count(strings),
            environment=environment or "",
        )
        if recipe is not None:
            wanted = with_recipe(wanted, recipe, commits, Against(against) if against else None)
        elif commits or against:
            raise UsageProblem("--commits and --against need a --recipe.", "Name one.")
        slot_time = parse_time(at)
        service = _service(
            *(settings, Waiting(lock_file(os.environ), wait * 60)),
            load_retention(os.environ, logs=keep),
            *(rerun_pairs, profile_minutes),
        )
        plan = service.plan(wanted)
        about = order_sentence(service.pinned(wanted)) if dry_run else ""
        if not dry_run:
            with terminated_like_interrupted():
                if plan.seconds > hours * 3600:
                    service.tell(fits(plan, hours))
                ended = service.run(wanted, slot_time, resume=resume)
    if dry_run:
        show_plan(plan, hours, about, benchmarks=benchmarks, as_json=as_json)
        return
    finish_night(ended, as_json=as_json)


def _service(
    settings: Settings,
    waiting: Waiting,
    retention: Retention,
    rerun_pairs: int = NIGHT_PAIRS,
    profile_minutes: float = PROFILE_MINUTES,
) -> NightService:
    errors = Console(stderr=True, highlight=False, soft_wrap=True)
    tree = Tree(settings.build, os.environ, quiet_minutes=waiting.seconds / 60)
    places = Places(settings.results, settings.spool, settings.build)
    people = People(places, os.environ, _now)

    def shown() -> AbstractContextManager[Progress]:
        return shown_progress(errors)

    return NightService(
        places=places,
        groups=load_groups(),
        parts=Parts(
            check_box=tree.check_box,
            build=tree.build_line,
            class_paths=tree.class_paths,
            describe=tree.describe,
            verify=tree.verify,
            old_against_new=BoxShift(
                places=places,
                journal=NightJournal(settings.build / "nights"),
                environ=os.environ,
                groups=load_groups(),
                describe=tree.describe,
                class_paths=tree.class_paths,
                shown=shown,
                tell=errors.out,
                clock=_now,
            ),
            canary=Canaries(places, os.environ, tree.describe, shown, errors.out),
            confirm=Suspects(
                places, NightJournal(settings.build / "nights"), os.environ, rerun_pairs
            ),
            profiles=AlarmProfiles(places, os.environ, profile_minutes, _now),
            report=people.write,
            notify=people.tell,
        ),
        environ=os.environ,
        policy=RetryPolicy(),
        waiting=waiting,
        clock=_now,
        shown=shown,
        tell=errors.out,
        retention=retention,
    )


def _now() -> datetime:
    return datetime.now(UTC)


@command.command(name="check")
@_at_option
@click.option(
    "--within",
    type=click.FloatRange(0, 24),
    default=2.0,
    show_default=True,
    help="Hours after its slot by which a night has to be there.",
)
@click.option("--url", help="Ask this dashboard instead of this machine.")
@click.option("--box", "boxes", multiple=True, help="With --url: look for this box; repeatable.")
@json_option
@click.pass_obj
def check_command(
    settings: Settings,
    at: str,
    within: float,
    url: str | None,
    boxes: tuple[str, ...],
    as_json: bool,
) -> None:
    """Say whether the newest night that is due came, and came whole.

    A second timer runs it on the box; with --url any other machine can. Ends with code 31 when a
    night is missing, was stopped, or is short, empty, refused or failed. On the box a missing
    night is written down too, so that the dashboard shows it.

    \b
    Examples:
      flink-boost nightly check
      flink-boost nightly check --url https://speed.example.org/ --box box-1
    """
    grace = timedelta(hours=within)
    unwritten = partial(first_check, at, grace)
    telling = telling_why("nobody can say whether a night came", settings.build, unwritten)
    with nullcontext() if url else telling:
        slot_time = parse_time(at)
        if url is not None:
            checked = check_there(url, boxes, _now(), slot_time, grace)
        else:
            service = _service(settings, Waiting(lock_file(os.environ), 0), Retention())
            checked = (check_here(service, _now(), slot_time, grace),)
    alarms = [one for one in checked if one.finding.is_alarm]
    if as_json:
        code = NightIncomplete.exit_code if alarms else 0
        print_json(code, {"boxes": checked})
    else:
        for one in checked:
            click.echo(one.sentence)
    if alarms:
        raise NightIncomplete(
            f"{len(alarms)} of {len(checked)} nights need somebody. {alarms[0].sentence}",
            "docs/nightly.md says what to do in the morning.",
        )
