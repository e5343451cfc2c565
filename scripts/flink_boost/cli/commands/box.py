"""``flink-boost box``: Name this machine, check it, say what to set."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from flink_boost.base.errors import DifferentBox, UsageProblem
from flink_boost.cli.answers import json_option, print_json, refuse_options_before
from flink_boost.cli.box_retirement import retire
from flink_boost.flink.jdks import Jdk, ask_jdk, find_java
from flink_boost.measure import noise, tuning
from flink_boost.measure.box import changes_since, describe_box
from flink_boost.measure.box_change import BoxChange
from flink_boost.measure.box_file import (
    BoxFile,
    QuietLimits,
    box_file,
    read_box_file,
    require_name,
    write_box_file,
)
from flink_boost.measure.host import read_host
from flink_boost.measure.model import Box, BoxFacts

_TITLES = {
    "cpu": "processor",
    "cores": "cores",
    "memory_mb": "memory, MB",
    "governor": "governor",
    "turbo": "turbo",
    "smt": "SMT",
    "aslr": "ASLR",
    "kernel": "kernel",
    "jdk": "JDK",
    "microcode": "microcode",
}

file_option = click.option(
    "--file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The box.toml to write; default: FLINK_BOOST_BOX, else /etc/flink-boost/box.toml.",
)


@click.group(name="box", invoke_without_command=True)
@click.option("--name", help="Name this machine: as `box record --name`.")
@file_option
@json_option
@click.pass_context
def command(ctx: click.Context, name: str | None, file: Path | None, as_json: bool) -> None:
    """Name this machine, check that it is as recorded and quiet, say what to set.

    A series goes on with runs of one name only, and Codespeed knows the box by it. Without
    box.toml the host name stands for it, which is another one in each container. Without a command
    it shows the machine as runs describe it.

    \b
    Examples:
      flink-boost box                       processor, cores, memory, fingerprint, name
      flink-boost box record --name redbox  writes /etc/flink-boost/box.toml
      flink-boost box show                  what is found beside what was recorded
      flink-boost box check --noise         before a measurement: the same box, and quiet?
      flink-boost box tune > tune.sh        what to set, with reasons; changes nothing
      flink-boost box retire redbox         it measures no more: its alarms are closed
    """
    if ctx.invoked_subcommand is not None:
        refuse_options_before(ctx, name is not None or file is not None or as_json)
        return
    if name is not None:
        box = _record(name, file)
    elif file is not None:
        raise UsageProblem("--file says where to write a name.", "Give --name as well.")
    else:
        box = describe_box(_jdk(), read_box_file(os.environ))
    if as_json:
        print_json(0, {**json.loads(box.model_dump_json()), "label": box.label})
        return
    click.echo(f"Box:         {box.label}{'' if box.name else ' (host name; no box.toml)'}")
    click.echo(f"Fingerprint: {box.fingerprint}")
    click.echo(f"Processor:   {box.cpu}, {box.cores} cores")
    click.echo(f"Memory:      {box.memory_mb:,} MB")
    click.echo(f"Kernel, JDK: {box.kernel}, {box.jdk}")


@command.command(name="record")
@click.option("--name", help="Its name; default: the one that box.toml has.")
@file_option
@json_option
def record(name: str | None, file: Path | None, as_json: bool) -> None:
    """Write box.toml: name and facts of this machine as it is now.

    Limits of [quiet] in an existing file stay.

    \b
    Examples:
      flink-boost box record --name redbox
      flink-boost box record                after a wanted change of its settings
    """
    box = _record(name, file)
    if as_json:
        path = str(file or box_file(os.environ))
        print_json(0, {"file": path, "name": box.name, **box.facts.model_dump()})


@command.command(name="show")
@json_option
def show(as_json: bool) -> None:
    """Show what is found beside what was recorded; differences change no exit code.

    \b
    Examples:
      flink-boost box show
      flink-boost box show --json
    """
    named = read_box_file(os.environ)
    box, changes = _compared(named)
    recorded = named.recorded if named else BoxFacts()
    if as_json:
        print_json(0, _answer(named, box, changes))
        return
    click.echo(f"{named.name if named else box.label + ' (host name; no box.toml)'}")
    differing = {change.what for change in changes}
    rows = [("", "recorded", "found", "")]
    for field, title in _TITLES.items():
        before, found = getattr(recorded, field), getattr(box.facts, field)
        mark = "differs" if field in differing else ""
        rows.append((title, str(before or "–"), str(found or "–"), mark))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for row in rows:
        line = "  ".join(cell.ljust(width) for cell, width in zip(row[:3], widths, strict=True))
        click.echo(f"  {line}  {row[3]}".rstrip())


@command.command(name="check")
@click.option("--noise", "with_noise", is_flag=True, help="Also look whether it is quiet.")
@click.option(
    "--wait",
    type=click.FloatRange(0, 24 * 60),
    default=0.0,
    metavar="MINUTES",
    help="Wait so long for a quiet moment; with --noise.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0.1, 600),
    default=noise.PROBE_SECONDS,
    show_default=True,
    help="How long one look takes.",
)
@json_option
def check(with_noise: bool, wait: float, seconds: float, as_json: bool) -> None:
    """Refuse a machine that is not as recorded, or not quiet.

    Ends with 32 when something differs that scores depend on. Updates of kernel, JDK and microcode
    are told and refuse nothing. Ends with 33 when it is not quiet (--noise).

    \b
    Examples:
      flink-boost box check
      flink-boost box check --noise --wait 30
    """
    if wait and not with_noise:
        raise UsageProblem("--wait waits for a quiet moment.", "Give --noise as well.")
    errors = Console(stderr=True, highlight=False, soft_wrap=True)
    named = read_box_file(os.environ)
    if named is None:
        raise UsageProblem(
            f"There is nothing to check against: {box_file(os.environ)} does not exist.",
            "Write it with `flink-boost box record --name NAME`.",
        )
    box, changes = _compared(named)
    for change in changes:
        errors.out(f"{_sentence(change)} {change.next_step}")
    refused = [change for change in changes if change.refuses]
    if refused:
        raise DifferentBox(
            f"This machine is not as {named.name!r} was recorded: {'; '.join(map(str, refused))}.",
            "Set it back, run `flink-boost box record` if it is to stay so, or measure as"
            " another box with --environment NAME.",
        )
    quiet = None
    if with_noise:
        quiet = noise.wait_for_quiet(lambda: noise.probe(seconds, named.quiet), wait, errors.out)
    if as_json:
        noted = asdict(quiet) if quiet else None
        print_json(0, {**_answer(named, box, changes), "noise": noted})
        return
    click.echo(f"{named.name} is as recorded" + (" but for updates." if changes else "."))
    if quiet:
        click.echo(f"Quiet: {quiet}.")


@command.command(name="tune")
@json_option
def tune(as_json: bool) -> None:
    """Print what to set on this machine, as a shell script with reasons; changes nothing.

    \b
    Examples:
      flink-boost box tune
      flink-boost box tune > tune.sh        read it, then: sudo sh tune.sh
    """
    advice = tuning.advice_for(read_host(), describe_box(_jdk()).cores)
    if as_json:
        print_json(0, {"advice": [asdict(one) for one in advice]})
        return
    click.echo(tuning.script(advice), nl=False)


command.add_command(retire)


def _compared(named: BoxFile | None) -> tuple[Box, tuple[BoxChange, ...]]:
    box = describe_box(_jdk())
    if named is None:
        return box, ()
    changes = changes_since(named, box)
    if named.fingerprint != box.fingerprint and not any(one.refuses for one in changes):
        # A file without facts tells only that something is another one.
        changes = (*changes, BoxChange("fingerprint", named.fingerprint, box.fingerprint))
    return box, changes


def _answer(named: BoxFile | None, box: Box, changes: tuple[BoxChange, ...]) -> dict[str, Any]:
    return {
        "name": named.name if named else "",
        "recorded": named.recorded.model_dump() if named else None,
        "found": box.facts.model_dump(),
        "changes": [{**asdict(change), "refuses": change.refuses} for change in changes],
    }


def _sentence(change: BoxChange) -> str:
    text = str(change)
    return f"{text[0].upper()}{text[1:]}."


def _record(name: str | None, file: Path | None) -> Box:
    path = file or box_file(os.environ)
    old = _existing(path)
    name = name if name is not None else (old.name if old else None)
    if name is None:
        raise UsageProblem("This machine has no name yet.", "Give it one with --name NAME.")
    require_name(name)
    box = describe_box(_jdk())
    quiet = old.quiet if old else QuietLimits()
    write_box_file(
        path,
        BoxFile(version=2, name=name, fingerprint=box.fingerprint, recorded=box.facts, quiet=quiet),
    )
    click.echo(f"This machine is {name} from now on: {path} says so.", err=True)
    if file is not None:
        click.echo(f"Set FLINK_BOOST_BOX={path.absolute()} where you measure.", err=True)
    return box.model_copy(update={"name": name})


def _existing(path: Path) -> BoxFile | None:
    """The file that is about to be replaced; its name and limits are kept."""
    return read_box_file({"FLINK_BOOST_BOX": str(path)}) if path.exists() else None


def _jdk() -> Jdk:
    return ask_jdk(find_java(None, dict(os.environ)))
