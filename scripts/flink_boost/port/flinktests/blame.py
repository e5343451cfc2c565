"""Whose failure is it? The rule that decides, from runs of the same class on both sides.

A test class with a failure runs again on its own, with our jar and on stock, up to ``ROUNDS``
times. Each failing case is then

* *on stock too*, when stock fails it with the same kind of exception whenever ours does;
* *unstable*, when it fails at times on both sides, or failed once among other classes and then
  passed with our jar in every round;
* *ours* in every other case, which is the only one that is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from flink_boost.measure.model import Frozen
from flink_boost.port.flinktests.outcome import Case, CaseStatus, Outcome

ROUNDS = 3


class Blame(StrEnum):
    """Whose failure a failing case is."""

    OURS = "failed only with our jar"
    STOCK_TOO = "failed on stock as well"
    UNSTABLE = "unstable"


class Round(Frozen):
    """The same class, run alone on each side, one after the other."""

    patched: Outcome
    stock: Outcome


class BlamedCase(Frozen):
    """A failing case, its verdict, and how often it failed when its class ran alone."""

    case: Case
    verdict: Blame
    rounds: int
    failed_patched: int
    failed_stock: int
    stock_message: str = ""


def judge(first: Outcome, rounds: Sequence[Round]) -> tuple[BlamedCase, ...]:
    """A finding for each case that failed with our jar, in ``first`` or in a round.

    With no or few rounds the verdicts are the ones that these rounds allow; ``decided`` tells
    whether another round could change them.
    """
    failing: dict[tuple[str, str], Case] = {}
    for outcome in (first, *(each.patched for each in rounds)):
        for case in outcome.failures:
            failing.setdefault(case.key, case)
    return tuple(_judge_case(case, rounds) for case in failing.values())


def decided(findings: Sequence[BlamedCase], rounds: int) -> bool:
    """Whether further rounds are of no use: all failures are stock's, or the rounds are used up."""
    if rounds >= ROUNDS:
        return True
    return rounds > 0 and all(finding.verdict is Blame.STOCK_TOO for finding in findings)


def _judge_case(case: Case, rounds: Sequence[Round]) -> BlamedCase:
    patched = [_failure(each.patched, case.key) for each in rounds]
    stock = [_failure(each.stock, case.key) for each in rounds]
    kinds = {case.kind} | {failure.kind for failure in patched if failure}
    same = [failure for failure in stock if failure and failure.kind in kinds]
    failed_patched = sum(1 for failure in patched if failure)
    if same and len(same) == failed_patched == len(rounds):
        verdict = Blame.STOCK_TOO
    elif same or (len(rounds) >= ROUNDS and not failed_patched):
        verdict = Blame.UNSTABLE
    else:
        verdict = Blame.OURS
    return BlamedCase(
        case=case,
        verdict=verdict,
        rounds=len(rounds),
        failed_patched=failed_patched,
        failed_stock=sum(1 for failure in stock if failure),
        stock_message=_describe(same[0]) if same else "",
    )


def _failure(outcome: Outcome, key: tuple[str, str]) -> Case | None:
    return next((c for c in outcome.cases if c.key == key and c.status is CaseStatus.FAILED), None)


def _describe(case: Case) -> str:
    return f"{case.kind}: {case.message}" if case.message else case.kind
