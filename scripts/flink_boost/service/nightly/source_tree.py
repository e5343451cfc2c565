"""The parts of a night that the source tree has: its box file, its build, its soak test."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from flink_boost import __version__
from flink_boost.base.errors import (
    CodecMismatch,
    EnvironmentProblem,
    FlinkBoostError,
)
from flink_boost.base.files import make_folder, sha256
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.base.processes import (
    CommandTimeoutError,
    bare_environment,
    foreign_environment,
    run_supervised,
)
from flink_boost.flink.jdks import ask_jdk
from flink_boost.flink.lines import Line
from flink_boost.measure.box import choose_java, describe_box
from flink_boost.measure.box_file import read_box_file
from flink_boost.measure.classpaths import ClassPaths, find_class_paths
from flink_boost.measure.model import Box
from flink_boost.measure.noise import NoiseProbe, probe, wait_for_quiet
from flink_boost.port import soak
from flink_boost.service.nightly.measuring import SIDES
from flink_boost.service.nightly.night_parts import BoxFinding, Tell

_BUILD_SECONDS = 3600.0
_VERIFY_SECONDS = 1800.0
_SHOWN_LINES = 3


@dataclass(frozen=True)
class Tree:
    """The source tree with its build folder, on this machine; ``look`` probes its noise."""

    build: Path
    environ: Mapping[str, str]
    root: Path = PROJECT_ROOT
    quiet_minutes: float = 30.0
    look: Callable[[], NoiseProbe] | None = None

    def java(self, line: Line) -> str:
        """The java that a line is measured with: the machine's own, if the line runs on it."""
        return choose_java(None, None, line.jdks, dict(self.environ))

    def box(self, line: Line) -> Box:
        """This machine. Raises ``EnvironmentProblem`` when it is not the one of its box file."""
        return describe_box(ask_jdk(self.java(line)), read_box_file(self.environ))

    def describe(self, line: Line) -> tuple[str, Box]:
        """The java of a line and the box with it."""
        return self.java(line), self.box(line)

    def check_box(self, lines: tuple[Line, ...], tell: Tell) -> BoxFinding:
        """Looks at the machine once for each line, whose JDKs differ, and waits until it is quiet.

        Raises ``NoisyBox`` when it does not become quiet.
        """
        named = read_box_file(self.environ)
        boxes = [self.box(line) for line in lines]
        limits = named.quiet if named else None
        look = self.look or (lambda: probe(limits=limits))
        found = wait_for_quiet(look, self.quiet_minutes, tell)
        first = boxes[0]
        jdks = ", ".join(dict.fromkeys(f"JDK {box.jdk}" for box in boxes))
        note = f"{first.label}: {first.cpu}, {first.cores} cores, kernel {first.kernel}, {jdks}"
        return BoxFinding(first.label, found.quiet, f"{note}; {found}")

    def build_line(self, line: Line, log: Path) -> str:
        """``make build``; does nothing when everything is built."""
        make = ["make", "-C", str(self.root), "--no-print-directory", "build"]
        command = [*make, f"LINE={line.version}"]
        try:
            code = run_supervised(command, log, foreign_environment(self.environ), _BUILD_SECONDS)
        except CommandTimeoutError as error:
            raise EnvironmentProblem(
                f"The build of {line.version} did not end within {_BUILD_SECONDS:.0f} s.",
                f"Its output is in {log}.",
            ) from error
        if code != 0:
            raise EnvironmentProblem(
                f"{line.version} does not build: {_last_words(log)}.", f"All of it is in {log}."
            )
        return ""

    def class_paths(self, line: Line) -> ClassPaths:
        """What the build has left. Raises ``EnvironmentProblem`` when something is missing."""
        version = __version__
        return find_class_paths(line, self.build, version, SIDES, self.root)

    def verify(self, line: Line, strings: int, seed: int, log: Path) -> str:
        """Random strings through stock and patched; other ones with another seed.

        Raises ``CodecMismatch`` when one differs.
        """
        java = self.java(line)
        plan = soak.SoakPlan(
            line.version, ask_jdk(java).feature, soak.SoakMode.OPENED, strings, seed
        )
        state = self.build / "soak" / f"{plan.name}.state.xml"
        make_folder(state.parent)
        state.unlink(missing_ok=True)
        version = __version__
        dropin = self.build / "jars" / line.dropin_name(version)
        command = soak.java_command(
            java, plan, line, self.build, version, [f"--state={state}"], self.root
        )
        # Supervised, so that it ends with us: it need not watch its input, which is empty.
        command = [word for word in command if not word.startswith("--until-input-ends")]
        command.append(f"--dropin={sha256(dropin)}")
        try:
            code = run_supervised(command, log, bare_environment(self.environ), _VERIFY_SECONDS)
        except CommandTimeoutError as error:
            raise EnvironmentProblem(
                f"The check of {line.version} did not end within {_VERIFY_SECONDS:.0f} s.",
                f"Its output is in {log}.",
            ) from error
        result = soak.read_result(state) if state.exists() else None
        if result is None:
            raise EnvironmentProblem(
                f"The check of {line.version} ended with code {code}: {_last_words(log)}.",
                f"All of it is in {log}.",
            )
        state.unlink()
        if not result.passed:
            raise CodecMismatch(
                f"{result.sentence} {result.failure}.",
                f"Repeat it with `flink-boost soak --line {plan.line} --jdk {plan.jdk}"
                f" --seed {plan.seed} --case {result.failing_case}`.",
            )
        return result.sentence


def box_label(environ: Mapping[str, str]) -> str:
    """What this machine is called, before it has been looked at: by its box file, if it can."""
    try:
        named = read_box_file(environ)
    except FlinkBoostError:
        named = None
    return named.name if named else platform.node()


def seed_of(slot: datetime) -> int:
    """Each night checks other strings, and going on with a night the same."""
    return slot.toordinal()


def _last_words(log: Path) -> str:
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    return " / ".join(lines[-_SHOWN_LINES:])[:300] or "it printed nothing"
