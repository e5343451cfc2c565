"""``make test``, ``make test-all`` and ``make check``: runs suites, then says what came of them.

``python -m suites [--all | --check | --one NAME] [--fresh] [--only PATTERN] [LINE...]``. A suite
runs again when its inputs have changed since it passed; on CI, where ``CI`` is set or nothing is
remembered, all of them run. One that fails does not stop the others. Exit code 0 when all passed
and every report is there, 1 otherwise, 130 after an interrupt, which loses nothing that passed.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import click

from flink_boost.base.errors import EnvironmentProblem, FlinkBoostError, UsageProblem
from flink_boost.base.files import exclusive_lock
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.jdks import find_java
from flink_boost.flink.lines import default_line, find_line, load_lines
from suites import again, budget, whole
from suites.catalogue import REPORTS, Choice, Suite, all_suites, bare_python, checks, chosen_lines
from suites.disk import short_of_room
from suites.inputs import head, machine, tree
from suites.one import find_test, run_test
from suites.passed import Passed
from suites.runner import Runner, minutes
from suites.schedule import run_all
from suites.totals import Sheet, add_up, failed_tests


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("lines", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Every line, JDK and mode, and long tests.")
@click.option("--check", is_flag=True, help="Only what needs nothing built.")
@click.option(
    "--one", metavar="NAME", help="One test: Class.method, test_file.py::test, test_name."
)
@click.option("--jdk", type=int, help="With --one: the JDK of a test in Java.")
@click.option("--mode", help="With --one: the mode of a test in Java.")
@click.option(
    "--fresh", is_flag=True, envvar="FRESH", help="Also suites whose inputs have not changed."
)
@click.option(
    "--all-modes", is_flag=True, envvar="ALL_MODES", help="The codec in every mode on these lines."
)
@click.option("--record", is_flag=True, help="With --all: note in docs/ that it passed.")
@click.option("--only", metavar="PATTERN", help="Suites whose title matches; builds run always.")
@click.option("--list", "listing", is_flag=True, help="Say what would run.")
@click.option("--workers", type=click.IntRange(1), help="Suites at once; default: cores + 2.")
def main(
    lines: tuple[str, ...],
    everything: bool,
    check: bool,
    one: str | None,
    jdk: int | None,
    mode: str | None,
    fresh: bool,
    all_modes: bool,
    record: bool,
    only: str | None,
    listing: bool,
    workers: int | None,
) -> None:
    """Run the tests: by default the default line, one more that changes, and some of the others."""
    try:
        if record and (not everything or lines or only):
            raise UsageProblem(
                "Only a whole `make test-all` is noted.", "Leave out RECORD, or LINE and --only."
            )
        if one:
            line = find_line(lines[0] if lines else default_line())
            sys.exit(run_test(find_test(one, PROJECT_ROOT, line, jdk, mode), PROJECT_ROOT))
        choice = _choice(lines, everything, all_modes)
        suites = _only([*checks(), *bare_python()] if check else all_suites(choice), only)
        java = Path(shutil.which(find_java(None, os.environ)) or "java").resolve()
        passed = Passed.read(PROJECT_ROOT / REPORTS / "passed.json")
        fresh = fresh or bool(os.environ.get("CI"))
        runner = Runner(PROJECT_ROOT, passed, machine(java, os.environ), _files(), fresh)
        if listing:
            for suite in suites:
                kept = runner.unchanged(suite) and not suite.always
                click.echo(f"{'unchanged' if kept else 'to run':<9}  {suite.title}")
            return
        if not check and (short := short_of_room(PROJECT_ROOT)):
            click.echo(short)
        with exclusive_lock(PROJECT_ROOT / REPORTS / ".lock", "make test"):
            sheet = _run(runner, suites, workers or (os.cpu_count() or 1) + 2, everything)
            if not check:
                whole_run = everything and not only and not lines
                _end(runner, sheet if whole_run and sheet.good else None, record)
    except FlinkBoostError as error:
        raise SystemExit(f"{error}") from error
    sys.exit(0 if sheet.good else 1)


def _choice(versions: tuple[str, ...], everything: bool, all_modes: bool) -> Choice:
    """What is tested; ``UsageProblem`` for a line that is not one."""
    enabled = [line for line in load_lines().values() if line.enabled]
    # The default line first: most of the others wait for it only.
    enabled.sort(key=lambda line: line.version != default_line())
    if versions:
        named = [find_line(version) for version in dict.fromkeys(versions)]
        # Tests of Python need those that are measured.
        lines = tuple(line for line in enabled if line.measured or line in named)
        full = frozenset((default_line(), *versions))
        return Choice(lines, full, whole=everything, all_modes=all_modes)
    if everything:
        return Choice(tuple(enabled), whole=True, all_modes=all_modes)
    return Choice(chosen_lines(enabled, head(PROJECT_ROOT)), all_modes=all_modes)


def _files() -> dict[str, str] | None:
    """The files of the tree, or None, with a word about it, where git cannot list them."""
    try:
        return tree(PROJECT_ROOT)
    except EnvironmentProblem as problem:
        click.echo(f"{problem} So all suites run, and none is remembered.")
        return None


def _only(suites: Sequence[Suite], only: str | None) -> list[Suite]:
    """Those whose title matches, with what they need; ``UsageProblem`` when none does."""
    if only is None:
        return list(suites)
    try:
        pattern = re.compile(only)
    except re.error as error:
        raise UsageProblem(f"{only!r} is not a regular expression ({error}).") from error
    found = [suite for suite in suites if pattern.search(suite.title)]
    if not found:
        titles = "; ".join(suite.title for suite in suites)
        raise UsageProblem(f"No suite is called {only!r}.", f"There are: {titles}.")
    needed = {name for suite in found for name in suite.after}
    return [suite for suite in suites if suite in found or suite.name in needed]


def _run(runner: Runner, suites: Sequence[Suite], workers: int, everything: bool) -> Sheet:
    """Runs what has to run; shows the totals, and what it took; good when every suite passed."""
    began = time.monotonic()
    kept = [suite for suite in suites if not suite.always and runner.unchanged(suite)]
    runs = [suite for suite in suites if suite not in kept]
    runner.total = len(runs)
    click.echo(f"{len(runs)} suites, {workers} at once (minutes:seconds, then those of processors)")
    try:
        passed = run_all(runs, runner.run, workers=workers, tell=_still_running)
        failed = [suite for suite in runs if not passed[suite.name]]
        unsteady = again.run_again(runner, failed)
    except KeyboardInterrupt:
        click.echo("Interrupted; what has passed is remembered.")
        sys.stdout.flush()
        # Not sys.exit, which waits for the threads; the guards of what they run end with us.
        os._exit(130)
    wall = time.monotonic() - began
    sheet = add_up(suites, runner.root, unsteady)
    taken = budget.minutes_by_part(suites, runner.times)
    budget.keep(runner.root, _today(), head(runner.root), wall, taken)
    click.echo("\n==> Budget")
    click.echo("\n".join(budget.table(taken, budget.budgets(everything))))
    click.echo("\n==> Totals")
    click.echo("\n".join(sheet.lines))
    if kept:
        click.echo(
            f"{len(kept)} of {len(suites)} suites were not run again: since they passed here,"
            " nothing that they depend on has changed. FRESH=1 runs all."
        )
    processors = sum(processor for _, processor in runner.times.values())
    click.echo(f"It took {minutes(wall).strip()} min; {minutes(processors).strip()} of processors.")
    names = sorted(str(case) for cases in unsteady.values() for case in cases)
    again.keep(runner.root, _today(), head(runner.root), names)
    for name in names:
        click.secho(f"UNSTEADY: {name} failed first, passed alone", bold=True)
    broken = [suite for suite in failed if suite.name not in unsteady]
    if broken:
        click.echo(f"Failed: {'; '.join(suite.title for suite in broken)}")
        for suite in broken:
            for line in failed_tests(suite.counted, runner.root) if suite.counted else ():
                click.echo(line)
    return replace(sheet, good=sheet.good and not broken, unsteady=tuple(names))


def _end(runner: Runner, passed: Sheet | None, record: bool) -> None:
    """Notes a whole run that has passed, and says when one did last."""
    if runner.files is None:
        return
    if passed and tree(runner.root) != runner.files:
        click.echo("Files were edited while it ran: it is not noted as passed. Run it again.")
    elif passed:
        run = whole.WholeRun(
            *(_today(), whole.clean_commit(runner.root), passed.passed),
            *(whole.product_digest(runner.files), passed.unsteady),
        )
        whole.note(runner.root, run, tracked=record)
        if record:
            click.echo(f"Noted in {whole.TRACKED}: commit it with what was tested.")
    click.echo(whole.sentence(runner.root, runner.files))


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def _still_running(suites: Sequence[Suite]) -> None:
    click.echo(f"        still running: {'; '.join(suite.title for suite in suites)}")


if __name__ == "__main__":
    main()
