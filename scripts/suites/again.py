"""Tests that failed run once more, alone: one that passes then is unsteady, and is named.

It says what to mend; it does not keep work from landing. A break fails again, or takes too many
tests with it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from suites.catalogue import REPORTS, Counted, Suite
from suites.runner import TESTS_FAILED, Runner
from suites.totals import Case, cases_of

KEPT = f"{REPORTS}/unsteady.jsonl"
# More of them are no flicker.
MOST = 5


def run_again(runner: Runner, failed: Sequence[Suite]) -> dict[str, frozenset[Case]]:
    """By the name of each suite whose failed tests all passed alone: those tests.

    None run where a suite failed otherwise than by tests with names, or too many tests did.
    """
    found = [alone for suite in failed if (alone := _alone(runner, suite))]
    if len(found) < len(failed) or sum(len(each.names) for each in found) > MOST:
        return {}
    runner.total += len(found)
    return {each.first: each.cases for each in found if each.passes(runner)}


@dataclass(frozen=True)
class _Alone:
    """What failed in the suite ``first``: a suite of it, by ``names``, and as reports have it."""

    first: str
    suite: Suite
    counted: Counted
    names: frozenset[str]
    cases: frozenset[Case]

    def passes(self, runner: Runner) -> bool:
        """Runs it; whether all of it ran and passed."""
        good = runner.run(self.suite)
        return good and self.cases <= cases_of(self.counted, runner.root, "passed")


def _alone(runner: Runner, suite: Suite) -> _Alone | None:
    """None for a suite that failed otherwise than by tests with names."""
    if runner.codes.get(suite.name) != TESTS_FAILED or not (suite.again and suite.counted):
        return None
    cases = cases_of(suite.counted, runner.root, "failed")
    name = _node if "pytest" in suite.again else _class
    names = frozenset(name(case, runner.root / suite.folder) for case in cases)
    if not names or "" in names:
        return None
    counted = replace(suite.counted, reports=f"{REPORTS}/{suite.name}-again/TEST-*.xml")
    alone = replace(
        suite,
        name=f"{suite.name}-again",
        title=f"{suite.title}: {', '.join(sorted(names))}, alone",
        command=(*suite.again, *sorted(names)),
        counted=counted,
    )
    return _Alone(suite.name, alone, counted, names, cases)


def _node(case: Case, folder: Path) -> str:
    """What pytest calls a test; "" for what is none, as a file that cannot be imported."""
    parts = case.of.split(".")
    for end in range(len(parts), 0, -1):
        file = f"{'/'.join(parts[:end])}.py"
        if (folder / file).is_file():
            return "::".join((file, *parts[end:], case.name))
    return ""


def _class(case: Case, _: Path) -> str:
    """A pattern for the class of a test in Java, with those that it encloses."""
    return re.escape(case.of.partition("$")[0])


def keep(root: Path, day: str, commit: str, tests: Sequence[str]) -> None:
    """Adds the tests to those that were unsteady before."""
    with (root / KEPT).open("a", encoding="utf-8") as file:
        for test in tests:
            file.write(json.dumps({"day": day, "commit": commit, "test": test}) + "\n")
