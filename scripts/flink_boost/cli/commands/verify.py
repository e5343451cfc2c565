"""``flink-boost verify``: Prove that an installation runs our classes and writes stock's bytes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import asdict
from pathlib import Path

import click

from flink_boost import __version__
from flink_boost.base.errors import AnswerLost, UsageProblem, VerificationFailed
from flink_boost.base.processes import foreign_environment, terminated_like_interrupted
from flink_boost.cli.answers import (
    FlinkHomeArgument,
    json_option,
    print_json,
    say,
)
from flink_boost.flink.home import (
    FlinkHome,
    holds_own_classes,
    open_home,
    require_own_library,
    with_stock,
)
from flink_boost.flink.launch import ask_scripts
from flink_boost.flink.lines import load_lines
from flink_boost.flink.releases import as_tested, load_releases, patched_names
from flink_boost.operate.carried import carried
from flink_boost.operate.classpath import require_own_jars
from flink_boost.operate.contents import read_contents, require_nothing_beside
from flink_boost.operate.example_job import compare_job
from flink_boost.operate.families import families_in
from flink_boost.operate.given_path import ask_path
from flink_boost.operate.install import require_installed
from flink_boost.operate.jvm_start import require_started, start_all
from flink_boost.operate.own_build import judge_own_jar
from flink_boost.operate.own_lines import line_of
from flink_boost.operate.path_check import judge_path, next_step, our_jar
from flink_boost.operate.verify import Check, judge, judge_options, measured, observe_all

_MARKS = {True: "ok    ", False: "FAILED", None: "-     "}


@click.command(name="verify")
@click.argument("flink_home", type=FlinkHomeArgument(), required=False)
@click.option(
    "--job", is_flag=True, help="Run Flink's WordCount on a small cluster too, and on stock."
)
@click.option(
    "--stock",
    metavar="JAR",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The official flink-dist jar to compare with. Needed where our classes are inside"
    " flink-dist.",
)
@click.option(
    "--classpath",
    metavar="PATH",
    help="Judge a class path that is not bin/flink's instead, as `java -cp` takes it. In quotes:"
    " 'lib/*'.",
)
@json_option
@terminated_like_interrupted()
def command(
    flink_home: Path | None, job: bool, stock: Path | None, classpath: str | None, as_json: bool
) -> int:
    """Prove that FLINK_HOME runs our classes, and that they do what stock's do.

    A JVM is started as the installation's own scripts would start it. It tells where each patched
    class comes from and which mode it is in, and writes, reads and copies a million strings through
    patched and stock classes. Nothing in the installation is changed, and it may be running.

    With --classpath the Java of JAVA_HOME is started with exactly that class path, and tells which
    jar each patched class comes from. It is for tools that load Flink's lib/ themselves.

    \b
    Examples:
      flink-boost verify /opt/flink
      flink-boost verify /opt/flink --job --json
      flink-boost verify /opt/flink --stock flink-dist-2.3.0.jar   the variant without a jar of ours
      flink-boost verify --classpath '/opt/flink/lib/*:job.jar'
    """
    if classpath is not None:
        alone = flink_home is None and not job and stock is None
        return verify_path(classpath, alone=alone, as_json=as_json)
    if flink_home is None:
        raise UsageProblem(
            "Neither FLINK_HOME nor a class path is named.",
            "Write `flink-boost verify /opt/flink`, or --classpath 'lib/*'.",
        )
    return _verify_home(flink_home, job, stock, as_json)


def _verify_home(flink_home: Path, job: bool, stock: Path | None, as_json: bool) -> int:
    environment = foreign_environment(os.environ)
    lines = load_lines()
    package = carried(__version__)
    home = open_home(flink_home)
    require_own_library(home)
    official = home if stock is None else with_stock(home, stock)
    contents = read_contents(home.lib, package.dropins(lines.values()))
    line = line_of(official, lines, contents.dropins)
    if holds_own_classes(home.dist):
        jar = require_nothing_beside(contents, home)
    else:
        jar = require_installed(contents, home)
    launch = ask_scripts(home, environment)
    require_own_jars(home, launch, environment)
    dropin = next((each for each in contents.dropins if each.path == jar), None)
    # The line of an own jar may be part of another since: `jar` then says that it is not ours.
    like = lines.get("" if dropin is None else dropin.own_line, line)
    starts = start_all(launch, environment, loading=True)
    require_started(starts, launch)
    verifier = package.verifier(like)
    each_seen = observe_all(official.dist, launch, starts, verifier, environment)
    seen = measured(starts, each_seen)
    if like is line:
        tested = as_tested(line, home.version, load_releases())
        checks = judge(seen, official.dist, tested, launch, jar, package.dropin(line))
    else:
        made_anew = judge_own_jar(home, lines, package, launch, environment, jar)
        checks = [made_anew, *judge(seen, official.dist, line, launch, jar, jar)[1:]]
    checks.append(judge_options(starts, each_seen, line, jar))
    if not as_json:
        _show_checks(checks)
    if job:
        try:
            example = package.example(like)
            job_check = compare_job(home, line, launch, jar, example, environment, official.dist)
        except VerificationFailed as error:
            job_check = Check("job", False, str(error))
        checks.append(job_check)
        if not as_json:
            _show_checks([job_check])
    failed = [check for check in checks if check.failed]
    exit_code = VerificationFailed.exit_code if failed else 0
    if as_json:
        found = {
            "flink_home": home.folder,
            "flink_version": home.version,
            "jar": jar,
            "families": [asdict(family) for family in families_in(seen)],
            "checks": [asdict(check) for check in checks],
        }
        with _telling(checks):
            print_json(exit_code, found)
    if failed:
        raise VerificationFailed(
            f"{home.folder} did not pass: {', '.join(check.name for check in failed)}.",
            f"Do not run it so: {_way_back(home, jar)} brings stock back; docs/operating.md says"
            " what each check means.",
        )
    return 0


def _way_back(home: FlinkHome, jar: Path) -> str:
    if jar == home.dist:
        return f"the official jar in the place of {jar}"
    return f"`flink-boost uninstall {home.quoted}`"


def verify_path(class_path: str, *, alone: bool, as_json: bool) -> int:
    """Answers, and raises ``VerificationFailed`` when a check failed.

    A class path is no installation and runs no job: where something else is named beside it, it is
    not ``alone``, which raises ``UsageProblem``.
    """
    if not alone:
        raise UsageProblem(
            "--classpath stands alone: not beside FLINK_HOME, --job or --stock.",
            "Leave one of them out.",
        )
    lines = load_lines()
    known = carried(__version__).dropins(lines.values())
    names = sorted(patched_names(lines.values()))
    given = ask_path(class_path, names, foreign_environment(os.environ))
    ours = our_jar(given, lines, known)
    checks = judge_path(given, ours, lines, known)
    failed = [check for check in checks if check.failed]
    exit_code = VerificationFailed.exit_code if failed else 0
    if as_json:
        found = {
            "classpath": class_path,
            "java": given.java,
            "entries": given.entries,
            "jar": ours.path,
            "flink_version": ours.flink_version,
            "checks": [asdict(check) for check in checks],
        }
        with _telling(checks):
            print_json(exit_code, found)
    else:
        _show_checks(checks)
    if failed:
        raise VerificationFailed(
            f"This class path did not pass: {', '.join(check.name for check in failed)}.",
            next_step(given, ours),
        )
    return 0


def _show_checks(checks: Sequence[Check]) -> None:
    """For people, in their order."""
    with _telling(checks):
        for check in checks:
            say(f"{_MARKS[check.passed]}  {check.name:<8} {check.detail}")


def _telling(checks: Sequence[Check]) -> AbstractContextManager[object]:
    """Around the answer: it may be lost if a check failed, which the error at the end tells too."""
    failed = any(check.failed for check in checks)
    return suppress(AnswerLost) if failed else nullcontext()
