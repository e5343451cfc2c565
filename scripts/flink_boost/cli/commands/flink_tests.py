"""``flink-boost flink-tests``: Run Flink's own published tests with our jar in front."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

import click
from rich.console import Console

from flink_boost import __version__
from flink_boost.base.errors import EnvironmentProblem, FlinkTestsFailed, UsageProblem
from flink_boost.base.files import exclusive_lock, sha256
from flink_boost.base.processes import terminated_like_interrupted
from flink_boost.base.text import describe_left
from flink_boost.cli.answers import json_option, print_json, told_aside
from flink_boost.cli.context import Settings
from flink_boost.cli.flink_tests_page import FlinkTestRun, document_of, write_pages
from flink_boost.flink.downloads import CACHE
from flink_boost.flink.jdks import ask_jdk
from flink_boost.flink.lines import Line, find_line, load_lines, measured_lines
from flink_boost.flink.releases import load_releases
from flink_boost.measure.box import choose_java
from flink_boost.port.flinktests import test_plan as planning
from flink_boost.port.flinktests.jvm import FlinkTestJvm
from flink_boost.port.flinktests.ofrelease import MODULES, as_line, tests_of_release
from flink_boost.port.flinktests.outcome import CaseStatus
from flink_boost.port.flinktests.test_class_path import (
    ensure_tests,
    in_place,
    replaced_classes,
)
from flink_boost.port.flinktests.test_runner import (
    EndedChunk,
    Plan,
    is_complete,
    load_results,
    prepare,
    run_missing_chunks,
)
from flink_boost.port.flinktests.test_summary import (
    describe,
    describe_findings,
    summarize,
    write_junit_xml,
)
from flink_boost.port.newline.registries import Registries

NICENESS = 19


@click.command(name="flink-tests")
@click.argument("patterns", nargs=-1)
@click.option(
    "--line", multiple=True, help="Flink release, repeatable; default: all that are switched on."
)
@click.option(
    "--release",
    "releases",
    multiple=True,
    metavar="VERSION",
    help="A release with the classes of a line, repeatable: flink-core and flink-runtime.",
)
@click.option("--jdk", type=int, help="JDK to run on; default: every one of the line.")
@click.option("--all", "everything", is_flag=True, help="All of flink-core's and flink-runtime's.")
@click.option("--again", is_flag=True, help="With --all: also what is complete for this jar.")
@click.option(
    "--dropin",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The jar to put in front; default: the one that `make build` left.",
)
@click.option(
    "--reports",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the reports; default: build/test-reports/flink.",
)
@json_option
@click.pass_obj
def command(
    settings: Settings,
    patterns: tuple[str, ...],
    line: tuple[str, ...],
    releases: tuple[str, ...],
    jdk: int | None,
    everything: bool,
    again: bool,
    dropin: Path | None,
    reports: Path | None,
    as_json: bool,
) -> None:
    """Run Flink's own published tests with our jar in front.

    PATTERNS are regular expressions that choose test classes by name; without them the selection of
    scripts/flink-tests/flink-tests.toml runs, or with --all every test of flink-core and
    flink-runtime beside what is selected of flink-streaming-java. A class that fails is run again
    on stock: exit code 1 when it passes there. A run that was interrupted or killed goes on where
    it was when it is called again. Each line and JDK has its report in build/test-reports/flink, as
    HTML, as Markdown and as JUnit XML.

    \b
    Examples:
      flink-boost flink-tests                                 all lines and JDKs, some minutes
      flink-boost flink-tests --line 2.3.0 --jdk 17 'types.String.*Test'
      flink-boost flink-tests --release 1.19.1 --jdk 17
      nohup flink-boost flink-tests --all &                   hours; in the background
    """
    failed: FlinkTestsFailed | None = None
    with told_aside(as_json):
        if everything and patterns:
            raise UsageProblem("--all and patterns exclude each other.", "Leave one of them out.")
        if releases and (line or everything):
            raise UsageProblem("--release goes with neither --line nor --all.", "Leave one out.")
        folder = reports or settings.build / "test-reports" / "flink"
        console = Console(stderr=True, highlight=False, soft_wrap=True)
        if everything:
            os.nice(max(0, NICENESS - os.nice(0)))
        with terminated_like_interrupted():
            tested = [
                _run(settings, target, patterns, everything, again, dropin, folder, console)
                for target in (_of_releases(releases, jdk) if releases else _targets(line, jdk))
            ]
    bad = [f"Flink {one.line} on JDK {one.jdk}" for one in tested if not one.summary.good]
    if bad:
        failed = FlinkTestsFailed(
            f"Flink's own tests do not pass with our jar: {', '.join(bad)}.",
            f"The reports name the tests; their logs are in {settings.build / 'flink-tests'}.",
        )
    if as_json:
        problem = {"error": failed.message, "next_step": failed.next_step} if failed else {}
        found = {"tested": [document_of(one) for one in tested], **problem}
        print_json(failed.exit_code if failed else 0, found)
    if failed:
        raise failed


def _run(
    settings: Settings,
    target: FlinkTestTarget,
    patterns: tuple[str, ...],
    everything: bool,
    again: bool,
    dropin: Path | None,
    reports: Path,
    console: Console,
) -> FlinkTestRun:
    """Runs one target, prints what it found, and writes its reports."""
    line, jdk = target.own, target.jdk
    scope = "all" if everything else "selection"
    if patterns:
        scope = "chosen-" + hashlib.sha256("\0".join(patterns).encode()).hexdigest()[:12]
    folder = settings.build / "flink-tests" / f"{line.version}-jdk{jdk}-{scope}"
    named = _require_dropin(settings, target.line, dropin)
    # Not with_suffix, for which the suffix of 1.20.2-jdk17 begins at its last dot.
    lock = folder.with_name(f"{folder.name}.lock")
    with exclusive_lock(lock, "flink-boost flink-tests"):
        jar = in_place(named, line, folder.with_name(f"{folder.name}.jar") / named.name)
        woven = replaced_classes(jar)
        plan, jvms = _plan(target, scope, patterns, jar, woven, folder)
        goes_on = prepare(folder, plan, keep_complete=everything and not again)
        classes = sum(len(chunk.classes) for chunk in plan.chunks)
        console.out(
            f"{'Going on with' if goes_on else 'Running'} {classes} test classes of Flink"
            f" {line.version} on JDK {plan.jdk_version} with {jar.name} in front"
        )
        if goes_on and is_complete(folder):
            console.out("They have all run with this jar; --again runs them once more.")
            results = load_results(folder, plan)
        else:
            results = run_missing_chunks(folder, plan, jvms, lambda step: _show(step, console))
    summary = summarize(results, jar)
    for text in describe(summary, woven, jar):
        click.echo(text)
    report = reports / f"{line.version}-jdk{jdk}-{scope}.xml"
    write_junit_xml(results, summary, report)
    tested = FlinkTestRun(line.version, jdk, summary, woven, jar, report)
    write_pages(tested)
    click.echo(f"  report: {tested.page.as_uri()} and, in Markdown, {tested.markdown.name}")
    if not (summary.passed and summary.loaded and summary.patched_jvms):
        raise FlinkTestsFailed(
            f"Nothing was tested: {summary.passed} tests passed, {len(summary.loaded)} classes of"
            f" {jar.name} were loaded, and their new code ran in {summary.patched_jvms} runs.",
            "Choose tests that use strings, or check the jar.",
        )
    return tested


@dataclass(frozen=True)
class FlinkTestTarget:
    """The line whose jar is tested, the same or a release that has its classes, and a JDK."""

    line: Line
    own: Line
    jdk: int


def _of_releases(versions: tuple[str, ...], jdk: int | None) -> list[FlinkTestTarget]:
    pairs = [as_line(version, load_releases(), load_lines()) for version in versions]
    targets = [
        FlinkTestTarget(line, own, each)
        for line, own in pairs
        for each in own.jdks
        if jdk in (None, each)
    ]
    if not targets:
        raise UsageProblem(
            f"Flink {', '.join(versions)} does not run on JDK {jdk}.",
            "`flink-boost releases` lists the JDKs of each.",
        )
    return targets


def _targets(versions: tuple[str, ...], jdk: int | None) -> list[FlinkTestTarget]:
    enabled = [line.version for line in measured_lines()]
    lines = [find_line(version) for version in versions or enabled]
    targets = [
        FlinkTestTarget(each, each, feature)
        for each in lines
        for feature in each.jdks
        if jdk in (None, feature)
    ]
    if not targets:
        supported = "; ".join(f"{each.version}: {', '.join(map(str, each.jdks))}" for each in lines)
        raise UsageProblem(f"No line runs on JDK {jdk}.", f"Choose one of: {supported}.")
    return targets


def _require_dropin(settings: Settings, line: Line, named: Path | None) -> Path:
    name = line.dropin_name(__version__)
    jar = (named or settings.build / "jars" / name).absolute()
    if not jar.is_file():
        raise EnvironmentProblem(f"{jar} is missing.", f"Run `make build LINE={line.version}`.")
    return jar


def _plan(
    target: FlinkTestTarget,
    scope: str,
    patterns: tuple[str, ...],
    dropin: Path,
    woven: tuple[str, ...],
    folder: Path,
) -> tuple[Plan, dict[str, FlinkTestJvm]]:
    catalogue = planning.load_catalogue()
    line, jdk = target.own, target.jdk
    java = choose_java(None, jdk, line.jdks, dict(os.environ))
    if line.version in catalogue.lines:
        modules = planning.modules_of(catalogue, line.version)
        tests = {module: ensure_tests(line, module, CACHE) for module in modules}
    else:
        catalogue = planning.for_release(catalogue, line.version, MODULES)
        modules = planning.modules_of(catalogue, line.version)
        tests = tests_of_release(line, Registries(CACHE), CACHE)
    available = {
        module: planning.test_classes(catalogue, each.class_files())
        for module, each in tests.items()
    }
    if target.own is not target.line:
        catalogue = planning.present(catalogue, available)
    if patterns:
        chunks = planning.chosen_of(catalogue, available, patterns)
    elif scope == "all":
        chunks = planning.all_of(catalogue, line.version, jdk, available)
    else:
        chunks = planning.selection_of(catalogue, line.version, jdk, available)
    options = {
        module: planning.jvm_options(
            *(catalogue, line.version, module, jdk, line.jvm_options),
            selection=scope == "selection",
        )
        for module in modules
    }
    plan = Plan(
        line=line.version,
        jdk=jdk,
        jdk_version=ask_jdk(java).version,
        scope=scope,
        dropin_sha256=sha256(dropin),
        class_paths={module: each.identity() for module, each in tests.items()},
        options=options,
        limits=catalogue.limits,
        chunks=tuple(chunks),
    )
    jvms = {
        module: FlinkTestJvm(
            java=java,
            tests=each,
            options=options[module],
            dropin=dropin,
            woven=woven,
            scratch=folder / "scratch",
            environment=os.environ,
        )
        for module, each in tests.items()
    }
    return plan, jvms


def _show(step: EndedChunk, console: Console) -> None:
    outcome = step.outcome
    failed = f", {len(outcome.failures)} failed" if outcome.failures else ""
    left = f", {describe_left(step.seconds_left)}" if step.seconds_left else ""
    console.out(
        f"[{step.number}/{step.total}] {step.chunk.id}: {outcome.count(CaseStatus.PASSED)} passed"
        f"{failed} in {outcome.seconds:.0f} s{left}"
    )
    for investigation in step.investigations:
        for text in describe_findings(investigation.findings):
            console.out(f"    {text}")
