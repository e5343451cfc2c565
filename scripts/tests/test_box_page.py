"""The page about the box says what the code does."""

from __future__ import annotations

import re
import tomllib

from flink_boost.base.errors import DifferentBox, NoisyBox
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.cli.commands.canary import MOVED
from flink_boost.judge import canary_verdict
from flink_boost.measure.box_change import BoxChange
from flink_boost.measure.box_file import BoxFile, QuietLimits
from flink_boost.measure.model import BoxFacts

PAGE = (PROJECT_ROOT / "docs" / "box.md").read_text(encoding="utf-8")


def test_the_file_of_the_page_is_one_with_every_fact_and_the_usual_limits() -> None:
    found = re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    document = tomllib.loads(found[1])
    box = BoxFile.model_validate(document)
    assert set(document["recorded"]) == set(BoxFacts.model_fields)
    assert set(document["quiet"]) == set(QuietLimits.model_fields)
    assert box.quiet == QuietLimits()


def test_what_refuses_is_what_the_page_says() -> None:
    rows = dict(re.findall(r"^\| ([^|]+) \| (refused|measured)", PAGE, re.MULTILINE))
    refusing = " ".join(what for what, then in rows.items() if then == "refused").lower()
    noted = " ".join(what for what, then in rows.items() if then == "measured").lower()
    titles = {"cpu": "processor", "memory_mb": "memory"}
    for fact in BoxFacts.model_fields:
        place = refusing if BoxChange(fact, "a", "b").refuses else noted
        assert titles.get(fact, fact) in place, fact


def test_figures_of_the_canary_and_exit_codes() -> None:
    assert f"fewer than {canary_verdict.LEARNING} nights nothing" in PAGE
    assert f"up to {canary_verdict.RECENT} nights before" in PAGE
    assert f"one of {1 / canary_verdict.FALSE_NIGHTS:.0f} nights" in PAGE
    assert f"{canary_verdict.LEAST_RATIO:.0%} for the ratio".replace("%", " %") in PAGE
    assert f"{canary_verdict.LEAST_STOCK:.0%} for stock".replace("%", " %") in PAGE
    assert canary_verdict.SETTLED == 3
    assert "Three nights in a row" in PAGE
    for code in (DifferentBox.exit_code, NoisyBox.exit_code, MOVED):
        assert f"code {code}" in PAGE
