"""What suites take is shown beside their budget, kept, and never a reason to fail."""

from __future__ import annotations

import json
from pathlib import Path

from suites import budget
from suites.catalogue import Suite
from suites.inputs import Inputs

ALLOWED = {"Java": 10.0, "python": 5.0, "dashboard": 5.0}


def suite(name: str, part: str) -> Suite:
    return Suite(name, name, ("true",), Inputs(), part=part)


def test_what_ran_is_summed_up_by_part() -> None:
    suites = [suite("a", "Java"), suite("b", "Java"), suite("c", "python"), suite("kept", "python")]
    times = {"a": (100.0, 60.0), "b": (100.0, 30.0), "c": (1.0, 6.0)}
    assert budget.minutes_by_part(suites, times) == {"Java": 1.5, "python": 0.1}


def test_one_that_is_far_over_its_share_is_named() -> None:
    lines = budget.table({"Java": 10.0, "python": 25.0, "dashboard": 5.0}, ALLOWED)
    assert [line.split() for line in lines[1:4]] == [
        ["Java", "10.0", "10.0"],
        ["python", "5.0", "25.0"],
        ["dashboard", "5.0", "5.0"],
    ]
    assert lines[4].split() == ["together", "20.0", "40.0"]
    assert lines[5] == "Far over its budget: python (25.0 of 5.0)."


def test_a_slow_machine_is_over_everywhere_and_none_is_named() -> None:
    slow = {part: 2.5 * minutes for part, minutes in ALLOWED.items()}
    assert len(budget.table(slow, ALLOWED)) == 5


def test_every_part_has_a_budget_of_both_forms() -> None:
    assert budget.budgets(whole=False).keys() == budget.budgets(whole=True).keys()
    assert sum(budget.budgets(whole=False).values()) <= 37, "0.43 of what it was: 85 minutes"


def test_what_a_run_took_is_kept(tmp_path: Path) -> None:
    (tmp_path / budget.KEPT).parent.mkdir(parents=True)
    for day in ("2026-11-26", "2026-11-27"):
        budget.keep(tmp_path, day, "0a1b", 90.0, {"Java": 1.234})
    rows = [json.loads(line) for line in (tmp_path / budget.KEPT).read_text().splitlines()]
    assert [row["day"] for row in rows] == ["2026-11-26", "2026-11-27"]
    assert rows[1] == {**rows[1], "minutes": 1.5, "processors": {"Java": 1.23}, "commit": "0a1b"}
