"""The dashboard's rule is the one of `flink-boost compare`."""

from __future__ import annotations

from pathlib import Path

from boost_dashboard import verdicts
from flink_boost.judge import verdict


def test_the_dashboard_s_copy_is_the_rule_itself() -> None:
    own, theirs = (Path(str(one.__file__)).read_bytes() for one in (verdicts, verdict))
    assert own == theirs, "copy scripts/flink_boost/judge/verdict.py to boost_dashboard/verdicts.py"
