"""``request run``: exit codes, files and warnings, with the measuring left out."""

from __future__ import annotations

import json

import pytest

from flink_boost.cli.commands import request
from flink_boost.cli.main import main
from flink_boost.flink.side import Side
from flink_boost.service.requests.model import Measured
from requesting.samples import KNOWN, TUPLE, measured
from requesting.test_answer import SLOW, STILL

RUN = ("request", "run", "--base", "main")


def given(monkeypatch: pytest.MonkeyPatch, found: Measured) -> list[Measured]:
    """Has every call find that; what is returned tells how often."""
    calls: list[Measured] = []

    def measure(*_: object) -> Measured:
        calls.append(found)
        return found

    monkeypatch.setattr(request, "_order", lambda *_: found.order)
    monkeypatch.setattr(request, "_measured", measure)
    return calls


def without(found: Measured, side: Side, pairs: int) -> Measured:
    """The same when the first pairs of a side have failed."""
    left = (one for one in found.forks if one.side is not side or one.pair > pairs)
    return found.model_copy(update={"forks": tuple(left)})


@pytest.mark.parametrize("pairs", [5, 1])
def test_a_head_that_crashes_is_no_success_where_a_regression_must_fail(
    pairs: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given(monkeypatch, without(measured({TUPLE: STILL}), Side.AFTER, pairs))

    assert main([*RUN, "--fail-on-regression", "--json"]) == 6
    told = capsys.readouterr()
    document = json.loads(told.out)
    assert (document["ok"], document["exit_code"]) == (False, 6)
    assert "head failed" in document["headline"] or "JVMs of head" in document["headline"]
    assert "JVMs of head failed in 1 of 1 benchmarks" in told.err
    assert main([*RUN]) == 0


def test_a_base_that_crashes_is_no_regression(monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, without(measured({TUPLE: STILL}), Side.BEFORE, 5))

    assert main([*RUN, "--fail-on-regression"]) == 0


def test_slower_comes_before_what_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    name = next(iter(KNOWN.by_name))
    found = measured({TUPLE: SLOW, name: STILL}, {TUPLE: SLOW})
    left = (one for one in found.forks if one.cell.name != name or one.side is Side.BEFORE)
    given(monkeypatch, found.model_copy(update={"forks": tuple(left)}))

    assert main([*RUN, "--fail-on-regression"]) == 25
