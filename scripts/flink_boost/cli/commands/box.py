"""``flink-boost box``: Show this machine as runs describe it, or give it a name."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import click

from flink_boost.base.errors import UsageProblem
from flink_boost.cli.answers import failing_in_json, json_option, print_json
from flink_boost.flink.jdks import ask_jdk, find_java
from flink_boost.measure.box import describe_box
from flink_boost.measure.boxfile import (
    NAME_PATTERN,
    BoxFile,
    box_file,
    read_box_file,
    write_box_file,
)
from flink_boost.measure.model import Box


@click.command(name="box")
@click.option("--name", help="Name this machine: writes box.toml.")
@click.option(
    "--file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The box.toml to write; default: FLINK_BOOST_BOX, else /etc/flink-boost/box.toml.",
)
@json_option
def command(name: str | None, file: Path | None, as_json: bool) -> None:
    """Show this machine as runs describe it, or give it a name.

    A series goes on with runs of one name only, and Codespeed knows the box by it. Without
    box.toml the host name stands for it, which is another one in each container.

    \b
    Examples:
      flink-boost box                       processor, cores, memory, fingerprint, name
      flink-boost box --name redbox         writes /etc/flink-boost/box.toml
      flink-boost box --name redbox --file box.toml
    """
    with failing_in_json("box", as_json):
        box = _box(name, file)
    if as_json:
        print_json("box", 0, {**json.loads(box.model_dump_json()), "label": box.label})
        return
    click.echo(f"Box:         {box.label}{'' if box.name else ' (host name; no box.toml)'}")
    click.echo(f"Fingerprint: {box.fingerprint}")
    click.echo(f"Processor:   {box.cpu}, {box.cores} cores")
    click.echo(f"Memory:      {box.memory_mb:,} MB")
    click.echo(f"Kernel, JDK: {box.kernel}, {box.jdk}")


def _box(name: str | None, file: Path | None) -> Box:
    jdk = ask_jdk(find_java(None, dict(os.environ)))
    if name is not None:
        if not re.fullmatch(NAME_PATTERN, name):
            raise UsageProblem(
                f"{name!r} is no name of a box.",
                "Use up to 63 letters, digits, dots, dashes and underscores.",
            )
        path = file or box_file(os.environ)
        unnamed = describe_box(jdk)
        write_box_file(path, BoxFile(name=name, fingerprint=unnamed.fingerprint))
        click.echo(f"This machine is {name} from now on: {path} says so.", err=True)
        if file is not None:
            click.echo(f"Set FLINK_BOOST_BOX={path.absolute()} where you measure.", err=True)
        return unnamed.model_copy(update={"name": name})
    if file is not None:
        raise UsageProblem("--file says where to write a name.", "Give --name as well.")
    return describe_box(jdk, read_box_file(os.environ))
