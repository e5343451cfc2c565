"""Whose failure it is, for every mixture of failures on both sides."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from flink_boost.flink.side import Side
from flink_boost.port.flinktests.blame import ROUNDS, Blame, BlamedCase, Round, decided, judge
from flink_boost.port.flinktests.outcome import Case, CaseStatus, Outcome

PASS = ""


def outcome(side: Side, **kinds: str) -> Outcome:
    """Cases of class C by name, each with the kind of its exception; '' passes."""
    cases = [
        Case(
            class_name="C",
            name=name,
            status=CaseStatus.FAILED if kind else CaseStatus.PASSED,
            kind=kind,
            message=f"on {side}" if kind else "",
        )
        for name, kind in kinds.items()
    ]
    return Outcome(side=side, cases=tuple(cases))


def rounds(*pairs: tuple[str, str]) -> list[Round]:
    return [
        Round(patched=outcome(Side.PATCHED, t=patched), stock=outcome(Side.STOCK, t=stock))
        for patched, stock in pairs
    ]


def verdict(first: str, played: Sequence[Round]) -> BlamedCase:
    (finding,) = judge(outcome(Side.PATCHED, t=first), played)
    return finding


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([("E", "E")], Blame.STOCK_TOO),
        ([("E", "E"), ("E", "E")], Blame.STOCK_TOO),
        ([("E", PASS)] * 3, Blame.OURS),
        ([("E", PASS)], Blame.OURS),
        # It fails on stock too, but in another way: that is not the same failure.
        ([("E", "F")] * 3, Blame.OURS),
        # Once in three rounds is enough to be ours as long as stock never fails.
        ([(PASS, PASS), (PASS, PASS), ("E", PASS)], Blame.OURS),
        ([(PASS, PASS)], Blame.OURS),
        ([(PASS, PASS)] * 2, Blame.OURS),
        ([(PASS, PASS)] * 3, Blame.UNSTABLE),
        ([("E", PASS), (PASS, "E"), ("E", PASS)], Blame.UNSTABLE),
        ([("E", "E"), ("E", PASS), ("E", PASS)], Blame.UNSTABLE),
        ([(PASS, "E")] * 3, Blame.UNSTABLE),
    ],
)
def test_the_rule(pairs: list[tuple[str, str]], expected: Blame) -> None:
    assert verdict("E", rounds(*pairs)).verdict is expected


def test_without_a_round_a_failure_is_ours() -> None:
    assert verdict("E", []).verdict is Blame.OURS


def test_counts_and_messages_of_both_sides() -> None:
    finding = verdict("E", rounds(("E", "E"), ("E", PASS), (PASS, PASS)))
    assert (finding.rounds, finding.failed_patched, finding.failed_stock) == (3, 2, 1)
    assert finding.case.message == "on patched"
    assert finding.stock_message == "E: on stock"


def test_a_failure_that_comes_up_in_a_round_is_judged_too() -> None:
    first = outcome(Side.PATCHED, t="E", u=PASS)
    played = Round(
        patched=outcome(Side.PATCHED, t="E", u="E"), stock=outcome(Side.STOCK, t="E", u=PASS)
    )
    assert {f.case.name: f.verdict for f in judge(first, [played])} == {
        "t": Blame.STOCK_TOO,
        "u": Blame.OURS,
    }


def test_a_case_that_stock_did_not_reach_does_not_excuse_ours() -> None:
    """Stock lost the whole class: nothing shows that it would fail this case."""
    played = Round(patched=outcome(Side.PATCHED, t="E"), stock=outcome(Side.STOCK))
    assert verdict("E", [played] * 3).verdict is Blame.OURS


def test_rounds_end_when_all_is_stocks_or_they_are_used_up() -> None:
    first = outcome(Side.PATCHED, t="E")
    assert not decided(judge(first, []), 0)
    assert decided(judge(first, rounds(("E", "E"))), 1)
    assert not decided(judge(first, rounds(("E", PASS))), 1)
    assert not decided(judge(first, rounds((PASS, PASS))), 1)
    assert decided(judge(first, rounds(*[("E", PASS)] * ROUNDS)), ROUNDS)
