"""List, show or decide about changes of speed that reruns have confirmed."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import click

from flink_boost.base.errors import UsageProblem
from flink_boost.cli.answers import (
    json_option,
    print_json,
    refuse_options_before,
    say,
)
from flink_boost.cli.context import Settings
from flink_boost.cli.options import by_option
from flink_boost.flink.lines import default_line, find_measured_line
from flink_boost.judge.alarm_record import (
    CURRENT,
    AlarmDecision,
    AlarmRecord,
    AlarmState,
    decided,
)
from flink_boost.judge.misses import SHORTEST_COMMIT, MissedChange
from flink_boost.publish.alarm_sheet import alarm_lines, alarms_sheet
from flink_boost.publish.sheet import print_sheets
from flink_boost.service.detect.alarm_registry import load_registry, registry_lock, store_registry

_LONGEST_REASON = 500
_LONGEST_NAME = 94  # that the dashboard takes


@click.group(name="alarm", invoke_without_command=True)
@json_option
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """List, show or decide about changes of speed that reruns have confirmed.

    \b
    Examples:
      flink-boost alarm                                         those that are open
      flink-boost alarm show a1b2c3d4e5
      flink-boost alarm accept a1b2 --reason "The price of FLINK-12345."
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_command, as_json=as_json)
    else:
        refuse_options_before(ctx, as_json)


@command.command(name="list")
@click.option("--all", "everything", is_flag=True, help="Closed ones as well.")
@json_option
@click.pass_obj
def list_command(settings: Settings, everything: bool = False, as_json: bool = False) -> None:
    """List alarms; those that the same commits caused stand together, newest first.

    \b
    Examples:
      flink-boost alarm list
      flink-boost alarm list --all --json
    """
    registry = load_registry(settings.build)
    shown = [one for one in registry.alarms if everything or one.state in CURRENT]
    if as_json:
        print_json(0, {"alarms": shown, "figures": registry.figures})
    elif shown:
        kind = "" if everything else " open"
        print_sheets((alarms_sheet(shown, f"{len(shown)}{kind} alarms"),), "table")
        say("`flink-boost alarm show ID` tells more; accept, reject or environment closes one.")
    elif registry.made is None:
        say("No night has been confirmed yet; `flink-boost detect --confirm` does.")
    else:
        say(f"No alarm is open, as of {registry.made:%Y-%m-%d %H:%M} UTC.")


@command.command(name="show")
@click.argument("alarm_id")
@json_option
@click.pass_obj
def show_command(settings: Settings, alarm_id: str, as_json: bool) -> None:
    """Show one alarm: reruns, bisect, decision, history.

    ALARM_ID may be the beginning of one.

    \b
    Examples:
      flink-boost alarm show a1b2
    """
    record = load_registry(settings.build).find(alarm_id)
    if as_json:
        print_json(0, {"alarm": record})
    else:
        say("\n".join(alarm_lines(record)))


@command.command(name="missed")
@click.argument("benchmark")
@click.argument("commit")
@click.option("--line", default=default_line, show_default="the newest", help="Flink release.")
@click.option("--reason", required=True, help="How it was found, and how much slower it is.")
@by_option("Who found it")
@json_option
@click.pass_obj
def missed_command(
    settings: Settings,
    benchmark: str,
    commit: str,
    line: str,
    reason: str,
    by: str,
    as_json: bool,
) -> None:
    """Report a regression that no alarm has told: BENCHMARK has it since COMMIT.

    It counts as missed on the dashboard until an alarm tells of that benchmark and commit.

    \b
    Examples:
      flink-boost alarm missed serializerTuple 3f9c2d1 --reason "Found by bisecting by hand, 4 %."
    """
    version = find_measured_line(line).version
    change = _missed(settings, benchmark, version, commit.lower(), by, reason)
    count = load_registry(settings.build).figures.missed
    if as_json:
        print_json(0, {"missed": change})
    else:
        say(f"Noted; {count} missed so far. `flink-boost detect --confirm --send` tells it.")


def _missed(
    settings: Settings, benchmark: str, line: str, commit: str, by: str, reason: str
) -> MissedChange:
    if not re.fullmatch(rf"[0-9a-f]{{{SHORTEST_COMMIT},40}}", commit):
        raise UsageProblem(
            f"{commit!r} is no commit.", f"Give at least {SHORTEST_COMMIT} of its digits."
        )
    named = {one.benchmark for one in load_registry(settings.build).alarms}
    if not benchmark.isprintable() or not 0 < len(benchmark) <= _LONGEST_NAME:
        raise UsageProblem(
            f"{benchmark!r} is no name of a benchmark.",
            f"Write it as the dashboard does{', as in ' + min(named) if named else ''}.",
        )
    now = datetime.now(UTC).replace(microsecond=0)
    change = MissedChange(
        benchmark=benchmark, line=line, commit=commit, by=by, reason=_sentence(reason), when=now
    )
    with registry_lock(settings.build):
        registry = load_registry(settings.build)
        same = (benchmark, line, commit)
        others = [one for one in registry.misses if (one.benchmark, one.line, one.commit) != same]
        changed = registry.model_copy(update={"misses": (*others, change)})
        store_registry(settings.build, changed)
    return change


def _deciding(name: str, state: AlarmState, summary: str, why: str) -> click.Command:
    @click.argument("alarm_id")
    @click.option("--reason", required=True, help="Why; shown wherever the alarm is.")
    @by_option("Who decided")
    @json_option
    @click.pass_obj
    def decide(settings: Settings, alarm_id: str, reason: str, by: str, as_json: bool) -> None:
        record = _decide(settings, alarm_id, state, reason, by)
        if as_json:
            print_json(0, {"alarm": record})
        else:
            say(f"{record.id} is {state.value}. `flink-boost detect --confirm --send` tells it.")

    decide.__doc__ = f"""{summary}

    \b
    Examples:
      flink-boost alarm {name} a1b2 --reason "{why}"
    """
    return command.command(name=name)(decide)


accept_command = _deciding(
    "accept",
    AlarmState.ACCEPTED,
    "Close an alarm: the change is real and stays. Its new level is the one that counts.",
    "The price of FLINK-12345.",
)
reject_command = _deciding(
    "reject",
    AlarmState.REJECTED,
    "Close an alarm that is wrong: there is no such change.",
    "Ten more pairs by hand show none.",
)
environment_command = _deciding(
    "environment",
    AlarmState.ENVIRONMENT,
    "Close an alarm: it was the box, not the code.",
    "A new kernel since Monday.",
)


def _decide(
    settings: Settings, alarm_id: str, state: AlarmState, reason: str, by: str
) -> AlarmRecord:
    words = _sentence(reason)
    now = datetime.now(UTC).replace(microsecond=0)
    with registry_lock(settings.build):
        registry = load_registry(settings.build)
        record = decided(
            registry.find(alarm_id),
            AlarmDecision(state=state, by=by, reason=words, when=now),
        )
        store_registry(settings.build, registry.replaced(record))
    return record


def _sentence(reason: str) -> str:
    words = " ".join(reason.split())
    if not words or len(words) > _LONGEST_REASON or not words.isprintable():
        raise UsageProblem(
            f"--reason has to be a sentence of at most {_LONGEST_REASON} characters.", "Say why."
        )
    return words
