"""The states of a request: the table, the page that draws it, and what is not in it."""

from __future__ import annotations

import itertools

import pytest

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.service.requests.request_states import (
    TRANSITIONS,
    Event,
    NoSuchTransitionError,
    RequestState,
    drawing,
    sources,
    target,
)

PAGE = PROJECT_ROOT / "docs" / "requests.md"


def test_the_page_draws_the_table() -> None:
    assert f"```mermaid\n{drawing()}\n```" in PAGE.read_text(encoding="utf-8")


def test_the_drawing_has_every_transition() -> None:
    arrows = set(map(str.strip, drawing().splitlines()))
    for one in TRANSITIONS:
        start = one.source.value if one.source else "[*]"
        starts = {start, "at_work"} if one.source and one.source.is_at_work else {start}
        drawn = {f"{name} --> {one.target.value}: {one.event.value}" for name in starts}
        assert len(drawn & arrows) == 1, one
    assert len([line for line in arrows if "-->" in line]) < len(TRANSITIONS)


def test_every_state_is_reached_and_left_unless_it_is_final() -> None:
    for state in RequestState:
        assert any(one.target is state for one in TRANSITIONS), state
        assert any(one.source is state for one in TRANSITIONS) is not state.is_final, state


def test_nothing_happens_that_is_not_in_the_table() -> None:
    known = {(one.source, one.event) for one in TRANSITIONS}
    assert len(known) == len(TRANSITIONS)
    for state, event in itertools.product((None, *RequestState), Event):
        if (state, event) not in known:
            with pytest.raises(NoSuchTransitionError):
                target(state, event)


def test_whoever_works_can_be_replaced_and_ended() -> None:
    working = {state for state in RequestState if state.is_at_work}

    assert set(sources(Event.TAKEN_OVER)) == working
    assert set(sources(Event.HANDED_BACK)) == working
    assert working <= set(sources(Event.BROKE))
    assert working <= set(sources(Event.STOPPED))
