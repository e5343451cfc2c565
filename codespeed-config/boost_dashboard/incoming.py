"""The schema of a result: what may come in at the door, and the sentence for what may not.

Codespeed stores what it is given, shows some names in its pages as they are, and loops without end
over a negative number (``Report.get_changes_table`` scales it until it is 1). So every field has a
length that its column holds, a range, and characters that no page can misread.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any

from django.http import HttpResponse
from django.utils.dateparse import parse_datetime
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from flink_boost.measure.field_checks import FIRST_YEAR, LAST_YEAR, plain

MOST_RESULTS = 5000  # in one request; a night has some hundreds
LARGEST_VALUE = 1e300

_KEYS = (
    "commitid",
    "branch",
    "project",
    "executable",
    "benchmark",
    "environment",
    "result_value",
)
_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?", re.ASCII)
_LONGEST_NUMBER = 400  # characters of a number that came as text


class RefusedParcelError(Exception):
    """It, or a result in it, is not taken; the message is a sentence for the sender."""

    def __init__(self, reason: str, status: int = 400) -> None:
        super().__init__(reason)
        self.status = status

    def answer(self, headers: Mapping[str, str] | None = None) -> HttpResponse:
        """As the sender sees it."""
        return HttpResponse(
            f"{self}\n",
            status=self.status,
            content_type="text/plain; charset=utf-8",
            headers=headers,
        )


def _finite(value: Any) -> float:
    """A number as JSON has it, or its decimal text from a form; 0 to 1e300."""
    if isinstance(value, str) and len(value) <= _LONGEST_NUMBER and _DECIMAL.fullmatch(value):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("is no number")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("is no finite number")
    if not 0 <= value <= LARGEST_VALUE:
        raise ValueError(f"is not between 0 and {LARGEST_VALUE:g}")
    return float(value)


def _moment(value: Any) -> str:
    """A time as text without an offset, in UTC."""
    if not isinstance(value, str):
        raise ValueError("is no time: write it as text, such as 2026-03-01T01:30:00+00:00")
    try:
        moment = parse_datetime(value)
        if moment is not None and moment.tzinfo is not None:
            moment = moment.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        moment = None
    if moment is None:
        raise ValueError("is no time: write it as 2026-03-01T01:30:00+00:00")
    if not FIRST_YEAR <= moment.year < LAST_YEAR:
        raise ValueError(f"is a time outside of {FIRST_YEAR} to {LAST_YEAR}")
    return _stored(moment)


def _stored(moment: datetime) -> str:
    return moment.isoformat(sep=" ")


def _yes_or_no(value: Any) -> bool:
    known = {"true": True, "1": True, "false": False, "0": False}
    text = str(value).lower() if isinstance(value, bool | int | str) else ""
    if text not in known:
        raise ValueError("is neither true nor false")
    return known[text]


# Text that every page can show and every database store.
Name = Annotated[str, StringConstraints(strict=True, min_length=1), AfterValidator(plain)]
_Number = Annotated[float, BeforeValidator(_finite)]
_Moment = Annotated[str, BeforeValidator(_moment)]
_YesOrNo = Annotated[bool, BeforeValidator(_yes_or_no)]


class IncomingResult(BaseModel):
    """One result, with Codespeed's names for its fields and the widths of Codespeed's columns.

    Times are text in UTC without an offset. What was not given, or empty, is None.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    commitid: Annotated[Name, Field(max_length=42)]
    branch: Annotated[Name, Field(max_length=32)]
    project: Annotated[Name, Field(max_length=30)]
    executable: Annotated[Name, Field(max_length=30)]
    benchmark: Annotated[Name, Field(max_length=100)]
    environment: Annotated[Name, Field(max_length=100)]
    result_value: _Number
    std_dev: _Number | None = None
    min: _Number | None = None
    max: _Number | None = None
    q1: _Number | None = None
    q3: _Number | None = None
    units: Annotated[Name, Field(max_length=20)] | None = None
    units_title: Annotated[Name, Field(max_length=30)] | None = None
    description: Annotated[Name, Field(max_length=300)] | None = None
    lessisbetter: _YesOrNo | None = None
    revision_date: _Moment | None = None
    result_date: _Moment | None = None

    @model_validator(mode="before")
    @classmethod
    def _without_what_is_empty(cls, sent: Any) -> Any:
        # A form has no null: Codespeed's own client writes "None".
        optional = cls.model_fields.keys() - set(_KEYS)
        if not isinstance(sent, Mapping):
            return sent
        return {
            key: value
            for key, value in sent.items()
            if not (key in optional and (value is None or value in ("", "None")))
        }

    @model_validator(mode="after")
    def _in_order(self) -> IncomingResult:
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError("min is above max")
        return self

    def to_item(self) -> dict[str, Any]:
        """The fields that were given, as Codespeed takes them."""
        return self.model_dump(exclude_none=True)


def is_complete(sent: Mapping[str, Any]) -> bool:
    """Whether no key is missing or empty; Codespeed itself has the sentence for one that is."""
    return all(key in sent and sent[key] != "" for key in _KEYS)


def read_result(sent: Mapping[str, Any]) -> IncomingResult:
    """The result that was sent. Raises ``RefusedParcelError`` for the first field that is wrong."""
    try:
        return IncomingResult.model_validate(dict(sent))
    except ValidationError as error:
        raise RefusedParcelError(_sentence(error)) from None


def _sentence(error: ValidationError) -> str:
    found = error.errors(include_url=False, include_context=True, include_input=False)[0]
    field = ascii(str(found["loc"][0]))[1:-1][:40] if found["loc"] else "result"
    reasons = {
        "extra_forbidden": "there is no such field",
        "string_type": "is no text",
        "string_unicode": "has a character that cannot be stored",
        "string_too_short": "is empty",
    }
    if found["type"] in ("string_too_long", "too_long"):
        return f"{field}: has more than the {found['ctx']['max_length']} characters it may have."
    reason = reasons.get(found["type"]) or found["msg"].removeprefix("Value error, ")
    return f"{field}: {reason}."
