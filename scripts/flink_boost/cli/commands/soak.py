"""``flink-boost soak``: Drive random strings or records through stock and patched, and compare."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from pathlib import Path

import click

from flink_boost import __version__
from flink_boost.base.errors import CodecMismatch, EnvironmentProblem, UsageProblem
from flink_boost.base.files import make_folder, sha256
from flink_boost.cli.answers import json_option, print_json
from flink_boost.cli.context import Settings
from flink_boost.cli.options import java_option, jdk_option, line_option
from flink_boost.flink.jdks import ask_jdk
from flink_boost.flink.lines import default_line, find_line
from flink_boost.measure.box import choose_java
from flink_boost.port import soak

DEFAULT_CASES = {"strings": "2e6", "records": "2e4"}


@click.command(name="soak")
@line_option
@jdk_option
@java_option
@click.option(
    "--family",
    type=click.Choice(list(soak.MAIN_CLASSES)),
    default="strings",
    show_default=True,
    help="What the cases are.",
)
@click.option(
    "--mode",
    type=click.Choice([mode.value for mode in soak.SoakMode]),
    default=soak.SoakMode.OPENED.value,
    show_default=True,
    help="How the codec may look into strings.",
)
@click.option(
    "--cases", help="Number of them, as in 1e9.  [default: 2e6 strings, 2e4 types of records]"
)
@click.option("--seed", type=int, default=1, show_default=True, help="Other seed, other cases.")
@click.option("--threads", type=click.IntRange(1, 999), help="Default: one per core.")
@click.option("--case", type=click.IntRange(0), help="Check this one case only and describe it.")
@click.option("--fresh", is_flag=True, help="Begin anew instead of going on.")
@click.option(
    "--break",
    "damage",
    metavar="read+HEX|write+HEX|record",
    help="Read or write this code unit wrongly, or take other records: the run has to find it.",
)
@json_option
@click.pass_obj
def command(
    settings: Settings,
    line: str | None,
    jdk: int | None,
    java: str | None,
    family: str,
    mode: str,
    cases: str | None,
    seed: int,
    threads: int | None,
    case: int | None,
    fresh: bool,
    damage: str | None,
    as_json: bool,
) -> int:
    """Drive random strings or records through stock and patched, side by side, and compare.

    Every string is written, read and copied through all views of both sides in one JVM; so are five
    values of every type of records: POJOs, Java records, tuples, rows, objects of Kryo's. A run
    that was interrupted or killed goes on where it was. The first case that differs ends it; the
    same seed and --case N show it again.

    \b
    Examples:
      flink-boost soak                                    a few minutes
      flink-boost soak --cases 1e9                        the long run
      flink-boost soak --family records --cases 1e7       a day of records
      flink-boost soak --line 1.9.3 --mode not-opened
      flink-boost soak --seed 1 --case 1234567            one case again
      flink-boost soak --break read+6F22                  is the soak test sound?
    """
    flink = find_line(line or default_line())
    java = choose_java(java, jdk, flink.jdks, dict(os.environ))
    plan = soak.SoakPlan(
        line=flink.version,
        jdk=ask_jdk(java).feature,
        mode=soak.SoakMode(mode),
        cases=soak.parse_count(cases or DEFAULT_CASES[family]),
        seed=seed,
        family=family,
    )
    version = __version__
    dropin = settings.build / "jars" / flink.dropin_name(version)
    folder = settings.build / "soak"
    make_folder(folder)
    name = plan.name + (f"-{damage}" if damage else "")
    state = folder / f"{name}.state.xml"
    if fresh or (state.exists() and soak.read_result(state)):
        state.unlink(missing_ok=True)
    arguments = [f"--state={state}"]
    if threads:
        arguments.append(f"--threads={threads}")
    if damage:
        arguments.append(f"--break={damage}")
    if case is not None:
        arguments.append(f"--case={case}")
    if sys.stdout.isatty() and not as_json:
        arguments.append("--terminal=true")
    java_command = soak.java_command(java, plan, flink, settings.build, version, arguments)
    code = soak.run([*java_command, f"--dropin={sha256(dropin)}"], aside=as_json)
    _require_ended(code)
    path = folder / f"{name}.json"
    result = None if case is not None else _kept(state, path)
    if result is not None:
        return _answer(plan, result, path, as_json=as_json)
    if as_json:
        print_json(code, {"seed": seed, "case": case, "passed": code == soak.PASSED})
    return code


def _require_ended(code: int) -> None:
    match code:
        case soak.PASSED | soak.FAILED:
            return
        case soak.MISUSED:
            raise UsageProblem("The soak test was called wrongly.", "Its own words are above.")
        case soak.INTERRUPTED:
            raise KeyboardInterrupt
    raise EnvironmentProblem(
        f"The soak test ended with code {code}.",
        "Its own words are above; the same command goes on where it was.",
    )


def _kept(state: Path, path: Path) -> soak.Result:
    result = soak.read_result(state)
    if result is None:
        raise EnvironmentProblem(f"{state} says that the run goes on.", "Run the command again.")
    soak.write_result(result, path)
    return result


def _answer(plan: soak.SoakPlan, result: soak.Result, path: Path, *, as_json: bool) -> int:
    failure = CodecMismatch(
        f"{result.sentence} {result.failure}.",
        f"Repeat it with `flink-boost soak --family {plan.family} --line {plan.line}"
        f" --jdk {plan.jdk} --mode {plan.mode} --seed {plan.seed} --case {result.failing_case}`.",
    )
    if as_json:
        problem = (
            {} if result.passed else {"error": failure.message, "next_step": failure.next_step}
        )
        code = 0 if result.passed else failure.exit_code
        print_json(code, {**asdict(result), "file": path, **problem})
    else:
        click.echo(f"{result.sentence} Result: {path}")
    if not result.passed:
        raise failure
    return 0
