"""What is written stays as it is; what is taken in is checked, field by field."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from pydantic import ValidationError

from flink_boost.measure.field_checks import TAKEN_IN
from flink_boost.measure.night_record import NightRecord

ODD: dict[str, Any] = {
    "box": "a <box>",
    "reason": "a\x1b[0m" * 1000,
    "measured": 10**9,
    "runs": ["run"] * 201,
    "canary": {"moved": False, "ratio": -1},
    "slot": "1900-01-01T00:00:00Z",
}


def night(**changes: Any) -> dict[str, Any]:
    slot = "2026-11-24T02:00:00+01:00"
    return {"box": "box-1", "night": "2026-11-24T0100", "slot": slot, **changes}


@pytest.mark.parametrize("field", ODD)
def test_a_field_that_no_page_can_show_is_kept_by_the_writer_and_refused_at_the_door(
    field: str,
) -> None:
    odd = night(**{field: ODD[field]})
    NightRecord.model_validate(odd)
    with pytest.raises(ValidationError) as refused:
        NightRecord.model_validate(odd, context=TAKEN_IN)
    (error,) = refused.value.errors()
    assert error["loc"][0] == field


def test_what_is_right_is_taken_in_with_naive_times_in_utc() -> None:
    taken = NightRecord.model_validate(night(runs=["a"] * 200), context=TAKEN_IN)
    assert taken.slot == datetime(2026, 11, 24, 1)  # noqa: DTZ001
    assert NightRecord.model_validate_json(taken.model_dump_json()) == taken
