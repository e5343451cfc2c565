"""``flink-boost doctor``: Say what is not as it should be with an installation, and what to do."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path

import click

from flink_boost import __version__
from flink_boost.base.errors import EnvironmentProblem, UsageProblem
from flink_boost.base.processes import foreign_environment, terminated_like_interrupted
from flink_boost.cli.answers import FlinkHomeArgument, json_option, print_json, say
from flink_boost.cli.job_types import tell_job_classes
from flink_boost.flink.lines import Line, default_line, load_lines
from flink_boost.operate.carried import Carried, carried
from flink_boost.operate.doctor import examine
from flink_boost.operate.findings import Finding, Level

_MARKS = {Level.FINE: "ok     ", Level.WARNING: "warning", Level.PROBLEM: "PROBLEM"}


@click.command(name="doctor")
@click.argument("flink_home", type=FlinkHomeArgument(), envvar="FLINK_HOME")
@click.option(
    "--job-classes",
    "job",
    metavar="JAR",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Tell instead which types of records in this jar of a job are moved by generated classes,"
    " and why others are not.",
)
@click.option(
    "--classes",
    "beginnings",
    metavar="NAME",
    multiple=True,
    help="With --job-classes: only classes whose names begin so, as com.example. May be repeated.",
)
@json_option
@terminated_like_interrupted()
def command(flink_home: Path, job: Path | None, beginnings: tuple[str, ...], as_json: bool) -> int:
    """Look at FLINK_HOME: version, jar, class path, JDK, mode, opened modules, running processes.

    Without an argument FLINK_HOME is taken from the environment. Quick, and changes nothing. Ends
    with the exit code that the first problem would give elsewhere.

    With --job-classes a JVM does with the jar what the cluster would: Flink says which types its
    classes are, and our jar which of them it moves, before it is installed, too. The job does not
    run.

    \b
    Examples:
      flink-boost doctor /opt/flink
      flink-boost doctor /opt/flink --json
      flink-boost doctor /opt/flink --job-classes job.jar
      flink-boost doctor /opt/flink --job-classes job.jar --classes com.example.
    """
    if job is not None:
        return tell_job_classes(flink_home, job, beginnings, as_json=as_json)
    if beginnings:
        raise UsageProblem("--classes belongs to --job-classes.", "Name the job's jar, too.")
    lines = load_lines()
    version = __version__
    package = carried(version)
    known = package.dropins(lines.values())
    findings = [
        _package(package, known, lines[default_line()]),
        *examine(flink_home, lines, known, foreign_environment(os.environ)),
    ]
    exit_code = next((f.exit_code for f in findings if f.level is Level.PROBLEM), 0)
    if as_json:
        content = {"flink_home": flink_home, "findings": [asdict(f) for f in findings]}
        print_json(exit_code, content)
    else:
        for finding in findings:
            say(f"{_MARKS[finding.level]}  {finding.text} {finding.next_step}".rstrip())
    return exit_code


def _package(package: Carried, known: list[Path], line: Line) -> Finding:
    try:
        names = ", ".join(jar.name for jar in known or [package.dropin(line)])
    except EnvironmentProblem as error:
        told = f"flink-boost {package.version} has no jar: {error.message}"
        return Finding(Level.WARNING, told, error.next_step)
    return Finding(Level.FINE, f"flink-boost {package.version} carries {names}.")
