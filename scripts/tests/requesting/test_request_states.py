"""The states of a request: the page that draws how it gets from one to the other."""

from __future__ import annotations

import re

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.service.requests.request_states import AT_WORK, MOVES, RequestState

PAGE = PROJECT_ROOT / "docs" / "requests.md"
ARROW = re.compile(r"^ +(\S+) --> (\S+): (.+)$", re.MULTILINE)
OF_THE_QUEUE = {
    ("[*]", "queued", "asked"),
    ("queued", "building", "a worker takes it"),
    *((state, "building", "its worker is gone, another takes it") for state in AT_WORK),
}


def drawn() -> list[tuple[str, str, str]]:
    """The arrows of the page, those from the box around all at work once for each."""
    arrows = ARROW.findall(PAGE.read_text(encoding="utf-8"))
    return [
        (state, *arrow[1:])
        for arrow in arrows
        for state in (AT_WORK if arrow[0] == "at_work" else arrow[:1])
    ]


def test_the_page_draws_the_table_and_what_the_queue_does_itself() -> None:
    moves = {
        (source.value, target.value, event.value)
        for event, (sources, target) in MOVES.items()
        for source in sources
    }
    assert sorted(drawn()) == sorted(moves | OF_THE_QUEUE)


def test_every_state_is_reached_and_left_unless_it_is_final() -> None:
    left, reached, _ = map(set, zip(*drawn(), strict=True))
    assert reached == {*RequestState} - {RequestState.REFUSED}
    assert left - {"[*]"} == {state for state in RequestState if not state.is_final}
