"""Runs a soak test: random strings or records through stock and patched, side by side.

A Java program does the work: for strings with the drop-in jar in front and stock's classes in a
class loader of their own, for records with the classes that the jar is made of. Every two seconds
it replaces its state file, so that a run that is killed goes on where it was::

    <build>/soak/<run>.state.xml   how far it is; one file per line, JDK, mode, cases and seed
    <build>/soak/<run>.json        the result of a run that has ended
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from xml.etree import ElementTree as ET

from flink_boost.base.errors import BrokenData, EnvironmentProblem, UsageProblem
from flink_boost.base.files import write_durably
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.base.processes import bare_environment
from flink_boost.flink.javatests import CODEC_MODULE, module_build
from flink_boost.flink.line_jars import OF_MAVEN
from flink_boost.flink.lines import Line
from flink_boost.flink.modes import find_mode, mode_options
from flink_boost.flink.side import Side
from flink_boost.flink.switches import STRINGS
from flink_boost.measure.classpaths import find_class_paths

MAIN_CLASSES = {
    STRINGS: "org.apache.flink.boost.soak.Soak",
    "records": "org.apache.flink.boost.records.RecordSoak",
}

# Exit codes of the Java program.
PASSED, FAILED, MISUSED, INTERRUPTED = 0, 1, 2, 130

_END_SECONDS = 60.0


class SoakMode(StrEnum):
    """How the codec may look into strings; the modes that the tests run in."""

    OPENED = "opened"
    NOT_OPENED = "not-opened"
    NO_COMPACT_STRINGS = "no-compact-strings"


@dataclass(frozen=True)
class SoakPlan:
    """What a soak test drives. Case N is a function of seed and N alone."""

    line: str
    jdk: int
    mode: SoakMode
    cases: int
    seed: int
    family: str = STRINGS

    @property
    def name(self) -> str:
        """The files of this run, as in ``2.3.0-jdk17-opened-1000000-seed1``."""
        family = "" if self.family == STRINGS else f"{self.family}-"
        return f"{family}{self.line}-jdk{self.jdk}-{self.mode}-{self.cases}-seed{self.seed}"


@dataclass(frozen=True)
class Result:
    """How a soak test ended; ``family`` is what its cases are of."""

    line: str
    jdk: str
    mode: str
    cases: int
    seed: int
    passed: bool
    done: int
    seconds: float
    access: str
    dropin_sha256: str
    failing_case: int | None
    failure: str
    family: str

    @property
    def sentence(self) -> str:
        """The result in one line."""
        where = f"Flink {self.line}, JDK {self.jdk}, {self.mode}"
        if self.passed:
            return f"{self.done:,} {self.family} in {self.seconds:,.0f} s on {where}: all agree."
        return f"Case {self.failing_case} of seed {self.seed} differs on {where}."


def java_command(
    java: str,
    plan: SoakPlan,
    line: Line,
    build: Path,
    version: str,
    arguments: Sequence[str],
    root: Path = PROJECT_ROOT,
) -> list[str]:
    """The command of the Java program.

    Raises ``EnvironmentProblem`` when ``make build`` has not left the drop-in jar or the tests,
    ``UsageProblem`` for a family that the line does not have.
    """
    if plan.family not in (STRINGS, *line.family_of.values()):
        raise UsageProblem(f"No {plan.family} are patched in Flink {line.version}.")
    paths = find_class_paths(line, build, version, (Side.PATCHED,), root)
    tests = module_build(CODEC_MODULE, line, root)
    if plan.family == STRINGS:
        class_path = f"{paths.of(Side.PATCHED)}{os.pathsep}{tests.tests}"
        jars = [line.jar(artefact) for artefact in OF_MAVEN]
        found = [str(path) for path in paths.stock if path.name in jars]
        if len(found) != len(jars):
            raise EnvironmentProblem(
                f"The class path does not hold {', '.join(jars)}.", "Run `make build`."
            )
        stock = os.pathsep.join(found)
    else:
        class_path, stock = tests.class_path(), tests.stock_jars()
    return [
        java,
        *mode_options(line, plan.jdk, find_mode(plan.mode), optimised=True),
        f"-Dstock.jars={stock}",
        *("-cp", class_path, MAIN_CLASSES[plan.family]),
        *(f"--line={plan.line}", f"--mode={plan.mode}", f"--seed={plan.seed}"),
        *(f"--cases={plan.cases}", f"--family={plan.family}", "--until-input-ends=true"),
        *arguments,
    ]


def run(command: Sequence[str], *, aside: bool = False) -> int:
    """Runs the Java program with our own output and returns its exit code.

    ``aside``: what it prints goes to our error output.
    It ends when our end of its input closes, however we end; on Ctrl-C it saves its state first.
    """
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=sys.stderr if aside else None,
        env=bare_environment(os.environ),
    )
    try:
        return process.wait()
    finally:
        if process.stdin is not None:
            process.stdin.close()
        try:
            process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def read_result(state: Path) -> Result | None:
    """The result in a state file; None while the run is not at its end.

    Raises ``BrokenData`` for a file that is no state.
    """
    try:
        root = ET.parse(state).getroot()  # noqa: S314 - written by our own program
        values = {entry.attrib["key"]: entry.text or "" for entry in root.iter("entry")}
        verdict = values["verdict"]
        failing = int(values["failing-case"])
        result = Result(
            line=values["plan.line"],
            jdk=values["plan.jdk"],
            mode=values["plan.mode"],
            cases=int(values["plan.cases"]),
            seed=int(values["plan.seed"]),
            passed=verdict == "PASSED",
            done=int(values["done"]),
            seconds=round(float(values["seconds"]), 1),
            access=values["plan.access"],
            dropin_sha256=values["plan.dropin"],
            failing_case=failing if failing >= 0 else None,
            failure=values["failure"],
            family=values.get("plan.family", STRINGS),
        )
    except (ET.ParseError, KeyError, ValueError) as error:
        raise BrokenData(
            f"{state} is not the state of a soak test ({error!r}).",
            "Run the same command again with --fresh.",
        ) from error
    return result if verdict in {"PASSED", "FAILED"} else None


def write_result(result: Result, path: Path) -> None:
    """Writes a result as JSON."""
    write_durably(path, json.dumps(asdict(result), indent=2) + "\n")


def parse_count(text: str) -> int:
    """A number of cases: ``1000000``, ``1_000_000`` or ``1e6``.

    Raises ``UsageProblem`` for anything else.
    """
    try:
        number = float(text) if "e" in text.lower() else int(text)
    except ValueError:
        number = 0
    if number < 1 or number != int(number):
        raise UsageProblem(f"{text!r} is not a number of cases.", "Give one as in 1000000 or 1e6.")
    return int(number)
