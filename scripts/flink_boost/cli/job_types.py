"""``flink-boost doctor --job-classes``: tell which types of a job take the fast way."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import click

from flink_boost import __version__
from flink_boost.base.errors import BrokenData, VerificationFailed
from flink_boost.base.processes import foreign_environment
from flink_boost.cli.answers import print_json, say
from flink_boost.flink.dropin import DropIn, read_dropin
from flink_boost.flink.home import FlinkHome, holds_own_classes, open_home, require_own_library
from flink_boost.flink.launch import ask_scripts
from flink_boost.flink.lines import Line, load_lines
from flink_boost.operate.carried import Carried, carried
from flink_boost.operate.classpath import require_own_jars
from flink_boost.operate.contents import (
    read_contents,
    read_inside,
    require_nothing_beside,
    require_orderly,
)
from flink_boost.operate.families import FamilyState
from flink_boost.operate.job_classes import (
    RECORDS,
    JobReport,
    JobType,
    RecordWay,
    ask_job,
    remedy,
)
from flink_boost.operate.own_lines import line_of


def tell_job_classes(
    flink_home: Path, job: Path, beginnings: Sequence[str], *, as_json: bool
) -> int:
    """Answers, also before our jar is installed. What goes another way is no fault.

    Raises what ``ask_job`` raises, and ``VerificationFailed`` where the jar that is installed is of
    another flink-boost.
    """
    environment = foreign_environment(os.environ)
    lines = load_lines()
    package = carried(__version__)
    home = open_home(flink_home)
    require_own_library(home)
    ours, installed = _our_jar(home, lines, package)
    launch = ask_scripts(home, environment)
    require_own_jars(home, launch, environment)
    if not installed:
        launch = replace(launch, class_path=(ours.path, *launch.class_path))
    report = JobReport(None)
    if RECORDS in ours.families:
        verifier = package.verifier(lines[ours.own_line or ours.flink_version])
        conf = home.conf(environment)
        report = ask_job(launch, verifier, conf, job, beginnings, environment, _tell)
    if as_json:
        _print(home, job, ours, report)
    else:
        for sentence in _told(job, ours, report):
            say(sentence)
    return 0


def _tell(progress: str) -> None:
    click.echo(progress, err=True)


def _our_jar(home: FlinkHome, lines: dict[str, Line], package: Carried) -> tuple[DropIn, bool]:
    """The jar that is asked, and whether it is installed; else it is the one that would be."""
    contents = read_contents(home.lib, package.dropins(lines.values()))
    if holds_own_classes(home.dist):
        require_nothing_beside(contents, home)
        ours: DropIn | None = read_inside(home)
    else:
        ours = require_orderly(contents, home.folder)
    if ours is None:
        fitting = package.dropin(line_of(home, lines, ()))
        ours = read_dropin(fitting)
        if ours is None:
            raise BrokenData(f"{fitting} is none of our jars.", "Install the wheel anew.")
        return ours, False
    if ours.boost_version != __version__:
        raise VerificationFailed(
            f"{ours.path} has the classes of flink-boost {ours.boost_version}; flink-boost"
            f" {__version__} cannot tell what these do.",
            f"Run `flink-boost install {home.quoted}`, or this command of that version.",
        )
    return ours, True


def _print(home: FlinkHome, job: Path, ours: DropIn, report: JobReport) -> None:
    types = [{**asdict(each), "next_step": remedy(each)} for each in report.types]
    records = None if report.records is None else asdict(report.records)
    content = {"flink_home": home.folder, "jar": ours.path, "job": job}
    print_json(0, {**content, "records": records, "types": types})


def _told(job: Path, ours: DropIn, report: JobReport) -> list[str]:
    family = report.records
    if family is None:
        whose = f"{ours.path.name} has no {RECORDS}"
        return [f"{whose}: all types of {job.name} are moved by Flink's own code."]
    shown = [each for each in report.types if each.place or each.way is not RecordWay.KRYO]
    lines = [
        f"{each.way:<8}  {_sentence(each)}" for each in shown if each.way is not RecordWay.UNLOADED
    ]
    lines += _unloaded([each for each in shown if each.way is RecordWay.UNLOADED])
    counted = Counter(str(each.way) for each in shown)
    counts = ", ".join(f"{count} {way}" for way, count in counted.items()) or "none is a record"
    lines.append(f"Of {len(shown)} types of {job.name}: {counts}.")
    if family.state is not FamilyState.ON:
        lines.append(f"All run Flink's own code: {family.told}.")
    if unused := len(report.types) - len(shown):
        lines.append(
            f"{unused} more classes are no POJOs, and nothing in the jar names one of them as a"
            " record; if one is, it goes through Kryo. --json lists them."
        )
    return lines


def _unloaded(types: Sequence[JobType]) -> Iterator[str]:
    """What is missing, each with the classes that want it: a library may leave much out."""
    by_reason: dict[str, list[JobType]] = {}
    for each in types:
        by_reason.setdefault(each.reason, []).append(each)
    for same in by_reason.values():
        others = f" (and {len(same) - 1:,} more)" if len(same) > 1 else ""
        first = same[0]
        yield f"{first.way:<8}  {_sentence(replace(first, name=first.name + others))}"


def _sentence(found: JobType) -> str:
    words = " ".join(filter(None, (found.kind, found.name)))
    if found.place and found.way is not RecordWay.FAST:
        words += f", in {found.place}"
    if found.reason:
        words += f": {found.reason}"
    return f"{words}. {remedy(found)}".rstrip()
