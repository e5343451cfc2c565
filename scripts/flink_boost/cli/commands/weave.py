"""``flink-boost weave``: Make a jar for your own build of Flink."""

from __future__ import annotations

import zipfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from flink_boost import __version__
from flink_boost.base.errors import BrokenData, EnvironmentProblem, UsageProblem
from flink_boost.base.files import sha256, write_durably
from flink_boost.base.processes import terminated_like_interrupted
from flink_boost.cli.answers import FlinkHomeArgument, json_option, print_json, say
from flink_boost.cli.own_jar import OwnJar, official_line, outlook, own_jar
from flink_boost.flink.dropin import read_dropin
from flink_boost.flink.home import FlinkHome, open_home
from flink_boost.flink.lines import Line, load_lines
from flink_boost.operate.carried import Carried, carried


@click.command(name="weave")
@click.argument("flink_home", type=FlinkHomeArgument())
@click.option(
    "--out",
    metavar="JAR",
    help="The jar to write, or a folder for it; a flink-boost jar that is there is replaced.",
)
@click.option("--dry-run", is_flag=True, help="Compare only; write nothing.")
@json_option
@terminated_like_interrupted()
def command(flink_home: Path, out: str | None, dry_run: bool, as_json: bool) -> None:
    """Make a jar for a Flink of your own: a vendor's build, a company's fork, a snapshot.

    Its classes are compared method by method with those of each line. If nothing differs that our
    code depends on, they are woven, a million strings go through the result and through the
    classes of FLINK_HOME, and only then is the jar written. FLINK_HOME is not changed; to put the
    jar into it, use `flink-boost install --weave`.

    \b
    Examples:
      flink-boost weave /opt/flink --dry-run      does it fit?
      flink-boost weave /opt/flink --out .        a jar for an image: keep its name
      flink-boost weave /opt/flink --out build/ --json
    """
    if (out is None) is not dry_run:
        raise UsageProblem(
            "`flink-boost weave` writes a jar or compares only.", "Name --out JAR, or --dry-run."
        )
    lines = load_lines()
    package = carried(__version__)
    home = open_home(flink_home)
    place = None if out is None else _place(home, out)
    official = official_line(home, lines)
    if official is not None:
        sentence, found = _official(home, official, package, place)
    else:
        with own_jar(home, lines, package, only_compare=dry_run) as made:
            target = None if place is None or made.path is None else _write(home, made.path, place)
            sentence, found = _told(made, target, home), _found(made, target)
    if as_json:
        answer = {"flink_home": home.folder, "flink_version": home.version, **found}
        print_json(0, answer, sentence)
    else:
        for check in found["checks"]:
            say(f"ok      {check['name']:<8} {check['detail']}")
        if found["without"]:
            say(found["without"])
        say(f"{sentence}.", sentence)


def _place(home: FlinkHome, out: str) -> Path:
    """Where it is to go; refused before a minute is spent on it. A folder has no file name yet."""
    place = Path(out)
    if out.endswith("/") and not place.is_dir():
        raise UsageProblem(f"There is no folder {place}.", "Make it first.")
    _require_free(home, place)
    return place


def _official(
    home: FlinkHome, line: Line, package: Carried, out: Path | None
) -> tuple[str, dict[str, Any]]:
    jar = package.dropin(line)
    outlook(home, jar)
    target = None if out is None else _write(home, jar, out)
    sentence = f"All classes are those of Flink {line.version}: {jar.name} fits as it is"
    if target is not None:
        sentence += f"; it is now {target}"
    return sentence, _answer(line, line.version, target, [], "")


def _told(made: OwnJar, target: Path | None, home: FlinkHome) -> str:
    if target is None:
        return (
            f"Nothing that our code depends on differs from Flink {made.like}: a jar can be made"
            f" for {home.folder}"
        )
    return (
        f"Wrote {target}, with the patches of Flink {made.like}, for the classes of"
        f" {home.folder} and no others"
    )


def _found(made: OwnJar, target: Path | None) -> dict[str, Any]:
    checks = [asdict(check) for check in made.checks]
    return _answer(made.line, made.like, target, checks, made.without)


def _answer(
    line: Line, like: str, jar: Path | None, checks: list[Any], without: str
) -> dict[str, Any]:
    return {
        "combination": line.version,
        "like": like,
        "classes": line.classes,
        "jar": jar,
        "sha256": None if jar is None else sha256(jar),
        "checks": checks,
        "without": without,
    }


def _write(home: FlinkHome, jar: Path, out: Path) -> Path:
    """Puts a copy where it was asked for, whole or not at all."""
    target = out / jar.name if out.is_dir() else out
    _require_free(home, target)
    if not target.parent.is_dir():
        raise UsageProblem(f"There is no folder {target.parent}.", "Make it first.")
    try:
        write_durably(target, jar.read_bytes())
    except OSError as error:
        raise EnvironmentProblem(
            f"{target} cannot be written ({error.strerror}).", "Name another --out."
        ) from error
    return target


def _require_free(home: FlinkHome, target: Path) -> None:
    """Raises ``UsageProblem`` for a place in the installation, and for a file that is not ours.

    Only ``install`` looks at what runs from there and at the other jars in ``lib/``.
    """
    place = target.resolve()
    if any(place.is_relative_to(folder) for folder in (home.folder, home.lib.resolve())):
        raise UsageProblem(
            f"{target} is inside {home.folder}, which `flink-boost weave` does not change.",
            f"Run `flink-boost install {home.quoted} --weave`, or name an --out outside of it.",
        )
    if target.exists() and not target.is_dir() and not _is_ours(target):
        raise UsageProblem(
            f"{target} is there already and is no flink-boost jar.", "Name another --out."
        )


def _is_ours(file: Path) -> bool:
    try:
        dropin = read_dropin(file)
    except (zipfile.BadZipFile, BrokenData, OSError):
        return False
    return dropin is not None and not dropin.foreign
