"""``flink-boost line``: Take another Flink release in: fetch, compare, test, add it."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from flink_boost import __version__
from flink_boost.base.errors import EnvironmentProblem, PatchedCodeChanged
from flink_boost.base.files import exclusive_lock, make_folder
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.base.processes import foreign_environment, terminated_like_interrupted
from flink_boost.base.scratch import scratch_folder
from flink_boost.cli.answers import json_option, print_json, told_aside
from flink_boost.cli.context import Settings
from flink_boost.cli.known_classes import KnownClasses
from flink_boost.flink.classes import LOCK
from flink_boost.flink.distribution import find_jar_of_distribution
from flink_boost.flink.jdks import java_home
from flink_boost.flink.lines import (
    Line,
    load_lines,
    load_patched,
    nearest_line,
    read_lock,
    with_classes,
)
from flink_boost.flink.pinned_maven import MODE_VARIABLE
from flink_boost.flink.releases import fitting_line
from flink_boost.operate.carried import of_tree
from flink_boost.operate.own_build import compare
from flink_boost.port.flinktests.test_class_path import ensure_tests
from flink_boost.port.flinktests.test_plan import load_catalogue, modules_of
from flink_boost.port.newline.check import ClassVerdict, judge_classes, same_files
from flink_boost.port.newline.describe import (
    Surroundings,
    describe_release,
    fetch_jars,
    open_release,
    require_number,
    require_release,
)
from flink_boost.port.newline.equal import comparing, with_equal
from flink_boost.port.newline.line_files import NewLine, add_line, record
from flink_boost.port.newline.look import look_at_jars
from flink_boost.port.newline.registries import Registries
from flink_boost.port.newline.rows import Looked
from flink_boost.port.newline.suite import copy_tree, run_step, steps_of

_STEPS = 5
_WEAVERS_JDK = 17


@click.group(name="line")
def command() -> None:
    """Look after the supported Flink releases, the lines of lines.toml.

    \b
    Examples:
      flink-boost line add 2.4.0 --dry-run
      flink-boost line add 2.4.0
      flink-boost line add 2.4.0 --only-jar      in minutes
    """


@command.command(name="add")
@click.argument("version")
@click.option("--dry-run", is_flag=True, help="Fetch and compare, show what would be added.")
@click.option("--untested", is_flag=True, help="Add it switched off, without running the suite.")
@click.option(
    "--accept-changes",
    is_flag=True,
    help="Go on although code that a patch replaces is new; the suite has to judge.",
)
@click.option("--skip-flink-tests", is_flag=True, help="Leave Flink's own tests out of the suite.")
@click.option(
    "--only-jar",
    is_flag=True,
    help="A jar and the codec's tests, but no benchmarks and no nights: the line is not measured.",
)
@click.option(
    "--own-line",
    is_flag=True,
    help="Add it although the jar of another line fits, because its class files are the same.",
)
@click.option(
    "--tree",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=PROJECT_ROOT,
    show_default="this one",
    help="Source tree of flink-boost to add it to.",
)
@json_option
@click.pass_obj
def add(
    settings: Settings,
    version: str,
    dry_run: bool,
    untested: bool,
    accept_changes: bool,
    skip_flink_tests: bool,
    only_jar: bool,
    own_line: bool,
    tree: Path,
    as_json: bool,
) -> None:
    """Take the Flink release VERSION in, or name the method that keeps it out.

    Jars, sources and distribution are fetched and pinned; what our patches depend on is compared
    with every line; then the jar is built and tested in a copy of the source tree, with
    the folders of the nearest line. Only when all of that went well lines.toml names the line,
    switched on. Exit code 7: code that we patch is not as expected. A release with the class files
    of a line needs none of its own, because its jar fits: releases.toml gets its row, and
    `make test-releases` runs on it.

    \b
    Examples:
      flink-boost line add 2.4.0 --dry-run
      flink-boost line add 2.4.0
    """
    with told_aside(as_json):
        require_number(version)
        with (
            terminated_like_interrupted(),
            exclusive_lock(settings.build / "line-add" / "lock", "flink-boost line add"),
        ):
            state, answer = _add(
                _Wanted(
                    *(version, dry_run, untested, accept_changes),
                    *(not skip_flink_tests, not only_jar, own_line),
                ),
                tree.absolute(),
                _logs(settings, version),
            )
    if as_json:
        print_json(0, {"version": version, "state": state, **answer})


@dataclass(frozen=True)
class _Wanted:
    version: str
    dry_run: bool
    untested: bool
    accept_changes: bool
    flinks_tests: bool
    measured: bool
    own_line: bool


def _add(wanted: _Wanted, tree: Path, logs: Path) -> tuple[str, dict[str, object]]:
    """What became of it, and what there is to say for a program."""
    began = time.monotonic()
    version = wanted.version
    lines = load_lines(tree / "lines.toml")
    if version in lines:
        state = "switched on" if lines[version].enabled else "switched off"
        click.echo(f"lines.toml names Flink {version} already, {state}; nothing was changed.")
        return "there already", {"enabled": lines[version].enabled}
    around = Surroundings(
        lines=[line for line in lines.values() if line.enabled and line.measured],
        published=Registries(tree / ".cache"),
        tree=tree,
        jdk_home=java_home,
        # What only the new line needs is not recorded yet.
        environment={**foreign_environment(os.environ), MODE_VARIABLE: "known"},
        tell=_detail,
    )
    _step(1, f"Looking for Flink {version} on Maven Central")
    require_release(version, around.published)
    model = nearest_line(version, around.lines)
    _step(2, "Fetching jars and sources, looking at the classes that we patch")
    jars = fetch_jars(version, around)
    patched = load_patched(tree / "lines.toml").values()
    names = [each.name for each in patched if each.is_in(version)]
    look = look_at_jars(version, jars.binaries, names)
    checksums, lock = look.classes, read_lock(tree / LOCK)
    equal = with_equal(
        *(Looked((look,), {}), lock, around.published),
        *(comparing(of_tree(__version__, tree).weaver), patched, find_jar_of_distribution),
    ).equal
    lock = lock.having(version, checksums, equal)
    enabled = {
        number: with_classes(line, lock, patched) for number, line in lines.items() if line.enabled
    }
    files = same_files(version, checksums, list(enabled.values()))
    for verdict in files.values():
        _detail(_described(verdict))
    same = fitting_line(checksums, enabled.values())
    if same is not None and not wanted.own_line:
        documents = [_document(verdict) for verdict in files.values()]
        known = KnownClasses(version, same, tree, equal)
        known.require_not_given("--skip-flink-tests", given=not wanted.flinks_tests)
        known.require_not_given("--only-jar", given=not wanted.measured)
        looked = known.look(around.published, _detail)
        if wanted.dry_run:
            known.show(looked, _step)
        else:
            next_step = known.add(looked, logs, _step, _detail, untested=wanted.untested)
            _tell_end(version, began)
            click.echo(next_step)
        state = "not added" if wanted.dry_run else "row added"
        return state, {"nearest": same.version, "classes": documents}
    _step(3, "Fetching what else is pinned")
    new = describe_release(version, jars, checksums, around, measured=wanted.measured)
    verdicts = tuple(files.values())
    if len(files) < len(names):
        verdicts = _compared(new.line, files, enabled, around)
        _require_known(version, verdicts, wanted.accept_changes)
    new = replace(new, line=replace(new.line, enabled=not wanted.untested), equal=equal)
    answer: dict[str, object] = {
        "nearest": model.version,
        "enabled": new.line.enabled,
        "classes": [_document(verdict) for verdict in verdicts],
        "record": record(new),
    }
    if wanted.dry_run:
        _step(_STEPS, "Nothing is changed; this would be added to lines.toml")
        click.echo(f"\n{record(new)}")
        click.echo(f"Next: `flink-boost line add {version}`.")
        return "not added", answer
    if not wanted.untested:
        _step(4, f"Building and testing it (logs: {logs})")
        _run_suite(new, around, tree, logs, wanted.flinks_tests)
    _step(_STEPS, "Adding it to the project")
    written = add_line(tree, new)
    for path in written:
        _detail(str(path))
    _tell_end(version, began)
    click.echo(_next_step(new))
    return "added", {**answer, "written": list(map(str, written))}


def _compared(
    line: Line, same: Mapping[str, ClassVerdict], lines: Mapping[str, Line], around: Surroundings
) -> tuple[ClassVerdict, ...]:
    """The release's own distribution against each line, as ``weave`` compares somebody's build."""
    _detail("what our patches depend on, compared with each line")
    home, launch = open_release(line, _WEAVERS_JDK, around)
    package = of_tree(__version__, around.tree)
    with scratch_folder(launch.user) as folder:
        fit = compare(home, lines, package, launch, around.environment, folder)
    verdicts = judge_classes(line.classes, same, fit.like, fit.differences)
    for verdict in verdicts:
        if not verdict.same_file:
            _detail(_described(verdict))
    return verdicts


def _tell_end(version: str, began: float) -> None:
    seconds = time.monotonic() - began
    click.echo(f"Flink {version} is in, after {seconds // 60:.0f} min {seconds % 60:02.0f} s.")


def _document(verdict: ClassVerdict) -> dict[str, object]:
    return {
        "name": verdict.name,
        "like": verdict.line,
        "same_file": verdict.same_file,
        "known": not verdict.differences,
        "differences": list(verdict.differences),
    }


def _run_suite(
    new: NewLine, around: Surroundings, tree: Path, logs: Path, flinks_tests: bool
) -> None:
    make_folder(logs)
    copy = logs / "tree"
    copy_tree(tree, copy)
    add_line(copy, new)
    if flinks_tests and new.line.measured:
        _require_class_path(new.line, copy)
    for step in steps_of(new.line, copy, flinks_tests):
        run_step(step, copy, logs, around.environment, around.tell)
    jar = new.line.dropin_name(__version__)
    (copy / "build" / "jars" / jar).replace(logs / jar)
    around.tell(f"jar: {logs / jar}")
    shutil.rmtree(copy)


def _require_class_path(line: Line, copy: Path) -> None:
    """Resolves the class path of Flink's own tests, which come last, before everything else."""
    folder = copy / "scripts" / "flink-tests"
    catalogue = load_catalogue(folder / "flink-tests.toml")
    try:
        for module in modules_of(catalogue, line.version):
            # Of a line that is being added nothing is recorded yet.
            ensure_tests(line, module, copy / ".cache", folder, recorded=False)
    except EnvironmentProblem as error:
        raise EnvironmentProblem(
            error.message,
            f"Put a class path that is complete into scripts/flink-tests/flink-{line.version}.xml,"
            " which is kept, or leave Flink's own tests out with --skip-flink-tests.",
        ) from error


def _require_known(version: str, verdicts: Sequence[ClassVerdict], accept_changes: bool) -> None:
    unknown = [verdict for verdict in verdicts if verdict.differences]
    if not unknown:
        return
    differences = "; ".join(
        f"{verdict.simple_name}: {text}" for verdict in unknown for text in verdict.differences
    )
    compared = f"(compared with Flink {unknown[0].line}) {differences}"
    if not all(verdict.fits for verdict in unknown):
        raise PatchedCodeChanged(
            f"Our patches do not fit Flink {version}: {compared}.",
            "Change the patch for it, see docs/next-release.md; nothing was added.",
        )
    if not accept_changes:
        raise PatchedCodeChanged(
            f"Flink {version} changed what our patches depend on: {compared}.",
            "`flink-boost upstream-diff` shows it in the sources, docs/next-release.md how to judge"
            " it; if the patch is still right, add --accept-changes. Nothing was added.",
        )


def _described(verdict: ClassVerdict) -> str:
    if verdict.same_file:
        return f"{verdict.simple_name}: does what the class file of Flink {verdict.line} does"
    if not verdict.differences:
        return f"{verdict.simple_name}: what we depend on is as in Flink {verdict.line}"
    return f"{verdict.simple_name}: not as in Flink {verdict.line}: {verdict.differences[0]}"


def _next_step(new: NewLine) -> str:
    version = new.line.version
    if new.line.enabled:
        return (
            f"Enter it with `flink-boost releases --look {version}`, and its tests by hand.\n"
            f"Next: run `make checksums`, read `git diff`, run `make test LINE={version}`, correct"
            " the numbers in README.md and docs/operating.md that it names, commit."
        )
    return (
        "It is switched off. Next: set enabled = true in lines.toml, run `make checksums` and"
        f" `make test LINE={version}`, commit."
    )


def _logs(settings: Settings, version: str) -> Path:
    return settings.build / "line-add" / version


def _step(number: int, text: str) -> None:
    click.echo(f"[{number}/{_STEPS}] {text}")


def _detail(text: str) -> None:
    click.echo(f"      {text}")
