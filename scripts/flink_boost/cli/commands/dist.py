"""``flink-boost dist``: Build whole Flink distributions with our classes, as tarballs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click

from flink_boost import __version__
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.base.processes import terminated_like_interrupted
from flink_boost.cli.answers import json_option, print_json, told_aside
from flink_boost.cli.context import Settings
from flink_boost.flink.downloads import CACHE
from flink_boost.flink.lines import Line, find_line, measured_lines
from flink_boost.operate.carried import carried
from flink_boost.operate.dist.build import Tarball, Variant, build_tarball


@click.command(name="dist")
@click.option("--line", "versions", metavar="VERSION", multiple=True, help="Default: all lines.")
@click.option(
    "--variant",
    "variants",
    type=click.Choice([variant.value for variant in Variant]),
    multiple=True,
    help="Our jar in lib/ before Flink's, or our classes inside Flink's own jar. Default: both.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    show_default="BUILD/dist",
    help="Folder for the tarballs.",
)
@json_option
@click.pass_obj
def command(
    settings: Settings,
    versions: tuple[str, ...],
    variants: tuple[str, ...],
    out: Path | None,
    as_json: bool,
) -> None:
    """Build flink-VERSION-boost.tgz and flink-VERSION-boost-replaced.tgz, with checksums.

    They hold the official distribution that lines.toml pins and our classes: in a jar of their own
    in lib/, or in the places of stock's inside flink-dist. Same input, same bytes.

    \b
    Examples:
      flink-boost dist
      flink-boost dist --line 2.3.0 --variant replaced
    """
    built: list[dict[str, object]] = []
    with told_aside(as_json):
        for line, variant, made in _build(settings, versions, variants, out):
            click.echo(f"{made.sha256}  {made.path}  {made.size / 1e6:.0f} MB")
            built.append({"line": line.version, "variant": variant.value, **asdict(made)})
    if as_json:
        print_json(0, {"tarballs": built}, "They are built")


def _build(
    settings: Settings, versions: tuple[str, ...], variants: tuple[str, ...], out: Path | None
) -> Iterator[tuple[Line, Variant, Tarball]]:
    every = [line.version for line in measured_lines()]
    lines = [find_line(version) for version in versions or every]
    package = carried(__version__)
    folder = settings.build / "dist" if out is None else out.absolute()
    with terminated_like_interrupted():
        for line in lines:
            for variant in map(Variant, variants or list(Variant)):
                made = build_tarball(line, variant, package, PROJECT_ROOT, CACHE, folder)
                yield line, variant, made
