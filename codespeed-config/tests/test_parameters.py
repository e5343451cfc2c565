"""Queries are read by one schema: what is no plain number, repeated, missing or unknown is 400."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.http import QueryDict

from boost_dashboard.parameters import (
    BadParameter,
    Choice,
    Field,
    Name,
    Number,
    Numbers,
    read_query,
)

SCHEMA: dict[str, Field] = {
    "tre": Number(most=100),
    "exe": Numbers(3),
    "ben": Name(required=True),
    "show": Choice(("ratio", "values")),
}


@pytest.fixture(autouse=True, scope="module")
def _settings() -> None:
    if not settings.configured:
        settings.configure()


def read(query: str) -> dict[str, object]:
    return read_query(QueryDict(query), SCHEMA)


def test_what_fits_is_read() -> None:
    assert read("ben=write.ascii.16&tre=10&exe=1,,3&show=ratio") == {
        "ben": "write.ascii.16",
        "tre": 10,
        "exe": (1, 3),
        "show": "ratio",
    }
    assert read("ben=x") == {"ben": "x", "tre": None, "exe": (), "show": None}


@pytest.mark.parametrize(
    ("query", "name", "reason"),
    [
        ("ben=x&tre=9223372036854775808", "tre", "from 1 to 100"),
        ("ben=x&tre=" + "9" * 400, "tre", "whole number"),
        ("ben=x&tre=9_0", "tre", "whole number"),
        ("ben=x&tre=%2060", "tre", "whole number"),
        ("ben=x&tre=%2B60", "tre", "whole number"),
        ("ben=x&tre=%D9%A1", "tre", "whole number"),
        ("ben=x&tre=-1", "tre", "whole number"),
        ("ben=x&tre=0", "tre", "from 1"),
        ("ben=x&tre=", "tre", "whole number"),
        ("ben=x&tre=1e1", "tre", "whole number"),
        ("ben=x&exe=1,x", "exe", "commas"),
        ("ben=x&exe=1,2,3,4", "exe", "3 at most"),
        ("tre=1", "ben", "missing"),
        ("ben=", "ben", "empty"),
        ("ben=a%00b", "ben", "control characters"),
        ("ben=a%0Db", "ben", "control characters"),
        ("ben=" + "x" * 101, "ben", "100 characters"),
        ("ben=x&ben=y", "ben", "more than once"),
        ("ben=x&show=all", "show", "ratio, values"),
        ("ben=x&trend=1", "trend", "not known"),
        ("ben=x&%00=1", "with control characters", "not known"),
    ],
)
def test_the_answer_names_parameter_and_reason(query: str, name: str, reason: str) -> None:
    with pytest.raises(BadParameter) as problem:
        read(query)

    assert problem.value.name == name
    assert reason in problem.value.reason


def test_a_lone_surrogate_is_no_name() -> None:
    query = QueryDict(mutable=True)
    query["ben"] = "\ud800"

    with pytest.raises(BadParameter, match="control characters"):
        read_query(query, SCHEMA)
