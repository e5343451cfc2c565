"""What a comment is taken for: hostile and broken ones, and those that are right."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flink_boost.flink.lines import default_line, load_lines
from flink_boost.measure.groups import load_groups
from flink_boost.measure.names import dashboard_name
from flink_boost.service.requests.catalogue import Bounds, Offerings, catalogue_of
from flink_boost.service.requests.command import COMMAND
from flink_boost.service.requests.grammar import (
    Asked,
    Cancel,
    Help,
    Mistake,
    Status,
    parse,
    shown,
)
from requesting.comments import ASKED, BELOW, NOT_FOR_US, UNREAD, table

KNOWN = catalogue_of(load_groups(), load_lines(), default_line())
BOUNDS = Bounds()
TABLE = table()
TUPLE = "SerializationFrameworkMiniBenchmarks.serializerTuple"
POJO = "SerializationFrameworkMiniBenchmarks.serializerPojo"


def test_the_table_is_as_large_as_it_says() -> None:
    assert len({text for text, _ in TABLE}) >= 200


@pytest.mark.parametrize(("text", "expected"), TABLE, ids=[str(n) for n in range(len(TABLE))])
def test_every_comment_is_taken_for_what_it_is(text: str, expected: object) -> None:
    found = parse(text, KNOWN, BOUNDS)

    if expected is None or isinstance(expected, Help | Status | Cancel):
        assert found == expected
    elif expected == ASKED:
        assert isinstance(found, Asked), found
        assert found.names
        assert set(found.names) <= set(KNOWN.by_name)
    else:
        assert isinstance(found, Mistake), found
        assert found.kind == expected, found.sentence


@pytest.mark.parametrize(("text", "expected"), TABLE, ids=[str(n) for n in range(len(TABLE))])
def test_no_answer_repeats_what_could_be_mark_up(text: str, expected: object) -> None:
    found = parse(text, KNOWN, BOUNDS)

    if isinstance(found, Mistake):
        said = found.sentence + found.example + " ".join(found.near)
        plain = "".join(part for place, part in enumerate(said.split("`")) if place % 2 == 0)
        assert not any(char in plain for char in "<>@|\\\x00\x1b\u202e\u200b")
        assert len(found.sentence) < 400


@pytest.mark.parametrize("text", [text for text, kind in TABLE if isinstance(kind, str)])
def test_the_example_of_every_mistake_is_right(text: str) -> None:
    found = parse(text, KNOWN, BOUNDS)

    if isinstance(found, Mistake) and "=LINE" not in found.example:
        wide = Bounds(benchmarks=10_000, minutes=1e9)
        assert not isinstance(parse(found.example, KNOWN, wide), Mistake)


def test_a_name_that_is_nearly_right_is_met_with_the_nearest() -> None:
    found = parse(f"{COMMAND} serializerHeavyStrng", KNOWN, BOUNDS)

    assert isinstance(found, Mistake)
    assert found.near[0].endswith("serializerHeavyString")


def test_brackets_are_letters_and_a_star_is_the_rest() -> None:
    found = parse(f"{COMMAND} *write[length=16,kind=ascii,profile=mixed,*", KNOWN, BOUNDS)

    assert isinstance(found, Asked)
    assert all("write[length=16,kind=ascii,profile=mixed" in name for name in found.names)


def test_bounds_are_those_that_are_given() -> None:
    text = f"{COMMAND} serializerTuple serializerPojo pairs=5"

    assert isinstance(parse(text, KNOWN, BOUNDS), Asked)
    assert parse(text, KNOWN, Bounds(benchmarks=1)).kind == "benchmarks"  # type: ignore[union-attr]
    assert parse(text, KNOWN, Bounds(minutes=0.5)).kind == "minutes"  # type: ignore[union-attr]


def test_without_a_benchmark_the_usual_ones_are_meant() -> None:
    found = parse(COMMAND, KNOWN, BOUNDS)

    assert isinstance(found, Asked)
    assert set(found.names) == set(KNOWN.usual)
    assert found.pairs == BOUNDS.usual_pairs


@pytest.mark.parametrize("text", BELOW)
def test_names_alone_on_the_lines_below_count(text: str) -> None:
    found = parse(f"{COMMAND} {text}", KNOWN, BOUNDS)

    assert isinstance(found, Asked)
    assert found.names == (TUPLE, POJO)
    assert not found.unread


@pytest.mark.parametrize("text", UNREAD)
def test_of_names_among_other_words_below_none_counts_and_it_is_known(text: str) -> None:
    found = parse(f"{COMMAND} {text}", KNOWN, BOUNDS)

    assert isinstance(found, Asked)
    assert set(found.names) == set(KNOWN.usual)
    assert found.unread
    assert found.below[0] == "serializerTuple"
    assert isinstance(parse(" ".join((COMMAND, *found.below)), KNOWN, BOUNDS), Asked)


def test_words_below_that_hold_no_name_are_of_no_interest_to_who_has_named_some() -> None:
    for text, unread in (
        (f"{COMMAND} serializerTuple\n\nThanks!", False),
        (f"{COMMAND}\nTupel", True),
        (f"{COMMAND} serializerTuple\nserializerRwo", True),
        (f"{COMMAND} serializerTuple\nserializerR*nothing", True),
        (f"{COMMAND} serializerTuple\nserializerRow,serializerPojo", True),
        (f"{COMMAND} serializerTuple\nPairs=10", True),
        (f"{COMMAND} serializerTuple\npairs=10 please", True),
        (f"{COMMAND} serializerTuple\nI think so. (It is late.)", False),
    ):
        found = parse(text, KNOWN, BOUNDS)
        assert isinstance(found, Asked)
        assert (found.unread, found.below) == (unread, ())


def test_a_star_below_is_part_of_a_name_and_no_bullet() -> None:
    for text in ("serializerTup*", "* serializerTup*", "- *izerTuple", "-serializerTuple"):
        found = parse(f"{COMMAND}\n{text}", KNOWN, BOUNDS)
        assert isinstance(found, Asked)
        assert (found.names, found.unread) == ((TUPLE,), False), text


def test_what_jmh_measures_besides_is_of_its_benchmark() -> None:
    for behind in (":gc.alloc.rate.norm", ":\u00b7gc.alloc.rate.norm"):
        found = parse(f"{COMMAND} serializerTuple{behind}", KNOWN, BOUNDS)
        assert isinstance(found, Asked)
        assert found.names == (TUPLE,)


def test_the_example_to_a_glued_name_asks_for_it() -> None:
    for glued in (
        "serializerTuple pairs=4",
        f"org.apache.flink.benchmark.{TUPLE}",
        ":serializerTuple",
    ):
        found = parse(f"{COMMAND}{glued}", KNOWN, BOUNDS)
        assert isinstance(found, Mistake)
        assert found.kind == "command"
        if glued[0] != ":":
            assert found.example == f"{COMMAND} {glued}"


@pytest.mark.parametrize(
    "name",
    [
        TUPLE,
        f"org.apache.flink.benchmark.{TUPLE}",
        f"o.a.f.b.{TUPLE}",
        f"org.apache.flink.benchmark.{TUPLE}:gc.alloc.rate.norm",
        "serializerTuple.ratio",
        KNOWN.by_name[TUPLE].cell.slug,
    ],
)
def test_every_name_of_a_benchmark_is_understood(name: str) -> None:
    found = parse(f"{COMMAND} {name}", KNOWN, BOUNDS)

    assert isinstance(found, Asked), found
    assert found.names == (TUPLE,)


@pytest.mark.parametrize("name", KNOWN.usual)
def test_names_of_the_dashboard_are_understood(name: str) -> None:
    found = parse(f"{COMMAND} {dashboard_name(KNOWN.by_name[name].cell)}", KNOWN, BOUNDS)

    assert isinstance(found, Asked), found
    assert found.names == (name,)


def test_many_stars_take_no_time() -> None:
    began = time.process_time()
    Offerings(("2.3.0",), "2.3.0", KNOWN.offered).matching("*a*e*i" * 20 + "x")

    assert time.process_time() - began < 20  # going back and forth would take longer than the sun


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=300), st.sampled_from(["", COMMAND, f"{COMMAND} "]))
def test_nothing_breaks_it(text: str, start: str) -> None:
    found = parse(start + text, KNOWN, BOUNDS)

    assert found is None or isinstance(found, Asked | Help | Status | Cancel | Mistake)
    if isinstance(found, Asked):
        assert set(found.names) <= set(KNOWN.by_name)


@given(st.text(max_size=200))
def test_what_is_shown_is_one_code_span(text: str) -> None:
    found = shown(text)

    assert found.count("`") == 2
    assert len(found) <= 62
    assert found.isascii()
    assert found.isprintable()


def test_comments_of_others_are_none_of_ours() -> None:
    assert all(parse(text, KNOWN, BOUNDS) is None for text in NOT_FOR_US)
