"""What ``line add`` does for a release that the jar of a line fits: a row, and its tests."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import click

from flink_boost.base.errors import UsageProblem
from flink_boost.base.files import make_folder
from flink_boost.base.processes import foreign_environment
from flink_boost.flink.classes import PatchedClass
from flink_boost.flink.distribution import find_jar_of_distribution
from flink_boost.flink.lines import Line, load_lines, load_patched
from flink_boost.flink.releases import load_releases
from flink_boost.port.newline.look import Source
from flink_boost.port.newline.rows import (
    Looked,
    enter,
    look_for,
    row,
    steps_of_release,
    with_looked,
)
from flink_boost.port.newline.suite import run_step

_FILE = "releases.toml"


@dataclass(frozen=True)
class KnownClasses:
    """A release in a source ``tree``, and the line whose class files do what its own do.

    ``equal`` as in ``Looked``.
    """

    version: str
    line: Line
    tree: Path
    equal: Mapping[str, str] = field(default_factory=dict)

    def require_not_given(self, option: str, *, given: bool) -> None:
        """Raises ``UsageProblem`` for an option that says what becomes of a line."""
        if given:
            raise UsageProblem(
                f"The jar of Flink {self.line.version} fits Flink {self.version}, which needs no"
                f" line of its own; {option} is for one.",
                f"Leave {option} out, or add --own-line.",
            )

    def look(self, source: Source, detail: Callable[[str], None]) -> Looked:
        """What there is to enter of it. Raises what the source raises."""
        click.echo(
            f"Flink {self.version} has the class files of Flink {self.line.version}, or such as do"
            " the same, so that its jar fits: it needs no line of its own."
        )
        looked = look_for([self.version], self._patched(), source, detail, find_jar_of_distribution)
        return replace(looked, equal=self.equal)

    def show(self, looked: Looked, step: Callable[[int, str], None]) -> None:
        """Prints the row, and changes nothing."""
        before = load_releases(self.tree / _FILE)
        today = datetime.now(UTC).date()
        known = with_looked(before, looked, self._lines(), self._patched(), today)
        if self.version in before.releases:
            step(5, f"Nothing is changed; {_FILE} has its row already, only its tests would run")
        else:
            step(5, f"Nothing is changed; this would be added to {_FILE}")
        click.echo(f"\n{row(known, self.version)}\nNext: `flink-boost line add {self.version}`.")

    def add(
        self,
        looked: Looked,
        logs: Path,
        step: Callable[[int, str], None],
        detail: Callable[[str], None],
        *,
        untested: bool,
    ) -> str:
        """Enters its row, tests it, enters what passed; the next step, in a sentence.

        Raises ``PatchedCodeChanged`` when a test fails: then its row says what it said before, of
        a new one that nothing passed.
        """
        version = self.version
        step(3, f"Adding its row to {_FILE}")
        # What runs there goes by the jars, which are built anew for the row.
        known = enter(self.tree, looked, self._lines(), datetime.now(UTC).date())
        if untested:
            return f"Nothing was run on it. Next: `make test-releases ONLY={version}`."
        jdks = ", ".join(map(str, known.releases[version].jdks))
        step(4, f"Testing it on JDK {jdks} (logs: {logs} and build/releases)")
        make_folder(logs)
        for each in steps_of_release(version):
            run_step(each, self.tree, logs, foreign_environment(os.environ), detail)
        step(5, f"Entered what passed in {_FILE} and docs/releases.md")
        return (
            "Next: read `git diff`, run `make test`, which names the pages that say up to which"
            " release the jars are, commit."
        )

    def _lines(self) -> dict[str, Line]:
        return load_lines(self.tree / "lines.toml")

    def _patched(self) -> dict[str, PatchedClass]:
        return load_patched(self.tree / "lines.toml")
