"""What is said of state that ``GenericStates`` did not find."""

from __future__ import annotations

from generic_state import (
    GenericState,
    generic_commands,
    keys,
    lost,
    lost_by_sharing,
    written_otherwise_when_shared,
)
from texts import encode

Y = encode("Y")
AB = encode("ab")


def held() -> GenericState:
    state = GenericState()
    state.keep(Y, Y, AB, AB)
    state.keep(AB, AB, "", "")
    return state


def test_nothing_is_said_when_everything_was_found() -> None:
    assert lost(held().lines(), held().lines()) == []


def test_a_key_without_state_is_named_with_what_is_missing() -> None:
    found = [line for line in held().lines() if f",{Y},{Y}," not in line]
    assert lost(found, held().lines()) == [
        (
            "The key ('Y', 'Y') starts from empty state: "
            "generic-count, generic-java, generic-list, generic-pojo."
        ),
        (
            "The key ('Y', 'Y') with the user key ('ab', 'ab') starts from empty state: "
            "generic-entry, generic-java-entry."
        ),
    ]


def test_a_count_that_began_again_is_lost() -> None:
    held_twice = held()
    held_twice.keep(Y, Y, AB, AB)
    (key, entry) = lost(held().lines(), held_twice.lines())[:2]
    assert key.startswith("The key ('Y', 'Y') starts from empty state: generic-count")
    assert entry.startswith("The key ('Y', 'Y') with the user key ('ab', 'ab') starts")


def test_only_equal_texts_of_no_or_one_character_of_latin_1_are_lost_by_sharing() -> None:
    changed = [key for key in keys() if written_otherwise_when_shared(key)]
    assert changed == [
        (encode(c), encode(c)) for c in ("", "Y", " ", "\x00", "\x7f", "\x80", "é", "ÿ")
    ]
    assert [sentence.split(" starts")[0] for sentence in lost_by_sharing(held())] == [
        "The key ('Y', 'Y')",
        "The key ('Y', 'Y') with the user key ('ab', 'ab')",
        "The key ('ab', 'ab') with the user key ('', '')",
    ]


def test_each_turn_changes_every_key() -> None:
    for turn in range(3):
        assert {tuple(line.split(",")[1:3]) for line in generic_commands(turn)} == set(keys())
