"""What may come in at the door: each field's limits, and no input that gets past them."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boost_dashboard.incoming import (
    LARGEST_VALUE,
    MOST_RESULTS,
    RefusedParcelError,
    is_complete,
    read_result,
)
from conftest import Dashboard, result

LENGTHS = {
    "commitid": 42,
    "branch": 32,
    "project": 30,
    "executable": 30,
    "benchmark": 100,
    "environment": 100,
    "units": 20,
    "units_title": 30,
    "description": 300,
}
NUMBERS = ("result_value", "std_dev", "min", "max", "q1", "q3")
TIMES = ("revision_date", "result_date")
HUGE = 10**400


@pytest.mark.parametrize(("field", "length"), LENGTHS.items())
def test_a_name_may_be_as_long_as_its_column(field: str, length: int) -> None:
    longest = "x" * length
    assert getattr(read_result(result(**{field: longest})), field) == longest
    with pytest.raises(RefusedParcelError, match=f"^{field}: .* {length} characters"):
        read_result(result(**{field: longest + "x"}))


@pytest.mark.parametrize("field", LENGTHS)
@pytest.mark.parametrize(
    "bad",
    [
        "<img src=x onerror=alert(1)>",
        "</script>",
        'a"b',
        "a'b",
        "a`b",
        "a&b",
        "a\\b",
        "a\nb",
        "a\r\n",
        "a\0b",
        "a\u202eb",
        "a\u2028b",
        "\ud800",
        " a",
        "a ",
        7,
        True,
        [],
        {},
        ["a"],
    ],
    ids=ascii,
)
def test_a_name_that_a_page_could_misread_is_refused(field: str, bad: object) -> None:
    with pytest.raises(RefusedParcelError, match=f"^{field}: "):
        read_result(result(**{field: bad}))


@pytest.mark.parametrize("field", NUMBERS)
@pytest.mark.parametrize(
    "bad",
    [
        *(-1, -5e-324, "-1", float("nan"), float("inf"), "nan", "inf", HUGE, -HUGE, 1.1e300),
        *(str(HUGE), "9" * 500, "1e999", "1_0", "\u0661", " 1", "0x10", "fast", True, [], {}, [1]),
    ],
    ids=lambda bad: ascii(bad)[:12],
)
def test_a_number_that_is_none_or_out_of_range_is_refused(field: str, bad: object) -> None:
    with pytest.raises(RefusedParcelError, match=f"^{field}: "):
        read_result(result(**{field: bad}))


@pytest.mark.parametrize(
    ("good", "value"),
    [(0, 0.0), (5e-324, 5e-324), (LARGEST_VALUE, LARGEST_VALUE), ("8.5", 8.5), ("1e3", 1000.0)],
)
def test_a_number_may_be_zero_tiny_huge_or_decimal_text(good: object, value: float) -> None:
    assert read_result(result(result_value=good)).result_value == value


def test_least_is_not_above_most() -> None:
    with pytest.raises(RefusedParcelError, match="min is above max"):
        read_result(result(min=2.0, max=1.0))


@pytest.mark.parametrize("field", TIMES)
@pytest.mark.parametrize(
    "bad",
    [
        *("9999-12-31T23:59:59-10:00", "0001-01-01T00:00:00+10:00", "1999-12-31 23:59:59"),
        *("2026-13-01 00:00:00", "2100-01-01 00:00:00", "yesterday"),
        *(True, 0, 1e300, [], {}),
    ],
    ids=ascii,
)
def test_a_time_that_is_none_or_out_of_range_is_refused(field: str, bad: object) -> None:
    with pytest.raises(RefusedParcelError, match=f"^{field}: "):
        read_result(result(**{field: bad}))


@pytest.mark.parametrize("field", [*NUMBERS[1:], *TIMES, "units", "description", "lessisbetter"])
@pytest.mark.parametrize("nothing", ["", None, "None"])
def test_what_need_not_be_given_may_be_empty(field: str, nothing: object) -> None:
    assert field not in read_result(result(**{field: nothing})).to_item()


@pytest.mark.parametrize("field", ["commitid", "branch", "project", "executable", "benchmark"])
def test_what_has_to_be_given_may_not_be_null(field: str) -> None:
    with pytest.raises(RefusedParcelError, match=f"^{field}: is no text"):
        read_result(result(**{field: None}))


def test_unknown_fields_are_refused_and_long_names_of_them_not_repeated() -> None:
    with pytest.raises(RefusedParcelError, match=r"^x{40}: there is no such field") as refused:
        read_result(result(**{"x" * 10_000: 1}))
    assert len(str(refused.value)) < 100


def test_missing_fields_are_left_to_codespeed() -> None:
    item = result()
    assert is_complete(item)
    assert not is_complete({**item, "branch": ""})
    del item["commitid"]
    assert not is_complete(item)


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=()))
    | st.sampled_from([HUGE, "None", "2026-03-01T00:00:00Z", "é", "漢字"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(st.dictionaries(st.sampled_from([*LENGTHS, *NUMBERS, *TIMES, "lessisbetter"]), ANYTHING))
def test_whatever_is_sent_is_either_refused_or_safe(changed: dict[str, Any]) -> None:
    refusal, item = "", {}
    try:
        item = read_result(result(**changed)).to_item()
    except RefusedParcelError as error:
        refusal = str(error)
    assert refusal.isprintable()
    assert bool(item) == (": " not in refusal)
    for field, length in LENGTHS.items():
        text = item.get(field, "x")
        assert 0 < len(text) <= length
        assert text.isprintable()
        assert not set(text) & set("<>&\"'`\\")
        text.encode("utf-8")
    for field in NUMBERS:
        value = item.get(field, 0.0)
        assert isinstance(value, float)
        assert math.isfinite(value)
        assert 0 <= value <= LARGEST_VALUE


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        (result(result_value=-1), "result_value"),
        (result(benchmark="<img src=x onerror=document.title=8>"), "benchmark"),
        (result(commitid="</script><script>document.title=8</script>"), "commitid"),
        (result(project="Another"), "project"),
        (result(benchmark="a\0b"), "benchmark"),
        (result(std_dev=""), None),
        (result(std_dev=[]), "std_dev"),
        (result(max=HUGE), "max"),
        (result(revision_date=True), "revision_date"),
        (result(revision_date="9999-12-31T23:59:59-10:00"), "revision_date"),
        (result(benchmark="\ud800"), "benchmark"),
        (result(branch=None), "branch"),
        (result(executable="x" * 10_000), "executable"),
        (result(commitid="a\r\n"), "commitid"),
        (result(commitid=True), "commitid"),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_the_server_answers_400_with_field_and_reason(
    dashboard: Dashboard, bad: dict[str, Any], field: str | None
) -> None:
    answer = dashboard.upload([result(benchmark="before"), bad])

    if field is None:
        assert answer.status_code == 202
        return
    assert answer.status_code == 400
    assert answer.text.startswith(f"Result 2: {field}: ")
    assert dashboard.get("healthz").status_code == 200
    assert "Traceback" not in dashboard.log


def test_a_commit_id_belongs_to_one_branch(dashboard: Dashboard) -> None:
    assert dashboard.upload([result(commitid="once")]).status_code == 202

    answer = dashboard.upload([result(commitid="once", branch="request")])

    assert answer.status_code == 400
    assert answer.text == "Result 1: branch: the commit id once is known in master.\n"


def test_a_single_result_names_its_field_too(dashboard: Dashboard) -> None:
    form = {key: str(value) for key, value in result(result_value=-1).items()}

    answer = dashboard.post("result/add/", form, f"Bearer {dashboard.token}")

    assert answer.status_code == 400
    assert answer.text.startswith("result_value: is not between 0 and")


def test_more_results_than_a_night_has_are_refused(dashboard: Dashboard) -> None:
    answer = dashboard.upload([{}] * (MOST_RESULTS + 1))

    assert answer.status_code == 400
    assert str(MOST_RESULTS) in answer.text
