"""``flink-boost verify``: Prove that an installation runs our classes and writes stock's bytes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import asdict
from importlib.metadata import version as distribution_version
from pathlib import Path

import click

from flink_boost.base.errors import AnswerLost, VerificationFailed
from flink_boost.base.processes import foreign_environment, terminated_like_interrupted
from flink_boost.cli.answers import FlinkHomeArgument, failing_in_json, json_option, print_json, say
from flink_boost.flink.home import (
    FlinkHome,
    holds_own_classes,
    open_home,
    require_own_library,
    with_stock,
)
from flink_boost.flink.launch import ask_scripts
from flink_boost.flink.lines import load_lines
from flink_boost.flink.releases import as_tested, load_releases
from flink_boost.operate.carried import carried
from flink_boost.operate.classpath import require_own_jars
from flink_boost.operate.contents import read_contents, require_nothing_beside
from flink_boost.operate.example_job import compare_job
from flink_boost.operate.install import require_installed
from flink_boost.operate.own_build import judge_own_jar
from flink_boost.operate.own_lines import line_of
from flink_boost.operate.verify import Check, judge, observe

_MARKS = {True: "ok    ", False: "FAILED", None: "-     "}


@click.command(name="verify")
@click.argument("flink_home", type=FlinkHomeArgument())
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
@json_option
@terminated_like_interrupted()
def command(flink_home: Path, job: bool, stock: Path | None, as_json: bool) -> int:
    """Prove that FLINK_HOME runs our classes, and that they do what stock's do.

    A JVM is started as the installation's own scripts would start it. It tells where each patched
    class comes from and which mode it is in, and writes, reads and copies a million strings through
    patched and stock classes. Nothing in the installation is changed, and it may be running.

    \b
    Examples:
      flink-boost verify /opt/flink
      flink-boost verify /opt/flink --job --json
      flink-boost verify /opt/flink --stock flink-dist-2.3.0.jar   the variant without a jar of ours
    """
    environment = foreign_environment(os.environ)
    with failing_in_json("verify", as_json):
        lines = load_lines()
        package = carried(distribution_version("flink-boost"))
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
        like = lines[dropin.own_line] if dropin is not None and dropin.own_line else line
        seen = observe(official.dist, launch, package.verifier(like), environment)
        if like is line:
            tested = as_tested(line, home.version, load_releases())
            checks = judge(seen, official.dist, tested, launch, jar, package.dropin(line))
        else:
            made_anew = judge_own_jar(home, lines, package, launch, environment, jar)
            checks = [made_anew, *judge(seen, official.dist, line, launch, jar, jar)[1:]]
        if not as_json:
            _show(checks)
        if job:
            try:
                example = package.example(like)
                job_check = compare_job(
                    home, line, launch, jar, example, environment, official.dist
                )
            except VerificationFailed as error:
                job_check = Check("job", False, str(error))
            checks.append(job_check)
            if not as_json:
                _show([job_check])
    failed = [check for check in checks if check.failed]
    exit_code = VerificationFailed.exit_code if failed else 0
    if as_json:
        found = {
            "flink_home": home.folder,
            "flink_version": home.version,
            "jar": jar,
            "checks": [asdict(check) for check in checks],
        }
        with _telling(checks):
            print_json("verify", exit_code, found)
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


def _show(checks: Sequence[Check]) -> None:
    with _telling(checks):
        for check in checks:
            say(f"{_MARKS[check.passed]}  {check.name:<8} {check.detail}")


def _telling(checks: Sequence[Check]) -> AbstractContextManager[object]:
    """Around the answer: it may be lost if a check failed, which the error at the end tells too."""
    failed = any(check.failed for check in checks)
    return suppress(AnswerLost) if failed else nullcontext()
