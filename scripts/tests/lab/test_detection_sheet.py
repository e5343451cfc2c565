"""The table of evaluate-detection says of reverts how many were told as what they are."""

from __future__ import annotations

import pytest

from lab.cases import ToldAlarm
from lab.reverts import score_reverts
from lab.scoring import score
from lab.sheet import RuleScores, sheet
from lab.simulation import make_cases

pytestmark = pytest.mark.test_all


def test_reverts_stand_by_size_and_nights_and_count_when_told_as_recoveries() -> None:
    truths = [truth for _, truth in make_cases(3, 40, 70, ["revert"])]
    assert {truth.kind for truth in truths} == {"revert"}
    alarms = []
    for truth in truths:
        slower, back = truth.changes
        kind = "recovery" if slower.ratio > 0.92 else "drift"
        alarms += [
            ToldAlarm(id=truth.id, night=slower.first, first_bad=slower.first, ratio=slower.ratio),
            ToldAlarm(
                id=truth.id, night=back.first, first_bad=back.first, ratio=back.ratio, kind=kind
            ),
        ]
    rows = score_reverts(truths, alarms)
    assert sum(one.cases for one in rows) == 40
    assert {one.size: one.right == one.cases for one in rows} == {0.05: True, 0.09: False}
    lines = sheet([RuleScores("ours", score(truths, alarms), 0, rows)]).splitlines()
    assert lines[-4].startswith("| taken back after nights | 1 | ")
    assert lines[-2].startswith("| 5 % slower | ")
    assert " | 0 of " in lines[-1]
    assert not sheet([RuleScores("ours", score(truths, alarms), 0)]).count("taken back")
